-- The fold with the rule of 20261123120000_own_lessons.sql. What did not change is left to the older files' functions.

do $$
begin
  -- Nobody pushes between the old functions and the new ones.
  lock table public.spaces in access exclusive mode;
end $$;

-- Moves a lesson by what is said of it; its writer's word waits.
create or replace function lessonloop.move(
  p_space uuid, p_slug text, p_what text, p_good boolean, p_at timestamptz, v bigint, p_waits boolean) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  l public.lessons;
  s lessonloop.standing;
  own lessonloop.standing;
begin
  select * into l from public.lessons x where x.space = p_space and x.slug = p_slug;
  s := lessonloop.standing_of(l);
  own := l.own_word;
  if p_waits and own.confidence is null then
    own := s;
  end if;
  if own.confidence is not null then
    own := lessonloop.told(own, p_what, p_good, p_at);
  end if;
  if not p_waits then
    s := lessonloop.told(s, p_what, p_good, p_at);
  end if;
  perform lessonloop.put_standing(p_space, p_slug, s, own, v + 1);
  return v + 1;
end $$;

-- A rating or a vote, which are `rated` and `voted`: an agent's counts once a day in a shared space.
create or replace function lessonloop.give_opinion(
  p_space uuid, p_slug text, p_what text, p_good boolean, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  l public.lessons;
  today integer := (p_at at time zone 'UTC')::date - date '1970-01-01';
begin
  select * into l from public.lessons x where x.space = p_space and x.slug = p_slug;
  if lessonloop.is_agent(p_by) and lessonloop.is_shared(p_space) then
    -- Days go forward: a clock that was set back gives no second chance.
    if today <= (l.counted_on -> p_by ->> p_what)::integer then
      -- It moves nothing, but is part of the lesson's history.
      insert into public.lesson_events (space, slug, version) values (p_space, p_slug, v) on conflict do nothing;
      return v;
    end if;
    update public.lessons x set counted_on = x.counted_on || jsonb_build_object(
      p_by, coalesce(x.counted_on -> p_by, '{}') || jsonb_build_object(p_what, today))
    where x.space = p_space and x.slug = p_slug;
  end if;
  return lessonloop.move(p_space, p_slug, p_what, p_good, p_at, v, lessonloop.is_own_word(l, p_by));
end $$;

-- After a lesson's trust was set: with a person's approval, what its writer said of it counts.
create or replace function lessonloop.trusted(p_space uuid, p_slug text, p_by text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  l public.lessons;
begin
  update public.lessons x
  set approved_by_agent = x.trust = 'approved' and lessonloop.is_agent(x."by") and not (p_by like 'person:%' or p_by = 'local')
  where x.space = p_space and x.slug = p_slug
  returning * into l;
  if l.trust = 'approved' and not l.approved_by_agent and (l.own_word).confidence is not null then
    perform lessonloop.put_standing(p_space, p_slug, l.own_word, null, l.version);
  end if;
end $$;

-- Counts a final outcome in the standing of every applied lesson, once each. It is the word of a lesson's writer when that
-- asked for the recommendation, told the outcome, or makes it count now.
create or replace function lessonloop.count_outcome(
  p_space uuid, p_decision text, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  d public.decisions;
  won boolean;
  r record;
  waits boolean;
begin
  select * into d from public.decisions x
  where x.space = p_space and x.decision_id = p_decision and x.outcome in ('success', 'failure');
  if not found then
    return v;
  end if;
  won := d.outcome = 'success';
  for r in
    select x.lesson from public.recommendations x
    where x.space = p_space and x.decision_id = p_decision and x.was_applied and not x.settled order by x.position
  loop
    v := v + 1;
    update public.recommendations x set settled = true, contributed_to_success = won, version = v
    where x.space = p_space and x.decision_id = p_decision and x.lesson = r.lesson;
    select lessonloop.is_own_word(l, d."by") or lessonloop.is_own_word(l, d.outcome_by) or lessonloop.is_own_word(l, p_by)
    into waits from public.lessons l where l.space = p_space and l.slug = r.lesson;
    v := lessonloop.move(p_space, r.lesson, 'applied', won, p_at, v, waits);
  end loop;
  return v;
end $$;

create or replace function lessonloop.surface(
  p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  decision text := p_event #>> '{context,decision_id}';
  item json;
  d public.decisions;
  place integer;
  from_version constant bigint := v;
  counted bigint;
begin
  if decision is not null then
    insert into public.decisions as x (space, decision_id, context, "by", at, measured, asked_at, version)
    values (p_space, decision, lessonloop.situation(p_event -> 'context'), p_by, p_at, lessonloop.measured(p_raw -> 'measured'),
      from_version, v + 1)
    on conflict (space, decision_id) do update
      set context = excluded.context, "by" = excluded."by", at = excluded.at, measured = excluded.measured,
        asked_at = excluded.asked_at, version = excluded.version
      -- Its outcome came first.
      where x.at is null;
    get diagnostics counted = row_count;
    v := v + counted;
    select * into d from public.decisions x where x.space = p_space and x.decision_id = decision;
    select coalesce(max(x.position), 0) into place from public.recommendations x
    where x.space = p_space and x.decision_id = decision;
  end if;
  for item in select * from json_array_elements(p_raw -> 'items') loop
    insert into public.retrievals (space, retrieval_id, lesson)
    values (p_space, p_event ->> 'retrieval_id', item ->> 'lesson') on conflict do nothing;
    get diagnostics counted = row_count;
    if counted > 0 then
      v := v + 1;
      update public.lessons l set times_surfaced = lessonloop.capped(l.times_surfaced + 1), version = v,
        own_word = case when (l.own_word).confidence is not null then lessonloop.told(l.own_word, 'shown', true, p_at) end
      where l.space = p_space and l.slug = item ->> 'lesson';
    end if;
    if decision is not null then
      insert into public.recommendations (
        space, decision_id, position, lesson, domain, relevance_score, was_presented, was_applied, match_type, confidence,
        trade_outcome, pnl_percent, contributed_to_success, settled, at, version)
      values (
        p_space, decision, place + 1, item ->> 'lesson', coalesce(p_event #>> '{context,domain}', ''),
        coalesce((item ->> 'relevance')::float8, 0), true, false, 'none', 0, d.outcome, d.pnl_percent, false, false,
        p_at, v + 1)
      on conflict (space, decision_id, lesson) do nothing;
      get diagnostics counted = row_count;
      place := place + counted::integer;
      v := v + counted;
      -- Who asked first, which may have been without this lesson, decides whether its outcome waits.
      insert into public.lesson_events (space, slug, version)
      select p_space, item ->> 'lesson', d.asked_at where d.asked_at < from_version on conflict do nothing;
    end if;
  end loop;
  return v;
end $$;

-- A detection only ever adds: a record once applied stays so, and the surest match is kept.
create or replace function lessonloop.detect(
  p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  seen json;
  r public.recommendations;
  sure float8;
begin
  for seen in select * from json_array_elements(p_raw -> 'detections') loop
    select * into r from public.recommendations x
    where x.space = p_space and x.decision_id = p_event ->> 'decision_id' and x.lesson = seen ->> 'lesson';
    sure := (seen ->> 'confidence')::float8;
    if (sure > r.confidence or (r.match_type = 'none' and not r.was_applied))
        and ((seen ->> 'applied')::boolean or not r.was_applied) then
      r.match_type := seen ->> 'match_type';
      r.confidence := sure;
      r.agent_quote := seen ->> 'quote';
    end if;
    v := v + 1;
    update public.recommendations x set
      match_type = r.match_type, confidence = r.confidence, agent_quote = r.agent_quote,
      was_applied = r.was_applied or (seen ->> 'applied')::boolean, version = v
    where x.space = p_space and x.decision_id = r.decision_id and x.lesson = r.lesson;
  end loop;
  return lessonloop.count_outcome(p_space, p_event ->> 'decision_id', p_at, v, p_by);
end $$;

create or replace function lessonloop.record_outcome(
  p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  decision text := p_event ->> 'decision_id';
  said text := lessonloop.outcome_word(p_event ->> 'outcome');
  pnl float8 := (p_raw ->> 'pnl_percent')::float8;
  r record;
begin
  insert into public.decisions as d (space, decision_id, outcome, pnl_percent, outcome_by, outcome_at, version)
  values (p_space, decision, said, pnl, p_by, p_at, v + 1)
  on conflict (space, decision_id) do update
    set outcome = said, pnl_percent = pnl, outcome_by = p_by, outcome_at = p_at, version = v + 1
    where coalesce(d.outcome, 'pending') = 'pending';
  if not found then
    return v;
  end if;
  v := v + 1;
  for r in
    select x.lesson from public.recommendations x where x.space = p_space and x.decision_id = decision order by x.position
  loop
    v := v + 1;
    update public.recommendations x set trade_outcome = said, pnl_percent = pnl, version = v
    where x.space = p_space and x.decision_id = decision and x.lesson = r.lesson;
  end loop;
  return lessonloop.count_outcome(p_space, decision, p_at, v, p_by);
end $$;

-- What feedback, a rating or a vote says of lessons.
create or replace function lessonloop.hear(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  name text;
  waits boolean;
begin
  if p_kind = 'Rated' then
    return lessonloop.give_opinion(p_space, p_event ->> 'lesson', 'rated', (p_event ->> 'helpful')::boolean, p_at, v, p_by);
  elsif p_kind = 'Voted' then
    return lessonloop.give_opinion(p_space, p_event ->> 'lesson', 'voted', (p_event ->> 'up')::boolean, p_at, v, p_by);
  end if;
  insert into public.feedback_times (space, version, at) values (p_space, v, p_at);
  for name in select distinct x from jsonb_array_elements_text(p_event -> 'lessons') x loop
    select lessonloop.is_own_word(l, p_by) into waits from public.lessons l where l.space = p_space and l.slug = name;
    v := lessonloop.move(p_space, name, case when (p_event -> 'causal') ? name then 'cause' else 'present' end,
      p_event ->> 'outcome' <> 'blocked', p_at, v, waits);
  end loop;
  return v;
end $$;

-- Feedback, a rating or a vote. About a decision it is kept with that, and taken once from everybody.
create or replace function lessonloop.judge(
  p_space uuid, p_kind text, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  d public.decisions;
  new jsonb;
begin
  if p_event ->> 'decision_id' is null then
    return lessonloop.hear(p_space, p_kind, p_event, p_at, v, p_by);
  end if;
  select * into d from public.decisions x where x.space = p_space and x.decision_id = p_event ->> 'decision_id';
  -- The check has refused what differs from it.
  if p_kind = 'FeedbackGiven' and lessonloop.feedback_by(d, p_by) is not null
      or p_kind <> 'FeedbackGiven' and lessonloop.opinion_by(d, p_by, p_event ->> 'lesson', p_kind = 'Voted') is not null then
    return v;
  end if;
  v := lessonloop.hear(p_space, p_kind, p_event, p_at, v, p_by) + 1;
  new := jsonb_build_object('by', p_by, 'at', lessonloop.rfc3339(p_at));
  if p_kind = 'FeedbackGiven' then
    update public.decisions x set version = v, feedback = x.feedback || jsonb_build_array(new || jsonb_build_object(
      'outcome', p_event -> 'outcome', 'lessons', lessonloop.sorted(p_event -> 'lessons'),
      'causal', lessonloop.sorted(p_event -> 'causal')))
    where x.space = p_space and x.decision_id = d.decision_id;
  else
    update public.decisions x set version = v, opinions = x.opinions || jsonb_build_array(new || jsonb_build_object(
      'lesson', p_event -> 'lesson', 'is_vote', p_kind = 'Voted',
      'is_positive', coalesce(p_event -> 'up', p_event -> 'helpful')))
    where x.space = p_space and x.decision_id = d.decision_id;
  end if;
  return v;
end $$;

create or replace function lessonloop.merge_lessons(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  l public.lessons;
  s lessonloop.standing;
  own lessonloop.standing;
  other lessonloop.standing;
  name text;
begin
  select * into l from public.lessons x where x.space = p_space and x.slug = p_event ->> 'into';
  s := lessonloop.standing_of(l);
  own := l.own_word;
  -- The order decides the bits of the weighted mean: that of the slugs' bytes.
  for name in select distinct (x collate "C") as slug from jsonb_array_elements_text(p_event -> 'from') x order by slug loop
    -- What waits for the approval of a lesson that is merged stays with that.
    select (lessonloop.standing_of(x)).* into other from public.lessons x where x.space = p_space and x.slug = name;
    s := lessonloop.summed(s, other);
    if own.confidence is not null then
      own := lessonloop.summed(own, other);
    end if;
    v := v + 1;
    update public.lessons x set archived = true, merged_into = l.slug, updated_at = p_at, version = v
    where x.space = p_space and x.slug = name;
  end loop;
  s := lessonloop.qualified(s, p_at);
  if own.confidence is not null then
    own := lessonloop.qualified(own, p_at);
  end if;
  v := v + 1;
  perform lessonloop.put_standing(p_space, l.slug, s, own, v);
  update public.lessons x set updated_at = p_at where x.space = p_space and x.slug = l.slug;
  return v;
end $$;

-- Folds an event that was checked, and answers the last version taken. `p_raw` is the event's text as it was sent, and
-- `p_by` who made it.
create or replace function lessonloop.apply_event(
  p_space uuid, p_kind text, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  from_version constant bigint := v;
  named text := p_event ->> 'lesson';
begin
  case p_kind
    when 'LessonAdded' then
      v := lessonloop.add_lesson(p_space, p_event -> 'lesson', p_raw -> 'lesson', v, p_by);
      perform lessonloop.trusted(p_space, p_event #>> '{lesson,slug}', p_by);
    when 'LessonEdited', 'LessonReviewed' then
      v := lessonloop.apply_event(p_space, p_kind, p_event, p_raw, p_at, v);
      perform lessonloop.trusted(p_space, named, p_by);
    when 'Surfaced' then
      v := lessonloop.surface(p_space, p_event, p_raw, p_at, v, p_by);
    when 'UsageTracked' then
      v := lessonloop.detect(p_space, p_event, p_raw, p_at, v, p_by);
    when 'OutcomeRecorded' then
      v := lessonloop.record_outcome(p_space, p_event, p_raw, p_at, v, p_by);
    when 'FeedbackGiven', 'Rated', 'Voted' then
      v := lessonloop.judge(p_space, p_kind, p_event, p_raw, p_at, v, p_by);
    when 'TrialGranted' then
      select lessonloop.move(p_space, named, 'trial', true, p_at, v, lessonloop.is_own_word(l, p_by)) into v
      from public.lessons l where l.space = p_space and l.slug = named;
      update public.lessons l set updated_at = p_at where l.space = p_space and l.slug = named;
    when 'PolicyChanged' then
      v := lessonloop.change_settings(p_space, p_event, p_raw, v);
    else
      v := lessonloop.apply_event(p_space, p_kind, p_event, p_raw, p_at, v);
  end case;
  -- An event is judged by the ledger before it; from here on its agent is known.
  if lessonloop.is_agent(p_by) then
    update public.spaces s set
      agents = s.agents || p_by, agents_from = s.agents_from || from_version, agents_version = v + 1
    where s.id = p_space and cardinality(s.agents) < 2 and not p_by = any (s.agents);
    if found then
      v := v + 1;
    end if;
  end if;
  return v;
end $$;

drop function if exists lessonloop.detect(uuid, jsonb, json, timestamptz, bigint);
drop function if exists lessonloop.count_outcome(uuid, text, timestamptz, bigint);

-- What is already there: the keys that have written, and who asked first. Where there are two, the rule begins here.
do $$
declare
  r record;
begin
  for r in
    select x.space, array_agg(x.by order by x.place) as keys, array_agg(x.place order by x.place) as places
    from (
      select e.space, e.payload ->> 'by' as by, min(e.version) as place, row_number() over w as nth
      from public.events e join public.spaces s on s.id = e.space
      where s.agents = '{}' and e.payload ->> 'by' like 'agent:%'
      group by e.space, e.payload ->> 'by' window w as (partition by e.space order by min(e.version))
    ) x
    where x.nth <= 2 group by x.space
  loop
    update public.spaces s set
      agents = r.keys, version = s.version + 1, agents_version = s.version + 1,
      agents_from = case when cardinality(r.keys) = 2 then array[r.places[1], s.version + 1] else r.places end
    where s.id = r.space;
  end loop;
  update public.decisions d set asked_at = x.place
  from (
    select e.space, e.payload #>> '{event,Surfaced,context,decision_id}' as decision, min(e.version) as place
    from public.events e where e.kind = 'Surfaced' group by 1, 2
  ) x
  where d.space = x.space and d.decision_id = x.decision and d.at is not null and d.asked_at is null;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
