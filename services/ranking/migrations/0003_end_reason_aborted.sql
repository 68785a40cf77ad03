-- An operator may end a match.
ALTER TABLE ranking.result
  DROP CONSTRAINT result_end_reason_check,
  ADD CONSTRAINT result_end_reason_check CHECK (end_reason IN ('fleet_destroyed', 'resigned',
    'timed_out', 'illegal_fleet', 'turn_skipped', 'absence_claimed', 'idle', 'both_absent',
    'aborted'));
