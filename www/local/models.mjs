// The model by which lessons are found by meaning on this machine: a person's choice, kept beside their stores.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { machineFolder } from "./places.cjs";

/** @typedef {"english" | "multilingual"} ModelName */
/** @type {ModelName[]} */
export const NAMES = ["english", "multilingual"];

export const modelsFolder = () => join(dirname(machineFolder()), "models");
export const choiceFile = () => join(modelsFolder(), "chosen.json");
/** @param {string} sha256 */
export const multilingualPack = (sha256) => join(modelsFolder(), `multilingual-${sha256.slice(0, 12)}.pack`);

/** The models that can be chosen without more words: the one of the package, and the other where its pack is here or its address known. */
export function offered() {
  if (process.env.LESSONLOOP_MODEL_URL || chosen().name === "multilingual") return NAMES;
  try {
    return readdirSync(modelsFolder()).some((name) => name.endsWith(".pack")) ? NAMES : NAMES.slice(0, 1);
  } catch {
    return NAMES.slice(0, 1);
  }
}

/**
 * The model in force, and its pack where that is not the package's own. What can't be read as a choice is none.
 * @returns {{ name: ModelName, pack?: string }}
 */
export function chosen() {
  try {
    const { model, sha256 } = JSON.parse(readFileSync(choiceFile(), "utf8"));
    if (model === "multilingual" && /^[0-9a-f]{64}$/.test(sha256))
      return { name: model, pack: multilingualPack(sha256) };
  } catch {
    // Nobody has chosen.
  }
  return { name: "english" };
}
