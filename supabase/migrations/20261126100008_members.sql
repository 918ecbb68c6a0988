-- Spaces, who is in them, and the keys of their agents: roles, names, invitations by a code that is shown once, deleting a space, and
-- what a key opens. It comes last, as the rights of agents are of functions of all files before.

-- Ends here where the first file was refused, or was not applied.
do $$ begin perform lessonloop.schema_version(); end $$;

-- Who has been in a space longest owns it where no member has the role, as after an owner's account was deleted.
create or replace function lessonloop.owner_of(p_space uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select m.user_id from public.members m where m.space = p_space order by m.role <> 'owner', m.joined_at, m.user_id limit 1
$$;

create or replace function lessonloop.is_owner(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.joined_spaces() j
    join public.members m on m.space = j and m.user_id = auth.uid()
    where j = p_space and (m.role = 'owner' or m.user_id = lessonloop.owner_of(j)))
$$;

-- Refuses who is no owner; a space of others is not told from one that does not exist. The lock keeps two owners from
-- taking the role from each other at once.
create or replace function lessonloop.owners_only(p_space uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if not exists (select from lessonloop.joined_spaces() j where j = p_space) then
    perform lessonloop.no_space();
  end if;
  perform from public.spaces s where s.id = p_space for update;
  if not lessonloop.is_owner(p_space) then
    raise exception using errcode = 'PT403', message = 'only an owner of the space may do this',
      hint = 'ask an owner; list_members names them';
  end if;
end $$;

create or replace function lessonloop.member_name(p_name text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if lessonloop.blank(coalesce(p_name, '')) or char_length(p_name) > 100 or p_name ~ '[[:cntrl:]]' then
    raise exception using errcode = 'PT400', message = 'p_name has to have 1 to 100 characters, without control characters',
      detail = 'p_name';
  end if;
  return btrim(p_name);
end $$;

create or replace function lessonloop.member_role(p_role text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if p_role is null or p_role not in ('owner', 'member') then
    raise exception using errcode = 'PT400', message = 'p_role has to be owner or member', detail = 'p_role';
  end if;
  return p_role;
end $$;

create or replace function public.create_space(name text) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  made uuid;
begin
  if auth.uid() is null then
    raise exception using errcode = 'PT401', message = 'sign in first';
  end if;
  if lessonloop.blank(coalesce(create_space.name, '')) or char_length(create_space.name) > 200 then
    raise exception using errcode = 'PT400', message = 'name has to have 1 to 200 characters';
  end if;
  insert into public.spaces (name) values (create_space.name) returning id into made;
  insert into public.members (space, user_id, role) values (made, auth.uid(), 'owner');
  return made;
end $$;

-- {"members": [{"id", "name", "email", "role", "joined_at"}], "invites": [{"id", "name", "role", "created_at",
-- "expires_at"}]}, each oldest first. Invitations are told to owners alone; `name` is null until somebody gave one.
create or replace function public.list_members(p_space uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  if not exists (select from lessonloop.joined_spaces() j where j = p_space) then
    perform lessonloop.no_space();
  end if;
  return jsonb_build_object(
    'members', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', m.user_id, 'name', m.name, 'email', u.email,
        'role', case when m.user_id = lessonloop.owner_of(p_space) then 'owner' else m.role end,
        'joined_at', lessonloop.rfc3339(m.joined_at)) order by m.joined_at, m.user_id), '[]')
      from public.members m left join auth.users u on u.id = m.user_id where m.space = p_space),
    'invites', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', i.id, 'name', i.name, 'role', i.role, 'created_at', lessonloop.rfc3339(i.created_at),
        'expires_at', lessonloop.rfc3339(i.expires_at)) order by i.created_at, i.id), '[]')
      from lessonloop.invites i
      where i.space = p_space and i.expires_at > now() and lessonloop.is_owner(p_space)));
end $$;

-- {"id", "code", "expires_at"}: whoever signs in and gives this code within seven days is a member, once. `p_name` is what
-- the invited person is called.
create or replace function public.invite_member(p_space uuid, p_name text, p_role text default 'member') returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  days constant interval := interval '7 days';
  -- A list that nobody reads to its end is no list of who is awaited.
  most constant integer := 100;
  code text;
  made uuid;
begin
  perform lessonloop.owners_only(p_space);
  perform lessonloop.member_role(p_role);
  delete from lessonloop.invites i where i.space = p_space and i.expires_at <= now();
  if (select count(*) from lessonloop.invites i where i.space = p_space) >= most then
    raise exception using errcode = 'PT409', message = 'there are 100 open invitations already',
      hint = 'revoke some with revoke_invite';
  end if;
  code := 'lli_' || encode(sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex');
  insert into lessonloop.invites (space, role, name, code_hash, expires_at)
  values (p_space, p_role, lessonloop.member_name(p_name), sha256(convert_to(code, 'UTF8')), now() + days)
  returning id into made;
  return jsonb_build_object('id', made, 'code', code, 'expires_at', lessonloop.rfc3339(now() + days));
end $$;

-- True when there was such an invitation and its code held until now.
create or replace function public.revoke_invite(p_space uuid, p_invite uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  was timestamptz;
begin
  perform lessonloop.owners_only(p_space);
  delete from lessonloop.invites i where i.space = p_space and i.id = p_invite returning i.expires_at into was;
  return coalesce(was > now(), false);
end $$;

-- Makes the caller a member: {"id", "name"} of the space. A code that never was is not told from one that is over. Who is
-- a member already stays what they are, and the code holds on.
create or replace function public.accept_invite(p_code text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_invite record;
  called text;
begin
  if auth.uid() is null then
    raise exception using errcode = 'PT403', message = 'sign in as a person first';
  end if;
  select i.id, i.space, i.role, i.name into found_invite from lessonloop.invites i
  where i.code_hash = sha256(convert_to(coalesce(p_code, ''), 'UTF8')) and i.expires_at > now() for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'the invitation is invalid or has expired',
      detail = 'p_code', hint = 'ask an owner of the space for another; it holds for seven days and for one person';
  end if;
  insert into public.members (space, user_id, role, name)
  values (found_invite.space, auth.uid(), found_invite.role, found_invite.name)
  on conflict (space, user_id) do nothing;
  if found then
    delete from lessonloop.invites i where i.id = found_invite.id;
  end if;
  select s.name into called from public.spaces s where s.id = found_invite.space;
  return jsonb_build_object('id', found_invite.space, 'name', called);
end $$;

-- Changes what is given. A role is an owner's to change, a name also that of who bears it. A space keeps an owner.
create or replace function public.change_member(
  p_space uuid, p_user uuid, p_name text default null, p_role text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  if p_user is distinct from auth.uid() or p_role is not null then
    perform lessonloop.owners_only(p_space);
  elsif not exists (select from lessonloop.joined_spaces() j where j = p_space) then
    perform lessonloop.no_space();
  end if;
  if p_role is not null then
    perform lessonloop.member_role(p_role);
  end if;
  if p_role = 'member' and not exists (
      select from public.members m where m.space = p_space and m.role = 'owner' and m.user_id <> p_user) then
    raise exception using errcode = 'PT409', message = 'a space keeps at least one owner',
      detail = 'p_role', hint = 'make somebody else an owner first';
  end if;
  update public.members m set
    role = coalesce(p_role, m.role),
    name = case when p_name is null then m.name else lessonloop.member_name(p_name) end
  where m.space = p_space and m.user_id = p_user;
  if not found then
    raise exception using errcode = 'PT404', message = 'there is no such member', hint = 'list them with list_members';
  end if;
  return public.list_members(p_space);
end $$;

-- Removes a member: an owner anybody, everybody themself. Their lessons and what they did stay; keys of agents hold on. True
-- when they were one until now.
create or replace function public.remove_member(p_space uuid, p_user uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  if p_user is distinct from auth.uid() then
    perform lessonloop.owners_only(p_space);
  else
    if not exists (select from lessonloop.joined_spaces() j where j = p_space) then
      perform lessonloop.no_space();
    end if;
    perform from public.spaces s where s.id = p_space for update;
  end if;
  if exists (select from public.members m where m.space = p_space and m.user_id = p_user and m.role = 'owner')
    and not exists (select from public.members m where m.space = p_space and m.role = 'owner' and m.user_id <> p_user) then
    raise exception using errcode = 'PT409', message = 'a space keeps at least one owner',
      detail = 'p_user', hint = 'make somebody else an owner first, or delete the space';
  end if;
  delete from public.members m where m.space = p_space and m.user_id = p_user;
  return found;
end $$;

-- The key's randomness is `gen_random_uuid`, which is part of PostgreSQL and draws on its strong random source, so no
-- extension is needed. A UUID carries 122 random bits; three carry 366, and their SHA-256 is a key of 256 bits. It ends in a
-- checksum, by which an edge tells one that was made up.
create or replace function public.create_agent_key(p_space uuid, p_name text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key text;
  made uuid;
begin
  if not exists (select from public.members m where m.space = p_space and m.user_id = auth.uid()) then
    perform lessonloop.no_space();
  end if;
  if lessonloop.blank(coalesce(p_name, '')) or char_length(p_name) > 100 then
    raise exception using errcode = 'PT400', message = 'p_name has to have 1 to 100 characters';
  end if;
  key := 'llk_' || encode(sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex');
  key := key || left(encode(sha256(convert_to(key, 'UTF8')), 'hex'), 8);
  insert into public.agent_keys (space, name, key_hash) values (p_space, p_name, sha256(convert_to(key, 'UTF8')))
  returning id into made;
  return jsonb_build_object('id', made, 'name', p_name, 'key', key);
end $$;

-- True when the key was in force until now. Keys of other spaces are not told from keys that do not exist.
create or replace function public.revoke_agent_key(p_key uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  was timestamptz;
begin
  select k.revoked_at into was from public.agent_keys k
  join public.members m on m.space = k.space and m.user_id = auth.uid()
  where k.id = p_key for update of k;
  if not found then
    raise exception using errcode = 'PT404', message = 'there is no such key', hint = 'list the keys with list_agent_keys';
  end if;
  update public.agent_keys k set revoked_at = now() where k.id = p_key and k.revoked_at is null;
  return was is null;
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

-- What the key of this request opens: {"schema_version", "agent": {"id", "name", "space", "space_name", "epoch"}}. `agent` is null
-- without a key; one that was revoked is not told from one that never was. An edge asks it first of all, so it tells the schema to
-- everybody. The epoch changes when the server is restored from a backup.
create or replace function public.agent_key() returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_key record;
begin
  select k.id, k.name, k.space, s.name as space_name, s.epoch, k.last_used_at into found_key
  from lessonloop.agents() a join public.agent_keys k on k.id = a.id join public.spaces s on s.id = k.space limit 1;
  -- Once a minute: a write for every look-up would cost more than it tells.
  if found_key.id is not null and coalesce(found_key.last_used_at < now() - interval '1 minute', true) then
    update public.agent_keys k set last_used_at = now() where k.id = found_key.id;
  end if;
  return jsonb_build_object(
    'schema_version', lessonloop.schema_version(),
    'agent', case when found_key.id is not null then jsonb_build_object(
      'id', found_key.id, 'name', found_key.name, 'space', found_key.space, 'space_name', found_key.space_name,
      'epoch', found_key.epoch) end);
end $$;

-- Deletes rows of a space that is leaving, for some seconds; whether it is gone.
create or replace function lessonloop.sweep(p_space uuid, p_seconds double precision default 2) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  at_once constant integer := 500;
  t text;
  gone bigint;
begin
  if not lessonloop.is_leaving(p_space) then
    return true;
  end if;
  delete from lessonloop.near_building b where b.space = p_space;
  delete from lessonloop.near_indexes n where n.space = p_space;
  -- Counts before what is counted, and what refers before what it refers to.
  foreach t in array array[
    'lessonloop.word_counts', 'lessonloop.vector_counts', 'lessonloop.lesson_words', 'lessonloop.vectors', 'public.lesson_embeddings',
    'public.recommendations', 'public.decisions', 'public.retrievals', 'public.lesson_events', 'public.feedback_times',
    'public.domain_bases',
    'public.tool_successes', 'public.rejected_events', 'public.events', 'public.lessons', 'public.activity', 'public.actors']
  loop
    loop
      execute format('delete from %s x where x.ctid = any (array(select y.ctid from %s y where y.space = $1 limit $2))', t, t)
      using p_space, at_once;
      get diagnostics gone = row_count;
      exit when gone < at_once;
      if clock_timestamp() > until then
        return false;
      end if;
    end loop;
  end loop;
  delete from public.spaces s where s.id = p_space;
  return true;
end $$;

-- Without `p_code`: {"deleted": false, "code", "expires_at", "lessons", "events", "members", "agent_keys"}, and nothing is
-- changed. With that code, which holds for ten minutes, the space is taken from everybody at once, and rows are deleted for two
-- seconds: {"deleted": true}, with "more": true while rows are left. It is called again in the same way until there are none;
-- what nobody calls for is left to `lessonloop.catch_up`. Any owner may.
create or replace function public.delete_space(p_space uuid, p_name text, p_code text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  minutes constant interval := interval '10 minutes';
  called text;
  code text;
begin
  if exists (select from lessonloop.leaving g
      where g.space = p_space and g.user_id = auth.uid() and g.code_hash = sha256(convert_to(coalesce(p_code, ''), 'UTF8'))) then
    return case when lessonloop.sweep(p_space) then '{"deleted": true}' else '{"deleted": true, "more": true}' end::jsonb;
  end if;
  -- The lock of a push: nothing comes in between.
  select s.name into called from public.spaces s
  where s.id = p_space and exists (select from public.members m where m.space = s.id and m.user_id = auth.uid()) for update;
  if not found then
    perform lessonloop.no_space();
  end if;
  if not lessonloop.is_owner(p_space) then
    raise exception using errcode = 'PT403', message = 'only an owner of the space may delete it',
      detail = 'p_space', hint = 'ask the owner, or sign out to remove the lessons from this browser alone';
  end if;
  if p_name is distinct from called then
    raise exception using errcode = 'PT400', message = 'the name is not that of this space; type it as it is written',
      detail = 'p_name';
  end if;
  delete from lessonloop.deletions d where d.expires_at < now();
  if p_code is null then
    code := encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex');
    insert into lessonloop.deletions as d (space, user_id, code_hash, expires_at)
    values (p_space, auth.uid(), sha256(convert_to(code, 'UTF8')), now() + minutes)
    on conflict (space) do update
      set user_id = excluded.user_id, code_hash = excluded.code_hash, expires_at = excluded.expires_at;
    return jsonb_build_object(
      'deleted', false, 'code', code, 'expires_at', lessonloop.rfc3339(now() + minutes),
      'lessons', (select count(*) from public.lessons x where x.space = p_space),
      'events', (select count(*) from public.events x where x.space = p_space),
      'members', (select count(*) from public.members x where x.space = p_space),
      'agent_keys', (select count(*) from public.agent_keys x where x.space = p_space and x.revoked_at is null));
  end if;
  if not exists (select from lessonloop.deletions d
      where d.space = p_space and d.user_id = auth.uid() and d.code_hash = sha256(convert_to(p_code, 'UTF8'))) then
    raise exception using errcode = 'PT409', message = 'the code is invalid or has expired: a code holds for ten minutes',
      detail = 'p_code', hint = 'call delete_space without p_code for another';
  end if;
  insert into lessonloop.leaving (space, user_id, code_hash) values (p_space, auth.uid(), sha256(convert_to(p_code, 'UTF8')));
  delete from public.members m where m.space = p_space;
  delete from public.agent_keys k where k.space = p_space;
  delete from lessonloop.invites i where i.space = p_space;
  delete from lessonloop.deletions d where d.space = p_space;
  return case when lessonloop.sweep(p_space) then '{"deleted": true}' else '{"deleted": true, "more": true}' end::jsonb;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on function
  public.create_space(text), public.list_members(uuid), public.invite_member(uuid, text, text), public.revoke_invite(uuid, uuid),
  public.accept_invite(text), public.change_member(uuid, uuid, text, text), public.remove_member(uuid, uuid),
  public.create_agent_key(uuid, text), public.revoke_agent_key(uuid), public.list_agent_keys(uuid), public.agent_key(),
  public.delete_space(uuid, text, text)
  from public, anon;
grant execute on function
  public.create_space(text), public.list_members(uuid), public.invite_member(uuid, text, text), public.revoke_invite(uuid, uuid),
  public.accept_invite(text), public.change_member(uuid, uuid, text, text), public.remove_member(uuid, uuid),
  public.create_agent_key(uuid, text), public.revoke_agent_key(uuid), public.list_agent_keys(uuid), public.agent_key(),
  public.delete_space(uuid, text, text)
  to authenticated;

-- What an agent's key opens. An agent comes as `anon`, so every right of that role stands here and in `access.sql`, where the tables
-- are; each of these functions asks `lessonloop.agents()` for its key, by `my_spaces`, `may_use` or a policy.

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
