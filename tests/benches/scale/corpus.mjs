// A large space made of a seed: varied texts about some thousand topics, written straight into the tables of the local
// stack, as events of a million lessons would take an hour. Texts are of the sample lessons' words, as common as words are,
// and of words of their topic, which few lessons share. A topic's lessons have vectors near each other.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { env, sql } from "../../stack/stack.mjs";
import { WORDS, ranked } from "../corpus.mjs";
import { dice } from "./dice.mjs";

const VOCABULARY = ranked();
const SYLLABLES = "ba co de fi gu ha jo ke li mu na po qui re so ta ve wo xa zi bra cle dro fle gri".split(" ");
/** Lessons to a topic. */
const IN_TOPIC = 25;
const TECHS = "rust react postgres redis kafka python go terraform kubernetes wasm".split(" ");
const DOMAINS = ["", "", "", "perps", "spot", "billing", "search", "mobile"];
const CATEGORIES = "architecture workflow security performance testing tooling communication domain".split(" ");
export const DIMS = 384;

const pick = (from, roll) => from[Math.floor(roll() * from.length)];
const common = (count, roll) =>
  Array.from({ length: count }, () => VOCABULARY[Math.floor(VOCABULARY.length ** roll()) - 1] ?? WORDS[0]);

/** The words of a topic, which hardly another one has. */
function topicWords(topic) {
  const roll = dice(topic * 7 + 1);
  return Array.from({ length: 6 }, () =>
    Array.from({ length: 3 + Math.floor(roll() * 2) }, () => pick(SYLLABLES, roll)).join(""),
  );
}

const mixed = (count, own, share, roll) =>
  common(count, roll)
    .map((word) => (roll() < share ? pick(own, roll) : word))
    .join(" ");

/** The lesson of a number. */
export function record(at) {
  const roll = dice(at + 1);
  const own = topicWords(Math.floor(at / IN_TOPIC));
  return {
    slug: `${roll() < 0.1 ? "warning" : "pattern"}-scale-${at}`,
    title: mixed(6, own, 0.4, roll),
    description: mixed(14, own, 0.2, roll),
    context: mixed(8, own, 0.1, roll),
    recommendation: mixed(50, own, 0.08, roll),
    category: pick(CATEGORIES, roll),
    domain: pick(DOMAINS, roll),
    tech_stacks: roll() < 0.5 ? [pick(TECHS, roll)] : [],
    project_types: roll() < 0.3 ? ["web-app"] : [],
    tags: [pick(own, roll)],
    confidence: 0.3 + 0.6 * roll(),
    effectiveness: 0.2 + 0.7 * roll(),
    use_count: Math.floor(roll() * 10),
  };
}

/** A situation about a topic that a space of so many lessons has: twelve words. */
export function situation(seed, count) {
  const roll = dice(seed * 31 + 5);
  const topic = Math.floor((roll() * count) / IN_TOPIC);
  return [...Array.from({ length: 3 }, () => pick(topicWords(topic), roll)), ...common(9, roll)].join(" ");
}

/** Returns the text of a lesson that a model embeds, as the core and the fold have it. */
export const embedded = ({ title, description, recommendation }) =>
  [title, description, recommendation].filter((part) => part !== "").join("\n");

const hash = (text) => createHash("sha256").update(text).digest("hex");
const array = (list) => `{${list.map((word) => `"${word}"`).join(",")}}`;

/** A vector of 384 signed bytes near to another one. */
function near(bytes, amount, roll) {
  const out = Buffer.alloc(DIMS);
  for (let i = 0; i < DIMS; i++) {
    const noise = (roll() + roll() + roll() - 1.5) * amount;
    out.writeInt8(Math.max(-127, Math.min(127, Math.round(bytes.readInt8(i) + noise))), i);
  }
  return out;
}

/** A vector of a topic where no model has made one. */
function ofTopic(topic) {
  const roll = dice(topic * 13 + 3);
  const out = Buffer.alloc(DIMS);
  for (let i = 0; i < DIMS; i++) out.writeInt8(Math.round((roll() + roll() + roll() - 1.5) * 60), i);
  return out;
}

/** Rows into a table, by COPY as the superuser. */
async function copy(into, rows) {
  const psql = spawn(
    env("LESSONLOOP_STACK_PSQL"),
    ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", `copy ${into} from stdin`],
    {
      stdio: ["pipe", "inherit", "inherit"],
    },
  );
  const ended = once(psql, "exit");
  for (const row of rows) {
    if (!psql.stdin.write(`${row}\n`)) await once(psql.stdin, "drain");
  }
  psql.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`COPY ${into} failed`);
}

/**
 * Writes lessons `from` to `to` of a space, with vectors: of `modelled`, by number, where there is one, with noise around those
 * for the rest; around a vector of the topic where there is none.
 *
 * @param {string} space
 * @param {{from?: number, to: number, model?: string, modelled?: Buffer[]}} options
 */
export async function fill(space, { from = 0, to, model = "scale", modelled = [] }) {
  const at = "2026-11-01T00:00:00Z";
  // Each row has a version of its own, after those that the space has given.
  const base = Number(sql("select version from spaces where id = :'space'", { space }));
  const lessons = function* () {
    for (let n = from; n < to; n++) {
      const l = record(n);
      const text = [l.title, l.description, l.context, l.recommendation].join("\t");
      const lists = [l.project_types, l.tech_stacks, l.tags].map(array).join("\t");
      const standing = `${l.confidence}\t1\t0\t0\t0\t0\t0\t${l.effectiveness}\t${l.use_count}\t${Math.floor(l.use_count / 2)}\t0\t0\t0\tf`;
      yield `${space}\t${l.slug}\t${text}\t${l.category}\t${l.domain}\t${lists}\t${standing}\tscale\tapproved\t{}\tf\t1\t${at}\t${at}\t${hash(embedded(l))}\t${base + n - from + 1}`;
    }
  };
  await copy(
    `lessons (space, slug, title, description, context, recommendation, category, domain, project_types, tech_stacks, tags,
      confidence, frequency, upvotes, downvotes, times_surfaced, times_helpful, times_not_helpful, effectiveness, use_count, causal_hits,
      times_applied, success_count, consecutive_failures, proven_effective, source, trust, findings, archived, rev,
      created_at, updated_at, embedded_hash, version)`,
    lessons(),
  );
  const vectors = function* () {
    for (let n = from; n < to; n++) {
      const l = record(n);
      const roll = dice(n * 17 + 11);
      const of = modelled.length > 0 ? modelled[n % modelled.length] : ofTopic(Math.floor(n / IN_TOPIC));
      const bytes = n < modelled.length ? of : near(of, modelled.length > 0 ? 24 : 40, roll);
      const numbers = `[${Array.from({ length: DIMS }, (_, i) => bytes.readInt8(i)).join(",")}]`;
      yield `${space}\t${l.slug}\t${model}\t${hash(embedded(l))}\t${numbers}\t\\\\x${bytes.toString("hex")}`;
    }
  };
  await copy("lesson_embeddings (space, slug, model, content_hash, embedding, packed)", vectors());
  sql("update spaces set embedding_model = :'model', version = version + :'many' where id = :'space'", {
    model,
    space,
    many: String(to - from),
  });
}
