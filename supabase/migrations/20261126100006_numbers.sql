-- The numbers of a space that nobody holds whole: its stats, its health, and the words that its lessons have. Counted here, so
-- that nobody has to read all of it.

do $$ begin perform lessonloop.schema_version(); end $$;

-- A number that the space has set, or else the engine's own.
create or replace function lessonloop.number_set(p_space uuid, p_name text, p_default double precision) returns double precision
language sql stable
return coalesce((
  select case when json_typeof(s.value) = 'number' then least(greatest((s.value #>> '{}')::numeric, 0), 4294967295)::double precision end
  from public.settings s where s.space = p_space and s.name = p_name), p_default);

-- A sum as an unsigned 32-bit number of the core.
create or replace function lessonloop.u32(p_number numeric) returns bigint
language sql immutable
return least(greatest(coalesce(p_number, 0), 0), 4294967295)::bigint;

-- The words of one field of many lessons: how many there are, and the 200 that most have.
create or replace function lessonloop.word_counts_json(p_counts jsonb) returns json
language sql immutable
return (
  select json_build_object('total', count(*), 'words', coalesce(
    json_agg(json_build_object('word', x.word, 'lessons', x.n) order by x.n desc, x.word collate "C") filter (where x.place <= 200), '[]'))
  from (
    select w.key as word, w.value::bigint as n, row_number() over (order by w.value::bigint desc, w.key collate "C") as place
    from jsonb_each(coalesce(p_counts, '{}')) w) x);

-- p_ask.kind: `numbers`, for stats and health, or `tags`.
--   p_ask.visible     whether lessons in quarantine are left out of words, as agents have it
--   p_ask.model       the model whose vectors are counted
--   p_ask.constants   the engine's constants, where the space has not set them: {"unhelpful_from_surfaced",
--                     "qualify_min_applied", "max_consecutive_failures", "bottom_below", "prune_below", "prune_min_causal",
--                     "health_days"}
-- `report`: the numbers of all lessons. `page`: the lessons of the lists among them, from which the core makes those.
-- It reads every lesson's row once or twice: about a second for a million.
create or replace function public.space_report(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '8s' set extra_float_digits = 1 set jit = off as $$
declare
  listed constant integer := 50;
  constants constant jsonb := coalesce(p_ask -> 'constants', '{}');
  surfaced_from bigint;
  tried_from bigint;
  most_failures bigint;
  bottom_below double precision := coalesce((constants ->> 'bottom_below')::double precision, 0.5);
  prune_below double precision := coalesce((constants ->> 'prune_below')::double precision, 0.25);
  prune_from bigint := coalesce((constants ->> 'prune_min_causal')::bigint, 5);
  health_days integer := coalesce((constants ->> 'health_days')::integer, 7);
  by_lift constant boolean := lessonloop.by_lift(p_space);
  visible boolean := coalesce((p_ask ->> 'visible')::boolean, false);
  today constant date := (now() at time zone 'UTC')::date;
  slugs text[];
  numbers record;
  funnel record;
  told record;
  run record;
  counts jsonb;
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  if p_ask ->> 'kind' = 'tags' then
    select jsonb_object_agg(f.field, f.words) into counts
    from (
      select g.field, jsonb_object_agg(g.word, g.n) as words
      from (
        select w.field, w.word, count(*) as n
        from public.lessons l cross join lateral (
          select 'tags' as field, btrim(t) as word from unnest(l.tags) t
          union select 'project_types', btrim(t) from unnest(l.project_types) t
          union select 'tech_stacks', btrim(t) from unnest(l.tech_stacks) t
          union all select 'domains', btrim(l.domain)
          union all select 'categories', l.category) w
        where l.space = p_space and not l.archived and (not visible or l.trust <> 'quarantined') and w.word <> ''
        group by w.field, w.word) g
      group by g.field) f;
    return json_build_object(
      'page', lessonloop.rows_json(p_space, '{}', '{}', false),
      'report', json_build_object('tags', (
        select json_object_agg(f.field, lessonloop.word_counts_json(counts -> f.field))
        from unnest(array['tags', 'domains', 'project_types', 'tech_stacks', 'categories']) f (field))));
  end if;

  surfaced_from := lessonloop.number_set(p_space, 'rank.unhelpful_from_surfaced', coalesce((constants ->> 'unhelpful_from_surfaced')::double precision, 10));
  tried_from := lessonloop.number_set(p_space, 'rank.qualify_min_applied', coalesce((constants ->> 'qualify_min_applied')::double precision, 3));
  most_failures := lessonloop.number_set(p_space, 'rank.max_consecutive_failures', coalesce((constants ->> 'max_consecutive_failures')::double precision, 5));
  select
    count(*) filter (where not l.archived) as lessons, count(*) filter (where l.archived) as archived,
    count(*) filter (where not l.archived and l.trust = 'unreviewed') as unreviewed,
    count(*) filter (where not l.archived and l.trust = 'quarantined') as quarantined,
    count(*) filter (where not l.archived and case when by_lift then lessonloop.lift_helps(l, now()) else l.proven_effective end) as proven,
    count(*) filter (where not l.archived and l.trust <> 'quarantined') as supply,
    count(*) filter (where not l.archived and l.trust <> 'quarantined' and x.fails) as left_out,
    count(*) filter (where not l.archived and x.fails) as disqualified,
    sum(l.times_surfaced) filter (where not l.archived) as total_surfaced,
    sum(l.times_helpful + l.times_not_helpful) filter (where not l.archived) as total_rated,
    count(*) filter (where not l.archived and l.times_surfaced > 0) as lessons_surfaced,
    count(*) filter (where not l.archived and l.times_helpful + l.times_not_helpful > 0) as lessons_rated,
    sum(l.causal_hits) filter (where not l.archived) as hits, sum(l.use_count) filter (where not l.archived) as uses,
    count(*) filter (where not l.archived and l.effectiveness <= 0.25) as band_1,
    count(*) filter (where not l.archived and l.effectiveness > 0.25 and l.effectiveness <= 0.5) as band_2,
    count(*) filter (where not l.archived and l.effectiveness > 0.5 and l.effectiveness <= 0.75) as band_3,
    count(*) filter (where not l.archived and l.effectiveness > 0.75) as band_4
  into numbers from public.lessons l cross join lateral (
    select case when by_lift then lessonloop.lift_harms(l, now()) else l.consecutive_failures >= most_failures
      or not l.proven_effective and l.times_applied - least(l.trial_from, l.times_applied) >= tried_from end as fails) x
  where l.space = p_space;
  with those as materialized (
    select l.slug, l.times_surfaced, l.effectiveness, l.causal_hits, l.times_helpful + l.times_not_helpful as ratings,
      l.times_helpful::double precision / nullif(l.times_helpful + l.times_not_helpful, 0) as score
    from public.lessons l
    where l.space = p_space and not l.archived
      and (l.times_helpful + l.times_not_helpful >= 2
        or l.times_helpful + l.times_not_helpful = 0 and l.times_surfaced >= surfaced_from
        or l.effectiveness < prune_below and l.causal_hits >= prune_from)
  )
  select array_agg(x.slug) into slugs from (
    (select s.slug from those s where s.ratings >= 2 order by s.score desc, s.ratings desc, s.slug collate "C" limit 5)
    union (select s.slug from those s where s.ratings >= 2 and s.score < bottom_below order by s.score, s.ratings desc, s.slug collate "C" limit 5)
    union (select s.slug from those s where s.effectiveness < prune_below and s.causal_hits >= prune_from
      order by s.effectiveness, s.slug collate "C" limit listed)
    union (select s.slug from those s where s.ratings = 0 and s.times_surfaced >= surfaced_from
      order by s.times_surfaced desc, s.slug collate "C" limit listed)) x;
  select
    coalesce((select z.records from lessonloop.space_sizes z where z.space = p_space), 0) as surfaced,
    count(*) as applied, count(*) filter (where r.trade_outcome in ('success', 'failure')) as outcome,
    count(*) filter (where r.trade_outcome in ('success', 'failure') and r.contributed_to_success) as success
  into funnel from public.recommendations r where r.space = p_space and r.was_applied;
  -- Outcomes of runs, and the newest in a row that were given nothing, where earlier ones were.
  with all_runs as materialized (
    select d.at, d.outcome, coalesce((d.measured ->> 'control')::boolean, false) as control,
      exists (select from public.recommendations r where r.space = p_space and r.decision_id = d.decision_id) as given
    from public.decisions d where d.space = p_space and d.at is not null)
  select
    count(*) as runs, count(*) filter (where x.outcome in ('success', 'failure') and not x.control) as with_outcome,
    count(*) filter (where x.outcome = 'success' and not x.control) as successes, count(*) filter (where x.control) as control,
    count(*) filter (where not x.given and not x.control and x.at > (select max(y.at) from all_runs y where y.given)) as empty_runs
  into run from all_runs x;
  -- As the core counts sessions: those that were given lessons, and those that nothing was heard of after half an hour.
  select
    count(*) as began, count(*) filter (where s.silent) as silent,
    (array_agg(s.decision_id order by s.at desc, s.decision_id collate "C" desc) filter (where s.silent))[1] as last
  into told from (
    select d.decision_id, d.at,
      coalesce(d.outcome, '') not in ('success', 'failure') and d.feedback = '[]'::jsonb and d.opinions = '[]'::jsonb
        and d.at <= now() - interval '30 minutes' as silent
    from public.decisions d
    where d.space = p_space and d.decision_id <> '' and d.at >= now() - health_days * interval '1 day'
      and lessonloop.time_of(d.at, d.outcome_at) >= now() - health_days * interval '1 day'
      and exists (select from public.recommendations r where r.space = p_space and r.decision_id = d.decision_id)) s;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, coalesce(slugs, '{}'), '{}', false),
    'report', json_build_object(
      'stats', json_build_object(
        'lessons', numbers.lessons, 'archived', numbers.archived, 'unreviewed', numbers.unreviewed,
        'quarantined', numbers.quarantined, 'proven', numbers.proven, 'disqualified', numbers.disqualified,
        'total_surfaced', lessonloop.u32(numbers.total_surfaced), 'total_rated', lessonloop.u32(numbers.total_rated),
        'lessons_surfaced', numbers.lessons_surfaced, 'lessons_rated', numbers.lessons_rated,
        'top', '[]'::json, 'bottom', '[]'::json, 'pruning', '[]'::json, 'never_rated', '[]'::json,
        'activity', (
          select coalesce(json_agg(json_build_object('day', to_char(a.day, 'YYYY-MM-DD'), 'events', a.events) order by a.day), '[]')
          from public.activity a where a.space = p_space and a.day > today - 30 and a.day <= today)),
      'feedback_last_7_days', (
        select count(*) from public.feedback_times f
        where f.space = p_space and f.at >= now() - health_days * interval '1 day'),
      'uses', lessonloop.u32(numbers.uses),
      'causal_ratio', case when numbers.uses > 0 then numbers.hits::double precision / numbers.uses::double precision end,
      'bands', json_build_object('consistently_unhelpful', numbers.band_1, 'mixed_or_new', numbers.band_2,
        'generally_helpful', numbers.band_3, 'consistently_helpful', numbers.band_4),
      'funnel', row_to_json(funnel),
      'runs', json_build_object('runs', run.runs, 'with_outcome', run.with_outcome, 'successes', run.successes,
        'pending', run.runs - run.control - run.with_outcome, 'control', run.control),
      'supply', json_build_object('lessons', numbers.supply, 'left_out', numbers.left_out, 'empty_runs', run.empty_runs, 'remedy', null),
      'sessions', json_build_object('in_last_7_days', told.began, 'silent', told.silent, 'last_silent', told.last),
      'embedded', coalesce((select c.lessons from lessonloop.vector_counts c
        where c.space = p_space and c.model = p_ask ->> 'model'), 0)));
end $$;

revoke all on all functions in schema lessonloop from public, anon;
