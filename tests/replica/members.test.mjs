// Members of a space in the built app: an owner invites, names and removes; who is invited joins with the code; and what
// others did is told by their names.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, url, visit, withApp } from "../browser/app.mjs";
import { author, env, lesson, url as server, user } from "../stack/stack.mjs";
import { fillPerson, signIn } from "./sign_in.mjs";

after(close);

const expected = [new RegExp(`^request to another host: ${server}$`)];
const walk = (work) => withApp(work, { expected });
const synced = (page) => page.locator("[data-testid=sync-state][data-phase=idle]").waitFor();
const member = (page, name) => page.getByTestId("member").filter({ hasText: name });

test("an owner invites somebody, sees by name what they did, changes their role and removes them", async () => {
  await walk(async (page) => {
    await page.goto(`${url}/settings`);
    await page.getByTestId("members").filter({ hasText: "Just you, on this device" }).waitFor();
    await signIn(page);
    const fresh = page.getByTestId("sync-space-new");
    if (await fresh.count()) await fresh.check();
    await page.getByLabel("Name of the new space").fill("Members");
    await page.getByTestId("sync-submit").click();
    await page.getByTestId("sync-now").waitFor();
    await synced(page);
    const own = member(page, env("LESSONLOOP_STACK_EMAIL"));
    await own.filter({ hasText: "(you)" }).waitFor();
    assert.equal(await own.getAttribute("data-role"), "Owner");
    // The last owner stays one, and is told so.
    await own.getByTestId("member-role").click();
    await own.getByTestId("error").filter({ hasText: "at least one owner" }).waitFor();

    await page.getByTestId("invite-name").fill("Ben");
    await page.getByTestId("invite-submit").dblclick();
    const code = await page.getByTestId("invite-code").textContent();
    assert.match(code, /^lli_[0-9a-f]{64}$/);
    await eventually(async () => assert.equal(await page.getByTestId("invite").count(), 1));
    // It stays when the members are read again, until it is put away; no other invitation takes its place meanwhile.
    assert.equal(await page.getByTestId("invite-code").textContent(), code);
    assert.equal(await page.getByTestId("invite-form").count(), 0);
    await page.getByTestId("invite-done").click();
    await page.getByTestId("invite-form").waitFor();
    assert.equal(await page.getByTestId("invite-code").count(), 0);
    const ben = user();
    const { id: space } = await ben.call("accept_invite", { p_code: code });
    const by = author();
    await ben.push(space, by.actor, [by.event("LessonAdded", lesson("of-ben"))]);

    await page.reload();
    await member(page, "Ben").waitFor();
    assert.equal(await page.getByTestId("invite").count(), 0);
    assert.equal(await page.getByTestId("invite-code").count(), 0, "the code is shown once");
    await page.getByTestId("sync-now").click();
    await synced(page);
    await page.goto(`${url}/lessons/of-ben`);
    const added = page.locator("[data-testid=history-event][data-event=LessonAdded]");
    await added.filter({ hasText: "by Ben" }).waitFor();

    await visit(page, "Settings");
    await own.getByTestId("member-rename").click();
    await page.getByTestId("member-name").fill("Ada Lovelace");
    await page.keyboard.press("Control+Enter");
    await member(page, "Ada Lovelace").waitFor();
    await member(page, "Ben").getByTestId("member-role").click();
    await page.locator("[data-testid=member][data-role=Owner]").filter({ hasText: "Ben" }).waitFor();
    await member(page, "Ben").getByTestId("member-remove").click();
    await page.getByTestId("remove-confirm").click();
    await member(page, "Ben").waitFor({ state: "detached" });
    assert.equal((await ben.rpc("list_members", { p_space: space })).status, 404);
  });
});

test("who is invited joins the space with the code, and an invalid one says so", async () => {
  const ada = user();
  const space = await ada.space("Ada's own");
  const by = author();
  await ada.push(space, by.actor, [by.event("LessonAdded", lesson("of-ada"))]);
  const made = await ada.call("invite_member", { p_space: space, p_name: "Guest", p_role: "member" });
  await walk(async (page) => {
    await page.goto(`${url}/settings#sync`);
    await fillPerson(page);
    await page.getByTestId("sync-invite").fill(`lli_${"0".repeat(64)}`);
    await page.getByTestId("sync-submit").click();
    await page.getByText("the invitation is invalid or has expired").first().waitFor();
    await page.getByTestId("sync-invite").fill(` ${made.code} `);
    await page.getByTestId("sync-submit").click();
    await page.getByTestId("sync-now").waitFor();
    await synced(page);
    await member(page, "Guest").filter({ hasText: "(you)" }).waitFor();
    assert.equal(await page.getByTestId("invite-form").count(), 0, "a member invites nobody");
    await page.goto(`${url}/lessons/of-ada`);
    await page.getByTestId("lesson-slug").filter({ hasText: "of-ada" }).waitFor();
    // And leaves again.
    await visit(page, "Settings");
    await member(page, "Guest").getByTestId("member-remove").click();
    await page.getByTestId("remove-confirm").click();
    await eventually(async () =>
      assert.deepEqual(
        (await ada.call("list_members", { p_space: space })).members.map(({ id }) => id),
        [ada.id],
      ),
    );
  });
});
