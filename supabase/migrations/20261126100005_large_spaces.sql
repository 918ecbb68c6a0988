-- Large spaces, of which no isolate and no browser holds all: how large one is, pages and rows of it by name, and an index of meaning
-- of its own.
--
-- Up to 100,000 lessons a scan by meaning is exact. Beyond, an index is that of one space alone, over the signs of its vectors (48
-- bytes, compared by their differing bits), in bands of standing: the nearest of each band are weighed, so that a lesson which stands
-- far better than thousands of nearer ones is found, and a million lessons are searched in some milliseconds. The best of it are
-- compared again by the numbers. One index over all spaces would have to be walked past every other tenant's lessons, and be paid
-- for by spaces that need none; one without bands finds the nearest alone, whatever their standing: 0.73 of the best five, where
-- standings are spread.

do $$ begin perform lessonloop.schema_version(); end $$;

set search_path = public, extensions;

-- The size of the space, asked before anything of it is read: lessons, bytes of their texts, recommendations on record, and
-- what a replica has to know to go on from here.
create or replace function public.space_size(p_space uuid) returns json
language plpgsql stable security definer set search_path = '' set statement_timeout = '2s' as $$
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  return (
    select json_build_object('lessons', coalesce(z.lessons, 0), 'bytes', coalesce(z.bytes, 0), 'records', coalesce(z.records, 0),
      'version', s.version, 'epoch', s.epoch, 'schema_version', lessonloop.schema_version(),
      'index', lessonloop.near_state(p_space, s.embedding_model))
    from public.spaces s left join lessonloop.space_sizes z on z.space = s.id where s.id = p_space);
end $$;

-- Rows by name, for requests about lessons and decisions that are known.
--   p_ask.slugs      slugs, up to 1000
--   p_ask.names      slugs or parts of titles; of each up to 20 lessons in use that it may mean
--   p_ask.beginnings slugs that are wanted for a new lesson: those taken of `slug`, `slug-2`, `slug-3` …
--   p_ask.decisions  decisions, up to 100, with the lessons recommended in them
--   p_ask.tools      whether to give what worked for which request
--   p_ask.model      the model whose vectors of these lessons are wanted
create or replace function public.space_rows(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer set search_path = '' set statement_timeout = '4s' set enable_seqscan = off set extra_float_digits = 1 as $$
declare
  most_bytes constant bigint := 4000000;
  texts bigint;
  slugs text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'slugs', '[]')));
  names text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'names', '[]')));
  beginnings text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'beginnings', '[]')));
  decisions text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'decisions', '[]')));
  wanted text;
  language text;
  marks text[];
  matching text[];
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  if cardinality(slugs) > 1000 or cardinality(names) > 10 or cardinality(beginnings) > 200 or cardinality(decisions) > 100 then
    raise exception using errcode = 'PT413', message = 'at most 1000 slugs, 10 names, 200 beginnings and 100 decisions are taken at once',
      detail = 'p_ask', hint = 'ask for fewer';
  end if;
  foreach wanted in array names loop
    slugs := slugs || btrim(wanted) || lower(btrim(wanted));
    -- A title's lessons by its words, in the languages of the space; the core tells which of them it means.
    matching := '{}';
    foreach language in array lessonloop.languages_in(p_space) loop
      marks := lessonloop.marked(p_space, lessonloop.words_of(wanted, language));
      exit when marks is null;
      matching := matching || array(
        select w.slug from lessonloop.lesson_words w join public.lessons l on l.space = w.space and l.slug = w.slug
        where lessonloop.marked(w.space, w.terms) operator(pg_catalog.@>) marks and w.space is not distinct from p_space
          and not l.archived and strpos(lower(l.title), lower(btrim(wanted))) > 0
        order by lower(btrim(l.title)) <> lower(btrim(wanted)), l.slug limit 20);
    end loop;
    if cardinality(matching) = 0 and marks is not null
        and not exists (select from public.lessons l where l.space = p_space and l.slug in (btrim(wanted), lower(btrim(wanted)))) then
      -- A part that begins or ends within a word: all titles are looked at.
      matching := array(
        select l.slug from public.lessons l
        where l.space = p_space and not l.archived and strpos(lower(l.title), lower(btrim(wanted))) > 0 limit 20);
    end if;
    slugs := slugs || matching;
  end loop;
  foreach wanted in array beginnings loop
    slugs := slugs || array(
      select l.slug from public.lessons l where l.space = p_space
        and l.slug in (select wanted union all select wanted || '-' || n from generate_series(2, 200) n));
  end loop;
  slugs := slugs || array(
    select r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (decisions));
  -- An isolate that reads them has little memory. A row that were left out would be taken for one that does not exist.
  select sum(lessonloop.text_bytes(l)) into texts from public.lessons l where l.space = p_space and l.slug = any (slugs);
  if texts > most_bytes then
    raise exception using errcode = 'PT413', message = format('these lessons have texts of %s bytes; %s are read at once', texts, most_bytes),
      detail = 'p_ask.slugs', hint = 'ask for fewer';
  end if;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, decisions, coalesce((p_ask -> 'tools')::boolean, false)),
    'vectors', case when p_ask ->> 'model' is null then '[]'::json else lessonloop.vectors_json(p_space, p_ask ->> 'model', slugs) end);
end $$;

-- A page of lessons.
--   p_ask.archived, .domain, .category, .trust, .badge, .by, .source   as `GET /v1/lessons` has them
--   p_ask.sort     `created` (also without one), `updated`, `title`, `confidence`, `effectiveness`, `surfaced`, `applied`,
--                  `success`, `last_used`
--   p_ask.reverse  the order turned round; lessons without the number that it goes by stay last
--   p_ask.after    the slug that the page before ended with
--   p_ask.offset   lessons to leave out, up to 10,000
--   p_ask.limit    up to 1,000
--   p_ask.visible  whether lessons in quarantine are left out, as agents have it
-- `listed`: their slugs in order, whether there are more, and how many fit, counted up to 10,000 beyond the page's beginning. A page
-- has texts of 4 MB at most, and one lesson at least.
create or replace function public.space_lessons(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off as $$
declare
  counted_to constant integer := 10000;
  most_bytes constant bigint := 4000000;
  most integer := least(greatest(coalesce((p_ask ->> 'limit')::integer, 50), 1), 1000);
  skipped integer := least(greatest(coalesce((p_ask ->> 'offset')::integer, 0), 0), 10000);
  sort text := coalesce(p_ask ->> 'sort', 'created');
  turned boolean := coalesce((p_ask ->> 'reverse')::boolean, false);
  -- The orders of a list, each with its direction; slugs decide among equals, the other way round where all is.
  key text := case sort
    when 'updated' then 'l.updated_at desc' when 'title' then 'lower(l.title) asc' when 'confidence' then 'l.confidence desc'
    when 'effectiveness' then 'l.effectiveness desc' when 'surfaced' then 'l.times_surfaced desc'
    when 'applied' then 'l.times_applied desc'
    when 'success' then format('coalesce(l.success_count::float8/nullif(l.times_applied,0),%s) desc', case when turned then 2 else -1 end)
    when 'last_used' then format('coalesce(l.last_used_at,%L) desc', case when turned then 'infinity' else '-infinity' end)
    else 'l.created_at desc' end;
  column_of text := split_part(key, ' ', 1);
  direction text := case when (key like '% asc') <> turned then 'asc' else 'desc' end;
  beyond text := case direction when 'asc' then '>' else '<' end;
  slugs_go text := case when turned then 'desc' else 'asc' end;
  slugs_beyond text := case when turned then '<' else '>' end;
  filters text;
  fitting text[];
  slugs text[];
  total bigint;
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  filters := 'l.space = $1 and l.slug <> '''' and lessonloop.fits(l, $2)';
  if p_ask ->> 'after' is not null then
    filters := filters || format(
      ' and ((%1$s %2$s (select %1$s from public.lessons l where l.space = $1 and l.slug = $2 ->> ''after''))
        or (%1$s = (select %1$s from public.lessons l where l.space = $1 and l.slug = $2 ->> ''after'') and l.slug collate "C" %3$s $2 ->> ''after''))',
      column_of, beyond, slugs_beyond);
  end if;
  execute format(
    'select coalesce(array_agg(x.slug order by x.place), ''{}'') from (
       select l.slug, row_number() over (order by %1$s %3$s, l.slug collate "C" %4$s) as place from public.lessons l where %2$s
       order by %1$s %3$s, l.slug collate "C" %4$s offset $3 limit $4) x', column_of, filters, direction, slugs_go)
  into fitting using p_space, p_ask, skipped, most + 1;
  -- An isolate that reads them has little memory: a page may be shorter than what was asked for.
  slugs := lessonloop.first_bytes(p_space, fitting[1:most], most_bytes);
  execute format('select count(*) from (select 1 from public.lessons l where %s limit $3) x', filters)
  into total using p_space, p_ask, counted_to;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, '{}', false),
    'listed', json_build_object('slugs', to_json(slugs), 'more', cardinality(slugs) < cardinality(fitting), 'total', total));
end $$;

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
  most_bytes constant bigint := 4000000;
  given integer;
  ids text[];
  slugs text[];
  total bigint;
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  with fitting as (
    select d.decision_id, lessonloop.time_of(d.at, d.outcome_at) as t from public.decisions d
    where d.space = p_space and d.decision_id <> '' and (p_ask ->> 'prefix' is null or starts_with(d.decision_id, p_ask ->> 'prefix'))
      and (p_ask ->> 'by' is null or d."by" = p_ask ->> 'by')
      and (p_ask ->> 'domain' is null or coalesce(d.context ->> 'domain', '') = p_ask ->> 'domain')
      and (p_ask ->> 'q' is null or strpos(lower(coalesce(d.context ->> 'query', '')), lower(p_ask ->> 'q')) > 0)
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
  -- An isolate that reads them has little memory: a page may be shorter than what was asked for. One decision it has at least, and
  -- the one after it, by which a reader knows that there are more.
  select count(*) into given
  from (
    select sum(d.bytes) over (order by d.place) - d.bytes as before
    from (
      select i.place, (
        select coalesce(sum(lessonloop.text_bytes(l)), 0) from public.recommendations r
        join public.lessons l on l.space = r.space and l.slug = r.lesson
        where r.space = p_space and r.decision_id = i.id) as bytes
      from unnest(ids[1:most]) with ordinality i (id, place)) d) x
  where x.before < most_bytes;
  ids := ids[1:given + 1];
  slugs := array(select distinct r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (ids));
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, ids, false),
    'listed', json_build_object('slugs', to_json(ids[1:given]), 'more', cardinality(ids) > given, 'total', total));
end $$;

-- Put in place of its call, so that an index serves it.
create or replace function lessonloop.differing(a bit, b bit) returns double precision
language sql immutable parallel safe
return a <~> b;

create or replace function lessonloop.signs(p_near halfvec) returns bit
language sql immutable parallel safe
return binary_quantize(p_near)::bit(384);

-- Bands that lessons of a large space are parted into. With twelve less was found: the best of them are few, and were walked deepest.
create or replace function lessonloop.bands() returns integer language sql immutable parallel safe return 8;

-- The band of a lesson, 0 to 7: what it would score at a middling match, in equal steps of the logarithm from 0.18 to 0.58. Within
-- a band standing moves a score by 16 % at most.
create or replace function lessonloop.band(p_confidence real, p_causal real) returns smallint
language sql immutable parallel safe
return least(greatest(floor(lessonloop.bands() * ln(lessonloop.score_about(0.55, p_confidence, p_causal) / 0.18) / ln(0.58 / 0.18)),
  0), lessonloop.bands() - 1)::smallint;

-- A table for the index of a space, of the owner of what it is made of: the functions that read and follow it run as that.
create or replace function lessonloop.make_near(p_name text) returns void
language plpgsql set search_path = '' as $$
begin
  execute format(
    'create table lessonloop.%I (number bigint primary key, signs bit(384) not null, live boolean not null, approved boolean not null,
       evolved boolean not null, domain text not null, category text not null, band smallint not null)', p_name);
  execute format('alter table lessonloop.%I owner to %I', p_name, (
    select c.relowner::regrole::text from pg_catalog.pg_class c where c.oid = 'lessonloop.vectors'::regclass));
  execute format('alter table lessonloop.%I enable row level security', p_name);
  execute format('revoke all on table lessonloop.%I from public, anon, authenticated', p_name);
end $$;

-- Its indexes, one for each band.
create or replace function lessonloop.index_bands(p_name text) returns void
language plpgsql set search_path = '' as $$
declare
  pgvector constant text := (
    select quote_ident(n.nspname) from pg_catalog.pg_opclass o join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
    where o.opcname = 'bit_hamming_ops' limit 1);
begin
  for band in 0 .. lessonloop.bands() - 1 loop
    execute format('create index on lessonloop.%I using hnsw (signs %s.bit_hamming_ops) with (m = 16, ef_construction = 64) where band = %s',
      p_name, pgvector, band);
  end loop;
end $$;

-- SQL that puts rows into it, from what selects vectors as `v`. Rows that are there already become like them (`p_over`), or stay.
create or replace function lessonloop.put_in_near(p_name text, p_vectors text, p_over boolean default true) returns text
language sql stable
return format(
  'insert into lessonloop.%I as x (number, signs, live, approved, evolved, domain, category, band)
   select v.number, lessonloop.signs(v.near), v.live, v.approved, v.slug like ''evolved-%%'', v.domain, v.category,
     lessonloop.band(v.confidence, v.causal) from %s
   on conflict (number) do %s', p_name, p_vectors,
  case when p_over then
    -- A lesson that stands otherwise by less than a band keeps its place: another version of its row would be put into the index again.
    'update set signs = excluded.signs, live = excluded.live, approved = excluded.approved, domain = excluded.domain,
       category = excluded.category, band = excluded.band
     where (x.signs, x.live, x.approved, x.domain, x.category, x.band)
       is distinct from (excluded.signs, excluded.live, excluded.approved, excluded.domain, excluded.category, excluded.band)'
  else 'nothing' end);

-- The index of a space follows each change of its vectors, and so does one that is being built.
create or replace function lessonloop.near_follows() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  s uuid;
  m text;
  held text;
begin
  for s, m, held in
    select c.space, c.model, n.relation
    from (select distinct x.space, x.model from changed x) c
    join (
      select i.space, i.model, i.relation from lessonloop.near_indexes i
      union all select b.space, b.model, b.relation from lessonloop.near_building b) n on n.space = c.space and n.model = c.model
  loop
    if tg_op = 'DELETE' then
      -- pgvector keeps deleted places until the next vacuum; a search passes over them.
      execute format('delete from lessonloop.%I x using changed v where v.space = $1 and v.model = $2 and x.number = v.number', held) using s, m;
    else
      execute lessonloop.put_in_near(held, 'changed v where v.space = $1 and v.model = $2') using s, m;
    end if;
  end loop;
  return null;
end $$;

create or replace trigger near_added after insert on lessonloop.vectors referencing new table as changed
for each statement execute function lessonloop.near_follows();

create or replace trigger near_changed after update on lessonloop.vectors referencing new table as changed
for each statement execute function lessonloop.near_follows();

create or replace trigger near_gone after delete on lessonloop.vectors referencing old table as changed
for each statement execute function lessonloop.near_follows();

-- A space that goes takes its index along, and the table of one that is given up goes; that of one which has taken over stays.
create or replace function lessonloop.drop_near() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from lessonloop.near_indexes n where n.relation = old.relation) then
    execute format('drop table if exists lessonloop.%I', old.relation);
  end if;
  return null;
end $$;

create or replace trigger drop_near after delete on lessonloop.near_indexes for each row execute function lessonloop.drop_near();

create or replace trigger drop_building after delete on lessonloop.near_building for each row execute function lessonloop.drop_near();

-- For the operator, or pg_cron: makes the index of a space, anew where it has one. Nobody waits for it: it is built in a table of its own
-- from what is there when it begins, and takes over with what came meanwhile, under the lock of the space for that moment
-- alone. It can't be interrupted half-way: it is there whole, or not at all. Answers are exact meanwhile, and slower.
create or replace function lessonloop.index_space(p_space uuid) returns jsonb
language plpgsql volatile security invoker set search_path = '' as $$
declare
  began constant timestamptz := clock_timestamp();
  name constant text := 'near_' || substr(md5(random()::text || clock_timestamp()::text), 1, 16);
  of_space constant text := 'lessonloop.vectors v where v.space = $1 and v.model = $2';
  of_model text;
  indexed bigint;
  late bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('lessonloop.index_space ' || p_space::text, 0));
  select s.embedding_model into of_model from public.spaces s where s.id = p_space;
  if of_model is null then
    return jsonb_build_object('indexed', 0, 'why', 'there is no such space, or it has no vectors yet');
  end if;
  perform lessonloop.make_near(name);
  execute lessonloop.put_in_near(name, of_space) using p_space, of_model;
  get diagnostics indexed = row_count;
  perform lessonloop.index_bands(name);
  execute format('analyze lessonloop.%I', name);
  -- Adds rows that came meanwhile. Writers wait from here on, for as long as this takes.
  perform from public.spaces s where s.id = p_space for no key update;
  execute format(
    'delete from lessonloop.%I x where not exists (
       select from lessonloop.vectors v where v.space = $1 and v.model = $2 and v.number = x.number)', name) using p_space, of_model;
  execute lessonloop.put_in_near(name, of_space) using p_space, of_model;
  get diagnostics late = row_count;
  delete from lessonloop.near_indexes n where n.space = p_space;
  insert into lessonloop.near_indexes (space, model, relation) values (p_space, of_model, name);
  return jsonb_build_object('indexed', indexed, 'late', late, 'model', of_model,
    'seconds', round(extract(epoch from clock_timestamp() - began)::numeric, 1));
end $$;

-- Goes on building the index of a space for some seconds: {"done", "indexed"}. The first call makes an empty one, and waits for
-- those who are writing; from then on they fill it, too. The last puts it in force. Answers are exact until then, and slower.
create or replace function lessonloop.index_some(p_space uuid, p_seconds double precision default 2) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  at_once constant integer := 100;
  name constant text := 'near_' || substr(md5(random()::text || clock_timestamp()::text), 1, 16);
  held lessonloop.near_building;
  of_model text;
  batch text[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('lessonloop.index_space ' || p_space::text, 0)) then
    return jsonb_build_object('done', false, 'why', 'it is being built just now');
  end if;
  select s.embedding_model into of_model from public.spaces s where s.id = p_space;
  if of_model is null then
    return jsonb_build_object('done', true, 'indexed', 0, 'why', 'there is no such space, or it has no vectors yet');
  end if;
  -- Vectors of another model are searched by now.
  delete from lessonloop.near_building b where b.space = p_space and b.model <> of_model;
  select * into held from lessonloop.near_building b where b.space = p_space;
  if not found then
    perform from public.spaces s where s.id = p_space for no key update;
    perform lessonloop.make_near(name);
    perform lessonloop.index_bands(name);
    insert into lessonloop.near_building (space, model, relation) values (p_space, of_model, name);
    return jsonb_build_object('done', false, 'indexed', 0);
  end if;
  loop
    batch := array(
      select v.slug from lessonloop.vectors v
      where v.space = p_space and v.model = of_model and v.slug > held.after order by v.slug limit at_once);
    -- Rows written meanwhile are in it as they are now.
    execute lessonloop.put_in_near(held.relation, 'lessonloop.vectors v where v.space = $1 and v.model = $2 and v.slug = any ($3)', false)
    using p_space, of_model, batch;
    held.indexed := held.indexed + cardinality(batch);
    held.after := coalesce(batch[cardinality(batch)], held.after);
    exit when cardinality(batch) < at_once or clock_timestamp() > until;
  end loop;
  if cardinality(batch) = at_once then
    update lessonloop.near_building b set after = held.after, indexed = held.indexed where b.space = p_space;
    return jsonb_build_object('done', false, 'indexed', held.indexed);
  end if;
  execute format('analyze lessonloop.%I', held.relation);
  -- Nobody is in the middle of following the one before.
  perform from public.spaces s where s.id = p_space for no key update;
  delete from lessonloop.near_indexes n where n.space = p_space;
  insert into lessonloop.near_indexes (space, model, relation) values (p_space, of_model, held.relation);
  delete from lessonloop.near_building b where b.space = p_space;
  return jsonb_build_object('done', true, 'indexed', held.indexed, 'model', of_model);
end $$;

-- Numbers of vectors that the index of a space finds: of each band the nearest, from the one that stands best down; of a domain,
-- categories or approved ones alone where these are given. The first band that has so many gives `p_depths[1]`, the next `p_depths[2]`,
-- and so on, so that a space whose lessons stand alike is walked as far in its one band as another in its best.
create or replace function lessonloop.by_index(
  p_relation text, p_near halfvec, p_depths integer[], p_domain text, p_categories text[], p_approved boolean)
returns bigint[]
language plpgsql stable set search_path = '' as $$
declare
  -- The width of a walk is bounded by the index.
  widest constant integer := 1000;
  at integer := 1;
  depth integer;
  nearest bigint[];
  found bigint[] := '{}';
begin
  -- Lessons that a filter leaves out don't count: a walk goes on until it has enough, or has seen so many.
  perform set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.max_scan_tuples', '8000', true);
  for band in reverse lessonloop.bands() - 1 .. 0 loop
    depth := least(p_depths[least(at, cardinality(p_depths))], widest);
    perform set_config('hnsw.ef_search', greatest(depth, 40)::text, true);
    execute format(
      'select array(select x.number from lessonloop.%I x
         where x.band = %s and x.live and (x.approved or not $5) and ($3 is null or x.domain in ('''', $3) or x.evolved)
           and ($4 is null or x.category = any ($4))
         order by lessonloop.differing(x.signs, lessonloop.signs($1)) limit $2)', p_relation, band)
    into nearest using p_near, depth, p_domain, p_categories, p_approved;
    found := found || nearest;
    if cardinality(nearest) = depth then
      at := at + 1;
    end if;
  end loop;
  return found;
end $$;

-- The slugs that do best by a vector and their standing, with these, best first; `p_from` and `p_to` as `meaning_of` has them; of a domain, categories or
-- approved ones alone where these are given. Weighs all lessons of the space, and with an index the nearest of each band. Whoever
-- calls it has asked whether the caller may see the space.
create or replace function lessonloop.best_by(
  p_space uuid, p_model text, p_near halfvec, p_most integer,
  p_domain text default null, p_categories text[] default null, p_approved boolean default false,
  p_from double precision default 0.1, p_to double precision default 0.8)
returns table (slug text, distance double precision, confidence real, causal real)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  -- Measured with a million: of the best ten nine are among the best two bands, where standings are spread.
  depths constant integer[] := '{800, 400, 200, 100, 80}';
  held text := (select n.relation from lessonloop.near_indexes n where n.space = p_space and n.model = p_model);
  found bigint[];
begin
  if held is not null then
    found := lessonloop.by_index(held, p_near, depths, p_domain, p_categories, p_approved);
    return query
      select v.slug, v.distance, v.confidence, v.causal from unnest(found) f (number)
      cross join lateral (
        select x.slug, lessonloop.distance(x.near, p_near) as distance, x.confidence, x.causal from lessonloop.vectors x
        where x.number = f.number offset 0) v
      order by lessonloop.score_about(v.distance, v.confidence, v.causal, p_from, p_to) desc, v.slug limit p_most;
    return;
  end if;
  return query
    select x.slug, x.distance, x.confidence, x.causal
    from (
      select v.slug, v.confidence, v.causal, lessonloop.distance(v.near, p_near) as distance from lessonloop.vectors v
      where v.space = p_space and v.model = p_model and v.live and (v.approved or not p_approved)
        and (p_domain is null or v.domain in ('', p_domain) or v.slug like 'evolved-%')
        and (p_categories is null or v.category = any (p_categories))
      -- Compared once each.
      offset 0) x
    order by lessonloop.score_about(x.distance, x.confidence, x.causal, p_from, p_to) desc, x.slug limit p_most;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
reset search_path;
