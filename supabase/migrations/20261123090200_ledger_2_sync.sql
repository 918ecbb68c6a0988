-- Push and pull of version 2. A client says which version of the ledger it speaks; one that says nothing speaks version 1.

do $$
begin
  -- Nobody pushes between the old functions and the new ones.
  lock table public.spaces in access exclusive mode;
end $$;

-- The version of the ledger that is kept here.
create or replace function lessonloop.ledger_version() returns integer
language sql immutable as $$
  select 2
$$;

-- Which version a client is served as: its own, or this one for a newer client, which keeps what it can't send. The least
-- that may still take part stands here. A client below that is told, and keeps what it has.
create or replace function lessonloop.served_version(p_ledger_version integer) returns integer
language plpgsql immutable set search_path = '' as $$
declare
  least_version constant integer := 1;
begin
  if coalesce(p_ledger_version, 1) < least_version then
    raise exception using errcode = 'PT426',
      message = format('this app speaks version %s of the ledger, and this server takes no less than %s: update the app; '
        'nothing is lost, and what it holds is sent then', p_ledger_version, least_version),
      hint = 'reload the page, or update the edge or the program';
  end if;
  return least(coalesce(p_ledger_version, 1), lessonloop.ledger_version());
end $$;

-- Whether two events are the same, apart from how they are written, from who they say made them, which is set here, and
-- from the words for outcomes, which an updated client writes anew.
create or replace function lessonloop.same_event(a json, b json) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  place constant text[] := '{event,OutcomeRecorded,outcome}';
  x jsonb := a::jsonb - 'by';
  y jsonb := b::jsonb - 'by';
begin
  if jsonb_typeof(x #> place) = 'string' and jsonb_typeof(y #> place) = 'string' then
    x := jsonb_set(x, place, to_jsonb(lessonloop.outcome_word(x #>> place)));
    y := jsonb_set(y, place, to_jsonb(lessonloop.outcome_word(y #>> place)));
  end if;
  return x = y;
end $$;

-- An event as it is kept: what was sent, with who made it. What happened stays the text it was: jsonb would lose the sign
-- of a zero.
create or replace function lessonloop.stored(p_raw json, p_by text) returns json
language sql stable as $$
  select format('{"op_id":%s,"actor":%s,"seq":%s,"at":%s%s%s,"event":%s}',
    p_raw -> 'op_id', p_raw -> 'actor', p_raw -> 'seq', p_raw -> 'at',
    ',"by":' || to_json(nullif(p_by, '')), ',"request":' || to_json(p_raw ->> 'request'), p_raw -> 'event')::json
$$;

-- Appends a batch of one actor's events to the ledger and folds them. See push_events.
-- Every row is found by its key. A plan made while the tables were small would read them whole, and be kept while they
-- grow: so plans here are never to do that.
-- `p_edge` says that an edge pushes: it answers for agents, and names them.
create or replace function lessonloop.push(p_space uuid, p_user uuid, p_actor text, p_events json, p_edge boolean) returns jsonb
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
  known_by text := '';
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
  if not found then
    perform lessonloop.no_space();
  end if;
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
      if found and (held.payload_hash = hash or lessonloop.same_event(held.payload, raw)) then
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

    -- Who made it is what the token says, whatever the client claims. An edge's token is the space's: it may name an agent
    -- of that, one whose key was revoked since as well, as events wait in an isolate.
    if not p_edge then
      made_by := 'person:' || p_user;
    else
      claim := e ->> 'by';
      if claim is distinct from known_claim then
        known_claim := claim;
        known_by := '';
        if claim ~ '^agent:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
          select claim into known_by from public.agent_keys k where k.id = substr(claim, 7)::uuid and k.space = p_space;
        end if;
      end if;
      made_by := coalesce(known_by, '');
    end if;

    if why is null then
      begin
        if octet_length(raw::text) > most_bytes_each then
          perform lessonloop.refuse('event', format('an event has at most %s bytes', most_bytes_each));
        end if;
        perform lessonloop.shape(e, '{"op_id": ["text", "!", 200], "actor": ["text", "!", 200], "seq": ["number", "!"], "at": ["time", "!"],
          "by": ["text", "", 200], "request": ["text", "?", 64], "event": ["object", "!"]}', true);
        if op = '' then
          perform lessonloop.refuse('op_id', 'an event needs an op_id; use a UUIDv7');
        end if;
        if e ->> 'request' !~ '^[0-9a-f]{64}$' then
          perform lessonloop.refuse('request', '`request` has to be a SHA-256 as 64 lower-case hexadecimal digits');
        end if;
        if (select count(*) from jsonb_object_keys(e -> 'event')) <> 1 then
          perform lessonloop.refuse('event', 'an event is of one kind');
        end if;
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
    insert into public.lesson_events (space, slug, version)
    select p_space, l.slug, from_version from public.lessons l where l.space = p_space and l.version > from_version
    on conflict do nothing;
    if name = 'UsageTracked' then
      insert into public.lesson_events (space, slug, version)
      select p_space, x ->> 'lesson', from_version from jsonb_array_elements(e #> '{event,UsageTracked,detections}') x
      where x ->> 'match_type' <> 'none'
      on conflict do nothing;
    elsif name = 'OutcomeRecorded' then
      -- An outcome counts in a lesson that is seen to be applied only later,
      insert into public.lesson_events (space, slug, version)
      select p_space, r.lesson, from_version from public.recommendations r
      where r.space = p_space and r.decision_id = e #>> '{event,OutcomeRecorded,decision_id}'
      on conflict do nothing;
    elsif name = 'Surfaced' and e #>> '{event,Surfaced,context,decision_id}' is not null then
      -- and in one that is recommended for the decision only later. What is said of a decision hangs on its
      -- recommendations, those that were not counted in the lesson too.
      insert into public.lesson_events (space, slug, version)
      select p_space, x ->> 'lesson', from_version from jsonb_array_elements(e #> '{event,Surfaced,items}') x
      union
      select p_space, x ->> 'lesson', o.version from jsonb_array_elements(e #> '{event,Surfaced,items}') x
      join public.events o on o.space = p_space and o.kind = 'OutcomeRecorded'
        and o.payload #>> '{event,OutcomeRecorded,decision_id}' = e #>> '{event,Surfaced,context,decision_id}'
      on conflict do nothing;
    end if;
  end loop;

  insert into public.activity as a (space, day, events)
  select p_space, d.key::date, lessonloop.capped(d.value::bigint) from jsonb_each_text(days) d
  on conflict (space, day) do update set events = lessonloop.capped(a.events::bigint + excluded.events);

  update public.actors a set last_seq = acked where a.space = p_space and a.id = p_actor and a.last_seq <> acked;
  update public.spaces s set version = v, tools = current_setting('lessonloop.tools')::integer
  where s.id = p_space and s.version <> v;
  return jsonb_build_object(
    'ledger_version', lessonloop.ledger_version(), 'status', status, 'acked_seq', acked, 'expected_seq', acked + 1,
    'version', v, 'duplicates', duplicates, 'rejected', rejected);
end $$;

-- Pushes a batch of one actor's events, in the order of their `seq`. One transaction; safe to repeat.
--   ok      everything up to `acked_seq` is in the ledger or set aside
--   gap     events before `expected_seq` are known, that one is missing: send from there
--   cloned  another device pushed other events under this actor: take a new actor, send the same op_ids again
-- `rejected` lists the events that were set aside, with the field and the reason; they are not to be sent again. A client
-- that is newer than the `ledger_version` of an answer keeps its events, and names the migrations to apply.
create or replace function public.push_events(
  p_space uuid, p_actor text, p_events json, p_ledger_version integer default 1) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform lessonloop.served_version(p_ledger_version);
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  return lessonloop.push(p_space, auth.uid(), p_actor, p_events, lessonloop.is_edge());
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
    'created_at', lessonloop.rfc3339(l.created_at), 'updated_at', lessonloop.rfc3339(l.updated_at), 'by', l."by",
    'trial_from', l.trial_from, 'version', l.version)
$$;

-- Version 1 knows no new words.
create or replace function lessonloop.recommendation_json(r public.recommendations, p_ledger_version integer) returns json
language sql stable as $$
  select json_build_object(
    'decision_id', r.decision_id, 'position', r.position, 'lesson', r.lesson, 'domain', r.domain,
    'relevance', r.relevance_score, 'was_presented', r.was_presented, 'was_applied', r.was_applied,
    'match_type', r.match_type, 'confidence', r.confidence, 'agent_quote', r.agent_quote,
    'trade_outcome', case when p_ledger_version >= 2 then r.trade_outcome
      else case r.trade_outcome when 'success' then 'profit' when 'failure' then 'loss' else r.trade_outcome end end,
    'pnl_percent', r.pnl_percent,
    'contributed_to_success', r.contributed_to_success, 'settled', r.settled, 'at', lessonloop.rfc3339(r.at),
    'version', r.version)
$$;

-- A decision as the core's JSON, without its records, which are rows of their own.
create or replace function lessonloop.decision_json(d public.decisions) returns json
language sql stable as $$
  select json_build_object(
    'decision_id', d.decision_id, 'context', d.context, 'by', d."by", 'at', lessonloop.rfc3339(d.at),
    'measured', d.measured, 'outcome', d.outcome, 'pnl_percent', d.pnl_percent, 'outcome_by', d.outcome_by,
    'outcome_at', lessonloop.rfc3339(d.outcome_at), 'feedback', d.feedback, 'opinions', d.opinions, 'version', d.version)
$$;

-- The rows of a space that changed after a cursor, oldest change first. Every changed row has a version of its own and
-- later commits have higher ones, so the last version of a page is the cursor of the next. One object, so that no row
-- cap of REST cuts it. A page holds at most `p_limit` rows and about 4 MB. It is one snapshot: `acked_seq` never tells
-- of events whose rows a later page could not hold, and on the last page, which has all there is, `next_cursor` is the
-- space's `version`. When `epoch` is another than before, start again from cursor 0.
-- A client of version 1 gets neither decisions nor settings, and outcomes in its own words; its cursor passes over the rest
-- all the same, so when it is updated it has to start again from cursor 0.
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
    (select 5, d.version, lessonloop.decision_json(d) from public.decisions d
     where ledger >= 2 and d.space = p_space and d.version > from_version order by d.version limit most + 1)
    union all
    (select 6, s.version, json_build_object('name', s.name, 'value', s.value, 'version', s.version) from public.settings s
     where ledger >= 2 and s.space = p_space and s.version > from_version order by s.version limit most + 1)
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

-- The functions of version 1 that have another number of arguments here. With two of a name, REST would not know which is
-- meant.
drop function if exists public.push_events(uuid, text, json);
drop function if exists public.pull_changes(uuid, bigint, integer);
drop function if exists lessonloop.push(uuid, uuid, text, json);
drop function if exists lessonloop.same_json(json, json);
drop function if exists lessonloop.recommendation_json(public.recommendations);
drop function if exists lessonloop.surface(uuid, jsonb, json, timestamptz, bigint);
drop function if exists lessonloop.track(uuid, jsonb, json, timestamptz, bigint);
drop function if exists lessonloop.record_outcome(uuid, jsonb, json, timestamptz, bigint);
drop function if exists lessonloop.settle(uuid, text, timestamptz, bigint);

do $$
begin
  perform lessonloop.migrate_to_2();
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function
  lessonloop.ledger_version(), lessonloop.served_version(integer), lessonloop.lesson_json(public.lessons, integer),
  lessonloop.recommendation_json(public.recommendations, integer), lessonloop.decision_json(public.decisions)
  to authenticated;
revoke all on function
  public.push_events(uuid, text, json, integer), public.pull_changes(uuid, bigint, integer, integer) from public, anon;
grant execute on function
  public.push_events(uuid, text, json, integer), public.pull_changes(uuid, bigint, integer, integer) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
