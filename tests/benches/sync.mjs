// First syncs of spaces of growing size, over the local stack: one engine in Node sends all lessons, another one reads
// them, and so does the app in Chromium. Beside it, the least that the same servers could do: the same lessons as rows of a plain table, inserted and
// selected by REST in as large pieces. Run by `cargo xtask bench sync`.
import { performance } from "node:perf_hooks";
import { launch } from "../browser/chromium.mjs";
import { env, sql, url, key, token } from "../stack/stack.mjs";
import { device } from "../replica/engine.mjs";
import { signIn } from "../replica/sign_in.mjs";
import { longest, watch } from "./long_tasks.mjs";
import { record } from "./corpus.mjs";

const SIZES = (process.env.LESSONLOOP_SYNC_SIZES ?? "1000,10000,100000").split(",").map(Number);
const EVENTS = 2_000;

// Bytes as they go over the network, without headers.
const bytes = { out: 0, in: 0 };
const plain = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const body = request.method === "GET" ? "" : await request.clone().text();
  bytes.out += Buffer.byteLength(body);
  const answer = await plain(request);
  const text = await answer.clone().text();
  bytes.in += Buffer.byteLength(text);
  return answer;
};

async function timed(work) {
  const before = { ...bytes };
  const begun = performance.now();
  await work();
  return { ms: performance.now() - begun, out: bytes.out - before.out, in: bytes.in - before.in };
}

const mb = (count) => `${(count / 1e6).toFixed(1)} MB`;
const s = (ms) => `${(ms / 1000).toFixed(2)} s`;
const row = (...cells) => console.log(cells.map((cell, at) => String(cell).padStart(at === 0 ? 9 : 14)).join(""));

/** The same lessons as rows of a table without rules. */
async function table(records) {
  sql(`drop table if exists public.bench_rows;
    create table public.bench_rows (slug text primary key, title text, description text, recommendation text, tags text[]);
    grant all on public.bench_rows to authenticated; notify pgrst, 'reload schema';`);
  await new Promise((done) => setTimeout(done, 1_500));
  const bearer = token({
    sub: "00000000-0000-4000-8000-000000000000",
    role: "authenticated",
    exp: Math.floor(Date.now() / 1000) + 3600,
  });
  const headers = { apikey: key, authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const insert = await timed(async () => {
    for (let from = 0; from < records.length; from += 500) {
      const body = JSON.stringify(records.slice(from, from + 500));
      const answer = await fetch(`${url}/rest/v1/bench_rows`, { method: "POST", headers, body });
      if (answer.status !== 201) throw new Error(await answer.text());
    }
  });
  const select = await timed(async () => {
    // REST gives a thousand rows at most.
    for (let from = 0, last = ""; from < records.length; from += 1000) {
      const answer = await fetch(`${url}/rest/v1/bench_rows?order=slug&limit=1000&slug=gt.${last}`, { headers });
      last = (await answer.json()).at(-1).slug;
    }
  });
  sql("drop table public.bench_rows");
  return { insert, select };
}

/** The app in a fresh profile, from the wish to connect until every lesson is there. */
async function inChromium(space, count) {
  const browser = await launch(env("LESSONLOOP_CHROMIUM"));
  try {
    const context = await browser.newContext();
    await watch(context);
    const page = await context.newPage();
    page.setDefaultTimeout(600_000);
    await page.goto(`${env("LESSONLOOP_URL")}/data`);
    await signIn(page);
    await page.getByLabel(space, { exact: true }).check();
    await longest(page);
    const spent = await timed(async () => {
      await page.getByTestId("sync-submit").click();
      await page.getByTestId("sync-now").waitFor();
      await page.locator("[data-testid=sync-state][data-phase=idle]").waitFor();
      await page.getByRole("navigation").getByRole("link", { name: "Lessons", exact: true }).first().click();
      await page
        .getByText(`${count.toLocaleString("en")} lessons`)
        .first()
        .waitFor();
    });
    return { ...spent, longest: await longest(page) };
  } finally {
    await browser.close();
  }
}

console.log(
  `\nFirst sync over the local stack, Node ${process.version}; one run each. × is against plain rows by REST.\n`,
);
row(
  "lessons",
  "send",
  "events/s",
  "bytes out",
  "plain insert",
  "×",
  "read",
  "rows/s",
  "bytes in",
  "plain select",
  "×",
  "server MB",
);
const size = () => Number(sql("select pg_database_size(current_database())"));
for (const count of SIZES) {
  const records = Array.from({ length: count }, (_, at) => record(at));
  const floor = await table(records);
  const before = size();
  const writer = await device();
  const space = await writer.create(`bench ${count}`);
  for (let from = 0; from < count; from += 5_000) {
    const content = JSON.stringify(records.slice(from, from + 5_000));
    await writer.post("/v1/import", { files: [{ path: "bench.json", content }] });
  }
  const send = await timed(() => writer.sync());
  const grown = size() - before;
  const reader = await device();
  await reader.connect({ space });
  const read = await timed(() => reader.sync());
  const { lessons } = await reader.get("/v1/stats");
  if (lessons !== count) throw new Error(`${lessons} of ${count} lessons came`);
  row(
    count,
    s(send.ms),
    Math.round(count / (send.ms / 1000)),
    mb(send.out),
    s(floor.insert.ms),
    (send.ms / floor.insert.ms).toFixed(1),
    s(read.ms),
    Math.round(count / (read.ms / 1000)),
    mb(read.in),
    s(floor.select.ms),
    (read.ms / floor.select.ms).toFixed(1),
    (grown / 1e6).toFixed(0),
  );

  const app = await inChromium(`bench ${count}`, count);
  console.log(
    `${"".padStart(9)}  the app in Chromium: ${s(app.ms)}; longest task of its main thread ${app.longest} ms (0 when none took 50)`,
  );

  // Life after the first sync: many small events, and a look when nothing has changed.
  for (let at = 0; at < EVENTS; at += 1) {
    await writer.post("/v1/rate", { lesson: `pattern-bench-${at % count}`, helpful: at % 3 > 0 });
  }
  const rates = await timed(() => writer.sync());
  const follow = await timed(() => reader.sync());
  const idle = await timed(() => reader.round());
  console.log(
    `${"".padStart(9)}  ${EVENTS} ratings: sent in ${s(rates.ms)} (${Math.round(EVENTS / (rates.ms / 1000))}/s, ${mb(rates.out)}), read in ${s(follow.ms)} (${mb(follow.in)}); a look when nothing is new: ${idle.ms.toFixed(0)} ms, ${idle.in} bytes`,
  );
  writer.engine.free();
  reader.engine.free();
}
