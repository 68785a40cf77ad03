#pragma once

#include "absl/time/time.h"
#include "lib/base/simulated_clock.h"
#include "lib/postgres/pool.h"
#include "services/match/fake_match_store.h"
#include "services/match/match_store.h"
#include "services/match/pg_match_store.h"
#include "tests/support/test_database.h"

namespace naval::match {

// A store and what it stands on, for tests that hold several kinds of them to the one contract.
class TestStore {
 public:
  virtual ~TestStore() = default;
  virtual MatchStore& store() = 0;
  // Lets time go by for all leases and members.
  virtual void Age(absl::Duration duration) = 0;
};

class FakeTestStore final : public TestStore {
 public:
  MatchStore& store() override { return store_; }
  void Age(absl::Duration duration) override { clock_.Advance(duration); }

 private:
  base::SimulatedClock clock_{absl::FromUnixMicros(1'700'000'000'123'456)};
  FakeMatchStore store_{clock_};
};

// On a fresh database.
class PgTestStore final : public TestStore {
 public:
  PgTestStore();
  MatchStore& store() override { return store_; }
  void Age(absl::Duration duration) override;
  postgres::Pool& pool() { return pool_; }
  const testing::TestDatabase& database() const { return database_; }

 private:
  testing::TestDatabase database_;
  postgres::Pool pool_;
  PgMatchStore store_;
};

}  // namespace naval::match
