-- Lists and searches of a space that no isolate holds: filters are the database's, and answers are bounded by bytes.

set search_path = public, extensions;

-- Whether a lesson is one of a list's.
create or replace function lessonloop.fits(l public.lessons, p_ask jsonb) returns boolean
language sql stable
return l.archived = coalesce((p_ask ->> 'archived')::boolean, false)
  and (p_ask ->> 'domain' is null or lower(btrim(l.domain)) = lower(btrim(p_ask ->> 'domain')))
  and (p_ask ->> 'category' is null or l.category = p_ask ->> 'category')
  and (p_ask ->> 'trust' is null or l.trust = p_ask ->> 'trust')
  and (not coalesce((p_ask ->> 'visible')::boolean, false) or l.trust <> 'quarantined')
  and (p_ask ->> 'badge' is null
    or p_ask ->> 'badge' = case when l.proven_effective then 'proven' when l.times_applied > 0 then 'testing' else 'new' end);

-- The first of some lessons whose texts are of so many bytes together; one at least.
create or replace function lessonloop.first_bytes(p_space uuid, p_slugs text[], p_most bigint) returns text[]
language sql stable
return (
  select coalesce(array_agg(x.slug order by x.place), '{}')
  from (
    select s.slug, s.place, sum(lessonloop.text_bytes(l)) over (order by s.place) - lessonloop.text_bytes(l) as before
    from unnest(p_slugs) with ordinality s (slug, place) join public.lessons l on l.space = p_space and l.slug = s.slug) x
  where x.before < p_most);

-- The slugs nearest to a vector with their cosine distances, nearest first; of `p_domains`, `p_categories` or approved
-- ones alone where these are given. Whoever calls it has asked whether the caller may see the space.
create or replace function lessonloop.nearest(
  p_space uuid, p_model text, p_near halfvec, p_most integer,
  p_domain text default null, p_categories text[] default null, p_approved boolean default false)
returns table (slug text, distance double precision)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  held lessonloop.near_indexes;
  width integer;
  looked integer;
begin
  select * into held from lessonloop.near_indexes n where n.space = p_space and n.model = p_model;
  if not found then
    return query
      select v.slug, lessonloop.distance(v.near, p_near) from lessonloop.vectors v
      where v.space = p_space and v.model = p_model and v.live and (v.approved or not p_approved)
        and (p_domain is null or v.domain in ('', p_domain) or v.slug like 'evolved-%')
        and (p_categories is null or v.category = any (p_categories))
      order by 2 limit p_most;
    return;
  end if;
  -- The width of the walk is bounded by the index; where more are wanted, it goes on.
  width := least(greatest(p_most * 3, 200), 1000);
  looked := greatest(width, p_most);
  -- Lessons that a filter leaves out don't count: the index is walked until there are enough, or it has seen 20,000.
  perform set_config('hnsw.ef_search', width::text, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);
  return query execute format(
    'select v.slug, lessonloop.distance(v.near, $1)
     from (select x.slug from lessonloop.%I x
       where x.live and (x.approved or not $5) and ($3 is null or x.domain in ('''', $3) or x.slug like ''evolved-%%'')
         and ($4 is null or x.category = any ($4))
       order by lessonloop.differing(x.signs, lessonloop.signs($1)) limit $2) f
     join lessonloop.vectors v on v.space = $6 and v.model = $7 and v.slug = f.slug
     order by 2 limit $8', held.relation)
  using p_near, looked, p_domain, p_categories, p_approved, p_space, p_model, p_most;
end $$;

-- The lessons that may fit a situation, with all that ranking reads of them. The core ranks them; what is reckoned here only
-- chooses whom it looks at.
--   p_ask.packed      the query's vector, base64 of 384 signed bytes, and p_ask.model; both or none
--   p_ask.words       words of the query in lower case, as the core parts them, up to 64
--   p_ask.also        more words to find lessons by, such as technologies, up to 64
--   p_ask.domain      in lower case: lessons of it, of none, and evolved ones alone
--   p_ask.categories  lessons of these alone
--   p_ask.approved    approved lessons alone
--   p_ask.standing    whether those that stand best are wanted whatever they say
--   p_ask.decision    a decision whose rows are wanted, too
--   p_ask.count       how many, up to 400
--   p_ask.fits        a list's filters in place of the ones before: `archived`, `domain`, `category`, `trust`, `badge`, `visible`
--                     as `space_lessons` has them; what does not fit is left out, and nothing is found but by words and meaning
-- `counted`: the space's lessons, how many have a vector, in how many each word of `words` is (`having`), which of them are too
-- common to find by (`hot`), and how the nearest were found (`index`).
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
  -- How many of the nearest are weighed. Measured: with 3 for each candidate 0.55 to 0.74 of the best five were found.
  near_exact constant integer := 8000;
  near_indexed constant integer := 3000;
  near_most integer;
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
    -- Standing moves a lesson as far as its meaning does: many are near, and those that stand best among them are looked at.
    near_most := case when lessonloop.near_state(p_space, of_model) = 'ready' then near_indexed else near_exact end;
    select coalesce(array_agg(x.slug order by x.distance), '{}'), coalesce(array_agg(x.distance order by x.distance), '{}') into near_slugs, near_at
    from (
      select n.slug, n.distance
      from lessonloop.nearest(p_space, of_model, vector, near_most, in_domain, categories, only_approved) n
      join public.lessons l on l.space = p_space and l.slug = n.slug
      order by (0.5 * sqrt(0.4 * least(greatest((1 - n.distance - 0.1) / 0.7, 0), 1)) + 0.2 * l.confidence + 0.15)
        * (0.5 + 0.5 * l.effectiveness
          * case when l.use_count >= 3 then greatest(0.3, l.causal_hits::double precision / l.use_count) else 1 end) desc, n.slug
      limit most * 6) x;
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
      + (case when m.distance is null then 0.8 else 0.6 end) * least(s.score / full_idf, 1)) + 0.2 * l.confidence + 0.15)
      * (0.5 + 0.5 * l.effectiveness
        * case when l.use_count >= 3 then greatest(0.3, l.causal_hits::double precision / l.use_count) else 1 end) desc, m.slug
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

-- A page of lessons.
--   p_ask.archived, .domain, .category, .trust, .badge   as `GET /v1/lessons` has them
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
  -- What a list is ordered by, each with its direction; slugs decide among equals, the other way round where all is.
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
  slugs text[];
  fewer text[];
  more boolean;
  total bigint;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
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
  into slugs using p_space, p_ask, skipped, most + 1;
  more := cardinality(slugs) > most;
  slugs := slugs[1:most];
  -- An isolate that reads them has little memory: a page may be shorter than what was asked for.
  fewer := lessonloop.first_bytes(p_space, slugs, most_bytes);
  more := more or cardinality(fewer) < cardinality(slugs);
  slugs := fewer;
  execute format('select count(*) from (select 1 from public.lessons l where %s limit $3) x', filters)
  into total using p_space, p_ask, counted_to;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, '{}', false),
    'listed', json_build_object('slugs', to_json(slugs), 'more', more, 'total', total));
end $$;

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on function public.lesson_candidates(uuid, jsonb), public.space_lessons(uuid, jsonb) from public, anon;
grant execute on function public.lesson_candidates(uuid, jsonb), public.space_lessons(uuid, jsonb) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
