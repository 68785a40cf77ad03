-- Bodies are sealed from here on, and with them the digests of requests, by which one could look for a fleet by
-- guessing it. Rows of before stay as they are.
ALTER TABLE match.match_log
  DROP CONSTRAINT match_log_check,
  ADD CONSTRAINT match_log_request_digest_check CHECK (request_digest IS NULL OR request_id IS NOT NULL);
