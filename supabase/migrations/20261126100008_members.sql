-- Spaces, who is in them, and the keys of their agents: roles, names, invitations by a code that is shown once, deleting a space, and
-- what a key opens. It comes last, as the rights of agents are of functions of all files before.

do $$ begin perform lessonloop.schema_version(); end $$;

-- The member who has been in a space longest owns it where no member has the role, as after an owner's account was deleted.
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
  perform lessonloop.no_space() where not exists (select from lessonloop.joined_spaces() j where j = p_space);
  perform from public.spaces s where s.id = p_space for update;
  if not lessonloop.is_owner(p_space) then
    raise exception using errcode = 'PT403', message = 'only an owner of the space may do this',
      hint = 'ask an owner; list_members names them';
  end if;
end $$;

-- 256 random bits in hex. `gen_random_uuid` is part of PostgreSQL and draws on its strong random source, so no extension is
-- needed; a UUID carries 122 random bits, three carry 366, and this is their SHA-256.
create or replace function lessonloop.random_code() returns text
language sql volatile set search_path = '' as $$
  select encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex')
$$;

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
  perform lessonloop.no_space() where not exists (select from lessonloop.joined_spaces() j where j = p_space);
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
  code := 'lli_' || lessonloop.random_code();
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
    perform lessonloop.no_space() where not exists (select from lessonloop.joined_spaces() j where j = p_space);
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

-- A key ends in a checksum, by which an edge tells one that was made up.
create or replace function public.create_agent_key(p_space uuid, p_name text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key text;
  made uuid;
begin
  perform lessonloop.no_space() where not exists (select from public.members m where m.space = p_space and m.user_id = auth.uid());
  if lessonloop.blank(coalesce(p_name, '')) or char_length(p_name) > 100 then
    raise exception using errcode = 'PT400', message = 'p_name has to have 1 to 100 characters';
  end if;
  key := 'llk_' || lessonloop.random_code();
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
  perform lessonloop.no_space() where not exists (select from lessonloop.joined_spaces() j where j = p_space);
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', k.id, 'name', k.name, 'created_at', lessonloop.rfc3339(k.created_at),
      'last_used_at', lessonloop.rfc3339(k.last_used_at), 'revoked_at', lessonloop.rfc3339(k.revoked_at))
      order by k.created_at, k.id), '[]')
    from public.agent_keys k where k.space = p_space);
end $$;

-- The space that the request's key opens: {"schema_version", "agent": {"id", "name", "space", "space_name", "epoch"}}. `agent` is null
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
    'public.domain_bases', 'public.tool_successes', 'public.rejected_events', 'public.events', 'public.lessons', 'public.activity',
    'public.actors']
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
  perform lessonloop.no_space() where not found;
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
    code := lessonloop.random_code();
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

-- Whose word counts: what agents' keys propose in place of changing it, and voices that are withdrawn. The rules are those of the core
-- (crates/lesson-core/src/fold, proposals.rs and withdrawn.rs).

-- Refuses an agent's change of a lesson that is not its own unapproved one: of text, life or verdict.
create or replace function lessonloop.may_change(l public.lessons, p_by text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform lessonloop.refuse('lesson', format('`%s` is not an unapproved lesson of this key''s own; propose the change, and a person '
    'decides', l.slug))
  where lessonloop.is_agent(p_by) and (l."by" <> p_by or l.trust = 'approved' and not l.approved_by_agent);
end $$;

-- The way in which a lesson went out of use, in words.
create or replace function lessonloop.out_of_use(l public.lessons) returns text
language sql immutable as $$
  select case when l.merged_into is null then format('`%s` is archived', l.slug)
    else format('`%s` was merged into `%s`', l.slug, l.merged_into) end
$$;

create or replace function lessonloop.check_proposal(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  l public.lessons;
  held jsonb;
begin
  if p_event ? 'changes' then
    perform lessonloop.shape(p_event -> 'changes', lessonloop.fields('changes'), true);
  end if;
  l := lessonloop.known_lesson(p_space, p_event ->> 'lesson');
  select x into held from jsonb_array_elements(l.proposals) x where x ->> 'id' = p_event ->> 'proposal';
  if p_kind = 'ProposalSettled' then
    perform lessonloop.refuse('proposal', case when l.archived then lessonloop.out_of_use(l) || ', which settled its proposals'
      else format('`%s` has no open proposal `%s`; it was settled, or another took its place', l.slug, p_event ->> 'proposal') end)
    where held is null;
    perform lessonloop.refuse('proposal', 'a person decides on proposals; a key only takes back its own')
    where lessonloop.is_agent(p_by) and ((p_event ->> 'accepted')::boolean or held ->> 'by' <> p_by);
    return;
  end if;
  perform lessonloop.refuse('lesson', lessonloop.out_of_use(l) || '; nothing is proposed for it until it is restored')
  where l.archived;
  perform lessonloop.refuse('proposal', 'a proposal needs an id; use a UUIDv7') where p_event ->> 'proposal' = '';
  perform lessonloop.refuse('changes', 'a proposal changes something of the lesson, or archives it: one of both')
  where coalesce((p_event ->> 'archive')::boolean, false) <> (jsonb_strip_nulls(coalesce(p_event -> 'changes', '{}')) = '{}');
  perform lessonloop.refuse('title', 'a lesson needs a title') where lessonloop.blank(p_event #>> '{changes,title}');
  perform lessonloop.refuse('base_rev', format('the proposal started from revision %s, but `%s` is at revision %s; read it again and '
    'repeat the proposal', p_event ->> 'base_rev', l.slug, l.rev))
  where (p_event ->> 'base_rev')::bigint > l.rev;
  perform lessonloop.refuse('proposal', format('`%s` has a proposal `%s` already', l.slug, p_event ->> 'proposal'))
  where held is not null;
  perform lessonloop.refuse('lesson', format('%s proposals for `%s` wait for a person already; review them first', count(*), l.slug))
  from jsonb_array_elements(l.proposals) x where x ->> 'by' <> p_by having count(*) >= 8;
end $$;

-- Keeps a proposal beside its lesson, in place of one of the same voice, or ends one.
create or replace function lessonloop.apply_proposal(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  ends constant boolean := p_kind = 'ProposalSettled';
begin
  update public.lessons l set version = v + 1, proposals = (
    select coalesce(jsonb_agg(x.value order by x.ordinality), '[]') from jsonb_array_elements(l.proposals) with ordinality x
    where case when ends then x.value ->> 'id' <> p_event ->> 'proposal' else x.value ->> 'by' <> p_by end)
    || case when ends then '[]' else jsonb_build_array(jsonb_build_object(
      'id', p_event -> 'proposal', 'by', p_by, 'at', lessonloop.rfc3339(p_at), 'base_rev', p_event -> 'base_rev',
      'changes', jsonb_strip_nulls(coalesce(p_event -> 'changes', '{}')), 'archive', coalesce(p_event -> 'archive', 'false'),
      'trust', p_event -> 'trust', 'findings', coalesce(p_event -> 'findings', '[]'))) end
  where l.space = p_space and l.slug = p_event ->> 'lesson';
  return v + 1;
end $$;

-- Refuses a withdrawal of what is no voice, by no person, or of one's own voice.
create or replace function lessonloop.check_withdrawal(p_voice text, p_by text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform lessonloop.refuse('voice', 'a voice is `agent:` and the id of a key, or `person:` and the id of an account')
  where p_voice !~ '^(agent|person):.' or char_length(p_voice) > 200;
  perform lessonloop.refuse('voice', 'a person withdraws a voice, and takes that back; no key does')
  where not (p_by like 'person:%' or p_by = 'local');
  perform lessonloop.refuse('voice', 'nobody withdraws their own voice, or takes its withdrawal back; another member of the space does')
  where p_voice = p_by;
end $$;

-- True if nothing counts that somebody says at a time.
create or replace function lessonloop.is_muted(p_space uuid, p_by text, p_at timestamptz) returns boolean
language sql stable as $$
  select coalesce((
    select x.held is not null and not coalesce((x.held ->> 'lifted')::boolean, false)
      and (x.held ->> 'since' is null or p_at >= (x.held ->> 'since')::timestamptz)
    from (select s.withdrawn -> p_by as held from public.spaces s where s.id = p_space) x), false)
$$;

-- True if, besides, the event that withdrew them is folded already.
create or replace function lessonloop.is_past(p_space uuid, p_at timestamptz, p_by text) returns boolean
language sql stable as $$
  select lessonloop.is_muted(p_space, p_by, p_at) and (
    select coalesce((s.withdrawn -> p_by ->> 'ahead')::integer, 0) = 0 from public.spaces s where s.id = p_space)
$$;

-- The kind by which an event is folded: its own, or `muted`, where nothing of it counts.
create or replace function lessonloop.kind_in_force(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, p_by text) returns text
language sql stable as $$
  select case
    when p_kind in ('VoiceWithdrawn', 'VoiceReinstated') or not lessonloop.is_muted(p_space, p_by, p_at) then p_kind
    when p_kind in ('LessonRestored', 'ChangeProposed') and lessonloop.is_past(p_space, p_at, p_by) then 'muted'
    -- Others' words stand on texts, lives and recommendations.
    when p_kind in ('LessonAdded', 'LessonEdited', 'LessonArchived', 'LessonRestored', 'LessonsMerged', 'ChangeProposed',
      'ProposalSettled', 'Surfaced') then p_kind
    -- A verdict of quarantine holds.
    when p_event ->> 'verdict' = 'quarantine' then p_kind
    else 'muted' end
$$;

-- Withdraws a voice, or takes that back: its lessons are archived, its proposals are gone. What it said before is taken off by
-- `refold`, which knows the last word on each voice from the first event on.
create or replace function lessonloop.apply_withdrawal(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  named constant text := p_event ->> 'voice';
  held jsonb;
  ahead integer;
  since timestamptz;
  r record;
begin
  select s.withdrawn -> named into held from public.spaces s where s.id = p_space;
  ahead := coalesce((held ->> 'ahead')::integer, 0) - 1;
  if p_kind = 'VoiceWithdrawn' and ahead < 0 then
    held := jsonb_build_object('since', lessonloop.rfc3339(lessonloop.instant(p_event ->> 'since')));
  elsif ahead > 0 then
    held := held || jsonb_build_object('ahead', ahead);
  else
    held := held - 'ahead' - 'lifted';
  end if;
  v := v + 1;
  update public.spaces s set agents_version = v, withdrawn = case
    when held is null or p_kind = 'VoiceReinstated' and ahead <= 0 then s.withdrawn - named
    else s.withdrawn || jsonb_build_object(named, held) end
  where s.id = p_space;
  if p_kind = 'VoiceReinstated' or ahead > 0 then
    return v;
  end if;
  since := (held ->> 'since')::timestamptz;
  for r in
    select l.slug from public.lessons l
    where l.space = p_space and l."by" = named and not l.archived and (since is null or l.created_at >= since)
  loop
    v := v + 1;
    update public.lessons l set archived = true, proposals = '[]', updated_at = p_at, version = v
    where l.space = p_space and l.slug = r.slug;
  end loop;
  for r in
    select l.slug, (
      select coalesce(jsonb_agg(x.value order by x.ordinality), '[]') from jsonb_array_elements(l.proposals) with ordinality x
      where x.value ->> 'by' <> named or (x.value ->> 'at')::timestamptz < since) as kept
    from public.lessons l where l.space = p_space and l.proposals <> '[]'
  loop
    v := v + 1;
    update public.lessons l set proposals = r.kept, version = v
    where l.space = p_space and l.slug = r.slug and l.proposals <> r.kept;
  end loop;
  return v;
end $$;

-- Notes the withdrawals of a voice with the lessons that its events from a place in the ledger on name: what counts of these depends on them.
create or replace function lessonloop.note_withdrawals(p_space uuid, p_voice text, p_from bigint) returns void
language sql volatile as $$
  insert into public.lesson_events (space, slug, version)
  select distinct p_space, x.slug, w.version
  from public.lesson_events x
  join public.events o on o.space = x.space and o.version = x.version
  cross join (
    select e.version from public.events e
    where e.space = p_space and e.kind in ('VoiceWithdrawn', 'VoiceReinstated') and e.payload #>> array['event', e.kind, 'voice'] = p_voice) w
  where x.space = p_space and x.version >= p_from and o.payload ->> 'by' = p_voice
  on conflict do nothing
$$;

-- Folds a space anew from its ledger, and answers the last version taken. Every event and every row gets another version, and the
-- space's epoch counts it, so that replicas read everything again.
create or replace function lessonloop.refold(p_space uuid, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  first constant bigint := v;
  voices jsonb := '{}';
  named text;
  made_by text;
  from_version bigint;
  r record;
begin
  for r in
    select e.kind, e.payload::jsonb -> 'event' -> e.kind as event from public.events e
    where e.space = p_space and e.kind in ('VoiceWithdrawn', 'VoiceReinstated') order by e.version
  loop
    named := r.event ->> 'voice';
    voices := voices || jsonb_build_object(named, jsonb_build_object(
      'since', lessonloop.rfc3339(lessonloop.instant(r.event ->> 'since')),
      'ahead', coalesce((voices -> named ->> 'ahead')::integer, 0) + 1, 'lifted', r.kind = 'VoiceReinstated'));
  end loop;
  delete from public.lesson_events x where x.space = p_space;
  -- Below all places until it is folded, so that none of an event that is yet to come is taken for one before.
  update public.events e set version = -e.version where e.space = p_space;
  -- A vector is made of a text, by a model that is not here.
  create temporary table kept_embeddings on commit drop as select * from public.lesson_embeddings x where x.space = p_space;
  foreach named in array array[
    'recommendations', 'decisions', 'retrievals', 'tool_successes', 'settings', 'feedback_times', 'domain_bases', 'lessons']
  loop
    execute format('delete from public.%I x where x.space = $1', named) using p_space;
  end loop;
  update public.spaces s set agents = '{}', agents_from = '{}', agents_version = null, withdrawn = voices,
    epoch = split_part(s.epoch, '.', 1) || '.' || (coalesce(nullif(split_part(s.epoch, '.', 2), ''), '0')::integer + 1)
  where s.id = p_space;
  perform set_config('lessonloop.tools', '0', true);
  for r in
    select e.op_id, e.kind, e.at, e.payload from public.events e where e.space = p_space order by e.version desc
  loop
    v := v + 1;
    from_version := v;
    made_by := coalesce(r.payload ->> 'by', '');
    update public.events e set version = v where e.space = p_space and e.op_id = r.op_id;
    v := lessonloop.apply_event(p_space, r.kind, r.payload::jsonb -> 'event' -> r.kind, r.payload -> 'event' -> r.kind, r.at, v, made_by);
    perform lessonloop.note_event(p_space, r.kind, r.payload::jsonb -> 'event' -> r.kind, from_version, r.at, made_by);
  end loop;
  for named in select x from jsonb_object_keys(voices) x loop
    perform lessonloop.note_withdrawals(p_space, named, first);
  end loop;
  insert into public.lesson_embeddings select x.* from pg_temp.kept_embeddings x
  where exists (select from public.lessons l where l.space = x.space and l.slug = x.slug);
  drop table pg_temp.kept_embeddings;
  return v;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
-- The functions that the policies ask.
grant execute on function lessonloop.agents() to authenticated;

-- Rights on functions of `public`: people everything, agents what their key opens. An agent comes as `anon`, so every right of that role
-- stands here and in `access.sql`, where the tables are; each of its functions asks `lessonloop.agents()` for the key, by `my_spaces`,
-- `may_use` or a policy. What those that run as their caller call is the same for both, and in no schema that is exposed.
-- pgvector's type is looked up wherever its schema is.
set search_path = public, extensions;
do $$
declare
  f regprocedure;
  of_people constant regprocedure[] := array[
    'public.create_space(text)', 'public.list_members(uuid)', 'public.invite_member(uuid, text, text)',
    'public.revoke_invite(uuid, uuid)', 'public.accept_invite(text)', 'public.change_member(uuid, uuid, text, text)',
    'public.remove_member(uuid, uuid)', 'public.create_agent_key(uuid, text)', 'public.revoke_agent_key(uuid)',
    'public.list_agent_keys(uuid)', 'public.delete_space(uuid, text, text)'];
  of_agents constant regprocedure[] := array[
    'public.agent_key()', 'public.push_events(uuid, text, json, integer)', 'public.pull_changes(uuid, integer, bigint, integer)',
    'public.lesson_history(uuid, text, bigint, integer)', 'public.put_embeddings(uuid, text, jsonb)',
    'public.pull_embeddings(uuid, text, text, integer, text[], text)',
    'public.match_lessons(vector, uuid, double precision, integer)', 'public.lesson_candidates(uuid, jsonb)',
    'public.space_size(uuid)', 'public.space_rows(uuid, jsonb)', 'public.space_lessons(uuid, jsonb)',
    'public.space_decisions(uuid, jsonb)', 'public.space_report(uuid, jsonb)'];
begin
  foreach f in array of_people || of_agents loop
    execute format('revoke all on function %s from public, anon', f);
    execute format('grant execute on function %s to authenticated', f);
  end loop;
  for f in
    select unnest(of_agents)
    union all
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'lessonloop'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
  loop
    execute format('grant execute on function %s to anon', f);
  end loop;
end $$;
reset search_path;
