-- The ledger's version 3: a recommendation tells which of two compared policies drafted its lessons or decided
-- (`measured.shadow`), and a review may give its reason. What did not change is left to the functions of versions 1 and 2.

do $$
begin
  -- Nobody pushes between the old functions and the new ones.
  lock table public.spaces in access exclusive mode;
end $$;

-- The version of the ledger that is kept here.
create or replace function lessonloop.ledger_version() returns integer
language sql immutable as $$
  select 3
$$;

-- Version 2's check of an event, by another name; kept as it is where this migration runs again.
do $$
begin
  if to_regprocedure('lessonloop.check_event_2(uuid, text, jsonb, text)') is null then
    alter function lessonloop.check_event(uuid, text, jsonb, text) rename to check_event_2;
  end if;
end $$;

-- Refuses an event that is not well formed or contradicts the space. `p_by` is who made it.
create or replace function lessonloop.check_event(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  plain jsonb := p_event;
  shadow jsonb;
  s text;
begin
  -- First what version 3 added, and then the rest as version 2 knows it.
  if p_kind = 'Surfaced' and jsonb_typeof(p_event -> 'measured') = 'object' then
    shadow := p_event #> '{measured,shadow}';
    plain := p_event #- '{measured,shadow}';
  elsif p_kind = 'LessonReviewed' and jsonb_typeof(p_event) = 'object' then
    perform lessonloop.shape(p_event, '{"reason": ["text", "", 4000]}', false);
    plain := p_event - 'reason';
  end if;
  if shadow is not null and jsonb_typeof(shadow) <> 'null' then
    perform lessonloop.shape(shadow, '{
      "comparison": ["text", "", 200], "decided": ["one", "?", 0, ["first", "second"]],
      "first": ["texts", "", 200, 100], "second": ["texts", "", 200, 100]}', true);
  end if;
  perform lessonloop.check_event_2(p_space, p_kind, plain, p_by);
  if jsonb_typeof(shadow) = 'object' then
    for s in
      select x from jsonb_array_elements_text(coalesce(shadow -> 'first', '[]')) x
      union all select x from jsonb_array_elements_text(coalesce(shadow -> 'second', '[]')) x
    loop
      perform lessonloop.known_lesson(p_space, s);
    end loop;
  end if;
end $$;

-- What was withheld, and which of two policies decided, as the core writes it. Numbers come from the text as it was sent:
-- jsonb has no negative zero.
create or replace function lessonloop.measured(p_raw json) returns json
language sql stable set search_path = '' set extra_float_digits = 1 as $$
  with plain as (
    select
      coalesce((p_raw ->> 'control')::boolean, false) as control,
      (select coalesce(json_agg(json_build_object(
          'lesson', x.value ->> 'lesson', 'q', (x.value ->> 'q')::float8, 'withheld', (x.value ->> 'withheld')::boolean)
          order by x.ordinality), '[]')
        from json_array_elements(coalesce(p_raw -> 'drawn', '[]')) with ordinality x) as drawn,
      p_raw -> 'shadow' as shadow
    where json_typeof(p_raw) = 'object'
  )
  select case when json_typeof(p.shadow) = 'object' then json_build_object(
      'control', p.control, 'drawn', p.drawn, 'shadow', json_build_object(
        'comparison', coalesce(p.shadow ->> 'comparison', ''), 'decided', p.shadow ->> 'decided',
        'first', coalesce(p.shadow -> 'first', '[]'), 'second', coalesce(p.shadow -> 'second', '[]')))
    else json_build_object('control', p.control, 'drawn', p.drawn) end
  from plain p
$$;

-- A decision as the core's JSON, in the words of who asks.
create or replace function lessonloop.decision_json(d public.decisions, p_ledger_version integer) returns json
language sql stable as $$
  select json_build_object(
    'decision_id', d.decision_id, 'context', d.context, 'by', d."by", 'at', lessonloop.rfc3339(d.at),
    'measured', case when p_ledger_version >= 3 or d.measured is null then d.measured
      else lessonloop.without(d.measured, 'shadow') end,
    'outcome', d.outcome, 'pnl_percent', d.pnl_percent, 'outcome_by', d.outcome_by,
    'outcome_at', lessonloop.rfc3339(d.outcome_at), 'feedback', d.feedback, 'opinions', d.opinions, 'version', d.version)
$$;

-- An event as it is kept, or with the fields and the words of an earlier version alone.
create or replace function lessonloop.event_json(p_payload json, p_kind text, p_ledger_version integer) returns json
language plpgsql immutable set search_path = '' as $$
declare
  e json := p_payload -> 'event' -> p_kind;
  place json;
begin
  if p_ledger_version >= 3 then
    return p_payload;
  end if;
  e := case
    when p_kind = 'LessonReviewed' then lessonloop.without(e, 'reason')
    when p_kind = 'LessonAdded' and p_ledger_version < 2
      then json_build_object('lesson', lessonloop.without(e -> 'lesson', 'by', 'trial_from'))
    when p_kind = 'Surfaced' and p_ledger_version < 2 then lessonloop.without(e, 'measured')
    when p_kind = 'Surfaced' and json_typeof(e -> 'measured') = 'object' then (
      select json_object_agg(x.key, case when x.key = 'measured' then lessonloop.without(x.value, 'shadow') else x.value end)
      from json_each(e) x)
    when p_kind in ('Rated', 'Voted', 'FeedbackGiven') and p_ledger_version < 2 then lessonloop.without(e, 'decision_id')
    when p_kind = 'OutcomeRecorded' and p_ledger_version < 2 then (
      select json_object_agg(x.key, case when x.key <> 'outcome' then x.value
        else to_json(case e ->> 'outcome' when 'success' then 'profit' when 'failure' then 'loss' else e ->> 'outcome' end) end)
      from json_each(e) x)
    else e
  end;
  if p_ledger_version < 2 then
    return json_build_object('op_id', p_payload -> 'op_id', 'actor', p_payload -> 'actor', 'seq', p_payload -> 'seq',
      'at', p_payload -> 'at', 'event', json_build_object(p_kind, e));
  end if;
  select json_object_agg(x.key, case when x.key = 'event' then json_build_object(p_kind, e) else x.value end)
  into place from json_each(p_payload) x;
  return place;
end $$;

-- The rows of a space that changed after a cursor, oldest change first. Every changed row has a version of its own and
-- later commits have higher ones, so the last version of a page is the cursor of the next. One object, so that no row
-- cap of REST cuts it. A page holds at most `p_limit` rows and about 4 MB. It is one snapshot: `acked_seq` never tells
-- of events whose rows a later page could not hold, and on the last page, which has all there is, `next_cursor` is the
-- space's `version`. When `epoch` is another than before, start again from cursor 0.
-- A client of version 1 gets neither decisions nor settings, and outcomes in its own words; its cursor passes over the rest
-- all the same, so when it is updated it has to start again from cursor 0.
--   agents    the first agents' keys that wrote
--   feedback  times of feedback; of the last 30 days, for health
--   days      how many events each of the latest 60 days with events has; on the last page, when anything changed
create or replace function public.pull_changes(
  p_space uuid, p_cursor bigint default 0, p_limit integer default 1000, p_ledger_version integer default 1) returns json
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off set extra_float_digits = 1 as $$
declare
  most_bytes constant bigint := 4000000;
  feedback_days constant interval := '30 days';
  most_days constant integer := 60;
  epoch uuid;
  newest bigint;
  from_version bigint := greatest(coalesce(p_cursor, 0), 0);
  most bigint := least(greatest(coalesce(p_limit, 1000), 1), 5000);
  ledger constant integer := lessonloop.served_version(p_ledger_version);
  answer json;
begin
  select s.epoch, s.version into epoch, newest from public.spaces s where s.id = p_space;
  if not found then
    perform lessonloop.no_space();
  end if;
  with changed as (
    (select 1 as kind, l.version,
       case when ledger >= 2 then lessonloop.lesson_json(l, ledger) else lessonloop.lesson_json(l) end as body
     from public.lessons l
     where l.space = p_space and l.version > from_version order by l.version limit most + 1)
    union all
    (select 2, r.version, lessonloop.recommendation_json(r, ledger) from public.recommendations r
     where r.space = p_space and r.version > from_version order by r.version limit most + 1)
    union all
    (select 3, t.version, lessonloop.tool_json(t) from public.tool_successes t
     where t.space = p_space and t.version > from_version order by t.version limit most + 1)
    union all
    (select 4, f.version, json_build_object('at', lessonloop.rfc3339(f.at), 'version', f.version) from public.feedback_times f
     where f.space = p_space and f.version > from_version and f.at > now() - feedback_days order by f.version limit most + 1)
    union all
    (select 5, d.version, lessonloop.decision_json(d, ledger) from public.decisions d
     where ledger >= 2 and d.space = p_space and d.version > from_version order by d.version limit most + 1)
    union all
    (select 6, s.version, json_build_object('name', s.name, 'value', s.value, 'version', s.version) from public.settings s
     where ledger >= 2 and s.space = p_space and s.version > from_version order by s.version limit most + 1)
    union all
    (select 7, s.agents_version, json_build_object('keys', s.agents, 'version', s.agents_version) from public.spaces s
     where ledger >= 2 and s.id = p_space and s.agents_version > from_version)
  ), numbered as (
    select c.*, row_number() over w as place, sum(octet_length(c.body::text)) over w - octet_length(c.body::text) as before
    from changed c window w as (order by c.version)
  ), page as (
    select * from numbered n where n.place <= most and n.before < most_bytes
  ), rest as (
    select (select count(*) from numbered) > (select count(*) from page) as any
  ), days as (
    select a.day, a.events from public.activity a, rest
    where a.space = p_space and not rest.any and newest > from_version order by a.day desc limit most_days
  )
  select json_build_object(
    'ledger_version', lessonloop.ledger_version(),
    'lessons', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 1), '[]'),
    'recommendations', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 2), '[]'),
    'tools', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 3), '[]'),
    'feedback', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 4), '[]'),
    'decisions', case when ledger >= 2 then coalesce(json_agg(p.body order by p.version) filter (where p.kind = 5), '[]') end,
    'settings', case when ledger >= 2 then coalesce(json_agg(p.body order by p.version) filter (where p.kind = 6), '[]') end,
    'agents', case when ledger >= 2 then coalesce(json_agg(p.body order by p.version) filter (where p.kind = 7), '[]') end,
    'days', (select coalesce(json_agg(json_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'events', d.events) order by d.day), '[]')
             from days d),
    'next_cursor', case when (select rest.any from rest) then max(p.version) else newest end,
    'version', newest,
    'has_more', (select rest.any from rest),
    'acked_seq', (select coalesce(json_object_agg(a.id, a.last_seq), '{}') from public.actors a
                  where a.space = p_space and a.user_id = (select auth.uid())),
    'epoch', epoch)
  into answer from page p;
  return answer;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function
  lessonloop.ledger_version(), lessonloop.decision_json(public.decisions, integer),
  lessonloop.event_json(json, text, integer), lessonloop.without(json, text[])
  to authenticated;
revoke all on function public.pull_changes(uuid, bigint, integer, integer) from public, anon;
grant execute on function public.pull_changes(uuid, bigint, integer, integer) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
