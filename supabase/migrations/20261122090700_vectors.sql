-- Vectors, to the bit: a client that has a model sends those that are lacking here, and one that has none yet takes them
-- instead of computing them again. A vector belongs to a text, by its hash. It has no version: nobody pulls a lesson again
-- because of one.

set search_path = public, extensions;

-- A vector as clients keep it: 384 signed bytes. Null where only numbers were given.
alter table public.lesson_embeddings add column if not exists packed bytea check (octet_length(packed) = 384);

create index if not exists lesson_embeddings_text on public.lesson_embeddings (space, model, content_hash collate "C");

-- The same direction as numbers. Its length does not matter: vectors are compared by their cosine.
create or replace function lessonloop.unpacked(p_packed bytea) returns vector
language sql immutable
return (
  select ('[' || string_agg(((get_byte(p_packed, i) # 128) - 128)::text, ',' order by i) || ']')::vector(384)
  from generate_series(0, 383) i);

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
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
declare
  most_rows constant integer := 1000;
  most_bytes constant integer := 16777216;
  r jsonb;
  place bigint;
  answer jsonb;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
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
    update public.spaces s set embedding_model = p_model where s.id = p_space and s.embedding_model is distinct from p_model;
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

  if p_hashes is null then
    with found as (
      select distinct on (e.content_hash collate "C") e.content_hash, e.packed
      from public.lesson_embeddings e
      join public.lessons l on l.space = e.space and l.slug = e.slug and l.embedded_hash = e.content_hash
      where e.space = p_space and e.model = p_model and e.packed is not null
        and e.content_hash collate "C" > coalesce(p_after, '')
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
        on e.space = p_space and e.model = p_model and e.content_hash collate "C" = h and e.packed is not null
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
    where l.space = p_space and l.slug > p_lacking_after and not exists (
      select from public.lesson_embeddings e
      where e.space = l.space and e.slug = l.slug and e.model = p_model and e.content_hash = l.embedded_hash
        and e.packed is not null)
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

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
do $$
declare
  f regprocedure;
begin
  for f in
    select p.oid from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname in ('put_embeddings', 'pull_embeddings')
  loop
    execute format('revoke all on function %s from public, anon', f);
    execute format('grant execute on function %s to authenticated', f);
  end loop;
end $$;
