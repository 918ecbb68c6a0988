-- What replicas are given of the rule in 20261123120000_own_lessons.sql.

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
    'qualified_at', lessonloop.rfc3339(s.qualified_at)) end
$$;

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
    'trial_from', l.trial_from, 'approved_by_agent', l.approved_by_agent, 'own_word', lessonloop.standing_json(l.own_word),
    'counted_on', l.counted_on, 'version', l.version)
$$;

-- The rows of a space that changed after a cursor, oldest change first. Every changed row has a version of its own and
-- later commits have higher ones, so the last version of a page is the cursor of the next. One object, so that no row
-- cap of REST cuts it. A page holds at most `p_limit` rows and about 4 MB. It is one snapshot: `acked_seq` never tells
-- of events whose rows a later page could not hold, and on the last page, which has all there is, `next_cursor` is the
-- space's `version`. When `epoch` is another than before, start again from cursor 0.
-- A client of version 1 gets neither decisions nor settings, and outcomes in its own words; its cursor passes over the rest
-- all the same, so when it is updated it has to start again from cursor 0.
--   agents    the first agents' keys that wrote
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
    union all
    (select 7, s.agents_version, json_build_object('keys', s.agents, 'version', s.agents_version) from public.spaces s
     where ledger >= 2 and s.id = p_space and s.agents_version > from_version)
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
    'agents', case when ledger >= 2 then coalesce(json_agg(p.body order by p.version) filter (where p.kind = 7), '[]') end,
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

-- The events that moved or saw a lesson, newest first; `p_before` is the `next_before` of the page before. `agents` says
-- which agents' keys had written, and from which place in the ledger on. A client of version 1 gets what it knows. The
-- function without a version goes: with two of a name, REST would not know which is meant.
drop function if exists public.lesson_history(uuid, text, bigint, integer);
create or replace function public.lesson_history(
  p_space uuid, p_slug text, p_before bigint default null, p_limit integer default 50, p_ledger_version integer default 1)
returns json
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off as $$
declare
  most integer := least(greatest(coalesce(p_limit, 50), 1), 500);
  ledger constant integer := lessonloop.served_version(p_ledger_version);
  answer json;
begin
  if not exists (select from public.spaces s where s.id = p_space) then
    perform lessonloop.no_space();
  end if;
  if not exists (select from public.lessons l where l.space = p_space and l.slug = p_slug) then
    raise exception using errcode = 'PT404', message = format('there is no lesson `%s`', p_slug);
  end if;
  with found as (
    select e.version, e.kind, e.payload, e.received_at, row_number() over (order by e.version desc) as place
    from public.lesson_events x join public.events e on e.space = x.space and e.version = x.version
    where x.space = p_space and x.slug = p_slug and (p_before is null or x.version < p_before)
      and (ledger >= 2 or lessonloop.is_of_version_1(e.kind))
    order by e.version desc limit most + 1
  )
  select json_build_object(
    'agents', (
      select coalesce(json_agg(json_build_object('by', a.by, 'version', a.place) order by a.place), '[]')
      from public.spaces s, unnest(s.agents, s.agents_from) as a (by, place) where s.id = p_space),
    'events', coalesce(json_agg(json_build_object(
      'version', f.version, 'received_at', lessonloop.rfc3339(f.received_at),
      'event', lessonloop.event_json(f.payload, f.kind, ledger))
      order by f.version desc) filter (where f.place <= most), '[]'),
    'next_before', case when count(*) > most then min(f.version) filter (where f.place <= most) end)
  into answer from found f;
  return answer;
end $$;

-- Lessons are wider now, by which the planner chose another way here.
-- Vectors of one model, each text's once, and which lessons have none. One object, so that no row cap of REST cuts it.
--   vectors     [{"content_hash", "packed"}], by hash: those of `p_hashes`, or without it all after the hash `p_after`
--   next_after  `p_after` of the next page; null when that was all
--   lacking     [{"slug", "content_hash"}], by slug: lessons after the slug `p_lacking_after` whose text has no vector here
--               that could be given to others; empty when `p_lacking_after` is null
--   lacking_next_after  `p_lacking_after` of its next page; null when that was all
-- Each list holds at most `p_limit`, up to 1000.
create or replace function public.pull_embeddings(
  p_space uuid, p_model text, p_after text default '', p_limit integer default 1000,
  p_hashes text[] default null, p_lacking_after text default null) returns json
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off as $$
declare
  most_hashes constant integer := 1000;
  most integer := least(greatest(coalesce(p_limit, 1000), 1), 1000);
  given json;
  lacking json;
begin
  if not exists (select from public.spaces s where s.id = p_space) then
    perform lessonloop.no_space();
  end if;
  if p_model is null or char_length(p_model) not between 1 and 200 then
    raise exception using errcode = 'PT400', message = 'p_model has to have 1 to 200 characters';
  end if;
  if cardinality(p_hashes) > most_hashes then
    raise exception using errcode = 'PT413', message = format('at most %s hashes are taken at once', most_hashes),
      hint = 'ask for fewer';
  end if;

  -- One look by its key for each row, here and below. A join would be planned by what the tables were like when they were
  -- small, or by what most spaces are like: everything with everything.
  if p_hashes is null then
    with found as (
      select distinct on (e.content_hash collate "C") e.content_hash, e.packed
      from public.lesson_embeddings e
      where e.space = p_space and e.model = p_model and e.packed is not null
        and e.content_hash collate "C" > coalesce(p_after, '')
        and e.content_hash = (select l.embedded_hash from public.lessons l where l.space = e.space and l.slug = e.slug)
      order by e.content_hash collate "C"
      limit most + 1
    ), placed as (
      select f.*, row_number() over (order by f.content_hash collate "C") as place from found f
    )
    select json_build_object(
      'vectors', coalesce(json_agg(json_build_object(
        'content_hash', p.content_hash, 'packed', translate(encode(p.packed, 'base64'), E'\n', ''))
        order by p.place) filter (where p.place <= most), '[]'),
      'next_after', case when count(*) > most then max(p.content_hash collate "C") filter (where p.place = most) end)
    into given from placed p;
  else
    with found as (
      select distinct on (h) h as content_hash, e.packed
      from unnest(p_hashes) h
      join public.lesson_embeddings e
        on e.space = p_space and e.model = p_model and e.content_hash collate "C" = h and e.packed is not null
    )
    select json_build_object(
      'vectors', coalesce(json_agg(json_build_object(
        'content_hash', f.content_hash, 'packed', translate(encode(f.packed, 'base64'), E'\n', ''))
        order by f.content_hash collate "C"), '[]'),
      'next_after', null)
    into given from found f;
  end if;

  with found as (
    select l.slug, l.embedded_hash, row_number() over (order by l.slug) as place
    from public.lessons l
    where l.space = p_space and l.slug > p_lacking_after
      and not coalesce((
        select e.content_hash = l.embedded_hash and e.packed is not null from public.lesson_embeddings e
        where e.space = l.space and e.slug = l.slug and e.model = p_model), false)
    order by l.slug
    limit most + 1
  )
  select json_build_object(
    'vectors', given -> 'vectors', 'next_after', given -> 'next_after',
    'lacking', coalesce(json_agg(json_build_object('slug', f.slug, 'content_hash', f.embedded_hash) order by f.place)
      filter (where f.place <= most), '[]'),
    'lacking_next_after', case when count(*) > most then max(f.slug) filter (where f.place = most) end)
  into lacking from found f;
  return lacking;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function
  lessonloop.lesson_json(public.lessons, integer), lessonloop.standing_json(lessonloop.standing) to authenticated;
revoke all on function
  public.pull_changes(uuid, bigint, integer, integer), public.lesson_history(uuid, text, bigint, integer, integer)
  from public, anon;
grant execute on function
  public.pull_changes(uuid, bigint, integer, integer), public.lesson_history(uuid, text, bigint, integer, integer)
  to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
