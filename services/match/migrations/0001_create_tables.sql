-- A match and its log: one row a command with all its events, appended and never changed.
CREATE TABLE match.match (
  match_id uuid PRIMARY KEY,
  -- naval.match.log.v1.MatchCreated.
  created bytea NOT NULL,
  over boolean NOT NULL DEFAULT false,
  -- Number of the last log row. Every append raises it by one from the value it decided on, so of two writers one
  -- fails.
  head_seq bigint NOT NULL CHECK (head_seq >= 1),
  -- When the running clock ends, NULL without one.
  deadline timestamptz,
  create_time timestamptz NOT NULL,
  update_time timestamptz NOT NULL,
  CHECK (NOT over OR deadline IS NULL)
);

CREATE INDEX match_running ON match.match (match_id) WHERE deadline IS NOT NULL;

CREATE TABLE match.match_log (
  match_id uuid NOT NULL REFERENCES match.match,
  seq bigint NOT NULL CHECK (seq >= 1),
  -- Who gave the command: 0 first, 1 second; NULL when a clock or the service itself did.
  seat smallint CHECK (seat IN (0, 1)),
  request_id uuid,
  request_digest bytea,
  event_time timestamptz NOT NULL,
  -- naval.match.log.v1.LogEntry.
  body bytea NOT NULL,
  PRIMARY KEY (match_id, seq),
  UNIQUE (match_id, seat, request_id),
  CHECK ((request_id IS NULL) = (request_digest IS NULL)),
  CHECK (request_id IS NULL OR seat IS NOT NULL)
);

-- What other services have to learn of a match, written with the row that caused it.
CREATE TABLE match.match_outbox (
  match_id uuid NOT NULL REFERENCES match.match,
  destination text NOT NULL CHECK (destination IN ('lobby', 'ranking')),
  -- Number of the log row that caused the message.
  seq bigint NOT NULL,
  -- The request to send, a serialized proto message of the destination's internal API.
  body bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- Not sent before; a sender that claims a message moves it on, so that a sender that dies is followed by another.
  next_attempt_time timestamptz NOT NULL,
  delivered_time timestamptz,
  PRIMARY KEY (match_id, destination, seq)
);

CREATE INDEX match_outbox_undelivered ON match.match_outbox (destination, next_attempt_time)
  WHERE delivered_time IS NULL;
