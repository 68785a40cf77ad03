-- What the log of a live match comes to up to one of its rows, so that a match is read without its whole log: a copy,
-- which may be missing, old or unreadable without harm. A process that does not know of it goes by the log alone.
CREATE TABLE match.match_snapshot (
  match_id uuid PRIMARY KEY,
  -- Number of the last row in it.
  seq bigint NOT NULL CHECK (seq >= 1),
  -- naval.match.log.v1.MatchSnapshot, sealed.
  body bytea NOT NULL
) WITH (fillfactor = 60);

-- A crash may take the last of these away, so no commit of them waits for the disk. Many at once, of different matches.
-- One is written only of what the log holds by now: not of a match that is over meanwhile, whose snapshot was dropped,
-- nor of rows that a database which was restored does not have.
CREATE FUNCTION match.keep_snapshots(match_ids uuid[], seqs bigint[], bodies bytea[]) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO match.match_snapshot AS kept (match_id, seq, body)
  -- In one order, so that two of these do not wait for each other.
  SELECT given.* FROM unnest(match_ids, seqs, bodies) AS given (match_id, seq, body)
  JOIN match.match m ON m.match_id = given.match_id AND NOT m.over AND m.head_seq >= given.seq
  ORDER BY given.match_id
  ON CONFLICT (match_id) DO UPDATE SET seq = excluded.seq, body = excluded.body WHERE kept.seq < excluded.seq;
END
$$;

CREATE FUNCTION match.drop_snapshots(match_ids uuid[]) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM match.match_snapshot WHERE match_id = ANY (match_ids);
END
$$;
