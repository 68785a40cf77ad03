#include "tests/races/race.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "tests/support/environment.h"

namespace naval::testing {
namespace {

constexpr size_t kThreads = 4;

// From here on every outcome must have occurred.
constexpr int kEnoughTries = 1'000;

uint64_t NewSeed() {
  base::SecureRandom random;
  return NumberFromEnvironment("NAVAL_RACE_SEED", 1 + random.Uniform(1'000'000'000),
                               /*least=*/1);
}

}  // namespace

size_t RaceTries() { return NumberFromEnvironment("NAVAL_RACE_TRIES", 1'000, /*least=*/1); }

Race::Race(std::string name, std::vector<std::string> outcomes)
    : name_(std::move(name)), outcomes_(std::move(outcomes)), seed_(NewSeed()) {}

Race::~Race() {
  base::MutexLock lock(mutex_);
  int tries = 0;
  for (const auto& [outcome, times] : histogram_) tries += times;
  absl::PrintF("%s, %d tries (NAVAL_RACE_SEED=%d)\n", name_, tries, seed_);
  for (const std::string& outcome : outcomes_) {
    absl::PrintF("  %7d  %s\n", histogram_[outcome], outcome);
    if (tries < kEnoughTries) continue;
    EXPECT_GT(histogram_[outcome], 0) << name_ << " never came out as: " << outcome;
  }
}

void Race::Run(size_t begin, size_t end, Try one) {
  InParallel(begin, end, [&](size_t number, base::Random& random) {
    if (!failed_) Count(number, one(number, random));
  });
}

void Race::InParallel(size_t begin, size_t end,
                      absl::FunctionRef<void(size_t number, base::Random& random)> one) {
  std::atomic<size_t> next = begin;
  const auto work = [&] {
    base::SeededRandom random(seed_ + streams_++);
    for (size_t number = next++; number < end; number = next++) one(number, random);
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

void Race::Count(size_t number, const absl::StatusOr<std::string>& outcome) {
  base::MutexLock lock(mutex_);
  if (outcome.ok() && absl::c_linear_search(outcomes_, *outcome)) {
    ++histogram_[*outcome];
    return;
  }
  failed_ = true;
  ADD_FAILURE() << name_ << ", try " << number << " of seed " << seed_ << ": "
                << (outcome.ok() ? "no legal outcome: " + *outcome : outcome.status().ToString());
}

void AtOnce(base::Random& random, std::vector<absl::FunctionRef<void()>> calls) {
  std::atomic<size_t> ready = 0;
  const auto run = [&](absl::FunctionRef<void()> call, uint64_t seed) {
    base::SeededRandom own(seed);
    ++ready;
    while (ready < calls.size()) std::this_thread::yield();
    Pause(own, 7);
    call();
  };
  std::vector<std::thread> threads;
  for (const absl::FunctionRef<void()> call : calls) {
    threads.emplace_back(run, call, random.Next());
  }
  for (std::thread& thread : threads) thread.join();
}

// A sleep would be longer than what is to be waited for.
void Pause(base::Random& random, uint64_t max_power) {
  static const base::SystemClock clock;
  const auto micros = int64_t{1} << random.Uniform(max_power + 1);
  const absl::Time end = clock.Now() + absl::Microseconds(micros);
  while (clock.Now() < end) std::this_thread::yield();
}

}  // namespace naval::testing
