// A full disk: nothing is half-imported, what was there stays, and it goes on once there is room.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, url, visit, withApp } from "./app.mjs";

after(close);

/** Words that no store can pack tightly, the same in each run. */
function words(seed, count) {
  let state = seed + 1;
  const next = (most) => (state = (state * 48_271) % 2_147_483_647) % most;
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + next(6) }, () => String.fromCharCode(97 + next(26))).join(""),
  ).join(" ");
}

test("a full disk refuses an import whole and says what to do", async () => {
  await withApp(
    async (page, context) => {
      // Set before the store is opened: the browser remembers for a while how much room there is.
      await page.goto(`${url}/icons/icon.svg`);
      const devtools = await context.newCDPSession(page);
      await devtools.send("Storage.overrideQuotaForOrigin", { origin: url, quotaSize: 3_000_000 });
      await loadSamples(page);

      await visit(page, "Settings");
      // A lesson has a bound of its own, so many fill the disk.
      const big = Array.from({ length: 400 }, (_, at) => ({
        name: `big-${at}.md`,
        mimeType: "text/markdown",
        buffer: Buffer.from(`# Big lesson ${at}\n\n${words(at, 2_200)}\n`),
      }));
      await page.getByTestId("import-files").setInputFiles(big);
      const report = page.getByTestId("import-report");
      await report.waitFor();
      await eventually(async () => assert.match(await report.textContent(), /full|room/i));
      await eventually(async () => assert.equal(await page.getByTestId("import-added").textContent(), "0"));
      await visit(page, "Lessons");
      await page.getByTestId("search-input").fill("Big lesson");
      await page.getByTestId("list-status").waitFor();
      await eventually(async () =>
        assert.equal(await page.locator('[data-testid=lesson-row][data-slug^="big-"]').count(), 0),
      );

      // A file that fits is still taken.
      await visit(page, "Settings");
      await page
        .getByTestId("import-files")
        .setInputFiles({ name: "small.md", mimeType: "text/markdown", buffer: Buffer.from("# Small\n\nShort.\n") });
      await page.getByTestId("import-added").filter({ hasText: "1" }).waitFor();
      // Beside the bare icon of the first step the browser asks for a favicon, which there is none of.
    },
    { expected: [/404 \(Not Found\)/] },
  );
});
