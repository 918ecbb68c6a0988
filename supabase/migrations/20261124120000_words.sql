-- Words of lessons, for spaces that no isolate holds: which lessons have a word, and in how many lessons of a space a word is.
--
-- Words are those of crates/lesson-core/src/keyword/words.rs as near as PostgreSQL's parser gives them: runs of letters and
-- digits, the parts of `row-level` and `localStorage` and each of them as a whole, apostrophes dropped, one word for each
-- character of scripts without spaces, English stems, no stop words. Where they differ: which characters are letters is said by
-- the database's locale; words of more than 64 bytes are kept; a stem is that of PostgreSQL's own Snowball. A lesson that
-- is found by its words is ranked by the core's, so a difference can only lose a candidate.
--
-- They lie beside the lessons, not in them: an outcome changes a lesson's row and none of its words.

set search_path = public, extensions;

do $$
begin
  if not exists (select from pg_ts_dict d where d.dictname = 'stems' and d.dictnamespace = 'lessonloop'::regnamespace) then
    create text search dictionary lessonloop.stems (template = pg_catalog.snowball, language = 'english');
  end if;
  if not exists (select from pg_ts_config c where c.cfgname = 'words' and c.cfgnamespace = 'lessonloop'::regnamespace) then
    create text search configuration lessonloop.words (parser = pg_catalog."default");
    alter text search configuration lessonloop.words add mapping for asciiword with lessonloop.stems;
    alter text search configuration lessonloop.words add mapping for word, numword, int, uint, float, sfloat, version with pg_catalog.simple;
  end if;
end $$;

-- What can be asked of many lessons without looking at them, and their words. A word's weight is that of its field: A the
-- title, B tags, technologies and description, C the context, D the recommendation.
create table if not exists lessonloop.lesson_words (
  space uuid not null,
  slug text not null,
  terms tsvector not null,
  -- Words in all, each as often as it is said.
  length integer not null,
  -- Neither archived nor quarantined.
  live boolean not null,
  approved boolean not null,
  domain text not null,
  category text not null,
  primary key (space, slug),
  foreign key (space, slug) references public.lessons (space, slug) on delete cascade
);

-- In how many lessons of a space a word is, archived ones too. Half of a page stays free, so that counting on needs no
-- change of the index.
create table if not exists lessonloop.word_counts (
  space uuid not null references public.spaces (id) on delete cascade,
  word text collate "C" not null,
  lessons bigint not null,
  primary key (space, word)
) with (fillfactor = 50);

-- How much a space is, to be asked before anything of it is read.
create table if not exists lessonloop.space_sizes (
  space uuid primary key references public.spaces (id) on delete cascade,
  lessons bigint not null default 0,
  -- Bytes of their texts.
  bytes bigint not null default 0,
  -- Recommendations on record.
  records bigint not null default 0
) with (fillfactor = 50);

alter table lessonloop.lesson_words enable row level security;
alter table lessonloop.word_counts enable row level security;
alter table lessonloop.space_sizes enable row level security;

-- A space's own beginning of each word in the index, so that a search reads nothing of another tenant's. Two spaces in
-- millions may share one; what is found is asked for its space all the same.
create or replace function lessonloop.space_mark(p_space uuid) returns text
language sql immutable
return substr(encode(uuid_send(p_space), 'base64'), 1, 4);

create or replace function lessonloop.marked(p_space uuid, p_terms tsvector) returns text[]
language sql immutable
return (select array_agg(lessonloop.space_mark(p_space) || t) from unnest(tsvector_to_array(p_terms)) t);

create index if not exists lesson_words_terms on lessonloop.lesson_words using gin (lessonloop.marked(space, terms));

-- A word of the core as PostgreSQL's stems have it.
create or replace function lessonloop.stem(p_word text) returns text
language sql stable
return case when p_word ~ '^[a-z]{3,32}$' then coalesce((ts_lexize('lessonloop.stems', p_word))[1], p_word) else p_word end;

-- A text's words.
create or replace function lessonloop.words_of(p_text text) returns tsvector
language sql stable
return (
  -- The parts: everything that is neither letter nor digit lies between words.
  select to_tsvector('lessonloop.words', translate(
      case when x.t ~ '[[:lower:]][[:upper:]]' then regexp_replace(x.t, '([[:lower:]])([[:upper:]])', '\1 \2', 'g') else x.t end,
      '!"#$%&()*+,-./:;<=>?@[\]^_`{|}~', '                                '))
    -- The wholes.
    || case when x.t ~ '[[:alnum:]]([-_./:][[:alnum:]]|[#]|\+\+)|[[:lower:]][[:upper:]]' then coalesce((
         select array_to_tsvector(array_agg(distinct lessonloop.stem(lower(m[1]))))
         from regexp_matches(x.t, '([[:alnum:]]+(?:(?:[-_./:][[:alnum:]]+)+(?:\+\+|#)?|\+\+|#)|[[:alnum:]]*[[:lower:]][[:upper:]][[:alnum:]]*)', 'g') m
         where octet_length(m[1]) <= 64), '') else '' end
  from (
    select case when s.t ~ '[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF]'
      then regexp_replace(s.t, '([\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF])', ' \1 ', 'g') else s.t end as t
    from (select translate(coalesce(p_text, ''), '''’', '') as t) s
  ) x);

-- The words of a lesson with the weights of its fields.
create or replace function lessonloop.terms_of(l public.lessons) returns tsvector
language sql stable
return setweight(lessonloop.words_of(l.title), 'A')
  || setweight(lessonloop.words_of(array_to_string(l.tags || l.tech_stacks, ' ') || ' ' || l.description), 'B')
  || setweight(lessonloop.words_of(l.context), 'C')
  || setweight(lessonloop.words_of(l.recommendation), 'D');

create or replace function lessonloop.text_bytes(l public.lessons) returns bigint
language sql immutable
return octet_length(l.slug) + octet_length(l.title) + octet_length(l.description) + octet_length(l.context)
  + octet_length(l.recommendation) + octet_length(array_to_string(l.tags || l.tech_stacks || l.project_types, ' '));

-- Adds (1) or takes away (-1) the words of some lessons of one space.
create or replace function lessonloop.count_words(p_space uuid, p_all text[], p_by integer) returns void
language plpgsql set search_path = '' as $$
begin
  if p_by > 0 then
    insert into lessonloop.word_counts as c (space, word, lessons)
    select p_space, t.word, count(*) from unnest(p_all) as t (word) group by t.word order by t.word collate "C"
    on conflict (space, word) do update set lessons = c.lessons + excluded.lessons;
  else
    update lessonloop.word_counts c set lessons = c.lessons - n.n
    from (select t.word, count(*) as n from unnest(p_all) as t (word) group by t.word) n
    where c.space = p_space and c.word = n.word collate "C";
  end if;
end $$;

create or replace function lessonloop.words_added() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  with put as (
    insert into lessonloop.lesson_words (space, slug, terms, length, live, approved, domain, category)
    select a.space, a.slug, w.terms, lessonloop.term_count(w.terms), not a.archived and a.trust <> 'quarantined',
      a.trust = 'approved', lower(btrim(a.domain)), a.category
    from added a cross join lateral (select lessonloop.terms_of(a) as terms) w
    on conflict (space, slug) do nothing
    returning space, terms
  )
  insert into lessonloop.word_counts as c (space, word, lessons)
  select p.space, t.word, count(*) from put p cross join lateral unnest(tsvector_to_array(p.terms)) as t (word)
  group by p.space, t.word order by p.space, t.word collate "C"
  on conflict (space, word) do update set lessons = c.lessons + excluded.lessons;
  insert into lessonloop.space_sizes as z (space, lessons, bytes)
  select a.space, count(*), sum(lessonloop.text_bytes(a)) from added a group by a.space
  on conflict (space) do update set lessons = z.lessons + excluded.lessons, bytes = z.bytes + excluded.bytes;
  return null;
end $$;

-- Words said in a lesson: the places that the index keeps of each.
create or replace function lessonloop.term_count(p_terms tsvector) returns integer
language sql immutable
return (select coalesce(sum(greatest(cardinality(t.positions), 1)), 0)::integer from unnest(p_terms) t);

create or replace function lessonloop.words_changed() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  now_said tsvector;
  was_said tsvector;
begin
  if (old.title, old.description, old.context, old.recommendation, old.tags, old.tech_stacks)
      is distinct from (new.title, new.description, new.context, new.recommendation, new.tags, new.tech_stacks) then
    select w.terms into was_said from lessonloop.lesson_words w where w.space = new.space and w.slug = new.slug for update;
    if not found then
      return null;
    end if;
    now_said := lessonloop.terms_of(new);
    perform lessonloop.count_words(new.space, array(
      select unnest(tsvector_to_array(was_said)) except select unnest(tsvector_to_array(now_said))), -1);
    perform lessonloop.count_words(new.space, array(
      select unnest(tsvector_to_array(now_said)) except select unnest(tsvector_to_array(was_said))), 1);
    update lessonloop.lesson_words w set terms = now_said, length = lessonloop.term_count(now_said)
    where w.space = new.space and w.slug = new.slug;
    update lessonloop.space_sizes z set bytes = z.bytes + lessonloop.text_bytes(new) - lessonloop.text_bytes(old)
    where z.space = new.space;
  end if;
  update lessonloop.lesson_words w set
    live = not new.archived and new.trust <> 'quarantined', approved = new.trust = 'approved',
    domain = lower(btrim(new.domain)), category = new.category
  where w.space = new.space and w.slug = new.slug
    and (w.live, w.approved, w.domain, w.category) is distinct from
      (not new.archived and new.trust <> 'quarantined', new.trust = 'approved', lower(btrim(new.domain)), new.category);
  return null;
end $$;

-- A space that goes takes its counts along.
create or replace function lessonloop.words_gone() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update lessonloop.word_counts c set lessons = c.lessons - n.n
  from (
    select g.space, t.word, count(*) as n
    from gone g join public.spaces s on s.id = g.space cross join lateral unnest(tsvector_to_array(g.terms)) as t (word)
    group by g.space, t.word) n
  where c.space = n.space and c.word = n.word collate "C";
  return null;
end $$;

create or replace function lessonloop.lessons_gone() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update lessonloop.space_sizes z set lessons = z.lessons - n.n, bytes = z.bytes - n.bytes
  from (select g.space, count(*) as n, sum(lessonloop.text_bytes(g)) as bytes from gone g group by g.space) n
  where z.space = n.space;
  return null;
end $$;

create or replace function lessonloop.records_counted() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into lessonloop.space_sizes as z (space, records)
    select a.space, count(*) from added a group by a.space
    on conflict (space) do update set records = z.records + excluded.records;
  else
    update lessonloop.space_sizes z set records = z.records - n.n
    from (select g.space, count(*) as n from gone g group by g.space) n where z.space = n.space;
  end if;
  return null;
end $$;

create or replace trigger words_added after insert on public.lessons referencing new table as added
for each statement execute function lessonloop.words_added();
create or replace trigger words_changed
after update of title, description, context, recommendation, tags, tech_stacks, archived, trust, domain, category on public.lessons
for each row execute function lessonloop.words_changed();
create or replace trigger words_gone after delete on lessonloop.lesson_words referencing old table as gone
for each statement execute function lessonloop.words_gone();
create or replace trigger lessons_gone after delete on public.lessons referencing old table as gone
for each statement execute function lessonloop.lessons_gone();
create or replace trigger records_added after insert on public.recommendations referencing new table as added
for each statement execute function lessonloop.records_counted();
create or replace trigger records_gone after delete on public.recommendations referencing old table as gone
for each statement execute function lessonloop.records_counted();

-- Lessons from before: the words of those that have none, a few at a time; how many it did. It is called until it says 0.
-- Pushes wait for it as they wait for each other, a batch at a time at most.
create or replace function lessonloop.index_words(p_most integer default 5000) returns bigint
language plpgsql set search_path = '' as $$
declare
  done bigint;
begin
  with todo as (
    select l from public.lessons l
    where not exists (select from lessonloop.lesson_words w where w.space = l.space and w.slug = l.slug) limit p_most
  ), put as (
    insert into lessonloop.lesson_words (space, slug, terms, length, live, approved, domain, category)
    select (t.l).space, (t.l).slug, w.terms, lessonloop.term_count(w.terms),
      not (t.l).archived and (t.l).trust <> 'quarantined', (t.l).trust = 'approved', lower(btrim((t.l).domain)), (t.l).category
    from todo t cross join lateral (select lessonloop.terms_of(t.l) as terms) w
    on conflict (space, slug) do nothing
    returning space, terms
  ), counted as (
    insert into lessonloop.word_counts as c (space, word, lessons)
    select p.space, t.word, count(*) from put p cross join lateral unnest(tsvector_to_array(p.terms)) as t (word)
    group by p.space, t.word order by p.space, t.word collate "C"
    on conflict (space, word) do update set lessons = c.lessons + excluded.lessons
    returning 1
  )
  select count(*) into done from put;
  return done;
end $$;

do $$
declare
  sized bigint;
begin
  select count(*) into sized from lessonloop.space_sizes;
  if sized = 0 then
    insert into lessonloop.space_sizes (space, lessons, bytes, records)
    select s.id, coalesce(l.n, 0), coalesce(l.bytes, 0), coalesce(r.n, 0)
    from public.spaces s
    left join (select x.space, count(*) as n, sum(lessonloop.text_bytes(x)) as bytes from public.lessons x group by x.space) l on l.space = s.id
    left join (select x.space, count(*) as n from public.recommendations x group by x.space) r on r.space = s.id;
  end if;
  while lessonloop.index_words() > 0 loop
  end loop;
end $$;

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on table lessonloop.lesson_words, lessonloop.word_counts, lessonloop.space_sizes from public, anon, authenticated;
