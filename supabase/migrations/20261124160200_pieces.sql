-- Work on a large space in pieces that each end within a statement's time limit: deleting it, catching up what is derived from its
-- lessons, and building its index. Each function is called again until it says that it is done; one that is cut off leaves what
-- it had done before.

set search_path = public, extensions;

-- Spaces that were deleted, of which rows are left. Nobody sees them or writes to them any more.
create table if not exists lessonloop.leaving (
  space uuid primary key references public.spaces (id) on delete cascade,
  user_id uuid not null,
  code_hash bytea not null,
  begun_at timestamptz not null default now()
);

-- How far `catch_up` has come; a row less has it look through all lessons again.
create table if not exists lessonloop.caught_up (
  what text primary key,
  space uuid,
  slug text not null default '',
  done boolean not null default false
);

-- Indexes that are being built in pieces. Changes are followed from the first piece on.
create table if not exists lessonloop.near_building (
  space uuid primary key references public.spaces (id) on delete cascade,
  model text not null,
  relation text not null,
  -- The last slug that is in it.
  after text not null default '',
  indexed bigint not null default 0
);

alter table lessonloop.leaving enable row level security;
alter table lessonloop.caught_up enable row level security;
alter table lessonloop.near_building enable row level security;

-- An event that goes takes these along, and is looked for by its version.
create index if not exists lesson_events_version on public.lesson_events (space, version);

create or replace function lessonloop.is_leaving(p_space uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from lessonloop.leaving g where g.space = p_space)
$$;

-- See 20261122090600_edge.sql. Members of a space that is leaving are gone already; an edge's token may be a few minutes old.
create or replace function lessonloop.my_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select j from lessonloop.joined_spaces() j
  union all
  select s.id from public.spaces s where s.id = lessonloop.edge_space() and not lessonloop.is_leaving(s.id)
$$;

-- See 20261124120000_words.sql and 20261124120100_near.sql: of a space that is leaving, nothing is counted on.
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

create or replace function lessonloop.embeddings_gone() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  s uuid;
begin
  -- Of a lesson that goes, what is kept beside it goes by itself.
  for s in select distinct g.space from gone g join public.spaces p on p.id = g.space where not lessonloop.is_leaving(g.space) loop
    perform lessonloop.put_near(s, array(
      select distinct g.slug from gone g join public.lessons l on l.space = g.space and l.slug = g.slug where g.space = s));
  end loop;
  return null;
end $$;

-- Deletes rows of a space that is leaving, for some seconds; whether it is gone.
create or replace function lessonloop.sweep(p_space uuid, p_seconds double precision default 2) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  at_once constant integer := 500;
  t text;
  gone bigint;
begin
  if not lessonloop.is_leaving(p_space) then
    return true;
  end if;
  delete from lessonloop.near_building b where b.space = p_space;
  delete from lessonloop.near_indexes n where n.space = p_space;
  -- Counts before what is counted, and what refers before what it refers to.
  foreach t in array array[
    'lessonloop.word_counts', 'lessonloop.vector_counts', 'lessonloop.lesson_words', 'lessonloop.vectors', 'public.lesson_embeddings',
    'public.recommendations', 'public.decisions', 'public.retrievals', 'public.lesson_events', 'public.feedback_times',
    'public.tool_successes', 'public.rejected_events', 'public.events', 'public.lessons', 'public.activity', 'public.actors']
  loop
    loop
      execute format('delete from %s x where x.ctid = any (array(select y.ctid from %s y where y.space = $1 limit $2))', t, t)
      using p_space, at_once;
      get diagnostics gone = row_count;
      exit when gone < at_once;
      if clock_timestamp() > until then
        return false;
      end if;
    end loop;
  end loop;
  delete from public.spaces s where s.id = p_space;
  return true;
end $$;

-- See 20261124140000_members.sql. The second step, with the code, takes the space from everybody at once and deletes rows for two
-- seconds: {"deleted": true}, with "more": true while rows are left. It is called again in the same way until there are none;
-- what nobody calls for is left to `lessonloop.catch_up`.
create or replace function public.delete_space(p_space uuid, p_name text, p_code text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  minutes constant interval := interval '10 minutes';
  called text;
  code text;
begin
  if lessonloop.is_edge() then
    raise exception using errcode = 'PT403', message = 'an edge can''t delete a space',
      hint = 'sign in as the owner of the space';
  end if;
  if exists (select from lessonloop.leaving g
      where g.space = p_space and g.user_id = auth.uid() and g.code_hash = sha256(convert_to(coalesce(p_code, ''), 'UTF8'))) then
    return case when lessonloop.sweep(p_space) then '{"deleted": true}' else '{"deleted": true, "more": true}' end::jsonb;
  end if;
  -- The lock of a push: nothing comes in between.
  select s.name into called from public.spaces s
  where s.id = p_space and exists (select from public.members m where m.space = s.id and m.user_id = auth.uid()) for update;
  if not found then
    perform lessonloop.no_space();
  end if;
  if not lessonloop.is_owner(p_space) then
    raise exception using errcode = 'PT403', message = 'only an owner of the space may delete it',
      detail = 'p_space', hint = 'ask the owner, or sign out to remove the lessons from this browser alone';
  end if;
  if p_name is distinct from called then
    raise exception using errcode = 'PT400', message = 'the name is not that of this space; type it as it is written',
      detail = 'p_name';
  end if;
  delete from lessonloop.deletions d where d.expires_at < now();
  if p_code is null then
    code := encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex');
    insert into lessonloop.deletions as d (space, user_id, code_hash, expires_at)
    values (p_space, auth.uid(), sha256(convert_to(code, 'UTF8')), now() + minutes)
    on conflict (space) do update
      set user_id = excluded.user_id, code_hash = excluded.code_hash, expires_at = excluded.expires_at;
    return jsonb_build_object(
      'deleted', false, 'code', code, 'expires_at', lessonloop.rfc3339(now() + minutes),
      'lessons', (select count(*) from public.lessons x where x.space = p_space),
      'events', (select count(*) from public.events x where x.space = p_space),
      'members', (select count(*) from public.members x where x.space = p_space),
      'agent_keys', (select count(*) from public.agent_keys x where x.space = p_space and x.revoked_at is null));
  end if;
  if not exists (select from lessonloop.deletions d
      where d.space = p_space and d.user_id = auth.uid() and d.code_hash = sha256(convert_to(p_code, 'UTF8'))) then
    raise exception using errcode = 'PT409', message = 'this code does not hold, or not any more: it does for ten minutes',
      detail = 'p_code', hint = 'call delete_space without p_code for another';
  end if;
  insert into lessonloop.leaving (space, user_id, code_hash) values (p_space, auth.uid(), sha256(convert_to(p_code, 'UTF8')));
  delete from public.members m where m.space = p_space;
  delete from public.agent_keys k where k.space = p_space;
  delete from lessonloop.invites i where i.space = p_space;
  delete from lessonloop.deletions d where d.space = p_space;
  return case when lessonloop.sweep(p_space) then '{"deleted": true}' else '{"deleted": true, "more": true}' end::jsonb;
end $$;

-- See 20261124120100_near.sql: the index of a space follows each change of its vectors, and so does one that is being built.
create or replace function lessonloop.near_follows() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  s uuid;
  m text;
  held text;
begin
  for s, m, held in
    select c.space, c.model, n.relation
    from (select distinct x.space, x.model from changed x) c
    join (
      select i.space, i.model, i.relation from lessonloop.near_indexes i
      union all select b.space, b.model, b.relation from lessonloop.near_building b) n on n.space = c.space and n.model = c.model
  loop
    if tg_op = 'DELETE' then
      -- pgvector keeps deleted places until the next vacuum; a search passes over them.
      execute format('delete from lessonloop.%I x using (select slug from changed where space = $1 and model = $2) c where x.slug = c.slug', held)
      using s, m;
    else
      execute format(
        'insert into lessonloop.%1$I as x (slug, signs, live, approved, domain, category)
         select c.slug, lessonloop.signs(c.near), c.live, c.approved, c.domain, c.category from changed c where c.space = $1 and c.model = $2
         on conflict (slug) do update set signs = excluded.signs, live = excluded.live, approved = excluded.approved,
           domain = excluded.domain, category = excluded.category', held)
      using s, m;
    end if;
  end loop;
  return null;
end $$;

-- The table of an index that is given up goes; that of one which has taken over stays.
create or replace function lessonloop.drop_building() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from lessonloop.near_indexes n where n.relation = old.relation) then
    execute format('drop table if exists lessonloop.%I', old.relation);
  end if;
  return null;
end $$;
create or replace trigger drop_building after delete on lessonloop.near_building for each row execute function lessonloop.drop_building();

-- Goes on building the index of a space for some seconds: {"done", "indexed"}. The first call makes an empty one, and waits for
-- those who are writing; from then on they fill it, too. The last puts it in force. Answers are exact until then, and slower.
create or replace function lessonloop.index_some(p_space uuid, p_seconds double precision default 2) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  at_once constant integer := 100;
  name constant text := 'near_' || substr(md5(random()::text || clock_timestamp()::text), 1, 16);
  held lessonloop.near_building;
  of_model text;
  done bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('lessonloop.index_space ' || p_space::text, 0)) then
    return jsonb_build_object('done', false, 'why', 'it is being built just now');
  end if;
  select s.embedding_model into of_model from public.spaces s where s.id = p_space;
  if of_model is null then
    return jsonb_build_object('done', true, 'indexed', 0, 'why', 'there is no such space, or it has no vectors yet');
  end if;
  -- Vectors of another model are searched by now.
  delete from lessonloop.near_building b where b.space = p_space and b.model <> of_model;
  select * into held from lessonloop.near_building b where b.space = p_space;
  if not found then
    perform from public.spaces s where s.id = p_space for no key update;
    execute format(
      'create table lessonloop.%I (slug text primary key, signs bit(384) not null, live boolean not null, approved boolean not null,
         domain text not null, category text not null)', name);
    execute format('alter table lessonloop.%I owner to %I', name, (
      select c.relowner::regrole::text from pg_catalog.pg_class c where c.oid = 'lessonloop.vectors'::regclass));
    execute format('alter table lessonloop.%I enable row level security', name);
    execute format('revoke all on table lessonloop.%I from public, anon, authenticated', name);
    execute format('create index on lessonloop.%I using hnsw (signs %s.bit_hamming_ops) with (m = 16, ef_construction = 64)', name,
      (select quote_ident(n.nspname) from pg_catalog.pg_opclass o join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
       where o.opcname = 'bit_hamming_ops' limit 1));
    insert into lessonloop.near_building (space, model, relation) values (p_space, of_model, name);
    return jsonb_build_object('done', false, 'indexed', 0);
  end if;
  loop
    -- Slugs that were written meanwhile are in it as they are now.
    execute format(
      'with batch as materialized (
         select v.slug, v.near, v.live, v.approved, v.domain, v.category from lessonloop.vectors v
         where v.space = $1 and v.model = $2 and v.slug > $3 order by v.slug limit $4
       ), put as (
         insert into lessonloop.%I as x select s.slug, lessonloop.signs(s.near), s.live, s.approved, s.domain, s.category from batch s
         on conflict (slug) do nothing)
       select count(*), coalesce(max(s.slug), $3) from batch s', held.relation)
    into done, held.after using p_space, of_model, held.after, at_once;
    held.indexed := held.indexed + done;
    exit when done < at_once or clock_timestamp() > until;
  end loop;
  if done = at_once then
    update lessonloop.near_building b set after = held.after, indexed = held.indexed where b.space = p_space;
    return jsonb_build_object('done', false, 'indexed', held.indexed);
  end if;
  execute format('analyze lessonloop.%I', held.relation);
  -- Nobody is in the middle of following the one before.
  perform from public.spaces s where s.id = p_space for no key update;
  delete from lessonloop.near_indexes n where n.space = p_space;
  insert into lessonloop.near_indexes (space, model, relation) values (p_space, of_model, held.relation);
  delete from lessonloop.near_building b where b.space = p_space;
  return jsonb_build_object('done', true, 'indexed', held.indexed, 'model', of_model);
end $$;

-- Words and vectors of lessons that have none beside them, as after rows were copied in with triggers off; for some seconds.
-- Whether all lessons were looked at.
create or replace function lessonloop.derive_some(p_seconds double precision default 2) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  at_once constant integer := 200;
  held lessonloop.caught_up;
  seen bigint;
  s uuid;
  batch text[];
begin
  insert into lessonloop.caught_up (what) values ('lessons') on conflict do nothing;
  select * into held from lessonloop.caught_up c where c.what = 'lessons' for update;
  while not held.done loop
    -- One space at a time: where this one has no more, the next.
    s := held.space;
    batch := array(
      select l.slug from public.lessons l where l.space = held.space and l.slug > held.slug order by l.slug limit at_once);
    if cardinality(batch) = 0 then
      select p.id into s from public.spaces p where held.space is null or p.id > held.space order by p.id limit 1;
      held.space := coalesce(s, held.space);
      held.slug := '';
      held.done := s is null;
    else
      -- The lock of a push: it counts words, too.
      perform from public.spaces p where p.id = s for no key update;
      with put as (
        insert into lessonloop.lesson_words (space, slug, terms, length, live, approved, domain, category)
        select l.space, l.slug, w.terms, lessonloop.term_count(w.terms), not l.archived and l.trust <> 'quarantined',
          l.trust = 'approved', lower(btrim(l.domain)), l.category
        from public.lessons l cross join lateral (select lessonloop.terms_of(l) as terms) w
        where l.space = s and l.slug = any (batch)
          and not exists (select from lessonloop.lesson_words x where x.space = l.space and x.slug = l.slug)
        on conflict (space, slug) do nothing
        returning terms
      )
      insert into lessonloop.word_counts as c (space, word, lessons)
      select s, t.word, count(*) from put p cross join lateral unnest(tsvector_to_array(p.terms)) as t (word)
      group by t.word order by t.word collate "C"
      on conflict (space, word) do update set lessons = c.lessons + excluded.lessons;
      perform lessonloop.put_near(s, array(
        select distinct e.slug from public.lesson_embeddings e
        join public.lessons l on l.space = e.space and l.slug = e.slug and l.embedded_hash = e.content_hash
        where e.space = s and e.slug = any (batch)
          and not exists (select from lessonloop.vectors v where v.space = e.space and v.model = e.model and v.slug = e.slug)));
      held.slug := batch[cardinality(batch)];
    end if;
    exit when clock_timestamp() > until;
  end loop;
  update lessonloop.caught_up c set space = held.space, slug = held.slug, done = held.done where c.what = 'lessons';
  return held.done;
end $$;

-- For the operator, or pg_cron: does what waits, for some seconds: rows of deleted spaces, words and vectors that are missing, indexes
-- that are due. {"done": whether nothing waits, "doing": what it did last}. Called until it is done.
create or replace function lessonloop.catch_up(p_seconds double precision default 4) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  until constant timestamptz := clock_timestamp() + p_seconds * interval '1 second';
  piece constant double precision := least(p_seconds, 2);
  s uuid;
  told jsonb;
begin
  for s in select g.space from lessonloop.leaving g order by g.begun_at loop
    if not lessonloop.sweep(s, piece) or clock_timestamp() > until then
      return jsonb_build_object('done', false, 'doing', 'deleting a space');
    end if;
  end loop;
  if not lessonloop.derive_some(piece) or clock_timestamp() > until then
    return jsonb_build_object('done', false, 'doing', 'words and vectors');
  end if;
  for s in
    select b.space from lessonloop.near_building b
    union
    select p.id from public.spaces p join lessonloop.vector_counts c on c.space = p.id and c.model = p.embedding_model
    where c.lessons > lessonloop.exact_up_to()
      and not exists (select from lessonloop.near_indexes n where n.space = p.id and n.model = p.embedding_model)
  loop
    told := lessonloop.index_some(s, piece);
    if not (told ->> 'done')::boolean or clock_timestamp() > until then
      return jsonb_build_object('done', false, 'doing', 'an index', 'space', s, 'indexed', told -> 'indexed');
    end if;
  end loop;
  return '{"done": true}';
end $$;

reset search_path;

revoke all on all functions in schema lessonloop from public, anon;
revoke all on table lessonloop.leaving, lessonloop.caught_up, lessonloop.near_building from public, anon, authenticated;
grant execute on function lessonloop.my_spaces() to authenticated;
revoke all on function public.delete_space(uuid, text, text) from public, anon;
grant execute on function public.delete_space(uuid, text, text) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
