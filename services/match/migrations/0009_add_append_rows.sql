-- A batch of appends in one round trip: a statement that commits by itself, where a transaction of the client needs
-- four. A change of it is a function with another name: the release before goes on calling this one.
--
-- The first statement takes the advisory locks of the partitions, shared, to the end of the transaction; a takeover
-- holds one exclusively, so neither comes between the other's look at the epoch and its commit. A partition whose lock
-- is not to be had is being taken over: whoever waited would find its epoch raised. The second statement has a snapshot
-- of its own, as every statement of a VOLATILE function under READ COMMITTED, and it must be younger than the locks: an
-- epoch that was read before the lock was held may be over.
--
-- A row is written if and only if it raised the head of its match by one; what comes back are the rows of the batch
-- that were not, by their number, and whether their partition is owned under the epoch. One statement for all: a row
-- costs a tenth of what a statement for each would.
CREATE FUNCTION match.append_rows(
  lock_class integer,
  match_ids uuid[], partitions integer[], epochs bigint[], seqs bigint[], overs boolean[], deadlines timestamptz[],
  seats smallint[], request_ids uuid[], request_digests bytea[], event_times timestamptz[], bodies bytea[],
  message_match_ids uuid[], message_destinations text[], message_bodies bytea[]
) RETURNS TABLE (n bigint, owned boolean)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  locked integer[];
BEGIN
  SELECT array_agg(wanted.partition) INTO locked
  FROM (SELECT DISTINCT unnest(partitions) AS partition) AS wanted
  WHERE pg_try_advisory_xact_lock_shared(lock_class, wanted.partition);

  RETURN QUERY WITH batch AS (
    SELECT a.*, lease.partition IS NOT NULL AS owned, lease.ownerless_duration
    FROM unnest(match_ids, partitions, epochs, seqs, overs, deadlines, seats, request_ids, request_digests,
      event_times, bodies)
      WITH ORDINALITY AS a (match_id, partition, epoch, seq, over, deadline, seat, request_id, request_digest,
        event_time, body, n)
    LEFT JOIN match.partition_lease lease
      ON lease.partition = a.partition AND lease.epoch = a.epoch AND lease.partition = ANY (locked)
  ), head AS (
    UPDATE match.match m SET head_seq = b.seq, over = b.over, deadline = b.deadline,
      update_time = b.event_time, ownerless_duration = b.ownerless_duration
    FROM batch b
    WHERE b.owned AND m.match_id = b.match_id AND m.head_seq = b.seq - 1 AND NOT m.over
    RETURNING b.*
  ), log AS (
    INSERT INTO match.match_log
      (match_id, seq, seat, request_id, request_digest, event_time, body)
    SELECT match_id, seq, seat, request_id, request_digest, event_time, body FROM head
  ), outbox AS (
    INSERT INTO match.match_outbox (match_id, destination, seq, body, next_attempt_time)
    SELECT head.match_id, o.destination, head.seq, o.body, head.event_time
    FROM unnest(message_match_ids, message_destinations, message_bodies) AS o (match_id, destination, body)
    JOIN head ON head.match_id = o.match_id
  ) SELECT batch.n, batch.owned FROM batch WHERE batch.n NOT IN (SELECT head.n FROM head);
END
$$;
