-- Vectors: storing them, and searching by meaning.

set search_path = public, extensions;

-- pgvector's types and operators are looked up here and now, wherever its schema is: the bodies below are stored parsed.
create or replace function lessonloop.as_vector(p_text text) returns vector
language sql immutable
return p_text::vector(384);

-- Stores vectors of one model: rows are {"slug", "content_hash", "embedding": [384 numbers]}. A vector of a text that the
-- lesson no longer has is left out and named in `stale`, as is one of a lesson that is not there in `unknown`.
create or replace function public.put_embeddings(p_space uuid, p_model text, p_rows jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  r jsonb;
  place integer := 0;
  stored integer := 0;
  stale jsonb := '[]';
  unknown jsonb := '[]';
  current text;
begin
  if not exists (select from public.members m where m.space = p_space and m.user_id = auth.uid()) then
    perform lessonloop.no_space();
  end if;
  if p_model is null or char_length(p_model) not between 1 and 200 then
    raise exception using errcode = 'PT400', message = 'p_model has to have 1 to 200 characters';
  end if;
  if jsonb_typeof(p_rows) is distinct from 'array' then
    raise exception using errcode = 'PT400', message = 'p_rows has to be a list';
  end if;
  if jsonb_array_length(p_rows) > 1000 then
    raise exception using errcode = 'PT413', message = 'at most 1000 vectors are taken at once', hint = 'send fewer';
  end if;
  perform from public.spaces s where s.id = p_space for update;
  for r in select * from jsonb_array_elements(p_rows) loop
    place := place + 1;
    if jsonb_typeof(r -> 'slug') is distinct from 'string' or jsonb_typeof(r -> 'content_hash') is distinct from 'string'
        or jsonb_typeof(r -> 'embedding') is distinct from 'array' then
      raise exception using errcode = 'PT400', message = format('row %s needs slug, content_hash and embedding', place);
    end if;
    if jsonb_array_length(r -> 'embedding') <> 384
        or exists (select from jsonb_array_elements(r -> 'embedding') x where jsonb_typeof(x) <> 'number' or abs(x::numeric) > 1e30)
        or not exists (select from jsonb_array_elements(r -> 'embedding') x where abs(x::numeric) > 1e-30) then
      raise exception using errcode = 'PT400', message = format('row %s: embedding has to be 384 numbers, not all 0', place);
    end if;
    select l.embedded_hash into current from public.lessons l where l.space = p_space and l.slug = r ->> 'slug';
    if not found then
      unknown := unknown || (r -> 'slug');
    elsif current <> r ->> 'content_hash' then
      stale := stale || (r -> 'slug');
    else
      insert into public.lesson_embeddings (space, slug, model, content_hash, embedding)
      values (p_space, r ->> 'slug', p_model, r ->> 'content_hash', lessonloop.as_vector((r -> 'embedding')::text))
      on conflict (space, slug, model) do update set content_hash = excluded.content_hash, embedding = excluded.embedding;
      stored := stored + 1;
    end if;
  end loop;
  if stored > 0 then
    update public.spaces s set embedding_model = p_model where s.id = p_space and s.embedding_model is distinct from p_model;
  end if;
  return jsonb_build_object('stored', stored, 'stale', stale, 'unknown', unknown);
end $$;

-- The lessons nearest in meaning, best first, slugs in order where equal: an exact scan of the space. Archived and
-- quarantined lessons are left out, and those whose vector is of an older text.
create or replace function public.match_lessons(
  query_embedding vector(384), match_team_id uuid, match_threshold double precision default 0.3, match_count integer default 10)
returns table (
  slug text, title text, description text, context text, recommendation text, category text, domain text,
  project_types text[], tech_stacks text[], tags text[], confidence double precision, effectiveness double precision,
  times_applied bigint, success_count bigint, proven_effective boolean, trust text, rev bigint,
  updated_at timestamptz, similarity double precision)
language sql stable security invoker set search_path = ''
begin atomic
  select
    l.slug, l.title, l.description, l.context, l.recommendation, l.category, l.domain, l.project_types, l.tech_stacks,
    l.tags, l.confidence, l.effectiveness, l.times_applied, l.success_count, l.proven_effective, l.trust, l.rev,
    l.updated_at, 1 - (e.embedding <=> query_embedding) as similarity
  from public.spaces s
  join public.lesson_embeddings e on e.space = s.id and e.model = s.embedding_model
  join public.lessons l on l.space = e.space and l.slug = e.slug and l.embedded_hash = e.content_hash
  where s.id = match_team_id and not l.archived and l.trust <> 'quarantined'
    and 1 - (e.embedding <=> query_embedding) >= match_threshold
  order by e.embedding <=> query_embedding, l.slug collate "C"
  limit least(greatest(match_count, 0), 1000);
end;

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
do $$
declare
  f regprocedure;
begin
  for f in
    select p.oid from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname in ('put_embeddings', 'match_lessons')
  loop
    execute format('revoke all on function %s from public, anon', f);
    execute format('grant execute on function %s to authenticated', f);
  end loop;
end $$;
