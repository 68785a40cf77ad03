#include "lib/postgres/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "tests/support/free_port.h"
#include "tests/support/relay.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"
#include "tests/support/wait_for.h"

namespace naval::postgres {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class PoolTest : public ::testing::Test {
 protected:
  PoolTest() {
    EXPECT_THAT(Run(pool_,
                    "CREATE TABLE public.boat ("
                    " boat_id integer CONSTRAINT boat_key PRIMARY KEY,"
                    " length integer CHECK (length > 0))"),
                IsOk());
  }

  static absl::Status Run(Pool& pool, absl::string_view sql) {
    return pool.Transact(
        [&](Transaction& transaction) { return transaction.Execute(sql).status(); });
  }

  static absl::Status RunAlone(Pool& pool, absl::string_view sql) {
    return pool.TransactAlone(
        [&](Transaction& transaction) { return transaction.Execute(sql).status(); });
  }

  absl::StatusOr<int64_t> CountBoats() { return Number("SELECT count(*) AS n FROM boat"); }

  absl::StatusOr<int64_t> Number(absl::string_view sql) {
    return pool_.Transact([&](Transaction& transaction) -> absl::StatusOr<int64_t> {
      const auto rows = transaction.Execute(sql);
      if (!rows.ok()) return rows.status();
      return (*rows)[0].Get<int64_t>("n");
    });
  }

  // A call that the server does not answer takes 1.1 s.
  Pool::Options ImpatientOptions() {
    Pool::Options options = database_.PoolOptions();
    options.statement_timeout = absl::Milliseconds(100);
    return options;
  }

  base::SystemClock clock_;
  testing::TestDatabase database_;
  Pool pool_{database_.PoolOptions()};
};

// The server process at the other end of a transaction, stopped in mid-air until the object goes.
class FrozenBackend {
 public:
  enum When { kAtOnce, kAfterwards };

  explicit FrozenBackend(Transaction& transaction, When when = kAtOnce)
      : pid_(transaction.Execute("SELECT pg_backend_pid() AS pid").value()[0].Get<int32_t>("pid")) {
    if (when == kAtOnce) Freeze();
  }
  ~FrozenBackend() { kill(pid_, SIGCONT); }
  FrozenBackend(const FrozenBackend&) = delete;
  FrozenBackend& operator=(const FrozenBackend&) = delete;

  void Freeze() { EXPECT_EQ(kill(pid_, SIGSTOP), 0); }

 private:
  const pid_t pid_;
};

// Freezes the other end of a connection that nobody uses.
std::unique_ptr<FrozenBackend> FreezeIdle(Pool& pool) {
  std::unique_ptr<FrozenBackend> frozen;
  EXPECT_THAT(pool.Transact([&](Transaction& transaction) {
    frozen = std::make_unique<FrozenBackend>(transaction, FrozenBackend::kAfterwards);
    return absl::OkStatus();
  }),
              IsOk());
  frozen->Freeze();
  return frozen;
}

TEST_F(PoolTest, CommitsWhenTheBodyIsOk) {
  EXPECT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2)"), IsOk());
  EXPECT_EQ(CountBoats().value(), 1);
}

TEST_F(PoolTest, RollsBackWhenTheBodyIsNotOk) {
  const absl::Status status = pool_.Transact([&](Transaction& transaction) -> absl::Status {
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (1, 2)"), IsOk());
    return base::Error(absl::StatusCode::kFailedPrecondition, "NOT_TODAY", "not today");
  });
  EXPECT_THAT(status, HasReason("NOT_TODAY"));
  EXPECT_EQ(CountBoats().value(), 0);
}

TEST_F(PoolTest, CountsTheRowsThatAStatementTouched) {
  ASSERT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2), (2, 2), (3, 4)"), IsOk());
  ASSERT_THAT(pool_.Transact([](Transaction& transaction) {
    const auto rows = transaction.Execute("UPDATE boat SET length = 5 WHERE length = $1", {2});
    EXPECT_EQ(rows->affected(), 2u);
    EXPECT_TRUE(rows->empty());
    return rows.status();
  }),
              IsOk());
}

TEST_F(PoolTest, NamesTheConstraintOfAUniqueViolation) {
  ASSERT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2)"), IsOk());
  const absl::Status status = Run(pool_, "INSERT INTO boat VALUES (1, 3)");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(status, HasReason(kUniqueViolation));
  EXPECT_THAT(base::MetadataOf(status), ElementsAre(Pair("constraint", "boat_key")));
}

TEST_F(PoolTest, CommitsNothingAfterAFailedStatementWhateverTheBodySays) {
  const absl::Status status = pool_.Transact([](Transaction& transaction) {
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (1, 2)"), IsOk());
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (1, 2)"), Not(IsOk()));
    EXPECT_THAT(transaction.Execute("SELECT 1"), HasReason(kUniqueViolation));
    return absl::OkStatus();
  });
  EXPECT_THAT(status, HasReason(kUniqueViolation));
  EXPECT_EQ(CountBoats().value(), 0);
}

TEST_F(PoolTest, TellsTheCallerNothingOfAFailedStatementAndTheLogNoStoredValue) {
  ::testing::internal::CaptureStdout();
  const absl::Status status = Run(pool_, "INSERT INTO boat VALUES (123454321, -5)");
  const std::string log = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(status, HasReason(kDatabaseError));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("boat")));
  EXPECT_THAT(log, HasSubstr("boat_length_check"));
  EXPECT_THAT(log, HasSubstr("23514"));
  EXPECT_THAT(log, Not(HasSubstr("Failing row")));
}

TEST_F(PoolTest, HasEachConnectionReadAStatementOnce) {
  const auto insert = [&](int boat_id) {
    return pool_.Transact([&](Transaction& transaction) {
      return transaction.Execute("INSERT INTO boat VALUES ($1, $2)", {boat_id, 3}).status();
    });
  };
  ASSERT_THAT(insert(1), IsOk());
  ASSERT_THAT(insert(2), IsOk());
  EXPECT_THAT(insert(2), HasReason(kUniqueViolation));
  ASSERT_THAT(insert(3), IsOk());
  const char* const uses =
      "SELECT generic_plans + custom_plans AS n FROM pg_prepared_statements"
      " WHERE statement = 'INSERT INTO boat VALUES ($1, $2)'";
  EXPECT_EQ(Number(uses).value(), 4);
  // The next connection knows nothing of it.
  database_.DisconnectAll();
  ASSERT_THAT(insert(4), IsOk());
  EXPECT_EQ(Number(uses).value(), 1);
  EXPECT_EQ(CountBoats().value(), 4);
}

TEST_F(PoolTest, ReadsAStatementAnewWhenItsTableHasChanged) {
  ASSERT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2)"), IsOk());
  ASSERT_THAT(Run(pool_, "ALTER TABLE boat ADD COLUMN name text, ALTER COLUMN length TYPE bigint"),
              IsOk());
  EXPECT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2)"), HasReason(kUniqueViolation));
}

TEST_F(PoolTest, RefusesATextThatPostgresCannotStore) {
  for (const std::string& text : {std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_THAT(pool_.Transact([&](Transaction& transaction) {
      return transaction.Execute("SELECT $1::text", {text}).status();
    }),
                HasReason(kInvalidText));
  }
}

TEST_F(PoolTest, CallsALockThatIsNotGivenInTimeAConflict) {
  Pool::Options options = database_.PoolOptions();
  options.lock_timeout = absl::Milliseconds(20);
  Pool impatient(options);
  ASSERT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2)"), IsOk());
  ASSERT_THAT(pool_.Transact([&](Transaction& transaction) {
    EXPECT_THAT(transaction.Execute("SELECT 1 FROM boat FOR UPDATE"), IsOk());
    const absl::Status status = Run(impatient, "UPDATE boat SET length = 3");
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(status, HasReason(kTransactionConflict));
    EXPECT_NE(base::RetryDelayOf(status), std::nullopt);
    return absl::OkStatus();
  }),
              IsOk());
}

TEST_F(PoolTest, CallsADeadlockAConflict) {
  ASSERT_THAT(Run(pool_, "INSERT INTO boat VALUES (1, 2), (2, 2)"), IsOk());
  std::atomic<int> holding = 0;
  std::atomic<int> conflicts = 0;
  const auto lock_both = [&](int first, int second) {
    const absl::Status status = pool_.Transact([&](Transaction& transaction) {
      const absl::string_view lock = "SELECT 1 FROM boat WHERE boat_id = $1 FOR UPDATE";
      EXPECT_THAT(transaction.Execute(lock, {first}), IsOk());
      ++holding;
      EXPECT_TRUE(WaitFor([&] { return holding == 2; }));
      return transaction.Execute(lock, {second}).status();
    });
    if (!status.ok()) {
      EXPECT_THAT(status, HasReason(kTransactionConflict));
      ++conflicts;
    }
  };
  std::thread other(lock_both, 2, 1);
  lock_both(1, 2);
  other.join();
  EXPECT_EQ(conflicts, 1);
}

TEST_F(PoolTest, EndsAStatementThatTakesTooLong) {
  Pool::Options options = database_.PoolOptions();
  options.statement_timeout = absl::Milliseconds(20);
  Pool impatient(options);
  const absl::Status status = Run(impatient, "SELECT pg_sleep(60)");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(status, HasReason(kDatabaseUnavailable));
  EXPECT_THAT(Run(impatient, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, SaysThatTheDatabaseIsAway) {
  Pool::Options options = database_.PoolOptions();
  options.connection_string =
      "host=127.0.0.1 user=nobody port=" + std::to_string(testing::FreePort());
  Pool pool(options);
  const absl::Status status = Run(pool, "SELECT 1");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(status, HasReason(kDatabaseUnavailable));
  EXPECT_NE(base::RetryDelayOf(status), std::nullopt);
}

TEST_F(PoolTest, TakesAConnectionStringAsUriToo) {
  Pool::Options options = database_.PoolOptions();
  options.connection_string =
      "postgresql://nobody@127.0.0.1:" + std::to_string(testing::FreePort()) + "/x?sslmode=disable";
  Pool pool(options);
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(Run(pool, "SELECT 1"), HasReason(kDatabaseUnavailable));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("onnection refused"));
}

TEST_F(PoolTest, OpensAnewWhatDiedWhileNobodyUsedIt) {
  ASSERT_THAT(Run(pool_, "SELECT 1"), IsOk());
  database_.DisconnectAll();
  EXPECT_THAT(Run(pool_, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, ComesBackWhenTheDatabaseDoes) {
  ASSERT_THAT(Run(pool_, "SELECT 1"), IsOk());
  database_.RefuseConnections();
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(Run(pool_, "SELECT 1"), HasReason(kDatabaseUnavailable));
  }
  database_.AllowConnections();
  EXPECT_THAT(Run(pool_, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, NeverGoesOnInATransactionWhoseConnectionBroke) {
  const absl::Status status = pool_.Transact([&](Transaction& transaction) {
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (1, 2)"), IsOk());
    database_.DisconnectAll();
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (2, 2)"),
                HasReason(kDatabaseUnavailable));
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (3, 2)"),
                HasReason(kDatabaseUnavailable));
    return absl::OkStatus();
  });
  EXPECT_THAT(status, HasReason(kDatabaseUnavailable));
  EXPECT_EQ(CountBoats().value(), 0);
}

TEST_F(PoolTest, SaysThatACommitIsInDoubtWhenTheConnectionBrokeDuringIt) {
  const absl::Status status = pool_.Transact([&](Transaction& transaction) {
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (1, 2)"), IsOk());
    database_.DisconnectAll();
    return absl::OkStatus();
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(status, HasReason(kCommitInDoubt));
  EXPECT_NE(base::RetryDelayOf(status), std::nullopt);
  EXPECT_THAT(CountBoats(), IsOk());
}

TEST_F(PoolTest, CommitsAStatementByItself) {
  ASSERT_THAT(RunAlone(pool_, "INSERT INTO boat VALUES (1, 2)"), IsOk());
  EXPECT_THAT(RunAlone(pool_, "INSERT INTO boat VALUES (1, 3)"), HasReason(kUniqueViolation));
  EXPECT_THAT(RunAlone(pool_, "INSERT INTO boat VALUES (2, -1)"), HasReason(kDatabaseError));
  EXPECT_EQ(CountBoats().value(), 1);
}

TEST_F(PoolTest, CallsAColumnThatDoesNotFitAnErrorAfterAStatementByItself) {
  EXPECT_THAT(pool_.TransactAlone([](Transaction& transaction) -> absl::StatusOr<int64_t> {
    const auto rows = transaction.Execute("SELECT NULL::bigint AS n");
    return (*rows)[0].Get<int64_t>("n");
  }),
              HasReason(kDatabaseError));
}

TEST_F(PoolTest, OpensAnewWhatDiedWhileNobodyUsedItForAStatementByItself) {
  ASSERT_THAT(RunAlone(pool_, "SELECT 1"), IsOk());
  database_.DisconnectAll();
  EXPECT_THAT(RunAlone(pool_, "INSERT INTO boat VALUES (1, 2)"), IsOk());
  EXPECT_EQ(CountBoats().value(), 1);
}

TEST_F(PoolTest, SaysThatAStatementByItselfIsInDoubtWhenItsConnectionBreaks) {
  EXPECT_THAT(RunAlone(pool_, "SELECT pg_terminate_backend(pg_backend_pid())"),
              HasReason(kCommitInDoubt));
  EXPECT_THAT(RunAlone(pool_, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, KnowsThatAStatementByItselfThatTookTooLongWasNotDone) {
  Pool pool(ImpatientOptions());
  EXPECT_THAT(RunAlone(pool, "SELECT pg_sleep(60)"), HasReason(kDatabaseUnavailable));
}

// The longest that a call of a pool with 5 s for a statement may take by its promise, and what a
// busy machine may add.
constexpr absl::Duration kCallLimit = absl::Seconds(6);

TEST_F(PoolTest, CutsACallWhoseServerDoesNotAnswer) {
  Pool pool(ImpatientOptions());
  const absl::Time begin = clock_.Now();
  EXPECT_THAT(pool.Transact([&](Transaction& transaction) {
    const FrozenBackend frozen(transaction);
    EXPECT_THAT(transaction.Execute("SELECT 1"), HasReason(kDatabaseUnavailable));
    return absl::OkStatus();
  }),
              HasReason(kDatabaseUnavailable));
  EXPECT_LT(clock_.Now() - begin, kCallLimit);
  EXPECT_THAT(Run(pool, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, SaysThatACommitIsInDoubtWhenItsServerDoesNotAnswer) {
  Pool pool(ImpatientOptions());
  std::optional<FrozenBackend> frozen;
  const absl::Time begin = clock_.Now();
  EXPECT_THAT(pool.Transact([&](Transaction& transaction) {
    // Else the server's own limit for a transaction that says nothing may come before the COMMIT.
    EXPECT_THAT(transaction.Execute("SET LOCAL idle_in_transaction_session_timeout = 0"), IsOk());
    EXPECT_THAT(transaction.Execute("INSERT INTO boat VALUES (1, 2)"), IsOk());
    frozen.emplace(transaction);
    return absl::OkStatus();
  }),
              HasReason(kCommitInDoubt));
  EXPECT_LT(clock_.Now() - begin, kCallLimit);
  frozen.reset();
  // The COMMIT had left, and the server came to it after all.
  EXPECT_TRUE(WaitFor([&] { return CountBoats().value() == 1; }));
}

TEST_F(PoolTest, RollsBackWithinItsTimeWhenTheServerDoesNotAnswer) {
  Pool pool(ImpatientOptions());
  const absl::Time begin = clock_.Now();
  std::optional<FrozenBackend> frozen;
  EXPECT_THAT(pool.Transact([&](Transaction& transaction) {
    frozen.emplace(transaction);
    return base::Error(absl::StatusCode::kFailedPrecondition, "NOT_TODAY", "not today");
  }),
              HasReason("NOT_TODAY"));
  EXPECT_LT(clock_.Now() - begin, kCallLimit);
}

TEST_F(PoolTest, OpensAnewWhatFroze) {
  const auto frozen = FreezeIdle(pool_);
  EXPECT_THAT(Run(pool_, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, SaysThatAStatementByItselfIsInDoubtWhenItsServerFroze) {
  Pool pool(ImpatientOptions());
  const auto frozen = FreezeIdle(pool);
  EXPECT_THAT(RunAlone(pool, "SELECT 1"), HasReason(kCommitInDoubt));
  EXPECT_THAT(RunAlone(pool, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, AnswersAQueueOfCallsInOneGoWhenNoServerAnswers) {
  testing::Relay silent(testing::TestDatabase::port());
  silent.Freeze();
  Pool::Options options = database_.PoolOptions();
  options.connection_string += " port=" + std::to_string(silent.port());
  options.max_connections = 1;
  options.max_wait_duration = absl::InfiniteDuration();
  Pool pool(options);
  const absl::Time begin = clock_.Now();
  std::vector<std::thread> calls;
  for (int i = 0; i < 10; ++i) {
    calls.emplace_back(
        [&] { EXPECT_THAT(Run(pool, "SELECT 1"), StatusIs(absl::StatusCode::kUnavailable)); });
  }
  for (std::thread& call : calls) call.join();
  // One waits in vain for 2 s; ten, one after the other, would take 20.
  EXPECT_LT(clock_.Now() - begin, absl::Seconds(10));
}

TEST_F(PoolTest, EndsWhatRunsWhenItIsDrainedAndTakesNothingMore) {
  Pool::Options options = database_.PoolOptions();
  options.statement_timeout = absl::Minutes(1);
  Pool pool(options);
  std::atomic<bool> begun = false;
  std::thread call([&] {
    EXPECT_THAT(pool.Transact([&](Transaction& transaction) {
      begun = true;
      return transaction.Execute("SELECT pg_sleep(60)").status();
    }),
                HasReason(kDatabaseUnavailable));
  });
  EXPECT_TRUE(WaitFor([&] { return begun.load(); }));
  pool.Drain(absl::Milliseconds(50));
  call.join();
  EXPECT_THAT(Run(pool, "SELECT 1"), HasReason(kDatabaseUnavailable));
}

TEST_F(PoolTest, HasTheServerEndATransactionThatSaysNothing) {
  Pool pool(ImpatientOptions());
  const absl::Status ended = pool.Transact([&](Transaction& transaction) {
    const auto self = transaction.Execute("SELECT pg_backend_pid() AS pid");
    const auto pid = (*self)[0].Get<int32_t>("pid");
    const std::string count =
        absl::StrCat("SELECT count(*) AS n FROM pg_stat_activity WHERE pid = ", pid);
    EXPECT_TRUE(WaitFor([&] { return Number(count).value() == 0; }));
    return absl::OkStatus();
  });
  EXPECT_THAT(ended, Not(IsOk()));
}

TEST_F(PoolTest, RefusesACallThatWaitsTooLongForAConnection) {
  Pool::Options options = database_.PoolOptions();
  options.max_connections = 1;
  options.max_wait_duration = absl::Milliseconds(20);
  Pool small(options);
  ASSERT_THAT(small.Transact([&](Transaction&) {
    const absl::Status refused = Run(small, "SELECT 1");
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted));
    EXPECT_THAT(refused, HasReason("SERVER_BUSY"));
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_THAT(Run(small, "SELECT 1"), IsOk());
}

TEST_F(PoolTest, RefusesACallAtOnceWhenTooManyWait) {
  Pool::Options options = database_.PoolOptions();
  options.max_connections = 1;
  options.max_waiting = 0;
  options.max_wait_duration = absl::InfiniteDuration();
  Pool small(options);
  ASSERT_THAT(small.Transact([&](Transaction&) {
    EXPECT_THAT(Run(small, "SELECT 1"), HasReason("SERVER_BUSY"));
    return absl::OkStatus();
  }),
              IsOk());
}

TEST_F(PoolTest, ServesManyThreadsWithFewConnections) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([this, i] {
      for (int j = 0; j < 10; ++j) {
        EXPECT_THAT(pool_.Transact([&](Transaction& transaction) {
          return transaction.Execute("INSERT INTO boat VALUES ($1, 1)", {i * 10 + j}).status();
        }),
                    IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountBoats().value(), 160);
  EXPECT_LE(Number("SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'test'"
                   " AND datname = current_database()")
                .value(),
            2);
}

TEST_F(PoolTest, KeepsARoleOutOfTheSchemasOfOthers) {
  Pool match(database_.PoolOptions("match"));
  ASSERT_THAT(Run(match, "CREATE TABLE match.secret (fleet text)"), IsOk());
  Pool ranking(database_.PoolOptions("ranking"));
  EXPECT_THAT(Run(ranking, "SELECT fleet FROM match.secret"),
              StatusIs(absl::StatusCode::kInternal));
}

class RecordingObserver final : public PoolObserver {
 public:
  void CallEnded(const PoolCall& call) override { calls.push_back(call); }
  std::vector<PoolCall> calls;
};

TEST_F(PoolTest, TellsItsObserverOfEachCallAndItsUsage) {
  RecordingObserver observer;
  Pool::Options options = database_.PoolOptions();
  options.max_connections = 3;
  options.observer = &observer;
  Pool pool(options);
  EXPECT_EQ(pool.usage().max_connections, 3u);
  EXPECT_EQ(pool.usage().idle, 0u);
  EXPECT_THAT(pool.Transact([&](Transaction&) {
    EXPECT_EQ(pool.usage().in_use, 1u);
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_EQ(pool.usage().in_use, 0u);
  EXPECT_EQ(pool.usage().idle, 1u);
  EXPECT_THAT(Run(pool, "SELECT no_such_column"), HasReason(kDatabaseError));
  ASSERT_EQ(observer.calls.size(), 2u);
  EXPECT_THAT(observer.calls[0].status, IsOk());
  EXPECT_GT(observer.calls[0].took.value(), absl::ZeroDuration());
  EXPECT_THAT(observer.calls[1].status, HasReason(kDatabaseError));
}

}  // namespace
}  // namespace naval::postgres
