-- Who may move a standing (fold/voice.rs of the core): where two agents' keys or more have written, what a key says of an
-- unapproved lesson of its own waits until a person approves that, and its ratings and votes on a lesson count once a day.
--
-- What stands when this is applied stays as it is; the rule holds for what comes after. Clients of before go on: what they
-- do not know of a row they leave out, and what they show of their own events is set right by the next pull.

do $$
begin
  -- Pushes and pulls begin with this table: none of them is under way while the others change.
  lock table public.spaces in access exclusive mode;
  -- The stored numbers of a lesson.
  if to_regtype('lessonloop.standing') is null then
    create type lessonloop.standing as (
      confidence float8, frequency bigint, upvotes bigint, downvotes bigint, times_surfaced bigint, times_helpful bigint,
      times_not_helpful bigint, effectiveness float8, use_count bigint, causal_hits bigint, last_used_at timestamptz,
      last_feedback_at timestamptz, times_applied bigint, success_count bigint, consecutive_failures bigint,
      trial_from bigint, proven_effective boolean, qualified_at timestamptz);
  end if;
end $$;

alter table public.spaces
  -- The first agents' keys that wrote, two at most, in the order in which they came,
  add column if not exists agents text[] not null default '{}',
  -- from which place in the ledger each of them counts,
  add column if not exists agents_from bigint[] not null default '{}',
  -- and the version of this row for replicas, apart from the others.
  add column if not exists agents_version bigint;

alter table public.lessons
  -- Whether it is an agent's lesson that nobody known to be a person called approved.
  add column if not exists approved_by_agent boolean not null default false,
  -- The standing with what the lesson's own writer said of it, while that waits.
  add column if not exists own_word lessonloop.standing,
  -- By agent: the days, since 1970, on which its rating and its vote last counted.
  add column if not exists counted_on jsonb not null default '{}';

-- The place in the ledger of the recommendation that made the decision: who asked is known from there.
alter table public.decisions add column if not exists asked_at bigint;

create or replace function lessonloop.is_agent(p_by text) returns boolean
language sql immutable as $$
  select p_by like 'agent:%'
$$;

-- Whether so many agents' keys have written that none of them moves a standing alone.
create or replace function lessonloop.is_shared(p_space uuid) returns boolean
language sql stable as $$
  select cardinality(s.agents) >= 2 from public.spaces s where s.id = p_space
$$;

-- Whether somebody speaks of an unapproved lesson of their own, and is an agent in a shared space.
create or replace function lessonloop.is_own_word(l public.lessons, p_by text) returns boolean
language sql stable as $$
  select lessonloop.is_agent(p_by) and l."by" = p_by and not (l.trust = 'approved' and not l.approved_by_agent)
    and lessonloop.is_shared(l.space)
$$;

create or replace function lessonloop.standing_of(l public.lessons) returns lessonloop.standing
language sql immutable as $$
  select row(
    l.confidence, l.frequency, l.upvotes, l.downvotes, l.times_surfaced, l.times_helpful,
    l.times_not_helpful, l.effectiveness, l.use_count, l.causal_hits, l.last_used_at, l.last_feedback_at,
    l.times_applied, l.success_count, l.consecutive_failures, l.trial_from, l.proven_effective, l.qualified_at)::lessonloop.standing
$$;

-- Sets or clears `proven_effective` when the counts turn it.
create or replace function lessonloop.qualified(s lessonloop.standing, p_at timestamptz) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  proven boolean := case
    when s.times_applied >= 3 then s.success_count::float8 / s.times_applied::float8 >= 0.5::float8
    else false
  end;
begin
  if proven <> s.proven_effective then
    s.proven_effective := proven;
    s.qualified_at := case when proven then p_at end;
  end if;
  return s;
end $$;

-- A standing after something was said: that the lesson was `shown`, `rated` or `voted` well or not, was a `cause` of what
-- came well or not, was `present` at it, or `applied` in a decision that came well or not, or that it gets a `trial`.
create or replace function lessonloop.told(s lessonloop.standing, p_what text, p_good boolean, p_at timestamptz)
returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
begin
  case p_what
    when 'shown' then
      s.times_surfaced := lessonloop.capped(s.times_surfaced + 1);
    when 'rated' then
      if p_good then
        s.times_helpful := lessonloop.capped(s.times_helpful + 1);
      else
        s.times_not_helpful := lessonloop.capped(s.times_not_helpful + 1);
      end if;
      s.confidence := lessonloop.moved(s.confidence, case when p_good then 0.02::float8 else -0.03::float8 end);
    when 'voted' then
      if p_good then
        s.upvotes := lessonloop.capped(s.upvotes + 1);
      else
        s.downvotes := lessonloop.capped(s.downvotes + 1);
      end if;
      s.confidence := lessonloop.moved(s.confidence, case when p_good then 0.05::float8 else -0.05::float8 end);
    when 'cause', 'present' then
      s.use_count := lessonloop.capped(s.use_count + 1);
      s.last_used_at := p_at;
      if p_what = 'cause' then
        s.effectiveness := s.effectiveness * 0.9::float8 + case when p_good then 1::float8 else 0::float8 end * 0.1::float8;
        s.causal_hits := lessonloop.capped(s.causal_hits + 1);
        s.last_feedback_at := p_at;
      else
        s.effectiveness := s.effectiveness + (0.5::float8 - s.effectiveness) * 0.1::float8;
      end if;
    when 'applied' then
      s.times_applied := lessonloop.capped(s.times_applied + 1);
      if p_good then
        s.success_count := lessonloop.capped(s.success_count + 1);
        s.consecutive_failures := 0;
      else
        s.consecutive_failures := lessonloop.capped(s.consecutive_failures + 1);
      end if;
      s := lessonloop.qualified(s, p_at);
    when 'trial' then
      s.consecutive_failures := 0;
      s.trial_from := s.times_applied;
  end case;
  return s;
end $$;

-- What a merge adds to a standing.
create or replace function lessonloop.summed(s lessonloop.standing, other lessonloop.standing) returns lessonloop.standing
language plpgsql immutable set search_path = '' as $$
declare
  a float8 := s.use_count;
  b float8 := other.use_count;
begin
  if a + b > 0 then
    s.effectiveness := lessonloop.divided(s.effectiveness * a + other.effectiveness * b, a + b);
  end if;
  if other.confidence > s.confidence then
    s.confidence := other.confidence;
  end if;
  s.frequency := lessonloop.capped(s.frequency + other.frequency);
  s.upvotes := lessonloop.capped(s.upvotes + other.upvotes);
  s.downvotes := lessonloop.capped(s.downvotes + other.downvotes);
  s.times_surfaced := lessonloop.capped(s.times_surfaced + other.times_surfaced);
  s.times_helpful := lessonloop.capped(s.times_helpful + other.times_helpful);
  s.times_not_helpful := lessonloop.capped(s.times_not_helpful + other.times_not_helpful);
  s.use_count := lessonloop.capped(s.use_count + other.use_count);
  s.causal_hits := lessonloop.capped(s.causal_hits + other.causal_hits);
  s.times_applied := lessonloop.capped(s.times_applied + other.times_applied);
  s.success_count := lessonloop.capped(s.success_count + other.success_count);
  s.last_used_at := greatest(s.last_used_at, other.last_used_at);
  s.last_feedback_at := greatest(s.last_feedback_at, other.last_feedback_at);
  return s;
end $$;

-- Writes a lesson's standing, and the one with its writer's word, if that has numbers.
create or replace function lessonloop.put_standing(
  p_space uuid, p_slug text, s lessonloop.standing, p_own lessonloop.standing, v bigint) returns void
language sql volatile as $$
  update public.lessons l set
    confidence = s.confidence, frequency = s.frequency, upvotes = s.upvotes, downvotes = s.downvotes,
    times_surfaced = s.times_surfaced, times_helpful = s.times_helpful, times_not_helpful = s.times_not_helpful,
    effectiveness = s.effectiveness, use_count = s.use_count, causal_hits = s.causal_hits,
    last_used_at = s.last_used_at, last_feedback_at = s.last_feedback_at, times_applied = s.times_applied,
    success_count = s.success_count, consecutive_failures = s.consecutive_failures, trial_from = s.trial_from,
    proven_effective = s.proven_effective, qualified_at = s.qualified_at,
    own_word = case when p_own.confidence is not null then p_own end, version = v
  where l.space = p_space and l.slug = p_slug
$$;

revoke all on all functions in schema lessonloop from public, anon;
