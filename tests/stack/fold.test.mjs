// The fold in SQL against the core's: the same ledgers, equal to the bit, and the same events refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ledgers } from "./ledgers.mjs";
import { pullAll, sql, user } from "./stack.mjs";

const LEDGERS = 1001;
const SEED = 20261122;
const AT_ONCE = 4;

const bySlug = (a, b) => (a.slug < b.slug ? -1 : 1);
// Ids in the order of their bytes, as the core has them.
const bytes = (a, b) => Buffer.compare(Buffer.from(a.decision_id), Buffer.from(b.decision_id)) || a.position - b.position;
const without = (row, ...names) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

test(`${LEDGERS} random ledgers fold to the same bits as in the core`, async () => {
  const who = user();
  const kept = new Map();
  const seen = { events: 0, refused: 0, duplicates: 0, lessons: 0, recommendations: 0 };

  const hold = async (ledger, number) => {
    const space = await who.space(`ledger ${number}`);
    const refused = [];
    const sent = {};
    for (const { actor, events } of ledger.batches) {
      const answer = await who.pushText(space, actor, events);
      assert.equal(answer.status, "ok", JSON.stringify(answer));
      sent[actor] = answer.acked_seq;
      seen.duplicates += answer.duplicates;
      refused.push(...answer.rejected.map((one) => ({ actor, ...without(one, "reason") })));
      assert(answer.rejected.every((one) => one.reason.length > 10));
    }
    const place = `ledger ${number} of seed ${SEED}`;
    const byKeys = ({ actor, seq, op_id, field }) => ({ actor, seq, op_id, field });
    assert.deepStrictEqual(refused.map(byKeys), ledger.refused.map(byKeys), place);
    const held = await pullAll(who, space);
    assert.deepStrictEqual(
      held.lessons.map((row) => without(row, "version")).sort(bySlug),
      ledger.lessons,
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
    assert.deepStrictEqual(held.acked, sent, place);
    seen.refused += refused.length;
    seen.lessons += ledger.lessons.length;
    seen.recommendations += ledger.recommendations.length;
    seen.events += Object.values(sent).reduce((sum, n) => sum + n, 0);
    kept.set(space, { place, ...without(ledger, "batches") });
  };

  const all = ledgers(LEDGERS, SEED);
  let number = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (;;) {
      const { value, done } = await all.next();
      if (done) return;
      await hold(value, number++);
    }
  });
  await Promise.all(workers);
  assert.equal(kept.size, LEDGERS);

  // What is not pulled: the rest of the core's `Space`, for all ledgers at once.
  const rows = sql(
    `select json_build_array(s.id,
       (select coalesce(json_object_agg(x.actor, x.last), '{}') from (
          select e.actor, max(e.seq) as last from public.events e where e.space = s.id group by 1) x),
       (select coalesce(json_agg(json_build_array(a.day - date '1970-01-01', a.events) order by a.day), '[]')
          from public.activity a where a.space = s.id),
       (select coalesce(json_agg((extract(epoch from f.at) * 1000)::bigint order by f.version), '[]')
          from public.feedback_times f where f.space = s.id),
       (select coalesce(json_agg(json_build_object('decision_id', d.decision_id, 'outcome', d.outcome,
            'pnl_percent', d.pnl_percent) order by d.decision_id collate "C"), '[]')
          from public.decisions d where d.space = s.id))
     from public.spaces s join public.members m on m.space = s.id where m.user_id = :'id'`,
    { id: who.id },
  );
  for (const row of rows.split("\n")) {
    const [space, last_seq, activity, feedback_at, decisions] = JSON.parse(row);
    const wanted = kept.get(space);
    assert.deepStrictEqual(
      { last_seq, activity, feedback_at, decisions },
      {
        last_seq: wanted.last_seq,
        activity: wanted.activity,
        feedback_at: wanted.feedback_at,
        decisions: wanted.decisions,
      },
      wanted.place,
    );
  }
  console.log(seen);
  // The ledgers would prove little if most of their events were refused, or none.
  assert(seen.refused > 2000 && seen.refused < seen.events / 2, JSON.stringify(seen));
  assert(seen.duplicates > 500 && seen.recommendations > 2000, JSON.stringify(seen));
});
