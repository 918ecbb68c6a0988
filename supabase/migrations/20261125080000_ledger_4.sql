-- The ledger's version 4: a recommendation tells the probability of a control run that was in force (`measured.control_q`),
-- and a lesson when its text last changed (`text_at`): what was measured before is of another text. What did not change is
-- left to the functions of earlier versions.

do $$
begin
  -- Nobody pushes between the old functions and the new ones.
  lock table public.spaces in access exclusive mode;
end $$;

-- The version of the ledger that is kept here.
create or replace function lessonloop.ledger_version() returns integer
language sql immutable as $$
  select 4
$$;

alter table public.lessons add column if not exists text_at timestamptz;

-- Of lessons that were edited before this, the last edit that named what agents read.
update public.lessons l set text_at = x.at
from (
  select e.space, e.payload #>> '{event,LessonEdited,lesson}' as lesson, (array_agg(e.at order by e.version desc))[1] as at
  from public.events e
  where e.kind = 'LessonEdited'
    and coalesce(e.payload #>> '{event,LessonEdited,changes,title}', e.payload #>> '{event,LessonEdited,changes,description}',
      e.payload #>> '{event,LessonEdited,changes,context}', e.payload #>> '{event,LessonEdited,changes,recommendation}') is not null
  group by 1, 2
) x
where l.space = x.space and l.slug = x.lesson and l.text_at is null;

-- Version 3's check of an event, by another name; kept as it is where this migration runs again.
do $$
begin
  if to_regprocedure('lessonloop.check_event_3(uuid, text, jsonb, text)') is null then
    alter function lessonloop.check_event(uuid, text, jsonb, text) rename to check_event_3;
  end if;
end $$;

-- Refuses an event that is not well formed or contradicts the space. `p_by` is who made it.
create or replace function lessonloop.check_event(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  plain jsonb := p_event;
begin
  if p_kind = 'Surfaced' and jsonb_typeof(p_event -> 'measured') = 'object' then
    perform lessonloop.shape(p_event -> 'measured', '{"control_q": ["float", ""]}', false);
    plain := p_event #- '{measured,control_q}';
  end if;
  perform lessonloop.check_event_3(p_space, p_kind, plain, p_by);
  if p_event -> 'measured' ? 'control_q' and p_kind = 'Surfaced' then
    perform lessonloop.within_one(p_event #> '{measured,control_q}', 'measured', 'the probability of a control run');
  end if;
end $$;

-- What was withheld, and which of two policies decided, as the core writes it. Numbers come from the text as it was sent:
-- jsonb has no negative zero.
create or replace function lessonloop.measured(p_raw json) returns json
language sql stable set search_path = '' set extra_float_digits = 1 as $$
  with plain as (
    select
      coalesce((p_raw ->> 'control')::boolean, false) as control,
      coalesce((p_raw ->> 'control_q')::float8, 0::float8) as control_q,
      (select coalesce(json_agg(json_build_object(
          'lesson', x.value ->> 'lesson', 'q', (x.value ->> 'q')::float8, 'withheld', (x.value ->> 'withheld')::boolean)
          order by x.ordinality), '[]')
        from json_array_elements(coalesce(p_raw -> 'drawn', '[]')) with ordinality x) as drawn,
      p_raw -> 'shadow' as shadow
    where json_typeof(p_raw) = 'object'
  )
  select case when json_typeof(p.shadow) = 'object' then json_build_object(
      'control', p.control, 'control_q', p.control_q, 'drawn', p.drawn, 'shadow', json_build_object(
        'comparison', coalesce(p.shadow ->> 'comparison', ''), 'decided', p.shadow ->> 'decided',
        'first', coalesce(p.shadow -> 'first', '[]'), 'second', coalesce(p.shadow -> 'second', '[]')))
    else json_build_object('control', p.control, 'control_q', p.control_q, 'drawn', p.drawn) end
  from plain p
$$;

-- What was measured of a decision, with the fields of a version of the ledger alone.
create or replace function lessonloop.measured_json(p_measured json, p_ledger_version integer) returns json
language sql immutable as $$
  select case
    when p_ledger_version >= 4 or p_measured is null or json_typeof(p_measured) <> 'object' then p_measured
    when p_ledger_version = 3 then lessonloop.without(p_measured, 'control_q')
    else lessonloop.without(p_measured, 'control_q', 'shadow') end
$$;

-- A decision as the core's JSON, in the words of who asks.
create or replace function lessonloop.decision_json(d public.decisions, p_ledger_version integer) returns json
language sql stable as $$
  select json_build_object(
    'decision_id', d.decision_id, 'context', d.context, 'by', d."by", 'at', lessonloop.rfc3339(d.at),
    'measured', lessonloop.measured_json(d.measured, p_ledger_version),
    'outcome', d.outcome, 'pnl_percent', d.pnl_percent, 'outcome_by', d.outcome_by,
    'outcome_at', lessonloop.rfc3339(d.outcome_at), 'feedback', d.feedback, 'opinions', d.opinions, 'version', d.version)
$$;

-- Version 3's words of an event, by another name.
do $$
begin
  if to_regprocedure('lessonloop.event_json_3(json, text, integer)') is null then
    alter function lessonloop.event_json(json, text, integer) rename to event_json_3;
  end if;
end $$;

-- An event as it is kept, or with the fields and the words of an earlier version alone.
create or replace function lessonloop.event_json(p_payload json, p_kind text, p_ledger_version integer) returns json
language plpgsql immutable set search_path = '' as $$
begin
  if p_ledger_version >= 4 or p_kind <> 'Surfaced' or p_payload #> '{event,Surfaced,measured,control_q}' is null then
    return lessonloop.event_json_3(p_payload, p_kind, p_ledger_version);
  end if;
  return lessonloop.event_json_3(
    lessonloop.with_value(p_payload, array['event', 'Surfaced', 'measured'],
      lessonloop.without(p_payload #> '{event,Surfaced,measured}', 'control_q')),
    p_kind, p_ledger_version);
end $$;

-- An edit. `text_at` is when one last named what agents read: title, description, context or recommendation.
create or replace function lessonloop.edit_lesson(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  c jsonb := p_event -> 'changes';
begin
  update public.lessons l set
    text_at = case when coalesce(c ->> 'title', c ->> 'description', c ->> 'context', c ->> 'recommendation') is null
      then l.text_at else p_at end,
    title = coalesce(c ->> 'title', l.title),
    description = coalesce(c ->> 'description', l.description),
    context = coalesce(c ->> 'context', l.context),
    recommendation = coalesce(c ->> 'recommendation', l.recommendation),
    category = coalesce(c ->> 'category', l.category),
    domain = coalesce(c ->> 'domain', l.domain),
    project_types = case when c ->> 'project_types' is null then l.project_types else lessonloop.text_list(c -> 'project_types') end,
    tech_stacks = case when c ->> 'tech_stacks' is null then l.tech_stacks else lessonloop.text_list(c -> 'tech_stacks') end,
    tags = case when c ->> 'tags' is null then l.tags else lessonloop.text_list(c -> 'tags') end,
    embedded_hash = lessonloop.embedded_hash(coalesce(c ->> 'title', l.title),
      coalesce(c ->> 'description', l.description), coalesce(c ->> 'recommendation', l.recommendation)),
    rev = lessonloop.capped(l.rev + 1),
    trust = p_event ->> 'trust',
    findings = lessonloop.text_list(p_event -> 'findings'),
    updated_at = p_at,
    version = v + 1
  where l.space = p_space and l.slug = p_event ->> 'lesson';
  return v + 1;
end $$;

-- A lesson as the core's JSON, and its version. Without a version of the ledger, it is that of version 1.
create or replace function lessonloop.lesson_json(l public.lessons, p_ledger_version integer) returns json
language sql stable as $$
  select json_build_object(
    'slug', l.slug, 'title', l.title, 'description', l.description, 'context', l.context,
    'recommendation', l.recommendation, 'category', l.category, 'domain', l.domain, 'project_types', l.project_types,
    'tech_stacks', l.tech_stacks, 'tags', l.tags, 'confidence', l.confidence, 'frequency', l.frequency,
    'upvotes', l.upvotes, 'downvotes', l.downvotes, 'times_surfaced', l.times_surfaced, 'times_helpful', l.times_helpful,
    'times_not_helpful', l.times_not_helpful, 'effectiveness', l.effectiveness, 'use_count', l.use_count,
    'causal_hits', l.causal_hits, 'last_used_at', lessonloop.rfc3339(l.last_used_at),
    'last_feedback_at', lessonloop.rfc3339(l.last_feedback_at), 'times_applied', l.times_applied,
    'success_count', l.success_count, 'consecutive_failures', l.consecutive_failures,
    'proven_effective', l.proven_effective, 'qualified_at', lessonloop.rfc3339(l.qualified_at), 'source', l.source,
    'trust', l.trust, 'findings', l.findings, 'archived', l.archived, 'merged_into', l.merged_into, 'rev', l.rev,
    'created_at', lessonloop.rfc3339(l.created_at), 'updated_at', lessonloop.rfc3339(l.updated_at),
    'text_at', lessonloop.rfc3339(l.text_at), 'by', l."by",
    'trial_from', l.trial_from, 'approved_by_agent', l.approved_by_agent, 'own_word', lessonloop.standing_json(l.own_word),
    'counted_on', l.counted_on, 'version', l.version)
$$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function
  lessonloop.ledger_version(), lessonloop.lesson_json(public.lessons, integer),
  lessonloop.measured_json(json, integer), lessonloop.decision_json(public.decisions, integer),
  lessonloop.event_json(json, text, integer), lessonloop.event_json_3(json, text, integer),
  lessonloop.with_value(json, text[], json)
  to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
