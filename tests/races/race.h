#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"

namespace naval::testing {

// How often each race is run: the number in NAVAL_RACE_TRIES, or 1,000.
size_t RaceTries();

// One race, run again and again, and how it came out each time.
class Race {
 public:
  // One try: gives its outcome, or what was not as it must be. Called by some threads at once, each
  // with a `random` of its own.
  using Try = absl::FunctionRef<absl::StatusOr<std::string>(size_t number, base::Random& random)>;

  // `name` is printed. `outcomes` are all the legal ones. NAVAL_RACE_SEED sets the seed: it repeats
  // the steering, though not what the machine makes of it.
  Race(std::string name, std::vector<std::string> outcomes);
  // Prints the histogram and the seed. The test fails when a legal outcome did not occur in 1,000
  // tries: what never happens was not tested.
  ~Race();
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;

  uint64_t seed() const { return seed_; }

  // Runs the tries of these numbers. The test fails when one gives no legal outcome; then no other
  // begins.
  void Run(size_t begin, size_t end, Try one);
  void Run(Try one) { Run(0, RaceTries(), one); }

  // Calls `one` for all of these numbers, by some threads at once.
  void InParallel(size_t begin, size_t end,
                  absl::FunctionRef<void(size_t number, base::Random& random)> one);

 private:
  void Count(size_t number, const absl::StatusOr<std::string>& outcome) NAVAL_EXCLUDES(mutex_);

  const std::string name_;
  const std::vector<std::string> outcomes_;
  const uint64_t seed_;
  std::atomic<uint64_t> streams_ = 0;
  std::atomic<bool> failed_ = false;
  base::Mutex mutex_;
  std::map<std::string, int> histogram_ NAVAL_GUARDED_BY(mutex_);
};

// Calls all of them at the same time, on threads of their own and each after a Pause of up to 128
// us; returns when all have returned.
void AtOnce(base::Random& random, std::vector<absl::FunctionRef<void()>> calls);

// Returns after 1, 2, 4, ... or 2^`max_power` microseconds, each equally likely: wherever the
// moment lies at which a race is decided, some tries come near it from either side.
void Pause(base::Random& random, uint64_t max_power);

}  // namespace naval::testing
