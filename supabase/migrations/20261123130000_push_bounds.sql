-- What a client may not say in a push. An approval is a review's to give: where a new lesson or an edit claims one, it is
-- taken as unreviewed. Counts that come with a lesson, as from an import, are bounded, and a part is no more than its whole.
-- The bounds of texts and lists are those of crates/lesson-types, limits.rs; a test of crates/lesson-service, bounds.rs,
-- compares them. The fold is as it was: what is in the ledger stays and folds as it did.

-- JSON with another value at a path that is there. Everything else keeps its text: jsonb would lose the sign of a zero.
create or replace function lessonloop.with_value(p_json json, p_path text[], p_value json) returns json
language plpgsql immutable set search_path = '' as $$
begin
  if cardinality(p_path) = 0 then
    return p_value;
  end if;
  return (
    select json_object_agg(x.key,
      case when x.key = p_path[1] then lessonloop.with_value(x.value, p_path[2:], p_value) else x.value end)
    from json_each(p_json) x);
end $$;

-- Whether an event claims an approval.
create or replace function lessonloop.claims_approval(p_event jsonb) returns boolean
language sql immutable as $$
  select coalesce(
    'approved' in (p_event #>> '{event,LessonAdded,lesson,trust}', p_event #>> '{event,LessonEdited,trust}'), false)
$$;

-- Events without the approvals that they claim.
create or replace function lessonloop.without_approvals(p_events json) returns json
language plpgsql immutable set search_path = '' as $$
begin
  if json_typeof(p_events) is distinct from 'array'
      or not exists (select from json_array_elements(p_events) x where lessonloop.claims_approval(x::jsonb)) then
    return p_events;
  end if;
  return (
    select json_agg(
      case
        when not lessonloop.claims_approval(x.value::jsonb) then x.value
        when x.value::jsonb #>> '{event,LessonAdded,lesson,trust}' = 'approved'
          then lessonloop.with_value(x.value, '{event,LessonAdded,lesson,trust}', '"unreviewed"')
        else lessonloop.with_value(x.value, '{event,LessonEdited,trust}', '"unreviewed"')
      end order by x.ordinality)
    from json_array_elements(p_events) with ordinality x);
end $$;

-- See 20261123090200_ledger_2_sync.sql.
create or replace function public.push_events(
  p_space uuid, p_actor text, p_events json, p_ledger_version integer default 1) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform lessonloop.served_version(p_ledger_version);
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  return lessonloop.push(p_space, auth.uid(), p_actor, lessonloop.without_approvals(p_events), lessonloop.is_edge());
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
      when 'count' then
        good := t = 'number' and v::text ~ '^\d{1,10}$' and v::text::bigint <= (spec ->> 2)::bigint;
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
        when 'count' then format('`%s` has to be a whole number from 0 to %s', k, spec ->> 2)
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
      "tags": ["texts", "", 100, 64], "confidence": ["float", ""], "frequency": ["count", "", 1000000], "upvotes": ["count", "", 1000000],
      "downvotes": ["count", "", 1000000], "times_surfaced": ["count", "", 1000000], "times_helpful": ["count", "", 1000000],
      "times_not_helpful": ["count", "", 1000000], "effectiveness": ["float", ""], "use_count": ["count", "", 1000000],
      "causal_hits": ["count", "", 1000000, "use_count"], "last_used_at": ["time", "?"], "last_feedback_at": ["time", "?"],
      "times_applied": ["count", "", 1000000], "success_count": ["count", "", 1000000, "times_applied"], "consecutive_failures": ["count", "", 1000000],
      "proven_effective": ["bool", ""], "qualified_at": ["time", "?"], "source": ["text", "", 100],
      "trust": ["one", "", 0, ["unreviewed", "approved", "quarantined"]], "findings": ["texts", "", 10000, 1000],
      "archived": ["bool", ""], "merged_into": ["text", "?", 200], "rev": ["count", "", 1000000],
      "trial_from": ["count", "", 1000000],
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

revoke all on all functions in schema lessonloop from public, anon;
revoke all on function public.push_events(uuid, text, json, integer) from public, anon;
grant execute on function public.push_events(uuid, text, json, integer) to authenticated;
