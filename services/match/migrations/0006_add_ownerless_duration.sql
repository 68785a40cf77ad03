-- For how long nobody owned a partition, all such times together: what its takeovers found. A match remembers how long
-- that was at its last row; what came since its clocks did not count, and get back when it is read.
ALTER TABLE match.partition_lease ADD COLUMN ownerless_duration interval NOT NULL DEFAULT interval '0';
ALTER TABLE match.match ADD COLUMN ownerless_duration interval NOT NULL DEFAULT interval '0';
