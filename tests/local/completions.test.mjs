// Completions in the shells themselves: commands, options, and the words or files that these take.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, machine } from "./installed.mjs";

const on = machine();
const at = folder("completions");
writeFileSync(join(at, "notes.md"), "");

/** The completions of a shell in a file; null where the shell is not there. */
function script(shell) {
  const made = on.run(["completions", shell]);
  assert.equal(made.code, 0, made.err);
  const file = join(folder("shell"), `completions.${shell}`);
  writeFileSync(file, made.out);
  try {
    execFileSync(shell, ["-c", "exit 0"], { stdio: "ignore" });
    return file;
  } catch {
    return null;
  }
}

/** The text before the cursor, and the words that may complete it. @type {[string, string[]][]} */
const WORDS = [
  ["re", ["recommend", "review"]],
  ["init c", ["claude", "codex", "cursor", "copilot"]],
  ["rate some-lesson not", ["not-helpful"]],
  ["outcome d-1 su", ["success"]],
  ["review some-lesson a", ["approve", "accept"]],
  ["feedback b", ["blocked"]],
  ["export --format mark", ["markdown"]],
  ["import --format re", ["reflections"]],
  ["hook stop --client g", ["gemini"]],
  ["serve --o", ["--open"]],
  ["backfill --dr", ["--dry-run"]],
  ["connect --em", ["--email"]],
  ["import no", ["notes.md"]],
  ["export --out no", ["notes.md"]],
  ["completions f", ["fish"]],
];

test("bash completes", (t) => {
  const file = script("bash");
  if (!file) return t.skip("bash is not installed here");
  for (const [line, expected] of WORDS) {
    // Files are bash's own to complete where the function gives none.
    const words = ["lessonloop", ...line.split(" ")].map((word) => `'${word}'`).join(" ");
    const asked = `source ${file}; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _lessonloop 2>/dev/null
      [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); printf '%s\\n' "\${COMPREPLY[@]}"`;
    const found = execFileSync("bash", ["--norc", "-c", asked], { cwd: at, encoding: "utf8" });
    assert.deepEqual(found.trim().split("\n"), expected, line);
  }
});

test("fish completes", (t) => {
  const file = script("fish");
  if (!file) return t.skip("fish is not installed here");
  execFileSync("fish", ["--no-execute", file], { stdio: "pipe" });
  for (const [line, expected] of WORDS) {
    const asked = `source ${file}; complete -C 'lessonloop ${line}'`;
    const env = { ...on.env, PATH: process.env.PATH };
    const found = execFileSync("fish", ["--no-config", "-c", asked], { cwd: at, env, encoding: "utf8" });
    assert.deepEqual(
      found
        .trim()
        .split("\n")
        .map((one) => one.split("\t")[0]),
      expected,
      line,
    );
  }
});

test("zsh completes", { timeout: 120_000 }, (t) => {
  const file = script("zsh");
  if (!file) return t.skip("zsh is not installed here");
  execFileSync("zsh", ["-f", "-n", file], { stdio: "pipe" });
  // A shell in a terminal of its own, in which the key is pressed; what stands in the line then is written to a file.
  const lines = WORDS.filter(([, expected]) => expected.length === 1);
  const folderOfTold = folder("told");
  const [told, ready] = [join(folderOfTold, "lines"), join(folderOfTold, "ready")];
  const setUp = [
    "PS1=; unsetopt beep; autoload -Uz compinit; compinit -u -D",
    `source ${file}`,
    `tell() { print -r -- "$BUFFER" >> ${told}; BUFFER=; }`,
    `zle -N tell; bindkey '^X' tell; touch ${ready}`,
  ].join("; ");
  const driver = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell ${JSON.stringify(setUp).replaceAll("$", "\\$")}
    for tried in {1..200}; do [[ -f ${ready} ]] && break; sleep 0.1; done
    integer done=0
    for line in ${lines.map(([line]) => `'lessonloop ${line}'`).join(" ")}; do
      zpty -w -n shell "$line"$'\\t\\C-x'
      for tried in {1..100}; do
        [[ -f ${told} ]] && (( $(wc -l < ${told}) > done )) && break
        # The terminal's buffer must not fill.
        zpty -r -t shell out
        sleep 0.05
      done
      (( done++ ))
    done
    zpty -d shell
  `;
  const env = { ...on.env, PATH: process.env.PATH };
  execFileSync("zsh", ["-f", "-c", driver], { cwd: at, env, stdio: "pipe" });
  const found = readFileSync(told, "utf8").trimEnd().split("\n");
  for (const [place, [line, [expected]]] of lines.entries()) {
    const whole = `lessonloop ${[...line.split(" ").slice(0, -1), expected].join(" ")}`;
    assert.equal(found[place]?.trimEnd(), whole, line);
  }
});
