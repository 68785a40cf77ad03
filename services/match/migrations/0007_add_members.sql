-- The processes of the match service, with and without partitions: who hands a call on to the owner of a match looks up
-- its address here. A process that does not know of this table goes on without it, and is reached by nobody.
CREATE TABLE match.member (
  -- As in partition_lease.
  owner text PRIMARY KEY,
  -- HOST:PORT of its internal port; empty when the others cannot reach it.
  address text NOT NULL,
  -- When it last said that it lives; by this database's clock.
  renew_time timestamptz NOT NULL
);
