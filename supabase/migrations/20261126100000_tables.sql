-- Tables of Lessonloop, and what is derived from them beside them.
--
-- The files of this folder are one schema, of the version that `lessonloop.schema_version()` tells. Each may be applied again, over a
-- database of the same version with data: it adds what is missing and keeps what is there. What events derive is written by
-- functions only; nobody has a grant to write it directly.

-- First of all, before anything is changed: a database of another schema is refused. The other files begin by asking for the version,
-- and end there where this one was refused, or was not applied.
do $$
declare
  version constant integer := 1;
  found integer;
  stranger text;
begin
  if to_regprocedure('lessonloop.schema_version()') is not null then
    execute 'select lessonloop.schema_version()' into found;
    if found <> version then
      raise exception using errcode = 'LL002',
        message = format('this database has version %s of the schema of Lessonloop, and these files are version %s', found, version),
        hint = 'apply the files of the release that matches the database, or begin with an empty database';
    end if;
  else
    select format('%I.%I', n.nspname, c.relname) into stranger
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and (n.nspname = 'lessonloop' or n.nspname = 'public' and c.relname in (
      'spaces', 'members', 'agent_keys', 'actors', 'events', 'rejected_events', 'lessons', 'lesson_embeddings', 'retrievals',
      'decisions', 'recommendations', 'tool_successes', 'activity', 'feedback_times', 'lesson_events', 'settings',
      'domain_bases'))
    order by n.nspname, c.relname limit 1;
    if stranger is null and to_regnamespace('lessonloop') is not null then
      stranger := 'the schema lessonloop';
    end if;
    if stranger is not null then
      raise exception using errcode = 'LL002',
        message = format('%s is in this database already: it is of Lessonloop 0.1.0-pre, which is not upgraded, or of another application; '
          'nothing was changed', stranger),
        hint = 'empty it or begin anew, with an empty database; nothing was released, so no release has data in the old tables';
    end if;
  end if;
end $$;

create schema if not exists lessonloop;
comment on schema lessonloop is 'Internals of Lessonloop. Not exposed over REST.';

-- The version of all files of this folder together. Apps and edges name the one that they need.
create or replace function lessonloop.schema_version() returns integer
language sql immutable as $$
  select 1
$$;

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

-- The stored numbers of a lesson.
do $$
begin
  if to_regtype('lessonloop.standing') is null then
    create type lessonloop.standing as (
      confidence float8, frequency bigint, upvotes bigint, downvotes bigint, times_surfaced bigint, times_helpful bigint,
      times_not_helpful bigint, effectiveness float8, use_count bigint, causal_hits bigint, last_used_at timestamptz,
      last_feedback_at timestamptz, times_applied bigint, success_count bigint, consecutive_failures bigint,
      trial_from bigint, proven_effective boolean, qualified_at timestamptz, lift_mean float8, lift_variance float8,
      lift_at timestamptz);
  end if;
end $$;

-- A tenant. `version` counts changed rows, under this row's lock: what commits later has higher versions.
create table if not exists public.spaces (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 200),
  version bigint not null default 0,
  -- Changes when a backup is restored, so that replicas read everything again and send what they have. What follows a `.` counts how
  -- often the space was folded anew: replicas read everything again, and send nothing twice.
  epoch text not null default gen_random_uuid()::text,
  -- The model whose vectors are searched: that of the vectors stored last.
  embedding_model text,
  -- Tool records in force.
  tools integer not null default 0,
  created_at timestamptz not null default now(),
  -- The first agents' keys that wrote, two at most, in the order in which they came,
  agents text[] not null default '{}',
  -- from which place in the ledger each of them counts,
  agents_from bigint[] not null default '{}',
  -- Voices that count for nothing, as the core has them: from when on, by voice;
  withdrawn jsonb not null default '{}',
  -- and the version of this row for replicas, apart from the others.
  agents_version bigint
);

-- An owner manages members and may delete the space; everybody else reads and writes its lessons. A name is what others
-- read in place of an account's id.
create table if not exists public.members (
  space uuid not null references public.spaces (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  joined_at timestamptz not null default now(),
  role text not null default 'member' check (role in ('owner', 'member')),
  name text check (char_length(name) between 1 and 100),
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
  -- Fields of the file that it came from which lessons lack: a JSON object as text, or empty.
  extra text not null default '',
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
  -- Times it had been applied when it last got another trial.
  trial_from bigint not null default 0,
  proven_effective boolean not null,
  qualified_at timestamptz,
  -- The belief about its lift: the mean, its variance, and when that last changed.
  lift_mean double precision not null default 0.03,
  lift_variance double precision not null default 0.0144,
  lift_at timestamptz,
  source text not null,
  trust text not null,
  findings text[] not null,
  archived boolean not null,
  merged_into text,
  rev bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When an edit last named what agents read: title, description, context or recommendation. What was measured before is of another
  -- text.
  text_at timestamptz,
  -- The voice that added it.
  "by" text not null default '',
  -- True if it is an agent's lesson that nobody known to be a person called approved.
  approved_by_agent boolean not null default false,
  -- The standing with what the lesson's own writer said of it, while that waits.
  pending_standing lessonloop.standing,
  -- By agent: the days, since 1970, on which its rating and its vote last counted.
  counted_on jsonb not null default '{}',
  -- Changes that wait for a person, as the core has them.
  proposals jsonb not null default '[]',
  -- SHA-256 in hex of what a model embeds: the key of a vector.
  embedded_hash text not null,
  version bigint not null,
  primary key (space, slug)
);

-- The indexes for what has changed since a version serve nothing else.
--
-- While a table has no statistics yet, as in a first sync, every index that begins with the space looks equally good: the
-- planner took one of these to find a single lesson, and read all of the space's for it. What is looked for by version
-- is never null, which the planner knows; of what is looked for by another key it does not, so it can't take these.
create unique index if not exists lessons_by_version on public.lessons (space, version) where version is not null;
-- Those that stand best, in order.
create index if not exists lessons_standing on public.lessons (space, proven_effective desc, confidence desc)
where not archived and trust <> 'quarantined';
-- The order of a list that nobody has asked another one of. The condition holds for every lesson, and keeps a planner without
-- statistics from looking one lesson up here, through all of its space.
create index if not exists lessons_newest on public.lessons (space, created_at desc, slug collate "C") where slug <> '';

-- Re-embedding a lesson is never an edit of it. A vector belongs to a text, by its hash; it has no version, as nobody pulls a lesson
-- again because of one.
create table if not exists public.lesson_embeddings (
  space uuid not null,
  slug text not null,
  model text not null check (char_length(model) between 1 and 200),
  content_hash text not null,
  embedding vector(384) not null,
  -- A vector as clients keep it: 384 signed bytes. Null where only numbers were given.
  packed bytea check (octet_length(packed) = 384),
  primary key (space, slug, model),
  foreign key (space, slug) references public.lessons (space, slug) on delete cascade
);
-- Serves the question for vectors by their text alone. Where spaces were small when the server last looked, the planner took it to find
-- the vector of one lesson, and read all of the space's for each. Its condition holds for every row, and only a question that names
-- it can take the index.
create index if not exists lesson_embeddings_text on public.lesson_embeddings (space, model, content_hash collate "C")
where content_hash collate "C" <> '';

-- Lessons that each retrieval has been counted for.
create table if not exists public.retrievals (
  space uuid not null references public.spaces (id) on delete cascade,
  retrieval_id text not null,
  lesson text not null,
  primary key (space, retrieval_id, lesson)
);

-- When a decision was: when lessons were first asked for, or its outcome was told.
create or replace function lessonloop.time_of(p_at timestamptz, p_outcome_at timestamptz) returns timestamptz
language sql immutable
return coalesce(p_at, p_outcome_at, '1970-01-01 00:00:00+00'::timestamptz);

-- Runs: an act of an agent in one situation, the agent, and the outcome.
create table if not exists public.decisions (
  space uuid not null references public.spaces (id) on delete cascade,
  decision_id text not null,
  -- The situation of the first recommendation.
  context jsonb not null
    default '{"decision_id": null, "query": null, "domain": null, "project_type": null, "tech_stack": [], "phase": null}',
  "by" text not null default '',
  -- Null while only the outcome is known.
  at timestamptz,
  -- The place in the ledger of the recommendation that made the decision: who asked is known from there.
  asked_at bigint,
  -- json, not jsonb: jsonb has no negative zero.
  measured json,
  outcome text,
  pnl_percent double precision,
  outcome_by text not null default '',
  outcome_at timestamptz,
  -- True if lifts have learned of it.
  taught boolean not null default false,
  -- As the core has them, in the ledger's order: one feedback from each giver, and one rating and one vote from each for
  -- a lesson.
  feedback jsonb not null default '[]',
  opinions jsonb not null default '[]',
  version bigint not null,
  primary key (space, decision_id)
);
create unique index if not exists decisions_by_version on public.decisions (space, version) where version is not null;
create index if not exists decisions_newest
on public.decisions (space, lessonloop.time_of(at, outcome_at) desc, decision_id collate "C") where decision_id <> '';

-- That a lesson was recommended for a decision, and what became of it.
create table if not exists public.recommendations (
  space uuid not null,
  decision_id text not null,
  -- Order of recommendation within the decision, from 1.
  position integer not null,
  lesson text not null,
  domain text not null,
  relevance_score double precision not null,
  -- Probability that the lesson was the right one; null where nothing was asked in words.
  likelihood double precision,
  was_presented boolean not null,
  was_applied boolean not null,
  match_type text not null,
  confidence double precision not null,
  agent_quote text,
  trade_outcome text,
  pnl_percent double precision,
  contributed_to_success boolean not null,
  settled boolean not null,
  -- True if the lesson's lift has learned of the decision.
  learned boolean not null default false,
  at timestamptz not null,
  version bigint not null,
  primary key (space, decision_id, lesson),
  foreign key (space, decision_id) references public.decisions (space, decision_id) on delete cascade
);
create unique index if not exists recommendations_by_version on public.recommendations (space, version) where version is not null;
-- Health asks for what became of the lessons that were applied.
create index if not exists recommendations_applied on public.recommendations (space) where was_applied;

-- Success rate of a domain's runs without any lesson, and the number of runs behind it.
create table if not exists public.domain_bases (
  space uuid not null references public.spaces (id) on delete cascade,
  -- Trimmed, in lower case; empty where none was said.
  domain text not null,
  rate double precision not null,
  variance double precision not null,
  runs bigint not null,
  successes bigint not null,
  version bigint not null,
  primary key (space, domain)
);
create unique index if not exists domain_bases_by_version on public.domain_bases (space, version) where version is not null;

-- Tool servers that worked, each with its request.
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
create unique index if not exists tool_successes_by_version on public.tool_successes (space, version) where version is not null;
create index if not exists tool_successes_age on public.tool_successes (space, at, query_hash collate "C") where not dropped;

-- Values that people of the space change, by any name, so that those of newer clients are kept.
create table if not exists public.settings (
  space uuid not null references public.spaces (id) on delete cascade,
  name text not null,
  -- json, not jsonb, for the sign of a zero. A value that was taken back is null and stays, so that replicas learn of it.
  value json not null,
  version bigint not null,
  primary key (space, name)
);
create unique index if not exists settings_by_version on public.settings (space, version) where version is not null;

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
create index if not exists feedback_times_at on public.feedback_times (space, at);

-- Events that moved or saw a lesson.
create table if not exists public.lesson_events (
  space uuid not null,
  slug text not null,
  version bigint not null,
  -- The lift that the event left the lesson with, of which its history tells the course; none where it did not move the lesson.
  lift_mean double precision,
  lift_variance double precision,
  lift_at timestamptz,
  primary key (space, slug, version),
  foreign key (space, version) references public.events (space, version) on delete cascade
);
-- An event that goes takes these along, and is looked for by its version.
create index if not exists lesson_events_version on public.lesson_events (space, version);

-- Codes that a deletion of a space asks for. Of a code only its SHA-256 is kept, one for each space.
create table if not exists lessonloop.deletions (
  space uuid primary key references public.spaces (id) on delete cascade,
  user_id uuid not null,
  code_hash bytea not null,
  expires_at timestamptz not null
);

-- Spaces that were deleted, of which rows are left. Nobody sees them or writes to them any more.
create table if not exists lessonloop.leaving (
  space uuid primary key references public.spaces (id) on delete cascade,
  user_id uuid not null,
  code_hash bytea not null,
  begun_at timestamptz not null default now()
);

-- Invitations. Of a code only its SHA-256 is kept. One that was used or revoked is gone.
create table if not exists lessonloop.invites (
  id uuid primary key default gen_random_uuid(),
  space uuid not null references public.spaces (id) on delete cascade,
  role text not null check (role in ('owner', 'member')),
  name text not null check (char_length(name) between 1 and 100),
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index if not exists invites_space on lessonloop.invites (space, created_at);

-- Fields that lists filter by, apart from the lessons themselves, and their words. A word's weight is that of its field: A the
-- title, B tags, technologies and description, C the context, D the recommendation. It lies beside the lessons, not in them: an
-- outcome changes a lesson's row and none of its words.
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

-- The size of a space, asked before anything of it is read.
create table if not exists lessonloop.space_sizes (
  space uuid primary key references public.spaces (id) on delete cascade,
  lessons bigint not null default 0,
  -- Bytes of their texts.
  bytes bigint not null default 0,
  -- Recommendations on record.
  records bigint not null default 0
) with (fillfactor = 50);

-- The part of a lesson that a scan by meaning reads, together and small: 384 half-precision numbers, and its standing, as lessons' own
-- rows are wide, and reading them costs more than comparing.
create table if not exists lessonloop.vectors (
  space uuid not null,
  slug text not null,
  model text not null,
  near halfvec(384) not null,
  live boolean not null,
  approved boolean not null,
  domain text not null,
  category text not null,
  confidence real not null,
  -- Effectiveness times the share of uses that were causal, as ranking multiplies by it.
  causal real not null,
  -- By which an index names a vector: looked for in a fifth of the time that space, model and slug take.
  number bigint generated always as identity,
  primary key (space, model, slug),
  foreign key (space, slug) references public.lessons (space, slug) on delete cascade
);
create unique index if not exists vectors_number on lessonloop.vectors (number);

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

-- Indexes that are being built in pieces. Changes are followed from the first piece on.
create table if not exists lessonloop.near_building (
  space uuid primary key references public.spaces (id) on delete cascade,
  model text not null,
  relation text not null,
  -- The last slug that is in it.
  after text not null default '',
  indexed bigint not null default 0
);

-- Progress of `catch_up`; a row less has it look through all lessons again.
create table if not exists lessonloop.caught_up (
  what text primary key,
  space uuid,
  slug text not null default '',
  done boolean not null default false
);

reset search_path;
