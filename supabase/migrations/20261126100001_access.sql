-- Who may see and change what: rows are seen by members of their space and by the edges of its agents, and written by nobody. The
-- functions that write run as the owner and ask for the caller's space themselves.

-- Ends here where the first file was refused, or was not applied.
do $$ begin perform lessonloop.schema_version(); end $$;

create or replace function lessonloop.claims() returns jsonb
language sql stable set search_path = '' as $$
  select nullif(current_setting('request.jwt.claims', true), '')::jsonb
$$;

create or replace function lessonloop.is_edge() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(lessonloop.claims() -> 'lessonloop' = '"edge"', false)
$$;

-- The space that an edge acts in; null for everybody else.
create or replace function lessonloop.edge_space() returns uuid
language sql stable set search_path = '' as $$
  select case
    when c -> 'lessonloop' = '"edge"' and c -> 'sub' = c -> 'lessonloop_space'
      and c ->> 'lessonloop_space' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then (c ->> 'lessonloop_space')::uuid
  end
  from (select lessonloop.claims() as c) x
$$;

-- The spaces that the caller is a member of; none for an edge.
create or replace function lessonloop.joined_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.space from public.members m where m.user_id = (select auth.uid()) and not lessonloop.is_edge()
$$;

create or replace function lessonloop.is_leaving(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.leaving g where g.space = p_space)
$$;

-- The caller's spaces: those of a member, or the one that an edge acts in. It runs as the owner, because a policy on `members` can't
-- read `members`. Members of a space that is leaving are gone already; an edge's token may be a few minutes old.
create or replace function lessonloop.my_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select j from lessonloop.joined_spaces() j
  union all
  select s.id from public.spaces s where s.id = lessonloop.edge_space() and not lessonloop.is_leaving(s.id)
$$;

create or replace function lessonloop.may_use(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.my_spaces() m where m = p_space)
$$;

-- A space of others is not told from one that does not exist.
create or replace function lessonloop.no_space() returns void
language plpgsql volatile set search_path = '' as $$
begin
  raise exception using errcode = 'PT404', message = 'there is no such space',
    hint = 'list your spaces with GET /rest/v1/spaces, or make one with create_space';
end $$;

-- Rows are seen by members of their space, and written by nobody. Who the members are, which keys there are and which devices is
-- nothing for an edge to see.
do $$
declare
  t text;
begin
  foreach t in array array[
    'spaces', 'members', 'agent_keys', 'actors', 'events', 'rejected_events', 'lessons', 'lesson_embeddings',
    'retrievals', 'decisions', 'recommendations', 'tool_successes', 'settings', 'activity', 'feedback_times', 'lesson_events',
    'domain_bases']
  loop
    execute format('alter table public.%I enable row level security', t);
    execute format('revoke all on table public.%I from public, anon, authenticated', t);
    execute format('drop policy if exists members_read on public.%I', t);
    execute format(
      'create policy members_read on public.%I for select to authenticated using (%I in (select lessonloop.%I()))',
      t, case t when 'spaces' then 'id' else 'space' end,
      case when t in ('members', 'agent_keys', 'actors') then 'joined_spaces' else 'my_spaces' end);
    if t <> 'agent_keys' then
      execute format('grant select on table public.%I to authenticated', t);
    end if;
  end loop;
  foreach t in array array[
    'deletions', 'leaving', 'invites', 'lesson_words', 'word_counts', 'space_sizes', 'vectors', 'vector_counts', 'near_indexes',
    'near_building', 'caught_up']
  loop
    execute format('alter table lessonloop.%I enable row level security', t);
    execute format('revoke all on table lessonloop.%I from public, anon, authenticated', t);
  end loop;
end $$;
-- All but the hash.
grant select (id, space, name, created_at, last_used_at, revoked_at) on public.agent_keys to authenticated;

-- Spaces, members and keys are people's to manage, by whichever function.
create or replace function lessonloop.people_only() returns trigger
language plpgsql set search_path = '' as $$
begin
  if lessonloop.is_edge() then
    raise exception using errcode = 'PT403', message = 'an edge can''t manage spaces, members or keys',
      hint = 'sign in as a member of the space';
  end if;
  return null;
end $$;

create or replace trigger people_only before insert or delete or update of id, name, epoch on public.spaces
for each statement execute function lessonloop.people_only();

create or replace trigger people_only before insert or delete or update on public.members
for each statement execute function lessonloop.people_only();

-- Not `last_used_at`: that is the edge's to note.
create or replace trigger people_only
before insert or delete or update of id, space, name, key_hash, created_at, revoked_at on public.agent_keys
for each statement execute function lessonloop.people_only();

revoke all on schema lessonloop from public, anon;
grant usage on schema lessonloop to authenticated;
revoke all on all functions in schema lessonloop from public, anon;
grant execute on function lessonloop.schema_version(), lessonloop.my_spaces(), lessonloop.joined_spaces(), lessonloop.no_space() to authenticated;
