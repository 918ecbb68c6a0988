-- Deleting a space, with everything in it. Its owner alone does so, the member who has been in it longest, and in two steps:
-- the first gives a code that holds for ten minutes, the second takes that code.

-- Of a code only its SHA-256 is kept, one for each space.
create table if not exists lessonloop.deletions (
  space uuid primary key references public.spaces (id) on delete cascade,
  user_id uuid not null,
  code_hash bytea not null,
  expires_at timestamptz not null
);
alter table lessonloop.deletions enable row level security;
revoke all on table lessonloop.deletions from public, anon, authenticated;

-- The member who has been in a space longest: who made it, as long as they stay.
create or replace function lessonloop.owner_of(p_space uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select m.user_id from public.members m where m.space = p_space order by m.joined_at, m.user_id limit 1
$$;

-- Without `p_code`: {"deleted": false, "code", "expires_at", "lessons", "events", "members", "agent_keys"}, and nothing is
-- changed. With that code: {"deleted": true}, and the space is gone, with its lessons, ledger, members and keys.
create or replace function public.delete_space(p_space uuid, p_name text, p_code text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  minutes constant interval := interval '10 minutes';
  called text;
  code text;
begin
  if lessonloop.is_edge() then
    raise exception using errcode = 'PT403', message = 'an edge can''t delete a space',
      hint = 'sign in as the owner of the space';
  end if;
  -- The lock of a push: nothing comes in between.
  select s.name into called from public.spaces s
  where s.id = p_space and exists (select from public.members m where m.space = s.id and m.user_id = auth.uid()) for update;
  if not found then
    perform lessonloop.no_space();
  end if;
  if lessonloop.owner_of(p_space) <> auth.uid() then
    raise exception using errcode = 'PT403', message = 'only the owner of a space may delete it: the member who has been in it longest',
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
    raise exception using errcode = 'PT409', message = 'this code does not hold, or not any more: it does for ten minutes',
      detail = 'p_code', hint = 'call delete_space without p_code for another';
  end if;
  delete from public.spaces s where s.id = p_space;
  return '{"deleted": true}';
end $$;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on function public.delete_space(uuid, text, text) from public, anon;
grant execute on function public.delete_space(uuid, text, text) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
