-- Which events the fold takes: the shape of each kind, and the rules of the core (crates/lesson-core, event.rs and
-- fold.rs). Everything here only reads. An event that is refused changes nothing.
--
-- Small functions in SQL set no search path of their own, so that they are inlined; whoever calls them has set it.

-- Refuses an event: the field at fault, and why, in words for a person.
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

-- Holds an object against its fields, given as {"field": [type, need, bound, words]}. Need: `!` must be there, `?` may
-- be null or absent, empty may be absent. The bound is in characters; for a list, it is each entry's, and `words` the
-- most entries. For `one`, `words` are those that are allowed.
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
  if p_strict then
    select x into k from jsonb_object_keys(p_value) x where not p_fields ? x limit 1;
    if found then
      perform lessonloop.refuse(k, format('the field `%s` is not known; update the server, or leave it out', left(k, 100)));
    end if;
  end if;
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
      when 'u32' then
        good := t = 'number' and v::text ~ '^\d{1,10}$' and v::text::bigint <= 4294967295;
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
      when 'texts' then
        good := t = 'array' and not exists (select from jsonb_array_elements(v) x where jsonb_typeof(x) <> 'string');
        if good and jsonb_array_length(v) > (spec ->> 3)::int then
          perform lessonloop.refuse(k, format('`%s` has %s entries; at most %s are taken', k, jsonb_array_length(v), spec ->> 3));
        end if;
        if good and exists (select from jsonb_array_elements_text(v) x where char_length(x) > (spec ->> 2)::int) then
          perform lessonloop.refuse(k, format('an entry of `%s` is longer than %s characters', k, spec ->> 2));
        end if;
      when 'number' then
        good := t = 'number';
      when 'object' then
        good := t = 'object';
      when 'objects' then
        good := t = 'array';
        if good and jsonb_array_length(v) > (spec ->> 3)::int then
          perform lessonloop.refuse(k, format('`%s` has %s entries; at most %s are taken', k, jsonb_array_length(v), spec ->> 3));
        end if;
    end case;
    if not good then
      perform lessonloop.refuse(k, case spec ->> 0
        when 'text' then format('`%s` has to be a text', k)
        when 'bool' then format('`%s` has to be true or false', k)
        when 'u32' then format('`%s` has to be a whole number from 0 to 4294967295', k)
        when 'float' then format('`%s` has to be a number', k)
        when 'number' then format('`%s` has to be a number', k)
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
      "tags": ["texts", "", 100, 64], "confidence": ["float", ""], "frequency": ["u32", ""], "upvotes": ["u32", ""],
      "downvotes": ["u32", ""], "times_surfaced": ["u32", ""], "times_helpful": ["u32", ""],
      "times_not_helpful": ["u32", ""], "effectiveness": ["float", ""], "use_count": ["u32", ""],
      "causal_hits": ["u32", ""], "last_used_at": ["time", "?"], "last_feedback_at": ["time", "?"],
      "times_applied": ["u32", ""], "success_count": ["u32", ""], "consecutive_failures": ["u32", ""],
      "proven_effective": ["bool", ""], "qualified_at": ["time", "?"], "source": ["text", "", 100],
      "trust": ["one", "", 0, ["unreviewed", "approved", "quarantined"]], "findings": ["texts", "", 10000, 1000],
      "archived": ["bool", ""], "merged_into": ["text", "?", 200], "rev": ["u32", ""],
      "created_at": ["time", "!"], "updated_at": ["time", "!"]}'
    when 'LessonEdited' then '{
      "lesson": ["text", "!", 200], "base_rev": ["u32", "!"], "changes": ["object", "!"],
      "trust": ["one", "!", 0, ["unreviewed", "approved", "quarantined"]], "findings": ["texts", "", 10000, 1000]}'
    when 'changes' then '{
      "title": ["text", "?", 300], "description": ["text", "?", 4000], "context": ["text", "?", 20000],
      "recommendation": ["text", "?", 100000],
      "category": ["one", "?", 0, ["architecture", "workflow", "security", "performance", "testing", "tooling", "communication", "domain"]],
      "domain": ["text", "?", 100], "project_types": ["texts", "?", 100, 64], "tech_stacks": ["texts", "?", 100, 64],
      "tags": ["texts", "?", 100, 64]}'
    when 'LessonArchived' then '{"lesson": ["text", "!", 200]}'
    when 'LessonRestored' then '{"lesson": ["text", "!", 200]}'
    when 'LessonReviewed' then '{
      "lesson": ["text", "!", 200], "verdict": ["one", "!", 0, ["approve", "quarantine"]], "content_hash": ["text", "!", 200]}'
    when 'LessonsMerged' then '{"into": ["text", "!", 200], "from": ["texts", "!", 200, 1000]}'
    when 'Surfaced' then '{
      "retrieval_id": ["text", "!", 200], "purpose": ["text", "!", 200], "context": ["object", "!"],
      "items": ["objects", "!", 0, 100], "policy": ["text", "!", 200]}'
    when 'context' then '{
      "decision_id": ["text", "?", 200], "query": ["text", "?", 8000], "domain": ["text", "?", 100],
      "project_type": ["text", "?", 100], "tech_stack": ["texts", "", 100, 64], "phase": ["text", "?", 100]}'
    when 'item' then '{
      "lesson": ["text", "!", 200], "rank": ["u32", "!"], "score": ["float", "!"], "relevance": ["float", ""]}'
    when 'UsageTracked' then '{"decision_id": ["text", "!", 200], "detections": ["objects", "!", 0, 1000]}'
    when 'detection' then '{
      "lesson": ["text", "!", 200], "applied": ["bool", "!"],
      "match_type": ["one", "!", 0, ["explicit", "implicit", "mentioned", "none"]], "confidence": ["float", "!"],
      "quote": ["text", "?", 10000]}'
    when 'OutcomeRecorded' then '{
      "decision_id": ["text", "!", 200], "outcome": ["one", "!", 0, ["profit", "loss", "pending"]], "pnl_percent": ["float", "?"]}'
    when 'FeedbackGiven' then '{
      "outcome": ["one", "!", 0, ["delivered", "plan_complete", "blocked"]], "lessons": ["texts", "!", 200, 1000],
      "causal": ["texts", "!", 200, 1000]}'
    when 'Rated' then '{"lesson": ["text", "!", 200], "helpful": ["bool", "!"]}'
    when 'Voted' then '{"lesson": ["text", "!", 200], "up": ["bool", "!"]}'
    when 'ToolSucceeded' then '{"query": ["text", "!", 8000], "server": ["text", "!", 100]}'
  end::jsonb
$$;

-- A number within 0 and 1.
create or replace function lessonloop.within_one(p_value jsonb, p_field text, p_words text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not ((p_value #>> '{}')::float8 between 0 and 1) then
    perform lessonloop.refuse(p_field, format('%s is %s; it has to be between 0 and 1', p_words, p_value #>> '{}'));
  end if;
end $$;

create or replace function lessonloop.known_lesson(p_space uuid, p_slug text) returns public.lessons
language plpgsql stable set search_path = '' as $$
declare
  l public.lessons;
begin
  select * into l from public.lessons x where x.space = p_space and x.slug = p_slug;
  if not found then
    perform lessonloop.refuse('lesson', format('there is no lesson `%s`; list or search lessons to find its slug', p_slug));
  end if;
  return l;
end $$;

create or replace function lessonloop.known_decision(p_space uuid, p_id text) returns public.decisions
language plpgsql stable set search_path = '' as $$
declare
  d public.decisions;
begin
  select * into d from public.decisions x where x.space = p_space and x.decision_id = p_id;
  if not found then
    perform lessonloop.refuse('decision_id', format('nothing was recommended for decision `%s`; call recommend with this decision_id first', p_id));
  end if;
  return d;
end $$;

-- SHA-256 in hex over every field of a text: what a review is bound to.
create or replace function lessonloop.content_hash(l public.lessons) returns text
language sql stable as $$
  select encode(sha256(convert_to(
    l.title || chr(31) || l.description || chr(31) || l.context || chr(31) || l.recommendation || chr(31)
    || l.domain || chr(31) || l.category
    || (select string_agg(chr(30) || array_to_string(x.list, chr(31)) || case when x.list = '{}' then '' else chr(31) end, '' order by x.place)
        from (values (1, l.project_types), (2, l.tech_stacks), (3, l.tags)) as x (place, list)),
    'UTF8')), 'hex')
$$;

-- Refuses an event that is not well formed or contradicts the space. `p_event` is what the kind's name holds.
create or replace function lessonloop.check_event(p_space uuid, p_kind text, p_event jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  fields jsonb := lessonloop.fields(p_kind);
  l public.lessons;
  d public.decisions;
  x jsonb;
  s text;
begin
  if fields is null or p_kind !~ '^[A-Z]' then
    perform lessonloop.refuse('event', format('events of the kind `%s` are not known here; update the server''s migrations', left(p_kind, 100)));
  end if;
  perform lessonloop.shape(p_event, fields, true);
  case p_kind
    when 'LessonAdded' then
      x := p_event -> 'lesson';
      perform lessonloop.shape(x, lessonloop.fields('lesson'), false);
      if not lessonloop.is_slug(x ->> 'slug') then
        perform lessonloop.refuse('slug', format('`%s` is not a slug; use lower-case letters, digits and single hyphens, at most 128', x ->> 'slug'));
      end if;
      if lessonloop.blank(coalesce(x ->> 'title', '')) then
        perform lessonloop.refuse('title', 'a lesson needs a title');
      end if;
      perform lessonloop.within_one(x -> 'confidence', 'confidence', 'confidence');
      perform lessonloop.within_one(x -> 'effectiveness', 'effectiveness', 'effectiveness');
      if exists (select from public.lessons y where y.space = p_space and y.slug = x ->> 'slug') then
        perform lessonloop.refuse('slug', format('there is a lesson `%s` already; choose another slug, or edit that one', x ->> 'slug'));
      end if;
    when 'LessonEdited' then
      perform lessonloop.shape(p_event -> 'changes', lessonloop.fields('changes'), true);
      l := lessonloop.known_lesson(p_space, p_event ->> 'lesson');
      if l.rev <> (p_event ->> 'base_rev')::bigint then
        perform lessonloop.refuse('base_rev', format('the edit started from revision %s, but `%s` is at revision %s; read it again and repeat the edit', p_event ->> 'base_rev', l.slug, l.rev));
      end if;
      if lessonloop.blank(p_event #>> '{changes,title}') then
        perform lessonloop.refuse('title', 'a lesson needs a title');
      end if;
    when 'LessonReviewed' then
      l := lessonloop.known_lesson(p_space, p_event ->> 'lesson');
      if lessonloop.content_hash(l) <> p_event ->> 'content_hash' then
        perform lessonloop.refuse('content_hash', format('`%s` has changed since it was read; read it again before reviewing it', l.slug));
      end if;
    when 'LessonArchived', 'LessonRestored', 'Rated', 'Voted' then
      perform lessonloop.known_lesson(p_space, p_event ->> 'lesson');
    when 'LessonsMerged' then
      if jsonb_array_length(p_event -> 'from') = 0 then
        perform lessonloop.refuse('from', 'name at least one lesson to merge');
      end if;
      if (p_event -> 'from') ? (p_event ->> 'into') then
        perform lessonloop.refuse('from', format('`%s` can''t be merged into itself', p_event ->> 'into'));
      end if;
      l := lessonloop.known_lesson(p_space, p_event ->> 'into');
      if l.archived then
        perform lessonloop.refuse('into', format('`%s` is archived; restore it before merging into it', l.slug));
      end if;
      for s in select distinct (y collate "C") as slug from jsonb_array_elements_text(p_event -> 'from') y order by slug loop
        l := lessonloop.known_lesson(p_space, s);
        if l.archived then
          perform lessonloop.refuse('from', format('`%s` is archived; restore it before merging it', s));
        end if;
      end loop;
    when 'Surfaced' then
      perform lessonloop.shape(p_event -> 'context', lessonloop.fields('context'), true);
      for x in select * from jsonb_array_elements(p_event -> 'items') loop
        perform lessonloop.shape(x, lessonloop.fields('item'), true);
      end loop;
      if p_event ->> 'retrieval_id' = '' then
        perform lessonloop.refuse('retrieval_id', 'a retrieval needs an id');
      end if;
      for s in select y ->> 'lesson' from jsonb_array_elements(p_event -> 'items') y loop
        perform lessonloop.known_lesson(p_space, s);
      end loop;
    when 'UsageTracked' then
      for x in select * from jsonb_array_elements(p_event -> 'detections') loop
        perform lessonloop.shape(x, lessonloop.fields('detection'), true);
      end loop;
      d := lessonloop.known_decision(p_space, p_event ->> 'decision_id');
      for x in select * from jsonb_array_elements(p_event -> 'detections') loop
        perform lessonloop.within_one(x -> 'confidence', 'detections', format('the confidence of `%s`', x ->> 'lesson'));
        if not exists (select from public.recommendations y
            where y.space = p_space and y.decision_id = d.decision_id and y.lesson = x ->> 'lesson') then
          perform lessonloop.refuse('detections', format('`%s` was not recommended for decision `%s`', x ->> 'lesson', d.decision_id));
        end if;
      end loop;
    when 'OutcomeRecorded' then
      d := lessonloop.known_decision(p_space, p_event ->> 'decision_id');
      if d.outcome in ('profit', 'loss') and p_event ->> 'outcome' <> 'pending' and p_event ->> 'outcome' <> d.outcome then
        perform lessonloop.refuse('outcome', format('decision `%s` is settled as %s; a settled outcome can''t be changed', d.decision_id, d.outcome));
      end if;
    when 'FeedbackGiven' then
      if jsonb_array_length(p_event -> 'lessons') = 0 then
        perform lessonloop.refuse('lessons', 'name at least one lesson');
      end if;
      select y into s from jsonb_array_elements_text(p_event -> 'causal') y where not (p_event -> 'lessons') ? y limit 1;
      if found then
        perform lessonloop.refuse('causal', format('`%s` is causal, but not among the lessons; add it to lessons', s));
      end if;
      for s in select * from jsonb_array_elements_text(p_event -> 'lessons') loop
        perform lessonloop.known_lesson(p_space, s);
      end loop;
    when 'ToolSucceeded' then
      null;
  end case;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
