-- A lesson's history in the words of who asks, as push and pull: a client says which version of the ledger it speaks, and
-- one that says nothing speaks version 1.

-- An object without some of its fields. What stays is the text it was: jsonb would lose the sign of a zero.
create or replace function lessonloop.without(p_object json, variadic p_fields text[]) returns json
language sql immutable set search_path = '' as $$
  select coalesce(json_object_agg(x.key, x.value), '{}') from json_each(p_object) x where x.key <> all (p_fields)
$$;

-- Kinds of events that version 1 does not know.
create or replace function lessonloop.is_of_version_1(p_kind text) returns boolean
language sql immutable as $$
  select p_kind not in ('TrialGranted', 'PolicyChanged')
$$;

-- An event as it is kept, or with the fields and the words of version 1 alone.
create or replace function lessonloop.event_json(p_payload json, p_kind text, p_ledger_version integer) returns json
language plpgsql immutable set search_path = '' as $$
declare
  e json := p_payload -> 'event' -> p_kind;
begin
  if p_ledger_version >= 2 then
    return p_payload;
  end if;
  e := case
    when p_kind = 'LessonAdded' then json_build_object('lesson', lessonloop.without(e -> 'lesson', 'by', 'trial_from'))
    when p_kind = 'Surfaced' then lessonloop.without(e, 'measured')
    when p_kind in ('Rated', 'Voted', 'FeedbackGiven') then lessonloop.without(e, 'decision_id')
    when p_kind = 'OutcomeRecorded' then (
      select json_object_agg(x.key, case when x.key <> 'outcome' then x.value
        else to_json(case e ->> 'outcome' when 'success' then 'profit' when 'failure' then 'loss' else e ->> 'outcome' end) end)
      from json_each(e) x)
    else e
  end;
  return json_build_object('op_id', p_payload -> 'op_id', 'actor', p_payload -> 'actor', 'seq', p_payload -> 'seq',
    'at', p_payload -> 'at', 'event', json_build_object(p_kind, e));
end $$;

-- The events that moved or saw a lesson, newest first; `p_before` is the `next_before` of the page before. A client of
-- version 1 gets those that it knows.
create or replace function public.lesson_history(
  p_space uuid, p_slug text, p_before bigint default null, p_limit integer default 50, p_ledger_version integer default 1)
returns json
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off as $$
declare
  most integer := least(greatest(coalesce(p_limit, 50), 1), 500);
  ledger constant integer := lessonloop.served_version(p_ledger_version);
  answer json;
begin
  if not exists (select from public.spaces s where s.id = p_space) then
    perform lessonloop.no_space();
  end if;
  if not exists (select from public.lessons l where l.space = p_space and l.slug = p_slug) then
    raise exception using errcode = 'PT404', message = format('there is no lesson `%s`', p_slug);
  end if;
  with found as (
    select e.version, e.kind, e.payload, e.received_at, row_number() over (order by e.version desc) as place
    from public.lesson_events x join public.events e on e.space = x.space and e.version = x.version
    where x.space = p_space and x.slug = p_slug and (p_before is null or x.version < p_before)
      and (ledger >= 2 or lessonloop.is_of_version_1(e.kind))
    order by e.version desc limit most + 1
  )
  select json_build_object(
    'events', coalesce(json_agg(json_build_object(
      'version', f.version, 'received_at', lessonloop.rfc3339(f.received_at),
      'event', lessonloop.event_json(f.payload, f.kind, ledger))
      order by f.version desc) filter (where f.place <= most), '[]'),
    'next_before', case when count(*) > most then min(f.version) filter (where f.place <= most) end)
  into answer from found f;
  return answer;
end $$;

-- The function without a version. With two of a name, REST would not know which is meant.
drop function if exists public.lesson_history(uuid, text, bigint, integer);

revoke all on function
  lessonloop.without(json, text[]), lessonloop.is_of_version_1(text), lessonloop.event_json(json, text, integer)
  from public, anon;
grant execute on function
  lessonloop.without(json, text[]), lessonloop.is_of_version_1(text), lessonloop.event_json(json, text, integer)
  to authenticated;
revoke all on function public.lesson_history(uuid, text, bigint, integer, integer) from public, anon;
grant execute on function public.lesson_history(uuid, text, bigint, integer, integer) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
