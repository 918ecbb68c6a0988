-- New keys of agents carry a checksum, so that an edge tells a key that was mistyped or made up without asking here: `llk_`,
-- 64 hexadecimal digits, and the first eight of the SHA-256 of what stands before them (crates/lesson-service, edge/form.rs).
-- Keys from before stay in force; they are told by their length. Only a key's SHA-256 is kept, the checksum with it.

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

revoke all on function public.create_agent_key(uuid, text) from public, anon;
grant execute on function public.create_agent_key(uuid, text) to authenticated;
