-- Upkeep, for the operator or pg_cron, in pieces that each end within a statement's time limit: deleting spaces, deriving words and
-- vectors that are missing, and building indexes. Each function is called again until it says that it is done; one that is cut off
-- leaves what it had done before.

do $$ begin perform lessonloop.schema_version(); end $$;

-- For the operator: after a restore from a backup, `select lessonloop.new_epoch();`. Replicas then read all rows again
-- and send again what the backup did not have.
create or replace function lessonloop.new_epoch() returns bigint
language sql security invoker set search_path = '' as $$
  with changed as (update public.spaces set epoch = gen_random_uuid()::text returning 1)
  select count(*) from changed
$$;

-- For the operator, or pg_cron: makes the indexes that are due, one in each call of the loop's body; how many it made.
create or replace function lessonloop.index_due_spaces() returns bigint
language plpgsql volatile security invoker set search_path = '' as $$
declare
  s uuid;
  made bigint := 0;
begin
  for s in select p.id from public.spaces p where lessonloop.near_state(p.id, p.embedding_model) = 'due' loop
    perform lessonloop.index_space(s);
    made := made + 1;
  end loop;
  return made;
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
    select p.id from public.spaces p where lessonloop.near_state(p.id, p.embedding_model) = 'due'
  loop
    told := lessonloop.index_some(s, piece);
    if not (told ->> 'done')::boolean or clock_timestamp() > until then
      return jsonb_build_object('done', false, 'doing', 'an index', 'space', s, 'indexed', told -> 'indexed');
    end if;
  end loop;
  return '{"done": true}';
end $$;

revoke all on all functions in schema lessonloop from public, anon;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
