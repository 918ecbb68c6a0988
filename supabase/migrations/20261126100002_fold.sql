-- The fold: which events are taken, and what they change. The rules are those of the core (crates/lesson-core, event.rs, check.rs and
-- fold.rs). An event that is refused changes nothing.
--
-- Small functions in SQL set no search path of their own, so that they are inlined; whoever calls them has set it.

do $$ begin perform lessonloop.schema_version(); end $$;

-- Refuses an event: the field at fault, and why, in words for a person. Volatile: else `perform … where` would run it while planning.
create or replace function lessonloop.refuse(p_field text, p_reason text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  raise exception using errcode = 'LL001', message = p_reason, detail = p_field;
end $$;

-- A time by RFC 3339; digits beyond milliseconds are dropped. Null when the text is none.
create or replace function lessonloop.instant(p_text text) returns timestamptz
language plpgsql immutable set search_path = '' as $$
declare
  at timestamptz;
  m text[] := regexp_match(p_text,
    '^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,3})\d*)?([Zz]|[+-]\d\d:\d\d)$');
begin
  if m is null then
    return null;
  end if;
  at := (m[1] || ' ' || m[2] || '.' || coalesce(m[3], '0') || m[4])::timestamptz;
  -- An offset may lead out of the years that can be written with four digits: no replica could read that row.
  return case when at >= '0001-01-01 00:00:00Z' and at < '10000-01-01 00:00:00Z' then at end;
exception when data_exception then
  return null;
end $$;

-- A time as the core writes it, such as 2026-11-22T08:30:00.000Z.
create or replace function lessonloop.rfc3339(p_at timestamptz) returns text
language sql immutable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Unicode white space, as Rust's `char::is_whitespace` has it, in brackets of a regular expression.
create or replace function lessonloop.blank(p_text text) returns boolean
language sql immutable as $$
  select p_text !~ '[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]'
$$;

-- Kebab-case: runs of a-z0-9 with single hyphens between, at most 128 long.
create or replace function lessonloop.is_slug(p_text text) returns boolean
language sql immutable as $$
  select octet_length(p_text) <= 128 and (p_text collate "C") ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
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

-- Holds an object against its fields, given as {"field": [type, need, bound, words]}. Need: `!` must be there, `?` may
-- be null or absent, empty may be absent. The bound is in characters; for a list, it is each entry's, and `words` the
-- most entries. For `one`, `words` are those that are allowed. For `count`, `words` is a field that is no less.
create or replace function lessonloop.shape(p_value jsonb, p_fields jsonb, p_strict boolean) returns void
language plpgsql volatile set search_path = '' as $$
declare
  k text;
  spec jsonb;
  v jsonb;
  t text;
  good boolean;
begin
  if jsonb_typeof(p_value) is distinct from 'object' then
    perform lessonloop.refuse('event', 'an object is expected here');
  end if;
  perform lessonloop.refuse(x, format('the field `%s` is not known; update the server, or leave it out', left(x, 100)))
  from jsonb_object_keys(p_value) x where p_strict and not p_fields ? x;
  for k, spec in select f.key, f.value from jsonb_each(p_fields) f loop
    v := p_value -> k;
    if v is null then
      if spec ->> 1 = '!' then
        perform lessonloop.refuse(k, format('the field `%s` is missing', k));
      end if;
      continue;
    end if;
    t := jsonb_typeof(v);
    if t = 'null' and spec ->> 1 = '?' then
      continue;
    end if;
    case spec ->> 0
      when 'text' then
        good := t = 'string';
        if good and char_length(v #>> '{}') > (spec ->> 2)::int then
          perform lessonloop.refuse(k, format('`%s` has %s characters; at most %s are taken', k, char_length(v #>> '{}'), spec ->> 2));
        end if;
      when 'bool' then
        good := t = 'boolean';
      when 'u32', 'count' then
        good := t = 'number' and v::text ~ '^\d{1,10}$' and v::text::bigint <= coalesce(spec ->> 2, '4294967295')::bigint;
        -- A whole that is no number is refused by its own line.
        if good and spec ->> 3 is not null and v::text::bigint > 0
            and coalesce(jsonb_typeof(p_value -> (spec ->> 3)), 'number') = 'number'
            and v::text::numeric > coalesce((p_value ->> (spec ->> 3))::numeric, 0) then
          perform lessonloop.refuse(k, format('`%s` is %s, but `%s` is only %s; correct one of them',
            k, v, spec ->> 3, coalesce(p_value ->> (spec ->> 3), '0')));
        end if;
      when 'float' then
        good := t = 'number';
        if good then
          begin
            perform (v #>> '{}')::float8;
          exception when numeric_value_out_of_range then
            perform lessonloop.refuse(k, format('`%s` has to be a finite number', k));
          end;
        end if;
      when 'time' then
        good := t = 'string' and lessonloop.instant(v #>> '{}') is not null;
      when 'one' then
        good := t = 'string' and (spec -> 3) ? (v #>> '{}');
      when 'texts', 'objects' then
        good := t = 'array' and (spec ->> 0 = 'objects'
          or not exists (select from jsonb_array_elements(v) x where jsonb_typeof(x) <> 'string'));
        if good and jsonb_array_length(v) > (spec ->> 3)::int then
          perform lessonloop.refuse(k, format('`%s` has %s entries; at most %s are taken', k, jsonb_array_length(v), spec ->> 3));
        end if;
        if good and spec ->> 0 = 'texts'
            and exists (select from jsonb_array_elements_text(v) x where char_length(x) > (spec ->> 2)::int) then
          perform lessonloop.refuse(k, format('an entry of `%s` is longer than %s characters', k, spec ->> 2));
        end if;
      when 'object' then
        good := t = 'object';
    end case;
    if not good then
      perform lessonloop.refuse(k, case spec ->> 0
        when 'text' then format('`%s` has to be a text', k)
        when 'bool' then format('`%s` has to be true or false', k)
        when 'u32' then format('`%s` has to be a whole number from 0 to 4294967295', k)
        when 'count' then format('`%s` has to be a whole number from 0 to %s', k, spec ->> 2)
        when 'float' then format('`%s` has to be a number', k)
        when 'time' then format('`%s` has to be an RFC 3339 time such as 2026-11-22T08:30:00.000Z', k)
        when 'one' then format('`%s` has to be one of %s', k, spec ->> 3)
        when 'texts' then format('`%s` has to be a list of texts', k)
        when 'object' then format('`%s` has to be an object', k)
        else format('`%s` has to be a list of objects', k)
      end);
    end if;
  end loop;
end $$;

-- The fields of each kind of event; null for a kind that is not known. Bounds are those of crates/lesson-types, limits.rs.
create or replace function lessonloop.fields(p_of text) returns jsonb
language sql immutable as $$
  select case p_of
    when 'LessonAdded' then '{"lesson": ["object", "!"]}'
    when 'lesson' then '{
      "slug": ["text", "!", 200], "title": ["text", "", 300], "description": ["text", "", 4000],
      "context": ["text", "", 20000], "recommendation": ["text", "", 100000],
      "category": ["one", "", 0, ["architecture", "workflow", "security", "performance", "testing", "tooling", "communication", "domain"]],
      "domain": ["text", "", 100], "project_types": ["texts", "", 100, 64], "tech_stacks": ["texts", "", 100, 64],
      "tags": ["texts", "", 100, 64], "extra": ["text", "", 8000], "confidence": ["float", ""], "frequency": ["count", "", 1000000], "upvotes": ["count", "", 1000000],
      "downvotes": ["count", "", 1000000], "times_surfaced": ["count", "", 1000000], "times_helpful": ["count", "", 1000000],
      "times_not_helpful": ["count", "", 1000000], "effectiveness": ["float", ""], "use_count": ["count", "", 1000000],
      "causal_hits": ["count", "", 1000000, "use_count"], "last_used_at": ["time", "?"], "last_feedback_at": ["time", "?"],
      "times_applied": ["count", "", 1000000], "success_count": ["count", "", 1000000, "times_applied"], "consecutive_failures": ["count", "", 1000000],
      "proven_effective": ["bool", ""], "qualified_at": ["time", "?"], "source": ["text", "", 100],
      "trust": ["one", "", 0, ["unreviewed", "approved", "quarantined"]], "findings": ["texts", "", 10000, 1000],
      "archived": ["bool", ""], "merged_into": ["text", "?", 200], "rev": ["count", "", 1000000],
      "lift_mean": ["float", ""], "lift_variance": ["float", ""], "lift_at": ["time", "?"],
      "trial_from": ["count", "", 1000000], "by": ["text", "", 200],
      "created_at": ["time", "!"], "updated_at": ["time", "!"]}'
    when 'LessonEdited' then '{
      "lesson": ["text", "!", 200], "base_rev": ["u32", "!"], "changes": ["object", "!"],
      "trust": ["one", "!", 0, ["unreviewed", "approved", "quarantined"]], "findings": ["texts", "", 10000, 1000]}'
    when 'changes' then '{
      "title": ["text", "?", 300], "description": ["text", "?", 4000], "context": ["text", "?", 20000],
      "recommendation": ["text", "?", 100000],
      "category": ["one", "?", 0, ["architecture", "workflow", "security", "performance", "testing", "tooling", "communication", "domain"]],
      "domain": ["text", "?", 100], "project_types": ["texts", "?", 100, 64], "tech_stacks": ["texts", "?", 100, 64],
      "tags": ["texts", "?", 100, 64], "extra": ["text", "?", 8000]}'
    when 'LessonArchived' then '{"lesson": ["text", "!", 200]}'
    when 'LessonRestored' then '{"lesson": ["text", "!", 200]}'
    when 'LessonReviewed' then '{
      "lesson": ["text", "!", 200], "verdict": ["one", "!", 0, ["approve", "quarantine"]], "content_hash": ["text", "!", 200],
      "reason": ["text", "", 4000]}'
    when 'LessonsMerged' then '{"into": ["text", "!", 200], "from": ["texts", "!", 200, 1000]}'
    when 'Surfaced' then '{
      "retrieval_id": ["text", "!", 200], "purpose": ["text", "!", 200], "context": ["object", "!"],
      "items": ["objects", "!", 0, 100], "policy": ["text", "!", 200], "measured": ["object", "?"]}'
    when 'context' then '{
      "decision_id": ["text", "?", 200], "query": ["text", "?", 8000], "domain": ["text", "?", 100],
      "project_type": ["text", "?", 100], "tech_stack": ["texts", "", 100, 64], "phase": ["text", "?", 100]}'
    when 'item' then '{
      "lesson": ["text", "!", 200], "rank": ["u32", "!"], "score": ["float", "!"], "relevance": ["float", ""],
      "likelihood": ["float", "?"]}'
    when 'measured' then '{
      "control": ["bool", ""], "control_q": ["float", ""], "drawn": ["objects", "", 0, 100]}'
    when 'drawn' then '{"lesson": ["text", "!", 200], "q": ["float", "!"], "withheld": ["bool", "!"]}'
    when 'UsageTracked' then '{"decision_id": ["text", "!", 200], "detections": ["objects", "!", 0, 1000]}'
    when 'detection' then '{
      "lesson": ["text", "!", 200], "applied": ["bool", "!"],
      "match_type": ["one", "!", 0, ["explicit", "implicit", "mentioned", "none"]], "confidence": ["float", "!"],
      "quote": ["text", "?", 10000]}'
    when 'OutcomeRecorded' then '{
      "decision_id": ["text", "!", 200], "outcome": ["one", "!", 0, ["success", "failure", "pending"]], "pnl_percent": ["float", "?"]}'
    when 'FeedbackGiven' then '{
      "outcome": ["one", "!", 0, ["delivered", "plan_complete", "blocked"]], "lessons": ["texts", "!", 200, 1000],
      "causal": ["texts", "!", 200, 1000], "decision_id": ["text", "?", 200]}'
    when 'Rated' then '{"lesson": ["text", "!", 200], "helpful": ["bool", "!"], "decision_id": ["text", "?", 200]}'
    when 'Voted' then '{"lesson": ["text", "!", 200], "up": ["bool", "!"], "decision_id": ["text", "?", 200]}'
    when 'TrialGranted' then '{"lesson": ["text", "!", 200]}'
    when 'ChangeProposed' then '{
      "lesson": ["text", "!", 200], "proposal": ["text", "!", 200], "base_rev": ["u32", "!"], "changes": ["object", ""],
      "archive": ["bool", ""], "trust": ["one", "!", 0, ["unreviewed", "approved", "quarantined"]],
      "findings": ["texts", "", 10000, 1000]}'
    when 'ProposalSettled' then '{
      "lesson": ["text", "!", 200], "proposal": ["text", "!", 200], "accepted": ["bool", "!"], "reason": ["text", "", 4000]}'
    when 'VoiceWithdrawn' then '{"voice": ["text", "!", 200], "since": ["time", "?"]}'
    when 'VoiceReinstated' then '{"voice": ["text", "!", 200]}'
    when 'PolicyChanged' then '{"changes": ["object", "!"]}'
    when 'ToolSucceeded' then '{"query": ["text", "!", 8000], "server": ["text", "!", 100]}'
  end::jsonb
$$;

-- A number within 0 and 1.
create or replace function lessonloop.within_one(p_value jsonb, p_field text, p_words text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform lessonloop.refuse(p_field, format('%s is %s; it has to be between 0 and 1', p_words, p_value #>> '{}'))
  where not ((p_value #>> '{}')::float8 between 0 and 1);
end $$;

create or replace function lessonloop.known_lesson(p_space uuid, p_slug text) returns public.lessons
language plpgsql stable set search_path = '' as $$
declare
  l public.lessons;
begin
  select * into l from public.lessons x where x.space = p_space and x.slug = p_slug;
  perform lessonloop.refuse('lesson', format('there is no lesson `%s`; list or search lessons to find its slug', p_slug))
  where not found;
  return l;
end $$;

create or replace function lessonloop.known_decision(p_space uuid, p_id text) returns public.decisions
language plpgsql stable set search_path = '' as $$
declare
  d public.decisions;
begin
  select * into d from public.decisions x where x.space = p_space and x.decision_id = p_id;
  perform lessonloop.refuse('decision_id', format('nothing was recommended for decision `%s`; call recommend with this decision_id first', p_id))
  where not found;
  return d;
end $$;

-- Refuses what is said of a lesson in a decision that it was not recommended for.
create or replace function lessonloop.recommended(p_space uuid, p_decision text, p_lesson text, p_field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform lessonloop.refuse(p_field, format('`%s` was not recommended for decision `%s`', p_lesson, p_decision))
  where not exists (select from public.recommendations y
    where y.space = p_space and y.decision_id = p_decision and y.lesson = p_lesson);
end $$;

-- SHA-256 in hex over every field of a text: what a review is bound to.
create or replace function lessonloop.content_hash(l public.lessons) returns text
language sql stable as $$
  select encode(sha256(convert_to(
    l.title || chr(31) || l.description || chr(31) || l.context || chr(31) || l.recommendation || chr(31)
    || l.domain || chr(31) || l.category
    || (select string_agg(chr(30) || array_to_string(x.list, chr(31)) || case when x.list = '{}' then '' else chr(31) end, '' order by x.place)
        from (values (1, l.project_types), (2, l.tech_stacks), (3, l.tags)) as x (place, list))
    || case when l.extra = '' then '' else chr(29) || l.extra end,
    'UTF8')), 'hex')
$$;

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

-- Refuses a setting whose name or value is out of bounds. Its text is looked at as it was sent.
create or replace function lessonloop.check_setting(p_name text, p_value jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  kind text := jsonb_typeof(p_value);
  good boolean := true;
begin
  perform lessonloop.refuse('changes', 'a setting''s name has 1 to 64 lower-case letters, digits, `_` and `.`')
  where (p_name collate "C") !~ '^[a-z0-9_.]{1,64}$';
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
  perform lessonloop.refuse('changes', format('`%s` has to be null, true, false, a number, a text of at most 1000 '
    'characters, or a list of at most 100 such texts', p_name))
  where not good;
end $$;

-- Refuses what somebody says of a decision that they have judged otherwise before, or of lessons that were not recommended for it:
-- everybody says a thing of a decision once.
create or replace function lessonloop.check_judgement(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  d public.decisions := lessonloop.known_decision(p_space, p_event ->> 'decision_id');
  held jsonb;
begin
  if p_kind = 'FeedbackGiven' then
    perform lessonloop.recommended(p_space, d.decision_id, x, 'lessons')
    from jsonb_array_elements_text(lessonloop.sorted(p_event -> 'lessons')) x;
    held := lessonloop.feedback_by(d, p_by);
    perform lessonloop.refuse('decision_id', format('feedback on decision `%s` was given before, as %s; it is given once',
      d.decision_id, held ->> 'outcome'))
    where held is not null and (held -> 'outcome', held -> 'lessons', held -> 'causal') is distinct from
      (p_event -> 'outcome', lessonloop.sorted(p_event -> 'lessons'), lessonloop.sorted(p_event -> 'causal'));
    return;
  end if;
  perform lessonloop.recommended(p_space, d.decision_id, p_event ->> 'lesson', 'lesson');
  held := lessonloop.opinion_by(d, p_by, p_event ->> 'lesson', p_kind = 'Voted');
  perform lessonloop.refuse('decision_id', format('`%s` was %s in decision `%s` before; this is said once',
    p_event ->> 'lesson',
    case when p_kind = 'Voted' and (held ->> 'is_positive')::boolean then 'voted up'
      when p_kind = 'Voted' then 'voted down'
      when (held ->> 'is_positive')::boolean then 'rated helpful'
      else 'rated not helpful' end,
    d.decision_id))
  where held -> 'is_positive' <> coalesce(p_event -> 'up', p_event -> 'helpful');
end $$;

-- Refuses a recommendation that is not well formed, or of lessons that are not there.
create or replace function lessonloop.check_surfaced(p_space uuid, p_event jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  measured jsonb := p_event -> 'measured';
begin
  perform lessonloop.shape(p_event -> 'context', lessonloop.fields('context'), true);
  perform lessonloop.shape(x, lessonloop.fields('item'), true) from jsonb_array_elements(p_event -> 'items') x;
  perform lessonloop.refuse('retrieval_id', 'a retrieval needs an id') where p_event ->> 'retrieval_id' = '';
  perform lessonloop.known_lesson(p_space, x ->> 'lesson') from jsonb_array_elements(p_event -> 'items') x;
  if jsonb_typeof(measured) is distinct from 'object' then
    return;
  end if;
  perform lessonloop.shape(measured, lessonloop.fields('measured'), true);
  perform lessonloop.shape(x, lessonloop.fields('drawn'), true) from jsonb_array_elements(measured -> 'drawn') x;
  perform lessonloop.within_one(x -> 'q', 'measured', format('the probability of `%s`', x ->> 'lesson')),
    lessonloop.known_lesson(p_space, x ->> 'lesson')
  from jsonb_array_elements(measured -> 'drawn') x;
  perform lessonloop.within_one(measured -> 'control_q', 'measured', 'the probability of a control run');
end $$;

-- Refuses an event that is not well formed or contradicts the space. `p_event` is what the kind's name holds, and `p_by` who made it.
create or replace function lessonloop.check_event(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  fields jsonb := lessonloop.fields(p_kind);
  l public.lessons;
  d public.decisions;
  x jsonb;
  s text;
begin
  perform lessonloop.refuse('event', format('events of the kind `%s` are not known to version %s of the server''s schema; '
    'apply a newer one', left(p_kind, 100), lessonloop.schema_version()))
  where fields is null or p_kind !~ '^[A-Z]';
  perform lessonloop.shape(p_event, fields, true);
  case p_kind
    when 'LessonAdded' then
      x := p_event -> 'lesson';
      perform lessonloop.shape(x, lessonloop.fields('lesson'), false);
      perform lessonloop.refuse('slug', format('`%s` is not a slug; use lower-case letters, digits and single hyphens, at most 128', x ->> 'slug'))
      where not lessonloop.is_slug(x ->> 'slug');
      perform lessonloop.refuse('title', 'a lesson needs a title') where lessonloop.blank(coalesce(x ->> 'title', ''));
      perform lessonloop.within_one(x -> 'confidence', 'confidence', 'confidence');
      perform lessonloop.within_one(x -> 'effectiveness', 'effectiveness', 'effectiveness');
      perform lessonloop.refuse('lift_mean', format('lift_mean is %s; it has to be between -1 and 1', x ->> 'lift_mean'))
      where not ((x ->> 'lift_mean')::float8 between -1 and 1);
      perform lessonloop.refuse('lift_variance', format('lift_variance is %s; it has to be between 0 and 0.0144', x ->> 'lift_variance'))
      where not ((x ->> 'lift_variance')::float8 between 0 and 0.0144::float8);
      perform lessonloop.refuse('slug', format('there is a lesson `%s` already; choose another slug, or edit that one', x ->> 'slug'))
      where exists (select from public.lessons y where y.space = p_space and y.slug = x ->> 'slug');
    when 'LessonEdited' then
      perform lessonloop.shape(p_event -> 'changes', lessonloop.fields('changes'), true);
      l := lessonloop.known_lesson(p_space, p_event ->> 'lesson');
      perform lessonloop.may_change(l, p_by);
      perform lessonloop.refuse('base_rev', format('the edit started from revision %s, but `%s` is at revision %s; read it again and repeat the edit', p_event ->> 'base_rev', l.slug, l.rev))
      where l.rev <> (p_event ->> 'base_rev')::bigint;
      perform lessonloop.refuse('title', 'a lesson needs a title') where lessonloop.blank(p_event #>> '{changes,title}');
    when 'LessonReviewed' then
      l := lessonloop.known_lesson(p_space, p_event ->> 'lesson');
      perform lessonloop.may_change(l, p_by);
      perform lessonloop.refuse('content_hash', format('`%s` has changed since it was read; read it again before reviewing it', l.slug))
      where lessonloop.content_hash(l) <> p_event ->> 'content_hash';
    when 'LessonArchived', 'LessonRestored' then
      perform lessonloop.may_change(lessonloop.known_lesson(p_space, p_event ->> 'lesson'), p_by);
    when 'ChangeProposed', 'ProposalSettled' then
      perform lessonloop.check_proposal(p_space, p_kind, p_event, p_by);
    when 'VoiceWithdrawn', 'VoiceReinstated' then
      perform lessonloop.check_withdrawal(p_event ->> 'voice', p_by);
    when 'TrialGranted' then
      perform lessonloop.known_lesson(p_space, p_event ->> 'lesson');
    when 'LessonsMerged' then
      perform lessonloop.refuse('from', 'name at least one lesson to merge') where jsonb_array_length(p_event -> 'from') = 0;
      perform lessonloop.refuse('from', format('`%s` can''t be merged into itself', p_event ->> 'into'))
      where (p_event -> 'from') ? (p_event ->> 'into');
      l := lessonloop.known_lesson(p_space, p_event ->> 'into');
      perform lessonloop.may_change(l, p_by);
      perform lessonloop.refuse('into', format('`%s` is archived; restore it before merging into it', l.slug)) where l.archived;
      for s in select distinct (y collate "C") as slug from jsonb_array_elements_text(p_event -> 'from') y order by slug loop
        l := lessonloop.known_lesson(p_space, s);
        perform lessonloop.may_change(l, p_by);
        perform lessonloop.refuse('from', format('`%s` is archived; restore it before merging it', s)) where l.archived;
      end loop;
    when 'Surfaced' then
      perform lessonloop.check_surfaced(p_space, p_event);
    when 'UsageTracked' then
      perform lessonloop.shape(y, lessonloop.fields('detection'), true) from jsonb_array_elements(p_event -> 'detections') y;
      d := lessonloop.known_decision(p_space, p_event ->> 'decision_id');
      perform lessonloop.within_one(y -> 'confidence', 'detections', format('the confidence of `%s`', y ->> 'lesson')),
        lessonloop.recommended(p_space, d.decision_id, y ->> 'lesson', 'detections')
      from jsonb_array_elements(p_event -> 'detections') y;
    when 'OutcomeRecorded' then
      -- It may come before the recommendation: from another device, or after one that was set aside.
      perform lessonloop.refuse('outcome', format('decision `%s` is settled as %s; a settled outcome can''t be changed',
        y.decision_id, y.outcome))
      from public.decisions y where y.space = p_space and y.decision_id = p_event ->> 'decision_id'
        and y.outcome in ('success', 'failure') and p_event ->> 'outcome' not in ('pending', y.outcome);
    when 'FeedbackGiven' then
      perform lessonloop.refuse('lessons', 'name at least one lesson') where jsonb_array_length(p_event -> 'lessons') = 0;
      perform lessonloop.refuse('causal', format('`%s` is causal, but not among the lessons; add it to lessons', y))
      from jsonb_array_elements_text(p_event -> 'causal') y where not (p_event -> 'lessons') ? y;
      perform lessonloop.known_lesson(p_space, y) from jsonb_array_elements_text(p_event -> 'lessons') y;
    when 'Rated', 'Voted' then
      perform lessonloop.known_lesson(p_space, p_event ->> 'lesson');
    when 'PolicyChanged' then
      perform lessonloop.refuse('changes', '1 to 100 settings are changed at once')
      where (select count(*) from jsonb_object_keys(p_event -> 'changes')) not between 1 and 100;
      perform lessonloop.check_setting(y.key, y.value) from jsonb_each(p_event -> 'changes') y;
    when 'ToolSucceeded' then
      null;
  end case;
  if p_kind in ('FeedbackGiven', 'Rated', 'Voted') and p_event ->> 'decision_id' is not null then
    perform lessonloop.check_judgement(p_space, p_kind, p_event, p_by);
  end if;
end $$;

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
  select case when p_step > 0 then least(p_confidence + p_step, 1::float8) else greatest(p_confidence + p_step, 0.1::float8) end
$$;

-- The text that a model embeds, as SHA-256 in hex.
create or replace function lessonloop.embedded_hash(p_title text, p_description text, p_recommendation text) returns text
language sql stable as $$
  select encode(sha256(convert_to(
    concat_ws(chr(10), nullif(p_title, ''), nullif(p_description, ''), nullif(p_recommendation, '')), 'UTF8')), 'hex')
$$;

-- Identity of a tool record.
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

create or replace function lessonloop.is_agent(p_by text) returns boolean
language sql immutable as $$
  select p_by like 'agent:%'
$$;

-- True if so many agents' keys have written that none of them moves a standing alone.
create or replace function lessonloop.is_shared(p_space uuid) returns boolean
language sql stable as $$
  select cardinality(s.agents) >= 2 from public.spaces s where s.id = p_space
$$;

-- True if an agent in a shared space speaks of an unapproved lesson of its own.
create or replace function lessonloop.is_self_vote(l public.lessons, p_by text) returns boolean
language sql stable as $$
  select lessonloop.is_agent(p_by) and l."by" = p_by and not (l.trust = 'approved' and not l.approved_by_agent)
    and lessonloop.is_shared(l.space)
$$;

create or replace function lessonloop.standing_of(l public.lessons) returns lessonloop.standing
language sql immutable as $$
  select row(
    l.confidence, l.frequency, l.upvotes, l.downvotes, l.times_surfaced, l.times_helpful,
    l.times_not_helpful, l.effectiveness, l.use_count, l.causal_hits, l.last_used_at, l.last_feedback_at,
    l.times_applied, l.success_count, l.consecutive_failures, l.trial_from, l.proven_effective, l.qualified_at,
    l.lift_mean, l.lift_variance, l.lift_at)::lessonloop.standing
$$;

-- The domain of these words: trimmed, in lower case.
create or replace function lessonloop.domain_key(p_text text) returns text
language sql immutable as $$
  select regexp_replace(lessonloop.lowered(coalesce(p_text, '')),
    '^[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|'
    '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$', '', 'g')
$$;

-- Lifts, as in the core's learning/lift.rs, to the bit. No product here falls below the least double, which PostgreSQL would
-- refuse: means nearer to 0 than 1e-12 are 0, variances are at least 1e-9, and weights above 0.001.

-- A lift within its bounds.
create or replace function lessonloop.lift_bounded(s lessonloop.standing) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
begin
  s.lift_mean := least(greatest(s.lift_mean, -1::float8), 1::float8);
  if abs(s.lift_mean) < 1e-12::float8 then
    s.lift_mean := 0::float8;
  end if;
  s.lift_variance := least(greatest(s.lift_variance, 1e-9::float8), 0.0144::float8);
  return s;
end $$;

-- 2^(-elapsed / 180 days), by the bits of the milliseconds.
create or replace function lessonloop.lift_left(p_elapsed bigint) returns float8
language plpgsql immutable set search_path = '' as $$
declare
  of_bits constant float8[] := array[
    0.9999999999554303, 0.9999999999108607, 0.9999999998217214, 0.9999999996434428, 0.9999999992868857,
    0.9999999985737712, 0.9999999971475425, 0.9999999942950849, 0.9999999885901699, 0.99999997718034,
    0.9999999543606806, 0.9999999087213631, 0.9999998174427346, 0.9999996348855024, 0.9999992697711382,
    0.9999985395428095, 0.9999970790877519, 0.9999941581840356, 0.9999883164021979, 0.9999766329409022,
    0.999953266427824, 0.9999065350396747, 0.9998130788150482, 0.9996261925696259, 0.9992525248712467,
    0.9985056084615617, 0.9970134501291934, 0.9940358197385176, 0.9881072109232266, 0.9763558602784779,
    0.9532707659001265, 0.9087251531198138, 0.8257814039126291, 0.6819149270479127, 0.46500796773076003,
    0.21623241005309157, 0.04675645515736834, 0.0021861660988829966, 4.779322211905301e-06, 2.2841920805211373e-11]::float8[];
  w float8 := 1;
begin
  if p_elapsed >> 40 <> 0 then
    return 0;
  end if;
  for bit in 0..39 loop
    if (p_elapsed >> bit) & 1 = 1 then
      w := w * of_bits[bit + 1];
    end if;
  end loop;
  return w;
end $$;

-- A lift at a time.
create or replace function lessonloop.lift_at(s lessonloop.standing, p_at timestamptz) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  w float8;
begin
  s := lessonloop.lift_bounded(s);
  if s.lift_at is null or p_at <= s.lift_at then
    return s;
  end if;
  w := lessonloop.lift_left((extract(epoch from p_at) * 1000)::bigint - (extract(epoch from s.lift_at) * 1000)::bigint);
  s.lift_mean := 0.03::float8 + (s.lift_mean - 0.03::float8) * w;
  s.lift_variance := 0.0144::float8 - (0.0144::float8 - s.lift_variance) * (w * w);
  s.lift_at := p_at;
  return lessonloop.lift_bounded(s);
end $$;

-- Distance of an outcome from the chance that was expected, and its variance.
create or replace function lessonloop.lift_surprise(p_expected float8, p_variance float8, p_won boolean) returns float8[]
language plpgsql immutable set search_path = '' as $$
declare
  p float8 := least(greatest(p_expected, 0.05::float8), 0.95::float8);
begin
  return array[case when p_won then 1::float8 else 0::float8 end - p_expected, p_variance + p * (1::float8 - p)];
end $$;

-- A lift after a surprise in a run in which the lesson was at work with a weight of h.
create or replace function lessonloop.lift_moved(s lessonloop.standing, h float8, p_surprise float8[], p_at timestamptz)
returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  vh float8;
begin
  s := lessonloop.lift_at(s, p_at);
  s.lift_at := greatest(s.lift_at, p_at);
  vh := s.lift_variance * h;
  s.lift_mean := s.lift_mean + vh / p_surprise[2] * p_surprise[1];
  s.lift_variance := s.lift_variance - vh * vh / p_surprise[2];
  return lessonloop.lift_bounded(s);
end $$;

-- The surprise of a run of which one lesson alone learns, and not the base rate.
create or replace function lessonloop.lift_surprise_alone(
  s lessonloop.standing, h float8, p_base float8[], p_won boolean, p_at timestamptz) returns float8[]
language plpgsql immutable set search_path = '' as $$
begin
  s := lessonloop.lift_at(s, p_at);
  return lessonloop.lift_surprise(p_base[1] + h * s.lift_mean, p_base[2] + h * h * s.lift_variance, p_won);
end $$;

-- A lift after the lesson was shown or used once more and credited with nothing.
create or replace function lessonloop.lift_unheeded(s lessonloop.standing, p_at timestamptz) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  gain float8;
begin
  s := lessonloop.lift_at(s, p_at);
  s.lift_at := greatest(s.lift_at, p_at);
  gain := s.lift_variance / (s.lift_variance + 0.5::float8);
  if s.lift_mean > 0 then
    s.lift_mean := s.lift_mean - gain * s.lift_mean;
  end if;
  s.lift_variance := s.lift_variance - gain * s.lift_variance;
  return lessonloop.lift_bounded(s);
end $$;

-- The lift of two lessons that become one.
create or replace function lessonloop.lift_merged(s lessonloop.standing, other lessonloop.standing) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  at timestamptz := greatest(s.lift_at, other.lift_at);
  precise float8;
begin
  s := lessonloop.lift_at(s, at);
  other := lessonloop.lift_at(other, at);
  precise := 1::float8 / s.lift_variance + 1::float8 / other.lift_variance - 1::float8 / 0.0144::float8;
  s.lift_mean := (s.lift_mean / s.lift_variance + other.lift_mean / other.lift_variance - 0.03::float8 / 0.0144::float8) / precise;
  s.lift_variance := 1::float8 / precise;
  s.lift_at := at;
  return lessonloop.lift_bounded(s);
end $$;

-- True if ranking goes by lifts in a space, and not by the sources' rules.
create or replace function lessonloop.by_lift(p_space uuid) returns boolean
language sql stable as $$
  select coalesce((select s.value #>> '{}' from public.settings s where s.space = p_space and s.name = 'rank.standing'), 'lift') <> 'seeds'
$$;

-- True if a lesson helps, as far as seen: its interval lies above 0. Time only widens it, so few lessons are looked at closely.
create or replace function lessonloop.lift_helps(l public.lessons, p_at timestamptz) returns boolean
language sql stable as $$
  select case when l.lift_mean > 1.96::float8 * sqrt(l.lift_variance)
    then (select s.lift_mean - 1.96::float8 * sqrt(s.lift_variance) > 0 from lessonloop.lift_at(lessonloop.standing_of(l), p_at) s)
    else false end
$$;

-- True if it harms: not even doubt speaks for it.
create or replace function lessonloop.lift_harms(l public.lessons, p_at timestamptz) returns boolean
language sql stable as $$
  select case when l.lift_mean < 0
    then (select s.lift_mean + 0.2::float8 * sqrt(s.lift_variance) <= 0 from lessonloop.lift_at(lessonloop.standing_of(l), p_at) s)
    else false end
$$;

-- Success of a domain's runs without any lesson, as rate and variance: as the space's runs go, drawn towards one half by ten, where
-- nothing was seen of the domain.
create or replace function lessonloop.base_of(p_space uuid, p_domain text) returns float8[]
language plpgsql stable set search_path = '' as $$
declare
  base float8[];
begin
  select array[b.rate, b.variance] into base from public.domain_bases b where b.space = p_space and b.domain = p_domain;
  if not found then
    select array[(5::float8 + coalesce(sum(b.successes), 0)::float8) / (10::float8 + coalesce(sum(b.runs), 0)::float8), 0.05::float8]
    into base from public.domain_bases b where b.space = p_space;
  end if;
  return base;
end $$;

-- Sets or clears `proven_effective` when the counts turn it.
create or replace function lessonloop.qualified(s lessonloop.standing, p_at timestamptz) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  proven boolean := case when s.times_applied >= 3 then s.success_count::float8 / s.times_applied::float8 >= 0.5::float8 else false end;
begin
  if proven <> s.proven_effective then
    s.proven_effective := proven;
    s.qualified_at := case when proven then p_at end;
  end if;
  return s;
end $$;

-- A standing after something was said: that the lesson was `shown`, `rated` or `voted` well or not, was a `cause` of what
-- came well or not, was `present` at it, `passed` over for others that were, or `applied` in a decision that came well or not,
-- of which its lift learns (`taught`), that it gets a `trial`, or another text (`edited`). `p_base` is the base rate that a rating
-- is held against, or what teaches: the surprise, and the weight.
create or replace function lessonloop.told(
  s lessonloop.standing, p_what text, p_good boolean, p_at timestamptz, p_base float8[] default null)
returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
begin
  case p_what
    when 'shown' then
      s.times_surfaced := lessonloop.capped(s.times_surfaced + 1);
      if s.times_surfaced >= 10 and s.times_applied = 0 and s.times_helpful = 0 and s.causal_hits = 0 then
        s := lessonloop.lift_unheeded(s, p_at);
      end if;
    when 'rated' then
      s.times_helpful := lessonloop.capped(s.times_helpful + p_good::integer);
      s.times_not_helpful := lessonloop.capped(s.times_not_helpful + (not p_good)::integer);
      s.confidence := lessonloop.moved(s.confidence, case when p_good then 0.02::float8 else -0.03::float8 end);
      s := lessonloop.lift_moved(s, 0.3::float8, lessonloop.lift_surprise_alone(s, 0.3::float8, p_base, p_good, p_at), p_at);
    when 'voted' then
      s.upvotes := lessonloop.capped(s.upvotes + p_good::integer);
      s.downvotes := lessonloop.capped(s.downvotes + (not p_good)::integer);
      s.confidence := lessonloop.moved(s.confidence, case when p_good then 0.05::float8 else -0.05::float8 end);
    when 'cause', 'present', 'passed' then
      s.use_count := lessonloop.capped(s.use_count + 1);
      s.last_used_at := p_at;
      if p_what = 'cause' then
        s.effectiveness := s.effectiveness * 0.9::float8 + case when p_good then 1::float8 else 0::float8 end * 0.1::float8;
        s.causal_hits := lessonloop.capped(s.causal_hits + 1);
        s.last_feedback_at := p_at;
      else
        s.effectiveness := s.effectiveness + (0.5::float8 - s.effectiveness) * 0.1::float8;
        if p_what = 'passed' then
          s := lessonloop.lift_unheeded(s, p_at);
        end if;
      end if;
    when 'applied' then
      s.times_applied := lessonloop.capped(s.times_applied + 1);
      s.success_count := lessonloop.capped(s.success_count + p_good::integer);
      s.consecutive_failures := case when p_good then 0 else lessonloop.capped(s.consecutive_failures + 1) end;
      s := lessonloop.qualified(s, p_at);
    when 'taught' then
      s := lessonloop.lift_moved(s, p_base[3], p_base, p_at);
    when 'trial' then
      s.consecutive_failures := 0;
      s.trial_from := s.times_applied;
      s.lift_mean := 0.03::float8;
      s.lift_variance := 0.0144::float8;
      s.lift_at := null;
    when 'edited' then
      s := lessonloop.lift_bounded(s);
      s.lift_mean := 0.03::float8 + (s.lift_mean - 0.03::float8) * 0.5::float8;
      s.lift_variance := 0.0144::float8;
      s := lessonloop.lift_bounded(s);
  end case;
  return s;
end $$;

-- The counts that a merge adds to a standing.
create or replace function lessonloop.summed(s lessonloop.standing, other lessonloop.standing) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  a float8 := s.use_count;
  b float8 := other.use_count;
begin
  if a + b > 0 then
    s.effectiveness := lessonloop.divided(s.effectiveness * a + other.effectiveness * b, a + b);
  end if;
  s := lessonloop.lift_merged(s, other);
  s.confidence := greatest(s.confidence, other.confidence);
  s.frequency := lessonloop.capped(s.frequency + other.frequency);
  s.upvotes := lessonloop.capped(s.upvotes + other.upvotes);
  s.downvotes := lessonloop.capped(s.downvotes + other.downvotes);
  s.times_surfaced := lessonloop.capped(s.times_surfaced + other.times_surfaced);
  s.times_helpful := lessonloop.capped(s.times_helpful + other.times_helpful);
  s.times_not_helpful := lessonloop.capped(s.times_not_helpful + other.times_not_helpful);
  s.use_count := lessonloop.capped(s.use_count + other.use_count);
  s.causal_hits := lessonloop.capped(s.causal_hits + other.causal_hits);
  s.times_applied := lessonloop.capped(s.times_applied + other.times_applied);
  s.success_count := lessonloop.capped(s.success_count + other.success_count);
  s.last_used_at := greatest(s.last_used_at, other.last_used_at);
  s.last_feedback_at := greatest(s.last_feedback_at, other.last_feedback_at);
  return s;
end $$;

-- Writes a lesson's standing, and the one with its writer's word, if that has numbers.
create or replace function lessonloop.put_standing(
  p_space uuid, p_slug text, s lessonloop.standing, p_own lessonloop.standing, v bigint) returns void
language sql volatile as $$
  update public.lessons l set
    confidence = s.confidence, frequency = s.frequency, upvotes = s.upvotes, downvotes = s.downvotes,
    times_surfaced = s.times_surfaced, times_helpful = s.times_helpful, times_not_helpful = s.times_not_helpful,
    effectiveness = s.effectiveness, use_count = s.use_count, causal_hits = s.causal_hits,
    last_used_at = s.last_used_at, last_feedback_at = s.last_feedback_at, times_applied = s.times_applied,
    success_count = s.success_count, consecutive_failures = s.consecutive_failures, trial_from = s.trial_from,
    proven_effective = s.proven_effective, qualified_at = s.qualified_at,
    lift_mean = s.lift_mean, lift_variance = s.lift_variance, lift_at = s.lift_at,
    pending_standing = case when p_own.confidence is not null then p_own end, version = v
  where l.space = p_space and l.slug = p_slug
$$;

-- Moves a lesson by what is said of it; its writer's word waits.
create or replace function lessonloop.move(
  p_space uuid, p_slug text, p_what text, p_good boolean, p_at timestamptz, v bigint, p_waits boolean,
  p_base float8[] default null) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  l public.lessons;
  s lessonloop.standing;
  own lessonloop.standing;
begin
  select * into l from public.lessons x where x.space = p_space and x.slug = p_slug;
  s := lessonloop.standing_of(l);
  own := l.pending_standing;
  if p_waits and own.confidence is null then
    own := s;
  end if;
  if own.confidence is not null then
    own := lessonloop.told(own, p_what, p_good, p_at, p_base);
  end if;
  if not p_waits then
    s := lessonloop.told(s, p_what, p_good, p_at, p_base);
  end if;
  perform lessonloop.put_standing(p_space, p_slug, s, own, v + 1);
  return v + 1;
end $$;

-- A rating or a vote, which are `rated` and `voted`: an agent's counts once a day in a shared space. It is held against the
-- base rate of the decision's domain, else of the lesson's.
create or replace function lessonloop.give_opinion(
  p_space uuid, p_slug text, p_what text, p_good boolean, p_at timestamptz, v bigint, p_by text, p_decision text) returns bigint
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
  return lessonloop.move(p_space, p_slug, p_what, p_good, p_at, v, lessonloop.is_self_vote(l, p_by),
    lessonloop.base_of(p_space, coalesce((
      select lessonloop.domain_key(d.context ->> 'domain') from public.decisions d
      where d.space = p_space and d.decision_id = p_decision and d.at is not null), lessonloop.domain_key(l.domain))));
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
  if l.trust = 'approved' and not l.approved_by_agent and (l.pending_standing).confidence is not null then
    perform lessonloop.put_standing(p_space, p_slug, l.pending_standing, null, l.version);
  end if;
end $$;

-- Lets the lifts of a decision's lessons learn of it, once: together with its domain's base rate when it is first known how it
-- went; of a lesson that is seen at work later, that lesson alone.
create or replace function lessonloop.teach(p_space uuid, p_decision text, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  d public.decisions;
  won boolean;
  in_domain text;
  base float8[];
  surprise float8[];
  names text[];
  weights float8[];
  h float8;
  expected float8;
  varies float8;
  l public.lessons;
  s lessonloop.standing;
  waits boolean;
begin
  select * into d from public.decisions x where x.space = p_space and x.decision_id = p_decision and x.at is not null;
  won := case when d.outcome in ('success', 'failure') then d.outcome = 'success' else d.feedback #>> '{0,outcome}' <> 'blocked' end;
  if won is null then
    return v;
  end if;
  in_domain := lessonloop.domain_key(d.context ->> 'domain');
  base := lessonloop.base_of(p_space, in_domain);
  -- 1 for a cause, 0 where others were or where it was not seen applied, else what the detection says.
  select coalesce(array_agg(w.lesson order by w.position), '{}'), array_agg(least(w.h, 1::float8) order by w.position)
  into names, weights from (
    select x.lesson, x.position, case
      when exists (select from jsonb_array_elements(d.feedback) f where (f -> 'causal') ? x.lesson) then 1::float8
      when not x.was_applied or exists (select from jsonb_array_elements(d.feedback) f where f -> 'causal' <> '[]') then 0::float8
      else x.confidence end as h
    from public.recommendations x where x.space = p_space and x.decision_id = p_decision and not x.learned) w
  where w.h > 0.001::float8;
  if not d.taught then
    expected := base[1];
    varies := base[2];
    for i in 1..cardinality(names) loop
      h := weights[i];
      select * into l from public.lessons x where x.space = p_space and x.slug = names[i];
      s := lessonloop.lift_at(lessonloop.standing_of(l), p_at);
      expected := expected + h * s.lift_mean;
      varies := varies + h * h * s.lift_variance;
    end loop;
    surprise := lessonloop.lift_surprise(expected, varies, won);
    base := array[
      least(greatest(base[1] + base[2] / surprise[2] * surprise[1], 0::float8), 1::float8),
      least(greatest(base[2] - base[2] * base[2] / surprise[2] + 2e-5::float8, 1e-9::float8), 0.05::float8)];
    if abs(base[1]) < 1e-12::float8 then
      base[1] := 0::float8;
    end if;
    insert into public.domain_bases as b (space, domain, rate, variance, runs, successes, version)
    values (p_space, in_domain, base[1], base[2], 1, won::integer, v + 1)
    on conflict (space, domain) do update
      set rate = base[1], variance = base[2], runs = lessonloop.capped(b.runs + 1),
        successes = lessonloop.capped(b.successes + won::integer), version = v + 1;
    update public.decisions x set taught = true, version = v + 2 where x.space = p_space and x.decision_id = p_decision;
    v := v + 2;
  end if;
  for i in 1..cardinality(names) loop
    select * into l from public.lessons x where x.space = p_space and x.slug = names[i];
    if d.taught then
      surprise := lessonloop.lift_surprise_alone(lessonloop.standing_of(l), weights[i], base, won, p_at);
    end if;
    -- The word of a lesson's writer waits, whoever else spoke.
    select coalesce(bool_or(lessonloop.is_self_vote(l, g.by)), false) into waits
    from (
      select unnest(array[d."by", d.outcome_by, p_by]) as by
      union all select f ->> 'by' from jsonb_array_elements(d.feedback) f) g;
    v := lessonloop.move(p_space, l.slug, 'taught', won, p_at, v, waits, surprise || weights[i]) + 1;
    update public.recommendations x set learned = true, version = v
    where x.space = p_space and x.decision_id = p_decision and x.lesson = l.slug;
  end loop;
  return v;
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
    select lessonloop.is_self_vote(l, d."by") or lessonloop.is_self_vote(l, d.outcome_by) or lessonloop.is_self_vote(l, p_by)
    into waits from public.lessons l where l.space = p_space and l.slug = r.lesson;
    v := lessonloop.move(p_space, r.lesson, 'applied', won, p_at, v, waits);
  end loop;
  return v;
end $$;

-- Whatever the lesson says of who added it: the event knows.
create or replace function lessonloop.add_lesson(p_space uuid, p_lesson jsonb, p_raw json, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.lessons (
    space, slug, title, description, context, recommendation, category, domain, project_types, tech_stacks, tags, extra,
    confidence, frequency, upvotes, downvotes, times_surfaced, times_helpful, times_not_helpful, effectiveness, use_count,
    causal_hits, last_used_at, last_feedback_at, times_applied, success_count, consecutive_failures, proven_effective,
    qualified_at, source, trust, findings, archived, merged_into, rev, created_at, updated_at, "by", trial_from,
    lift_mean, lift_variance, lift_at, embedded_hash, version)
  select
    p_space, x.slug, coalesce(x.title, ''), coalesce(x.description, ''), coalesce(x.context, ''),
    coalesce(x.recommendation, ''), coalesce(x.category, 'workflow'), coalesce(x.domain, ''),
    lessonloop.text_list(x.project_types), lessonloop.text_list(x.tech_stacks), lessonloop.text_list(x.tags),
    coalesce(x.extra, ''),
    -- From the text as it was sent: jsonb has no negative zero.
    coalesce((p_raw ->> 'confidence')::float8, 0.5::float8), coalesce(x.frequency, 1), coalesce(x.upvotes, 0),
    coalesce(x.downvotes, 0), coalesce(x.times_surfaced, 0), coalesce(x.times_helpful, 0),
    coalesce(x.times_not_helpful, 0), coalesce((p_raw ->> 'effectiveness')::float8, 0.5::float8),
    coalesce(x.use_count, 0), coalesce(x.causal_hits, 0), lessonloop.instant(x.last_used_at),
    lessonloop.instant(x.last_feedback_at), coalesce(x.times_applied, 0), coalesce(x.success_count, 0),
    coalesce(x.consecutive_failures, 0), coalesce(x.proven_effective, false), lessonloop.instant(x.qualified_at),
    coalesce(x.source, ''), coalesce(x.trust, 'unreviewed'), lessonloop.text_list(x.findings),
    coalesce(x.archived, false), x.merged_into, coalesce(x.rev, 1), lessonloop.instant(x.created_at),
    lessonloop.instant(x.updated_at), p_by, coalesce(x.trial_from, 0),
    coalesce((p_raw ->> 'lift_mean')::float8, 0.03::float8), coalesce((p_raw ->> 'lift_variance')::float8, 0.0144::float8),
    lessonloop.instant(p_raw ->> 'lift_at'),
    lessonloop.embedded_hash(coalesce(x.title, ''), coalesce(x.description, ''), coalesce(x.recommendation, '')), v + 1
  from jsonb_to_record(p_lesson) as x (
    slug text, title text, description text, context text, recommendation text, category text, domain text,
    project_types jsonb, tech_stacks jsonb, tags jsonb, extra text, frequency bigint, upvotes bigint, downvotes bigint,
    times_surfaced bigint, times_helpful bigint, times_not_helpful bigint, use_count bigint, causal_hits bigint,
    last_used_at text, last_feedback_at text, times_applied bigint, success_count bigint, consecutive_failures bigint,
    proven_effective boolean, qualified_at text, source text, trust text, findings jsonb, archived boolean,
    merged_into text, rev bigint, created_at text, updated_at text, trial_from bigint);
  return v + 1;
end $$;

-- An edit. `text_at` is when one last named what agents read: title, description, context or recommendation.
create or replace function lessonloop.edit_lesson(p_space uuid, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  c jsonb := p_event -> 'changes';
  before text;
  now_embedded text;
begin
  select x.embedded_hash into before from public.lessons x where x.space = p_space and x.slug = p_event ->> 'lesson';
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
    extra = coalesce(c ->> 'extra', l.extra),
    embedded_hash = lessonloop.embedded_hash(coalesce(c ->> 'title', l.title),
      coalesce(c ->> 'description', l.description), coalesce(c ->> 'recommendation', l.recommendation)),
    rev = lessonloop.capped(l.rev + 1),
    trust = p_event ->> 'trust',
    findings = lessonloop.text_list(p_event -> 'findings'),
    updated_at = p_at,
    version = v + 1
  where l.space = p_space and l.slug = p_event ->> 'lesson'
  returning l.embedded_hash into now_embedded;
  if now_embedded <> before then
    return lessonloop.move(p_space, p_event ->> 'lesson', 'edited', true, p_at, v, false);
  end if;
  return v + 1;
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
  own := l.pending_standing;
  -- The order decides the bits of the weighted mean: that of the slugs' bytes.
  for name in select distinct (x collate "C") as slug from jsonb_array_elements_text(p_event -> 'from') x order by slug loop
    -- Counts that wait for the approval of a lesson that is merged stay with it.
    select (lessonloop.standing_of(x)).* into other from public.lessons x where x.space = p_space and x.slug = name;
    s := lessonloop.summed(s, other);
    if own.confidence is not null then
      own := lessonloop.summed(own, other);
    end if;
    v := v + 1;
    update public.lessons x set archived = true, proposals = '[]', merged_into = l.slug, updated_at = p_at, version = v
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

-- Withheld lessons, as the core writes them. Numbers come from the text as it was sent: jsonb has no negative zero.
create or replace function lessonloop.measured(p_raw json) returns json
language sql stable set search_path = '' set extra_float_digits = 1 as $$
  select case when json_typeof(p_raw) = 'object' then json_build_object(
    'control', coalesce((p_raw ->> 'control')::boolean, false),
    'control_q', coalesce((p_raw ->> 'control_q')::float8, 0::float8),
    'drawn', (
      select coalesce(json_agg(json_build_object(
        'lesson', x.value ->> 'lesson', 'q', (x.value ->> 'q')::float8, 'withheld', (x.value ->> 'withheld')::boolean)
        order by x.ordinality), '[]')
      from json_array_elements(coalesce(p_raw -> 'drawn', '[]')) with ordinality x)) end
$$;

create or replace function lessonloop.surface(
  p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  c constant jsonb := p_event -> 'context';
  decision constant text := c ->> 'decision_id';
  item json;
  d public.decisions;
  place integer;
  from_version constant bigint := v;
  muted constant boolean := lessonloop.is_muted(p_space, p_by, p_at);
begin
  if decision is not null then
    -- A situation has all its fields, as the core writes it.
    insert into public.decisions as x (space, decision_id, context, "by", at, measured, asked_at, version)
    values (p_space, decision, jsonb_build_object(
      'decision_id', c -> 'decision_id', 'query', c -> 'query', 'domain', c -> 'domain', 'project_type', c -> 'project_type',
      'tech_stack', coalesce(c -> 'tech_stack', '[]'), 'phase', c -> 'phase'),
      p_by, p_at, lessonloop.measured(p_raw -> 'measured'), from_version, v + 1)
    on conflict (space, decision_id) do update
      set context = excluded.context, "by" = excluded."by", at = excluded.at, measured = excluded.measured,
        asked_at = excluded.asked_at, version = excluded.version
      -- Its outcome came first.
      where x.at is null;
    v := v + found::integer;
    if not found and c ->> 'query' is not null then
      -- A session begins before anything is asked.
      update public.decisions x set context = jsonb_set(x.context, '{query}', c -> 'query'), version = v + 1
      where x.space = p_space and x.decision_id = decision and x.context ->> 'query' is null;
      v := v + found::integer;
    end if;
    select * into d from public.decisions x where x.space = p_space and x.decision_id = decision;
    select coalesce(max(x.position), 0) into place from public.recommendations x
    where x.space = p_space and x.decision_id = decision;
  end if;
  for item in select * from json_array_elements(p_raw -> 'items') loop
    insert into public.retrievals (space, retrieval_id, lesson)
    values (p_space, p_event ->> 'retrieval_id', item ->> 'lesson') on conflict do nothing;
    if found and not muted then
      v := lessonloop.move(p_space, item ->> 'lesson', 'shown', true, p_at, v, false);
    end if;
    if decision is not null then
      insert into public.recommendations (
        space, decision_id, position, lesson, domain, relevance_score, likelihood, was_presented, was_applied, match_type, confidence,
        trade_outcome, pnl_percent, contributed_to_success, settled, at, version)
      values (
        p_space, decision, place + 1, item ->> 'lesson', coalesce(c ->> 'domain', ''),
        coalesce((item ->> 'relevance')::float8, 0), (item ->> 'likelihood')::float8, true, false, 'none', 0, d.outcome, d.pnl_percent, false, false,
        p_at, v + 1)
      on conflict (space, decision_id, lesson) do nothing;
      place := place + found::integer;
      v := v + found::integer;
      -- The first asker, which may have been without this lesson, decides whether its outcome waits.
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
  v := lessonloop.count_outcome(p_space, p_event ->> 'decision_id', p_at, v, p_by);
  return lessonloop.teach(p_space, p_event ->> 'decision_id', p_at, v, p_by);
end $$;

create or replace function lessonloop.record_outcome(
  p_space uuid, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  decision text := p_event ->> 'decision_id';
  said text := p_event ->> 'outcome';
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
  v := lessonloop.count_outcome(p_space, decision, p_at, v, p_by);
  return lessonloop.teach(p_space, decision, p_at, v, p_by);
end $$;

-- Opinions on lessons: feedback, ratings, votes.
create or replace function lessonloop.hear(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  name text;
  waits boolean;
begin
  if p_kind in ('Rated', 'Voted') then
    return lessonloop.give_opinion(p_space, p_event ->> 'lesson', lower(p_kind),
      coalesce(p_event ->> 'up', p_event ->> 'helpful')::boolean, p_at, v, p_by, p_event ->> 'decision_id');
  end if;
  insert into public.feedback_times (space, version, at) values (p_space, v, p_at);
  for name in select distinct x from jsonb_array_elements_text(p_event -> 'lessons') x loop
    select lessonloop.is_self_vote(l, p_by) into waits from public.lessons l where l.space = p_space and l.slug = name;
    v := lessonloop.move(p_space, name, case
        when (p_event -> 'causal') ? name then 'cause'
        when p_event -> 'causal' <> '[]' then 'passed'
        else 'present' end,
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
    v := lessonloop.teach(p_space, d.decision_id, p_at, v, p_by);
  else
    update public.decisions x set version = v, opinions = x.opinions || jsonb_build_array(new || jsonb_build_object(
      'lesson', p_event -> 'lesson', 'is_vote', p_kind = 'Voted',
      'is_positive', coalesce(p_event -> 'up', p_event -> 'helpful')))
    where x.space = p_space and x.decision_id = d.decision_id;
  end if;
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

-- Folds an event that was checked, and answers the last version taken. `p_raw` is the event's text as it was sent, and
-- `p_by` who made it.
create or replace function lessonloop.apply_event(
  p_space uuid, p_kind text, p_event jsonb, p_raw json, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  from_version constant bigint := v;
  named text := p_event ->> 'lesson';
begin
  case lessonloop.kind_in_force(p_space, p_kind, p_event, p_at, p_by)
    when 'muted' then
      -- That a decision was named is left of an event of which nothing counts.
      if p_kind = 'OutcomeRecorded' then
        insert into public.decisions (space, decision_id, version) values (p_space, p_event ->> 'decision_id', v + 1)
        on conflict do nothing;
        v := v + found::integer;
      end if;
    when 'ChangeProposed', 'ProposalSettled' then
      v := lessonloop.apply_proposal(p_space, p_kind, p_event, p_at, v, p_by);
    when 'VoiceWithdrawn', 'VoiceReinstated' then
      v := lessonloop.apply_withdrawal(p_space, p_kind, p_event, p_at, v);
    when 'LessonAdded' then
      v := lessonloop.add_lesson(p_space, p_event -> 'lesson', p_raw -> 'lesson', v, p_by);
      perform lessonloop.trusted(p_space, p_event #>> '{lesson,slug}', p_by);
      update public.lessons l set archived = true
      where l.space = p_space and l.slug = p_event #>> '{lesson,slug}' and lessonloop.is_past(p_space, p_at, p_by);
    when 'LessonEdited' then
      v := lessonloop.edit_lesson(p_space, p_event, p_at, v);
      perform lessonloop.trusted(p_space, named, p_by);
    when 'LessonReviewed' then
      v := v + 1;
      update public.lessons l set
        trust = case p_event ->> 'verdict' when 'approve' then 'approved' else 'quarantined' end, updated_at = p_at, version = v
      where l.space = p_space and l.slug = named;
      perform lessonloop.trusted(p_space, named, p_by);
    when 'LessonArchived' then
      v := v + 1;
      update public.lessons l set archived = true, proposals = '[]', updated_at = p_at, version = v
      where l.space = p_space and l.slug = named;
    when 'LessonRestored' then
      v := v + 1;
      update public.lessons l set archived = false, merged_into = null, updated_at = p_at, version = v
      where l.space = p_space and l.slug = named;
    when 'LessonsMerged' then
      v := lessonloop.merge_lessons(p_space, p_event, p_at, v);
    when 'Surfaced' then
      v := lessonloop.surface(p_space, p_event, p_raw, p_at, v, p_by);
    when 'UsageTracked' then
      v := lessonloop.detect(p_space, p_event, p_raw, p_at, v, p_by);
    when 'OutcomeRecorded' then
      v := lessonloop.record_outcome(p_space, p_event, p_raw, p_at, v, p_by);
    when 'FeedbackGiven', 'Rated', 'Voted' then
      v := lessonloop.judge(p_space, p_kind, p_event, p_raw, p_at, v, p_by);
    when 'TrialGranted' then
      select lessonloop.move(p_space, named, 'trial', true, p_at, v, lessonloop.is_self_vote(l, p_by)) into v
      from public.lessons l where l.space = p_space and l.slug = named;
      update public.lessons l set updated_at = p_at where l.space = p_space and l.slug = named;
    when 'PolicyChanged' then
      -- A value taken back stays as a row, so that replicas learn of it.
      insert into public.settings (space, name, value, version)
      select p_space, x.key, p_raw -> 'changes' -> x.key, v + x.place
      from jsonb_object_keys(p_event -> 'changes') with ordinality x (key, place)
      on conflict (space, name) do update set value = excluded.value, version = excluded.version;
      v := v + (select count(*) from jsonb_object_keys(p_event -> 'changes'));
    when 'ToolSucceeded' then
      v := lessonloop.record_tool(p_space, p_event, p_at, v);
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

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function lessonloop.refuse(text, text), lessonloop.rfc3339(timestamptz) to authenticated;
