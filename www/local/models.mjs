// Which model lessons are found by meaning with on this machine: a person's choice, kept beside their stores.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { machineFolder } from "./places.cjs";

/** @typedef {"english" | "multilingual"} ModelName */
/** @type {ModelName[]} */
export const NAMES = ["english", "multilingual"];

export const modelsFolder = () => join(dirname(machineFolder()), "models");
export const choiceFile = () => join(modelsFolder(), "chosen.json");
/** @param {string} sha256 */
export const multilingualPack = (sha256) => join(modelsFolder(), `multilingual-${sha256.slice(0, 12)}.pack`);

/**
 * The model in force, and its pack where that is not the package's own. What can't be read as a choice is none.
 * @returns {{ name: ModelName, pack?: string }}
 */
export function chosen() {
  try {
    const { model, sha256 } = JSON.parse(readFileSync(choiceFile(), "utf8"));
    if (model === "multilingual" && /^[0-9a-f]{64}$/.test(sha256)) return { name: model, pack: multilingualPack(sha256) };
  } catch {
    // Nobody has chosen.
  }
  return { name: "english" };
}
