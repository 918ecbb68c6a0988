-- Search: words and vectors of lessons, kept beside them, and the lessons that may fit what is asked.
--
-- Words are those of crates/lesson-core/src/keyword as near as PostgreSQL's parser gives them: runs of letters and
-- digits, the parts of `row-level` and `localStorage` and each of them as a whole, apostrophes dropped, every two neighbours
-- of scripts without spaces, no stop words, stems. A lesson's language is told by its stop words; in another than English the
-- stems of its Latin words are those of the language, and end with its tag: `datenbank@de`. So nobody says in which language
-- a lesson is: both sides reckon it from the text. Where they differ: which characters are letters is said by
-- the database's locale; words of more than 64 bytes are kept; a stem is that of PostgreSQL's own Snowball. A lesson that
-- is found by its words is ranked by the core's, so a difference can only lose a candidate.
--
-- Functions that read vectors and words run as the owner and ask for the caller's space themselves: row-level security would keep
-- their operators, which nobody has called leakproof, away from the indexes. What they give is what a member may read.

do $$ begin perform lessonloop.schema_version(); end $$;

-- pgvector's types and operators are looked up here and now, wherever its schema is: bodies without quotes are stored parsed.
set search_path = public, extensions;

do $$
declare
  language text;
begin
  foreach language in array string_to_array('english german french spanish portuguese italian dutch swedish danish norwegian '
      || 'finnish hungarian romanian turkish russian greek arabic tamil', ' ') loop
    if not exists (select from pg_ts_dict d where d.dictname = language and d.dictnamespace = 'lessonloop'::regnamespace) then
      -- PostgreSQL's own dictionaries drop stop words.
      execute format('create text search dictionary lessonloop.%I (template = pg_catalog.snowball, language = %L)', language, language);
    end if;
  end loop;
  -- Words as they are, and those of plain English with their stems at once.
  if not exists (select from pg_ts_config c where c.cfgname = 'words' and c.cfgnamespace = 'lessonloop'::regnamespace) then
    create text search configuration lessonloop.words (parser = pg_catalog."default");
    alter text search configuration lessonloop.words add mapping for asciiword with lessonloop.english;
    alter text search configuration lessonloop.words add mapping for word, numword, int, uint, float, sfloat, version with pg_catalog.simple;
  end if;
  if not exists (select from pg_ts_config c where c.cfgname = 'unstemmed' and c.cfgnamespace = 'lessonloop'::regnamespace) then
    create text search configuration lessonloop.unstemmed (parser = pg_catalog."default");
    alter text search configuration lessonloop.unstemmed add mapping for asciiword, word, numword, int, uint, float, sfloat, version
      with pg_catalog.simple;
  end if;
end $$;

-- A space's own beginning of each word in the index, so that a search reads nothing of another tenant's. Two spaces in
-- millions may share one; what is found is asked for its space all the same.
create or replace function lessonloop.space_mark(p_space uuid) returns text
language sql immutable
return substr(encode(uuid_send(p_space), 'base64'), 1, 4);

create or replace function lessonloop.marked(p_space uuid, p_terms tsvector) returns text[]
language sql immutable
return (select array_agg(lessonloop.space_mark(p_space) || t) from unnest(tsvector_to_array(p_terms)) t);

create index if not exists lesson_words_terms on lessonloop.lesson_words using gin (lessonloop.marked(space, terms));

-- The stop words of each language, by which a text's language is told, as English stems them. The core's test holds the rows.
create or replace function lessonloop.stop_words() returns table (language text, words text)
language sql immutable
begin atomic
  values
    ('en', 'a about again all also am an and ani are as at be been but by can could did do doe for from get had has have he help her here him his how i if in into is it just let like me more my need no not now of on or our out pleas she should so some than that the their them then there these they this those to up us want was we were what when where whi which who will with would you your'),
    ('de', 'aber al auch auf aus bei bevor damit das dass dem den der des die durch ein einen einer es fur haben hatt ich im immer ist kann kein mit muss mussen nach nicht nie noch nur oder sich sie sind sollt uber und unter von vor weil wenn werden wie wir wird wurd zu zum zur'),
    ('fr', 'apr au aux avant avec ce ces cett chaqu comm dan de doit donc dont du ell est et etr fait faut il jamai la le les leur mai ne nous ou par pas plus pour quand que qui sa san se ses sont sur toujour un une vous'),
    ('es', 'al ant cada como con cuando de debe del desd despu el en entr es est esta estan esto hasta hay la las lo los mas no nunca para pero por que se ser siempr sin sobr su sus todo un una uno ya'),
    ('pt', 'ant ao as ate cada com como da das de depoi desd deve do dos em entr est esta ha isso isto ja mai mas na nao nas no nos nunca os ou para pela pelo por quando que sao se sem sempr ser seu sobr sua todo um uma voce'),
    ('it', 'al alla anch che come con dal dalla dei del dell della deve di dopo esser gia gli il in la le lo ma mai nel nella non ogni piu prima quando questa questo se sempr senza si sono su tra tutti un una'),
    ('nl', 'aan al alleen altijd bij dat de deze die dit door een en er geen hebben heeft het ik is je kan maar met moet naar niet nog nooit of om onder ook op te tot uit van voor we worden wordt zijn zonder'),
    ('sv', 'aldrig alltid ar att av bara de den det du efter eller en ett for fore fran har innan int jag kan mast med men nar och ocksa om over pa sa sig ska skall som till under utan var vi vid'),
    ('da', 'af aldrig altid at bliver de den det du efter eller en er et for fra har ikk jeg kan kun ma med men nar og ogsa om over pa sa sig skal som til uden under vaer var ved vi'),
    ('no', 'aldri alltid at av bare blir de den det du eller en er et etter for fra har ikk jeg kan ma med men nar og ogsa om over pa sa seg skal som til under uten vaer var ved vi'),
    ('fi', 'aina ei ennen etta ilman ja jalkeen joka jos kanssa koskaan kuin kun mika mita mutta myo nama ne niin ole oli olla on ovat pitaa se sen siita sita tai tama vain voi'),
    ('hu', 'az azt csak de egi el elott es ez ezek ezt ha hogi is kell ki kozott legyen lehet mar meg minden mindig mint nelkul nem soha utan vagi van volt'),
    ('ro', 'aceasta acest al ale ca cand care cu dar de din dupa est fara fi in inaint intotdeauna intr la lui mai niciodata nu pe pentru prin sa sau si sunt trebui un'),
    ('tr', 'ama bir bu cok da daha de degil eger en gibi her hic icin ile ise kadar mi ne olan olarak oldugu onc sonra su tarafindan var ve veya yok zaman');
end;

-- The dictionary of a language that is written in Latin letters.
create or replace function lessonloop.stems_of(p_language text) returns regdictionary
language sql immutable
return case p_language when 'de' then 'lessonloop.german' when 'fr' then 'lessonloop.french' when 'es' then 'lessonloop.spanish'
  when 'pt' then 'lessonloop.portuguese' when 'it' then 'lessonloop.italian' when 'nl' then 'lessonloop.dutch'
  when 'sv' then 'lessonloop.swedish' when 'da' then 'lessonloop.danish' when 'no' then 'lessonloop.norwegian'
  when 'fi' then 'lessonloop.finnish' when 'hu' then 'lessonloop.hungarian' when 'ro' then 'lessonloop.romanian'
  when 'tr' then 'lessonloop.turkish' else 'lessonloop.english' end::regdictionary;

-- A word without the marks on its letters.
create or replace function lessonloop.folded(p_word text) returns text
language sql immutable
return case when p_word ~ '[^\x01-\x7f]' then replace(replace(replace(translate(p_word,
  'àáâãäåāăąçćĉċčďđèéêëēĕėęěĝğġģĥħìíîïĩīĭįıĵķĺļľŀłñńņňŋòóôõöøōŏőŕŗřśŝşšșţťŧțùúûüũūŭůűųŵýÿŷźżžёς',
  'aaaaaaaaacccccddeeeeeeeeegggghhiiiiiiiiijklllllnnnnnooooooooorrrsssssttttuuuuuuuuuuwyyyzzzеσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')
  else p_word end;

-- The stem of a word of the core in lower case, in a lesson of a language.
create or replace function lessonloop.stem(p_word text, p_language text default 'en') returns text
language sql stable
return case
  when p_language <> 'en' and p_word ~ '^[a-z\u00DF-\u00F6\u00F8-\u017F\u0219\u021B]+$' and octet_length(p_word) between 3 and 32
    then lessonloop.folded(coalesce((ts_lexize(lessonloop.stems_of(p_language), p_word))[1], p_word)) || '@' || p_language
  when p_word ~ '^[a-z]{3,32}$' then coalesce((ts_lexize('lessonloop.english', p_word))[1], p_word)
  when p_word !~ '[^\x01-\x7f]' then p_word
  when octet_length(lessonloop.folded(p_word)) not between 3 and 32 then lessonloop.folded(p_word)
  else coalesce((ts_lexize(case
      when lessonloop.folded(p_word) ~ '^[a-z]+$' then 'lessonloop.english'
      when lessonloop.folded(p_word) ~ '^[\u0430-\u045F]+$' then 'lessonloop.russian'
      when lessonloop.folded(p_word) ~ '^[\u0370-\u03FF]+$' then 'lessonloop.greek'
      when lessonloop.folded(p_word) ~ '^[\u0621-\u0652]+$' then 'lessonloop.arabic'
      when lessonloop.folded(p_word) ~ '^[\u0B80-\u0BFF]+$' then 'lessonloop.tamil'
      else 'pg_catalog.simple' end::regdictionary, lessonloop.folded(p_word)))[1], lessonloop.folded(p_word)) end;

-- Words with their stems in a language.
create or replace function lessonloop.stemmed(p_words tsvector, p_language text) returns tsvector
language sql stable
return (
  select coalesce(string_agg(quote_literal(w.stem) || coalesce(':' || w.places, ''), ' '), '')::tsvector
  from (
    select lessonloop.stem(t.lexeme, p_language) as stem, string_agg(array_to_string(t.positions, ','), ',') as places
    from unnest(p_words) t group by 1) w);

-- A text's words, in a lesson of a language.
create or replace function lessonloop.words_of(p_text text, p_language text default 'en') returns tsvector
language sql stable
return (
  -- The parts: everything that is neither letter nor digit lies between words.
  select case when x.plain then to_tsvector('lessonloop.words', x.parts)
      else lessonloop.stemmed(to_tsvector('lessonloop.unstemmed', x.parts), p_language) end
    -- The wholes.
    || case when x.t ~ '[[:alnum:]]([-_./:][[:alnum:]]|[#]|\+\+)|[[:lower:]][[:upper:]]' then coalesce((
         select array_to_tsvector(array_agg(distinct lessonloop.stem(w.word, p_language))) from (
           -- Stems of each word once; compared by bytes, which is cheaper than by the locale.
           select distinct lower(m[1]) collate "C" as word
           from regexp_matches(x.t, '([[:alnum:]]+(?:(?:[-_./:][[:alnum:]]+)+(?:\+\+|#)?|\+\+|#)|[[:alnum:]]*[[:lower:]][[:upper:]][[:alnum:]]*)', 'g') m
           where octet_length(m[1]) <= 64) w), '') else '' end
  from (
    select p.t, p_language = 'en' and p.t !~ '[^\x01-\x7f]' as plain, regexp_replace(
      case when p.t ~ '[[:lower:]][[:upper:]]' then regexp_replace(p.t, '([[:lower:]])([[:upper:]])', '\1 \2', 'g') else p.t end,
      '[-!"#$%&()*+,./:;<=>?@[\\\]^_`{|}~]+', ' ', 'g') as parts
    from (
      -- Every two neighbours: each but the first and the last of a run twice, then parted in pairs.
      select case when s.t ~ '[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]'
        then regexp_replace(regexp_replace(s.t,
          '(?<=[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF])'
          || '([\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF])'
          || '(?=[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF])', '\1\1', 'g'),
          '([\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]{1,2})', ' \1 ', 'g')
        else s.t end as t
      from (
        select regexp_replace(translate(coalesce(p_text, ''), '''’', ''), '[\u0300-\u036F]+', '', 'g') as t offset 0) s
      offset 0) p
    -- Made once each, however often they are read above.
    offset 0) x);

-- The language of words: the one with most distinct stop words, two at least and more than English has; of equals the first.
create or replace function lessonloop.language_of(p_words tsvector) returns text
language sql stable
return coalesce((
  with said as (
    select s.language, s.place, (
      select count(*) from unnest(string_to_array(s.words, ' ')) w (word) where w.word = any (tsvector_to_array(p_words))) as words
    from (select r.*, row_number() over () as place from lessonloop.stop_words() r) s)
  select o.language from said o, said e
  where e.language = 'en' and o.language <> 'en' and o.words >= 2 and o.words > e.words
  order by o.words desc, o.place limit 1), 'en');

-- Words of a lesson's fields with their weights.
create or replace function lessonloop.terms_in(l public.lessons, p_language text) returns tsvector
language sql stable
return setweight(lessonloop.words_of(l.title, p_language), 'A')
  || setweight(lessonloop.words_of(array_to_string(l.tags || l.tech_stacks, ' ') || ' ' || l.description, p_language), 'B')
  || setweight(lessonloop.words_of(l.context, p_language), 'C')
  || setweight(lessonloop.words_of(l.recommendation, p_language), 'D');

-- The words of a lesson in its language, and `@de` for the language itself.
create or replace function lessonloop.terms_of(l public.lessons) returns tsvector
language plpgsql stable set search_path = '' as $$
declare
  terms constant tsvector := lessonloop.terms_in(l, 'en');
  language constant text := lessonloop.language_of(terms);
begin
  return case when language = 'en' then terms
    else lessonloop.terms_in(l, language) || array_to_tsvector(array['@' || language]) end;
end $$;

-- The languages that lessons of a space are in, and English.
create or replace function lessonloop.languages_in(p_space uuid) returns text[]
language sql stable
return array(
  select r.language from lessonloop.stop_words() r
  where r.language = 'en'
    or exists (select from lessonloop.word_counts c where c.space = p_space and c.word = '@' || r.language and c.lessons > 0));

-- The stems by which words are looked for in a space, each with the number of lessons that have it. `word` is its place in the list.
-- A lesson has one language, so of a word's stems it has at most one.
create or replace function lessonloop.stems_in(p_space uuid, p_words text[]) returns table (word bigint, stem text, lessons bigint)
language sql stable
begin atomic
  select s.word, s.stem, c.lessons::bigint
  from (
    select w.place as word, lessonloop.stem(w.word, l.language) as stem
    from unnest(lessonloop.languages_in(p_space)) l (language), unnest(p_words) with ordinality w (word, place)
    group by 1, 2) s
  join lessonloop.word_counts c on c.space = p_space and c.word = s.stem collate "C" and c.lessons > 0;
end;

-- Words said in a lesson: the places that the index keeps of each.
create or replace function lessonloop.term_count(p_terms tsvector) returns integer
language sql immutable
return (select coalesce(sum(greatest(cardinality(t.positions), 1)), 0)::integer from unnest(p_terms) t);

create or replace function lessonloop.text_bytes(l public.lessons) returns bigint
language sql immutable
return octet_length(l.slug) + octet_length(l.title) + octet_length(l.description) + octet_length(l.context)
  + octet_length(l.recommendation) + octet_length(array_to_string(l.tags || l.tech_stacks || l.project_types, ' '));

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

create or replace trigger words_added after insert on public.lessons referencing new table as added
for each statement execute function lessonloop.words_added();

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
    insert into lessonloop.word_counts as c (space, word, lessons)
    select new.space, t.word, sum(t.by) from (
      select unnest(tsvector_to_array(now_said)) as word, 1 as by union all select unnest(tsvector_to_array(was_said)), -1) t
    group by t.word having sum(t.by) <> 0 order by t.word collate "C"
    on conflict (space, word) do update set lessons = c.lessons + excluded.lessons;
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

create or replace trigger words_changed
after update of title, description, context, recommendation, tags, tech_stacks, archived, trust, domain, category on public.lessons
for each row execute function lessonloop.words_changed();

-- Lessons that go take their counts along; of a space that is leaving, nothing is counted on.
create or replace function lessonloop.words_gone() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update lessonloop.word_counts c set lessons = c.lessons - n.n
  from (
    select g.space, t.word, count(*) as n
    from gone g join public.spaces s on s.id = g.space and not lessonloop.is_leaving(s.id)
    cross join lateral unnest(tsvector_to_array(g.terms)) as t (word)
    group by g.space, t.word) n
  where c.space = n.space and c.word = n.word collate "C";
  return null;
end $$;

create or replace trigger words_gone after delete on lessonloop.lesson_words referencing old table as gone
for each statement execute function lessonloop.words_gone();

create or replace function lessonloop.lessons_gone() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update lessonloop.space_sizes z set lessons = z.lessons - n.n, bytes = z.bytes - n.bytes
  from (select g.space, count(*) as n, sum(lessonloop.text_bytes(g)) as bytes from gone g group by g.space) n
  where z.space = n.space;
  return null;
end $$;

create or replace trigger lessons_gone after delete on public.lessons referencing old table as gone
for each statement execute function lessonloop.lessons_gone();

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

create or replace trigger records_added after insert on public.recommendations referencing new table as added
for each statement execute function lessonloop.records_counted();

create or replace trigger records_gone after delete on public.recommendations referencing old table as gone
for each statement execute function lessonloop.records_counted();

create or replace function lessonloop.as_vector(p_text text) returns vector
language sql immutable
return p_text::vector(384);

-- The same direction as numbers. Its length does not matter: vectors are compared by their cosine.
create or replace function lessonloop.unpacked(p_packed bytea) returns vector
language sql immutable
return (
  select ('[' || string_agg(((get_byte(p_packed, i) # 128) - 128)::text, ',' order by i) || ']')::vector(384)
  from generate_series(0, 383) i);

create or replace function lessonloop.as_half(p_packed bytea, p_numbers vector) returns halfvec
language sql immutable
return case when p_packed is null then l2_normalize(p_numbers)::halfvec(384) else lessonloop.unpacked(p_packed)::halfvec(384) end;

-- pgvector's operators, wherever its schema is. Both are put in place of their calls, so that an index serves them.
create or replace function lessonloop.distance(a halfvec, b halfvec) returns double precision
language sql immutable parallel safe
return a <=> b;

create or replace function lessonloop.cosine_of(a vector, b vector) returns double precision
language sql immutable parallel safe
return 1 - (a <=> b);

-- A number from 0 to 1 in single precision. What is next to nothing is nothing: PostgreSQL refuses what is too small to be kept.
create or replace function lessonloop.as_share(p_number double precision) returns real
language sql immutable parallel safe
return case when p_number < 1e-30 then 0 else p_number end::real;

-- Effectiveness times the share of uses that were causal.
create or replace function lessonloop.causal_share(l public.lessons) returns double precision
language sql immutable
return lessonloop.as_share(l.effectiveness)
  * case when l.use_count >= 3 then greatest(0.3, l.causal_hits::double precision / l.use_count) else 1 end;

-- A distance as meaning, 0 to 1: 0 up to the cosine `p_from`, 1 from `p_to` on. Both belong to the model of the vectors; the defaults are
-- those of all-MiniLM-L6-v2.
create or replace function lessonloop.meaning_of(
  p_distance double precision, p_from double precision default 0.1, p_to double precision default 0.8)
returns double precision
language sql immutable parallel safe
return least(greatest((1 - p_distance - p_from) / (p_to - p_from), 0), 1);

-- The approximate score of a lesson of this nearness and standing: the core's score without its words.
create or replace function lessonloop.score_about(p_distance double precision, p_confidence real, p_causal real,
  p_from double precision default 0.1, p_to double precision default 0.8)
returns double precision
language sql immutable parallel safe
return (0.5 * sqrt(0.4 * lessonloop.meaning_of(p_distance, p_from, p_to)) + 0.2 * p_confidence + 0.15) * (0.5 + 0.5 * p_causal);

-- Refuses a row of put_embeddings, by its place and its lesson.
create or replace function lessonloop.refuse_vector(p_place bigint, p_row jsonb, p_why text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'PT400', message = format('row %s%s: %s', p_place,
    case when jsonb_typeof(p_row -> 'slug') = 'string' then format(' (`%s`)', left(p_row ->> 'slug', 200)) end, p_why);
end $$;

-- Stores vectors of one model: rows are {"slug", "content_hash"} with "packed", base64 of 384 signed bytes, or with
-- "embedding", 384 numbers. A vector of a text that the lesson no longer has is left out and named in `stale`, as is one of
-- a lesson that is not there in `unknown`. All rows are stored, or none.
create or replace function public.put_embeddings(p_space uuid, p_model text, p_rows jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off set statement_timeout = '8s' as $$
declare
  most_rows constant integer := 1000;
  most_bytes constant integer := 16777216;
  r jsonb;
  place bigint;
  answer jsonb;
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
  if p_model is null or char_length(p_model) not between 1 and 200 then
    raise exception using errcode = 'PT400', message = 'p_model has to have 1 to 200 characters';
  end if;
  if jsonb_typeof(p_rows) is distinct from 'array' then
    raise exception using errcode = 'PT400', message = 'p_rows has to be a list';
  end if;
  if jsonb_array_length(p_rows) > most_rows or octet_length(p_rows::text) > most_bytes then
    raise exception using errcode = 'PT413',
      message = format('at most %s vectors and %s bytes are taken at once', most_rows, most_bytes), hint = 'send fewer';
  end if;
  for r, place in select x.value, x.ordinality from jsonb_array_elements(p_rows) with ordinality x loop
    if jsonb_typeof(r -> 'slug') is distinct from 'string' or jsonb_typeof(r -> 'content_hash') is distinct from 'string' then
      perform lessonloop.refuse_vector(place, r, 'slug and content_hash have to be texts');
    elsif r ? 'packed' then
      if jsonb_typeof(r -> 'packed') is distinct from 'string' or char_length(r ->> 'packed') <> 512
          or r ->> 'packed' ~ '[^A-Za-z0-9+/]' or r ->> 'packed' = repeat('A', 512) then
        perform lessonloop.refuse_vector(place, r, 'packed has to be base64 of 384 signed bytes, not all 0');
      end if;
    elsif jsonb_typeof(r -> 'embedding') is distinct from 'array' then
      perform lessonloop.refuse_vector(place, r, 'it needs packed or embedding');
    elsif jsonb_array_length(r -> 'embedding') <> 384
        or exists (select from jsonb_array_elements(r -> 'embedding') x where jsonb_typeof(x) <> 'number' or abs(x::numeric) > 1e30)
        or not exists (select from jsonb_array_elements(r -> 'embedding') x where abs(x::numeric) > 1e-30) then
      perform lessonloop.refuse_vector(place, r, 'embedding has to be 384 numbers, not all 0');
    end if;
  end loop;

  -- The space first, as a push does: it updates lessons in the order of its events, and a vector's reference locks its
  -- lesson, so that each could come to wait for the other.
  perform from public.spaces s where s.id = p_space for no key update;
  with given as (
    -- Of two rows of one lesson that of its text counts, then the later one.
    select distinct on (x.value ->> 'slug')
      x.value ->> 'slug' as slug, x.value ->> 'content_hash' as content_hash, x.value as row, l.embedded_hash
    from jsonb_array_elements(p_rows) with ordinality x
    left join public.lessons l on l.space = p_space and l.slug = x.value ->> 'slug'
    order by x.value ->> 'slug', (l.embedded_hash = x.value ->> 'content_hash') desc nulls last, x.ordinality desc
  ), stored as (
    insert into public.lesson_embeddings as e (space, slug, model, content_hash, embedding, packed)
    select p_space, g.slug, p_model, g.content_hash,
      case when g.row ? 'packed' then lessonloop.unpacked(decode(g.row ->> 'packed', 'base64'))
        else lessonloop.as_vector((g.row -> 'embedding')::text) end,
      decode(g.row ->> 'packed', 'base64')
    from given g where g.embedded_hash = g.content_hash
    order by g.slug
    on conflict (space, slug, model) do update
      set content_hash = excluded.content_hash, embedding = excluded.embedding, packed = excluded.packed
    returning 1
  )
  select jsonb_build_object(
    'stored', (select count(*) from stored),
    'stale', coalesce((select jsonb_agg(g.slug order by g.slug) from given g where g.embedded_hash <> g.content_hash), '[]'),
    'unknown', coalesce((select jsonb_agg(g.slug order by g.slug) from given g where g.embedded_hash is null), '[]'))
  into answer;
  if (answer ->> 'stored')::integer > 0 then
    -- The space's model is the one that most of its lessons have a vector of; of equals the newest. So devices with different models
    -- don't take it from each other with every row, and a change of the model takes over once it has read as many lessons.
    update public.spaces s set embedding_model = p_model
    where s.id = p_space and s.embedding_model is distinct from p_model
      and coalesce((select c.lessons from lessonloop.vector_counts c where c.space = p_space and c.model = p_model), 0)
        >= coalesce((select c.lessons from lessonloop.vector_counts c where c.space = p_space and c.model = s.embedding_model), 0);
  end if;
  return answer;
end $$;

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
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off set statement_timeout = '8s' as $$
declare
  most_hashes constant integer := 1000;
  most integer := least(greatest(coalesce(p_limit, 1000), 1), 1000);
  given json;
  lacking json;
begin
  perform lessonloop.no_space() where not exists (select from public.spaces s where s.id = p_space);
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
        and e.content_hash collate "C" <> '' and e.content_hash collate "C" > coalesce(p_after, '')
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
        on e.space = p_space and e.model = p_model and e.content_hash collate "C" = h and e.content_hash collate "C" <> '' and e.packed is not null
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

-- The vectors of some lessons as they ought to be, from what is stored of their texts. Each row is looked for by its key, however many
-- are put in at once: by a plan of when the tables were small, or had just been emptied, all rows would be compared with all.
create or replace function lessonloop.put_near(p_space uuid, p_slugs text[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  delete from lessonloop.vectors v
  where v.space = p_space and v.slug = any (p_slugs) and not coalesce((
    select true from public.lessons l join public.lesson_embeddings e
      on e.space = l.space and e.slug = l.slug and e.model = v.model and e.content_hash = l.embedded_hash
    where l.space = v.space and l.slug = v.slug offset 0), false);
  insert into lessonloop.vectors as v (space, slug, model, near, live, approved, domain, category, confidence, causal)
  select l.space, l.slug, e.model, lessonloop.as_half(e.packed, e.embedding),
    not l.archived and l.trust <> 'quarantined', l.trust = 'approved', lower(btrim(l.domain)), l.category,
    lessonloop.as_share(l.confidence), lessonloop.causal_share(l)::real
  from unnest(p_slugs) s (slug)
  cross join lateral (select x from public.lessons x where x.space = p_space and x.slug = s.slug offset 0) k
  cross join lateral (select (k.x).*) l
  cross join lateral (
    select x.model, x.packed, x.embedding from public.lesson_embeddings x
    where x.space = p_space and x.slug = s.slug and x.content_hash = l.embedded_hash offset 0) e
  order by e.model, l.slug
  on conflict (space, model, slug) do update
    set near = excluded.near, live = excluded.live, approved = excluded.approved, domain = excluded.domain, category = excluded.category,
      confidence = excluded.confidence, causal = excluded.causal;
end $$;

create or replace function lessonloop.embeddings_put() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  s uuid;
begin
  -- Of a space that is leaving, what is kept beside its lessons goes by itself.
  for s in select distinct c.space from changed c where not lessonloop.is_leaving(c.space) loop
    perform lessonloop.put_near(s, array(select distinct c.slug from changed c where c.space = s));
  end loop;
  return null;
end $$;

create or replace trigger embeddings_added after insert on public.lesson_embeddings referencing new table as changed
for each statement execute function lessonloop.embeddings_put();

create or replace trigger embeddings_changed after update on public.lesson_embeddings referencing new table as changed
for each statement execute function lessonloop.embeddings_put();

create or replace trigger embeddings_gone after delete on public.lesson_embeddings referencing old table as changed
for each statement execute function lessonloop.embeddings_put();

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
    confidence = lessonloop.as_share(new.confidence), causal = lessonloop.causal_share(new)::real
  where v.space = new.space and v.slug = new.slug
    and (v.live, v.approved, v.domain, v.category, v.confidence, v.causal) is distinct from
      (not new.archived and new.trust <> 'quarantined', new.trust = 'approved', lower(btrim(new.domain)), new.category,
        lessonloop.as_share(new.confidence), lessonloop.causal_share(new)::real);
  return null;
end $$;

create or replace trigger vectors_follow after update on public.lessons
for each row when ((old.embedded_hash, old.archived, old.trust, old.domain, old.category,
  old.confidence, old.effectiveness, old.use_count, old.causal_hits) is distinct from (new.embedded_hash, new.archived, new.trust,
  new.domain, new.category, new.confidence, new.effectiveness, new.use_count, new.causal_hits))
execute function lessonloop.vectors_follow();

create or replace function lessonloop.vectors_counted() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into lessonloop.vector_counts as c (space, model, lessons)
    select x.space, x.model, count(*) from changed x group by x.space, x.model
    on conflict (space, model) do update set lessons = c.lessons + excluded.lessons;
  else
    update lessonloop.vector_counts c set lessons = c.lessons - n.n
    from (select x.space, x.model, count(*) as n from changed x group by x.space, x.model) n
    where c.space = n.space and c.model = n.model;
  end if;
  return null;
end $$;

create or replace trigger vectors_added after insert on lessonloop.vectors referencing new table as changed
for each statement execute function lessonloop.vectors_counted();

create or replace trigger vectors_gone after delete on lessonloop.vectors referencing old table as changed
for each statement execute function lessonloop.vectors_counted();

-- A space of more lessons with vectors than this ought to have an index.
create or replace function lessonloop.exact_up_to() returns bigint language sql immutable return 100000;

-- The way in which the nearest are found: `exact`; `due` where the space ought to have an index and has none yet, which is exact, too, and
-- slower; `ready`. While an index is built it is `due`, and while one of another model is in force as well.
create or replace function lessonloop.near_state(p_space uuid, p_model text) returns text
language sql stable
return case
  when exists (select from lessonloop.near_indexes n where n.space = p_space and n.model = p_model) then 'ready'
  when coalesce((select c.lessons from lessonloop.vector_counts c where c.space = p_space and c.model = p_model), 0)
    > lessonloop.exact_up_to() then 'due'
  else 'exact' end;

-- The slugs that the space's index gives for a vector; null where there is no index, or the caller may not see the space.
create or replace function lessonloop.indexed_nearest(p_space uuid, p_near vector, p_most integer) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  asked constant lessonloop.vectors.near%type := lessonloop.as_half(null, p_near);
  held text;
begin
  select n.relation into held from lessonloop.near_indexes n join public.spaces s on s.id = n.space and s.embedding_model = n.model
  where n.space = p_space and lessonloop.may_use(p_space);
  if not found then
    return null;
  end if;
  return array(
    select v.slug from unnest(lessonloop.by_index(held, asked, array[greatest(p_most, 200)], null, null, false)) f (number)
    -- Each by its number, whatever a plan of when the table was small would have had.
    cross join lateral (
      select x.slug, lessonloop.distance(x.near, asked) as distance from lessonloop.vectors x where x.number = f.number offset 0) v
    order by v.distance limit p_most);
end $$;

-- The lessons nearest in meaning, best first, slugs in order where equal: an exact scan of the space, or by its index where
-- it has one, and then by their vectors. Archived and quarantined lessons are left out, and those whose vector is of an older text.
create or replace function public.match_lessons(
  query_embedding vector(384), match_team_id uuid, match_threshold double precision default 0.3, match_count integer default 10)
returns table (
  slug text, title text, description text, context text, recommendation text, category text, domain text,
  project_types text[], tech_stacks text[], tags text[], confidence double precision, effectiveness double precision,
  times_applied bigint, success_count bigint, proven_effective boolean, trust text, rev bigint,
  updated_at timestamptz, similarity double precision)
language plpgsql stable security invoker set search_path = '' set statement_timeout = '8s' as $$
#variable_conflict use_column
declare
  most constant integer := least(greatest(match_count, 0), 1000);
  near text[] := lessonloop.indexed_nearest(match_team_id, query_embedding, least(most * 3 + 40, 1000));
begin
  return query
    select
      l.slug, l.title, l.description, l.context, l.recommendation, l.category, l.domain, l.project_types, l.tech_stacks,
      l.tags, l.confidence, l.effectiveness, l.times_applied, l.success_count, l.proven_effective, l.trust, l.rev,
      l.updated_at, lessonloop.cosine_of(e.embedding, query_embedding) as similarity
    from public.spaces s
    join public.lesson_embeddings e on e.space = s.id and e.model = s.embedding_model
    join public.lessons l on l.space = e.space and l.slug = e.slug and l.embedded_hash = e.content_hash
    where s.id = match_team_id and not l.archived and l.trust <> 'quarantined'
      and (near is null or e.slug = any (near))
      and lessonloop.cosine_of(e.embedding, query_embedding) >= match_threshold
    order by lessonloop.cosine_of(e.embedding, query_embedding) desc, l.slug collate "C"
    limit most;
end $$;

-- True if a lesson belongs to a list.
create or replace function lessonloop.fits(l public.lessons, p_ask jsonb) returns boolean
language sql stable
return l.archived = coalesce((p_ask ->> 'archived')::boolean, false)
  and (p_ask ->> 'domain' is null or lower(btrim(l.domain)) = lower(btrim(p_ask ->> 'domain')))
  and (p_ask ->> 'category' is null or l.category = p_ask ->> 'category')
  and (p_ask ->> 'trust' is null or l.trust = p_ask ->> 'trust')
  and (p_ask ->> 'by' is null or l."by" = p_ask ->> 'by')
  and (p_ask ->> 'source' is null or l.source = p_ask ->> 'source')
  and (not coalesce((p_ask ->> 'visible')::boolean, false) or l.trust <> 'quarantined')
  and (p_ask ->> 'badge' is null
    or p_ask ->> 'badge' = case
      when case when lessonloop.by_lift(l.space) then lessonloop.lift_helps(l, now()) else l.proven_effective end then 'proven' when l.times_applied > 0 then 'testing' else 'new' end);

-- The first of some lessons whose texts are of so many bytes together; one at least.
create or replace function lessonloop.first_bytes(p_space uuid, p_slugs text[], p_most bigint) returns text[]
language sql stable
return (
  select coalesce(array_agg(x.slug order by x.place), '{}')
  from (
    select s.slug, s.place, sum(lessonloop.text_bytes(l)) over (order by s.place) - lessonloop.text_bytes(l) as before
    from unnest(p_slugs) with ordinality s (slug, place) join public.lessons l on l.space = p_space and l.slug = s.slug) x
  where x.before < p_most);

-- Some rows of a space as `pull_changes` gives them, with the cursor at which they are so. `p_tools`: with what worked for
-- which request.
create or replace function lessonloop.rows_json(p_space uuid, p_slugs text[], p_decisions text[], p_tools boolean) returns json
language sql stable
return (
  select json_build_object(
    'schema_version', lessonloop.schema_version(),
    'lessons', (select coalesce(json_agg(lessonloop.lesson_json(l)), '[]') from public.lessons l
      where l.space = p_space and l.slug = any (p_slugs)),
    'recommendations', (select coalesce(json_agg(lessonloop.recommendation_json(r) order by r.version), '[]') from public.recommendations r
      where r.space = p_space and r.decision_id = any (p_decisions)),
    'decisions', (select coalesce(json_agg(lessonloop.decision_json(d)), '[]') from public.decisions d
      where d.space = p_space and d.decision_id = any (p_decisions)),
    'settings', (select coalesce(json_agg(json_build_object('name', x.name, 'value', x.value, 'version', x.version)), '[]')
      from public.settings x where x.space = p_space),
    'bases', (select coalesce(json_agg(lessonloop.base_json(b)), '[]') from public.domain_bases b
      where b.space = p_space and b.domain in (
        select lessonloop.domain_key(d.context ->> 'domain') from public.decisions d
        where d.space = p_space and d.decision_id = any (p_decisions))),
    'agents', case when s.agents_version > 0 then json_build_array(json_build_object('keys', s.agents, 'withdrawn', s.withdrawn, 'version', s.agents_version)) else '[]'::json end,
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

-- The score of a word that is said so much, by `ts_rank`, in a lesson of so many words, from 0 to 1: x / (x + k), as the core has it.
create or replace function lessonloop.said(p_rank real, p_length integer) returns double precision
language sql immutable parallel safe
return 1 - 1 / (1 + 6.58::double precision * p_rank / (0.6::double precision + 0.0024::double precision * p_length));

-- The score of a lesson by words: by the twelve asked for, empty ones without weight where there are fewer. Written out, as a subquery
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

-- The lessons that may fit a situation, with all that ranking reads of them. The core ranks them; what is reckoned here only
-- chooses whom it looks at.
--   p_ask.packed      the query's vector, base64 of 384 signed bytes, and p_ask.model; both or none
--   p_ask.meaning     the model's cosines up to which a lesson is about something else, and from which it says the same: two numbers
--                     that rise within -1 to 1; absent: 0.1 and 0.8
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
  with_vector bigint;
  held_by bigint[];
  by_words text[];
  hot text[];
  asked tsquery[];
  idfs double precision[];
  full_idf double precision;
  vector lessonloop.vectors.near%type;
  meaning_from double precision := 0.1;
  meaning_to double precision := 0.8;
  near_slugs text[] := '{}';
  near_at double precision[] := '{}';
  near_confidence real[] := '{}';
  near_causal real[] := '{}';
  hit_slugs text[] := '{}';
  hit_scores double precision[] := '{}';
  found text[];
  decisions text[] := case when p_ask ->> 'decision' is null then '{}' else array[p_ask ->> 'decision'] end;
begin
  perform lessonloop.no_space() where not lessonloop.may_use(p_space);
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
  if coalesce(p_ask -> 'meaning', 'null') <> 'null' then
    if coalesce(jsonb_path_match(p_ask, 'strict $.meaning.size() == 2 && $.meaning[0] >= -1 && $.meaning[0] < $.meaning[1] && $.meaning[1] <= 1',
        silent => true), false) then
      meaning_from := (p_ask -> 'meaning' ->> 0)::double precision;
      meaning_to := (p_ask -> 'meaning' ->> 1)::double precision;
    else
      raise exception using errcode = 'PT400', message = 'meaning has to be two numbers that rise within -1 to 1', detail = 'p_ask.meaning',
        hint = 'send the two cosines of the model, or leave it out';
    end if;
  end if;
  if wanted is not null then
    in_domain := lower(btrim(wanted ->> 'domain'));
    categories := case when wanted ->> 'category' is not null then array[wanted ->> 'category'] end;
    only_approved := coalesce(wanted ->> 'trust' = 'approved', false);
    in_use_only := not coalesce((wanted ->> 'archived')::boolean, false) and coalesce((wanted ->> 'visible')::boolean, false);
  end if;
  total := coalesce((select z.lessons from lessonloop.space_sizes z where z.space = p_space), 0);
  with_vector := coalesce((select c.lessons from lessonloop.vector_counts c where c.space = p_space and c.model = of_model), 0);
  hot_above := least(hot_above, greatest(total / 8, 100));

  -- A word scores Σ idf · x / (x + k), with x of title, tags, context and recommendation as the core weighs them; of a word
  -- that is said often, `ts_rank` takes less than the sum. How common each word is, and by which lessons are looked for: the rarest, until they have hits enough.
  select coalesce(array_agg(coalesce(c.lessons, 0) order by w.place), '{}') into held_by
  from generate_series(1, cardinality(words)) w (place)
  left join (select s.word, sum(s.lessons)::bigint as lessons from lessonloop.stems_in(p_space, words) s group by 1) c on c.word = w.place;
  -- Chosen among by the rarest: the others add little.
  select array_agg(y.stem order by y.place), array_agg(y.idf order by y.place) into asked, idfs
  from (
    select x.stem, x.place, ln(1 + (total + 50 - x.n + 0.5) / (x.n + 0.5)) as idf
    from (
      select distinct on (f.stem) f.stem, f.place, held_by[f.place] as n
      from (
        select string_agg(quote_literal(s.stem), '|' order by s.stem)::tsquery as stem, s.word as place
        from lessonloop.stems_in(p_space, words) s group by 2) f
      order by f.stem, f.place) x
    order by x.n limit 12) y;
  asked := coalesce(asked, '{}') || array_fill('''.'''::tsquery, array[12 - coalesce(cardinality(asked), 0)]);
  idfs := coalesce(idfs, '{}') || array_fill(0::double precision, array[12 - coalesce(cardinality(idfs), 0)]);
  select greatest(sum(t.idf), 1) into full_idf from (
    select i.idf from unnest(idfs) i (idf) order by i.idf desc limit 5) t;
  select array_agg(mark || x.stem order by x.n) filter (where x.n <= hot_above and x.before <= most_hits),
    array_agg(distinct x.word) filter (where x.n > hot_above and x.place > 0)
  into by_words, hot
  from (
    select y.*, sum(y.n) over (order by y.n, y.stem) as before
    from (
      select distinct on (s.stem) s.stem, (words || also)[s.word] as word,
        case when s.word <= cardinality(words) then s.word else 0 end as place, s.lessons as n
      from lessonloop.stems_in(p_space, words || also) s
      order by s.stem, place desc) y) x;
  if by_words is null and hot is not null then
    -- Nothing else to find by: the lessons that have the rarest of them.
    by_words := array(
      select mark || s.stem from lessonloop.stems_in(p_space, words) s
      where s.word = (select w.place from unnest(held_by) with ordinality w (n, place) where w.n > 0 order by w.n limit 1));
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
    from lessonloop.best_by(p_space, of_model, vector, most * 6, in_domain, categories, only_approved,
      meaning_from, meaning_to) x;
  end if;

  -- Of both those with the best match, reckoned as the core does, from what is at hand here. What was not read yet is read by its
  -- key, whatever a plan of when the tables were small would have had.
  select coalesce(array_agg(x.slug), '{}') into found
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
      0.4 * case when s.distance is null then 0 else lessonloop.meaning_of(s.distance, meaning_from, meaning_to) end
      + (case when s.distance is null then 0.8 else 0.6 end) * least(s.words, 1)) + 0.2 * s.confidence + 0.15)
      * (0.5 + 0.5 * s.causal) desc, m.slug
    limit most) x;
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
  found := found || array(select r.lesson from public.recommendations r where r.space = p_space and r.decision_id = any (decisions));
  return json_build_object(
    'page', lessonloop.rows_json(p_space, found, decisions, false),
    'counted', json_build_object('lessons', total, 'with_vector', with_vector, 'having', to_json(held_by),
      'hot', to_json(coalesce(hot, '{}')), 'index', lessonloop.near_state(p_space, of_model)),
    'vectors', case when vector is null then '[]'::json else lessonloop.vectors_json(p_space, of_model, found) end);
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function lessonloop.cosine_of(vector, vector), lessonloop.indexed_nearest(uuid, vector, integer) to authenticated;
reset search_path;
