-- Pages of a space that no isolate holds: its lessons and its decisions, by cursor.

-- The order of a list that nobody has asked another one of.
-- The condition holds for every lesson. It keeps a planner that knows no statistics yet from looking one lesson up here, through
-- all of its space.
create index if not exists lessons_newest on public.lessons (space, created_at desc, slug collate "C") where slug <> '';

-- A page of lessons.
--   p_ask.archived, .domain, .category, .trust, .badge   as `GET /v1/lessons` has them
--   p_ask.sort     `created` (also without one), `updated`, `title`, `confidence`, `effectiveness`, `surfaced`, `applied`,
--                  `success`, `last_used`
--   p_ask.after    the slug that the page before ended with
--   p_ask.offset   lessons to leave out, up to 10,000
--   p_ask.limit    up to 1,000
--   p_ask.visible  whether lessons in quarantine are left out, as agents have it
-- `listed`: their slugs in order, whether there are more, and how many fit, counted up to 10,000 beyond the page's beginning.
create or replace function public.space_lessons(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off as $$
declare
  counted_to constant integer := 10000;
  most integer := least(greatest(coalesce((p_ask ->> 'limit')::integer, 50), 1), 1000);
  skipped integer := least(greatest(coalesce((p_ask ->> 'offset')::integer, 0), 0), 10000);
  sort text := coalesce(p_ask ->> 'sort', 'created');
  -- What a list is ordered by, each with its direction; slugs decide among equals.
  key text := case sort
    when 'updated' then 'l.updated_at desc' when 'title' then 'lower(l.title) asc' when 'confidence' then 'l.confidence desc'
    when 'effectiveness' then 'l.effectiveness desc' when 'surfaced' then 'l.times_surfaced desc'
    when 'applied' then 'l.times_applied desc'
    when 'success' then 'coalesce(l.success_count::float8/nullif(l.times_applied,0),-1) desc'
    when 'last_used' then 'coalesce(l.last_used_at,''-infinity'') desc' else 'l.created_at desc' end;
  column_of text := split_part(key, ' ', 1);
  beyond text := case when key like '% asc' then '>' else '<' end;
  filters text;
  slugs text[];
  more boolean;
  total bigint;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  filters := 'l.space = $1 and l.slug <> '''' and l.archived = coalesce(($2 ->> ''archived'')::boolean, false)
    and ($2 ->> ''domain'' is null or lower(btrim(l.domain)) = lower(btrim($2 ->> ''domain'')))
    and ($2 ->> ''category'' is null or l.category = $2 ->> ''category'')
    and ($2 ->> ''trust'' is null or l.trust = $2 ->> ''trust'')
    and (not coalesce(($2 ->> ''visible'')::boolean, false) or l.trust <> ''quarantined'')
    and ($2 ->> ''badge'' is null or $2 ->> ''badge'' = case when l.proven_effective then ''proven'' when l.times_applied > 0 then ''testing'' else ''new'' end)';
  if p_ask ->> 'after' is not null then
    filters := filters || format(
      ' and ((%1$s %2$s (select %1$s from public.lessons l where l.space = $1 and l.slug = $2 ->> ''after''))
        or (%1$s = (select %1$s from public.lessons l where l.space = $1 and l.slug = $2 ->> ''after'') and l.slug collate "C" > $2 ->> ''after''))',
      column_of, beyond);
  end if;
  execute format(
    'select coalesce(array_agg(x.slug order by x.place), ''{}'') from (
       select l.slug, row_number() over (order by %1$s, l.slug collate "C") as place from public.lessons l where %2$s
       order by %1$s, l.slug collate "C" offset $3 limit $4) x', key, filters)
  into slugs using p_space, p_ask, skipped, most + 1;
  more := cardinality(slugs) > most;
  slugs := slugs[1:most];
  execute format('select count(*) from (select 1 from public.lessons l where %s limit $3) x', filters)
  into total using p_space, p_ask, counted_to;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, '{}', false),
    'listed', json_build_object('slugs', to_json(slugs), 'more', more, 'total', total));
end $$;

-- When a decision was: when lessons were first asked for, or its outcome was told.
create or replace function lessonloop.time_of(p_at timestamptz, p_outcome_at timestamptz) returns timestamptz
language sql immutable
return coalesce(p_at, p_outcome_at, '1970-01-01 00:00:00+00'::timestamptz);

create index if not exists decisions_newest
on public.decisions (space, lessonloop.time_of(at, outcome_at) desc, decision_id collate "C") where decision_id <> '';

-- A page of decisions, newest first, with the lessons recommended in them.
--   p_ask.prefix     what the ids of decisions begin with, as an agent's do
--   p_ask.by, .domain, .outcome, .lesson, .from, .to   as `GET /v1/decisions` has them
--   p_ask.before     milliseconds since 1970, and .before_id: those of the decision that the page before ended with
--   p_ask.limit      up to 200
-- `listed.total` counts up to 10,000 from the page's beginning on.
create or replace function public.space_decisions(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off set enable_seqscan = off as $$
declare
  counted_to constant integer := 10000;
  most integer := least(greatest(coalesce((p_ask ->> 'limit')::integer, 50), 1), 200);
  ids text[];
  slugs text[];
  total bigint;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  with fitting as (
    select d.decision_id, lessonloop.time_of(d.at, d.outcome_at) as t from public.decisions d
    where d.space = p_space and d.decision_id <> '' and (p_ask ->> 'prefix' is null or starts_with(d.decision_id, p_ask ->> 'prefix'))
      and (p_ask ->> 'by' is null or d."by" = p_ask ->> 'by')
      and (p_ask ->> 'domain' is null or coalesce(d.context ->> 'domain', '') = p_ask ->> 'domain')
      and (p_ask ->> 'outcome' is null or coalesce(d.outcome, 'pending') = p_ask ->> 'outcome')
      and (p_ask ->> 'from' is null or lessonloop.time_of(d.at, d.outcome_at) >= (p_ask ->> 'from')::timestamptz)
      and (p_ask ->> 'to' is null or lessonloop.time_of(d.at, d.outcome_at) < (p_ask ->> 'to')::timestamptz)
      and (p_ask ->> 'lesson' is null or exists (
        select from public.recommendations r where r.space = d.space and r.decision_id = d.decision_id and r.lesson = p_ask ->> 'lesson'))
      and (p_ask ->> 'before' is null
        or lessonloop.time_of(d.at, d.outcome_at) < to_timestamp((p_ask ->> 'before')::double precision / 1000)
        or (lessonloop.time_of(d.at, d.outcome_at) = to_timestamp((p_ask ->> 'before')::double precision / 1000)
          and d.decision_id collate "C" > p_ask ->> 'before_id'))
    order by lessonloop.time_of(d.at, d.outcome_at) desc, d.decision_id collate "C" limit counted_to
  )
  select count(*), coalesce((array_agg(f.decision_id order by f.t desc, f.decision_id collate "C"))[1:most + 1], '{}')
  into total, ids from fitting f;
  slugs := array(select distinct r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (ids));
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, ids, false),
    'listed', json_build_object('slugs', to_json(ids[1:most]), 'more', cardinality(ids) > most, 'total', total));
end $$;

revoke all on all functions in schema lessonloop from public, anon;
do $$
declare
  f regprocedure;
begin
  for f in
    select p.oid from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname in ('space_lessons', 'space_decisions')
  loop
    execute format('revoke all on function %s from public, anon', f);
    execute format('grant execute on function %s to authenticated', f);
  end loop;
end $$;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
