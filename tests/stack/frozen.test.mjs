// Databases of released versions: today's migrations apply to each, its rows are all there, its member reads the same as
// before, and goes on writing. `LESSONLOOP_WRITE=1` writes that of this version, which is done when it is released.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { database, files, folder } from "./database.mjs";
import { ledgers } from "./ledgers.mjs";
import { author, lesson } from "./stack.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RELEASES = join(ROOT, "tests/corpus/releases");
const SEED = 41;
// The first ledger with so many is taken.
const LESSONS = 5;
// Enough to have a row in most tables, and few enough for a file of the repository.
const BATCHES = 30;
const [, VERSION] = /^version = "([^"]+)"$/m.exec(readFileSync(join(ROOT, "Cargo.toml"), "utf8")) ?? [];

/** A text between quotes that it does not hold. @param {string} text */
const quoted = (text) => {
  const tag = `$q${randomUUID().replaceAll("-", "")}$`;
  return `${tag}${text}${tag}`;
};

/** Runs a statement as the member of a space. @param {ReturnType<typeof database>} on @param {string} member @param {string} text */
const as = (on, member, text) =>
  on.run(
    `select set_config('request.jwt.claims', '{"sub": "${member}", "role": "authenticated"}', false) \\g /dev/null\n${text};`,
  );

/** All tables that hold rows, those that others point to first. @param {ReturnType<typeof database>} on @returns {string[]} */
const tables = (on) =>
  on
    .run(
      `select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition
         and (n.nspname in ('public', 'lessonloop') or (n.nspname, c.relname) = ('auth', 'users')) order by 1`,
    )
    .split("\n");

/** @param {ReturnType<typeof database>} on @param {string} table */
const rows = (on, table) => JSON.parse(on.run(`select coalesce(json_agg(x order by x::text), '[]') from ${table} x`));

/** Reads as a member, page by page. @param {ReturnType<typeof database>} on @param {{ space: string, member: string }} whose */
function pulled(on, { space, member }) {
  // Days and times of feedback are given for a while only.
  /** @type {Record<string, object[]>} */
  const all = { lessons: [], decisions: [], recommendations: [], tools: [], settings: [], agents: [] };
  for (let cursor = 0, more = true; more; ) {
    const page = JSON.parse(as(on, member, `select public.pull_changes('${space}', 1, ${cursor}, 1000)`));
    for (const [name, rows] of Object.entries(all)) rows.push(...page[name]);
    [cursor, more] = [page.next_cursor, page.has_more];
  }
  return all;
}

/** @param {ReturnType<typeof database>} on @param {{ space: string, member: string }} whose @param {string} actor @param {object[]} events */
const push = (on, { space, member }, actor, events) =>
  JSON.parse(
    as(
      on,
      member,
      `select public.push_events('${space}', ${quoted(actor)}, ${quoted(JSON.stringify(events))}::json, 1)`,
    ),
  );

test("this version's database is written", { skip: !process.env.LESSONLOOP_WRITE }, async () => {
  const on = database();
  for (const file of files) assert.equal(on.apply(file), "", file);
  const member = randomUUID();
  on.run(`insert into auth.users (id, email) values ('${member}', 'ada@example.org')`);
  const whose = { member, space: as(on, member, "select public.create_space('frozen')") };
  for await (const { batches, lessons } of ledgers(50, SEED)) {
    if (lessons.length < LESSONS) continue;
    for (const [at, { actor, events }] of batches.slice(0, BATCHES).entries()) {
      const own = events.replace(/\b(person|agent):\w+/g, `person:${member}`);
      const answer = push(on, whose, actor, JSON.parse(own));
      assert.equal(answer.status, "ok", `${at}: ${JSON.stringify(answer)}`);
    }
    break;
  }
  const to = join(RELEASES, VERSION ?? "");
  mkdirSync(to, { recursive: true });
  const schema = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  writeFileSync(join(to, "schema.sql.gz"), gzipSync(schema, { level: 9 }));
  const held = Object.fromEntries(tables(on).map((table) => [table, rows(on, table)]));
  writeFileSync(
    join(to, "database.json.gz"),
    gzipSync(JSON.stringify({ ...whose, tables: held, pulled: pulled(on, whose) }), { level: 9 }),
  );
});

test("databases of every release take today's migrations, and lose nothing", () => {
  const releases = readdirSync(RELEASES).filter((name) => existsSync(join(RELEASES, name, "database.json.gz")));
  assert.ok(releases.length > 0, "LESSONLOOP_WRITE=1 cargo xtask test stack --only frozen");
  for (const release of releases) {
    const at = (/** @type {string} */ name) => readFileSync(join(RELEASES, release, name));
    const { tables: held, pulled: before, space, member } = JSON.parse(gunzipSync(at("database.json.gz")).toString());
    const whose = { space, member };
    const on = database();
    on.run(gunzipSync(at("schema.sql.gz")).toString(), "postgres");
    const filled = Object.entries(held).map(([table, all]) => {
      const columns = `(select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = '')`;
      const names = on.run(`select ${columns}`);
      return `delete from ${table}; insert into ${table} (${names}) overriding system value
        select ${names} from json_populate_recordset(null::${table}, ${quoted(JSON.stringify(all))});`;
    });
    on.run(`set session_replication_role = replica;\n${filled.join("\n")}`);
    const sequences = `select format('select setval(pg_get_serial_sequence(%L, %L), (select coalesce(max(%I), 1) from %s))',
        attrelid::regclass, attname, attname, attrelid::regclass) from pg_attribute
      where attidentity <> '' and attrelid::regclass::text = any (array[${Object.keys(held).map((name) => `'${name}'`)}])`;
    on.run(`${sequences} \\gexec`);

    for (const file of files) assert.equal(on.apply(file), "", `${release}: ${file}`);
    for (const [table, all] of Object.entries(held)) {
      assert.equal(rows(on, table).length, all.length, `${release}: rows of ${table}`);
    }
    assert.deepEqual(pulled(on, whose), before, release);

    const by = author();
    const answer = push(on, whose, by.actor, [by.event("LessonAdded", lesson("of-a-later-version"))]);
    assert.deepEqual([answer.status, answer.rejected], ["ok", []], release);
    const slugs = pulled(on, whose).lessons.map(({ slug }) => slug);
    assert.ok(slugs.includes("of-a-later-version") && slugs.length === before.lessons.length + 1, `${slugs}`);
  }
});
