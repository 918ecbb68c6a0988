// Lighthouse over every place of the built app, without lessons, as a desktop on an ordinary line. Run by
// `cargo xtask bench web`. Pages come compressed, as hosts send them; the bar is 95 of 100.
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const url = process.env.LESSONLOOP_URL;
const BAR = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const PAGES = [
  "/",
  "/lessons",
  "/lessons/new",
  "/review",
  "/playground",
  "/runs",
  "/insights",
  "/tools",
  "/agents",
  "/settings",
];
const SHOWN = {
  "first-contentful-paint": "first paint",
  "largest-contentful-paint": "largest paint",
  "total-blocking-time": "blocked",
  "cumulative-layout-shift": "shift",
};

const packed = new Map();
const server = createServer(async (request, response) => {
  if (!packed.has(request.url)) {
    const answer = await fetch(url + request.url);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const kept = [
      "content-type",
      "content-security-policy",
      "x-content-type-options",
      "referrer-policy",
      "cache-control",
    ];
    const headers = Object.fromEntries(kept.map((name) => [name, answer.headers.get(name) ?? ""]));
    const small = /^(text|application\/(wasm|json|manifest)|image\/svg)/.test(headers["content-type"]);
    const body = small ? gzipSync(bytes) : bytes;
    packed.set(request.url, {
      status: answer.status,
      headers: { ...headers, ...(small && { "content-encoding": "gzip" }), "content-length": body.length },
      body,
    });
  }
  const { status, headers, body } = packed.get(request.url);
  response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const site = `http://127.0.0.1:${server.address().port}`;

const chrome = await launch({
  chromePath: process.env.LESSONLOOP_CHROMIUM,
  chromeFlags: [
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
try {
  console.log("\nLighthouse, desktop\n");
  const line = (cells) => console.log(cells[0].padEnd(14), ...cells.slice(1).map((cell) => String(cell).padStart(15)));
  line(["page", ...CATEGORIES, ...Object.values(SHOWN)]);
  for (const page of PAGES) {
    const { lhr } = await lighthouse(
      site + page,
      { port: chrome.port, onlyCategories: CATEGORIES, logLevel: "error" },
      desktopConfig,
    );
    const scores = CATEGORIES.map((name) => Math.round(lhr.categories[name].score * 100));
    line([page, ...scores, ...Object.keys(SHOWN).map((name) => lhr.audits[name].displayValue ?? "")]);
    const low = CATEGORIES.filter((_, at) => scores[at] < BAR);
    for (const name of low) {
      process.exitCode = 1;
      const lost = lhr.categories[name].auditRefs
        .map(({ id, weight }) => ({ weight, ...lhr.audits[id] }))
        .filter(({ weight, score }) => weight > 0 && score !== null && score < 0.95)
        .map(({ title, displayValue }) => `${title}${displayValue ? ` (${displayValue})` : ""}`);
      console.log(`  below ${BAR} in ${name}: ${lost.join("; ")}`);
    }
  }
} finally {
  chrome.kill();
  server.closeAllConnections();
  server.close();
}
