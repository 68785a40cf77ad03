-- Which process plays the matches of which partition (services/match/partition.h says which those are). A process that
-- does not know of leases goes on without them: the heads of the matches keep it from doing harm.
CREATE TABLE match.partition_lease (
  partition integer PRIMARY KEY CHECK (partition BETWEEN 0 AND 63),
  -- Raised by one with every owner. An append is good only under the epoch of its owner.
  epoch bigint NOT NULL DEFAULT 0 CHECK (epoch >= 0),
  -- NULL when it was given back.
  owner text,
  -- When the owner last said that it lives, or gave the partition back; by this database's clock. NULL before the
  -- first owner.
  renew_time timestamptz
);

INSERT INTO match.partition_lease (partition) SELECT generate_series(0, 63);

-- An owner looks for what is due in its partitions. What only that index was for goes.
CREATE INDEX match_due_by_partition ON match.match ((get_byte(uuid_send(match_id), 15) & 63), deadline_hour)
  WHERE NOT over;
DROP INDEX match.match_due;
DROP INDEX match.match_unfinished;
