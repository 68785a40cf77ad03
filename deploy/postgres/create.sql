-- The database of Naval: a role for each service, and a schema for each that no other one can enter. Once, by a
-- superuser, with the passwords in the environment (LOBBY_PASSWORD, MATCH_PASSWORD, RANKING_PASSWORD):
--
--   psql --no-psqlrc --file=deploy/postgres/create.sql 'host=... user=postgres dbname=postgres'
--
-- The tables come from the services themselves (--migrate).
\set ON_ERROR_STOP on
\getenv lobby_password LOBBY_PASSWORD
\getenv match_password MATCH_PASSWORD
\getenv ranking_password RANKING_PASSWORD

CREATE ROLE naval_lobby LOGIN PASSWORD :'lobby_password';
CREATE ROLE naval_match LOGIN PASSWORD :'match_password';
CREATE ROLE naval_ranking LOGIN PASSWORD :'ranking_password';

CREATE DATABASE naval;
REVOKE ALL ON DATABASE naval FROM PUBLIC;
GRANT CONNECT ON DATABASE naval TO naval_lobby, naval_match, naval_ranking;

\connect naval
REVOKE ALL ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA lobby AUTHORIZATION naval_lobby;
CREATE SCHEMA match AUTHORIZATION naval_match;
CREATE SCHEMA ranking AUTHORIZATION naval_ranking;
