ALTER TABLE migrations_test.boat ADD COLUMN length double precision;
