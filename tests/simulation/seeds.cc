#include "tests/simulation/seeds.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <new>
#include <thread>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "tests/simulation/failure.h"

namespace naval::simulation {
namespace {

constexpr int kMaxProcesses = 64;

// What the processes share.
struct Shared {
  std::atomic<std::uint64_t> next_seed = 0;
  std::atomic<std::uint64_t> runs = 0;
  std::atomic<std::uint64_t> commands = 0;
  std::atomic<std::uint64_t> disasters = 0;
  std::atomic<std::uint64_t> digest = 0;
  struct Slot {
    std::uint64_t seed = 0;
    std::array<char, 4096> failure = {};
  };
  std::array<Slot, kMaxProcesses> slots;
};

[[noreturn]] void Work(Shared& shared, Shared::Slot& slot, std::uint64_t last) {
  slot.failure.front() = '\0';
  SetFailureBuffer(slot.failure.data(), slot.failure.size());
  while (true) {
    const std::uint64_t seed = shared.next_seed++;
    if (seed > last) _exit(0);
    slot.seed = seed;
    const RunReport report = RunSeed(seed, /*trace=*/false);
    ++shared.runs;
    shared.commands += static_cast<std::uint64_t>(report.commands);
    shared.disasters += static_cast<std::uint64_t>(report.disasters);
    shared.digest ^= report.digest;
  }
}

std::string WhatFailed(const Shared::Slot& slot, int status) {
  if (slot.failure.front() != '\0') return slot.failure.data();
  return WIFSIGNALED(status) ? absl::StrCat("ended by ", strsignal(WTERMSIG(status)))
                             : absl::StrCat("ended with code ", WEXITSTATUS(status));
}

}  // namespace

SeedsReport RunSeeds(SeedRange range, int processes, std::size_t max_failures) {
  if (processes == 0) processes = static_cast<int>(std::thread::hardware_concurrency());
  NAVAL_CHECK(processes >= 1 && processes <= kMaxProcesses);
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  NAVAL_CHECK(memory != MAP_FAILED);
  Shared& shared = *new (memory) Shared;
  shared.next_seed = range.first;
  SeedsReport report;
  std::map<pid_t, std::size_t> working;
  const auto start = [&](std::size_t slot) {
    const pid_t pid = fork();
    NAVAL_CHECK(pid >= 0);
    if (pid == 0) Work(shared, shared.slots.at(slot), range.last);
    working[pid] = slot;
  };
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(processes); ++slot) start(slot);
  while (!working.empty()) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    NAVAL_CHECK(pid > 0);
    const auto it = working.find(pid);
    if (it == working.end()) continue;
    const std::size_t slot = working.extract(it).mapped();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    report.failures[shared.slots.at(slot).seed] = WhatFailed(shared.slots.at(slot), status);
    if (report.failures.size() >= max_failures) shared.next_seed = range.last + 1;
    start(slot);
  }
  report.runs = shared.runs;
  report.commands = shared.commands;
  report.disasters = shared.disasters;
  report.digest = shared.digest;
  munmap(memory, sizeof(Shared));
  return report;
}

}  // namespace naval::simulation
