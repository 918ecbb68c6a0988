// `lessonloop model`: says which model lessons are found by meaning with on this machine, or chooses it.
import { existsSync } from "node:fs";
import { typed } from "../invocation.mjs";
import { packPath } from "../engine.mjs";
import { chooseEnglish, chooseMultilingual } from "../model_pack.mjs";
import { chosen, NAMES } from "../models.mjs";
import { colour, json, note, out, UsageError } from "../print.mjs";

const ABOUT = {
  english: "all-MiniLM-L6-v2, in English, 23 MB",
  multilingual: "multilingual-e5-small, in some hundred languages, 45 MB, three times as slow",
};
/** Progress is told after so many bytes. */
const TELL = 4_000_000;

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function model({ values, positionals }) {
  const [name, ...more] = positionals;
  const { file, from, sha256 } = values;
  if (name === undefined) return say(values.json);
  if (more.length > 0 || !NAMES.includes(/** @type {any} */ (name))) {
    throw new UsageError(`a model is ${NAMES.join(" or ")}: \`lessonloop model multilingual\``);
  }
  if (name === "english" && (file ?? from ?? sha256) !== undefined) {
    throw new UsageError(
      "--file, --from and --sha256 belong to `model multilingual`: the English model is in the package",
    );
  }
  if (file !== undefined && from !== undefined) throw new UsageError("--file or --from, not both");
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw new UsageError("--sha256 is 64 hex digits in lower case");
  if (name === "english") chooseEnglish();
  else {
    let told = 0;
    await chooseMultilingual({
      file,
      url: from ?? process.env.LESSONLOOP_MODEL_URL,
      sha256,
      tell: (bytes, all) => {
        if (bytes - told < TELL) return;
        told = bytes;
        note(`${Math.round(bytes / 1e6)} MB${all > 0 ? ` of ${Math.round(all / 1e6)} MB` : ""} fetched`);
      },
    });
  }
  say(values.json);
  if (!values.json) {
    note(
      `Sessions and ${typed("serve")} that are up keep their model until they are started again. Lessons get this model's vectors in the background then, and are ranked by words meanwhile; those of the other one are kept.`,
    );
  }
}

/** @param {boolean} [asJson] */
function say(asJson) {
  const { name } = chosen();
  const pack = packPath();
  const isThere = existsSync(pack);
  if (asJson) return json({ model: name, pack, is_there: isThere });
  out(`${colour("bold", name)}: ${ABOUT[name]}`);
  out(colour("dim", pack));
  if (!isThere)
    out(`${colour("yellow", "the pack is gone")}: run ${typed(`model ${name}`)} again; lessons are ranked by words`);
}
