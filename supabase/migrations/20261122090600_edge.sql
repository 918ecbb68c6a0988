-- The edge: a server of yours that agents call. It knows an agent by its key, and acts in that key's space alone.
--
-- It signs tokens of its own with the project's secret. Their claims stand at the top of the token; what people may set of
-- their own accounts (`user_metadata`) lies below it and counts for nothing here.
--   "lessonloop": "edge"        this is the edge. With nothing else it may look up keys.
--   "lessonloop_space": SPACE   it acts in this space; `sub` has to be the same, so that its actors are the space's own
-- Functions of earlier files that know of edges stand here again, so that a database which has those files gets them, too.

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

-- The caller's spaces: those of a member, or the one that an edge acts in.
create or replace function lessonloop.my_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select j from lessonloop.joined_spaces() j
  union all
  select s.id from public.spaces s where s.id = lessonloop.edge_space()
$$;

create or replace function lessonloop.may_use(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.my_spaces() m where m = p_space)
$$;

-- Who the members are, which keys there are and which devices: nothing of it is an edge's to see.
do $$
declare
  t text;
begin
  foreach t in array array['members', 'agent_keys', 'actors'] loop
    execute format('drop policy if exists members_read on public.%I', t);
    execute format(
      'create policy members_read on public.%I for select to authenticated using (space in (select lessonloop.joined_spaces()))', t);
  end loop;
end $$;

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

-- See 20261122090300_sync.sql.
create or replace function public.push_events(p_space uuid, p_actor text, p_events json) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  return lessonloop.push(p_space, auth.uid(), p_actor, p_events);
end $$;

-- The keys of a space, oldest first, without anything that could be used as one.
create or replace function public.list_agent_keys(p_space uuid) returns jsonb
language plpgsql stable security invoker set search_path = '' as $$
begin
  if not exists (select from lessonloop.joined_spaces() j where j = p_space) then
    perform lessonloop.no_space();
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', k.id, 'name', k.name, 'created_at', lessonloop.rfc3339(k.created_at),
      'last_used_at', lessonloop.rfc3339(k.last_used_at), 'revoked_at', lessonloop.rfc3339(k.revoked_at))
      order by k.created_at, k.id), '[]')
    from public.agent_keys k where k.space = p_space);
end $$;

-- Whose key has this SHA-256: {"id", "name", "space", "space_name"}, or null. One that was revoked is not told from one
-- that never was. For edges only.
create or replace function public.agent_key_space(p_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_key record;
begin
  if not lessonloop.is_edge() then
    raise exception using errcode = 'PT403', message = 'only an edge may look up keys',
      hint = 'sign the token with the claim "lessonloop": "edge"';
  end if;
  if p_hash is null or p_hash !~ '^[0-9a-f]{64}$' then
    raise exception using errcode = 'PT400',
      message = 'p_hash has to be the SHA-256 of a key as 64 lower-case hexadecimal digits';
  end if;
  select k.id, k.name, k.space, s.name as space_name, k.last_used_at into found_key
  from public.agent_keys k join public.spaces s on s.id = k.space
  where k.key_hash = decode(p_hash, 'hex') and k.revoked_at is null;
  if not found then
    return null;
  end if;
  -- Once a minute: a write for every look-up would cost more than it tells.
  if found_key.last_used_at is null or found_key.last_used_at < now() - interval '1 minute' then
    update public.agent_keys k set last_used_at = now() where k.id = found_key.id;
  end if;
  return jsonb_build_object(
    'id', found_key.id, 'name', found_key.name, 'space', found_key.space, 'space_name', found_key.space_name);
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function
  lessonloop.my_spaces(), lessonloop.joined_spaces() to authenticated;
revoke all on function public.agent_key_space(text) from public, anon;
grant execute on function public.agent_key_space(text) to authenticated;
