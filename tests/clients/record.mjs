// A hook that only keeps what it was called with: `node record.mjs FILE NAME`. Prints nothing, unless FILE.NAME.out is there.
import { appendFileSync, existsSync, readFileSync } from "node:fs";

const [file, name] = process.argv.slice(2);
const started = Date.now();
let input = "";
let ended = false;
const done = () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !["PATH", "HOME"].includes(name)));
  appendFileSync(
    file,
    `${JSON.stringify({ name, at: started, took: Date.now() - started, ended, input, env, cwd: process.cwd() })}\n`,
  );
  const out = `${file}.${name}.out`;
  if (existsSync(out)) process.stdout.write(readFileSync(out, "utf8"));
};
// A client may leave its end open.
const timer = setTimeout(() => {
  done();
  process.exit(0);
}, 1_000);
process.stdin.setEncoding("utf8");
process.stdin.on("data", (piece) => {
  input += piece;
});
process.stdin.on("end", () => {
  ended = true;
  clearTimeout(timer);
  done();
});
