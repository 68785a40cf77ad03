-- Accounts, their sessions, and the tables they meet at. Times are the lobby's clock, handed in with each statement.

-- Who plays. A guest has no password: its session is all that it has.
CREATE TABLE lobby.account (
  account_id uuid PRIMARY KEY,
  handle text NOT NULL CONSTRAINT account_handle_check CHECK (handle ~ '^[A-Za-z0-9_-]{3,20}$'),
  -- Handles are unique without regard to case. Collation "C": no language's rules fold ASCII differently.
  handle_key text NOT NULL GENERATED ALWAYS AS (lower(handle COLLATE "C")) STORED
    CONSTRAINT account_handle_key_key UNIQUE,
  -- argon2id in PHC text form.
  password_hash text,
  create_time timestamptz NOT NULL
);
-- The sweep walks over the guests.
CREATE INDEX account_guest ON lobby.account (account_id) WHERE password_hash IS NULL;

-- Which call made or registered an account, so that its repetition finds the same one. A request id opens the account
-- for as long as its row is honoured, so only its hash is kept, and the row is deleted soon.
CREATE TABLE lobby.account_request (
  request_id_hash bytea CONSTRAINT account_request_pkey PRIMARY KEY CHECK (octet_length(request_id_hash) = 32),
  kind text NOT NULL CHECK (kind IN ('create_guest', 'register')),
  account_id uuid NOT NULL REFERENCES lobby.account ON DELETE CASCADE,
  create_time timestamptz NOT NULL
);
CREATE INDEX account_request_account_id ON lobby.account_request (account_id);
CREATE INDEX account_request_create_time ON lobby.account_request (create_time);

-- One device of an account. Of its refresh tokens only hashes are kept.
CREATE TABLE lobby.session (
  session_id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES lobby.account ON DELETE CASCADE,
  -- The part that all refresh tokens of the session share: who shows a token without it never had one.
  session_key_hash bytea NOT NULL CHECK (octet_length(session_key_hash) = 32),
  refresh_token_hash bytea NOT NULL CHECK (octet_length(refresh_token_hash) = 32),
  -- The token that was exchanged last, when, and the salt that its successor was derived with.
  previous_token_hash bytea CHECK (octet_length(previous_token_hash) = 32),
  rotate_salt bytea CHECK (octet_length(rotate_salt) = 32),
  rotate_time timestamptz,
  create_time timestamptz NOT NULL,
  expire_time timestamptz NOT NULL CHECK (expire_time > create_time),
  CONSTRAINT session_rotation_is_whole
    CHECK (num_nonnulls(previous_token_hash, rotate_salt, rotate_time) IN (0, 3))
);
CREATE INDEX session_account_id ON lobby.session (account_id, create_time);
CREATE INDEX session_expire_time ON lobby.session (expire_time);

-- Where two players meet. services/lobby/table.h draws the states and who moves them.
CREATE TABLE lobby.game_table (
  table_id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('public', 'private', 'bot')),
  state text NOT NULL CHECK (state IN ('open', 'starting', 'playing', 'ended', 'closed')),
  creator_id uuid NOT NULL REFERENCES lobby.account,
  -- The other seat: an account, or a bot's id.
  rival_id uuid REFERENCES lobby.account,
  bot text,
  rule_set text NOT NULL,
  one_shot_per_turn boolean NOT NULL,
  untimed boolean NOT NULL,
  rated boolean NOT NULL,
  join_code_hash bytea CONSTRAINT game_table_join_code_hash_key UNIQUE CHECK (octet_length(join_code_hash) = 32),
  match_id uuid UNIQUE,
  -- The last change of the match that was recorded, 0 before the first.
  match_version bigint NOT NULL DEFAULT 0 CHECK (match_version >= 0),
  create_request_id uuid NOT NULL,
  create_time timestamptz NOT NULL,
  -- When an open table closes by itself.
  expire_time timestamptz CHECK (expire_time > create_time),
  -- When the match service is to be asked again, and how often it was asked again already.
  start_due_time timestamptz,
  start_retries integer NOT NULL DEFAULT 0 CHECK (start_retries >= 0),
  CONSTRAINT game_table_request_key UNIQUE (creator_id, create_request_id),
  CONSTRAINT game_table_bot_kind CHECK ((kind = 'bot') = (bot IS NOT NULL)),
  CONSTRAINT game_table_private_kind CHECK ((kind = 'private') = (join_code_hash IS NOT NULL)),
  CONSTRAINT game_table_rated CHECK (CASE kind WHEN 'public' THEN rated WHEN 'bot' THEN NOT rated ELSE true END),
  CONSTRAINT game_table_untimed CHECK (NOT untimed OR kind = 'bot'),
  CONSTRAINT game_table_two_players CHECK (rival_id IS NULL OR (bot IS NULL AND rival_id <> creator_id)),
  CONSTRAINT game_table_open_seat CHECK (state <> 'open' OR (rival_id IS NULL AND bot IS NULL)),
  CONSTRAINT game_table_full CHECK (state IN ('open', 'closed') OR num_nonnulls(rival_id, bot) = 1),
  CONSTRAINT game_table_match CHECK ((match_id IS NULL) = (state IN ('open', 'closed'))),
  CONSTRAINT game_table_match_version CHECK (match_version = 0 OR state IN ('playing', 'ended')),
  CONSTRAINT game_table_expires CHECK ((expire_time IS NULL) = (kind = 'bot')),
  CONSTRAINT game_table_start_due CHECK ((start_due_time IS NOT NULL) = (state = 'starting'))
);
-- ListTables: newest first, ids being UUIDv7.
CREATE INDEX game_table_public_open ON lobby.game_table (table_id DESC) WHERE state = 'open' AND kind = 'public';
CREATE INDEX game_table_expire_time ON lobby.game_table (expire_time) WHERE state = 'open';
CREATE INDEX game_table_start_due_time ON lobby.game_table (start_due_time) WHERE state = 'starting';
CREATE INDEX game_table_closed ON lobby.game_table (create_time) WHERE state = 'closed';
-- All the tables of an account: whether a guest may be deleted.
CREATE INDEX game_table_rival ON lobby.game_table (rival_id);
-- How many tables an account sits at.
CREATE INDEX game_table_creator_live ON lobby.game_table (creator_id) WHERE state IN ('open', 'starting', 'playing');
CREATE INDEX game_table_rival_live ON lobby.game_table (rival_id) WHERE state IN ('starting', 'playing');

-- Guests whom nobody can be any more: no session is left, no request id finds them, no table names them.
CREATE VIEW lobby.idle_guest AS
  SELECT account_id FROM lobby.account a
  WHERE password_hash IS NULL
    AND NOT EXISTS (SELECT FROM lobby.session s WHERE s.account_id = a.account_id)
    AND NOT EXISTS (SELECT FROM lobby.account_request r WHERE r.account_id = a.account_id)
    AND NOT EXISTS (SELECT FROM lobby.game_table t WHERE t.creator_id = a.account_id)
    AND NOT EXISTS (SELECT FROM lobby.game_table t WHERE t.rival_id = a.account_id);

-- Tables with the handles of who sits there.
CREATE VIEW lobby.seated_table AS
  SELECT t.table_id, t.kind, t.state, t.creator_id, creator.handle AS creator_handle, t.rival_id,
    rival.handle AS rival_handle, t.bot, t.rule_set, t.one_shot_per_turn, t.untimed, t.rated, t.join_code_hash,
    t.match_id, t.create_request_id, t.create_time, t.expire_time
  FROM lobby.game_table t
  JOIN lobby.account creator ON creator.account_id = t.creator_id
  LEFT JOIN lobby.account rival ON rival.account_id = t.rival_id;
