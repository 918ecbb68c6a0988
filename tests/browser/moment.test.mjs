// A failure that lasts a moment takes nothing from a person: pages are fetched once more, and what was typed stays.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, ready, url, withApp } from "./app.mjs";

after(close);

test("pages whose fetch fails once are fetched again without being asked for", async () => {
  const expected = [/failed: .*-pages\.wasm net::ERR_FAILED/, /console: /];
  await withApp(
    async (page, context) => {
      let asked = 0;
      await context.route("**/web-*-pages.wasm", (route) => (asked++ === 0 ? route.abort() : route.continue()));
      await page.goto(`${url}/insights`);
      await page.getByRole("heading", { level: 1, name: "Insights" }).waitFor();
      assert.equal(asked, 2);
    },
    { intercepted: true, expected },
  );
});

test("the form that connects a server keeps what was typed while the state of syncing can't be read", async () => {
  await withApp(
    async (page, context) => {
      // After an import the engine can't tell how syncing stands, until that import is taken back.
      await context.route(/\/engine\/lessonloop(_relaxed)?\.js\?instance=0$/, async (route) => {
        const answer = await route.fetch();
        const body = `${await answer.text()}
          const handle = Engine.prototype.handle_text;
          let fails = false;
          Engine.prototype.handle_text = function (request) {
            if (request.method === "POST") fails = request.path === "/v1/import";
            if (fails && request.path === "/v1/sync") throw new Error("not now");
            return handle.call(this, request);
          };`;
        await route.fulfill({ response: answer, body });
      });
      // A stack of this machine fills the form, if it has one: here only the person does.
      await context.route("**/local-stack.json", (route) => route.fulfill({ status: 404 }));
      await page.goto(`${url}/settings`);
      await ready(page);
      await page.getByTestId("sync-open").click();
      await page.getByTestId("sync-url").fill("https://abc.supabase.co");
      await page.getByTestId("sync-email").fill("ada@example.org");
      await page.getByTestId("load-samples").click();
      await page.getByTestId("sync-card").getByTestId("error").filter({ hasText: "not now" }).waitFor();
      await page.getByTestId("import-undo").click();
      await page.getByTestId("sync-form").waitFor();
      assert.equal(await page.getByTestId("sync-url").inputValue(), "https://abc.supabase.co");
      assert.equal(await page.getByTestId("sync-email").inputValue(), "ada@example.org");
    },
    { intercepted: true, expected: [/console: Failed to load resource: .*404/] },
  );
});
