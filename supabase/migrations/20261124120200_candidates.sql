-- Parts of a space, for an edge that can't hold it: how large it is, the lessons that may fit what is asked, and rows by name.
--
-- These functions run as the owner and ask for the caller's space themselves: row-level security would keep the operators of
-- vectors and words, which nobody has called leakproof, away from the indexes. What they give is what a member may read.

set search_path = public, extensions;

-- Those that stand best, in order.
create index if not exists lessons_standing on public.lessons (space, proven_effective desc, confidence desc)
where not archived and trust <> 'quarantined';

-- How large the space is, asked before anything of it is read: lessons, bytes of their texts, recommendations on record, and
-- what a replica has to know to go on from here.
create or replace function public.space_size(p_space uuid) returns json
language plpgsql stable security definer set search_path = '' set statement_timeout = '2s' as $$
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  return (
    select json_build_object('lessons', coalesce(z.lessons, 0), 'bytes', coalesce(z.bytes, 0), 'records', coalesce(z.records, 0),
      'version', s.version, 'epoch', s.epoch, 'ledger_version', lessonloop.ledger_version(),
      'index', lessonloop.near_state(p_space, s.embedding_model))
    from public.spaces s left join lessonloop.space_sizes z on z.space = s.id where s.id = p_space);
end $$;

-- How the nearest are found: `exact`; `due` where the space ought to have an index and has none yet, which is exact, too, and
-- slower; `ready`. While an index is built it is `due`, and while one of another model is in force as well.
create or replace function lessonloop.near_state(p_space uuid, p_model text) returns text
language sql stable
return case
  when exists (select from lessonloop.near_indexes n where n.space = p_space and n.model = p_model) then 'ready'
  when coalesce((select c.lessons from lessonloop.vector_counts c where c.space = p_space and c.model = p_model), 0)
    > lessonloop.exact_up_to() then 'due'
  else 'exact' end;

-- Some rows of a space as `pull_changes` gives them, with the cursor at which they are so. `p_tools`: with what worked for
-- which request.
create or replace function lessonloop.rows_json(p_space uuid, p_slugs text[], p_decisions text[], p_tools boolean) returns json
language sql stable
return (
  select json_build_object(
    'ledger_version', lessonloop.ledger_version(),
    'lessons', (select coalesce(json_agg(lessonloop.lesson_json(l, 2)), '[]') from public.lessons l
      where l.space = p_space and l.slug = any (p_slugs)),
    'recommendations', (select coalesce(json_agg(lessonloop.recommendation_json(r, 2) order by r.version), '[]') from public.recommendations r
      where r.space = p_space and r.decision_id = any (p_decisions)),
    'decisions', (select coalesce(json_agg(lessonloop.decision_json(d)), '[]') from public.decisions d
      where d.space = p_space and d.decision_id = any (p_decisions)),
    'settings', (select coalesce(json_agg(json_build_object('name', x.name, 'value', x.value, 'version', x.version)), '[]')
      from public.settings x where x.space = p_space),
    'agents', case when s.agents_version > 0 then json_build_array(json_build_object('keys', s.agents, 'version', s.agents_version)) else '[]'::json end,
    'tools', case when p_tools then (select coalesce(json_agg(lessonloop.tool_json(t) order by t.position), '[]') from public.tool_successes t
      where t.space = p_space and not t.dropped) else '[]'::json end,
    'feedback', '[]'::json, 'days', '[]'::json,
    'next_cursor', s.version, 'version', s.version, 'has_more', false, 'acked_seq', '{}'::json, 'epoch', s.epoch)
  from public.spaces s where s.id = p_space);

-- The vectors of some lessons' texts, to the bit.
create or replace function lessonloop.vectors_json(p_space uuid, p_model text, p_slugs text[]) returns json
language sql stable
return (
  select coalesce(json_agg(json_build_object('content_hash', x.content_hash, 'packed', translate(encode(x.packed, 'base64'), E'\n', ''))), '[]')
  from (
    select distinct on (e.content_hash) e.content_hash, e.packed
    from public.lessons l join public.lesson_embeddings e
      on e.space = l.space and e.slug = l.slug and e.model = p_model and e.content_hash = l.embedded_hash and e.packed is not null
    where l.space = p_space and l.slug = any (p_slugs)) x);

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
  slugs text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'slugs', '[]')));
  names text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'names', '[]')));
  beginnings text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'beginnings', '[]')));
  decisions text[] := array(select jsonb_array_elements_text(coalesce(p_ask -> 'decisions', '[]')));
  wanted text;
  marks text[];
  matching text[];
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  if cardinality(slugs) > 1000 or cardinality(names) > 10 or cardinality(beginnings) > 200 or cardinality(decisions) > 100 then
    raise exception using errcode = 'PT413', message = 'at most 1000 slugs, 10 names, 200 beginnings and 100 decisions are taken at once',
      detail = 'p_ask', hint = 'ask for fewer';
  end if;
  foreach wanted in array names loop
    slugs := slugs || btrim(wanted) || lower(btrim(wanted));
    -- A title's lessons by its words; the core tells which of them it means.
    marks := array(select lessonloop.space_mark(p_space) || t from unnest(tsvector_to_array(lessonloop.words_of(wanted))) t);
    matching := '{}';
    if cardinality(marks) > 0 then
      matching := array(
        select w.slug from lessonloop.lesson_words w join public.lessons l on l.space = w.space and l.slug = w.slug
        where lessonloop.marked(w.space, w.terms) operator(pg_catalog.@>) marks and w.space is not distinct from p_space
          and not l.archived and strpos(lower(l.title), lower(btrim(wanted))) > 0
        order by lower(btrim(l.title)) <> lower(btrim(wanted)), l.slug limit 20);
    end if;
    if cardinality(matching) = 0 and cardinality(marks) > 0
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
  if cardinality(decisions) > 0 then
    slugs := slugs || array(
      select r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (decisions));
  end if;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, decisions, coalesce((p_ask -> 'tools')::boolean, false)),
    'vectors', case when p_ask ->> 'model' is null then '[]'::json else lessonloop.vectors_json(p_space, p_ask ->> 'model', slugs) end);
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
          and w.live and (w.approved or not only_approved) and (in_domain is null or w.domain in ('', in_domain) or w.slug like 'evolved-%')
          and (categories is null or w.category = any (categories))
        limit most_hits) f
      cross join lateral (
        select coalesce(sum(q.idf * x.x / (x.x + 1.2 * (0.5 + f.length / 500.0))), 0) as score
        from unnest(asked, idfs) q (word, idf)
        cross join lateral (select 6.58 * ts_rank('{0.25, 0.375, 0.5, 1}', f.terms, q.word) as x) x where x.x > 0) s
      order by 2 desc, 1 limit most * 3) h;
  end if;
  if vector is not null then
    select coalesce(array_agg(n.slug order by n.distance), '{}'), coalesce(array_agg(n.distance order by n.distance), '{}') into near_slugs, near_at
    from lessonloop.nearest(p_space, of_model, vector, most * 3, in_domain, categories, only_approved) n;
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
    -- With confidence and causal standing, which move a lesson as far as its match does.
    order by (0.5 * sqrt(
      0.4 * least(greatest((1 - coalesce(m.distance, 1) - 0.1) / 0.7, 0), 1)
      + (case when m.distance is null then 0.8 else 0.6 end) * least(s.score / full_idf, 1)) + 0.2 * l.confidence + 0.15)
      * (0.5 + 0.5 * l.effectiveness
        * case when l.use_count >= 3 then greatest(0.3, l.causal_hits::double precision / l.use_count) else 1 end) desc, m.slug
    limit most) x;
  found := coalesce(found, '{}');
  if coalesce((p_ask ->> 'standing')::boolean, false) or cardinality(found) = 0 then
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
  if cardinality(decisions) > 0 then
    found := found || array(select r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (decisions));
  end if;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, found, decisions, false),
    'counted', json_build_object('lessons', total, 'with_vector', with_vector, 'having', to_json(held_by),
      'hot', to_json(coalesce(hot, '{}')), 'index', lessonloop.near_state(p_space, of_model)),
    'vectors', case when vector is null then '[]'::json else lessonloop.vectors_json(p_space, of_model, found) end);
end $$;

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
do $$
declare
  f regprocedure;
begin
  for f in
    select p.oid from pg_proc p where p.pronamespace = 'public'::regnamespace
      and p.proname in ('space_size', 'space_rows', 'lesson_candidates')
  loop
    execute format('revoke all on function %s from public, anon', f);
    execute format('grant execute on function %s to authenticated', f);
  end loop;
end $$;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
