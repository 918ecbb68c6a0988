// The imports of a store, the latest first, each with its undo and redo. They are kept beside this user's record of the store,
// so that no repository brings any. `web/src/features/settings/import_log.rs` does the same in a browser.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./files.mjs";
import { ownFolder } from "./places.cjs";

const FILE = "imports.json";
/** Imports that are remembered, and lessons that all of them may have; the latest import always is. */
const MOST = 20;
const MOST_LESSONS = 20_000;
/** Lessons that one request archives. */
const BATCH = 1_000;
/** Fields of a text that are lists, which a revision writes with commas. */
const LISTS = new Set(["project_types", "tech_stacks", "tags"]);

/**
 * @typedef {{ slug: string, rev: number, added: boolean, archived: boolean }} ImportedLesson
 * @typedef {{ archived: number, restored: number, left: number, back: any[], texts: [string, number][] }} Undone
 * `left`: lessons that changed since and stay; `back`: requests that bring back what was archived; `texts`: lessons whose
 * text was put back, with the revision that this made
 * @typedef {{ id: string, at: number, name: string, lessons: ImportedLesson[], undone?: Undone | null }} Logged `at`: in milliseconds
 * @typedef {(request: EngineRequest) => Promise<any>} Ask a request's answer; throws where it is an error
 */

/** @param {string} store @returns {Logged[]} */
export function importsOf(store) {
  try {
    const all = JSON.parse(readFileSync(join(ownFolder(store), FILE), "utf8"));
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
}

/** @param {string} store @param {Logged[]} all */
function keep(store, all) {
  let lessons = 0;
  const fit = all.slice(0, MOST).filter((one, at) => {
    lessons += one.lessons.length;
    return at === 0 || lessons <= MOST_LESSONS;
  });
  mkdirSync(ownFolder(store), { recursive: true, mode: 0o700 });
  replaceFile(join(ownFolder(store), FILE), `${JSON.stringify(fit)}\n`, 0o600);
}

/**
 * Takes an import down; none that changed no lesson.
 * @param {string} store
 * @param {string} name
 * @param {ImportedLesson[]} lessons
 */
export function noteImport(store, name, lessons) {
  if (lessons.length === 0) return;
  const one = { id: randomBytes(4).toString("hex"), at: Date.now(), name, lessons };
  keep(store, [one, ...importsOf(store)]);
}

/**
 * Takes the list of a page: what it says of an import holds, and what came in beside the page stays.
 * @param {string} store
 * @param {unknown} list
 * @returns whether it is such a list
 */
export function takeImports(store, list) {
  const isOne = (/** @type {any} */ one) =>
    typeof one?.id === "string" &&
    typeof one.at === "number" &&
    typeof one.name === "string" &&
    Array.isArray(one.lessons);
  if (!Array.isArray(list) || !list.every(isOne)) return false;
  const ids = new Set(list.map(({ id }) => id));
  const beside = importsOf(store).filter(({ id }) => !ids.has(id));
  keep(
    store,
    [...list, ...beside].sort((one, two) => two.at - one.at),
  );
  return true;
}

/**
 * Undoes an import that stands, or redoes one that was undone, and remembers which it is now.
 * @param {string} store
 * @param {Logged} one
 * @param {Ask} ask
 * @returns {Promise<Logged>}
 */
export async function turnImport(store, one, ask) {
  const { undone, ...stands } = one;
  /** @type {Logged} */
  const turned = undone
    ? { ...stands, lessons: await redo(one.lessons, undone, ask) }
    : { ...one, undone: await undo(one.lessons, ask) };
  keep(
    store,
    importsOf(store).map((held) => (held.id === one.id ? turned : held)),
  );
  return turned;
}

/**
 * Archives what was added and puts back the texts of what was updated. A text that changed since is left.
 * @param {ImportedLesson[]} lessons
 * @param {Ask} ask
 */
async function undo(lessons, ask) {
  /** @type {Undone} */
  const undone = { archived: 0, restored: 0, left: 0, back: [], texts: [] };
  const added = lessons.filter((lesson) => lesson.added && !lesson.archived).map(({ slug }) => ({ slug }));
  for (let at = 0; at < added.length; at += BATCH) {
    const body = { act: "archive", lessons: added.slice(at, at + BATCH) };
    const done = await ask({ method: "POST", path: "/v1/lessons/bulk", body });
    undone.archived += done.changed;
    undone.left += done.refused.length;
    undone.back.push(...done.undo);
  }
  for (const lesson of lessons.filter(({ added }) => !added)) {
    const rev = await put(lesson, lesson.rev, "before", ask);
    if (rev === undefined) undone.left += 1;
    else {
      undone.restored += 1;
      undone.texts.push([lesson.slug, rev]);
    }
  }
  return undone;
}

/**
 * Brings back what undoing took away. What changed since is left.
 * @param {ImportedLesson[]} lessons
 * @param {Undone} undone
 * @param {Ask} ask
 * @returns the lessons with their revisions of now
 */
async function redo(lessons, undone, ask) {
  for (const body of undone.back) await ask({ method: "POST", path: "/v1/lessons/bulk", body });
  const revs = new Map();
  for (const [slug, base] of undone.texts) {
    const lesson = lessons.find((one) => one.slug === slug);
    const rev = lesson && (await put(lesson, base, "after", ask));
    if (rev !== undefined) revs.set(slug, rev);
  }
  return lessons.map((lesson) => ({ ...lesson, rev: revs.get(lesson.slug) ?? lesson.rev }));
}

/**
 * Gives a lesson the texts of before or after the revision that the import made.
 * @param {ImportedLesson} lesson
 * @param {number} base the revision that it has to be at
 * @param {"before" | "after"} side
 * @param {Ask} ask
 * @returns {Promise<number | undefined>} the revision that this made; nothing where the lesson changed since
 */
async function put(lesson, base, side, ask) {
  const path = `/v1/lessons/${encodeURIComponent(lesson.slug)}`;
  try {
    const { fields } = await ask({ method: "GET", path: `${path}/revisions/${lesson.rev}` });
    /** @type {Record<string, any>} */
    const body = { base_rev: base };
    for (const field of fields) {
      if (!field.changed) continue;
      const text = field[side] ?? "";
      const words = () => text.split(",").map((/** @type {string} */ word) => word.trim());
      body[field.name] = LISTS.has(field.name) ? words().filter(Boolean) : text;
    }
    return (await ask({ method: "PATCH", path, body })).rev;
  } catch (error) {
    if (/** @type {any} */ (error).isAnswer) return undefined;
    throw error;
  }
}
