// Members of a space: who may see, invite, change and remove whom.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { beforeEach, test } from "node:test";
import { author, edge, lesson, sql, user } from "./stack.mjs";

let ada, ben, eve, space;
beforeEach(async () => {
  [ada, ben, eve] = [user(), user(), user()];
  space = await ada.space("Team");
});

const invite = (who, name = "Ben", role = "member") =>
  who.rpc("invite_member", { p_space: space, p_name: name, p_role: role });
const list = (who) => who.call("list_members", { p_space: space });
const change = (who, whom, changes) => who.rpc("change_member", { p_space: space, p_user: whom.id, ...changes });
const remove = (who, whom) => who.rpc("remove_member", { p_space: space, p_user: whom.id });
const roles = async (who) => (await list(who)).members.map(({ id, role }) => [id, role]);

/** Takes `who` into the space. */
async function join(who, role = "member") {
  const { body } = await invite(ada, "Somebody", role);
  await who.call("accept_invite", { p_code: body.code });
}

test("who makes a space owns it; an invitation brings one person in, with name and role, and is over then", async () => {
  assert.deepEqual(await roles(ada), [[ada.id, "owner"]]);
  const { status, body } = await invite(ada, "  Ben B.  ");
  assert.equal(status, 200);
  assert.match(body.code, /^lli_[0-9a-f]{64}$/);
  const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days <= 7.01, `${days} days`);
  const { invites } = await list(ada);
  assert.deepEqual(
    invites.map(({ id, name, role }) => [id, name, role]),
    [[body.id, "Ben B.", "member"]],
  );
  assert.equal(JSON.stringify(invites).includes(body.code), false, "the code is told once");
  assert.deepEqual(await ben.call("accept_invite", { p_code: body.code }), { id: space, name: "Team" });
  assert.deepEqual(await roles(ben), [
    [ada.id, "owner"],
    [ben.id, "member"],
  ]);
  assert.equal((await list(ben)).members[1].name, "Ben B.");
  assert.equal((await eve.rpc("accept_invite", { p_code: body.code })).status, 404, "for one person");
  // A member may write to the space.
  const by = author();
  assert.equal((await ben.push(space, by.actor, [by.event("LessonAdded", lesson("a"))])).rejected.length, 0);
});

test("an invitation that is over, revoked, made up or of nobody does not hold, and one's own is not spent", async () => {
  const { body: late } = await invite(ada);
  sql("update lessonloop.invites set expires_at = now() - interval '1 second' where id = :'id'", { id: late.id });
  const { body: back } = await invite(ada, "Eve");
  assert.equal(await ada.call("revoke_invite", { p_space: space, p_invite: back.id }), true);
  assert.equal(await ada.call("revoke_invite", { p_space: space, p_invite: back.id }), false);
  for (const p_code of [late.code, back.code, `lli_${"0".repeat(64)}`, "", null]) {
    const { status } = await ben.rpc("accept_invite", { p_code });
    assert.equal(status, 404, String(p_code));
  }
  const { body: own } = await invite(ada);
  await ada.call("accept_invite", { p_code: own.code });
  assert.deepEqual(await roles(ada), [[ada.id, "owner"]], "an owner stays one");
  await ben.call("accept_invite", { p_code: own.code });
  const { status } = await edge(space).rpc("accept_invite", { p_code: own.code });
  assert.equal(status, 401, "no agent becomes a member");
});

test("members see who is there and no invitations; strangers see nothing; only owners manage", async () => {
  await join(ben);
  await invite(ada, "Eve");
  assert.deepEqual((await list(ben)).invites, []);
  /** @type {[() => Promise<any>, number][]} */
  const refused = [
    [() => invite(ben), 403],
    [() => ben.rpc("revoke_invite", { p_space: space, p_invite: randomUUID() }), 403],
    [() => change(ben, ada, { p_role: "member" }), 403],
    [() => change(ben, ada, { p_name: "X" }), 403],
    [() => change(ben, ben, { p_role: "owner" }), 403],
    [() => remove(ben, ada), 403],
    [() => eve.rpc("list_members", { p_space: space }), 404],
    [() => invite(eve), 404],
    [() => change(eve, eve, { p_name: "X" }), 404],
    [() => remove(eve, ada), 404],
    [() => remove(eve, eve), 404],
    [() => invite(ada, " "), 400],
    [() => invite(ada, "a\nb"), 400],
    [() => invite(ada, "Ben", "king"), 400],
    [() => change(ada, eve, { p_name: "X" }), 404],
  ];
  for (const [call, expected] of refused) {
    const { status, body } = await call();
    assert.equal(status, expected, `${call}: ${JSON.stringify(body)}`);
  }
  assert.deepEqual(await roles(ada), [
    [ada.id, "owner"],
    [ben.id, "member"],
  ]);
});

test("everybody names themself, owners change roles, and a space keeps an owner", async () => {
  await join(ben);
  assert.equal((await change(ben, ben, { p_name: " Benjamin " })).body.members[1].name, "Benjamin");
  for (const call of [() => change(ada, ada, { p_role: "member" }), () => remove(ada, ada)]) {
    const { status, body } = await call();
    assert.equal(status, 409);
    assert.match(body.message, /at least one owner/);
  }
  assert.equal((await change(ada, ben, { p_role: "owner" })).body.members[1].role, "owner");
  assert.equal((await change(ben, ada, { p_role: "member" })).status, 200);
  assert.equal((await invite(ada)).status, 403);
  assert.equal((await ada.rpc("delete_space", { p_space: space, p_name: "Team" })).status, 403);
  assert.equal((await ben.rpc("delete_space", { p_space: space, p_name: "Team" })).body.deleted, false);
});

test("two owners that step down at once leave one", async () => {
  await join(ben, "owner");
  const answers = await Promise.all([change(ada, ada, { p_role: "member" }), change(ben, ben, { p_role: "member" })]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  assert.equal((await roles(ada)).filter(([, role]) => role === "owner").length, 1);
});

test("who is removed or leaves sees nothing any more; what they did stays", async () => {
  await join(ben);
  await join(eve);
  const by = author();
  await ben.push(space, by.actor, [by.event("LessonAdded", lesson("a"))]);
  assert.deepEqual((await remove(ada, ben)).body, true);
  assert.deepEqual((await remove(ada, ben)).body, false);
  assert.deepEqual((await remove(eve, eve)).body, true);
  for (const gone of [ben, eve]) {
    assert.equal((await gone.rpc("list_members", { p_space: space })).status, 404);
    assert.deepEqual((await gone.get(`/lessons?space=eq.${space}`)).body, []);
  }
  assert.equal((await ada.get(`/lessons?space=eq.${space}`)).body.length, 1);
});

test("a space whose owner's account is gone falls to who has been in it longest", async () => {
  await join(ben);
  await join(eve);
  sql("delete from auth.users where id = :'id'", { id: ada.id });
  assert.deepEqual(await roles(ben), [
    [ben.id, "owner"],
    [eve.id, "member"],
  ]);
  assert.equal((await invite(ben)).status, 200);
  assert.equal((await invite(eve)).status, 403);
});
