-- Indexes of large spaces in bands of standing: the nearest of each band are weighed, so that a lesson which stands far better than
-- thousands of nearer ones is found, nearly as by the scan of a smaller space, and a million lessons are searched in some milliseconds.
-- One index over all finds the nearest alone, whatever their standing: 0.73 of the best five, where standings are spread.

set search_path = public, extensions;

-- By which an index names a vector: looked for in a fifth of the time that space, model and slug take.
alter table lessonloop.vectors add column if not exists number bigint generated always as identity;
create unique index if not exists vectors_number on lessonloop.vectors (number);

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

-- See 20261124160200_pieces.sql: the index of a space follows each change of its vectors, and so does one that is being built.
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

-- See 20261124120100_near.sql: makes the index of a space whole.
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
  -- What came meanwhile. Who writes waits from here on, for as long as this takes.
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

-- See 20261124160200_pieces.sql: goes on building it for some seconds.
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
    -- What was written meanwhile is in it as it is now.
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

-- See 20261124160100_filters.sql: the nearest by meaning alone, of a space that has an index; `match_lessons` scans the others itself.
create or replace function lessonloop.nearest(
  p_space uuid, p_model text, p_near halfvec, p_most integer,
  p_domain text default null, p_categories text[] default null, p_approved boolean default false)
returns table (slug text, distance double precision)
language sql stable set search_path = ''
begin atomic
  select v.slug, v.distance
  from lessonloop.near_indexes n
  cross join lateral unnest(
    lessonloop.by_index(n.relation, p_near, array[greatest(p_most, 200)], p_domain, p_categories, p_approved)) f (number)
  -- Each by its number, whatever a plan of when the table was small would have had.
  cross join lateral (
    select x.slug, lessonloop.distance(x.near, p_near) as distance from lessonloop.vectors x where x.number = f.number offset 0) v
  where n.space = p_space and n.model = p_model
  order by v.distance limit p_most;
end;

-- The slugs that do best by a vector and their standing, with these, best first; of a domain, categories or
-- approved ones alone where these are given. Weighs all lessons of the space, and with an index the nearest of each band. Whoever
-- calls it has asked whether the caller may see the space.
create or replace function lessonloop.best_by(
  p_space uuid, p_model text, p_near halfvec, p_most integer,
  p_domain text default null, p_categories text[] default null, p_approved boolean default false)
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
      order by lessonloop.score_about(v.distance, v.confidence, v.causal) desc, v.slug limit p_most;
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
    order by lessonloop.score_about(x.distance, x.confidence, x.causal) desc, x.slug limit p_most;
end $$;

-- See 20261125090000_standing.sql: the vectors of some lessons as they ought to be. Each row is looked for by its key, however many
-- are put in at once: by a plan of when the tables were small, or had just been emptied, all rows would be compared with all.
create or replace function lessonloop.put_near(p_space uuid, p_slugs text[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  delete from lessonloop.vectors v
  where v.space = p_space and v.slug = any (p_slugs) and not coalesce((
    select true from public.lessons l join public.lesson_embeddings e
      on e.space = l.space and e.slug = l.slug and e.model = v.model and e.content_hash = l.embedded_hash
    where l.space = v.space and l.slug = v.slug offset 0), false);
  insert into lessonloop.vectors as v (space, slug, model, near, live, approved, domain, category, confidence, causal, weighed)
  select l.space, l.slug, e.model, lessonloop.as_half(e.packed, e.embedding),
    not l.archived and l.trust <> 'quarantined', l.trust = 'approved', lower(btrim(l.domain)), l.category,
    lessonloop.as_share(l.confidence), lessonloop.causal_standing(l), true
  from unnest(p_slugs) s (slug)
  cross join lateral (select x from public.lessons x where x.space = p_space and x.slug = s.slug offset 0) k
  cross join lateral (select (k.x).*) l
  cross join lateral (
    select x.model, x.packed, x.embedding from public.lesson_embeddings x
    where x.space = p_space and x.slug = s.slug and x.content_hash = l.embedded_hash offset 0) e
  order by e.model, l.slug
  on conflict (space, model, slug) do update
    set near = excluded.near, live = excluded.live, approved = excluded.approved, domain = excluded.domain, category = excluded.category,
      confidence = excluded.confidence, causal = excluded.causal, weighed = true;
end $$;

-- What a word that is said so much, by `ts_rank`, scores in a lesson of so many words, from 0 to 1: x / (x + k), as the core has it.
create or replace function lessonloop.said(p_rank real, p_length integer) returns double precision
language sql immutable parallel safe
return 1 - 1 / (1 + 6.58::double precision * p_rank / (0.6::double precision + 0.0024::double precision * p_length));

-- What a lesson scores by words: by the twelve asked for, empty ones without weight where there are fewer. Written out, as a subquery
-- of them for each lesson takes three times as long.
create or replace function lessonloop.word_score(p_terms tsvector, p_length integer, p_asked tsquery[], p_idfs double precision[])
returns double precision
language sql immutable parallel safe
return
  p_idfs[1] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[1]), p_length)
  + p_idfs[2] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[2]), p_length)
  + p_idfs[3] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[3]), p_length)
  + p_idfs[4] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[4]), p_length)
  + p_idfs[5] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[5]), p_length)
  + p_idfs[6] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[6]), p_length)
  + p_idfs[7] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[7]), p_length)
  + p_idfs[8] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[8]), p_length)
  + p_idfs[9] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[9]), p_length)
  + p_idfs[10] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[10]), p_length)
  + p_idfs[11] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[11]), p_length)
  + p_idfs[12] * lessonloop.said(ts_rank('{0.25, 0.375, 0.5, 1}', p_terms, p_asked[12]), p_length);

-- See 20261124160100_filters.sql, which tells what is asked and answered.
create or replace function public.lesson_candidates(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  -- Lessons that one word may have to be looked for by it, and all words of a query together.
  hot_above bigint := 2000;
  most_hits constant bigint := 4000;
  most integer := least(greatest(coalesce((p_ask ->> 'count')::integer, 100), 1), 400);
  words text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'words', '[]')));
  also text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'also', '[]')));
  of_model text := p_ask ->> 'model';
  in_domain text := p_ask ->> 'domain';
  categories text[] := case when jsonb_typeof(p_ask -> 'categories') = 'array'
    then array(select jsonb_array_elements_text(p_ask -> 'categories')) end;
  only_approved boolean := coalesce((p_ask ->> 'approved')::boolean, false);
  -- A list that is searched: its own filters, instead of those of a situation.
  wanted constant jsonb := case when jsonb_typeof(p_ask -> 'fits') = 'object' then p_ask -> 'fits' end;
  in_use_only boolean := true;
  most_bytes constant bigint := 4000000;
  mark constant text := lessonloop.space_mark(p_space);
  total bigint;
  with_vector bigint := 0;
  held_by bigint[];
  by_words text[];
  hot text[];
  asked tsquery[];
  idfs double precision[];
  full_idf double precision;
  vector lessonloop.vectors.near%type;
  near_slugs text[] := '{}';
  near_at double precision[] := '{}';
  near_confidence real[] := '{}';
  near_causal real[] := '{}';
  hit_slugs text[] := '{}';
  hit_scores double precision[] := '{}';
  found text[];
  decisions text[] := case when p_ask ->> 'decision' is null then '{}' else array[p_ask ->> 'decision'] end;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  if cardinality(words) > 64 or cardinality(also) > 64
      or exists (select from unnest(words || also) w where octet_length(w) > 64) then
    raise exception using errcode = 'PT413', message = 'at most 64 words of 64 bytes are taken', detail = 'p_ask.words', hint = 'send the rarest';
  end if;
  if p_ask ->> 'packed' is not null then
    if of_model is null or char_length(p_ask ->> 'packed') <> 512 or p_ask ->> 'packed' ~ '[^A-Za-z0-9+/]' or p_ask ->> 'packed' = repeat('A', 512) then
      raise exception using errcode = 'PT400', message = 'packed has to be base64 of 384 signed bytes, not all 0, with its model', detail = 'p_ask.packed';
    end if;
    vector := lessonloop.as_half(decode(p_ask ->> 'packed', 'base64'), null);
  end if;
  if wanted is not null then
    in_domain := lower(btrim(wanted ->> 'domain'));
    categories := case when wanted ->> 'category' is not null then array[wanted ->> 'category'] end;
    only_approved := coalesce(wanted ->> 'trust' = 'approved', false);
    in_use_only := not coalesce((wanted ->> 'archived')::boolean, false) and coalesce((wanted ->> 'visible')::boolean, false);
  end if;
  select z.lessons into total from lessonloop.space_sizes z where z.space = p_space;
  total := coalesce(total, 0);
  hot_above := least(hot_above, greatest(total / 8, 100));
  with_vector := coalesce((select c.lessons from lessonloop.vector_counts c where c.space = p_space and c.model = of_model), 0);

  -- A word scores Σ idf · x / (x + k), with x of title, tags, context and recommendation as the core weighs them; of a word
  -- that is said often, `ts_rank` takes less than the sum. How common each word is, and by which lessons are looked for: the rarest, until they have hits enough.
  select coalesce(array_agg(coalesce(c.lessons, 0) order by w.place), '{}') into held_by
  from unnest(words) with ordinality w (word, place)
  left join lessonloop.word_counts c on c.space = p_space and c.word = lessonloop.stem(w.word) collate "C";
  -- Chosen among by the rarest: the others add little.
  select array_agg(y.stem order by y.place), array_agg(y.idf order by y.place) into asked, idfs
  from (
    select quote_literal(x.stem)::tsquery as stem, x.place, ln(1 + (total + 50 - x.n + 0.5) / (x.n + 0.5)) as idf
    from (
      select distinct on (lessonloop.stem(w.word)) lessonloop.stem(w.word) as stem, w.place, held_by[w.place] as n
      from unnest(words) with ordinality w (word, place) order by lessonloop.stem(w.word), w.place) x
    where x.n > 0 order by x.n limit 12) y;
  asked := coalesce(asked, '{}') || array_fill('''.'''::tsquery, array[12 - coalesce(cardinality(asked), 0)]);
  idfs := coalesce(idfs, '{}') || array_fill(0::double precision, array[12 - coalesce(cardinality(idfs), 0)]);
  select greatest(sum(t.idf), 1) into full_idf from (
    select i.idf from unnest(idfs) i (idf) order by i.idf desc limit 5) t;
  select array_agg(mark || x.stem order by x.n) filter (where x.n <= hot_above and x.before <= most_hits),
    array_agg(x.word order by x.place) filter (where x.n > hot_above and x.place > 0)
  into by_words, hot
  from (
    select y.*, sum(y.n) over (order by y.n, y.stem) as before
    from (
      select distinct on (lessonloop.stem(w.word)) lessonloop.stem(w.word) as stem, w.word, w.place, c.lessons as n
      from (
        select u.word, u.place from unnest(words) with ordinality u (word, place)
        union all select a.word, 0 from unnest(also) a (word)) w
      join lessonloop.word_counts c on c.space = p_space and c.word = lessonloop.stem(w.word) collate "C" and c.lessons > 0
      order by lessonloop.stem(w.word), w.place desc) y) x;
  if by_words is null and hot is not null then
    -- Nothing else to find by: the lessons that have the rarest of them.
    by_words := array[mark || lessonloop.stem((
      select w.word from unnest(words, held_by) w (word, n) where w.n > 0 order by w.n limit 1))];
  end if;
  if by_words is not null then
    select coalesce(array_agg(h.slug order by h.score desc, h.slug), '{}'), coalesce(array_agg(h.score order by h.score desc, h.slug), '{}')
    into hit_slugs, hit_scores
    from (
      select f.slug, lessonloop.word_score(f.terms, f.length, asked, idfs) as score
      from (
        select w.slug, w.terms, w.length from lessonloop.lesson_words w
        where lessonloop.marked(w.space, w.terms) operator(pg_catalog.&&) by_words and w.space is not distinct from p_space
          and (w.live or not in_use_only) and (w.approved or not only_approved)
          and (in_domain is null or w.domain = in_domain or wanted is null and (w.domain = '' or w.slug like 'evolved-%'))
          and (categories is null or w.category = any (categories))
        limit most_hits) f
      -- Of those that a list finds, some may not fit it.
      order by 2 desc, 1 limit case when wanted is null then most * 10 else most_hits end) h;
  end if;
  if vector is not null then
    -- Standing moves a lesson as far as its meaning does: those that do best by both are looked at.
    select coalesce(array_agg(x.slug), '{}'), coalesce(array_agg(x.distance), '{}'), coalesce(array_agg(x.confidence), '{}'),
      coalesce(array_agg(x.causal), '{}')
    into near_slugs, near_at, near_confidence, near_causal
    from lessonloop.best_by(p_space, of_model, vector, most * 6, in_domain, categories, only_approved) x;
  end if;

  -- Of both those with the best match, reckoned as the core does, from what is at hand here. What was not read yet is read by its
  -- key, whatever a plan of when the tables were small would have had.
  select array_agg(x.slug) into found
  from (
    select m.slug
    from (
      select coalesce(n.slug, h.slug) as slug, n.distance, n.confidence, n.causal, h.score
      from unnest(near_slugs, near_at, near_confidence, near_causal) n (slug, distance, confidence, causal)
      full join unnest(hit_slugs, hit_scores) h (slug, score) on h.slug = n.slug) m
    left join lateral (
      select lessonloop.word_score(w.terms, w.length, asked, idfs) as score from lessonloop.lesson_words w
      where m.score is null and w.space = p_space and w.slug = m.slug offset 0) w on true
    left join lateral (
      select lessonloop.distance(v.near, vector) as distance, v.confidence, v.causal from lessonloop.vectors v
      where m.distance is null and vector is not null and v.space = p_space and v.model = of_model and v.slug = m.slug offset 0) v on true
    left join lateral (
      select l.* from public.lessons l
      where (wanted is not null or coalesce(m.confidence, v.confidence) is null) and l.space = p_space and l.slug = m.slug offset 0) l on true
    cross join lateral (
      select coalesce(m.distance, v.distance) as distance, coalesce(m.score, w.score, 0) / full_idf as words,
        coalesce(m.confidence, v.confidence, lessonloop.as_share(l.confidence)) as confidence,
        coalesce(m.causal, v.causal, lessonloop.causal_share(l)) as causal offset 0) s
    where wanted is null or lessonloop.fits(l, wanted)
    -- With confidence and causal standing, which move a lesson as far as its match does.
    order by (0.5 * sqrt(
      0.4 * least(greatest((1 - coalesce(s.distance, 1) - 0.1) / 0.7, 0), 1)
      + (case when s.distance is null then 0.8 else 0.6 end) * least(s.words, 1)) + 0.2 * s.confidence + 0.15)
      * (0.5 + 0.5 * s.causal) desc, m.slug
    limit most) x;
  found := coalesce(found, '{}');
  if coalesce((p_ask ->> 'standing')::boolean, false) or (cardinality(found) = 0 and wanted is null) then
    found := found || array(
      select b.slug from (
        (select l.slug, l.proven_effective, l.confidence, l.effectiveness from public.lessons l
         where l.space = p_space and not l.archived and l.trust <> 'quarantined' and (l.trust = 'approved' or not only_approved)
           and (in_domain is null or lower(btrim(l.domain)) = in_domain) and (categories is null or l.category = any (categories))
         order by l.proven_effective desc, l.confidence desc limit most / 2 + 1)
        union
        (select l.slug, l.proven_effective, l.confidence, l.effectiveness from public.lessons l
         where in_domain is not null and l.space = p_space and not l.archived and l.trust <> 'quarantined' and (l.trust = 'approved' or not only_approved)
           and (l.domain = '' or l.slug like 'evolved-%') and (categories is null or l.category = any (categories))
         order by l.proven_effective desc, l.confidence desc limit most / 4 + 1)) b);
  end if;
  -- An isolate that reads them has little memory.
  found := lessonloop.first_bytes(p_space, found, most_bytes);
  if cardinality(decisions) > 0 then
    found := found || array(select r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (decisions));
  end if;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, found, decisions, false),
    'counted', json_build_object('lessons', total, 'with_vector', with_vector, 'having', to_json(held_by),
      'hot', to_json(coalesce(hot, '{}')), 'index', lessonloop.near_state(p_space, of_model)),
    'vectors', case when vector is null then '[]'::json else lessonloop.vectors_json(p_space, of_model, found) end);
end $$;

-- `best_by` is in its place.
drop function if exists lessonloop.weighed(uuid, text, halfvec, integer, text, text[], boolean);

-- Indexes of before have no bands: they are made anew by who makes them, and answers are exact until then.
do $$
begin
  delete from lessonloop.near_building b where not exists (
    select from pg_attribute a where a.attrelid = to_regclass('lessonloop.' || quote_ident(b.relation)) and a.attname = 'band');
  delete from lessonloop.near_indexes n where not exists (
    select from pg_attribute a where a.attrelid = to_regclass('lessonloop.' || quote_ident(n.relation)) and a.attname = 'band');
end $$;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on function public.lesson_candidates(uuid, jsonb) from public, anon;

reset search_path;
