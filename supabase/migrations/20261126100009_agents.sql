-- What an agent's key opens. An agent comes as `anon`, so every right of that role stands here and in `access.sql`, where the tables
-- are; each of these functions asks `lessonloop.agents()` for its key, by `my_spaces`, `may_use` or a policy.

-- Ends here where the first file was refused, or was not applied.
do $$ begin perform lessonloop.schema_version(); end $$;

-- pgvector's type is looked up wherever its schema is.
set search_path = public, extensions;

grant execute on function
  public.agent_key(), public.push_events(uuid, text, json, integer), public.pull_changes(uuid, integer, bigint, integer),
  public.lesson_history(uuid, text, bigint, integer), public.put_embeddings(uuid, text, jsonb),
  public.pull_embeddings(uuid, text, text, integer, text[], text),
  public.match_lessons(vector, uuid, double precision, integer), public.lesson_candidates(uuid, jsonb), public.space_size(uuid),
  public.space_rows(uuid, jsonb), public.space_lessons(uuid, jsonb), public.space_decisions(uuid, jsonb),
  public.space_report(uuid, jsonb)
  to anon;
-- What the policies ask.
grant execute on function lessonloop.agents() to anon, authenticated;

-- What those of them that run as their caller call: the same for agents as for people. They are in no schema that is exposed.
do $$
declare
  f regprocedure;
begin
  for f in select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'lessonloop'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
  loop
    execute format('grant execute on function %s to anon', f);
  end loop;
end $$;

-- Hosted Supabase ends a statement of `anon` after three seconds and one of a person after eight. PostgREST takes a function's own
-- limit before it calls it.
alter function public.push_events(uuid, text, json, integer) set statement_timeout = '8s';
alter function public.pull_changes(uuid, integer, bigint, integer) set statement_timeout = '8s';
alter function public.lesson_history(uuid, text, bigint, integer) set statement_timeout = '8s';
alter function public.put_embeddings(uuid, text, jsonb) set statement_timeout = '8s';
alter function public.pull_embeddings(uuid, text, text, integer, text[], text) set statement_timeout = '8s';
alter function public.match_lessons(vector, uuid, double precision, integer) set statement_timeout = '8s';
reset search_path;
