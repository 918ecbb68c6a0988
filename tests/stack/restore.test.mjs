// A backup is put back: what it did not have is sent again, and nothing counts twice.
// Alone: a new epoch is everybody's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Devices, added, converged, helpful, person, rated } from "./device.mjs";
import { sql } from "./stack.mjs";

let devices;
let who;
before(async () => {
  devices = new Devices();
  who = await person();
});
after(() => devices.end());

/** Tables with rows of a space, all of which a backup has; users and members stay as they are. */
const TABLES = [
  "spaces",
  "actors",
  "events",
  "rejected_events",
  "lessons",
  "lesson_embeddings",
  "retrievals",
  "decisions",
  "recommendations",
  "settings",
  "tool_successes",
  "activity",
  "feedback_times",
  "lesson_events",
  "domain_bases",
];
const column = (table) => (table === "spaces" ? "id" : "space");

/** A copy of all rows of a space, as a backup would have them. */
function backUp(space) {
  sql(
    `set client_min_messages = warning; drop schema if exists backup cascade; create schema backup;
    ${TABLES.map((t) => `create table backup.${t} as select * from public.${t} where ${column(t)} = :'space';`).join("\n")}`,
    { space },
  );
}

/** Puts the copy back, as it was. */
function putBack(space) {
  sql(
    `set client_min_messages = warning; begin; set local session_replication_role = replica;
    ${TABLES.map((t) => `delete from public.${t} where ${column(t)} = :'space'; insert into public.${t} select * from backup.${t};`).join("\n")}
    commit; drop schema backup cascade;`,
    { space },
  );
}

test("a new epoch alone: everything is read and sent again, and changes nothing", async () => {
  const space = await who.space();
  const one = await devices.device("one");
  await one.append([...added(["a", "b"]), ...rated("a", 3)]);
  await one.connect(space);
  const two = await devices.device("two", space);
  await two.settle();
  await two.append(rated("b", 2));
  const before = await converged(space, [one, two]);
  const { epoch } = await one.state();
  assert(Number(sql("select lessonloop.new_epoch()")) > 0);
  assert.deepStrictEqual(await converged(space, [one, two]), before);
  assert.notEqual((await one.state()).epoch, epoch);
  assert.equal(Number(sql("select count(*) from public.events where space = :'space'", { space })), 7);
});

for (const [what, announce] of /** @type {any[][]} */ ([
  ["and a new epoch says so", () => sql("select lessonloop.new_epoch()")],
  ["and nobody says so, but its version is older", () => {}],
])) {
  test(`an older backup is put back, ${what}: devices send what it does not have`, async () => {
    const space = await who.space();
    const all = [];
    for (const name of ["writer", "reader", "away"]) all.push(await devices.device(`${name} ${what}`));
    const [writer, reader, away] = all;
    await writer.append([...added(["a", "b"]), ...rated("a", 3)]);
    for (const device of all) await device.connect(space);
    await away.append(rated("a", 1));
    await converged(space, all);
    backUp(space);
    await writer.append([...rated("a", 5), ...added(["after"]), ...rated("after", 2)]);
    await converged(space, all);
    await reader.append(rated("after", 4));
    await reader.settle();
    await writer.settle();
    await away.append(rated("b", 7)); // Not sent yet.
    putBack(space);
    announce();
    assert.equal((await who.pull(space)).lessons.length, 2, "the backup is older");
    // First the lesson that the reader rated; what is rated before its lesson is there would be set aside.
    await writer.settle();
    const wanted = await converged(space, all);
    const sum = (slug) => helpful(wanted, slug);
    assert.deepEqual([sum("a"), sum("b"), sum("after")], [3 + 1 + 5, 7, 2 + 4]);
    for (const device of all) assert.deepEqual((await device.state()).set_aside, [], device.name);
  });
}
