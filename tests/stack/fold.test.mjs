// The fold in SQL against the core's: the same ledgers, equal to the bit, and the same events refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lines } from "./ledgers.mjs";
import { agent, pullAll, sql, user } from "./stack.mjs";

// `SEEDS` makes it fewer, as it does in the simulator of syncing.
const LEDGERS = Number(process.env.SEEDS ?? 1001);
const SEED = 20261122;
const AT_ONCE = 4;

const bySlug = (a, b) => (a.slug < b.slug ? -1 : 1);
// Ids in the order of their bytes, as the core has them.
const bytes = (a, b) =>
  Buffer.compare(Buffer.from(a.decision_id), Buffer.from(b.decision_id)) || a.position - b.position;
const without = (row, ...names) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

// The lift of a lesson that nothing was seen of.
const unseen = { lift_mean: 0.03, lift_variance: 0.0144, lift_at: null };
// Everything is in a row that is pulled; what the core leaves out when it is nothing, the server says.
const lessonRow = (row) => ({
  by: "",
  trial_from: 0,
  approved_by_agent: false,
  counted_on: {},
  proposals: [],
  text_at: null,
  extra: "",
  ...unseen,
  ...row,
  pending_standing: row.pending_standing ? { trial_from: 0, ...unseen, ...row.pending_standing } : null,
});

/** Spaces with two members and two keys. */
function spaces(count, ada, ben) {
  const made = sql(
    `with s as (insert into public.spaces (name) select 'ledger ' || n from generate_series(1, :count) n returning id),
       m as (insert into public.members (space, user_id) select s.id, u from s, unnest(array[:'ada', :'ben']::uuid[]) u),
       k as (insert into public.agent_keys (space, name, key_hash)
         select s.id, n, sha256(convert_to(s.id || n, 'UTF8'))
         from s, unnest(array['one', 'two']) n returning space, name, id)
     select json_agg(x) from (
       select space as id, min(id::text) filter (where name = 'one') as one, min(id::text) filter (where name = 'two') as two
       from k group by space) x`,
    { count, ada: ada.id, ben: ben.id },
  );
  return JSON.parse(made);
}

test(`${LEDGERS} random ledgers fold to the same bits as in the core`, async () => {
  const [ada, ben] = [user(), user()];
  const all = spaces(LEDGERS, ada, ben);
  const kept = new Map();
  const seen = {
    events: 0,
    refused: 0,
    duplicates: 0,
    lessons: 0,
    recommendations: 0,
    decisions: 0,
    early: 0,
    measured: 0,
    texts: 0,
    feedback: 0,
    opinions: 0,
    settings: 0,
    trials: 0,
    lifts: 0,
    taught: 0,
    conflicts: 0,
    agents: 0,
    shared: 0,
    waiting: 0,
    released: 0,
    days: 0,
    unvouched: 0,
    proposals: 0,
    refolds: 0,
  };

  const hold = async (line, number) => {
    const { id: space, ...keys } = all[number];
    // Ids in the place of names, in the text: reading it would lose the sign of a zero.
    const names = {
      "person:ada": ada.id,
      "person:ben": ben.id,
      "agent:one": keys.one,
      "agent:two": keys.two,
      "agent:foreign": all[(number + 1) % LEDGERS].one,
    };
    const ledger = JSON.parse(
      line.replace(/\b(person|agent):(ada|ben|one|two|foreign)\b/g, (name, kind) => `${kind}:${names[name]}`),
    );
    const callers = { phone: ada, läptop: ben, isolate: agent(`${space}one`, `${space}two`) };
    const refused = [];
    const sent = {};
    for (const { actor, events } of ledger.batches) {
      const answer = await callers[actor].pushText(space, actor, events);
      assert.equal(answer.status, "ok", JSON.stringify(answer));
      sent[actor] = answer.acked_seq;
      seen.duplicates += answer.duplicates;
      refused.push(...answer.rejected.map((one) => ({ actor, ...without(one, "reason") })));
      assert(answer.rejected.every((one) => one.reason.length > 10));
    }
    const place = `ledger ${number} of seed ${SEED}`;
    const byKeys = ({ actor, seq, op_id, field }) => ({ actor, seq, op_id, field });
    assert.deepStrictEqual(refused.map(byKeys), ledger.refused.map(byKeys), place);
    const held = await pullAll(ada, space);
    assert.deepStrictEqual(
      held.lessons.map((row) => without(row, "version")).sort(bySlug),
      ledger.lessons.map(lessonRow),
      place,
    );
    assert.deepStrictEqual(held.decisions.map((row) => without(row, "version")).sort(bytes), ledger.decisions, place);
    assert.deepStrictEqual(
      Object.fromEntries(held.settings.filter((row) => row.value !== null).map((row) => [row.name, row.value])),
      ledger.settings,
      place,
    );
    assert.deepStrictEqual(
      held.recommendations.map((row) => without(row, "version")).sort(bytes),
      ledger.recommendations.map((row) => ({ ...row })),
      place,
    );
    assert.deepStrictEqual(
      held.tools
        .filter((row) => !row.dropped)
        .sort((a, b) => a.position - b.position)
        .map((row) => without(row, "version", "position", "dropped")),
      ledger.tools,
      place,
    );
    assert.deepStrictEqual(
      Object.fromEntries(held.bases.map(({ domain, version, ...base }) => [domain, base])),
      ledger.bases,
      place,
    );
    assert.deepStrictEqual(held.agents.at(-1)?.keys ?? [], ledger.agents, place);
    assert.deepStrictEqual(held.agents.at(-1)?.withdrawn ?? {}, ledger.withdrawn, place);
    const { acked_seq } = await ben.pull(space, held.cursor);
    const { isolate, ...own } = sent;
    assert.deepStrictEqual({ ...held.acked, ...acked_seq }, own, place);
    seen.refused += refused.length;
    seen.lessons += ledger.lessons.length;
    seen.recommendations += ledger.recommendations.length;
    seen.decisions += ledger.decisions.length;
    seen.early += ledger.decisions.filter((row) => row.at === null).length;
    seen.measured += ledger.decisions.filter((row) => row.measured !== null).length;
    seen.texts += ledger.lessons.filter((row) => row.text_at).length;
    seen.feedback += ledger.decisions.flatMap((row) => row.feedback).length;
    seen.opinions += ledger.decisions.flatMap((row) => row.opinions).length;
    seen.agents += ledger.decisions.filter((row) => row.by.startsWith("agent:")).length;
    seen.settings += held.settings.length;
    seen.shared += ledger.agents.length === 2 ? 1 : 0;
    seen.waiting += ledger.lessons.filter((row) => row.pending_standing).length;
    seen.released += ledger.released;
    seen.days += ledger.lessons.filter((row) => row.counted_on).length;
    seen.unvouched += ledger.lessons.filter((row) => row.approved_by_agent).length;
    seen.lifts += ledger.lessons.filter((row) => row.lift_at).length;
    seen.taught += ledger.decisions.filter((row) => row.taught).length;
    seen.proposals += ledger.lessons.flatMap((row) => row.proposals ?? []).length;
    seen.refolds += ledger.refolds;
    seen.trials += ledger.lessons.filter((row) => row.trial_from > 0).length;
    seen.conflicts += refused.filter((row) => row.field === "request").length;
    seen.events += Object.values(sent).reduce((sum, n) => sum + n, 0);
    kept.set(space, { place, ...without(ledger, "batches") });
  };

  const written = lines(LEDGERS, SEED);
  let number = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (;;) {
      const { value, done } = await written.next();
      if (done) return;
      await hold(value, number++);
    }
  });
  await Promise.all(workers);
  assert.equal(kept.size, LEDGERS);

  // The parts that are not pulled: the rest of the core's `Space`, for all ledgers at once.
  const rows = sql(
    `select json_build_array(s.id,
       (select coalesce(json_object_agg(x.actor, x.last), '{}') from (
          select e.actor, max(e.seq) as last from public.events e where e.space = s.id group by 1) x),
       (select coalesce(json_agg(json_build_array(a.day - date '1970-01-01', a.events) order by a.day), '[]')
          from public.activity a where a.space = s.id),
       (select coalesce(json_agg((extract(epoch from f.at) * 1000)::bigint order by f.version), '[]')
          from public.feedback_times f where f.space = s.id))
     from public.spaces s join public.members m on m.space = s.id where m.user_id = :'id'`,
    { id: ada.id },
  );
  for (const row of rows.split("\n")) {
    const [space, last_seq, activity, feedback_at] = JSON.parse(row);
    const wanted = kept.get(space);
    assert.deepStrictEqual(
      { last_seq, activity, feedback_at },
      {
        last_seq: wanted.last_seq,
        activity: wanted.activity,
        feedback_at: wanted.feedback_at,
      },
      wanted.place,
    );
  }
  console.log(seen);
  // The ledgers would prove little if most of their events were refused, or none.
  assert(seen.refused < seen.events / 2, JSON.stringify(seen));
  // Of a thousand ledgers; fewer differ more.
  const share = LEDGERS < 1000 ? (0.8 * LEDGERS) / 1000 : 1;
  const least = {
    refused: 2000,
    duplicates: 500,
    recommendations: 1500,
    decisions: 1000,
    early: 200,
    measured: 200,
    texts: 200,
    feedback: 200,
    opinions: 500,
    settings: 200,
    trials: 500,
    lifts: 1000,
    taught: 500,
    conflicts: 100,
    agents: 80,
    shared: 500,
    waiting: 30,
    released: 50,
    days: 200,
    unvouched: 15,
    proposals: 200,
    refolds: 200,
  };
  for (const [name, many] of Object.entries(least))
    assert(seen[name] > many * share, `${name}: ${JSON.stringify(seen)}`);
});
