#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "services/match/test_stores.h"
#include "tests/simulation/database.h"
#include "tests/simulation/events.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/store_operations.h"
#include "tests/support/environment.h"

// The simulation stands on a store that is modelled, and the tests of the match service on a fake
// one: what they show holds for Postgres only as far as all three do the same. Here they are given
// one list of random operations, one after the other, and have to answer the same; what only shows
// when transactions overlap comes after it. More operations, or other ones, or a list once more:
// NAVAL_OPERATIONS (how many) and NAVAL_SEED in the environment; tools/long/conformance does that.

namespace naval::simulation {

// A transaction that has the lock of a partition of the modelled database, and stands still.
class HeldPartition {
 public:
  HeldPartition(Database& database, int partition, bool exclusive)
      : lock_(database.partition_locks_.at(Database::Index(partition))), exclusive_(exclusive) {
    if (exclusive_) {
      lock_.exclusive = true;
    } else {
      ++lock_.shared;
    }
  }
  ~HeldPartition() {
    if (exclusive_) {
      lock_.exclusive = false;
    } else {
      --lock_.shared;
    }
  }
  HeldPartition(const HeldPartition&) = delete;
  HeldPartition& operator=(const HeldPartition&) = delete;

 private:
  Database::PartitionLock& lock_;
  const bool exclusive_;
};

namespace {

using ::testing::ElementsAre;

using match::Append;
using match::MatchStore;

class Unobserved final : public CommitObserver {
  void Created(const std::string&, const std::string&) override {}
  void Appended(const Append&, const Owned&) override {}
};

// The modelled database with one process on it, to which nothing goes wrong.
class ModelledStore final {
 public:
  ModelledStore() { base::Scheduler::SetCurrent(nullptr); }
  // Its threads are not those of the machine: everything with it happens in here.
  void Run(absl::FunctionRef<void(MatchStore&)> body) {
    base::Scheduler::SetCurrent(&fibers_);
    fibers_.Run([&] { body(connection_); });
    base::Scheduler::SetCurrent(nullptr);
  }
  // In Run.
  void Age(absl::Duration duration) { fibers_.Sleep(duration); }
  Database& database() { return database_; }

 private:
  base::SeededRandom random_{1};
  Fibers fibers_{random_, /*interrupt_one_in=*/0};
  Events events_{fibers_};
  Unobserved observer_;
  Database database_{fibers_, events_, random_, observer_};
  Connection connection_{database_};
};

// Notes what came of an operation, as its verb and a word of the answer: a list in which all is
// refused would show nothing.
void Note(const Operation& operation, const std::string& answer, std::map<std::string, int>& came) {
  const std::string verb = operation.text.substr(0, operation.text.find(' '));
  for (const char* const word :
       {"OK", "epoch", "try 3", "seat", "snapshot", "NOT_OWNER", "STALE_MATCH", "MATCH_EXISTS",
        "NOT_FOUND", "UNIQUE_VIOLATION", "DATABASE_ERROR", "LEASE_CHANGED"}) {
    if (absl::StrContains(answer, word)) ++came[absl::StrCat(verb, " ", word)];
  }
}

class StoreConformance : public ::testing::Test {
 protected:
  match::PgTestStore postgres_;
  match::FakeTestStore fake_;
  ModelledStore modelled_;
  postgres::Pool other_pool_{postgres_.database().PoolOptions("match")};
  Side reference_ = {"Postgres",
                     [&](auto body) { body(postgres_.store()); },
                     [&](absl::Duration duration) { postgres_.Age(duration); },
                     {}};
  std::array<Side, 2> others_ = {Side{"the modelled store",
                                      [&](auto body) { modelled_.Run(body); },
                                      [&](absl::Duration duration) { modelled_.Age(duration); },
                                      {}},
                                 Side{"the fake store",
                                      [&](auto body) { RunOnFake(body); },
                                      [&](absl::Duration duration) { fake_.Age(duration); },
                                      {}}};

  // The same while another transaction has the lock of the partition, as an append has it that does
  // not come to an end, or a takeover (`exclusive`).
  std::string RunOnPostgresWhileHeld(int partition, bool exclusive, const Operation& operation) {
    std::string answer;
    const absl::Status held = other_pool_.Transact([&](postgres::Transaction& tx) {
      const auto locked = tx.Execute(exclusive ? "SELECT pg_advisory_xact_lock($1, $2)"
                                               : "SELECT pg_advisory_xact_lock_shared($1, $2)",
                                     {0x6d617463, partition});
      answer = Run(operation, reference_);
      return locked.status();
    });
    EXPECT_TRUE(held.ok()) << held;
    return answer;
  }

  std::string RunOnModelWhileHeld(int partition, bool exclusive, const Operation& operation) {
    const HeldPartition held(modelled_.database(), partition, exclusive);
    return Run(operation, others_.front());
  }

  // No two operations are at the same time.
  void RunOnFake(absl::FunctionRef<void(MatchStore&)> body) {
    fake_.Age(absl::Microseconds(1));
    body(fake_.store());
  }

  static std::string Run(const Operation& operation, Side& side) {
    std::string answer;
    side.run([&](MatchStore& store) { answer = operation.run(store, side); });
    return answer;
  }
};

TEST_F(StoreConformance, AnswersAsPostgresDoes) {
  const std::uint64_t operations = testing::NumberFromEnvironment("NAVAL_OPERATIONS", 3'000);
  const std::uint64_t seed = testing::NumberFromEnvironment("NAVAL_SEED", 1);
  std::cout << "again with NAVAL_SEED=" << seed << " NAVAL_OPERATIONS=" << operations << "\n";
  OperationList list(seed, postgres_.pool());
  std::map<std::string, int> came;
  for (std::uint64_t i = 1; i <= operations; ++i) {
    const bool looks = i % 500 == 0 || i == operations;
    const Operation operation = looks ? list.Everything(i == operations) : list.Next();
    const std::string expected = Run(operation, reference_);
    Note(operation, expected, came);
    for (Side& side : others_) {
      ASSERT_EQ(expected, Run(operation, side))
          << "Postgres, and " << side.name << ", at operation " << i << " of NAVAL_SEED=" << seed
          << ": " << operation.text;
    }
  }
  for (const char* const what : {"append OK",
                                 "append NOT_OWNER",
                                 "append STALE_MATCH",
                                 "append UNIQUE_VIOLATION",
                                 "append DATABASE_ERROR",
                                 "claim try 3",
                                 "create OK",
                                 "create NOT_OWNER",
                                 "create MATCH_EXISTS",
                                 "deliver OK",
                                 "keep OK",
                                 "drop OK",
                                 "load seat",
                                 "load snapshot",
                                 "load NOT_FOUND",
                                 "release OK",
                                 "remove OK",
                                 "snapshots OK",
                                 "take epoch",
                                 "take LEASE_CHANGED"}) {
    EXPECT_TRUE(came[what] > 0 || operations < 3'000) << what;
    std::cout << what << " " << came[what] << "\n";
  }
}

TEST_F(StoreConformance, MeetsTheLocksOfOthersAsPostgresDoes) {
  constexpr char kHeld[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e01";
  constexpr char kFree[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e02";
  constexpr char kNew[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e41";
  const auto row_of = [](const char* match_id, std::int64_t seq) {
    return Append{.match_id = match_id, .row = {.seq = seq, .event_time = absl::UnixEpoch()}};
  };
  const auto take_over = [](int partition) {
    return Operation{
        "take over", [partition](MatchStore& store, Side&) {
          return CodeAndReason(store.TakeOverLease({.partition = partition}, "a").status());
        }};
  };
  const auto create = [&](const char* match_id) {
    return Operation{"create", [first = row_of(match_id, 1)](MatchStore& store, Side&) {
                       return CodeAndReason(store.Create("created", first));
                     }};
  };
  for (const char* const match_id : {kHeld, kFree}) {
    for (Side* const side : {&reference_, &others_.front()}) {
      ASSERT_EQ(Run(create(match_id), *side), "OK");
    }
  }
  std::int64_t free_head_seq = 1;
  std::set<std::string> answers;
  for (const bool exclusive : {true, false}) {
    const Append batch[] = {row_of(kHeld, 2), row_of(kFree, ++free_head_seq)};
    const Operation append = {"append", [&](MatchStore& store, Side&) {
                                const auto outcomes = store.AppendRows(batch);
                                return absl::StrCat(CodeAndReason(outcomes->front()), ", ",
                                                    CodeAndReason(outcomes->back()));
                              }};
    // The takeovers come last: nothing is appended under the epoch of before after them.
    for (const Operation& operation :
         {append, create(kNew), take_over(match::PartitionOf(kHeld))}) {
      const std::string expected =
          RunOnPostgresWhileHeld(match::PartitionOf(kHeld), exclusive, operation);
      EXPECT_EQ(RunOnModelWhileHeld(match::PartitionOf(kHeld), exclusive, operation), expected)
          << operation.text << (exclusive ? " beside a takeover" : " beside an append");
      answers.insert(expected);
    }
  }
  EXPECT_THAT(answers, ElementsAre("ABORTED LEASE_BUSY", "OK", "OK, OK", "UNAVAILABLE NOT_OWNER",
                                   "UNAVAILABLE NOT_OWNER, OK"));
}

}  // namespace
}  // namespace naval::simulation
