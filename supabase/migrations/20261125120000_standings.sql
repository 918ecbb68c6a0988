-- Standing beside meaning: what candidates are chosen by is weighed for every lesson of a space that is searched exactly, and for
-- those that stand best where an index finds the nearest.
--
-- A lesson's rows are wide, and its vector is not rewritten with each outcome: its standing lies in a narrow table of its own,
-- in the order of the vectors, so that one pass over both weighs them all.
--
-- A page of decisions is bounded by bytes, as a page of lessons is.

set search_path = public, extensions;

create table if not exists lessonloop.standings (
  space uuid not null,
  slug text not null,
  -- 0 to 1.
  confidence double precision not null,
  -- What the match is multiplied by, 0.5 to 1.
  factor double precision not null,
  -- The same for a lesson that is neither near nor far: the order in which those that stand best are looked at.
  weight double precision not null generated always as ((0.2 * confidence + 0.27) * factor) stored,
  primary key (space, slug),
  foreign key (space, slug) references public.lessons (space, slug) on delete cascade
) with (fillfactor = 80);
alter table lessonloop.standings enable row level security;
-- By the space's text, so that no plan looks a single lesson up by it, which costs the same before tables are analysed.
create index if not exists standings_best on lessonloop.standings ((space::text), weight desc);

-- What the core multiplies a lesson's relevance by, about.
create or replace function lessonloop.standing_factor(l public.lessons) returns double precision
language sql immutable
return 0.5 + 0.5 * l.effectiveness
  * case when l.use_count >= 3 then greatest(0.3, l.causal_hits::double precision / l.use_count) else 1 end;

-- How a lesson ranks by meaning alone, as the core reckons it, about.
create or replace function lessonloop.meaning_score(distance double precision, confidence double precision, factor double precision) returns double precision
language sql immutable parallel safe
return (0.5 * sqrt(0.4 * least(greatest((1 - distance - 0.1) / 0.7, 0), 1)) + 0.2 * confidence + 0.15) * factor;

create or replace function lessonloop.standings_added() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into lessonloop.standings as s (space, slug, confidence, factor)
  select l.space, l.slug, l.confidence, lessonloop.standing_factor(l)
  from put p join public.lessons l on l.space = p.space and l.slug = p.slug
  on conflict (space, slug) do update set confidence = excluded.confidence, factor = excluded.factor;
  return null;
end $$;

create or replace function lessonloop.standings_follow() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update lessonloop.standings s set confidence = new.confidence, factor = lessonloop.standing_factor(new)
  where s.space = new.space and s.slug = new.slug
    and (s.confidence, s.factor) is distinct from (new.confidence, lessonloop.standing_factor(new));
  return null;
end $$;

create or replace trigger standings_added after insert on public.lessons referencing new table as put
for each statement execute function lessonloop.standings_added();
create or replace trigger standings_follow
after update of confidence, effectiveness, use_count, causal_hits on public.lessons
for each row execute function lessonloop.standings_follow();

-- Those of lessons from before.
insert into lessonloop.standings (space, slug, confidence, factor)
select l.space, l.slug, l.confidence, lessonloop.standing_factor(l) from public.lessons l
on conflict (space, slug) do nothing;

-- All lessons weighed by meaning and standing together: the slugs of the best with their cosine distances. Both tables lie in the
-- order of slugs and are read once, side by side; a plan that was made while they were small must not look each up in the other.
create or replace function lessonloop.best_of_all(
  p_space uuid, p_model text, p_near halfvec, p_most integer, p_domain text, p_categories text[], p_approved boolean)
returns table (slug text, distance double precision)
language plpgsql stable set search_path = '' set enable_nestloop = off as $$
#variable_conflict use_column
begin
  return query
    select x.slug, x.distance
    from (
      select v.slug, lessonloop.distance(v.near, p_near) as distance, s.confidence, s.factor
      from lessonloop.vectors v join lessonloop.standings s on s.space = v.space and s.slug = v.slug
      where v.space = p_space and s.space = p_space and v.model = p_model and v.live and (v.approved or not p_approved)
        and (p_domain is null or v.domain in ('', p_domain) or v.slug like 'evolved-%')
        and (p_categories is null or v.category = any (p_categories))) x
    order by lessonloop.meaning_score(x.distance, x.confidence, x.factor) desc, x.slug limit p_most;
end $$;

-- The same where the space has an index: of the nearest 3,000 and the 10,000 that stand best. `offset 0`: each is looked up by
-- its key, whatever the tables looked like when the plan was made.
create or replace function lessonloop.best_by_index(
  p_space uuid, p_model text, p_near halfvec, p_most integer, p_domain text, p_categories text[], p_approved boolean)
returns table (slug text, distance double precision)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  return query
    select x.slug, x.distance
    from (
      select n.slug, n.distance, s.confidence, s.factor
      from lessonloop.nearest(p_space, p_model, p_near, 3000, p_domain, p_categories, p_approved) n
      cross join lateral (
        select t.confidence, t.factor from lessonloop.standings t where t.space = p_space and t.slug = n.slug offset 0) s
      union
      select b.slug, lessonloop.distance(v.near, p_near), b.confidence, b.factor
      from (
        select t.slug, t.confidence, t.factor from lessonloop.standings t
        where t.space::text = p_space::text order by t.weight desc limit 10000) b
      cross join lateral (
        select w.near, w.live, w.approved, w.domain, w.category from lessonloop.vectors w
        where w.space = p_space and w.model = p_model and w.slug = b.slug offset 0) v
      where v.live and (v.approved or not p_approved)
        and (p_domain is null or v.domain in ('', p_domain) or b.slug like 'evolved-%')
        and (p_categories is null or v.category = any (p_categories))) x
    order by lessonloop.meaning_score(x.distance, x.confidence, x.factor) desc, x.slug limit p_most;
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
    -- Standing moves a lesson as far as its meaning does, so both choose.
    if exists (select from lessonloop.near_indexes n where n.space = p_space and n.model = of_model) then
      select coalesce(array_agg(n.slug order by n.distance), '{}'), coalesce(array_agg(n.distance order by n.distance), '{}') into near_slugs, near_at
      from lessonloop.best_by_index(p_space, of_model, vector, most * 6, in_domain, categories, only_approved) n;
    else
      select coalesce(array_agg(n.slug order by n.distance), '{}'), coalesce(array_agg(n.distance order by n.distance), '{}') into near_slugs, near_at
      from lessonloop.best_of_all(p_space, of_model, vector, most * 6, in_domain, categories, only_approved) n;
    end if;
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

-- A page of decisions, newest first, with the lessons recommended in them.
--   p_ask.prefix     what the ids of decisions begin with, as an agent's do
--   p_ask.by, .domain, .outcome, .lesson, .from, .to   as `GET /v1/decisions` has them
--   p_ask.before     milliseconds since 1970, and .before_id: those of the decision that the page before ended with
--   p_ask.limit      up to 200
-- `listed.total` counts up to 10,000 from the page's beginning on. A page's lessons have texts of 4 MB at most, and it has one
-- decision at least.
create or replace function public.space_decisions(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off set enable_seqscan = off as $$
declare
  counted_to constant integer := 10000;
  most_bytes constant bigint := 4000000;
  most integer := least(greatest(coalesce((p_ask ->> 'limit')::integer, 50), 1), 200);
  ids text[];
  fewer text[];
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
  -- An isolate that reads them has little memory: a page may be shorter than what was asked for. Each lesson comes once, with
  -- the first decision that has it.
  select coalesce(array_agg(x.id order by x.place), '{}') into fewer
  from (
    select i.id, i.place, sum(coalesce(b.bytes, 0)) over (order by i.place) - coalesce(b.bytes, 0) as before
    from unnest(ids[1:most]) with ordinality i (id, place)
    left join (
      select f.place, sum(lessonloop.text_bytes(l)) as bytes
      from (
        select r.lesson, min(o.place) as place
        from unnest(ids[1:most]) with ordinality o (id, place)
        join public.recommendations r on r.space = p_space and r.decision_id = o.id group by r.lesson) f
      join public.lessons l on l.space = p_space and l.slug = f.lesson group by f.place) b on b.place = i.place) x
  where x.before < most_bytes;
  slugs := array(select distinct r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (fewer));
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, fewer, false),
    'listed', json_build_object('slugs', to_json(fewer), 'more', cardinality(ids) > cardinality(fewer), 'total', total));
end $$;

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on table lessonloop.standings from public, anon, authenticated;
revoke all on function public.lesson_candidates(uuid, jsonb), public.space_decisions(uuid, jsonb) from public, anon;
grant execute on function public.lesson_candidates(uuid, jsonb), public.space_decisions(uuid, jsonb) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
