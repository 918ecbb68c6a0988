-- Keys for agents. A key is shown once, when it is made; only its SHA-256 is kept.

-- The key's randomness is `gen_random_uuid`, which is part of PostgreSQL and draws on its strong random source, so no
-- extension is needed. A UUID carries 122 random bits; three carry 366, and their SHA-256 is a key of 256 bits.
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
  if not exists (select from public.spaces s where s.id = p_space) then
    perform lessonloop.no_space();
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', k.id, 'name', k.name, 'created_at', lessonloop.rfc3339(k.created_at),
      'last_used_at', lessonloop.rfc3339(k.last_used_at), 'revoked_at', lessonloop.rfc3339(k.revoked_at))
      order by k.created_at, k.id), '[]')
    from public.agent_keys k where k.space = p_space);
end $$;

revoke all on function
  public.create_agent_key(uuid, text), public.revoke_agent_key(uuid), public.list_agent_keys(uuid) from public, anon;
grant execute on function
  public.create_agent_key(uuid, text), public.revoke_agent_key(uuid), public.list_agent_keys(uuid) to authenticated;
