#!/usr/bin/env node
// The command `lessonloop`: finds the command of the first word, reads its options, and ends with 0, 1 (it failed) or 2
// (it was called wrongly).
import module from "node:module";

const [major] = process.versions.node.split(".").map(Number);
if (major < 20) {
  process.stderr.write(`lessonloop: Node ${process.versions.node} is too old; install Node 20 or newer\n`);
  process.exit(2);
}
// Newer Nodes keep the compiled code.
/** @type {any} */ (module).enableCompileCache?.();

const [name, ...rest] = process.argv.slice(2);
if (name === "hook" && !rest.includes("--help") && !rest.includes("-h")) {
  // The quickest way for what runs at every prompt: no table of commands, no parsing of options but its own, and no stream
  // that it may not need.
  await module
    .createRequire(import.meta.url)("../hook_entry.cjs")
    .run(rest);
  process.exit(0);
}
// The reader has closed the pipe, as `head` does: the rest is for nobody.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EPIPE") throw error;
    process.exit();
  });
}

const { run } = await import("../main.mjs");
process.exitCode = await run(name, rest);
// A pipe or a timer of a library must not keep a command alive; what was written to a pipe has to be through first.
if (!["mcp", "serve"].includes(name ?? "")) {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0 && !stream.destroyed) await new Promise((resolve) => stream.write("", resolve));
  }
}
process.exit();
