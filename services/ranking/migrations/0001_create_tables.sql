-- Results of matches and the ratings that follow from them. Times other than end_time are the
-- database's clock, which all processes share.

-- What a player is worth in one rule set. The row appears with the player's first rated match that
-- somebody won.
CREATE TABLE ranking.rating (
  rule_set text NOT NULL,
  account_id uuid NOT NULL,
  -- As it was in the last rated match.
  handle text NOT NULL,
  -- In points, unrounded.
  rating double precision NOT NULL CHECK (rating > '-infinity' AND rating < 'infinity'),
  wins bigint NOT NULL CHECK (wins >= 0),
  losses bigint NOT NULL CHECK (losses >= 0),
  -- When the rating changed last: of equal ratings the one that was reached first stands first.
  update_time timestamptz NOT NULL,
  PRIMARY KEY (rule_set, account_id)
);

-- The order of the leaderboard; ranks are counted along it.
CREATE UNIQUE INDEX rating_leaderboard
  ON ranking.rating (rule_set, rating DESC, update_time, account_id);

-- Numbers the changes of ratings. A number is drawn while both players' rows are locked, so the
-- numbers of any one player follow the order in which that player's rating changed.
CREATE SEQUENCE ranking.rating_change_number;

-- A match that is over, once. What was rated and won holds what it did: these rows in the order of
-- rating_change_number give every rating again.
CREATE TABLE ranking.result (
  match_id uuid PRIMARY KEY,
  rule_set text NOT NULL,
  first_account_id uuid NOT NULL,
  first_handle text NOT NULL,
  -- The other player: an account, or a bot's id.
  second_account_id uuid,
  second_handle text NOT NULL,
  second_bot text,
  rated boolean NOT NULL,
  -- 0 first, 1 second; NULL when the match is void.
  winner smallint CHECK (winner IN (0, 1)),
  end_reason text NOT NULL CHECK (end_reason IN ('fleet_destroyed', 'resigned', 'timed_out')),
  -- The clock of the match service.
  end_time timestamptz NOT NULL,
  record_time timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- NULL, all five, unless the match was rated and won.
  rating_change_number bigint UNIQUE,
  first_rating_before double precision,
  first_rating_after double precision,
  second_rating_before double precision,
  second_rating_after double precision,
  CONSTRAINT result_two_players CHECK (num_nonnulls(second_account_id, second_bot) = 1
    AND second_account_id IS DISTINCT FROM first_account_id),
  CONSTRAINT result_practice_is_unrated CHECK (second_bot IS NULL OR NOT rated),
  CONSTRAINT result_change_is_whole CHECK (num_nonnulls(rating_change_number, first_rating_before,
    first_rating_after, second_rating_before, second_rating_after) IN (0, 5)),
  CONSTRAINT result_change_is_earned
    CHECK (rating_change_number IS NULL OR (rated AND winner IS NOT NULL))
);
