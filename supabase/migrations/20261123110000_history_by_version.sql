-- An event in the words of who asks, for a lesson's history: a client says which version of the ledger it speaks, and one
-- that says nothing speaks version 1. `lesson_history` itself stands in 20261123120200.

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

revoke all on function
  lessonloop.without(json, text[]), lessonloop.is_of_version_1(text), lessonloop.event_json(json, text, integer)
  from public, anon;
grant execute on function
  lessonloop.without(json, text[]), lessonloop.is_of_version_1(text), lessonloop.event_json(json, text, integer)
  to authenticated;
