-- The indexes for what has changed since a version serve nothing else.
--
-- While a table has no statistics yet, as in a first sync, every index that begins with the space looks equally good: the
-- planner took one of these to find a single lesson, and read all of the space's for it. What is looked for by version
-- is never null, which the planner knows; of what is looked for by another key it does not, so it can't take these.

drop index if exists public.lessons_version;
create unique index if not exists lessons_by_version on public.lessons (space, version) where version is not null;

drop index if exists public.recommendations_version;
create unique index if not exists recommendations_by_version on public.recommendations (space, version) where version is not null;

drop index if exists public.tool_successes_version;
create unique index if not exists tool_successes_by_version on public.tool_successes (space, version) where version is not null;
