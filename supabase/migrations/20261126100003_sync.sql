-- Push and pull: how devices and edges send their events, and take the rows that changed.
--
-- Hosted Supabase ends a statement of `anon` after three seconds and one of a person after eight. PostgREST takes a function's own
-- limit before it calls it.

do $$ begin perform lessonloop.schema_version(); end $$;

-- Refuses an app whose ledger is of another version than the one kept here, before anything of it is read. It keeps what it has.
create or replace function lessonloop.same_ledger(p_ledger_version integer) returns void
language plpgsql immutable set search_path = '' as $$
declare
  kept constant integer := 1;
begin
  if p_ledger_version is distinct from kept then
    raise exception using errcode = 'PT426',
      message = format('this app writes version %s of the ledger, and this server keeps version %s: update the one that is older; '
        'nothing is lost, and what the app holds is sent then', coalesce(p_ledger_version::text, 'null'), kept),
      detail = 'p_ledger_version', hint = 'reload the page, or update the edge or the program';
  end if;
end $$;

-- An event as it is kept: what was sent, with who made it. What happened stays the text it was: jsonb would lose the sign
-- of a zero.
create or replace function lessonloop.stored(p_raw json, p_by text) returns json
language sql stable as $$
  select format('{"op_id":%s,"actor":%s,"seq":%s,"at":%s%s%s,"event":%s}',
    p_raw -> 'op_id', p_raw -> 'actor', p_raw -> 'seq', p_raw -> 'at',
    ',"by":' || to_json(nullif(p_by, '')), ',"request":' || to_json(p_raw ->> 'request'), p_raw -> 'event')::json
$$;

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

-- Where in an event an approval is claimed; null where none is.
create or replace function lessonloop.claimed_approval(p_event jsonb) returns text[]
language sql immutable as $$
  select case when p_event #>> '{event,LessonAdded,lesson,trust}' = 'approved' then '{event,LessonAdded,lesson,trust}'::text[]
    when p_event #>> '{event,LessonEdited,trust}' = 'approved' then '{event,LessonEdited,trust}' end
$$;

-- Events without the approvals that they claim.
create or replace function lessonloop.without_approvals(p_events json) returns json
language plpgsql immutable set search_path = '' as $$
begin
  if json_typeof(p_events) is distinct from 'array'
      or not exists (select from json_array_elements(p_events) x where lessonloop.claimed_approval(x::jsonb) is not null) then
    return p_events;
  end if;
  return (
    select json_agg(
      case when p.path is null then x.value else lessonloop.with_value(x.value, p.path, '"unreviewed"') end order by x.ordinality)
    from json_array_elements(p_events) with ordinality x cross join lessonloop.claimed_approval(x.value::jsonb) p (path));
end $$;

-- Notes which lessons an event moved or saw, and the lift that it left those with that it moved.
create or replace function lessonloop.note_event(
  p_space uuid, p_kind text, p_event jsonb, p_version bigint, p_at timestamptz, p_by text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.lesson_events (space, slug, version, lift_mean, lift_variance, lift_at)
  select p_space, l.slug, p_version, l.lift_mean, l.lift_variance, l.lift_at
  from public.lessons l where l.space = p_space and l.version > p_version
  on conflict (space, slug, version) do update
  set lift_mean = excluded.lift_mean, lift_variance = excluded.lift_variance, lift_at = excluded.lift_at;
  if p_kind = 'UsageTracked' then
    insert into public.lesson_events (space, slug, version)
    select p_space, x ->> 'lesson', p_version from jsonb_array_elements(p_event -> 'detections') x
    where x ->> 'match_type' <> 'none'
    on conflict do nothing;
  elsif p_kind = 'OutcomeRecorded' then
    -- An outcome counts in a lesson that is seen to be applied only later,
    insert into public.lesson_events (space, slug, version)
    select p_space, r.lesson, p_version from public.recommendations r
    where r.space = p_space and r.decision_id = p_event ->> 'decision_id'
    on conflict do nothing;
  elsif p_kind = 'Surfaced' and p_event #>> '{context,decision_id}' is not null then
    -- and in one that is recommended for the decision only later. What is said of a decision hangs on its
    -- recommendations, those that were not counted in the lesson too.
    insert into public.lesson_events (space, slug, version)
    select p_space, x ->> 'lesson', p_version from jsonb_array_elements(p_event -> 'items') x
    union
    select p_space, x ->> 'lesson', o.version from jsonb_array_elements(p_event -> 'items') x
    join public.events o on o.space = p_space and o.kind = 'OutcomeRecorded' and o.version between 1 and p_version
      and o.payload #>> '{event,OutcomeRecorded,decision_id}' = p_event #>> '{context,decision_id}'
    on conflict do nothing;
  elsif p_kind in ('FeedbackGiven', 'Rated', 'Voted', 'TrialGranted') and lessonloop.is_muted(p_space, p_by, p_at) then
    -- An event of a withdrawn voice moves none of those that it names.
    insert into public.lesson_events (space, slug, version)
    select p_space, x, p_version
    from jsonb_array_elements_text(coalesce(p_event -> 'lessons', jsonb_build_array(p_event -> 'lesson'))) x
    on conflict do nothing;
  end if;
end $$;

-- Appends a batch of one actor's events to the ledger and folds them. See push_events.
-- Every row is found by its key. A plan made while the tables were small would read them whole, and be kept while they
-- grow: so plans here are never to do that.
-- `p_keys`: the agents' keys that came along and are in force, the first of them the caller's; null for a person.
create or replace function lessonloop.push(p_space uuid, p_user uuid, p_actor text, p_events json, p_keys uuid[]) returns jsonb
language plpgsql volatile set search_path = '' set enable_seqscan = off as $$
declare
  most_events constant integer := 1000;
  most_bytes constant integer := 16777216;
  most_bytes_each constant integer := 1048576;
  v bigint;
  owner uuid;
  acked bigint;
  status text := 'ok';
  duplicates integer := 0;
  rejected jsonb := '[]';
  raw json;
  place integer := 0;
  e jsonb;
  hash bytea;
  number bigint;
  op text;
  claim text;
  -- The claim that was looked up last, and what became of it.
  known_claim text;
  known_by text;
  made_by text;
  asked text;
  name text;
  at timestamptz;
  why text;
  field text;
  from_version bigint;
  held record;
  -- Events by UTC day. Counted up at the end: a row that is changed a thousand times in one transaction is read through
  -- all its dead versions each time.
  days jsonb := '{}';
  today text;
begin
  if p_actor is null or char_length(p_actor) not between 1 and 200 then
    raise exception using errcode = 'PT400', message = 'p_actor has to have 1 to 200 characters';
  end if;
  if p_events is null or json_typeof(p_events) <> 'array' then
    raise exception using errcode = 'PT400', message = 'p_events has to be a list of events';
  end if;
  if json_array_length(p_events) > most_events or octet_length(p_events::text) > most_bytes then
    raise exception using errcode = 'PT413',
      message = format('a batch takes at most %s events and %s bytes', most_events, most_bytes), hint = 'send a smaller batch';
  end if;

  select s.version, set_config('lessonloop.tools', s.tools::text, true) into v, name
  from public.spaces s where s.id = p_space for update;
  perform lessonloop.no_space() where not found;
  insert into public.actors (space, id, user_id) values (p_space, p_actor, p_user) on conflict do nothing;
  select a.user_id, a.last_seq into owner, acked from public.actors a where a.space = p_space and a.id = p_actor;
  if owner is distinct from p_user then
    raise exception using errcode = 'PT403', message = format('the actor `%s` belongs to another user', p_actor),
      hint = 'take a new actor id and send the same events again';
  end if;

  for raw in select * from json_array_elements(p_events) loop
    place := place + 1;
    why := null;
    field := null;
    e := raw::jsonb;
    hash := sha256(convert_to(e::text, 'UTF8'));
    if jsonb_typeof(e) <> 'object' or coalesce((e -> 'seq')::text, '') !~ '^[1-9]\d{0,17}$' then
      raise exception using errcode = 'PT400', message = format('event %s of the batch has no seq: a whole number from 1', place);
    end if;
    number := (e -> 'seq')::text::bigint;
    op := e ->> 'op_id';
    if jsonb_typeof(e -> 'actor') = 'string' and e ->> 'actor' <> p_actor then
      raise exception using errcode = 'PT403',
        message = format('event %s of the batch is of the actor `%s`', place, left(e ->> 'actor', 200)),
        hint = 'send each actor''s events under that actor';
    end if;

    if number <= acked then
      select x.payload_hash, x.payload, x.field, x.reason into held from (
        select y.payload_hash, y.payload, null::text as field, null::text as reason from public.events y
        where y.space = p_space and y.actor = p_actor and y.seq = number
        union all
        select y.payload_hash, y.payload, y.field, y.reason from public.rejected_events y
        where y.space = p_space and y.actor = p_actor and y.seq = number) x;
      -- The same, apart from how it is written and from who it says made it, which is set here.
      if found and (held.payload_hash = hash or held.payload::jsonb - 'by' = e - 'by') then
        duplicates := duplicates + 1;
        -- The answer that told of it may have been lost.
        if held.reason is not null then
          rejected := rejected || jsonb_build_object('seq', number, 'op_id', op, 'field', held.field, 'reason', held.reason);
        end if;
        continue;
      elsif not found and exists (select from public.events y where y.space = p_space and y.op_id = op
          and not coalesce(y.payload ->> 'request' <> e ->> 'request', false)) then
        -- It was skipped before, because another actor's event had its op_id.
        duplicates := duplicates + 1;
        continue;
      end if;
      status := 'cloned';
      exit;
    elsif number > acked + 1 then
      status := 'gap';
      exit;
    end if;

    if op <> '' then
      select y.payload ->> 'request' into asked from public.events y where y.space = p_space and y.op_id = op;
      if found and asked <> e ->> 'request' then
        field := 'request';
        why := 'this Idempotency-Key was used for another request before; nothing of this one was kept';
      elsif found then
        duplicates := duplicates + 1;
        acked := number;
        continue;
      end if;
    end if;

    -- The author is whom the token or the key names, whatever the client claims. A caller for several agents claims one of the keys
    -- that came along; what another key of the space made is set aside: it was revoked while the event waited.
    if p_keys is null then
      made_by := 'person:' || p_user;
    else
      claim := e ->> 'by';
      if known_by is null or claim is distinct from known_claim then
        known_claim := claim;
        known_by := 'agent:' || p_keys[1];
        if claim ~ '^agent:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            and exists (select from public.agent_keys k where k.id = substr(claim, 7)::uuid and k.space = p_space) then
          known_by := claim;
        end if;
      end if;
      made_by := known_by;
      if why is null and not substr(made_by, 7)::uuid = any (p_keys) then
        field := 'by';
        why := 'the key that made this was revoked before it was sent; nothing of it was kept';
      end if;
    end if;

    if why is null then
      begin
        perform lessonloop.refuse('event', format('an event has at most %s bytes', most_bytes_each))
        where octet_length(raw::text) > most_bytes_each;
        perform lessonloop.shape(e, '{"op_id": ["text", "!", 200], "actor": ["text", "!", 200], "seq": ["float", "!"], "at": ["time", "!"],
          "by": ["text", "", 200], "request": ["text", "?", 64], "event": ["object", "!"]}', true);
        perform lessonloop.refuse('op_id', 'an event needs an op_id; use a UUIDv7') where op = '';
        perform lessonloop.refuse('request', '`request` has to be a SHA-256 as 64 lower-case hexadecimal digits')
        where e ->> 'request' !~ '^[0-9a-f]{64}$';
        perform lessonloop.refuse('event', 'an event is of one kind')
        where (select count(*) from jsonb_object_keys(e -> 'event')) <> 1;
        name := (select x from jsonb_object_keys(e -> 'event') x);
        at := lessonloop.instant(e ->> 'at');
        perform lessonloop.check_event(p_space, name, e -> 'event' -> name, made_by);
      exception when sqlstate 'LL001' then
        get stacked diagnostics why = message_text, field = pg_exception_detail;
      end;
    end if;

    acked := number;
    if why is not null then
      insert into public.rejected_events (space, actor, seq, op_id, field, reason, payload, payload_hash)
      values (p_space, p_actor, number, left(op, 200), field, why, raw, hash);
      rejected := rejected || jsonb_build_object('seq', number, 'op_id', op, 'field', field, 'reason', why);
      continue;
    end if;
    v := v + 1;
    from_version := v;
    insert into public.events (space, version, op_id, actor, seq, kind, at, payload, payload_hash)
    values (p_space, v, op, p_actor, number, name, at, lessonloop.stored(raw, made_by), hash);
    v := lessonloop.apply_event(p_space, name, e -> 'event' -> name, raw -> 'event' -> name, at, v, made_by);
    today := to_char(at at time zone 'UTC', 'YYYY-MM-DD');
    days := days || jsonb_build_object(today, coalesce((days ->> today)::bigint, 0) + 1);
    perform lessonloop.note_event(p_space, name, e -> 'event' -> name, from_version, at, made_by);
    if name in ('VoiceWithdrawn', 'VoiceReinstated') then
      v := lessonloop.refold(p_space, v);
    elsif lessonloop.is_muted(p_space, made_by, at) then
      perform lessonloop.note_withdrawals(p_space, made_by, from_version);
    end if;
  end loop;

  insert into public.activity as a (space, day, events)
  select p_space, d.key::date, lessonloop.capped(d.value::bigint) from jsonb_each_text(days) d
  on conflict (space, day) do update set events = lessonloop.capped(a.events::bigint + excluded.events);

  update public.actors a set last_seq = acked where a.space = p_space and a.id = p_actor and a.last_seq <> acked;
  update public.spaces s set version = v, tools = current_setting('lessonloop.tools')::integer
  where s.id = p_space and s.version <> v;
  return jsonb_build_object(
    'schema_version', lessonloop.schema_version(), 'status', status, 'acked_seq', acked, 'expected_seq', acked + 1,
    'version', v, 'duplicates', duplicates, 'rejected', rejected);
end $$;

-- Pushes a batch of one actor's events, in the order of their `seq`. One transaction; safe to repeat.
--   ok      everything up to `acked_seq` is in the ledger or set aside
--   gap     events before `expected_seq` are known, that one is missing: send from there
--   cloned  another device pushed other events under this actor: take a new actor, send the same op_ids again
-- `rejected` lists the events that were set aside, with the field and the reason; they are not to be sent again.
-- It may take long: an event that withdraws a voice has the space folded anew, as many events as it has.
-- An agent's devices are the space's: isolates come and go, and one goes on with what another began.
create or replace function public.push_events(
  p_space uuid, p_actor text, p_events json, p_ledger_version integer) returns jsonb
language plpgsql volatile security definer set search_path = '' set statement_timeout = '8s' as $$
declare
  keys uuid[];
begin
  perform lessonloop.same_ledger(p_ledger_version);
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  if auth.uid() is null then
    keys := array(select a.id from lessonloop.agents() a where a.space = p_space);
  end if;
  return lessonloop.push(
    p_space, coalesce(auth.uid(), p_space), p_actor, lessonloop.without_approvals(p_events), keys);
end $$;

-- A standing as the core's JSON; null where there is none.
create or replace function lessonloop.standing_json(s lessonloop.standing) returns json
language sql stable as $$
  select case when s.confidence is not null then json_build_object(
    'confidence', s.confidence, 'frequency', s.frequency, 'upvotes', s.upvotes, 'downvotes', s.downvotes,
    'times_surfaced', s.times_surfaced, 'times_helpful', s.times_helpful, 'times_not_helpful', s.times_not_helpful,
    'effectiveness', s.effectiveness, 'use_count', s.use_count, 'causal_hits', s.causal_hits,
    'last_used_at', lessonloop.rfc3339(s.last_used_at), 'last_feedback_at', lessonloop.rfc3339(s.last_feedback_at),
    'times_applied', s.times_applied, 'success_count', s.success_count, 'consecutive_failures', s.consecutive_failures,
    'trial_from', s.trial_from, 'proven_effective', s.proven_effective,
    'qualified_at', lessonloop.rfc3339(s.qualified_at), 'lift_mean', s.lift_mean, 'lift_variance', s.lift_variance,
    'lift_at', lessonloop.rfc3339(s.lift_at)) end
$$;

-- A lesson as the core's JSON, and its version.
create or replace function lessonloop.lesson_json(l public.lessons) returns json
language sql stable as $$
  select json_build_object(
    'slug', l.slug, 'title', l.title, 'description', l.description, 'context', l.context,
    'recommendation', l.recommendation, 'category', l.category, 'domain', l.domain, 'project_types', l.project_types,
    'tech_stacks', l.tech_stacks, 'tags', l.tags, 'extra', l.extra, 'confidence', l.confidence, 'frequency', l.frequency,
    'upvotes', l.upvotes, 'downvotes', l.downvotes, 'times_surfaced', l.times_surfaced, 'times_helpful', l.times_helpful,
    'times_not_helpful', l.times_not_helpful, 'effectiveness', l.effectiveness, 'use_count', l.use_count,
    'causal_hits', l.causal_hits, 'last_used_at', lessonloop.rfc3339(l.last_used_at),
    'last_feedback_at', lessonloop.rfc3339(l.last_feedback_at), 'times_applied', l.times_applied,
    'success_count', l.success_count, 'consecutive_failures', l.consecutive_failures,
    'proven_effective', l.proven_effective, 'qualified_at', lessonloop.rfc3339(l.qualified_at),
    'lift_mean', l.lift_mean, 'lift_variance', l.lift_variance, 'lift_at', lessonloop.rfc3339(l.lift_at), 'source', l.source,
    'trust', l.trust, 'findings', l.findings, 'archived', l.archived, 'merged_into', l.merged_into, 'rev', l.rev,
    'created_at', lessonloop.rfc3339(l.created_at), 'updated_at', lessonloop.rfc3339(l.updated_at),
    'text_at', lessonloop.rfc3339(l.text_at), 'by', l."by",
    'trial_from', l.trial_from, 'approved_by_agent', l.approved_by_agent, 'pending_standing', lessonloop.standing_json(l.pending_standing),
    'counted_on', l.counted_on, 'proposals', l.proposals, 'version', l.version)
$$;

-- A recommendation as the core's JSON, and its version.
create or replace function lessonloop.recommendation_json(r public.recommendations) returns json
language sql stable as $$
  select json_build_object(
    'decision_id', r.decision_id, 'position', r.position, 'lesson', r.lesson, 'domain', r.domain,
    'relevance', r.relevance_score, 'likelihood', r.likelihood, 'was_presented', r.was_presented, 'was_applied', r.was_applied,
    'match_type', r.match_type, 'confidence', r.confidence, 'agent_quote', r.agent_quote,
    'trade_outcome', r.trade_outcome, 'pnl_percent', r.pnl_percent, 'contributed_to_success', r.contributed_to_success,
    'settled', r.settled, 'learned', r.learned, 'at', lessonloop.rfc3339(r.at), 'version', r.version)
$$;

-- A decision as the core's JSON, without its records, which are rows of their own.
create or replace function lessonloop.decision_json(d public.decisions) returns json
language sql stable as $$
  select json_build_object(
    'decision_id', d.decision_id, 'context', d.context, 'by', d."by", 'at', lessonloop.rfc3339(d.at),
    'measured', d.measured, 'outcome', d.outcome, 'pnl_percent', d.pnl_percent, 'outcome_by', d.outcome_by,
    'outcome_at', lessonloop.rfc3339(d.outcome_at), 'taught', d.taught, 'feedback', d.feedback, 'opinions', d.opinions, 'version', d.version)
$$;

-- Success of a domain's runs, as the core's JSON, and its version.
create or replace function lessonloop.base_json(b public.domain_bases) returns json
language sql stable as $$
  select json_build_object(
    'domain', b.domain, 'rate', b.rate, 'variance', b.variance, 'runs', b.runs, 'successes', b.successes, 'version', b.version)
$$;

create or replace function lessonloop.tool_json(t public.tool_successes) returns json
language sql stable as $$
  select json_build_object(
    'query', t.query, 'server', t.server, 'at', (extract(epoch from t.at) * 1000)::bigint, 'query_hash', t.query_hash,
    'position', t.position, 'dropped', t.dropped, 'version', t.version)
$$;

-- The rows of a space that changed after a cursor, oldest change first. Every changed row has a version of its own and
-- later commits have higher ones, so the last version of a page is the cursor of the next. One object, so that no row
-- cap of REST cuts it. A page holds at most `p_limit` rows and about 4 MB. It is one snapshot: `acked_seq` never tells
-- of events whose rows a later page could not hold, and on the last page, which has all there is, `next_cursor` is the
-- space's `version`. When `epoch` is another than before, start again from cursor 0.
--   agents    the first agents' keys that wrote, and the voices that count for nothing
--   feedback  times of feedback; of the last 30 days, for health
--   days      how many events each of the latest 60 days with events has; on the last page, when anything changed
create or replace function public.pull_changes(
  p_space uuid, p_ledger_version integer, p_cursor bigint default 0, p_limit integer default 1000) returns json
language plpgsql stable security invoker
set search_path = '' set enable_seqscan = off set extra_float_digits = 1 set statement_timeout = '8s' as $$
declare
  most_bytes constant bigint := 4000000;
  feedback_days constant interval := '30 days';
  most_days constant integer := 60;
  epoch text;
  newest bigint;
  from_version bigint := greatest(coalesce(p_cursor, 0), 0);
  most bigint := least(greatest(coalesce(p_limit, 1000), 1), 5000);
  answer json;
begin
  perform lessonloop.same_ledger(p_ledger_version);
  select s.epoch, s.version into epoch, newest from public.spaces s where s.id = p_space;
  perform lessonloop.no_space() where not found;
  with changed as (
    (select 1 as kind, l.version, lessonloop.lesson_json(l) as body from public.lessons l
     where l.space = p_space and l.version > from_version order by l.version limit most + 1)
    union all
    (select 2, r.version, lessonloop.recommendation_json(r) from public.recommendations r
     where r.space = p_space and r.version > from_version order by r.version limit most + 1)
    union all
    (select 3, t.version, lessonloop.tool_json(t) from public.tool_successes t
     where t.space = p_space and t.version > from_version order by t.version limit most + 1)
    union all
    (select 4, f.version, json_build_object('at', lessonloop.rfc3339(f.at), 'version', f.version) from public.feedback_times f
     where f.space = p_space and f.version > from_version and f.at > now() - feedback_days order by f.version limit most + 1)
    union all
    (select 5, d.version, lessonloop.decision_json(d) from public.decisions d
     where d.space = p_space and d.version > from_version order by d.version limit most + 1)
    union all
    (select 6, s.version, json_build_object('name', s.name, 'value', s.value, 'version', s.version) from public.settings s
     where s.space = p_space and s.version > from_version order by s.version limit most + 1)
    union all
    (select 7, s.agents_version, json_build_object('keys', s.agents, 'withdrawn', s.withdrawn,
       'version', s.agents_version) from public.spaces s
     where s.id = p_space and s.agents_version > from_version)
    union all
    (select 8, b.version, lessonloop.base_json(b) from public.domain_bases b
     where b.space = p_space and b.version > from_version order by b.version limit most + 1)
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
    'schema_version', lessonloop.schema_version(),
    'lessons', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 1), '[]'),
    'recommendations', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 2), '[]'),
    'tools', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 3), '[]'),
    'feedback', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 4), '[]'),
    'decisions', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 5), '[]'),
    'settings', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 6), '[]'),
    'agents', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 7), '[]'),
    'bases', coalesce(json_agg(p.body order by p.version) filter (where p.kind = 8), '[]'),
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

-- The events that moved or saw a lesson, newest first, each with the lift that it left the lesson with: that hangs on other
-- lessons and runs of its domain, so these events alone don't tell it. `p_before` is the `next_before` of the page before.
-- `agents` says which agents' keys had written, and from which place in the ledger on.
create or replace function public.lesson_history(
  p_space uuid, p_slug text, p_before bigint default null, p_limit integer default 50)
returns json
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off set statement_timeout = '8s' as $$
declare
  most integer := least(greatest(coalesce(p_limit, 50), 1), 500);
  answer json;
begin
  perform lessonloop.no_space() where not exists (select from public.spaces s where s.id = p_space);
  if not exists (select from public.lessons l where l.space = p_space and l.slug = p_slug) then
    raise exception using errcode = 'PT404', message = format('there is no lesson `%s`', p_slug);
  end if;
  with found as (
    select e.version, e.payload, e.received_at, x.lift_mean, x.lift_variance, x.lift_at,
      row_number() over (order by e.version desc) as place
    from public.lesson_events x join public.events e on e.space = x.space and e.version = x.version
    where x.space = p_space and x.slug = p_slug and (p_before is null or x.version < p_before)
    order by e.version desc limit most + 1
  )
  select json_build_object(
    'agents', (
      select coalesce(json_agg(json_build_object('by', a.by, 'version', a.place) order by a.place), '[]')
      from public.spaces s, unnest(s.agents, s.agents_from) as a (by, place) where s.id = p_space),
    'events', coalesce(json_agg(json_build_object(
      'version', f.version, 'received_at', lessonloop.rfc3339(f.received_at),
      'event', f.payload,
      'lift', case when f.lift_mean is not null then json_build_object(
        'mean', f.lift_mean, 'variance', f.lift_variance, 'at', lessonloop.rfc3339(f.lift_at)) end) order by f.version desc) filter (where f.place <= most), '[]'),
    'next_before', case when count(*) > most then min(f.version) filter (where f.place <= most) end)
  into answer from found f;
  return answer;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function
  lessonloop.same_ledger(integer), lessonloop.standing_json(lessonloop.standing), lessonloop.lesson_json(public.lessons),
  lessonloop.recommendation_json(public.recommendations), lessonloop.decision_json(public.decisions),
  lessonloop.base_json(public.domain_bases), lessonloop.tool_json(public.tool_successes)
  to authenticated;
