-- Rows by name have texts of 4 MB at most, as the other answers of a large space: more are refused, as a part of what a request
-- needs is of no use.

-- See 20261124120200_candidates.sql, which tells what is asked and answered.
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

revoke all on function public.space_rows(uuid, jsonb) from public, anon;
grant execute on function public.space_rows(uuid, jsonb) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
