// A terminal's session as an animated SVG: each command is typed, then its lines appear; ten seconds, again and again.

/** @typedef {{ command: string, lines: string[] }} Step */

const SECONDS = 10;
/** Of the time, the rest is for reading all of it. */
const TYPED = 0.8;
const [WIDTH, LINE, SIZE, LEFT, TOP] = [880, 22, 14, 20, 48];
/** Characters of a monospaced font are 0.6 of its size. */
const COLUMNS = Math.floor((WIDTH - 2 * LEFT) / (SIZE * 0.6));

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** @param {string} text */
const cut = (text) => (text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text);

/** @param {Step[]} steps @param {string} title */
export function animated(steps, title) {
  const rows = steps.flatMap(({ command, lines }) => [
    { text: `$ ${command}`, isCommand: true },
    ...lines.map((text) => ({ text, isCommand: false })),
    { text: "", isCommand: false },
  ]);
  const height = TOP + rows.length * LINE;
  // A command waits for the reader, its output comes at once.
  const weights = rows.map(({ isCommand }) => (isCommand ? 5 : 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let passed = 0;
  const parts = rows.map(({ text, isCommand }, at) => {
    const from = (passed / whole) * TYPED * 100;
    passed += weights[at];
    const frames = `@keyframes l${at}{0%,${from.toFixed(2)}%{opacity:0}${(from + 0.01).toFixed(2)}%,100%{opacity:1}}`;
    const style = `animation:l${at} ${SECONDS}s infinite`;
    const row = `<text x="${LEFT}" y="${TOP + at * LINE}" class="${isCommand ? "c" : "o"}" style="${style}">${escaped(cut(text))}</text>`;
    return { frames, row: text ? row : "" };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>
text{font:${SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
.c{fill:#7ee2a8}.o{fill:#d7dde4}
${parts.map(({ frames }) => frames).join("\n")}
@media (prefers-reduced-motion:reduce){text{animation:none!important}}
</style>
<rect width="${WIDTH}" height="${height}" rx="10" fill="#12161b"/>
<circle cx="22" cy="20" r="6" fill="#e5675c"/><circle cx="42" cy="20" r="6" fill="#e2b55b"/><circle cx="62" cy="20" r="6" fill="#63b974"/>
${parts
  .map(({ row }) => row)
  .filter(Boolean)
  .join("\n")}
</svg>
`;
}
