-- Standing beside the vectors: nearest lessons are chosen by meaning, confidence and causal standing together, in one scan of the
-- narrow table, over all lessons of a space up to 100,000. Lessons' own rows are wide, and reading them costs more than comparing.

set search_path = public, extensions;

alter table lessonloop.vectors
  add column if not exists confidence real not null default 0.5,
  -- Effectiveness times the share of uses that were causal, as ranking multiplies by it.
  add column if not exists causal real not null default 0.5,
  -- Whether both are the lesson's; `catch_up` sees to the rows from before.
  add column if not exists weighed boolean not null default false;
-- Over a column that changes once, so that ratings update rows in place.
create index if not exists vectors_unweighed on lessonloop.vectors (space, slug) where not weighed;

-- A space of more lessons with vectors than this ought to have an index.
create or replace function lessonloop.exact_up_to() returns bigint language sql immutable return 100000;

-- A number from 0 to 1 in single precision. What is next to nothing is nothing: PostgreSQL refuses what is too small to be kept.
create or replace function lessonloop.as_share(p_number double precision) returns real
language sql immutable parallel safe
return case when p_number < 1e-30 then 0 else p_number end::real;

-- Effectiveness times the share of uses that were causal.
create or replace function lessonloop.causal_share(l public.lessons) returns double precision
language sql immutable
return lessonloop.as_share(l.effectiveness)
  * case when l.use_count >= 3 then greatest(0.3, l.causal_hits::double precision / l.use_count) else 1 end;

create or replace function lessonloop.causal_standing(l public.lessons) returns real
language sql immutable
return lessonloop.causal_share(l)::real;

-- What a lesson of this nearness and standing scores, about: the core's score without its words.
create or replace function lessonloop.score_about(p_distance double precision, p_confidence real, p_causal real)
returns double precision
language sql immutable parallel safe
return (0.5 * sqrt(0.4 * least(greatest((1 - p_distance - 0.1) / 0.7, 0), 1)) + 0.2 * p_confidence + 0.15) * (0.5 + 0.5 * p_causal);

-- See 20261124120100_near.sql: the vectors of some lessons as they ought to be, from what is stored of their texts.
create or replace function lessonloop.put_near(p_space uuid, p_slugs text[]) returns void
language plpgsql set search_path = '' as $$
begin
  delete from lessonloop.vectors v
  where v.space = p_space and v.slug = any (p_slugs) and not exists (
    select from public.lesson_embeddings e join public.lessons l on l.space = e.space and l.slug = e.slug
    where e.space = v.space and e.slug = v.slug and e.model = v.model and l.embedded_hash = e.content_hash);
  insert into lessonloop.vectors as v (space, slug, model, near, live, approved, domain, category, confidence, causal, weighed)
  select e.space, e.slug, e.model, lessonloop.as_half(e.packed, e.embedding),
    not l.archived and l.trust <> 'quarantined', l.trust = 'approved', lower(btrim(l.domain)), l.category,
    lessonloop.as_share(l.confidence), lessonloop.causal_standing(l), true
  from public.lesson_embeddings e join public.lessons l on l.space = e.space and l.slug = e.slug and l.embedded_hash = e.content_hash
  where e.space = p_space and e.slug = any (p_slugs)
  order by e.model, e.slug
  on conflict (space, model, slug) do update
    set near = excluded.near, live = excluded.live, approved = excluded.approved, domain = excluded.domain, category = excluded.category,
      confidence = excluded.confidence, causal = excluded.causal, weighed = true;
end $$;

-- A lesson with another text has the vector of that text, if there is one, or none; its standing follows.
create or replace function lessonloop.vectors_follow() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.embedded_hash is distinct from new.embedded_hash then
    perform lessonloop.put_near(new.space, array[new.slug]);
  end if;
  update lessonloop.vectors v set
    live = not new.archived and new.trust <> 'quarantined', approved = new.trust = 'approved',
    domain = lower(btrim(new.domain)), category = new.category,
    confidence = lessonloop.as_share(new.confidence), causal = lessonloop.causal_standing(new), weighed = true
  where v.space = new.space and v.slug = new.slug
    and (v.live, v.approved, v.domain, v.category, v.confidence, v.causal, v.weighed) is distinct from
      (not new.archived and new.trust <> 'quarantined', new.trust = 'approved', lower(btrim(new.domain)), new.category,
        lessonloop.as_share(new.confidence), lessonloop.causal_standing(new), true);
  return null;
end $$;
create or replace trigger vectors_follow
after update of embedded_hash, archived, trust, domain, category, confidence, effectiveness, use_count, causal_hits on public.lessons
for each row execute function lessonloop.vectors_follow();

-- See 20261124160200_pieces.sql.
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
      execute format('delete from lessonloop.%I x using (select slug from changed where space = $1 and model = $2) c where x.slug = c.slug', held)
      using s, m;
    else
      execute format(
        'insert into lessonloop.%1$I as x (slug, signs, live, approved, domain, category)
         select c.slug, lessonloop.signs(c.near), c.live, c.approved, c.domain, c.category from changed c where c.space = $1 and c.model = $2
         on conflict (slug) do update set signs = excluded.signs, live = excluded.live, approved = excluded.approved,
           domain = excluded.domain, category = excluded.category
         -- A lesson that merely stands otherwise keeps its place: another version of its row would be put into the index again.
         where (x.signs, x.live, x.approved, x.domain, x.category)
           is distinct from (excluded.signs, excluded.live, excluded.approved, excluded.domain, excluded.category)', held)
      using s, m;
    end if;
  end loop;
  return null;
end $$;

-- The slugs that do best by a vector and their standing, with their cosine distances, best first; of a domain, categories or
-- approved ones alone where these are given. Weighs all lessons of the space, and with an index the 3,000 nearest. Whoever calls it
-- has asked whether the caller may see the space.
create or replace function lessonloop.weighed(
  p_space uuid, p_model text, p_near halfvec, p_most integer,
  p_domain text default null, p_categories text[] default null, p_approved boolean default false)
returns table (slug text, distance double precision)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  indexed constant integer := 3000;
begin
  if exists (select from lessonloop.near_indexes n where n.space = p_space and n.model = p_model) then
    return query
      select n.slug, n.distance
      from lessonloop.nearest(p_space, p_model, p_near, indexed, p_domain, p_categories, p_approved) n
      join lessonloop.vectors v on v.space = p_space and v.model = p_model and v.slug = n.slug
      order by lessonloop.score_about(n.distance, v.confidence, v.causal) desc, n.slug limit p_most;
    return;
  end if;
  return query
    select x.slug, x.distance
    from (
      select v.slug, v.confidence, v.causal, lessonloop.distance(v.near, p_near) as distance from lessonloop.vectors v
      where v.space = p_space and v.model = p_model and v.live and (v.approved or not p_approved)
        and (p_domain is null or v.domain in ('', p_domain) or v.slug like 'evolved-%')
        and (p_categories is null or v.category = any (p_categories))
      -- Compared once each.
      offset 0) x
    order by lessonloop.score_about(x.distance, x.confidence, x.causal) desc, x.slug limit p_most;
end $$;

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
  hit_slugs text[] := '{}';
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
    select coalesce(array_agg(h.slug order by h.score desc, h.slug), '{}') into hit_slugs
    from (
      select f.slug, s.score
      from (
        select w.slug, w.terms, w.length from lessonloop.lesson_words w
        where lessonloop.marked(w.space, w.terms) operator(pg_catalog.&&) by_words and w.space is not distinct from p_space
          and (w.live or not in_use_only) and (w.approved or not only_approved)
          and (in_domain is null or w.domain = in_domain or wanted is null and (w.domain = '' or w.slug like 'evolved-%'))
          and (categories is null or w.category = any (categories))
        limit most_hits) f
      cross join lateral (
        select coalesce(sum(q.idf * x.x / (x.x + 1.2 * (0.5 + f.length / 500.0))), 0) as score
        from unnest(asked, idfs) q (word, idf)
        cross join lateral (select 6.58 * ts_rank('{0.25, 0.375, 0.5, 1}', f.terms, q.word) as x) x where x.x > 0) s
      -- Of those that a list finds, some may not fit it.
      order by 2 desc, 1 limit case when wanted is null then most * 10 else most_hits end) h;
  end if;
  if vector is not null then
    -- Standing moves a lesson as far as its meaning does: those that do best by both are looked at.
    select coalesce(array_agg(x.slug order by x.distance), '{}'), coalesce(array_agg(x.distance order by x.distance), '{}') into near_slugs, near_at
    from lessonloop.weighed(p_space, of_model, vector, most * 6, in_domain, categories, only_approved) x;
  end if;

  -- Of both those with the best match, reckoned as the core does, from what is at hand here.
  select array_agg(x.slug) into found
  from (
    select m.slug
    from (
      select coalesce(n.slug, h.slug) as slug,
        coalesce(n.distance, case when vector is not null then (
          select lessonloop.distance(v.near, vector) from lessonloop.vectors v
          where v.space = p_space and v.model = of_model and v.slug = h.slug) end) as distance
      from unnest(near_slugs, near_at) n (slug, distance) full join unnest(hit_slugs) h (slug) on h.slug = n.slug) m
    join lessonloop.lesson_words w on w.space = p_space and w.slug = m.slug
    cross join lateral (
      select coalesce(sum(q.idf * x.x / (x.x + 1.2 * (0.5 + w.length / 500.0))), 0) as score
      from unnest(asked, idfs) q (word, idf)
      cross join lateral (select 6.58 * ts_rank('{0.25, 0.375, 0.5, 1}', w.terms, q.word) as x) x where x.x > 0) s
    join public.lessons l on l.space = p_space and l.slug = m.slug
    where wanted is null or lessonloop.fits(l, wanted)
    -- With confidence and causal standing, which move a lesson as far as its match does.
    order by (0.5 * sqrt(
      0.4 * least(greatest((1 - coalesce(m.distance, 1) - 0.1) / 0.7, 0), 1)
      + (case when m.distance is null then 0.8 else 0.6 end) * least(s.score / full_idf, 1)) + 0.2 * lessonloop.as_share(l.confidence) + 0.15)
      * (0.5 + 0.5 * lessonloop.causal_share(l)) desc, m.slug
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

-- Puts standing beside vectors from before, for some seconds; whether all have it.
create or replace function lessonloop.weigh_some(p_seconds double precision default 2) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  at_once constant integer := 500;
  s uuid;
  batch text[];
begin
  loop
    select v.space into s from lessonloop.vectors v where not v.weighed limit 1;
    if not found then
      return true;
    end if;
    -- The lock of a push, which changes the same rows.
    perform from public.spaces p where p.id = s for no key update;
    batch := array(select v.slug from lessonloop.vectors v where v.space = s and not v.weighed order by v.slug limit at_once);
    update lessonloop.vectors v set confidence = lessonloop.as_share(l.confidence), causal = lessonloop.causal_standing(l), weighed = true
    from public.lessons l
    where v.space = s and v.slug = any (batch) and l.space = v.space and l.slug = v.slug and not v.weighed;
    if clock_timestamp() > until then
      return not exists (select from lessonloop.vectors v where not v.weighed);
    end if;
  end loop;
end $$;

-- See 20261124160200_pieces.sql: does what waits, and standing beside vectors from before this.
create or replace function lessonloop.catch_up(p_seconds double precision default 4) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  piece constant double precision := least(p_seconds, 2);
  s uuid;
  told jsonb;
begin
  for s in select g.space from lessonloop.leaving g order by g.begun_at loop
    if not lessonloop.sweep(s, piece) or clock_timestamp() > until then
      return jsonb_build_object('done', false, 'doing', 'deleting a space');
    end if;
  end loop;
  if not lessonloop.derive_some(piece) or clock_timestamp() > until then
    return jsonb_build_object('done', false, 'doing', 'words and vectors');
  end if;
  if not lessonloop.weigh_some(piece) or clock_timestamp() > until then
    return jsonb_build_object('done', false, 'doing', 'standing of vectors');
  end if;
  for s in
    select b.space from lessonloop.near_building b
    union
    select p.id from public.spaces p join lessonloop.vector_counts c on c.space = p.id and c.model = p.embedding_model
    where c.lessons > lessonloop.exact_up_to()
      and not exists (select from lessonloop.near_indexes n where n.space = p.id and n.model = p.embedding_model)
  loop
    told := lessonloop.index_some(s, piece);
    if not (told ->> 'done')::boolean or clock_timestamp() > until then
      return jsonb_build_object('done', false, 'doing', 'an index', 'space', s, 'indexed', told -> 'indexed');
    end if;
  end loop;
  return '{"done": true}';
end $$;

-- Where this takes longer, `catch_up` goes on.
select lessonloop.weigh_some(20);

-- What a scan weighs whole needs no index any more.
delete from lessonloop.near_indexes n
using lessonloop.vector_counts c
where c.space = n.space and c.model = n.model and c.lessons <= lessonloop.exact_up_to();
delete from lessonloop.near_building b
using lessonloop.vector_counts c
where c.space = b.space and c.model = b.model and c.lessons <= lessonloop.exact_up_to();

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on function public.lesson_candidates(uuid, jsonb) from public, anon;
grant execute on function public.lesson_candidates(uuid, jsonb) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
