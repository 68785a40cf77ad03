-- For how long the leases of a process are good after it last said that it lives: each process tells, so that those of
-- different releases may differ. A process that does not know of this column goes by 10 s.
ALTER TABLE match.member ADD COLUMN lease_duration interval NOT NULL DEFAULT interval '10 seconds';
