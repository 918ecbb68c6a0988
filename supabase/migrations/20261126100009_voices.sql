-- Whose word counts: what agents' keys propose in place of changing it, and voices that are withdrawn. The rules are those of the core
-- (crates/lesson-core/src/fold, proposals.rs and withdrawn.rs).

-- Ends here where the first file was refused, or was not applied.
do $$ begin perform lessonloop.schema_version(); end $$;

-- Refuses an agent's change of a lesson that is not its own unapproved one: of text, life or verdict.
create or replace function lessonloop.may_change(l public.lessons, p_by text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if lessonloop.is_agent(p_by) and (l."by" <> p_by or l.trust = 'approved' and not l.approved_by_agent) then
    perform lessonloop.refuse('lesson', format('`%s` is not an unapproved lesson of this key''s own; propose the change, and a person '
      'decides', l.slug));
  end if;
end $$;

-- How a lesson went out of use, in words.
create or replace function lessonloop.out_of_use(l public.lessons) returns text
language sql immutable as $$
  select case when l.merged_into is null then format('`%s` is archived', l.slug)
    else format('`%s` was merged into `%s`', l.slug, l.merged_into) end
$$;

-- Whether changes name nothing.
create or replace function lessonloop.is_no_change(p_changes jsonb) returns boolean
language sql immutable as $$
  select jsonb_strip_nulls(coalesce(p_changes, '{}')) = '{}'
$$;

create or replace function lessonloop.check_proposal(p_space uuid, p_kind text, p_event jsonb, p_by text) returns void
language plpgsql stable set search_path = '' as $$
declare
  l public.lessons;
  held jsonb;
  others bigint;
begin
  if p_event ? 'changes' then
    perform lessonloop.shape(p_event -> 'changes', lessonloop.fields('changes'), true);
  end if;
  l := lessonloop.known_lesson(p_space, p_event ->> 'lesson');
  select x into held from jsonb_array_elements(l.proposals) x where x ->> 'id' = p_event ->> 'proposal';
  if p_kind = 'ProposalSettled' then
    if held is null then
      perform lessonloop.refuse('proposal', case when l.archived then lessonloop.out_of_use(l) || ', which settled its proposals'
        else format('`%s` has no open proposal `%s`; it was settled, or another took its place', l.slug, p_event ->> 'proposal') end);
    end if;
    if lessonloop.is_agent(p_by) and ((p_event ->> 'accepted')::boolean or held ->> 'by' <> p_by) then
      perform lessonloop.refuse('proposal', 'a person decides on proposals; a key only takes back its own');
    end if;
    return;
  end if;
  if l.archived then
    perform lessonloop.refuse('lesson', lessonloop.out_of_use(l) || '; nothing is proposed for it until it is restored');
  end if;
  if p_event ->> 'proposal' = '' then
    perform lessonloop.refuse('proposal', 'a proposal needs an id; use a UUIDv7');
  end if;
  if coalesce((p_event ->> 'archive')::boolean, false) <> lessonloop.is_no_change(p_event -> 'changes') then
    perform lessonloop.refuse('changes', 'a proposal changes something of the lesson, or archives it: one of both');
  end if;
  if lessonloop.blank(p_event #>> '{changes,title}') then
    perform lessonloop.refuse('title', 'a lesson needs a title');
  end if;
  if (p_event ->> 'base_rev')::bigint > l.rev then
    perform lessonloop.refuse('base_rev', format('the proposal started from revision %s, but `%s` is at revision %s; read it again and '
      'repeat the proposal', p_event ->> 'base_rev', l.slug, l.rev));
  end if;
  if held is not null then
    perform lessonloop.refuse('proposal', format('`%s` has a proposal `%s` already', l.slug, p_event ->> 'proposal'));
  end if;
  select count(*) into others from jsonb_array_elements(l.proposals) x where x ->> 'by' <> p_by;
  if others >= 8 then
    perform lessonloop.refuse('lesson', format('%s proposals for `%s` wait for a person already; review them first', others, l.slug));
  end if;
end $$;

-- Keeps a proposal beside its lesson, in place of one of the same voice, or ends one.
create or replace function lessonloop.apply_proposal(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, v bigint, p_by text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  ends constant boolean := p_kind = 'ProposalSettled';
begin
  update public.lessons l set version = v + 1, proposals = (
    select coalesce(jsonb_agg(x.value order by x.ordinality), '[]') from jsonb_array_elements(l.proposals) with ordinality x
    where case when ends then x.value ->> 'id' <> p_event ->> 'proposal' else x.value ->> 'by' <> p_by end)
    || case when ends then '[]' else jsonb_build_array(jsonb_build_object(
      'id', p_event -> 'proposal', 'by', p_by, 'at', lessonloop.rfc3339(p_at), 'base_rev', p_event -> 'base_rev',
      'changes', jsonb_strip_nulls(coalesce(p_event -> 'changes', '{}')), 'archive', coalesce(p_event -> 'archive', 'false'),
      'trust', p_event -> 'trust', 'findings', coalesce(p_event -> 'findings', '[]'))) end
  where l.space = p_space and l.slug = p_event ->> 'lesson';
  return v + 1;
end $$;

-- Refuses a withdrawal of what is no voice, by no person, or of one's own voice.
create or replace function lessonloop.check_withdrawal(p_voice text, p_by text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if p_voice !~ '^(agent|person):.' or char_length(p_voice) > 200 then
    perform lessonloop.refuse('voice', 'a voice is `agent:` and the id of a key, or `person:` and the id of an account');
  end if;
  if not (p_by like 'person:%' or p_by = 'local') then
    perform lessonloop.refuse('voice', 'a person withdraws a voice, and takes that back; no key does');
  end if;
  if p_voice = p_by then
    perform lessonloop.refuse('voice', 'nobody withdraws their own voice, or takes its withdrawal back; another member of the space does');
  end if;
end $$;

-- Whether nothing counts that somebody says at a time.
create or replace function lessonloop.is_muted(p_space uuid, p_by text, p_at timestamptz) returns boolean
language sql stable as $$
  select coalesce((
    select x.held is not null and not coalesce((x.held ->> 'lifted')::boolean, false)
      and (x.held ->> 'since' is null or p_at >= (x.held ->> 'since')::timestamptz)
    from (select s.withdrawn -> p_by as held from public.spaces s where s.id = p_space) x), false)
$$;

-- Whether, besides, the event that withdrew them is folded already.
create or replace function lessonloop.is_past(p_space uuid, p_at timestamptz, p_by text) returns boolean
language sql stable as $$
  select lessonloop.is_muted(p_space, p_by, p_at) and (
    select coalesce((s.withdrawn -> p_by ->> 'ahead')::integer, 0) = 0 from public.spaces s where s.id = p_space)
$$;

-- The kind by which an event is folded: its own, or `muted`, where nothing of it counts.
create or replace function lessonloop.kind_in_force(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, p_by text) returns text
language sql stable as $$
  select case
    when p_kind in ('VoiceWithdrawn', 'VoiceReinstated') or not lessonloop.is_muted(p_space, p_by, p_at) then p_kind
    when p_kind in ('LessonRestored', 'ChangeProposed') and lessonloop.is_past(p_space, p_at, p_by) then 'muted'
    -- Others' words stand on texts, lives and recommendations.
    when p_kind in ('LessonAdded', 'LessonEdited', 'LessonArchived', 'LessonRestored', 'LessonsMerged', 'ChangeProposed',
      'ProposalSettled', 'Surfaced') then p_kind
    -- What was held back stays so.
    when p_event ->> 'verdict' = 'quarantine' then p_kind
    else 'muted' end
$$;

-- What is left of an event of which nothing counts: that a decision was named.
create or replace function lessonloop.apply_muted(p_space uuid, p_kind text, p_event jsonb, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  made bigint;
begin
  if p_kind <> 'OutcomeRecorded' then
    return v;
  end if;
  insert into public.decisions (space, decision_id, version) values (p_space, p_event ->> 'decision_id', v + 1)
  on conflict do nothing;
  get diagnostics made = row_count;
  return v + made;
end $$;

-- Withdraws a voice, or takes that back: its lessons are archived, its proposals are gone. What it said before is taken off by
-- `refold`, which knows the last word on each voice from the first event on.
create or replace function lessonloop.apply_withdrawal(
  p_space uuid, p_kind text, p_event jsonb, p_at timestamptz, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  named constant text := p_event ->> 'voice';
  held jsonb;
  ahead integer;
  since timestamptz;
  r record;
begin
  select s.withdrawn -> named into held from public.spaces s where s.id = p_space;
  ahead := coalesce((held ->> 'ahead')::integer, 0) - 1;
  if p_kind = 'VoiceWithdrawn' and ahead < 0 then
    held := jsonb_build_object('since', lessonloop.rfc3339(lessonloop.instant(p_event ->> 'since')));
  elsif ahead > 0 then
    held := held || jsonb_build_object('ahead', ahead);
  else
    held := held - 'ahead' - 'lifted';
  end if;
  v := v + 1;
  update public.spaces s set agents_version = v, withdrawn = case
    when held is null or p_kind = 'VoiceReinstated' and ahead <= 0 then s.withdrawn - named
    else s.withdrawn || jsonb_build_object(named, held) end
  where s.id = p_space;
  if p_kind = 'VoiceReinstated' or ahead > 0 then
    return v;
  end if;
  since := (held ->> 'since')::timestamptz;
  for r in
    select l.slug from public.lessons l
    where l.space = p_space and l."by" = named and not l.archived and (since is null or l.created_at >= since)
  loop
    v := v + 1;
    update public.lessons l set archived = true, proposals = '[]', updated_at = p_at, version = v
    where l.space = p_space and l.slug = r.slug;
  end loop;
  for r in
    select l.slug, (
      select coalesce(jsonb_agg(x.value order by x.ordinality), '[]') from jsonb_array_elements(l.proposals) with ordinality x
      where x.value ->> 'by' <> named or (x.value ->> 'at')::timestamptz < since) as kept
    from public.lessons l where l.space = p_space and l.proposals <> '[]'
  loop
    v := v + 1;
    update public.lessons l set proposals = r.kept, version = v
    where l.space = p_space and l.slug = r.slug and l.proposals <> r.kept;
  end loop;
  return v;
end $$;

-- Notes the lessons that an event of a withdrawn voice names, which it moves no more.
create or replace function lessonloop.note_muted(p_space uuid, p_kind text, p_event jsonb, p_version bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.lesson_events (space, slug, version)
  select p_space, x, p_version from jsonb_array_elements_text(case
    when p_kind in ('Rated', 'Voted', 'TrialGranted') then jsonb_build_array(p_event -> 'lesson')
    when p_kind = 'FeedbackGiven' then p_event -> 'lessons' else '[]' end) x
  on conflict do nothing;
end $$;

-- Notes the withdrawals of a voice with the lessons that its events from a place in the ledger on name: what counts of these depends on them.
create or replace function lessonloop.note_withdrawals(p_space uuid, p_voice text, p_from bigint) returns void
language sql volatile as $$
  insert into public.lesson_events (space, slug, version)
  select distinct p_space, x.slug, w.version
  from public.lesson_events x
  join public.events o on o.space = x.space and o.version = x.version
  cross join (
    select e.version from public.events e
    where e.space = p_space and e.kind in ('VoiceWithdrawn', 'VoiceReinstated') and e.payload #>> array['event', e.kind, 'voice'] = p_voice) w
  where x.space = p_space and x.version >= p_from and o.payload ->> 'by' = p_voice
  on conflict do nothing
$$;

-- Folds a space anew from its ledger, and answers the last version taken. Every event and every row gets another version, and the
-- space another epoch, so that replicas read everything again.
create or replace function lessonloop.refold(p_space uuid, v bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  first constant bigint := v;
  voices jsonb := '{}';
  named text;
  made_by text;
  from_version bigint;
  r record;
begin
  for r in
    select e.kind, e.payload::jsonb -> 'event' -> e.kind as event from public.events e
    where e.space = p_space and e.kind in ('VoiceWithdrawn', 'VoiceReinstated') order by e.version
  loop
    named := r.event ->> 'voice';
    voices := voices || jsonb_build_object(named, jsonb_build_object(
      'since', lessonloop.rfc3339(lessonloop.instant(r.event ->> 'since')),
      'ahead', coalesce((voices -> named ->> 'ahead')::integer, 0) + 1, 'lifted', r.kind = 'VoiceReinstated'));
  end loop;
  delete from public.lesson_events x where x.space = p_space;
  -- Below all places until it is folded, so that none of an event that is yet to come is taken for one before.
  update public.events e set version = -e.version where e.space = p_space;
  -- A vector is made of a text, by a model that is not here.
  create temporary table kept_embeddings on commit drop as select * from public.lesson_embeddings x where x.space = p_space;
  delete from public.recommendations x where x.space = p_space;
  delete from public.decisions x where x.space = p_space;
  delete from public.retrievals x where x.space = p_space;
  delete from public.tool_successes x where x.space = p_space;
  delete from public.settings x where x.space = p_space;
  delete from public.feedback_times x where x.space = p_space;
  delete from public.domain_bases x where x.space = p_space;
  delete from public.lessons x where x.space = p_space;
  update public.spaces s set agents = '{}', agents_from = '{}', agents_version = null, withdrawn = voices, epoch = gen_random_uuid()
  where s.id = p_space;
  perform set_config('lessonloop.tools', '0', true);
  for r in
    select e.op_id, e.kind, e.at, e.payload from public.events e where e.space = p_space order by e.version desc
  loop
    v := v + 1;
    from_version := v;
    made_by := coalesce(r.payload ->> 'by', '');
    update public.events e set version = v where e.space = p_space and e.op_id = r.op_id;
    v := lessonloop.apply_event(p_space, r.kind, r.payload::jsonb -> 'event' -> r.kind, r.payload -> 'event' -> r.kind, r.at, v, made_by);
    perform lessonloop.note_event(p_space, r.kind, r.payload::jsonb -> 'event' -> r.kind, from_version);
    if lessonloop.is_muted(p_space, made_by, r.at) then
      perform lessonloop.note_muted(p_space, r.kind, r.payload::jsonb -> 'event' -> r.kind, from_version);
    end if;
  end loop;
  for named in select x from jsonb_object_keys(voices) x loop
    perform lessonloop.note_withdrawals(p_space, named, first);
  end loop;
  insert into public.lesson_embeddings select x.* from pg_temp.kept_embeddings x
  where exists (select from public.lessons l where l.space = x.space and l.slug = x.slug);
  drop table pg_temp.kept_embeddings;
  return v;
end $$;

revoke all on all functions in schema lessonloop from public, anon;
