-- The fold of version 2: what it checks and changes beyond version 1. What did not change is left to version 1's
-- functions (20261122090100_fold_checks.sql and 20261122090200_fold.sql), which have an argument less.

-- Two lists of texts are the same set when these are equal: each once, in the order of the bytes, as the core keeps them.
create or replace function lessonloop.sorted(p_list jsonb) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_agg(x.value order by x.value collate "C"), '[]')
  from (select distinct y.value from jsonb_array_elements_text(p_list) y) x
$$;

-- The feedback that somebody gave on a decision; null when there is none.
create or replace function lessonloop.feedback_by(d public.decisions, p_by text) returns jsonb
language sql immutable as $$
  select x.value from jsonb_array_elements(d.feedback) x where x.value ->> 'by' = p_by limit 1
$$;

-- The rating, or vote, that somebody gave a lesson in a decision; null when there is none.
create or replace function lessonloop.opinion_by(d public.decisions, p_by text, p_lesson text, p_vote boolean) returns jsonb
language sql immutable as $$
  select x.value from jsonb_array_elements(d.opinions) x
  where x.value ->> 'by' = p_by and x.value ->> 'lesson' = p_lesson and (x.value ->> 'is_vote')::boolean = p_vote limit 1
$$;

-- Refuses what is said of a lesson in a decision that it was not recommended for.
create or replace function lessonloop.recommended(p_space uuid, p_decision text, p_lesson text, p_field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not exists (select from public.recommendations y
      where y.space = p_space and y.decision_id = p_decision and y.lesson = p_lesson) then
    perform lessonloop.refuse(p_field, format('`%s` was not recommended for decision `%s`', p_lesson, p_decision));
  end if;
end $$;

-- Refuses a setting whose name or value is out of bounds. Its text is looked at as it was sent.
create or replace function lessonloop.check_setting(p_name text, p_value jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  kind text := jsonb_typeof(p_value);
  good boolean := true;
begin
  if (p_name collate "C") !~ '^[a-z0-9_.]{1,64}$' then
    perform lessonloop.refuse('changes', 'a setting''s name has 1 to 64 lower-case letters, digits, `_` and `.`');
  end if;
  if kind = 'number' then
    begin
      perform (p_value #>> '{}')::float8;
    exception when numeric_value_out_of_range then
      good := false;
    end;
  elsif kind = 'string' then
    good := char_length(p_value #>> '{}') <= 1000;
  elsif kind = 'array' then
    good := jsonb_array_length(p_value) <= 100 and not exists (
      select from jsonb_array_elements(p_value) x where jsonb_typeof(x) <> 'string' or char_length(x #>> '{}') > 1000);
  elsif kind = 'object' then
    good := false;
  end if;
  if not good then
    perform lessonloop.refuse('changes', format('`%s` has to be null, true, false, a number, a text of at most 1000 '
      'characters, or a list of at most 100 such texts', p_name));
  end if;
end $$;

-- Refuses an event that is not well formed or contradicts the space. `p_by` is who made it.
create or replace function lessonloop.check_event(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  -- Everybody says a thing of a decision once.
  about constant jsonb := '{"decision_id": ["text", "?", 200]}';
  plain jsonb := p_event;
  d public.decisions;
  held jsonb;
  x jsonb;
  s text;
begin
  -- First what version 2 added, and then the rest as version 1 knows it.
  case p_kind
    when 'OutcomeRecorded' then
      perform lessonloop.shape(p_event, '{
        "decision_id": ["text", "!", 200],
        "outcome": ["one", "!", 0, ["success", "failure", "profit", "loss", "pending"]], "pnl_percent": ["float", "?"]}', true);
      select y.outcome into s from public.decisions y where y.space = p_space and y.decision_id = p_event ->> 'decision_id';
      if s in ('success', 'failure') and lessonloop.outcome_word(p_event ->> 'outcome') not in ('pending', s) then
        perform lessonloop.refuse('outcome', format('decision `%s` is settled as %s; a settled outcome can''t be changed',
          p_event ->> 'decision_id', s));
      end if;
      -- It may come before the recommendation: from another device, or after one that was set aside.
      return;
    when 'TrialGranted' then
      perform lessonloop.shape(p_event, '{"lesson": ["text", "!", 200]}', true);
      perform lessonloop.known_lesson(p_space, p_event ->> 'lesson');
      return;
    when 'PolicyChanged' then
      perform lessonloop.shape(p_event, '{"changes": ["object", "!"]}', true);
      if (select count(*) from jsonb_object_keys(p_event -> 'changes')) not between 1 and 100 then
        perform lessonloop.refuse('changes', '1 to 100 settings are changed at once');
      end if;
      perform lessonloop.check_setting(y.key, y.value) from jsonb_each(p_event -> 'changes') y;
      return;
    when 'Surfaced' then
      if jsonb_typeof(p_event) = 'object' then
        plain := p_event - 'measured';
        perform lessonloop.shape(p_event, '{"measured": ["object", "?"]}', false);
      end if;
    when 'FeedbackGiven', 'Rated', 'Voted' then
      if jsonb_typeof(p_event) = 'object' then
        plain := p_event - 'decision_id';
        perform lessonloop.shape(p_event, about, false);
      end if;
    else
      null;
  end case;
  perform lessonloop.check_event(p_space, p_kind, plain);

  -- What version 2 adds to events of version 1.
  if p_kind = 'LessonAdded' then
    perform lessonloop.shape(p_event -> 'lesson', '{"trial_from": ["u32", ""], "by": ["text", "", 200]}', false);
  elsif p_kind = 'Surfaced' and jsonb_typeof(p_event -> 'measured') = 'object' then
    perform lessonloop.shape(p_event -> 'measured', '{"control": ["bool", ""], "drawn": ["objects", "", 0, 100]}', true);
    for x in select * from jsonb_array_elements(p_event #> '{measured,drawn}') loop
      perform lessonloop.shape(x, '{"lesson": ["text", "!", 200], "q": ["float", "!"], "withheld": ["bool", "!"]}', true);
    end loop;
    for x in select * from jsonb_array_elements(p_event #> '{measured,drawn}') loop
      perform lessonloop.within_one(x -> 'q', 'measured', format('the probability of `%s`', x ->> 'lesson'));
      perform lessonloop.known_lesson(p_space, x ->> 'lesson');
    end loop;
  elsif p_kind in ('FeedbackGiven', 'Rated', 'Voted') and p_event ->> 'decision_id' is not null then
    d := lessonloop.known_decision(p_space, p_event ->> 'decision_id');
    if p_kind = 'FeedbackGiven' then
      for s in select jsonb_array_elements_text(lessonloop.sorted(p_event -> 'lessons')) loop
        perform lessonloop.recommended(p_space, d.decision_id, s, 'lessons');
      end loop;
      held := lessonloop.feedback_by(d, p_by);
      if (held -> 'outcome', held -> 'lessons', held -> 'causal') is distinct from
          (p_event -> 'outcome', lessonloop.sorted(p_event -> 'lessons'), lessonloop.sorted(p_event -> 'causal'))
          and held is not null then
        perform lessonloop.refuse('decision_id', format('feedback on decision `%s` was given before, as %s; it is given once',
          d.decision_id, held ->> 'outcome'));
      end if;
    else
      perform lessonloop.recommended(p_space, d.decision_id, p_event ->> 'lesson', 'lesson');
      held := lessonloop.opinion_by(d, p_by, p_event ->> 'lesson', p_kind = 'Voted');
      if held -> 'is_positive' <> coalesce(p_event -> 'up', p_event -> 'helpful') then
        perform lessonloop.refuse('decision_id', format('`%s` was %s in decision `%s` before; this is said once',
          p_event ->> 'lesson',
          case when p_kind = 'Voted' and (held ->> 'is_positive')::boolean then 'voted up'
            when p_kind = 'Voted' then 'voted down'
            when (held ->> 'is_positive')::boolean then 'rated helpful'
            else 'rated not helpful' end,
          d.decision_id));
      end if;
    end if;
  end if;
end $$;

-- Counts a final outcome in the standing of every applied lesson, once each.
create or replace function lessonloop.count_outcome(p_space uuid, p_decision text, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  won boolean;
  r record;
  l public.lessons;
begin
  select d.outcome = 'success' into won from public.decisions d
  where d.space = p_space and d.decision_id = p_decision and d.outcome in ('success', 'failure');
  if not found then
    return v;
  end if;
  for r in
    select x.lesson from public.recommendations x
    where x.space = p_space and x.decision_id = p_decision and x.was_applied and not x.settled order by x.position
  loop
    v := v + 1;
    update public.recommendations x set settled = true, contributed_to_success = won, version = v
    where x.space = p_space and x.decision_id = p_decision and x.lesson = r.lesson;
    select * into l from public.lessons x where x.space = p_space and x.slug = r.lesson;
    l.times_applied := lessonloop.capped(l.times_applied + 1);
    if won then
      l.success_count := lessonloop.capped(l.success_count + 1);
      l.consecutive_failures := 0;
    else
      l.consecutive_failures := lessonloop.capped(l.consecutive_failures + 1);
    end if;
    l := lessonloop.qualified(l, p_at);
    v := v + 1;
    update public.lessons x set
      times_applied = l.times_applied, success_count = l.success_count, consecutive_failures = l.consecutive_failures,
      proven_effective = l.proven_effective, qualified_at = l.qualified_at, version = v
    where x.space = p_space and x.slug = r.lesson;
  end loop;
  return v;
end $$;

create or replace function lessonloop.add_lesson(p_space uuid, p_lesson jsonb, p_raw json, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
begin
  v := lessonloop.add_lesson(p_space, p_lesson, p_raw, v);
  -- Whatever the lesson says of who added it: the event knows.
  update public.lessons l set "by" = p_by, trial_from = coalesce((p_lesson ->> 'trial_from')::bigint, 0)
  where l.space = p_space and l.slug = p_lesson ->> 'slug';
  return v;
end $$;

-- What was withheld, as the core writes it. Numbers come from the text as it was sent: jsonb has no negative zero.
create or replace function lessonloop.measured(p_raw json) returns json
language sql stable set search_path = '' set extra_float_digits = 1 as $$
  select json_build_object(
    'control', coalesce((p_raw ->> 'control')::boolean, false),
    'drawn', (
      select coalesce(json_agg(json_build_object(
        'lesson', x.value ->> 'lesson', 'q', (x.value ->> 'q')::float8, 'withheld', (x.value ->> 'withheld')::boolean)
        order by x.ordinality), '[]')
      from json_array_elements(coalesce(p_raw -> 'drawn', '[]')) with ordinality x))
  where json_typeof(p_raw) = 'object'
$$;

create or replace function lessonloop.surface(
  p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  decision text := p_event #>> '{context,decision_id}';
  item json;
  d public.decisions;
  place integer;
  counted bigint;
begin
  if decision is not null then
    insert into public.decisions as x (space, decision_id, context, "by", at, measured, version)
    values (p_space, decision, lessonloop.situation(p_event -> 'context'), p_by, p_at, lessonloop.measured(p_raw -> 'measured'), v + 1)
    on conflict (space, decision_id) do update
      set context = excluded.context, "by" = excluded."by", at = excluded.at, measured = excluded.measured, version = excluded.version
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
      update public.lessons l set times_surfaced = lessonloop.capped(l.times_surfaced + 1), version = v
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
    end if;
  end loop;
  return v;
end $$;

-- A detection only ever adds: a record once applied stays so, and the surest match is kept.
create or replace function lessonloop.detect(p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint) returns bigint
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
  return lessonloop.count_outcome(p_space, p_event ->> 'decision_id', p_at, v);
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
  return lessonloop.count_outcome(p_space, decision, p_at, v);
end $$;

-- Feedback, a rating or a vote. About a decision it is kept with that, and counts once from everybody.
create or replace function lessonloop.judge(
  p_space uuid, p_kind text, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  d public.decisions;
  new jsonb;
begin
  if p_event ->> 'decision_id' is null then
    return lessonloop.apply_event(p_space, p_kind, p_event, p_raw, p_at, v);
  end if;
  select * into d from public.decisions x where x.space = p_space and x.decision_id = p_event ->> 'decision_id';
  -- The check has refused what differs from it.
  if p_kind = 'FeedbackGiven' and lessonloop.feedback_by(d, p_by) is not null
      or p_kind <> 'FeedbackGiven' and lessonloop.opinion_by(d, p_by, p_event ->> 'lesson', p_kind = 'Voted') is not null then
    return v;
  end if;
  v := lessonloop.apply_event(p_space, p_kind, p_event, p_raw, p_at, v) + 1;
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

-- A value taken back stays as a row, so that replicas learn of it.
create or replace function lessonloop.change_settings(p_space uuid, p_event jsonb, p_raw json, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  key text;
begin
  for key in select x from jsonb_object_keys(p_event -> 'changes') x loop
    v := v + 1;
    insert into public.settings (space, name, value, version) values (p_space, key, p_raw -> 'changes' -> key, v)
    on conflict (space, name) do update set value = excluded.value, version = excluded.version;
  end loop;
  return v;
end $$;

-- Folds an event that was checked, and answers the last version taken. `p_raw` is the event's text as it was sent, and
-- `p_by` who made it.
create or replace function lessonloop.apply_event(
  p_space uuid, p_kind text, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
begin
  case p_kind
    when 'LessonAdded' then
      return lessonloop.add_lesson(p_space, p_event -> 'lesson', p_raw -> 'lesson', v, p_by);
    when 'Surfaced' then
      return lessonloop.surface(p_space, p_event, p_raw, p_at, v, p_by);
    when 'UsageTracked' then
      return lessonloop.detect(p_space, p_event, p_raw, p_at, v);
    when 'OutcomeRecorded' then
      return lessonloop.record_outcome(p_space, p_event, p_raw, p_at, v, p_by);
    when 'FeedbackGiven', 'Rated', 'Voted' then
      return lessonloop.judge(p_space, p_kind, p_event, p_raw, p_at, v, p_by);
    when 'TrialGranted' then
      update public.lessons l set consecutive_failures = 0, trial_from = l.times_applied, updated_at = p_at, version = v + 1
      where l.space = p_space and l.slug = p_event ->> 'lesson';
      return v + 1;
    when 'PolicyChanged' then
      return lessonloop.change_settings(p_space, p_event, p_raw, v);
    else
      return lessonloop.apply_event(p_space, p_kind, p_event, p_raw, p_at, v);
  end case;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
