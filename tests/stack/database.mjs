// Databases of their own on the stack's server, empty as hosted Supabase has them, and the files of the schema.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { env, sql } from "./stack.mjs";

export const folder = env("LESSONLOOP_STACK_MIGRATIONS");
export const files = readdirSync(folder).sort();
/** @type {string[]} */
const made = [];
after(() => {
  for (const name of made) sql(`drop database if exists ${name}`);
});

/** An empty database, as hosted Supabase has it. */
export function database() {
  const name = `schema_${randomUUID().slice(0, 8)}`;
  made.push(name);
  sql(`create database ${name}`);
  const settings = (as) => ({
    ...process.env,
    PGDATABASE: name,
    PGUSER: as,
    PGOPTIONS: "-c client_min_messages=warning",
  });
  const flags = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"];
  const run = (text, as = process.env.PGUSER) =>
    execFileSync(env("LESSONLOOP_STACK_PSQL"), flags, {
      input: text,
      encoding: "utf8",
      env: settings(as),
      maxBuffer: 1 << 28,
    }).trim();
  run(readFileSync(join(folder, "../../crates/xtask/src/stack/bootstrap.sql"), "utf8"));
  run(`grant create on database ${name} to postgres; alter schema public owner to postgres;`);
  return {
    run,
    /** Applies a file as the role that hosted Supabase applies it as, in one transaction; what PostgreSQL says against it. */
    apply: (file) => {
      const args = [...flags, "-1", "-f", join(folder, file)];
      const { status, stderr } = spawnSync(env("LESSONLOOP_STACK_PSQL"), args, {
        encoding: "utf8",
        env: settings("postgres"),
      });
      assert.equal(status === 0, stderr === "", stderr);
      return stderr;
    },
    /** All that the catalog has of the two schemas, and all rows. */
    whole: () =>
      run(`select n.nspname, c.relname, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname in ('public', 'lessonloop') order by 1, 2;
        select p.oid::regprocedure, md5(p.prosrc) from pg_proc p
          where p.pronamespace in (select oid from pg_namespace where nspname in ('public', 'lessonloop')) order by p.oid::regprocedure::text;
        select format('select %2$L, md5(string_agg(x::text, chr(10) order by x::text)) from %1$I.%2$I x', n.nspname, c.relname)
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname in ('public', 'lessonloop') and c.relkind = 'r' order by 1 \\gexec`),
  };
}
