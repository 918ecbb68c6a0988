// The first step of connecting the app to the stack, in Settings: who one is. What follows is the choice of a space.
import assert from "node:assert/strict";
import { eventually } from "../browser/app.mjs";
import { env, key, url as server } from "../stack/stack.mjs";

/** Opens the form and fills in the stack's address and user. */
export async function fillPerson(page) {
  await page.getByTestId("sync-open").click();
  // The page fills the form with the stack of this machine as soon as it knows of it: not between two keys of ours.
  await eventually(async () => assert.equal(await page.getByLabel("Project URL").inputValue(), server));
  await page.getByLabel("Project URL").fill(server);
  await page.getByLabel("Publishable key").fill(key);
  await page.getByLabel("E-mail").fill(env("LESSONLOOP_STACK_EMAIL"));
  await page.getByLabel("Password").fill(env("LESSONLOOP_STACK_PASSWORD"));
}

/** Signs in as the stack's user, and waits until the spaces are there to choose from. */
export async function signIn(page) {
  await fillPerson(page);
  await page.getByTestId("sync-submit").click();
  await page.getByTestId("sync-submit").filter({ hasText: "Connect" }).waitFor();
}
