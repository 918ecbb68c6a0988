-- A list of a space that no isolate holds, turned round.

set search_path = public, extensions;

-- A page of lessons.
--   p_ask.archived, .domain, .category, .trust, .badge   as `GET /v1/lessons` has them
--   p_ask.sort     `created` (also without one), `updated`, `title`, `confidence`, `effectiveness`, `surfaced`, `applied`,
--                  `success`, `last_used`
--   p_ask.reverse  the order turned round; lessons without the number that it goes by stay last
--   p_ask.after    the slug that the page before ended with
--   p_ask.offset   lessons to leave out, up to 10,000
--   p_ask.limit    up to 1,000
--   p_ask.visible  whether lessons in quarantine are left out, as agents have it
-- `listed`: their slugs in order, whether there are more, and how many fit, counted up to 10,000 beyond the page's beginning.
create or replace function public.space_lessons(p_space uuid, p_ask jsonb) returns json
language plpgsql stable security definer
set search_path = '' set statement_timeout = '4s' set extra_float_digits = 1 set jit = off as $$
declare
  counted_to constant integer := 10000;
  most integer := least(greatest(coalesce((p_ask ->> 'limit')::integer, 50), 1), 1000);
  skipped integer := least(greatest(coalesce((p_ask ->> 'offset')::integer, 0), 0), 10000);
  sort text := coalesce(p_ask ->> 'sort', 'created');
  turned boolean := coalesce((p_ask ->> 'reverse')::boolean, false);
  -- What a list is ordered by, each with its direction; slugs decide among equals, the other way round where all is.
  key text := case sort
    when 'updated' then 'l.updated_at desc' when 'title' then 'lower(l.title) asc' when 'confidence' then 'l.confidence desc'
    when 'effectiveness' then 'l.effectiveness desc' when 'surfaced' then 'l.times_surfaced desc'
    when 'applied' then 'l.times_applied desc'
    when 'success' then format('coalesce(l.success_count::float8/nullif(l.times_applied,0),%s) desc', case when turned then 2 else -1 end)
    when 'last_used' then format('coalesce(l.last_used_at,%L) desc', case when turned then 'infinity' else '-infinity' end)
    else 'l.created_at desc' end;
  column_of text := split_part(key, ' ', 1);
  direction text := case when (key like '% asc') <> turned then 'asc' else 'desc' end;
  beyond text := case direction when 'asc' then '>' else '<' end;
  slugs_go text := case when turned then 'desc' else 'asc' end;
  slugs_beyond text := case when turned then '<' else '>' end;
  filters text;
  slugs text[];
  more boolean;
  total bigint;
begin
  if not lessonloop.may_use(p_space) then
    perform lessonloop.no_space();
  end if;
  filters := 'l.space = $1 and l.slug <> '''' and l.archived = coalesce(($2 ->> ''archived'')::boolean, false)
    and ($2 ->> ''domain'' is null or lower(btrim(l.domain)) = lower(btrim($2 ->> ''domain'')))
    and ($2 ->> ''category'' is null or l.category = $2 ->> ''category'')
    and ($2 ->> ''trust'' is null or l.trust = $2 ->> ''trust'')
    and (not coalesce(($2 ->> ''visible'')::boolean, false) or l.trust <> ''quarantined'')
    and ($2 ->> ''badge'' is null or $2 ->> ''badge'' = case when l.proven_effective then ''proven'' when l.times_applied > 0 then ''testing'' else ''new'' end)';
  if p_ask ->> 'after' is not null then
    filters := filters || format(
      ' and ((%1$s %2$s (select %1$s from public.lessons l where l.space = $1 and l.slug = $2 ->> ''after''))
        or (%1$s = (select %1$s from public.lessons l where l.space = $1 and l.slug = $2 ->> ''after'') and l.slug collate "C" %3$s $2 ->> ''after''))',
      column_of, beyond, slugs_beyond);
  end if;
  execute format(
    'select coalesce(array_agg(x.slug order by x.place), ''{}'') from (
       select l.slug, row_number() over (order by %1$s %3$s, l.slug collate "C" %4$s) as place from public.lessons l where %2$s
       order by %1$s %3$s, l.slug collate "C" %4$s offset $3 limit $4) x', column_of, filters, direction, slugs_go)
  into slugs using p_space, p_ask, skipped, most + 1;
  more := cardinality(slugs) > most;
  slugs := slugs[1:most];
  execute format('select count(*) from (select 1 from public.lessons l where %s limit $3) x', filters)
  into total using p_space, p_ask, counted_to;
  return json_build_object(
    'page', lessonloop.rows_json(p_space, slugs, '{}', false),
    'listed', json_build_object('slugs', to_json(slugs), 'more', more, 'total', total));
end $$;

revoke all on function public.space_lessons(uuid, jsonb) from public, anon;
grant execute on function public.space_lessons(uuid, jsonb) to authenticated;

-- PostgREST keeps the functions that it found.
notify pgrst, 'reload schema';
