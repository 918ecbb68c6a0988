// The list of a store's imports, the latest first. It is kept beside this user's record of the store, so that no repository
// brings any; the page of `serve` shows the same list. Taking one back is the engine's (`POST /v1/import/turn`).
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./files.mjs";
import { ownFolder } from "./places.cjs";

const FILE = "imports.json";
/** Imports that are remembered, and lessons that all of them may have; the latest import always is. */
const MOST = 20;
const MOST_LESSONS = 20_000;
/** Lessons that one request takes. */
const BATCH = 1_000;

/**
 * @typedef {{ slug: string, rev: number, added: boolean, archived: boolean, taken_back?: number }} ImportedLesson
 * @typedef {{ archived: number, restored: number, left: number }} Undone `left`: lessons that changed since and stay
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
  const redo = Boolean(undone);
  const done = { archived: 0, restored: 0, left: 0 };
  /** @type {ImportedLesson[]} */
  const lessons = [];
  for (let at = 0; at < one.lessons.length; at += BATCH) {
    const body = { lessons: one.lessons.slice(at, at + BATCH), redo };
    const part = await ask({ method: "POST", path: "/v1/import/turn", body });
    done.archived += part.archived;
    done.restored += part.restored;
    done.left += part.left;
    lessons.push(...part.lessons);
  }
  /** @type {Logged} */
  const turned = redo ? { ...stands, lessons } : { ...stands, lessons, undone: done };
  keep(
    store,
    importsOf(store).map((held) => (held.id === one.id ? turned : held)),
  );
  return turned;
}
