-- Nearest in meaning, for spaces that no isolate holds: exact up to some ten thousand lessons, by an index of the space above.
--
-- What is compared lies together and small: of a vector its signs (48 bytes, compared by their differing bits) and 384
-- half-precision numbers. An index is that of one space alone, over signs; the best of it are compared again by the numbers. One
-- index over all spaces would have to be walked past every other tenant's lessons, and be paid for by spaces that need none.

set search_path = public, extensions;

create table if not exists lessonloop.vectors (
  space uuid not null,
  slug text not null,
  model text not null,
  near halfvec(384) not null,
  live boolean not null,
  approved boolean not null,
  domain text not null,
  category text not null,
  primary key (space, model, slug),
  foreign key (space, slug) references public.lessons (space, slug) on delete cascade
);

-- Lessons of a space that have a vector of their text.
create table if not exists lessonloop.vector_counts (
  space uuid not null references public.spaces (id) on delete cascade,
  model text not null,
  lessons bigint not null,
  primary key (space, model)
) with (fillfactor = 50);

-- Spaces that have an index of their own, in a table of their own.
create table if not exists lessonloop.near_indexes (
  space uuid primary key references public.spaces (id) on delete cascade,
  model text not null,
  relation text not null,
  built_at timestamptz not null default now()
);

alter table lessonloop.vectors enable row level security;
alter table lessonloop.vector_counts enable row level security;
alter table lessonloop.near_indexes enable row level security;

-- A space of more lessons with vectors than this ought to have an index.
create or replace function lessonloop.exact_up_to() returns bigint language sql immutable return 50000;

create or replace function lessonloop.as_half(p_packed bytea, p_numbers vector) returns halfvec
language sql immutable
return case when p_packed is null then l2_normalize(p_numbers)::halfvec(384) else lessonloop.unpacked(p_packed)::halfvec(384) end;

-- pgvector's operators, wherever its schema is. Both are put in place of their calls, so that an index serves them.
create or replace function lessonloop.distance(a halfvec, b halfvec) returns double precision
language sql immutable parallel safe
return a <=> b;

create or replace function lessonloop.differing(a bit, b bit) returns double precision
language sql immutable parallel safe
return a <~> b;

create or replace function lessonloop.signs(p_near halfvec) returns bit
language sql immutable parallel safe
return binary_quantize(p_near)::bit(384);

-- The vectors of some lessons as they ought to be, from what is stored of their texts.
create or replace function lessonloop.put_near(p_space uuid, p_slugs text[]) returns void
language plpgsql set search_path = '' as $$
begin
  delete from lessonloop.vectors v
  where v.space = p_space and v.slug = any (p_slugs) and not exists (
    select from public.lesson_embeddings e join public.lessons l on l.space = e.space and l.slug = e.slug
    where e.space = v.space and e.slug = v.slug and e.model = v.model and l.embedded_hash = e.content_hash);
  insert into lessonloop.vectors as v (space, slug, model, near, live, approved, domain, category)
  select e.space, e.slug, e.model, lessonloop.as_half(e.packed, e.embedding),
    not l.archived and l.trust <> 'quarantined', l.trust = 'approved', lower(btrim(l.domain)), l.category
  from public.lesson_embeddings e join public.lessons l on l.space = e.space and l.slug = e.slug and l.embedded_hash = e.content_hash
  where e.space = p_space and e.slug = any (p_slugs)
  order by e.model, e.slug
  on conflict (space, model, slug) do update
    set near = excluded.near, live = excluded.live, approved = excluded.approved, domain = excluded.domain, category = excluded.category;
end $$;

create or replace function lessonloop.embeddings_put() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  s uuid;
begin
  for s in select distinct a.space from put a loop
    perform lessonloop.put_near(s, array(select distinct a.slug from put a where a.space = s));
  end loop;
  return null;
end $$;

create or replace function lessonloop.embeddings_gone() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  s uuid;
begin
  -- Of a lesson that goes, what is kept beside it goes by itself.
  for s in select distinct g.space from gone g join public.spaces p on p.id = g.space loop
    perform lessonloop.put_near(s, array(
      select distinct g.slug from gone g join public.lessons l on l.space = g.space and l.slug = g.slug where g.space = s));
  end loop;
  return null;
end $$;

-- A lesson with another text has the vector of that text, if there is one, or none.
create or replace function lessonloop.vectors_follow() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.embedded_hash is distinct from new.embedded_hash then
    perform lessonloop.put_near(new.space, array[new.slug]);
  end if;
  update lessonloop.vectors v set
    live = not new.archived and new.trust <> 'quarantined', approved = new.trust = 'approved',
    domain = lower(btrim(new.domain)), category = new.category
  where v.space = new.space and v.slug = new.slug
    and (v.live, v.approved, v.domain, v.category) is distinct from
      (not new.archived and new.trust <> 'quarantined', new.trust = 'approved', lower(btrim(new.domain)), new.category);
  return null;
end $$;

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

create or replace trigger embeddings_added after insert on public.lesson_embeddings referencing new table as put
for each statement execute function lessonloop.embeddings_put();
create or replace trigger embeddings_changed after update on public.lesson_embeddings referencing new table as put
for each statement execute function lessonloop.embeddings_put();
create or replace trigger embeddings_gone after delete on public.lesson_embeddings referencing old table as gone
for each statement execute function lessonloop.embeddings_gone();
create or replace trigger vectors_follow
after update of embedded_hash, archived, trust, domain, category on public.lessons
for each row execute function lessonloop.vectors_follow();

create or replace trigger vectors_added after insert on lessonloop.vectors referencing new table as changed
for each statement execute function lessonloop.vectors_counted();
create or replace trigger vectors_gone after delete on lessonloop.vectors referencing old table as changed
for each statement execute function lessonloop.vectors_counted();

-- The index of a space follows each change of its vectors.
create or replace function lessonloop.near_follows() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  held lessonloop.near_indexes;
  s uuid;
  m text;
begin
  for s, m in select distinct c.space, c.model from changed c loop
    select * into held from lessonloop.near_indexes n where n.space = s and n.model = m;
    continue when not found;
    if tg_op = 'DELETE' then
      -- pgvector keeps deleted places until the next vacuum; a search passes over them.
      execute format('delete from lessonloop.%I x using (select slug from changed where space = $1 and model = $2) c where x.slug = c.slug', held.relation)
      using s, m;
    else
      execute format(
        'insert into lessonloop.%1$I as x (slug, signs, live, approved, domain, category)
         select c.slug, lessonloop.signs(c.near), c.live, c.approved, c.domain, c.category from changed c where c.space = $1 and c.model = $2
         on conflict (slug) do update set signs = excluded.signs, live = excluded.live, approved = excluded.approved,
           domain = excluded.domain, category = excluded.category', held.relation)
      using s, m;
    end if;
  end loop;
  return null;
end $$;
create or replace trigger near_added after insert on lessonloop.vectors referencing new table as changed
for each statement execute function lessonloop.near_follows();
create or replace trigger near_changed after update on lessonloop.vectors referencing new table as changed
for each statement execute function lessonloop.near_follows();
create or replace trigger near_gone after delete on lessonloop.vectors referencing old table as changed
for each statement execute function lessonloop.near_follows();

-- A space that goes takes its index along.
create or replace function lessonloop.drop_near() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  execute format('drop table if exists lessonloop.%I', old.relation);
  return null;
end $$;
create or replace trigger drop_near after delete on lessonloop.near_indexes for each row execute function lessonloop.drop_near();

-- For the operator, or pg_cron: makes the index of a space, anew where it has one. Nobody waits for it: it is built in a table of its own
-- from what is there when it begins, and takes over with what came meanwhile, under the lock of the space for that moment
-- alone. It can't be interrupted half-way: it is there whole, or not at all. Answers are exact meanwhile, and slower.
create or replace function lessonloop.index_space(p_space uuid) returns jsonb
language plpgsql volatile security invoker set search_path = '' as $$
declare
  began constant timestamptz := clock_timestamp();
  held lessonloop.near_indexes;
  name constant text := 'near_' || substr(md5(random()::text || clock_timestamp()::text), 1, 16);
  of_model text;
  indexed bigint;
  late bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('lessonloop.index_space ' || p_space::text, 0));
  select s.embedding_model into of_model from public.spaces s where s.id = p_space;
  if of_model is null then
    return jsonb_build_object('indexed', 0, 'why', 'there is no such space, or it has no vectors yet');
  end if;
  select * into held from lessonloop.near_indexes n where n.space = p_space;
  execute format(
    'create table lessonloop.%I (slug text not null, signs bit(384) not null, live boolean not null, approved boolean not null,
       domain text not null, category text not null)', name);
  -- Whoever calls this: the functions that read and follow it run as the owner of what they read.
  execute format('alter table lessonloop.%I owner to %I', name, (
    select c.relowner::regrole::text from pg_catalog.pg_class c where c.oid = 'lessonloop.vectors'::regclass));
  execute format('alter table lessonloop.%I enable row level security', name);
  execute format('revoke all on table lessonloop.%I from public, anon, authenticated', name);
  execute format(
    'insert into lessonloop.%I select v.slug, lessonloop.signs(v.near), v.live, v.approved, v.domain, v.category
     from lessonloop.vectors v where v.space = $1 and v.model = $2', name) using p_space, of_model;
  get diagnostics indexed = row_count;
  execute format('alter table lessonloop.%I add primary key (slug)', name);
  execute format('create index on lessonloop.%I using hnsw (signs %s.bit_hamming_ops) with (m = 16, ef_construction = 64)', name,
    (select quote_ident(n.nspname) from pg_catalog.pg_opclass o join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
     where o.opcname = 'bit_hamming_ops' limit 1));
  execute format('analyze lessonloop.%I', name);
  -- What came meanwhile. Who writes waits from here on, for as long as this takes.
  perform from public.spaces s where s.id = p_space for no key update;
  execute format(
    'delete from lessonloop.%I x where not exists (
       select from lessonloop.vectors v where v.space = $1 and v.model = $2 and v.slug = x.slug)', name) using p_space, of_model;
  execute format(
    'insert into lessonloop.%1$I as x
     select v.slug, lessonloop.signs(v.near), v.live, v.approved, v.domain, v.category from lessonloop.vectors v
     left join lessonloop.%1$I i on i.slug = v.slug
     where v.space = $1 and v.model = $2 and (i.slug is null
       or (i.signs, i.live, i.approved, i.domain, i.category) is distinct from (lessonloop.signs(v.near), v.live, v.approved, v.domain, v.category))
     on conflict (slug) do update set signs = excluded.signs, live = excluded.live, approved = excluded.approved,
       domain = excluded.domain, category = excluded.category', name) using p_space, of_model;
  get diagnostics late = row_count;
  delete from lessonloop.near_indexes n where n.space = p_space;
  insert into lessonloop.near_indexes (space, model, relation) values (p_space, of_model, name);
  return jsonb_build_object('indexed', indexed, 'late', late, 'model', of_model,
    'seconds', round(extract(epoch from clock_timestamp() - began)::numeric, 1));
end $$;

-- For the operator, or pg_cron: makes the indexes that are due, one in each call of the loop's body; how many it made.
create or replace function lessonloop.index_due_spaces() returns bigint
language plpgsql volatile security invoker set search_path = '' as $$
declare
  s uuid;
  made bigint := 0;
begin
  for s in
    select p.id from public.spaces p join lessonloop.vector_counts c on c.space = p.id and c.model = p.embedding_model
    where c.lessons > lessonloop.exact_up_to()
      and not exists (select from lessonloop.near_indexes n where n.space = p.id and n.model = p.embedding_model)
  loop
    perform lessonloop.index_space(s);
    made := made + 1;
  end loop;
  return made;
end $$;

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
  looked := least(greatest(p_most * 3, 200), 1000);
  -- Lessons that a filter leaves out don't count: the index is walked until there are enough, or it has seen 20,000.
  perform set_config('hnsw.ef_search', looked::text, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);
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

create or replace function lessonloop.cosine_of(a vector, b vector) returns double precision
language sql immutable parallel safe
return 1 - (a <=> b);

-- The slugs that the space's index gives for a vector; null where there is no index, or the caller may not see the space.
create or replace function lessonloop.indexed_nearest(p_space uuid, p_near vector, p_most integer) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  of_model text;
begin
  if not lessonloop.may_use(p_space) then
    return null;
  end if;
  select n.model into of_model from lessonloop.near_indexes n join public.spaces s on s.id = n.space and s.embedding_model = n.model
  where n.space = p_space;
  if not found then
    return null;
  end if;
  return array(select n.slug from lessonloop.nearest(p_space, of_model, lessonloop.as_half(null, p_near), p_most) n);
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
language plpgsql stable security invoker set search_path = '' as $$
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

-- Vectors from before.
do $$
declare
  s uuid;
begin
  for s in select distinct e.space from public.lesson_embeddings e
    where not exists (select from lessonloop.vectors v where v.space = e.space and v.slug = e.slug and v.model = e.model)
  loop
    perform lessonloop.put_near(s, array(select distinct e.slug from public.lesson_embeddings e where e.space = s));
  end loop;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function lessonloop.cosine_of(vector, vector), lessonloop.indexed_nearest(uuid, vector, integer) to authenticated;
revoke all on table lessonloop.vectors, lessonloop.vector_counts, lessonloop.near_indexes from public, anon, authenticated;

reset search_path;
