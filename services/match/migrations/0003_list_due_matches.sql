-- Matches that wait for days are in memory only when they are due, so those are looked for again and again. An index on
-- the deadline itself would cost every shot (see 0002). The hour of it seldom changes, and an update that leaves it as
-- it was is still done in place; a plain expression in the index would not do: there any change of its column counts.
ALTER TABLE match.match ADD COLUMN deadline_hour timestamp
  GENERATED ALWAYS AS (date_trunc('hour', deadline AT TIME ZONE 'UTC')) STORED;
CREATE INDEX match_due ON match.match (deadline_hour) WHERE NOT over;
