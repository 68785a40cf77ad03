-- Two statements, and text that must arrive as it stands: $1; "quotes"; \ and [brackets].
CREATE TABLE migrations_test.boat (boat_id bigint PRIMARY KEY, name text NOT NULL);
INSERT INTO migrations_test.boat VALUES (1, 'semi;colon [bracket] \ $1 "q"');
