-- A page of decisions has texts of 4 MB of lessons at most, as the other answers of a large space; its cursor goes on.

-- See 20261124120300_lists.sql, which tells what is asked and answered.
create or replace function public.space_decisions(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off set enable_seqscan = off as $$
declare
  counted_to constant integer := 10000;
  most integer := least(greatest(coalesce((p_ask ->> 'limit')::integer, 50), 1), 200);
  most_bytes constant bigint := 4000000;
  given integer;
  ids text[];
  slugs text[];
  total bigint;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  with fitting as (
    select d.decision_id, lessonloop.time_of(d.at, d.outcome_at) as t from public.decisions d
    where d.space = p_space and d.decision_id <> '' and (p_ask ->> 'prefix' is null or starts_with(d.decision_id, p_ask ->> 'prefix'))
      and (p_ask ->> 'by' is null or d."by" = p_ask ->> 'by')
      and (p_ask ->> 'domain' is null or coalesce(d.context ->> 'domain', '') = p_ask ->> 'domain')
      and (p_ask ->> 'outcome' is null or coalesce(d.outcome, 'pending') = p_ask ->> 'outcome')
      and (p_ask ->> 'from' is null or lessonloop.time_of(d.at, d.outcome_at) >= (p_ask ->> 'from')::timestamptz)
      and (p_ask ->> 'to' is null or lessonloop.time_of(d.at, d.outcome_at) < (p_ask ->> 'to')::timestamptz)
      and (p_ask ->> 'lesson' is null or exists (
        select from public.recommendations r where r.space = d.space and r.decision_id = d.decision_id and r.lesson = p_ask ->> 'lesson'))
      and (p_ask ->> 'before' is null
        or lessonloop.time_of(d.at, d.outcome_at) < to_timestamp((p_ask ->> 'before')::double precision / 1000)
        or (lessonloop.time_of(d.at, d.outcome_at) = to_timestamp((p_ask ->> 'before')::double precision / 1000)
          and d.decision_id collate "C" > p_ask ->> 'before_id'))
    order by lessonloop.time_of(d.at, d.outcome_at) desc, d.decision_id collate "C" limit counted_to
  )
  select count(*), coalesce((array_agg(f.decision_id order by f.t desc, f.decision_id collate "C"))[1:most + 1], '{}')
  into total, ids from fitting f;
  -- An isolate that reads them has little memory: a page may be shorter than what was asked for. One decision it has at least, and
  -- the one after it, by which a reader knows that there are more.
  select count(*) into given
  from (
    select sum(d.bytes) over (order by d.place) - d.bytes as before
    from (
      select i.place, (
        select coalesce(sum(lessonloop.text_bytes(l)), 0) from public.recommendations r
        join public.lessons l on l.space = r.space and l.slug = r.lesson
        where r.space = p_space and r.decision_id = i.id) as bytes
      from unnest(ids[1:most]) with ordinality i (id, place)) d) x
  where x.before < most_bytes;
  ids := ids[1:given + 1];
  slugs := array(select distinct r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (ids));
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, ids, false),
    'listed', json_build_object('slugs', to_json(ids[1:given]), 'more', cardinality(ids) > given, 'total', total));
end $$;

revoke all on function public.space_decisions(uuid, jsonb) from public, anon;
grant execute on function public.space_decisions(uuid, jsonb) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
