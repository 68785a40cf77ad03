-- Appends come in batches of hundreds, each of which moves the head of its match. Half of what one cost was the upkeep
-- of what nobody looked at.

-- An index that names the deadline, in its predicate too, keeps every update that moves the deadline from being done in
-- place (heap-only): a new entry in each index of the table for every shot. This one changes when a match ends.
CREATE INDEX match_unfinished ON match.match (match_id) WHERE NOT over;
DROP INDEX match.match_running;
-- Room in each page for the next version of its rows, for the same end.
ALTER TABLE match.match SET (fillfactor = 60);

-- A row comes with its match or is written by the statement that raised the head of its match, so that the look-up of
-- the match for every row finds nothing new.
ALTER TABLE match.match_log DROP CONSTRAINT match_log_match_id_fkey;
