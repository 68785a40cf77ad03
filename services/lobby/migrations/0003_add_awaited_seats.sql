-- Whose move is awaited, and until when, in a match that is played over days: what its players are told from afar. It
-- means something while the table plays; the version before does not clear it at the end.
ALTER TABLE lobby.game_table
  ADD COLUMN awaits_first boolean NOT NULL DEFAULT false,
  ADD COLUMN awaits_second boolean NOT NULL DEFAULT false,
  ADD COLUMN deadline timestamptz,
  ADD CONSTRAINT game_table_deadline CHECK (deadline IS NULL OR awaits_first OR awaits_second);

CREATE OR REPLACE VIEW lobby.seated_table AS
  SELECT t.table_id, t.kind, t.state, t.creator_id, creator.handle AS creator_handle, t.rival_id,
    rival.handle AS rival_handle, t.bot, t.rule_set, t.one_shot_per_turn, t.untimed, t.rated, t.join_code_hash,
    t.match_id, t.create_request_id, t.create_time, t.expire_time, t.fleet_b, t.volley, t.pace, t.awaits_first,
    t.awaits_second, t.deadline
  FROM lobby.game_table t
  JOIN lobby.account creator ON creator.account_id = t.creator_id
  LEFT JOIN lobby.account rival ON rival.account_id = t.rival_id;
