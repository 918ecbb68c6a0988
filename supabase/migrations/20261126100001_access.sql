-- Row-level security: rows are seen by members of their space and by its agents, and written by nobody. The functions that
-- write run as the owner and ask for the caller's space themselves. An agent signs in to nothing: it is `anon` with a key in the header
-- `x-lessonloop-key`.

do $$ begin perform lessonloop.schema_version(); end $$;

-- The agents' keys that this request carries and that are in force, in the order in which they were sent: of nobody who has signed
-- in. A caller that answers for several agents sends the key of each, separated by commas; `keys` is as many as are looked at. A key
-- is found by its SHA-256, in the index that keeps it unique. Everything that `anon` may see or do asks this.
create or replace function lessonloop.agents() returns table (id uuid, space uuid)
language sql stable security definer rows 1 set search_path = '' as $$
  with sent as (
    select sha256(convert_to(btrim(x.key, ' '), 'UTF8')) as hash, x.place
    from unnest((string_to_array(nullif(current_setting('request.headers', true), '')::json ->> 'x-lessonloop-key', ','))[1:32])
      with ordinality x (key, place)
    where auth.uid() is null
  )
  select k.id, k.space from public.agent_keys k join sent on sent.hash = k.key_hash
  where k.key_hash = any (array(select hash from sent)) and k.revoked_at is null
  order by sent.place
$$;

-- The spaces that the caller is a member of; none for an agent.
create or replace function lessonloop.joined_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.space from public.members m where m.user_id = (select auth.uid())
$$;

create or replace function lessonloop.is_leaving(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.leaving g where g.space = p_space)
$$;

-- The caller's spaces: those of a member, or those of the agents' keys that were sent. It runs as the owner, because a policy on
-- `members` can't read `members`. Members and keys of a space that is leaving are gone already.
create or replace function lessonloop.my_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select j from lessonloop.joined_spaces() j
  union all
  select a.space from lessonloop.agents() a
$$;

create or replace function lessonloop.may_use(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.my_spaces() m where m = p_space)
$$;

-- A space of others is not told from one that does not exist; who sent no key that is in force is told so, whatever the space.
create or replace function lessonloop.no_space() returns void
language plpgsql volatile set search_path = '' as $$
begin
  if auth.uid() is null and not exists (select from lessonloop.agents()) then
    raise exception using errcode = 'PT401', message = 'the request carries no agent key that is in force',
      hint = 'send a key of the space in the header x-lessonloop-key; a member makes one with create_agent_key';
  end if;
  raise exception using errcode = 'PT404', message = 'there is no such space',
    hint = 'list your spaces with GET /rest/v1/spaces, or make one with create_space';
end $$;

-- Members, keys and devices are hidden from agents.
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
      'create policy members_read on public.%I for select to authenticated, anon using (%I in (select lessonloop.%I()))',
      t, case t when 'spaces' then 'id' else 'space' end,
      case when t in ('members', 'agent_keys', 'actors') then 'joined_spaces' else 'my_spaces' end);
    if t <> 'agent_keys' then
      execute format('grant select on table public.%I to authenticated', t);
    end if;
    -- `pull_changes` reads the numbers of the caller's devices, of which an agent has none.
    if t not in ('agent_keys', 'members') then
      execute format('grant select on table public.%I to anon', t);
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
  if nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role' = 'anon' then
    raise exception using errcode = 'PT403', message = 'an agent can''t manage spaces, members or keys',
      hint = 'sign in as a member of the space';
  end if;
  return null;
end $$;

create or replace trigger people_only before insert or delete or update of id, name, epoch on public.spaces
for each statement execute function lessonloop.people_only();

create or replace trigger people_only before insert or delete or update on public.members
for each statement execute function lessonloop.people_only();

-- Not `last_used_at`: that is noted when an agent asks.
create or replace trigger people_only
before insert or delete or update of id, space, name, key_hash, created_at, revoked_at on public.agent_keys
for each statement execute function lessonloop.people_only();

revoke all on schema lessonloop from public;
grant usage on schema lessonloop to authenticated, anon;
revoke all on all functions in schema lessonloop from public, anon;
grant execute on function lessonloop.schema_version(), lessonloop.my_spaces(), lessonloop.joined_spaces(), lessonloop.no_space() to authenticated;
