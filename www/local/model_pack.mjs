// Choosing a model, and getting its pack: from a file or an address, once, going on where a try stopped, held against its hash.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { replaceFile } from "./files.mjs";
import { choiceFile, modelsFolder, multilingualPack } from "./models.mjs";
import { Failure } from "./print.mjs";

/** SHA-256 of the multilingual pack, as `cargo xtask model multilingual` makes it. */
export const MULTILINGUAL_SHA256 = "5e98b644a12f8d42865421da9eec8b43e62540686610c833cdd115f3d4afe92d";

/** Takes the English model from now on. A pack that was fetched is kept: to choose it again costs nothing. */
export function chooseEnglish() {
  rmSync(choiceFile(), { force: true });
}

/**
 * Takes the multilingual model from now on, got from a file or an address, once: a pack that is there already is checked, not got anew.
 * @param {{ file?: string, url?: string, sha256?: string, tell?: (bytes: number, all: number) => void }} from
 */
export async function chooseMultilingual({ file, url, sha256 = MULTILINGUAL_SHA256, tell = () => undefined }) {
  const pack = multilingualPack(sha256);
  mkdirSync(modelsFolder(), { recursive: true, mode: 0o700 });
  if (!existsSync(pack) || (await hashOf(pack)) !== sha256) {
    const part = `${pack}.part`;
    if (file) await copied(file, part);
    else if (url) await fetched(url, part, tell);
    else {
      throw new Failure(
        "no address to get the multilingual model from is known: name one by --from URL or LESSONLOOP_MODEL_URL, or the pack by --file",
      );
    }
    const found = await hashOf(part);
    if (found !== sha256) {
      rmSync(part);
      throw new Failure(
        `${file ?? url} is not the multilingual pack, or was altered or cut: its SHA-256 is ${found}, expected ${sha256}; nothing was changed`,
      );
    }
    renameSync(part, pack);
  }
  replaceFile(choiceFile(), `${JSON.stringify({ model: "multilingual", sha256 }, null, 2)}\n`, 0o600);
  return pack;
}

/** @param {string} file @param {string} part */
async function copied(file, part) {
  try {
    await pipeline(createReadStream(file), createWriteStream(part, { mode: 0o600 }));
  } catch (error) {
    rmSync(part, { force: true });
    throw new Failure(`${file} can't be read as a pack: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Gets what is behind an address into a file, and goes on where an earlier try stopped.
 * @param {string} url
 * @param {string} part
 * @param {(bytes: number, all: number) => void} tell
 */
async function fetched(url, part, tell) {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Failure(`${url} is no address of a pack: give one that begins with https://`);
  }
  const held = statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  let bytes = 0;
  try {
    const answer = await fetch(url, held > 0 ? { headers: { range: `bytes=${held}-` } } : {});
    // All of it was there: the hash says whether it is right.
    if (answer.status === 416 && held > 0) return void (await answer.body?.cancel());
    if (!answer.ok || !answer.body) throw new Error(`the server answers ${answer.status}`);
    // A server that knows no ranges, or another range than was asked for, gives it from the start.
    const goesOn = answer.status === 206 && answer.headers.get("content-range")?.startsWith(`bytes ${held}-`);
    if (answer.status === 206 && !goesOn) throw new Error("the server answers with another range than was asked for");
    bytes = goesOn ? held : 0;
    const all = bytes + Number(answer.headers.get("content-length") ?? 0);
    const counted = async function* (/** @type {AsyncIterable<Uint8Array>} */ pieces) {
      for await (const piece of pieces) {
        bytes += piece.length;
        tell(bytes, all);
        yield piece;
      }
    };
    await pipeline(
      Readable.fromWeb(/** @type {any} */ (answer.body)),
      counted,
      createWriteStream(part, { flags: goesOn ? "a" : "w", mode: 0o600 }),
    );
  } catch (error) {
    const { message, cause } = /** @type {Error & { cause?: Error }} */ (error);
    throw new Failure(
      `${url} could not be got whole: ${cause?.message ?? message}; ${bytes} bytes of it are kept, run the command again to go on`,
    );
  }
}

/** @param {string} file */
async function hashOf(file) {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest("hex");
}
