-- Rule sets have more options than Tablú's. The version before knows none of them and needs none.
ALTER TABLE lobby.game_table
  ADD COLUMN fleet_b boolean NOT NULL DEFAULT false,
  ADD COLUMN volley boolean NOT NULL DEFAULT false,
  -- Null: the usual one of the rule set.
  ADD COLUMN pace text CHECK (pace IN ('live', 'slow', 'correspondence'));

CREATE OR REPLACE VIEW lobby.seated_table AS
  SELECT t.table_id, t.kind, t.state, t.creator_id, creator.handle AS creator_handle, t.rival_id,
    rival.handle AS rival_handle, t.bot, t.rule_set, t.one_shot_per_turn, t.untimed, t.rated, t.join_code_hash,
    t.match_id, t.create_request_id, t.create_time, t.expire_time, t.fleet_b, t.volley, t.pace
  FROM lobby.game_table t
  JOIN lobby.account creator ON creator.account_id = t.creator_id
  LEFT JOIN lobby.account rival ON rival.account_id = t.rival_id;
