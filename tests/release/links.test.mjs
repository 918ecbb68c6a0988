// Links of the pages lead to files, folders and headings that are there; addresses elsewhere are not asked.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { ROOT } from "./pieces.mjs";

const pages = execFileSync("git", ["ls-files", "-z", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .split("\0")
  .filter((path) => path && existsSync(join(ROOT, path)))
  // Lessons are people's own texts, and what corpora hold is what was written elsewhere.
  .filter((path) => !/^(www\/samples|tests\/corpus|crates\/[^/]+\/tests)\//.test(path));

/** A heading's name in a link, as GitHub makes it. @param {string} heading */
const anchor = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** @param {string} path */
const headings = (path) =>
  [...readFileSync(join(ROOT, path), "utf8").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchor(heading));

test("every link of every page leads somewhere", () => {
  assert.ok(pages.includes("README.md") && pages.length > 20, `${pages.length} pages`);
  const faults = [];
  for (const page of pages) {
    const prose = readFileSync(join(ROOT, page), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    const links = [...prose.matchAll(/\]\(([^()\s]+)\)/g), ...prose.matchAll(/(?:src|href)="([^"]+)"/g)];
    for (const [, link] of links) {
      if (/^[a-z][a-z.-]*:/.test(link)) {
        if (!/^(https|mailto|cursor|vscode):/.test(link)) faults.push(`${page}: ${link} is no https address`);
        else if (link.startsWith("https:") && !URL.canParse(link)) faults.push(`${page}: ${link} is no address`);
        continue;
      }
      const [path, name] = link.split("#");
      const at = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
      if (!existsSync(join(ROOT, at))) faults.push(`${page}: ${link} leads to nothing`);
      else if (name && at.endsWith(".md") && !headings(at).includes(name))
        faults.push(`${page}: no heading for ${link}`);
    }
  }
  assert.deepEqual(faults, []);
});
