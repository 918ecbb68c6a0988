-- Tables of Lessonloop, and who may see which rows.
--
-- Every file here can be run again, over a database with data: it adds what is missing and keeps what is there.
-- What events derive is written by functions only; nobody has a grant to write it directly.

create schema if not exists lessonloop;
comment on schema lessonloop is 'Internals of Lessonloop. Not exposed over REST.';

-- pgvector is the only extension. Hosted Supabase keeps extensions in a schema of their own.
do $$
begin
  if to_regnamespace('extensions') is not null then
    create extension if not exists vector with schema extensions;
  else
    create extension if not exists vector;
  end if;
end $$;

-- pgvector may lie in either schema.
set search_path = public, extensions;

-- A tenant. `version` counts changed rows, under this row's lock: what commits later has higher versions.
create table if not exists public.spaces (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 200),
  version bigint not null default 0,
  -- Changes when a backup is restored, so that replicas read everything again.
  epoch uuid not null default gen_random_uuid(),
  -- The model whose vectors are searched: that of the vectors stored last.
  embedding_model text,
  -- Tool records in force.
  tools integer not null default 0,
  created_at timestamptz not null default now()
);

create table if not exists public.members (
  space uuid not null references public.spaces (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  joined_at timestamptz not null default now(),
  primary key (space, user_id)
);
create index if not exists members_user on public.members (user_id);

-- Of a key only its SHA-256 is kept.
create table if not exists public.agent_keys (
  id uuid primary key default gen_random_uuid(),
  space uuid not null references public.spaces (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index if not exists agent_keys_space on public.agent_keys (space, created_at);

-- A device or agent. It belongs to the user who first pushed as it.
create table if not exists public.actors (
  space uuid not null references public.spaces (id) on delete cascade,
  id text not null check (char_length(id) between 1 and 200),
  user_id uuid,
  last_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (space, id)
);

-- The ledger. Append only.
create table if not exists public.events (
  space uuid not null references public.spaces (id) on delete cascade,
  -- Its place in the ledger.
  version bigint not null,
  op_id text not null,
  actor text not null,
  seq bigint not null,
  kind text not null,
  at timestamptz not null,
  -- json, not jsonb: the text as it was sent. jsonb would lose the sign of a zero.
  payload json not null,
  payload_hash bytea not null,
  received_at timestamptz not null default now(),
  primary key (space, version),
  unique (space, op_id),
  -- An actor is known within a space, so that nobody can take another tenant's.
  unique (space, actor, seq),
  foreign key (space, actor) references public.actors (space, id) on delete cascade
);

-- The outcomes of a decision.
create index if not exists events_outcomes on public.events (space, (payload #>> '{event,OutcomeRecorded,decision_id}'))
where kind = 'OutcomeRecorded';

-- Events that were set aside, with the reason.
create table if not exists public.rejected_events (
  space uuid not null references public.spaces (id) on delete cascade,
  actor text not null,
  seq bigint not null,
  op_id text,
  field text not null,
  reason text not null,
  payload json not null,
  payload_hash bytea not null,
  received_at timestamptz not null default now(),
  primary key (space, actor, seq),
  foreign key (space, actor) references public.actors (space, id) on delete cascade
);

-- Lessons: the fold of the ledger. Counts are unsigned 32-bit numbers in the core.
create table if not exists public.lessons (
  space uuid not null references public.spaces (id) on delete cascade,
  slug text not null,
  title text not null,
  description text not null,
  context text not null,
  recommendation text not null,
  category text not null,
  domain text not null,
  project_types text[] not null,
  tech_stacks text[] not null,
  tags text[] not null,
  confidence double precision not null,
  frequency bigint not null,
  upvotes bigint not null,
  downvotes bigint not null,
  times_surfaced bigint not null,
  times_helpful bigint not null,
  times_not_helpful bigint not null,
  effectiveness double precision not null,
  use_count bigint not null,
  causal_hits bigint not null,
  last_used_at timestamptz,
  last_feedback_at timestamptz,
  times_applied bigint not null,
  success_count bigint not null,
  consecutive_failures bigint not null,
  proven_effective boolean not null,
  qualified_at timestamptz,
  source text not null,
  trust text not null,
  findings text[] not null,
  archived boolean not null,
  merged_into text,
  rev bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- SHA-256 in hex of what a model embeds: the key of a vector.
  embedded_hash text not null,
  version bigint not null,
  primary key (space, slug)
);
create unique index if not exists lessons_version on public.lessons (space, version);

-- Re-embedding a lesson is never an edit of it.
create table if not exists public.lesson_embeddings (
  space uuid not null,
  slug text not null,
  model text not null check (char_length(model) between 1 and 200),
  content_hash text not null,
  embedding vector(384) not null,
  primary key (space, slug, model),
  foreign key (space, slug) references public.lessons (space, slug) on delete cascade
);

-- Which lessons each retrieval has been counted for.
create table if not exists public.retrievals (
  space uuid not null references public.spaces (id) on delete cascade,
  retrieval_id text not null,
  lesson text not null,
  primary key (space, retrieval_id, lesson)
);

create table if not exists public.decisions (
  space uuid not null references public.spaces (id) on delete cascade,
  decision_id text not null,
  outcome text,
  pnl_percent double precision,
  primary key (space, decision_id)
);

-- That a lesson was recommended for a decision, and what became of it.
create table if not exists public.recommendations (
  space uuid not null,
  decision_id text not null,
  -- Order of recommendation within the decision, from 1.
  position integer not null,
  lesson text not null,
  domain text not null,
  relevance_score double precision not null,
  was_presented boolean not null,
  was_applied boolean not null,
  match_type text not null,
  confidence double precision not null,
  agent_quote text,
  trade_outcome text,
  pnl_percent double precision,
  contributed_to_success boolean not null,
  settled boolean not null,
  at timestamptz not null,
  version bigint not null,
  primary key (space, decision_id, lesson),
  foreign key (space, decision_id) references public.decisions (space, decision_id) on delete cascade
);
create unique index if not exists recommendations_version on public.recommendations (space, version);

-- Which tool server worked for which request.
create table if not exists public.tool_successes (
  space uuid not null references public.spaces (id) on delete cascade,
  query_hash text not null,
  query text not null,
  server text not null,
  at timestamptz not null,
  -- Order of arrival.
  position bigint not null,
  -- Fell out of the book when it grew too large; kept, so that replicas learn of it.
  dropped boolean not null default false,
  version bigint not null,
  primary key (space, query_hash)
);
create unique index if not exists tool_successes_version on public.tool_successes (space, version);
create index if not exists tool_successes_age on public.tool_successes (space, at, query_hash collate "C") where not dropped;

-- Events per UTC day.
create table if not exists public.activity (
  space uuid not null references public.spaces (id) on delete cascade,
  day date not null,
  events bigint not null,
  primary key (space, day)
);

-- Times of feedback, in the ledger's order.
create table if not exists public.feedback_times (
  space uuid not null references public.spaces (id) on delete cascade,
  version bigint not null,
  at timestamptz not null,
  primary key (space, version)
);

-- Which events moved or saw a lesson.
create table if not exists public.lesson_events (
  space uuid not null,
  slug text not null,
  version bigint not null,
  primary key (space, slug, version),
  foreign key (space, version) references public.events (space, version) on delete cascade
);

-- The caller's spaces. It runs as the owner, because a policy on `members` can't read `members`.
create or replace function lessonloop.my_spaces() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.space from public.members m where m.user_id = (select auth.uid())
$$;

-- Rows are seen by members of their space, and written by nobody: the functions that write run as the owner.
do $$
declare
  t text;
begin
  foreach t in array array[
    'spaces', 'members', 'agent_keys', 'actors', 'events', 'rejected_events', 'lessons', 'lesson_embeddings',
    'retrievals', 'decisions', 'recommendations', 'tool_successes', 'activity', 'feedback_times', 'lesson_events']
  loop
    execute format('alter table public.%I enable row level security', t);
    execute format('revoke all on table public.%I from public, anon, authenticated', t);
    execute format('drop policy if exists members_read on public.%I', t);
    execute format(
      'create policy members_read on public.%I for select to authenticated using (%I in (select lessonloop.my_spaces()))',
      t, case t when 'spaces' then 'id' else 'space' end);
    if t <> 'agent_keys' then
      execute format('grant select on table public.%I to authenticated', t);
    end if;
  end loop;
end $$;
-- All but the hash.
grant select (id, space, name, created_at, last_used_at, revoked_at) on public.agent_keys to authenticated;

revoke all on schema lessonloop from public, anon;
grant usage on schema lessonloop to authenticated;

-- For the operator: after a restore from a backup, `select lessonloop.new_epoch();`. Replicas then read all rows again
-- and send again what the backup did not have.
create or replace function lessonloop.new_epoch() returns bigint
language sql security invoker set search_path = '' as $$
  with changed as (update public.spaces set epoch = gen_random_uuid() returning 1)
  select count(*) from changed
$$;

revoke all on all functions in schema lessonloop from public, anon;
grant execute on function lessonloop.my_spaces() to authenticated;

reset search_path;
