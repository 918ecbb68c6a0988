// Packs the package for Node as an MCP bundle, a zip with a manifest: `node plugins/bundle.mjs DIST`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleManifest, ROOT, VERSION } from "./write.mjs";

const { zipSync } = await import(pathToFileURL(join(ROOT, "tests/node_modules/fflate/esm/index.mjs")).href);
const [dist] = process.argv.slice(2);
if (!dist) throw new Error("name the folder that `cargo xtask build` made: node plugins/bundle.mjs dist");

/** Times are part of a zip: the first one that it can hold, so that the same files give the same bytes. */
const MODIFIED = new Date(1980, 0, 1);
/** File types that are compressed already and gain nothing from packing. */
const PACKED = /\.(png|woff2|pack|br)$/;

/** @type {Record<string, any>} */
const entries = {};
/** @param {string} name @param {Uint8Array} bytes */
const add = (name, bytes) => {
  entries[name] = [bytes, { level: PACKED.test(name) ? 0 : 9, mtime: MODIFIED }];
};

/** The tools as a person reads them before installing: the name, and the first sentence of the description. */
const tools = JSON.parse(readFileSync(join(ROOT, "crates/lesson-mcp/src/tools.json"), "utf8")).map(
  (/** @type {{ name: string, description: string }} */ { name, description }) => ({
    name,
    description: /^.*?[.](?=\s|$)/s.exec(description)?.[0] ?? description,
  }),
);

add("manifest.json", Buffer.from(`${JSON.stringify(bundleManifest(tools), null, 2)}\n`));
add("icon.png", readFileSync(join(ROOT, "www/icons/icon-512.png")));
const from = join(dist, "npm");
const names = readdirSync(from, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(from.length + 1))
  .sort();
for (const name of names) add(name.replaceAll("\\", "/"), readFileSync(join(from, name)));
writeFileSync(join(dist, `lessonloop-${VERSION}.mcpb`), zipSync(entries));
