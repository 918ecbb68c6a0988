-- The fold: how each event changes a space, by the rules of the core (crates/lesson-core: fold.rs, counts.rs, tools) and
-- with its constants (policy.rs). Doubles use + - * / and comparisons only, so the bits are those of the core.
--
-- Every row that changes takes the space's next version, so that no two changed rows of a space share one.

-- Counters stop at the largest unsigned 32-bit number.
create or replace function lessonloop.capped(p_count bigint) returns bigint
language sql immutable as $$
  select least(p_count, 4294967295)
$$;

-- x / y for y of at least 1. Where the quotient is too small for a double, PostgreSQL raises and Rust has 0.
create or replace function lessonloop.divided(x float8, y float8) returns float8
language plpgsql immutable set search_path = '' as $$
begin
  return x / y;
exception when numeric_value_out_of_range then
  return 0;
end $$;

-- Confidence after a step of a rating or vote.
create or replace function lessonloop.moved(p_confidence float8, p_step float8) returns float8
language sql immutable as $$
  select case
    when p_step > 0 then case when p_confidence + p_step > 1::float8 then 1::float8 else p_confidence + p_step end
    else case when p_confidence + p_step < 0.1::float8 then 0.1::float8 else p_confidence + p_step end
  end
$$;

-- Sets or clears `proven_effective` when the counts turn it.
create or replace function lessonloop.qualified(l public.lessons, p_at timestamptz) returns public.lessons
language plpgsql immutable set search_path = '' as $$
declare
  proven boolean := case
    when l.times_applied >= 3 then l.success_count::float8 / l.times_applied::float8 >= 0.5::float8
    else false
  end;
begin
  if proven <> l.proven_effective then
    l.proven_effective := proven;
    l.qualified_at := case when proven then p_at end;
  end if;
  return l;
end $$;

-- What a model embeds, as SHA-256 in hex.
create or replace function lessonloop.embedded_hash(p_title text, p_description text, p_recommendation text) returns text
language sql stable as $$
  select encode(sha256(convert_to(
    concat_ws(chr(10), nullif(p_title, ''), nullif(p_description, ''), nullif(p_recommendation, '')), 'UTF8')), 'hex')
$$;

-- Lower case by Unicode's full mapping, as Rust has it: by ICU on hosted Supabase, else by the built-in provider.
do $$
declare
  unicode text := case
    when exists (select from pg_catalog.pg_collation where collname = 'und-x-icu') then ' collate pg_catalog."und-x-icu"'
    when exists (select from pg_catalog.pg_collation where collname = 'pg_unicode_fast') then ' collate pg_catalog.pg_unicode_fast'
    else ''
  end;
begin
  execute format(
    'create or replace function lessonloop.lowered(p_text text) returns text language sql immutable as %L',
    'select lower(p_text' || unicode || ')');
end $$;

-- What makes two tool records the same.
create or replace function lessonloop.tool_query_hash(p_query text, p_server text) returns text
language sql stable as $$
  select left(encode(sha256(convert_to(
    btrim(regexp_replace(lessonloop.lowered(p_query),
      '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'), ' ')
    || chr(10) || p_server, 'UTF8')), 'hex'), 32)
$$;

create or replace function lessonloop.text_list(p_value jsonb) returns text[]
language sql immutable as $$
  select coalesce(array_agg(x.value order by x.ordinality), '{}')
  from jsonb_array_elements_text(coalesce(nullif(p_value, 'null'), '[]')) with ordinality x
$$;

-- Counts a final outcome in the standing of every applied lesson, once each.
create or replace function lessonloop.settle(p_space uuid, p_decision text, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  won boolean;
  r record;
  l public.lessons;
begin
  select d.outcome = 'profit' into won from public.decisions d
  where d.space = p_space and d.decision_id = p_decision and d.outcome in ('profit', 'loss');
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

create or replace function lessonloop.add_lesson(p_space uuid, p_lesson jsonb, p_raw json, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.lessons (
    space, slug, title, description, context, recommendation, category, domain, project_types, tech_stacks, tags,
    confidence, frequency, upvotes, downvotes, times_surfaced, times_helpful, times_not_helpful, effectiveness, use_count,
    causal_hits, last_used_at, last_feedback_at, times_applied, success_count, consecutive_failures, proven_effective,
    qualified_at, source, trust, findings, archived, merged_into, rev, created_at, updated_at, embedded_hash, version)
  select
    p_space, x.slug, coalesce(x.title, ''), coalesce(x.description, ''), coalesce(x.context, ''),
    coalesce(x.recommendation, ''), coalesce(x.category, 'workflow'), coalesce(x.domain, ''),
    lessonloop.text_list(x.project_types), lessonloop.text_list(x.tech_stacks), lessonloop.text_list(x.tags),
    -- From the text as it was sent: jsonb has no negative zero.
    coalesce((p_raw ->> 'confidence')::float8, 0.5::float8), coalesce(x.frequency, 1), coalesce(x.upvotes, 0),
    coalesce(x.downvotes, 0), coalesce(x.times_surfaced, 0), coalesce(x.times_helpful, 0),
    coalesce(x.times_not_helpful, 0), coalesce((p_raw ->> 'effectiveness')::float8, 0.5::float8),
    coalesce(x.use_count, 0), coalesce(x.causal_hits, 0), lessonloop.instant(x.last_used_at),
    lessonloop.instant(x.last_feedback_at), coalesce(x.times_applied, 0), coalesce(x.success_count, 0),
    coalesce(x.consecutive_failures, 0), coalesce(x.proven_effective, false), lessonloop.instant(x.qualified_at),
    coalesce(x.source, ''), coalesce(x.trust, 'unreviewed'), lessonloop.text_list(x.findings),
    coalesce(x.archived, false), x.merged_into, coalesce(x.rev, 1), lessonloop.instant(x.created_at),
    lessonloop.instant(x.updated_at),
    lessonloop.embedded_hash(coalesce(x.title, ''), coalesce(x.description, ''), coalesce(x.recommendation, '')), v + 1
  from jsonb_to_record(p_lesson) as x (
    slug text, title text, description text, context text, recommendation text, category text, domain text,
    project_types jsonb, tech_stacks jsonb, tags jsonb, frequency bigint, upvotes bigint, downvotes bigint,
    times_surfaced bigint, times_helpful bigint, times_not_helpful bigint, use_count bigint, causal_hits bigint,
    last_used_at text, last_feedback_at text, times_applied bigint, success_count bigint, consecutive_failures bigint,
    proven_effective boolean, qualified_at text, source text, trust text, findings jsonb, archived boolean,
    merged_into text, rev bigint, created_at text, updated_at text);
  return v + 1;
end $$;

create or replace function lessonloop.edit_lesson(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  c jsonb := p_event -> 'changes';
begin
  update public.lessons l set
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

create or replace function lessonloop.merge_lessons(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  sum public.lessons;
  other public.lessons;
  name text;
  a float8;
  b float8;
begin
  select * into sum from public.lessons l where l.space = p_space and l.slug = p_event ->> 'into';
  -- The order decides the bits of the weighted mean: that of the slugs' bytes.
  for name in select distinct (x collate "C") as slug from jsonb_array_elements_text(p_event -> 'from') x order by slug loop
    select * into other from public.lessons l where l.space = p_space and l.slug = name;
    a := sum.use_count;
    b := other.use_count;
    if a + b > 0 then
      sum.effectiveness := lessonloop.divided(sum.effectiveness * a + other.effectiveness * b, a + b);
    end if;
    if other.confidence > sum.confidence then
      sum.confidence := other.confidence;
    end if;
    sum.frequency := lessonloop.capped(sum.frequency + other.frequency);
    sum.upvotes := lessonloop.capped(sum.upvotes + other.upvotes);
    sum.downvotes := lessonloop.capped(sum.downvotes + other.downvotes);
    sum.times_surfaced := lessonloop.capped(sum.times_surfaced + other.times_surfaced);
    sum.times_helpful := lessonloop.capped(sum.times_helpful + other.times_helpful);
    sum.times_not_helpful := lessonloop.capped(sum.times_not_helpful + other.times_not_helpful);
    sum.use_count := lessonloop.capped(sum.use_count + other.use_count);
    sum.causal_hits := lessonloop.capped(sum.causal_hits + other.causal_hits);
    sum.times_applied := lessonloop.capped(sum.times_applied + other.times_applied);
    sum.success_count := lessonloop.capped(sum.success_count + other.success_count);
    sum.last_used_at := greatest(sum.last_used_at, other.last_used_at);
    sum.last_feedback_at := greatest(sum.last_feedback_at, other.last_feedback_at);
    v := v + 1;
    update public.lessons l set archived = true, merged_into = sum.slug, updated_at = p_at, version = v
    where l.space = p_space and l.slug = name;
  end loop;
  sum := lessonloop.qualified(sum, p_at);
  v := v + 1;
  update public.lessons l set
    effectiveness = sum.effectiveness, confidence = sum.confidence, frequency = sum.frequency, upvotes = sum.upvotes,
    downvotes = sum.downvotes, times_surfaced = sum.times_surfaced, times_helpful = sum.times_helpful,
    times_not_helpful = sum.times_not_helpful, use_count = sum.use_count, causal_hits = sum.causal_hits,
    times_applied = sum.times_applied, success_count = sum.success_count, last_used_at = sum.last_used_at,
    last_feedback_at = sum.last_feedback_at, proven_effective = sum.proven_effective, qualified_at = sum.qualified_at,
    updated_at = p_at, version = v
  where l.space = p_space and l.slug = sum.slug;
  return v;
end $$;

create or replace function lessonloop.surface(p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  decision text := p_event #>> '{context,decision_id}';
  item json;
  d public.decisions;
  place integer;
  counted bigint;
begin
  if decision is not null then
    insert into public.decisions (space, decision_id) values (p_space, decision) on conflict do nothing;
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
create or replace function lessonloop.track(p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint) returns bigint
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
  return lessonloop.settle(p_space, p_event ->> 'decision_id', p_at, v);
end $$;

create or replace function lessonloop.record_outcome(p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  pnl float8 := (p_raw ->> 'pnl_percent')::float8;
  r record;
begin
  update public.decisions d set outcome = p_event ->> 'outcome', pnl_percent = pnl
  where d.space = p_space and d.decision_id = p_event ->> 'decision_id' and coalesce(d.outcome, 'pending') = 'pending';
  if not found then
    return v;
  end if;
  for r in
    select x.lesson from public.recommendations x
    where x.space = p_space and x.decision_id = p_event ->> 'decision_id' order by x.position
  loop
    v := v + 1;
    update public.recommendations x set trade_outcome = p_event ->> 'outcome', pnl_percent = pnl, version = v
    where x.space = p_space and x.decision_id = p_event ->> 'decision_id' and x.lesson = r.lesson;
  end loop;
  return lessonloop.settle(p_space, p_event ->> 'decision_id', p_at, v);
end $$;

create or replace function lessonloop.give_feedback(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  value float8 := case when p_event ->> 'outcome' = 'blocked' then 0 else 1 end;
  name text;
begin
  insert into public.feedback_times (space, version, at) values (p_space, v, p_at);
  for name in select distinct x from jsonb_array_elements_text(p_event -> 'lessons') x loop
    v := v + 1;
    if (p_event -> 'causal') ? name then
      update public.lessons l set
        effectiveness = l.effectiveness * 0.9::float8 + value * 0.1::float8,
        causal_hits = lessonloop.capped(l.causal_hits + 1), last_feedback_at = p_at,
        use_count = lessonloop.capped(l.use_count + 1), last_used_at = p_at, version = v
      where l.space = p_space and l.slug = name;
    else
      update public.lessons l set
        effectiveness = l.effectiveness + (0.5::float8 - l.effectiveness) * 0.1::float8,
        use_count = lessonloop.capped(l.use_count + 1), last_used_at = p_at, version = v
      where l.space = p_space and l.slug = name;
    end if;
  end loop;
  return v;
end $$;

-- Keeps one record per (normalised query, server). `lessonloop.tools` is their number within a push. Past 10,000 the oldest go until 8,000 remain.
create or replace function lessonloop.record_tool(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  hash text;
  held bigint;
  r record;
begin
  if p_event ->> 'server' in ('project-memory', 'system-control') then
    return v;
  end if;
  hash := lessonloop.tool_query_hash(p_event ->> 'query', p_event ->> 'server');
  v := v + 1;
  update public.tool_successes t set at = greatest(t.at, p_at), version = v
  where t.space = p_space and t.query_hash = hash and not t.dropped;
  if found then
    return v;
  end if;
  insert into public.tool_successes as t (space, query_hash, query, server, at, position, version)
  values (p_space, hash, p_event ->> 'query', p_event ->> 'server', p_at, v, v)
  on conflict (space, query_hash) do update
    set query = excluded.query, server = excluded.server, at = excluded.at, position = v, dropped = false, version = v;
  -- Counting them each time would be slow, and so would be a row that is updated with each.
  held := current_setting('lessonloop.tools')::bigint + 1;
  if held > 10000 then
    for r in
      select t.query_hash from public.tool_successes t where t.space = p_space and not t.dropped
      order by t.at, t.query_hash collate "C" limit held - 8000
    loop
      v := v + 1;
      update public.tool_successes t set dropped = true, version = v where t.space = p_space and t.query_hash = r.query_hash;
    end loop;
    held := 8000;
  end if;
  perform set_config('lessonloop.tools', held::text, true);
  return v;
end $$;

-- Folds an event that was checked, and answers the last version taken. `p_raw` is the event's text as it was sent.
create or replace function lessonloop.apply_event(
  p_space uuid, p_kind text, p_event jsonb, p_raw json, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
begin
  case p_kind
    when 'LessonAdded' then
      return lessonloop.add_lesson(p_space, p_event -> 'lesson', p_raw -> 'lesson', v);
    when 'LessonEdited' then
      return lessonloop.edit_lesson(p_space, p_event, p_at, v);
    when 'LessonArchived' then
      update public.lessons l set archived = true, updated_at = p_at, version = v + 1
      where l.space = p_space and l.slug = p_event ->> 'lesson';
    when 'LessonRestored' then
      update public.lessons l set archived = false, merged_into = null, updated_at = p_at, version = v + 1
      where l.space = p_space and l.slug = p_event ->> 'lesson';
    when 'LessonReviewed' then
      update public.lessons l set
        trust = case p_event ->> 'verdict' when 'approve' then 'approved' else 'quarantined' end,
        updated_at = p_at, version = v + 1
      where l.space = p_space and l.slug = p_event ->> 'lesson';
    when 'LessonsMerged' then
      return lessonloop.merge_lessons(p_space, p_event, p_at, v);
    when 'Surfaced' then
      return lessonloop.surface(p_space, p_event, p_raw, p_at, v);
    when 'UsageTracked' then
      return lessonloop.track(p_space, p_event, p_raw, p_at, v);
    when 'OutcomeRecorded' then
      return lessonloop.record_outcome(p_space, p_event, p_raw, p_at, v);
    when 'FeedbackGiven' then
      return lessonloop.give_feedback(p_space, p_event, p_at, v);
    when 'Rated' then
      if (p_event ->> 'helpful')::boolean then
        update public.lessons l set times_helpful = lessonloop.capped(l.times_helpful + 1),
          confidence = lessonloop.moved(l.confidence, 0.02::float8), version = v + 1
        where l.space = p_space and l.slug = p_event ->> 'lesson';
      else
        update public.lessons l set times_not_helpful = lessonloop.capped(l.times_not_helpful + 1),
          confidence = lessonloop.moved(l.confidence, -0.03::float8), version = v + 1
        where l.space = p_space and l.slug = p_event ->> 'lesson';
      end if;
    when 'Voted' then
      if (p_event ->> 'up')::boolean then
        update public.lessons l set upvotes = lessonloop.capped(l.upvotes + 1),
          confidence = lessonloop.moved(l.confidence, 0.05::float8), version = v + 1
        where l.space = p_space and l.slug = p_event ->> 'lesson';
      else
        update public.lessons l set downvotes = lessonloop.capped(l.downvotes + 1),
          confidence = lessonloop.moved(l.confidence, -0.05::float8), version = v + 1
        where l.space = p_space and l.slug = p_event ->> 'lesson';
      end if;
    when 'ToolSucceeded' then
      return lessonloop.record_tool(p_space, p_event, p_at, v);
  end case;
  return v + 1;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
