-- Version 2 of the ledger: tables and columns, and what version 1 left in them.
--
-- Version 2 knows who made an event and for which request, keeps decisions as rows that replicas pull, says `success`
-- and `failure` where version 1 said `profit` and `loss`, and has settings and trials.
--
-- Functions whose rules change have another number of arguments in the next files. When the older files are run again,
-- clients of version 2 are served by the new functions meanwhile; those of version 1 fail, and try again by themselves,
-- until the last of these files has taken the old functions away.

do $$
begin
  -- Pushes and pulls begin with this table: none of them is under way while the others change.
  lock table public.spaces in access exclusive mode;
end $$;

-- Who added a lesson, and how often it had been applied when it last got another trial.
alter table public.lessons
  add column if not exists trial_from bigint not null default 0,
  add column if not exists "by" text not null default '';

-- What an agent did in one situation, who it was, and what came of it.
alter table public.decisions
  -- The situation of the first recommendation.
  add column if not exists context jsonb not null
    default '{"decision_id": null, "query": null, "domain": null, "project_type": null, "tech_stack": [], "phase": null}',
  add column if not exists "by" text not null default '',
  -- Null while only the outcome is known.
  add column if not exists at timestamptz,
  -- json, not jsonb: jsonb has no negative zero.
  add column if not exists measured json,
  add column if not exists outcome_by text not null default '',
  add column if not exists outcome_at timestamptz,
  -- As the core has them, in the ledger's order: one feedback from each giver, and one rating and one vote from each for
  -- a lesson.
  add column if not exists feedback jsonb not null default '[]',
  add column if not exists opinions jsonb not null default '[]',
  -- Null only in rows of version 1, until `migrate_to_2`.
  add column if not exists version bigint;
-- Why these indexes have a condition: see 20261122090800_by_version.sql.
create unique index if not exists decisions_by_version on public.decisions (space, version) where version is not null;

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

alter table public.settings enable row level security;
revoke all on table public.settings from public, anon, authenticated;
drop policy if exists members_read on public.settings;
create policy members_read on public.settings for select to authenticated
using (space in (select lessonloop.my_spaces()));
grant select on table public.settings to authenticated;

-- A situation with all its fields, as the core writes it.
create or replace function lessonloop.situation(p_context jsonb) returns jsonb
language sql immutable as $$
  select jsonb_build_object(
    'decision_id', p_context -> 'decision_id', 'query', p_context -> 'query', 'domain', p_context -> 'domain',
    'project_type', p_context -> 'project_type', 'tech_stack', coalesce(p_context -> 'tech_stack', '[]'),
    'phase', p_context -> 'phase')
$$;

-- What version 1 called an outcome, in the words of version 2.
create or replace function lessonloop.outcome_word(p_outcome text) returns text
language sql immutable as $$
  select case p_outcome when 'profit' then 'success' when 'loss' then 'failure' else p_outcome end
$$;

-- Rows of version 1 become rows of version 2, and take their space's next versions: replicas pull them. The standing of
-- lessons stays as it is. A row is migrated once; run again, this finds none. It is called when the functions of version 1
-- are gone, at the end of 20261123090200_ledger_2_sync.sql: until then they make such rows.
create or replace function lessonloop.migrate_to_2() returns void
language plpgsql volatile set search_path = '' as $$
declare
  s uuid;
  v bigint;
  many bigint;
begin
  for s in
    select d.space from public.decisions d where d.version is null or d.outcome in ('profit', 'loss')
    union
    select r.space from public.recommendations r where r.trade_outcome in ('profit', 'loss')
  loop
    select x.version into v from public.spaces x where x.id = s for update;

    with old as (
      select d.decision_id, row_number() over (order by d.decision_id collate "C") as place
      from public.decisions d
      where d.space = s and (d.version is null or d.outcome in ('profit', 'loss'))
    ), named as (
      -- The situation is that of the first recommendation. Who asked for it was not written down.
      select distinct on (e.decision) e.decision, e.context, e.at
      from (
        select x.payload #>> '{event,Surfaced,context,decision_id}' as decision,
          x.payload #> '{event,Surfaced,context}' as context, x.at, x.version
        from public.events x where x.space = s and x.kind = 'Surfaced'
      ) e
      where e.decision is not null order by e.decision, e.version
    ), told as (
      -- The first final outcome is the one that holds; without one, the last word.
      select distinct on (e.decision) e.decision, e.at
      from (
        select x.payload #>> '{event,OutcomeRecorded,decision_id}' as decision, x.at, x.version,
          x.payload #>> '{event,OutcomeRecorded,outcome}' <> 'pending' as final
        from public.events x where x.space = s and x.kind = 'OutcomeRecorded'
      ) e
      order by e.decision, e.final desc, case when e.final then e.version else -e.version end
    )
    update public.decisions d set
      context = case when d.at is null and n.context is not null then lessonloop.situation(n.context::jsonb) else d.context end,
      at = coalesce(d.at, n.at),
      outcome = lessonloop.outcome_word(d.outcome),
      outcome_at = case when d.outcome is not null then coalesce(d.outcome_at, t.at) end,
      version = v + old.place
    from old left join named n on n.decision = old.decision_id left join told t on t.decision = old.decision_id
    where d.space = s and d.decision_id = old.decision_id;
    get diagnostics many = row_count;
    v := v + many;

    with old as (
      select r.decision_id, r.lesson, row_number() over (order by r.version) as place
      from public.recommendations r where r.space = s and r.trade_outcome in ('profit', 'loss')
    )
    update public.recommendations r set trade_outcome = lessonloop.outcome_word(r.trade_outcome), version = v + old.place
    from old where r.space = s and r.decision_id = old.decision_id and r.lesson = old.lesson;
    get diagnostics many = row_count;
    v := v + many;

    update public.spaces x set version = v where x.id = s;
  end loop;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
