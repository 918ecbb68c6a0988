-- State of hosted Supabase before the first migration: roles, `auth`, `extensions`, default privileges. Run as the
-- superuser; the migrations then run as `postgres`, which is none, as on hosted Supabase.
do $$
declare
  r text;
begin
  foreach r in array array['anon', 'authenticated', 'service_role', 'authenticator', 'postgres'] loop
    if not exists (select from pg_roles where rolname = r) then
      execute format('create role %I', r);
    end if;
  end loop;
end $$;
alter role service_role bypassrls;
alter role authenticated set statement_timeout = '8s';
alter role anon set statement_timeout = '3s';
alter role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator;
alter role postgres login createrole createdb bypassrls;
grant anon, authenticated, service_role to postgres;
alter schema public owner to postgres;
grant usage on schema public to anon, authenticated, service_role;
grant create on database postgres to postgres;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role, postgres;
create extension if not exists vector with schema extensions;

create schema if not exists auth;
create table if not exists auth.users (id uuid primary key, email text unique);
grant usage on schema auth to anon, authenticated, service_role, postgres;
grant all on auth.users to postgres;
create or replace function auth.uid() returns uuid language sql stable as $$
  select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid
$$;

alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
