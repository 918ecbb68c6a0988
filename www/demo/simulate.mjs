// The demo's history: the sample lessons, with ninety days of runs, outcomes, ratings and edits that never took place.
// `node simulate.mjs ENGINE SAMPLES OUT` writes OUT/ledger.jsonl and OUT/vectors.json; the build runs it.
//
// The engine itself answers every request, under a clock and dice of its own, so that what the demo shows is what the
// product makes of such a history. Tasks are made of `tasks.json`: each is a kind of work with words that differ, and names
// the lessons that fit it, if any does. Agents apply a lesson where it fits, seldom elsewhere, and only where it fits does it
// do something: each lesson has a hidden lift there, mostly good, a quarter of them none. Runs of a domain go well so often
// without lessons; a part of the outcomes never comes, the others late. `story.json` sets the lifts of the lessons that the
// demo tells of: some that help, two that hurt, one that goes stale and is edited.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [engineDir, samplesDir, out] = process.argv.slice(2);
if (!out) throw new Error("usage: node simulate.mjs ENGINE SAMPLES OUT");

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 90;
/** When the history ends; whoever loads it moves it to their own time. */
const END = Date.parse("2026-01-01T00:00:00Z");
const START = END - DAYS * DAY;
/** Measuring is on from this day. */
const MEASURED_FROM = 12;
/** The share of outcomes that never come. */
const MISSING = 0.2;
const PLACES = 5;
/** Shares of runs in which agents apply a lesson that fits the task, and one of such relevance that does not. */
const APPLIED_FITTING = 0.9;
const APPLIED = { "very high": 0.6, high: 0.4, medium: 0.12, low: 0.02 };
/** The share of a lesson's lift that is left where it does not fit. */
const ELSEWHERE = 0.5;
/** Runs in which the same words are not used again. */
const APART = 400;

/** Dice that fall the same way each time (mulberry32). */
function dice(seed) {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    chance: (share) => roll() < share,
    between: (low, high) => low + (high - low) * roll(),
    below: (count) => Math.floor(roll() * count),
    bytes: (target) => {
      for (let at = 0; at < target.length; at += 1) target[at] = Math.floor(roll() * 256);
    },
  };
}

const luck = dice(20_260_101);
/** Apart, so that the world stays as it is when the engine asks for more or less randomness. */
const ids = dice(7);

let now = START;
const { default: init, Engine } = await import(pathToFileURL(join(engineDir, "lessonloop.js")).href);
await init({ module_or_path: await readFile(join(engineDir, "lessonloop_bg.wasm")) });
const options = { store: { kind: "memory" }, now: () => now, random: (bytes) => ids.bytes(bytes) };
const engine = await Engine.open(options);
const model = await engine.load_model(await readFile(join(engineDir, "minilm.pack")));

/** Authors of the events up to each position of the ledger. */
const authors = [];

/** One request by somebody; one that is refused ends the simulation. */
async function ask(by, method, path, body) {
  const { status, body: answer } = await engine.handle({ method, path, body });
  if (status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  await engine.flush();
  authors.push({ by, until: engine.position() });
  return answer;
}

const { words, tasks } = JSON.parse(await readFile(new URL("tasks.json", import.meta.url), "utf8"));
const story = JSON.parse(await readFile(new URL("story.json", import.meta.url), "utf8"));
const names = (await readdir(samplesDir)).filter((name) => name.endsWith(".md")).sort();

/** The real lift of each lesson where it fits and is applied; another one from the day of a turn in the story on. */
const lifts = new Map(Object.entries(story.lifts));
const liftOf = (slug) => {
  if (!lifts.has(slug)) lifts.set(slug, luck.chance(1 / 4) ? 0 : luck.between(-0.1, 0.45));
  const today = (now - START) / DAY;
  const turns = (story.turns[slug] ?? []).filter((turn) => turn.day <= today);
  return turns.at(-1)?.lift ?? lifts.get(slug);
};
/** True if it fits a task: those that fit every one do, too. */
const fitsIn = (task, slug) => story.everywhere.includes(slug) || task.fits?.includes(slug);
/** Its lift in a task. */
const liftIn = (task, slug) => liftOf(slug) * (fitsIn(task, slug) ? 1 : ELSEWHERE);

/** Subjects of each lesson, in a word or two: the keywords that its file names. */
const subjects = new Map();
for (const name of names) {
  const text = await readFile(join(samplesDir, name), "utf8");
  const found = [...text.split("\n---")[0].matchAll(/^ {4}- "(.+)"$/gm)].map(([, words]) => words);
  if (found.length > 0) subjects.set(name.replace(/\.md$/, ""), found);
}

/** Tasks of these fields, the frequent ones as often as they are. */
const ofFields = (fields) =>
  tasks
    .filter((task) => fields.includes(task.domain ?? task.project_type ?? ""))
    .flatMap((task) => Array(task.often ?? 1).fill(task));
/** A task as an agent writes it: what it is about in a word or two, as a lesson that fits has it, then what is to be done. */
function titled({ fits }, said) {
  const words = subjects.get(fits?.[luck.below(fits.length)]);
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  return words ? `${capital(words[luck.below(words.length)])}: ${said}` : capital(said);
}
const lately = [];
/** One of them in words that were not used lately, as far as there are others. */
function drawn(own) {
  for (let tries = 0; ; tries += 1) {
    const kind = own[luck.below(own.length)];
    const said = kind.task.replace(/\{(\w+)\}/g, (_, name) => words[name][luck.below(words[name].length)]);
    if (tries < 20 && lately.includes(said)) continue;
    lately.push(said);
    if (lately.length > APART) lately.shift();
    return { ...kind, task: titled(kind, said) };
  }
}
/** The share of runs that go well without a lesson, by domain or kind of project. */
const bases = new Map();
const baseOf = (task) => {
  const field = task.domain ?? task.project_type ?? "";
  if (!bases.has(field)) bases.set(field, luck.between(0.3, 0.5));
  return bases.get(field);
};

/** The acts to come, each with its time. */
const agenda = [];
const at = (time, act) => agenda.push({ time, order: agenda.length, act });
const day = (number, hour) => START + number * DAY + hour * HOUR;

/** The first lessons come in one by one, most of them in the first weeks. */
for (const [place, name] of names.entries()) {
  const early = place % 4 !== 3;
  const time = early ? day(0, 8) + place * 60_000 : day(luck.between(1, 45), luck.between(8, 18));
  at(time, async () => {
    const content = await readFile(join(samplesDir, name), "utf8");
    await ask(early ? story.people[0] : story.agents[place % 3].by, "POST", "/v1/import", {
      files: [{ path: name, content }],
    });
  });
  // A person reads most of them soon after.
  if (luck.chance(0.85)) {
    const slug = name.replace(/\.md$/, "");
    const reviewed = time + luck.between(0.3, 6) * DAY;
    if (reviewed < END - DAY) {
      const person = story.people[luck.below(story.people.length)];
      at(reviewed, () => ask(person, "POST", `/v1/lessons/${slug}/review`, { verdict: "approve" }));
    }
  }
}

for (const lesson of story.lessons) {
  at(day(lesson.day, 10), () => ask(lesson.by, "POST", "/v1/lessons", lesson.lesson));
}
for (const edit of story.edits) {
  at(day(edit.day, 11), async () => {
    const { rev } = await ask(edit.by, "GET", `/v1/lessons/${edit.slug}`);
    await ask(edit.by, "PATCH", `/v1/lessons/${edit.slug}`, { base_rev: rev, ...edit.changes });
    await ask(edit.by, "POST", `/v1/lessons/${edit.slug}/review`, { verdict: "approve" });
  });
}
for (const { day: number, by, slug } of story.archived) {
  at(day(number, 16), () => ask(by, "POST", `/v1/lessons/${slug}/archive`));
}
for (const [place, tool] of story.tools.entries()) {
  for (let number = place % 7; number < DAYS; number += 5 + (place % 4)) {
    if (luck.chance(0.6))
      at(day(number, luck.between(8, 19)), () =>
        ask(tool.by, "POST", "/v1/tools/success", { query: tool.query, server: tool.server }),
      );
  }
}
at(day(MEASURED_FROM, 9), () =>
  ask(story.people[0], "PATCH", "/v1/policy", { measure: { control_runs: 0.1, withhold: 0.2 } }),
);

/** One run of an agent: lessons, reasoning, what came of it, what was said of it. */
async function run(id, agent, task) {
  const { recommended } = await ask(agent.by, "POST", "/v1/recommend", {
    query: task.task,
    ...(task.domain && { domain: task.domain }),
    ...(task.project_type && { project_type: task.project_type }),
    decision_id: id,
    limit: PLACES,
  });
  const begun = now;
  const applied = recommended.filter(({ slug, relevance }, place) =>
    luck.chance(fitsIn(task, slug) ? APPLIED_FITTING : APPLIED[relevance] * (1 - 0.1 * place)),
  );
  const lift = applied.reduce((sum, { slug }) => sum + liftIn(task, slug), 0);
  const wentWell = luck.chance(Math.min(0.98, Math.max(0.02, baseOf(task) + lift)));
  if (recommended.length > 0) {
    at(begun + luck.between(0.05, 0.5) * HOUR, () =>
      ask(agent.by, "POST", "/v1/track", { decision_id: id, reasoning: reasoning(applied) }),
    );
  }
  if (luck.chance(MISSING)) return;
  const done = begun + luck.between(0.6, 9) * HOUR;
  if (done >= END) return;
  at(done, () => ask(agent.by, "POST", "/v1/outcome", outcome(id, task, wentWell)));
  if (applied.length > 0 && luck.chance(0.5)) {
    const causal = applied.filter(
      ({ slug }) => luck.chance(0.7) && (wentWell ? liftIn(task, slug) > 0 : liftIn(task, slug) < 0),
    );
    at(done + 60_000, () =>
      ask(agent.by, "POST", "/v1/feedback", {
        decision_id: id,
        lessons: recommended.map(({ slug }) => slug),
        causal: causal.map(({ slug }) => slug),
        outcome: wentWell ? "delivered" : "blocked",
      }),
    );
  }
  const [first] = applied;
  if (first && luck.chance(0.12)) {
    const person = story.people[luck.below(story.people.length)];
    const helpful = luck.chance(0.5 + 1.5 * liftIn(task, first.slug));
    at(done + 2 * HOUR, () => ask(person, "POST", "/v1/rate", { lesson: first.slug, helpful, decision_id: id }));
  }
}

const reasoning = (applied) =>
  applied.length === 0
    ? "None of the lessons fits here, so I went on with what the code itself says and ran the tests."
    : applied.map(({ slug, title }) => `Applying '${slug}': ${title.toLowerCase()}, as it fits this task.`).join("\n");

const outcome = (id, task, wentWell) => ({
  decision_id: id,
  outcome: wentWell ? "success" : "failure",
  ...(task.domain && { pnl_percent: Number((wentWell ? luck.between(0.3, 6) : -luck.between(0.3, 5)).toFixed(2)) }),
});

let runs = 0;
for (let number = 1; number < DAYS; number += 1) {
  const weekend = number % 7 === 5 || number % 7 === 6;
  // More agents use it as time goes on.
  const busy = (weekend ? 5 : 15) + Math.floor((number / DAYS) * 15);
  for (let nth = 0; nth < busy; nth += 1) {
    const agent = story.agents[luck.below(story.agents.length)];
    if (number >= (agent.until ?? DAYS)) continue;
    const task = drawn(ofFields(agent.fields));
    const id = `demo-${(runs += 1)}`;
    at(day(number, luck.between(7, 21)), () => run(id, agent, task));
  }
}

// Acts lead to later acts, so the next one is looked for each time.
while (agenda.length > 0) {
  let next = 0;
  for (let place = 1; place < agenda.length; place += 1) {
    const [a, b] = [agenda[place], agenda[next]];
    if (a.time < b.time || (a.time === b.time && a.order < b.order)) next = place;
  }
  const [{ time, act }] = agenda.splice(next, 1);
  if (time >= END) continue;
  now = Math.max(now, Math.floor(time));
  await act();
}
now = END;
await engine.idle();

/** The ledger's lines, each by who made it. */
const { body: ledger } = await engine.handle({ method: "GET", path: "/v1/export?format=jsonl" });
const [header, ...lines] = ledger.trimEnd().split("\n");
let author = 0;
const signed = lines.map((line, place) => {
  while (authors[author] && authors[author].until < place + 1) author += 1;
  return JSON.stringify({ ...JSON.parse(line), by: authors[author]?.by ?? "local" });
});
const text = `${[header, ...signed].join("\n")}\n`;

// A ledger that can't be read back is no demo; and a fresh engine says which texts need vectors.
const reader = await Engine.open(options);
const { body: imported } = await reader.handle({
  method: "POST",
  path: "/v1/import",
  body: { format: "jsonl", files: [{ path: "ledger.jsonl", content: text }] },
});
if (imported.rejected?.length !== 0)
  throw new Error(`the ledger is refused: ${JSON.stringify(imported.rejected?.slice(0, 3))}`);
reader.set_indexing(false);
await reader.load_model(await readFile(join(engineDir, "minilm.pack")));
// All texts are taken in the same turn, before the engine begins with them itself.
reader.set_indexing(true);
const wanted = reader.texts_to_index(names.length * 2);
const vectors = reader.embed(wanted.map(({ text: words }) => words));

await mkdir(out, { recursive: true });
await writeFile(join(out, "ledger.jsonl"), text);
await writeFile(
  join(out, "vectors.json"),
  JSON.stringify({
    model,
    end: new Date(END).toISOString(),
    hashes: wanted.map(({ hash }) => hash),
    vectors: Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength).toString("base64"),
  }),
);
const { body: lift } = await reader.handle({ method: "GET", path: "/v1/lift" });
const { body: queue } = await reader.handle({ method: "GET", path: "/v1/review" });
console.log(
  JSON.stringify({
    runs,
    events: lines.length,
    bytes: text.length,
    vectors: wanted.length,
    loop: lift.whole,
    counts: lift.counts,
    review: queue.total ?? queue.items?.length,
  }),
);
