// The parts of the server that may be asked over REST, as the catalogue has them, and with which arguments.
import { randomUUID } from "node:crypto";
import { sql } from "./stack.mjs";

/** Whatever rows can be read from in the exposed schema: tables, views and their kin. */
export const TABLES = sql(
  "select string_agg(relname, ',' order by relname) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')",
).split(",");

/** The functions of the exposed schema, without those of extensions. */
export const FUNCTIONS = sql(
  "select string_agg(distinct proname, ',' order by proname) from pg_proc p join pg_roles r on r.oid = p.proowner where pronamespace = 'public'::regnamespace and r.rolname = 'postgres'",
).split(",");

/** Arguments that each function of the API takes, for a space. */
export const CALLS = (space) => ({
  create_space: { name: "mine" },
  push_events: { p_space: space, p_ledger_version: 1, p_actor: "a", p_events: [] },
  pull_changes: { p_space: space, p_ledger_version: 1 },
  lesson_history: { p_space: space, p_slug: "warning-x" },
  put_embeddings: { p_space: space, p_model: "m", p_rows: [] },
  pull_embeddings: { p_space: space, p_model: "m" },
  match_lessons: { query_embedding: Array(384).fill(1), match_team_id: space },
  create_agent_key: { p_space: space, p_name: "n" },
  list_agent_keys: { p_space: space },
  revoke_agent_key: { p_key: randomUUID() },
  agent_key: {},
  delete_space: { p_space: space, p_name: "Ada's" },
  list_members: { p_space: space },
  invite_member: { p_space: space, p_name: "n" },
  revoke_invite: { p_space: space, p_invite: randomUUID() },
  accept_invite: { p_code: "none" },
  change_member: { p_space: space, p_user: randomUUID(), p_name: "n" },
  remove_member: { p_space: space, p_user: randomUUID() },
  space_size: { p_space: space },
  space_rows: { p_space: space, p_ask: {} },
  space_lessons: { p_space: space, p_ask: {} },
  space_decisions: { p_space: space, p_ask: {} },
  space_report: { p_space: space, p_ask: {} },
  lesson_candidates: { p_space: space, p_ask: { words: ["x"] } },
});

/** Those that take no space. */
export const SPACELESS = ["create_space", "revoke_agent_key", "agent_key", "accept_invite"];

/** The functions that an agent's key opens: `anon` may run these and no other. */
export const FOR_AGENTS = [
  "agent_key",
  "lesson_candidates",
  "lesson_history",
  "match_lessons",
  "pull_changes",
  "pull_embeddings",
  "push_events",
  "put_embeddings",
  "space_decisions",
  "space_lessons",
  "space_report",
  "space_rows",
  "space_size",
];
