-- The index of vectors by their text serves that question alone.
--
-- Where spaces were small when the server last looked, the planner took it to find the vector of one lesson, and read all of
-- the space's for each. Its condition holds for every row, and only a question that names it can take the index.

set search_path = public, extensions;

drop index if exists public.lesson_embeddings_text;
create index if not exists lesson_embeddings_text on public.lesson_embeddings (space, model, content_hash collate "C")
where content_hash collate "C" <> '';

create or replace function public.pull_embeddings(
  p_space uuid, p_model text, p_after text default '', p_limit integer default 1000,
  p_hashes text[] default null, p_lacking_after text default null) returns json
language plpgsql stable security invoker set search_path = '' set enable_seqscan = off as $$
declare
  most_hashes constant integer := 1000;
  most integer := least(greatest(coalesce(p_limit, 1000), 1), 1000);
  given json;
  lacking json;
begin
  if not exists (select from public.spaces s where s.id = p_space) then
    perform lessonloop.no_space();
  end if;
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

revoke all on function public.pull_embeddings(uuid, text, text, integer, text[], text) from public, anon;
grant execute on function public.pull_embeddings(uuid, text, text, integer, text[], text) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
