// The state that the address keeps: ranges, tabs, orders and filters; and times by the clocks of whoever reads them.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, recommend, slugs, url, visit, withApp } from "./app.mjs";

after(close);

const search = (page) => new URL(page.url()).search;
const pressed = (page, name) =>
  eventually(async () => assert.equal(await page.getByTestId(name).getAttribute("aria-pressed"), "true"));

test("the range of Overview and the table of Insights are found again by their address", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await recommend(page, "tenants in postgres");
    await visit(page, "Overview");
    await page.getByTestId("range-7d").click();
    await eventually(async () => assert.equal(search(page), "?range=7"));
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await pressed(page, "range-7d");

    // The chosen range goes along to the next page.
    await visit(page, "Insights");
    await pressed(page, "range-7d");
    await page.getByTestId("range-30d").click();
    await eventually(async () => assert.equal(search(page), "?range=30"));
    await page.getByTestId("by-agents").click();
    await eventually(async () => assert.equal(search(page), "?range=30&by=agent"));
    const applied = page.getByRole("columnheader", { name: "Feedback" });
    await applied.getByRole("button").click();
    await applied.getByRole("button").click();
    await eventually(async () => assert.equal(search(page), "?range=30&by=agent&sort=feedback.up"));
    await page.reload();
    await pressed(page, "range-30d");
    await eventually(async () =>
      assert.equal(await page.getByTestId("by-agents").getAttribute("aria-selected"), "true"),
    );
    await eventually(async () => assert.equal(await applied.getAttribute("aria-sort"), "ascending"));
    // A link to their runs, by who asked.
    await page.getByTestId("by-group-row").getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await eventually(async () => assert.match(search(page), /^\?by=local&from=\d{4}-\d\d-\d\d$/));
    await eventually(async () => assert.match(await page.getByTestId("chip-by").textContent(), /^Agent: you/));
    await eventually(async () => assert.equal(await page.getByTestId("run").count(), 1));
  });
});

test("lessons sort by what stands out and by how they rose", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    const first = (await slugs(page.getByTestId("lesson-row")))[3];
    await page.goto(`${url}/lessons/${first}`);
    await page.getByTestId("quarantine").click();
    await page.getByTestId("findings").waitFor();
    await page.goto(`${url}/lessons`);
    await page.getByTestId("sort-standout").click();
    await eventually(async () => assert.equal((await slugs(page.getByTestId("lesson-row")))[0], first));
    await page.getByTestId("sort-trend").click();
    await eventually(async () => assert.equal(search(page), "?sort=trend"));
    assert.equal(await page.getByRole("columnheader", { name: "13 weeks" }).getAttribute("aria-sort"), "descending");
  });
});

test("times are those of the reader's own zone", async () => {
  await withApp(
    async (page) => {
      await loadSamples(page);
      await page.getByTestId("lesson-row").first().getByRole("link").click();
      await page.getByTestId("rate-helpful").click();
      const time = page.locator(".history time").first();
      await time.waitFor();
      // The exact time stands beside how long ago it was.
      const [at, told] = [await time.getAttribute("datetime"), await time.getAttribute("title")];
      const there = new Date(Date.parse(at) + 5.5 * 3_600_000).toISOString();
      assert.equal(told, `${there.slice(0, 10)} ${there.slice(11, 16)} UTC+05:30`);
    },
    { timezoneId: "Asia/Kolkata" },
  );
});

/** More lessons than are fetched around those in view. */
const MANY = 300;

test("the whole list is printed, though only a part of it is here", async () => {
  await withApp(async (page) => {
    await page.addInitScript(() => {
      window.print = () => {
        window.printed = true;
      };
    });
    await page.goto(`${url}/settings`);
    await ready(page);
    const lessons = Array.from({ length: MANY }, (_, at) => ({ slug: `lesson-${at}`, title: `Lesson ${at}` }));
    const file = { name: "many.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(lessons)) };
    await page.getByTestId("import-files").setInputFiles(file);
    await page
      .getByTestId("import-added")
      .filter({ hasText: String(MANY) })
      .waitFor();
    await page.goto(`${url}/lessons`);
    await page
      .getByTestId("list-status")
      .filter({ hasText: `${MANY} lessons` })
      .waitFor();
    await page.keyboard.press("Control+p");
    await page.waitForFunction(() => window.printed);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await eventually(async () => assert.equal(await page.getByTestId("lesson-row").count(), MANY));
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await eventually(async () => assert.ok((await page.getByTestId("lesson-row").count()) < MANY));
  });
});

test("single keys are switched off in Settings, for Review too", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Settings");
    await page.getByTestId("settings-single-keys").uncheck();
    await visit(page, "Review");
    await page.getByTestId("review-keys").locator("summary").click();
    assert.equal(await page.getByTestId("keys-on").isChecked(), false);
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await ready(page);
    assert.equal(new URL(page.url()).pathname, "/review");
  });
});
