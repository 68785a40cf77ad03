#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/base/random.h"
#include "naval/match/log/v1/log.pb.h"
#include "tests/simulation/database.h"
#include "tests/simulation/events.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/pod.h"
#include "tests/simulation/referee.h"
#include "tests/simulation/swarm.h"
#include "tests/simulation/twin.h"

namespace naval::simulation {

class Player;

// How a call came to the process that answers it.
struct Route {
  Pod* pod;
  // The process that handed it on; null when it came straight.
  Pod* handed_on_by = nullptr;
};

// What came of a seed that went well.
struct RunReport {
  // Equal for equal runs.
  std::uint64_t digest = 0;
  int commands = 0;
  int disasters = 0;
  absl::Duration duration;
};

// Runs the world of this seed, twice where it has a twin, and compares the two. Ends the process
// when anything is as it must not be (Fail). `trace`: prints what happens.
RunReport RunSeed(std::uint64_t seed, bool trace);

// One run: some processes of the match service over one database, players who play whole matches on
// them, and all that goes wrong meanwhile. After a while nothing goes wrong any more, and then
// every match has to end.
class World {
 public:
  // `second`: of the two worlds of the seed.
  World(std::uint64_t seed, bool trace, bool second);
  ~World();

  RunReport Run();

  // For the players.
  Fibers& fibers() { return fibers_; }
  Events& events() { return events_; }
  Referee& referee() { return referee_; }
  base::Random& random() { return random_; }
  const Swarm& swarm() const { return swarm_; }
  // Null where the seed has one world alone.
  Twin* twin() { return twin_.has_value() ? &*twin_ : nullptr; }
  // Nothing goes wrong any more, and nobody is absent.
  bool healed() const { return healed_; }
  bool OneIn(int n) { return n > 0 && random_.Uniform(static_cast<std::uint64_t>(n)) == 0; }
  // On average `mean`, mostly less.
  absl::Duration About(absl::Duration mean);
  absl::Duration Latency() { return About(swarm_.latency); }
  std::string NewId();
  void CountCommand() { ++report_.commands; }

  // Calls a process about a match: it goes to any, which hands it on to the owner when it is not
  // that itself, as the Forwarder does. On the way there and back it may be lost, and it may arrive
  // twice. `call` gives it to the process; `check` hears what the process says, when it says it;
  // `reply` hears it when, and if, it has come back.
  template <typename T>
  void Call(const std::string& match_id, std::function<void(const Route&, Reply<T>)> call,
            std::function<void(const absl::StatusOr<T>&)> check, Reply<T> reply);

  // A stream that goes this way, so that it breaks with any of it.
  void Serves(const Route& route, const std::string& match_id,
              const std::shared_ptr<ServedStream>& stream);
  void Break(const std::shared_ptr<ServedStream>& stream);

  // Prints what `text` says when this run is traced.
  void Trace(absl::FunctionRef<std::string()> text) const;

 private:
  struct Stream {
    Route route;
    int partition;
    std::weak_ptr<ServedStream> stream;
  };
  template <typename T>
  struct CallParts;

  void Live();
  void StartPod(const std::string& owner);
  // Anew for each process.
  absl::Duration ClockError();
  void CreateMatch(int number);
  void SendCreate(const std::string& match_id, const match::log::v1::MatchCreated& created);
  void ScheduleDisaster();
  void Disaster();
  void Heal();
  void LookAgain();
  bool IsOver() const;
  void End();
  Pod* AnyPod();
  Pod* PodAt(const std::string& address);
  std::vector<Pod*> Serving();
  absl::Status Told(const Pod& pod, absl::FunctionRef<void()> tell);
  template <typename T>
  void Arrive(const std::shared_ptr<CallParts<T>>& parts, Pod* pod, Pod* handed_on_by);
  static void LearnFrom(const absl::Status& answer, Pod& handed_on_by);
  void BreakStreamsOf(const Pod& pod);
  void EndHandedOn(const Pod& by, int partition);

  base::SeededRandom random_;
  const bool trace_;
  const Swarm swarm_;
  std::optional<Twin> twin_;
  const auth::Sealer& sealer_;
  Fibers fibers_;
  Events events_;
  Referee referee_;
  Database database_;
  std::vector<std::unique_ptr<Pod>> pods_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<Player>> players_;
  std::int64_t ids_ = 0;
  bool healed_ = false;
  RunReport report_;
};

template <typename T>
struct World::CallParts {
  std::string match_id;
  std::function<void(const Route&, Reply<T>)> call;
  std::function<void(const absl::StatusOr<T>&)> check;
  Reply<T> reply;
};

template <typename T>
void World::Call(const std::string& match_id, std::function<void(const Route&, Reply<T>)> call,
                 std::function<void(const absl::StatusOr<T>&)> check, Reply<T> reply) {
  const auto parts = std::make_shared<CallParts<T>>(
      CallParts<T>{match_id, std::move(call), std::move(check), std::move(reply)});
  const auto send = [this, parts] {
    events_.In(Latency(), [this, parts] { Arrive(parts, AnyPod(), /*handed_on_by=*/nullptr); });
  };
  if (healed_ || !OneIn(swarm_.lost_one_in)) send();
  if (!healed_ && OneIn(swarm_.doubled_one_in)) send();
}

template <typename T>
void World::Arrive(const std::shared_ptr<CallParts<T>>& parts, Pod* pod, Pod* handed_on_by) {
  const auto answer = [this, parts, handed_on_by](absl::StatusOr<T> result) {
    const bool way_is_gone = handed_on_by != nullptr && handed_on_by->dead();
    if (way_is_gone || (!healed_ && OneIn(swarm_.lost_one_in))) return;
    if (handed_on_by != nullptr) LearnFrom(result.status(), *handed_on_by);
    events_.In(Latency(),
               [parts, result = std::move(result)]() mutable { parts->reply(std::move(result)); });
  };
  if (pod == nullptr) return answer(absl::UnavailableError("no process is there"));
  const std::string owner = handed_on_by == nullptr ? pod->OwnerAddress(parts->match_id) : "";
  if (!owner.empty()) {
    if (pod->paused()) return;
    events_.In(Latency(), [this, parts, pod, owner] { Arrive(parts, PodAt(owner), pod); });
    return;
  }
  parts->call({pod, handed_on_by}, [parts, answer](absl::StatusOr<T> result) {
    parts->check(result);
    answer(std::move(result));
  });
}

}  // namespace naval::simulation
