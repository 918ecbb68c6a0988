// Taking back on a lesson's page what can be taken back.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, ready, url, withApp } from "./app.mjs";

after(close);

async function open(page) {
  await page.goto(`${url}/lessons/new`);
  await ready(page);
  await page.getByTestId("lesson-title").fill("Pin the toolchain");
  await page.getByTestId("lesson-recommendation").fill("Builds differ otherwise.");
  // Ctrl+Enter sends it.
  await page.keyboard.press("Control+Enter");
  await page.getByTestId("lesson-slug").waitFor();
}

const undo = (page, said) => page.getByTestId("toast").filter({ hasText: said }).getByTestId("toast-act").click();

test("archive, approval and quarantine are taken back from the message that tells them", async () => {
  await withApp(async (page) => {
    await open(page);
    await page.getByTestId("archive").click();
    await page.getByTestId("archived").waitFor();
    await undo(page, "Archived");
    await page.getByTestId("archived").waitFor({ state: "detached" });

    await page.getByTestId("approve").click();
    await page.getByTestId("approve").waitFor({ state: "detached" });
    await undo(page, "Approved");
    await page.getByTestId("approve").waitFor();

    await page.getByTestId("quarantine").click();
    await page.getByTestId("findings").filter({ hasText: "Held back" }).waitFor();
    await undo(page, "Quarantined");
    await page.getByTestId("findings").waitFor({ state: "detached" });
  });
});

test("an edit is taken back with the approval that it took away", async () => {
  await withApp(async (page) => {
    await open(page);
    await page.getByTestId("approve").click();
    await page.getByTestId("approve").waitFor({ state: "detached" });
    await page.getByTestId("edit").click();
    await page.getByTestId("lesson-title").fill("Pin every toolchain");
    await page.getByTestId("save-edit").click();
    await page.getByRole("heading", { level: 1, name: "Pin every toolchain" }).waitFor();
    await page.getByTestId("approve").waitFor();
    await undo(page, "Saved");
    await page.getByRole("heading", { level: 1, name: "Pin the toolchain" }).waitFor();
    await page.getByTestId("approve").waitFor({ state: "detached" });
    // Every text is in the history.
    await page.getByTestId("lesson-tab-revisions").click();
    await eventually(async () => assert.equal(await page.getByTestId("revision").count(), 3));
  });
});
