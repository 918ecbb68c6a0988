// A trap in the module: the host starts a fresh instance, and no stored event is lost.
import { after, test } from "node:test";
import { close, loadSamples, url, visit, withApp } from "./app.mjs";

after(close);

test("a trap restarts the engine and keeps what was stored", async () => {
  await withApp(
    async (page, context) => {
      // The first instance traps when it is asked to vote, as a panic in the module would.
      await context.route(/\/engine\/lessonloop(_relaxed)?\.js\?instance=0$/, async (route) => {
        const answer = await route.fetch();
        const body = `${await answer.text()}
          const handle = Engine.prototype.handle_text;
          Engine.prototype.handle_text = function (request) {
            if (request.path === "/v1/vote") throw new WebAssembly.RuntimeError("unreachable");
            return handle.call(this, request);
          };`;
        await route.fulfill({ response: answer, body });
      });
      await loadSamples(page);
      const slug = "pattern-row-policies-on-every-table";
      await page.goto(`${url}/lessons/${slug}`);
      await page.getByTestId("rate-helpful").click();
      await page.locator("[data-testid=history-event][data-event=Rated]").waitFor();

      await page.getByTestId("vote-up").click();
      await page.getByTestId("engine-restarted").waitFor();
      await page.locator("[data-testid=history-event][data-event=Rated]").waitFor();

      // The fresh instance takes the same request.
      await page.getByTestId("vote-up").click();
      await page.locator("[data-testid=history-event][data-event=Voted]").waitFor();
      await visit(page, "Lessons");
      await page.getByTestId("list-status").filter({ hasText: "85 lessons" }).waitFor();
    },
    { expected: [/unreachable/], intercepted: true },
  );
});
