#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "tests/support/cluster.h"

namespace naval::chaos {

// From the lightest to the gravest.
enum class FaultKind {
  // SIGKILL of a process of the match service, which is started again soon.
  kMatchKill,
  // SIGSTOP and SIGCONT of one, before its lease has run out.
  kMatchHalt,
  // As kMatchKill, but it stays away until its lease has run out and the other has taken over.
  kMatchGone,
  // As kMatchHalt, after the other has taken over.
  kMatchSleep,
  kRankingKill,
  // Immediate stop of Postgres, as after a crash, and start.
  kPostgresCrash,
};

absl::string_view FaultName(FaultKind kind);

// Something that was done to a process.
struct Fault {
  FaultKind kind;
  testing::Service service;
  absl::Time begin;
  // When it served again.
  absl::Time end;
};

// From the one to the other, each time drawn anew.
struct Range {
  absl::Duration from;
  absl::Duration to;
};

struct Schedule {
  // Between two faults of the kind.
  Range match{absl::Seconds(5), absl::Seconds(15)};
  Range ranking{absl::Seconds(20), absl::Seconds(40)};
  Range postgres{absl::Seconds(60), absl::Seconds(120)};
  // For how long a killed process is away. A process of the match service comes back as soon as one
  // that is started anew by whoever looks after it.
  Range match_away{absl::Milliseconds(500), absl::Milliseconds(1500)};
  Range away{absl::Milliseconds(500), absl::Seconds(3)};
  // Of a hundred faults of the match service, how many are kMatchHalt; and how many are kMatchGone
  // and how many kMatchSleep.
  int halt_percent = 10;
  int long_percent = 5;
};

// Harms the services of a cluster with two processes of the match service, as a seed decides. For
// the thread of the cluster; every call blocks.
class Faults {
 public:
  // `postgres` is the folder of the Postgres that the cluster uses, as tools/dev/postgres knows it,
  // and `tool` is that; empty: no harm is done to it. All must outlive this.
  Faults(testing::Cluster& cluster, base::Clock& clock, uint64_t seed, const Schedule& schedule,
         std::string tool, std::string postgres);

  // Does harm until `end`, or until `stopped`; then everything is healed.
  void Run(absl::Time end, const std::function<bool()>& stopped);

  // Halts whoever owns matches until the other has taken over, and lets it go on; so many times, or
  // until `stopped`.
  void Sleep(int times, const std::function<bool()>& stopped);

  const std::vector<Fault>& done() const { return done_; }

 private:
  absl::Duration Draw(const Range& range);
  void Later(absl::Duration pause, std::function<void()> action);
  void Note(FaultKind kind, testing::Service service, absl::Time begin);
  void HarmMatch();
  void HarmRanking();
  void CrashPostgres();
  void Kill(FaultKind kind, testing::Service service, absl::Duration away);
  void Halt(FaultKind kind, testing::Service service, absl::Duration duration);
  void RunTool(const std::string& command);
  void WaitUntil(absl::Time time);
  // How many partitions the process owns.
  int Owned(testing::Service service);

  testing::Cluster& cluster_;
  base::Clock& clock_;
  base::SeededRandom random_;
  const Schedule schedule_;
  const std::string tool_;
  const std::string postgres_;
  // Whether a process of the match service is as it should be.
  std::map<testing::Service, bool> well_ = {{testing::Service::kMatch, true},
                                            {testing::Service::kOtherMatch, true}};
  bool healing_ = false;
  std::multimap<absl::Time, std::function<void()>> due_;
  std::vector<Fault> done_;
};

}  // namespace naval::chaos
