// The table of lessons: its columns, filters and ranges, and the same on paper and on a phone.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, slugs, url, withApp } from "./app.mjs";

after(close);

const rows = (page) => page.getByTestId("lesson-row");
const inOrder = (page, expected) =>
  eventually(async () => assert.deepEqual((await slugs(rows(page))).slice(0, expected.length), expected));

/** Three lessons: one that worked, one that did not, one that nobody used. */
const LESSONS = [
  {
    slug: "worked",
    title: "B worked",
    times_applied: 4,
    success_count: 4,
    proven_effective: true,
    use_count: 1,
    effectiveness: 0.6,
  },
  {
    slug: "failed",
    title: "C failed",
    times_applied: 5,
    success_count: 1,
    use_count: 3,
    causal_hits: 3,
    effectiveness: 0.9,
    last_used_at: "2026-01-05T00:00:00Z",
    lift_mean: -0.2,
    lift_variance: 0.0004,
    lift_at: new Date().toISOString(),
  },
  { slug: "unused", title: "A unused", domain: "perps" },
];

async function open(page, lessons = LESSONS) {
  await page.goto(`${url}/settings`);
  await ready(page);
  const file = { name: "lessons.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(lessons)) };
  await page.getByTestId("import-files").setInputFiles(file);
  await page.getByTestId("import-report").waitFor();
  await page.goto(`${url}/lessons`);
  await rows(page).first().waitFor();
}

test("a column's name sorts by it, either way, and the address keeps it", async () => {
  await withApp(async (page) => {
    await open(page);
    const press = (name) => page.getByTestId(`sort-${name}`).click();
    await press("success");
    await inOrder(page, ["worked", "failed", "unused"]);
    assert.equal(await page.getByRole("columnheader", { name: "Success" }).getAttribute("aria-sort"), "descending");
    await press("success");
    // A lesson without a number stays last.
    await inOrder(page, ["failed", "worked", "unused"]);
    // Of the others nothing was seen.
    await press("lift");
    await inOrder(page, ["failed", "unused", "worked"]);
    await press("last_used");
    await inOrder(page, ["failed"]);
    await press("title");
    await inOrder(page, ["unused", "worked", "failed"]);
    await press("title");
    await inOrder(page, ["failed", "worked", "unused"]);
    await page.reload();
    await inOrder(page, ["failed", "worked", "unused"]);
    await eventually(async () => assert.equal(new URL(page.url()).search, "?sort=title&reverse=true"));
  });
});

test("a row tells its numbers, and a badge only where there is something to tell", async () => {
  await withApp(async (page) => {
    await open(page);
    const cells = (slug, name) => page.locator(`[data-slug=${slug}] .cell-${name}`);
    await eventually(async () => assert.equal(await cells("worked", "success").textContent(), "4 of 4"));
    assert.equal(await cells("failed", "uses").textContent(), "5");
    assert.match(await cells("failed", "used").textContent(), / ago$/);
    for (const name of ["score", "success", "uses"]) assert.equal(await cells("unused", name).textContent(), "–");
    assert.equal(await cells("unused", "used").textContent(), "never");
    assert.equal(await cells("worked", "badge").textContent(), "", "that its uses went well is no proof");
    assert.equal(await cells("failed", "badge").textContent(), "Hurts −20");
    assert.equal(await cells("failed", "score").textContent(), "−20 ±4");
    assert.equal(await cells("unused", "badge").textContent(), "", "that all are unreviewed says nothing of one");
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} wide at ${width}`);
    }
  });
});

test("filters are chips that come off, and stand in the address", async () => {
  await withApp(async (page) => {
    await open(page);
    await page.getByTestId("filters-button").click();
    await page.getByTestId("facet-domain").fill("perps");
    await page.getByTestId("facet-domain").blur();
    await inOrder(page, ["unused"]);
    await page.keyboard.press("Escape");
    const chip = page.getByTestId("chip-domain");
    await chip.filter({ hasText: "Domain: perps" }).waitFor();
    await eventually(async () => assert.equal(new URL(page.url()).search, "?domain=perps"));
    await chip.click();
    await eventually(async () => assert.equal(await rows(page).count(), 3));
    await chip.waitFor({ state: "detached" });
  });
});

test("Shift selects a range, by mouse and by key, and an act on it can be undone", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    const picked = (text) => page.getByTestId("pick-count").filter({ hasText: text }).waitFor();
    const boxes = page.getByTestId("pick");
    await boxes.nth(1).check();
    await boxes.nth(5).click({ modifiers: ["Shift"] });
    await picked("5 selected");
    await boxes.nth(4).click();
    await picked("4 selected");
    await page.getByTestId("pick-none").click();
    // Down by keys, and back up to where it began.
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    for (let n = 0; n < 2; n += 1) await page.keyboard.press("j");
    await page.keyboard.press("Shift+X");
    await picked("3 selected");
    // A range reaches over rows that are not here.
    await page.keyboard.press("End");
    await eventually(async () =>
      assert.equal(
        await page.evaluate(() => document.activeElement.closest("[data-at]")?.getAttribute("data-at")),
        "84",
      ),
    );
    await page.keyboard.press("Shift+X");
    await picked("85 selected");
    await page.getByTestId("bulk-archive").click();
    await page.getByTestId("toast-act").filter({ hasText: "Undo" }).click();
    await page.getByTestId("list-status").filter({ hasText: "85 lessons" }).waitFor();
  });
});

test("on paper the rows stand one below the other, without gaps and without the ways to act", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    // Lessons come in one after the other: the list has to be at rest.
    let inView = 0;
    await eventually(async () => {
      const before = inView;
      inView = await rows(page).count();
      assert.equal(inView, before);
      assert.ok(inView > 1);
    });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await eventually(async () => assert.ok((await rows(page).count()) >= inView));
    const boxes = await rows(page).evaluateAll((all) =>
      all.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]),
    );
    for (let at = 1; at < boxes.length; at += 1) {
      assert.ok(Math.abs(boxes[at][0] - boxes[at - 1][1]) < 1, `a gap before row ${at}`);
    }
    for (const hidden of [
      page.getByTestId("new-lesson"),
      page.getByTestId("search-input"),
      page.getByTestId("pick").first(),
    ]) {
      assert.ok(!(await hidden.isVisible()));
    }
    await page.emulateMedia({ media: null });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await eventually(async () => assert.equal(await rows(page).count(), inView));
  });
});
