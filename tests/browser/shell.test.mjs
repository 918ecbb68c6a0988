// The palette, the keys, a list of any length, and acts on many lessons.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, url, visit, withApp } from "./app.mjs";

after(close);

const MANY = 3_000;

/** Fills an empty store with lessons named by number; in the order of titles they stand by it. */
async function importMany(page) {
  await page.goto(`${url}/settings`);
  await ready(page);
  const lessons = Array.from({ length: MANY }, (_, at) => ({
    slug: `lesson-${String(at).padStart(5, "0")}`,
    title: `Lesson ${String(at).padStart(5, "0")}`,
    recommendation: "Do so.",
  }));
  const file = { name: "many.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(lessons)) };
  await page.getByTestId("import-files").setInputFiles(file);
  await page
    .getByTestId("import-added")
    .filter({ hasText: /3.?000/ })
    .waitFor();
  await page.goto(`${url}/lessons?sort=title`);
  await page.getByTestId("lesson-row").first().waitFor();
}

const row = (page, slug) => page.locator(`[data-testid=lesson-row][data-slug="${slug}"]`);
const focused = (page) => page.evaluate(() => document.activeElement.closest("[data-slug]")?.dataset.slug ?? null);
const focusOn = (page, slug) =>
  page.waitForFunction((slug) => document.activeElement.closest("[data-slug]")?.dataset.slug === slug, slug);
/** Opens the palette; what is typed then goes into it. */
const openPalette = async (page) => {
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "palette-input");
};
const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
const status = (page, text) => page.getByTestId("list-status").filter({ hasText: text }).waitFor();

test("the palette finds lessons, pages and acts, and is worked by keyboard alone", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await page.keyboard.press("Control+k");
    const input = page.getByTestId("palette-input");
    await input.waitFor();
    await eventually(async () => assert.equal(await input.getAttribute("role"), "combobox"));
    const chosen = async () => {
      const id = await input.getAttribute("aria-activedescendant");
      const option = page.locator(`[id="${id}"]`);
      await eventually(async () => assert.equal(await option.getAttribute("aria-selected"), "true"));
      return option.textContent();
    };
    const first = await chosen();
    await page.keyboard.press("ArrowDown");
    await eventually(async () => assert.notEqual(await chosen(), first));
    await page.keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await chosen(), first));

    await page.keyboard.type("ins");
    await page.getByTestId("palette-option").first().filter({ hasText: "Insights" }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Insights");
    await eventually(async () => assert.equal(await page.getByTestId("palette-input").count(), 0));

    await openPalette(page);
    await page.keyboard.type("row polic");
    await page.getByTestId("palette-option").filter({ hasText: "row" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByTestId("lesson-slug").filter({ hasText: "pattern-row-policies" }).waitFor();

    // The page's own commands are there, too; and Escape gives the focus back.
    await openPalette(page);
    await page.keyboard.type("edit");
    await page.getByTestId("palette-option").filter({ hasText: "Edit this lesson" }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, /^Edit/);
    await page.getByRole("textbox").first().focus();
    await openPalette(page);
    await page.keyboard.type("zzzz qqqq");
    await page.getByTestId("palette-empty").waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("palette-input").waitFor({ state: "detached" });
    await eventually(async () =>
      assert.ok(await page.evaluate(() => document.activeElement.matches("input, textarea"))),
    );
  });
});

test("single keys go places, never while typing, and can be switched off", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    for (const [key, name] of [
      ["o", "Overview"],
      ["i", "Insights"],
      ["t", "Tools"],
      ["a", "Agents"],
      ["s", "Settings"],
      ["p", "Playground"],
      ["v", "Review"],
      ["n", "Runs"],
      ["l", "Lessons"],
    ]) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await heading(page, name);
    }
    await page.keyboard.press("/");
    const search = page.getByTestId("search-input");
    await page.waitForFunction(() => document.activeElement.id === "search-input");
    await page.keyboard.type("g d?jnx");
    await eventually(async () => assert.equal(await search.inputValue(), "g d?jnx"));
    await heading(page, "Lessons");
    await eventually(async () => assert.equal(await page.locator("dialog[open]").count(), 0));
    await eventually(async () => assert.equal(await page.getByTestId("pick-bar").count(), 0));

    await search.fill("");
    await search.blur();
    await page.keyboard.press("?");
    await page.getByTestId("shortcuts").getByText("Everywhere").waitFor();
    // A dialog has the keys for itself.
    await page.keyboard.press("n");
    await page.getByTestId("single-keys").uncheck();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByTestId("lesson-row").first().waitFor();
    await page.keyboard.press("n");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await page.getByTestId("palette-input").waitFor();
    await eventually(async () => assert.equal(await page.locator("dialog[open]").count(), 1));
    assert.equal(new URL(page.url()).pathname, "/lessons");
  });
});

test("a long list holds few rows, is walked by keyboard, and is found again where it was left", async () => {
  await withApp(async (page) => {
    await importMany(page);
    await status(page, /3,000 lessons/);
    const rows = () => page.locator(".lesson-row").count();
    await eventually(async () => assert.ok((await rows()) < 60, `${await rows()} rows`));
    const last = `lesson-0${MANY - 1}`;

    await page.keyboard.press("j");
    await focusOn(page, "lesson-00000");
    await page.keyboard.press("ArrowDown");
    await focusOn(page, "lesson-00001");
    await page.keyboard.press("k");
    await focusOn(page, "lesson-00000");
    await page.keyboard.press("End");
    await focusOn(page, last);
    await eventually(async () => assert.ok((await rows()) < 60, `${await rows()} rows`));
    await eventually(async () => assert.equal(await row(page, last).getAttribute("aria-rowindex"), String(MANY + 1)));
    await eventually(async () =>
      assert.equal(await page.getByRole("table", { name: "Lessons" }).getAttribute("aria-rowcount"), String(MANY + 1)),
    );
    await page.keyboard.press("Home");
    await focusOn(page, "lesson-00000");
    // By Tab, a box and a link in each row, faster than frames: the rows that come into view are there in time.
    await page.evaluate(() => {
      const frame = globalThis.requestAnimationFrame;
      /** @type {any} */ (globalThis).requestAnimationFrame = (act) => setTimeout(() => frame(act), 500);
      globalThis.endSlowFrames = () => (globalThis.requestAnimationFrame = frame);
    });
    for (let at = 0; at < 2 * 100; at += 1) {
      await page.keyboard.press("Tab");
      // Lessons come when they come: only frames are slow here.
      await page.evaluate(async () => {
        const next = document.activeElement.closest(".lesson-row")?.nextElementSibling;
        while (next?.isConnected && !next.querySelector("a.row-link")) await new Promise((done) => setTimeout(done, 5));
      });
    }
    await focusOn(page, "lesson-00100");
    await page.evaluate(() => globalThis.endSlowFrames());

    // Anywhere by the scroll bar; the row that has the focus keeps it out of view, also when it is no longer fetched.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
    await page.waitForFunction(() => document.querySelector("[data-testid=lesson-row][data-slug^='lesson-01']"));
    await eventually(async () => assert.equal(await focused(page), "lesson-00100"));
    // It is given back when the row loses it, as an element does that is put elsewhere.
    for (const part of [0.45, 0.55]) {
      await page.evaluate((part) => {
        document.activeElement.blur();
        scrollTo(0, document.documentElement.scrollHeight * part);
      }, part);
      await focusOn(page, "lesson-00100");
    }

    await page.keyboard.press("PageDown");
    await page.waitForFunction(() => {
      const slug = document.activeElement.closest("[data-slug]")?.dataset.slug;
      return slug !== undefined && slug !== "lesson-00100";
    });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight * 0.7));
    const middle = page.locator("[data-testid=lesson-row][data-slug^='lesson-02']").nth(10);
    await middle.waitFor();
    const slug = await middle.getAttribute("data-slug");
    await middle.getByRole("link").click();
    await page.getByTestId("lesson-slug").filter({ hasText: slug }).waitFor();
    await eventually(async () => assert.equal(await page.evaluate(() => scrollY), 0));
    await page.goBack();
    await focusOn(page, slug);
    const y = await page.evaluate(() => scrollY);
    assert.ok(y > 10_000, String(y));
    await page.reload();
    await row(page, slug).waitFor();
    await eventually(async () => assert.ok(Math.abs((await page.evaluate(() => scrollY)) - y) < 5));
  });
});

test("many lessons are approved, archived and tagged at once, and each act is taken back", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await status(page, "85 lessons");
    const pick = (at) => page.getByTestId("pick").nth(at);
    const slug = await page.getByTestId("lesson-row").nth(0).getAttribute("data-slug");
    const told = (text) => page.getByTestId("toast").filter({ hasText: text }).waitFor();
    const undo = () => page.getByTestId("toast-act").last().click();

    await pick(0).check();
    await pick(1).check();
    await page.getByTestId("pick-count").filter({ hasText: "2 selected" }).waitFor();
    await page.getByTestId("bulk-archive").click();
    await told("Archived 2 lessons");
    await status(page, "83 lessons");
    await undo();
    await told("Taken back");
    await status(page, "85 lessons");

    await pick(0).check();
    await page.getByTestId("pick-all").click();
    await page.getByTestId("pick-count").filter({ hasText: "85 selected" }).waitFor();
    await page.getByTestId("bulk-approve").click();
    await told("Approved 85 lessons");
    await eventually(async () => assert.equal(await page.getByTestId("pick-bar").count(), 0));
    await page.getByTestId("filters-button").click();
    await page.getByTestId("facet-trust").selectOption("approved");
    await status(page, "85 lessons");
    // By its key, too.
    await page.keyboard.press("Escape");
    await page.getByTestId("facet-trust").waitFor({ state: "detached" });
    await page.keyboard.press("u");
    await status(page, "0 lessons");
    await page.getByTestId("clear-filters").click();

    await pick(0).check();
    await page.getByTestId("bulk-tag").click();
    await page.getByTestId("bulk-tags").fill("seen, spring clean");
    await page.getByTestId("bulk-tag-send").click();
    await told("Tagged 1 lesson");
    const tags = async () =>
      (await page.getByText("Tags", { exact: true }).locator("xpath=following-sibling::dd").textContent()).split(", ");
    await row(page, slug).getByRole("link").click();
    await page.getByTestId("lesson-slug").filter({ hasText: slug }).waitFor();
    assert.ok((await tags()).includes("spring clean"));
    await undo();
    await page.waitForFunction(() => !document.body.textContent.includes("spring clean"));
    await visit(page, "Lessons");
    await status(page, "85 lessons");
  });
});

test("the first page needs no other page; one that can't be fetched says so and is tried again", async () => {
  const expected = [/failed: .*-pages\.wasm net::ERR_FAILED/, /console: /];
  await withApp(
    async (page, context) => {
      const pages = "**/web-*-pages.wasm";
      await context.route(pages, (route) => route.abort());
      await page.goto(`${url}/`);
      await heading(page, "Overview");
      await page.getByRole("navigation").getByRole("link", { name: "Insights", exact: true }).first().click();
      await heading(page, "This page is not here yet");
      await page.getByTestId("fetch-again").click();
      await heading(page, "This page is not here yet");
      await visit(page, "Overview");
      await context.unroute(pages);
      await page.getByRole("navigation").getByRole("link", { name: "Insights", exact: true }).first().click();
      await heading(page, "Insights");
      // All of them came with it.
      await context.setOffline(true);
      await visit(page, "Playground");
      await visit(page, "Tools");
      await context.setOffline(false);
    },
    { intercepted: true, expected },
  );
});

/** Markup that could act, or leave the page; of each the form that a closed grammar is easiest to get wrong. */
const HOSTILE = [
  "<script>x()</script>",
  "<img src=x onerror=x()>",
  '<b onclick="x()">a</b>',
  '<b class="a" onmouseover="x()">a</b>',
  "<b class=a>a</b>",
  '<p style="position: fixed">a</p>',
  '<a href="javascript:x()">a</a>',
  '<a href="https://evil.example/">a</a>',
  '<a href="//evil.example/">a</a>',
  '<a href="/\\evil.example/">a</a>',
  '<form action="/x"></form>',
  '<iframe src="/x"></iframe>',
  "<svg><style>x</style></svg>",
  "<svg><foreignObject>a</foreignObject></svg>",
  "<math><mtext>a</mtext></math>",
  "<template>a</template>",
  '<meta http-equiv="refresh" content="0">',
  '<base href="/x">',
  "<!-- a --><b>c</b>",
  "<b",
];

test("no text becomes markup, and no script is started but the app's own workers", async () => {
  await withApp(
    async (page) => {
      await page.goto(`${url}/`);
      await ready(page);
      const tried = await page.evaluate((hostile) => {
        const fragment = (markup) => document.createRange().createContextualFragment(markup);
        const attempt = (work) => {
          try {
            work();
            return "done";
          } catch (error) {
            return error.name;
          }
        };
        return {
          fixed: attempt(() =>
            fragment('<p class="note" data-testid="x">a <b>b</b></p><a href="/settings#sync">c</a>'),
          ),
          markup: hostile.filter((markup) => attempt(() => fragment(markup)) !== "TypeError"),
          code: attempt(() => setTimeout("document.title = 'x'", 0)),
          own: attempt(() => new Worker("/precache.js").terminate()),
          other: attempt(() => new Worker("/openapi.json")),
          foreign: attempt(() => new Worker("https://evil.example/engine-worker.js")),
        };
      }, HOSTILE);
      assert.deepEqual(tried, {
        fixed: "done",
        markup: [],
        code: "TypeError",
        own: "done",
        other: "TypeError",
        foreign: "TypeError",
      });
      // Every script of the page has its hash, those that others import too.
      const scripts = await page.evaluate(() => {
        const map = JSON.parse(document.querySelector("script[type=importmap]").textContent).integrity;
        const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
        return {
          hashed: Object.keys(map),
          loaded: loaded.filter((path) => /^\/[^/]+\.js$/.test(path) && !/worker|sw|precache/.test(path)),
        };
      });
      assert.ok(scripts.loaded.length >= 2, String(scripts.loaded));
      for (const path of scripts.loaded) assert.ok(scripts.hashed.includes(path), path);
    },
    { expected: [/Trusted/, /policy violation: require-trusted-types-for/] },
  );
});
