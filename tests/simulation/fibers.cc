#include "tests/simulation/fibers.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/failure.h"

#if defined(__SANITIZE_ADDRESS__)
#define NAVAL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NAVAL_ASAN 1
#endif
#endif

#ifdef NAVAL_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace naval::simulation {
namespace {

namespace context = boost::context;

// The begin of all runs.
constexpr absl::Time kBegin = absl::FromUnixSeconds(1'800'000'000);

// More than any run needs between two moments; a fiber that goes on and on waits for nothing.
constexpr std::uint64_t kMaxSwitches = 2'000'000;

#ifdef NAVAL_ASAN
constexpr std::size_t kStackSize = std::size_t{1} << 20;
#else
constexpr std::size_t kStackSize = std::size_t{1} << 18;
#endif

// Stacks are used again by every run of the process: making one costs more than the fiber does.
std::vector<void*>& FreeStacks() {
  static auto& stacks = *new std::vector<void*>;
  return stacks;
}

struct Stacks {
  context::stack_context allocate() {  // NOLINT(readability-identifier-naming): Boost calls it.
    void* bottom = nullptr;
    if (FreeStacks().empty()) {
      // The lowest page stays closed: who runs over the end dies there.
      constexpr std::size_t kPage = 4096;
      bottom =
          mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      NAVAL_REQUIRE(bottom != MAP_FAILED, "no memory for a stack");
      NAVAL_REQUIRE(mprotect(bottom, kPage, PROT_NONE) == 0, "no guard for a stack");
    } else {
      bottom = FreeStacks().back();
      FreeStacks().pop_back();
    }
    context::stack_context stack;
    stack.size = kStackSize;
    stack.sp = static_cast<char*>(bottom) + kStackSize;
    return stack;
  }
  void deallocate(context::stack_context& stack) {  // NOLINT(readability-identifier-naming)
    FreeStacks().push_back(static_cast<char*>(stack.sp) - stack.size);
  }
};

// The address sanitizer has to be told of every change of the stack.
void BeginSwitch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                 [[maybe_unused]] std::size_t size) {
#ifdef NAVAL_ASAN
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
}

void EndSwitch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** old_bottom,
               [[maybe_unused]] std::size_t* old_size) {
#ifdef NAVAL_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_size);
#endif
}

}  // namespace

class Fibers::Joinable final : public Task {
 public:
  Joinable(Fibers& fibers, Fiber& fiber) : fibers_(fibers), fiber_(fiber) {}
  ~Joinable() override {
    NAVAL_REQUIRE(joined_, absl::StrCat("thread ", fiber_.name, " was never joined"));
  }
  void Join() override {
    fibers_.Join(fiber_);
    joined_ = true;
  }

 private:
  Fibers& fibers_;
  Fiber& fiber_;
  bool joined_ = false;
};

Fibers::Fibers(base::Random& random, int interrupt_one_in)
    : random_(random), interrupt_one_in_(interrupt_one_in), now_(kBegin), hosts_(1) {
  SetCurrent(this);
}

Fibers::~Fibers() { SetCurrent(nullptr); }

void Fibers::Run(absl::AnyInvocable<void()> body) {
  NewFiber(0, "world", std::move(body));
  while (Fiber* const next = Next()) SwitchTo(*next);
}

Fibers::Host Fibers::AddHost() {
  hosts_.emplace_back();
  return hosts_.size() - 1;
}

base::Thread Fibers::StartOn(Host host, const std::string& name, absl::AnyInvocable<void()> body) {
  const Host mine = std::exchange(current_->host, host);
  base::Thread thread(name, std::move(body));
  current_->host = mine;
  return thread;
}

std::unique_ptr<base::Scheduler::Task> Fibers::Start(const std::string& name,
                                                     absl::AnyInvocable<void()> body) {
  NAVAL_REQUIRE(current_ != nullptr, "a thread is started outside of the simulation");
  return std::make_unique<Joinable>(*this, *NewFiber(current_->host, name, std::move(body)));
}

Fibers::Fiber* Fibers::NewFiber(Host host, const std::string& name,
                                absl::AnyInvocable<void()> body) {
  Fiber* const fiber = fibers_.emplace_back(std::make_unique<Fiber>()).get();
  fiber->id = fibers_.size();
  fiber->host = host;
  fiber->name = name;
  fiber->body = std::move(body);
  ++running_;
  ready_.push_back(fiber);
  return fiber;
}

Fibers::Fiber* Fibers::Next() {
  while (running_ > 0) {
    if (Fiber* const fiber = TakeReady(); fiber != nullptr) return fiber;
    LetTimePass();
  }
  return nullptr;
}

Fibers::Fiber* Fibers::TakeReady() {
  while (!ready_.empty()) {
    const std::size_t choice = ready_.size() == 1 ? 0 : random_.Uniform(ready_.size());
    Fiber* const fiber = ready_[choice];
    ready_[choice] = ready_.back();
    ready_.pop_back();
    HostState& host = hosts_[fiber->host];
    if (!host.paused) return fiber;
    host.parked.push_back(fiber);
  }
  return nullptr;
}

void Fibers::LetTimePass() {
  switches_ = 0;
  NAVAL_REQUIRE(!timers_.empty(), absl::StrCat("all threads wait for ever:", Waiting()));
  now_ = timers_.top().due;
  // All of one moment together, so that none of them is always the first.
  while (!timers_.empty() && timers_.top().due == now_) {
    const Timer timer = timers_.top();
    timers_.pop();
    if (timer.fiber->wakes != timer.wakes) continue;
    timer.fiber->timed_out = true;
    StopWaiting(timer.fiber);
    MakeReady(timer.fiber);
  }
}

void Fibers::SwitchTo(Fiber& fiber) {
  NAVAL_REQUIRE(++switches_ < kMaxSwitches, absl::StrCat("time stands still in ", fiber.name));
  Mix(fiber.id + static_cast<std::uint64_t>(absl::ToUnixMicros(now_)));
  current_ = &fiber;
  if (fiber.body != nullptr) {
    Stacks stacks;
    context::stack_context stack = stacks.allocate();
    fiber.stack_size = stack.size;
    fiber.stack_bottom = static_cast<char*>(stack.sp) - stack.size;
    fiber.context = context::fiber(
        std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), stacks,
        [this, &fiber, body = std::exchange(fiber.body, nullptr)](context::fiber&& main) mutable {
          EndSwitch(nullptr, &main_stack_bottom_, &main_stack_size_);
          main_ = std::move(main);
          std::exchange(body, nullptr)();
          fiber.ended = true;
          NAVAL_REQUIRE(fiber.locks == 0, absl::StrCat(fiber.name, " ends with a lock"));
          for (Fiber* const joiner : std::exchange(fiber.joiners, {})) MakeReady(joiner);
          --running_;
          BeginSwitch(nullptr, main_stack_bottom_, main_stack_size_);
          return std::move(main_);
        });
  }
  void* fake_stack = nullptr;
  BeginSwitch(&fake_stack, fiber.stack_bottom, fiber.stack_size);
  fiber.context = std::move(fiber.context).resume();
  EndSwitch(fake_stack, nullptr, nullptr);
  current_ = nullptr;
}

void Fibers::Park() {
  Fiber& me = *current_;
  BeginSwitch(&me.fake_stack, main_stack_bottom_, main_stack_size_);
  main_ = std::move(main_).resume();
  EndSwitch(me.fake_stack, &main_stack_bottom_, &main_stack_size_);
}

void Fibers::MakeReady(Fiber* fiber) {
  ++fiber->wakes;
  ready_.push_back(fiber);
}

void Fibers::Resume(Host host) {
  hosts_[host].paused = false;
  for (Fiber* const fiber : std::exchange(hosts_[host].parked, {})) ready_.push_back(fiber);
}

void Fibers::WakeAt(absl::Time due) {
  // Clocks of machines show whole nanoseconds.
  due = absl::UnixEpoch() + absl::Ceil(due - absl::UnixEpoch(), absl::Nanoseconds(1));
  timers_.push({due, ++timers_set_, current_, current_->wakes});
}

void Fibers::Sleep(absl::Duration duration) {
  RequireNoLock("sleep");
  WakeAt(now_ + duration);
  Park();
}

void Fibers::RequireNoLock(absl::string_view what) const {
  NAVAL_REQUIRE(current_->locks == 0,
                absl::StrCat(current_->name, " holds ", current_->locks, " locks in ", what));
}

void Fibers::Join(Fiber& fiber) {
  RequireNoLock("join");
  while (!fiber.ended) {
    fiber.joiners.push_back(current_);
    Park();
  }
}

void Fibers::Lock(base::Mutex& mutex) {
  if (current_ == nullptr) {
    NAVAL_REQUIRE(TryLock(mutex), "a lock is held when all is over");
    return;
  }
  Fiber& me = *current_;
  if (OneIn(interrupt_one_in_)) {
    MakeReady(&me);
    Park();
  }
  while (!TryLock(mutex)) {
    me.wanted = &mutex;
    blocked_.push_back(&me);
    Park();
  }
  me.wanted = nullptr;
  ++me.locks;
}

void Fibers::Unlock(base::Mutex& mutex) {
  Release(mutex);
  if (current_ != nullptr) --current_->locks;
  for (std::size_t i = 0; i < blocked_.size();) {
    if (blocked_[i]->wanted != &mutex) {
      ++i;
      continue;
    }
    MakeReady(blocked_[i]);
    blocked_.erase(blocked_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool Fibers::Wait(base::CondVar& changed, base::Mutex& mutex, absl::Duration timeout) {
  Fiber& me = *current_;
  Unlock(mutex);
  RequireNoLock("wait");
  me.timed_out = false;
  me.waits_for = &changed;
  waiters_[&changed].push_back(&me);
  if (timeout != absl::InfiniteDuration()) WakeAt(now_ + timeout);
  Park();
  const bool timed_out = me.timed_out;
  Lock(mutex);
  return timed_out;
}

void Fibers::StopWaiting(Fiber* fiber) {
  const auto it = waiters_.find(std::exchange(fiber->waits_for, nullptr));
  if (it == waiters_.end()) return;
  std::erase(it->second, fiber);
  if (it->second.empty()) waiters_.erase(it);
}

void Fibers::NotifyOne(base::CondVar& changed) {
  const auto it = waiters_.find(&changed);
  if (it == waiters_.end()) return;
  const std::vector<Fiber*>& fibers = it->second;
  Fiber* const woken = fibers[fibers.size() == 1 ? 0 : random_.Uniform(fibers.size())];
  StopWaiting(woken);
  MakeReady(woken);
}

void Fibers::NotifyAll(base::CondVar& changed) {
  const auto it = waiters_.find(&changed);
  if (it == waiters_.end()) return;
  for (Fiber* const fiber : it->second) {
    fiber->waits_for = nullptr;
    MakeReady(fiber);
  }
  waiters_.erase(it);
}

std::string Fibers::Waiting() const {
  std::string names;
  for (const auto& fiber : fibers_) {
    if (!fiber->ended) absl::StrAppend(&names, " ", fiber->host, "/", fiber->name);
  }
  return names;
}

bool FiberClock::WaitUntil(base::CondVar& changed, base::Mutex& mutex, absl::Time deadline) {
  const absl::Duration remaining = deadline - Now();
  if (remaining <= absl::ZeroDuration()) return true;
  changed.WaitFor(mutex, remaining);
  return Now() >= deadline;
}

}  // namespace naval::simulation
