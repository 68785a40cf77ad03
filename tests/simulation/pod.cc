#include "tests/simulation/pod.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "tests/simulation/failure.h"

namespace naval::simulation {
namespace {

// How long a process lets its streams end when it is told to.
constexpr absl::Duration kDrainDuration = absl::Seconds(1);
// What starts a process again waits so long.
constexpr absl::Duration kRestartDelay = absl::Seconds(1);

}  // namespace

bool ServedStream::Push(match::WatchMessage message) {
  // What comes after the end is not sent.
  if (broken_ || ended_) return true;
  if (!unsent_.Push(message)) {
    NAVAL_REQUIRE(begun_, "a stream is cut by what it begins with");
    ended_ = true;
    return false;
  }
  check_(*message);
  NAVAL_REQUIRE(++waiting_ <= match::kMaxUnsentMessages, "too much waits for one reader");
  return true;
}

void ServedStream::End(const absl::Status& status) {
  ended_ = true;
  unsent_.End(status);
}

void ServedStream::Flush() {
  if (broken_ || stalled_ || finished_) return;
  std::vector<match::WatchMessage> messages;
  while (!unsent_.empty()) messages.push_back(unsent_.Take());
  const std::optional<absl::Status> end = unsent_.end();
  if (messages.empty() && !end.has_value()) return;
  begun_ = true;
  finished_ = end.has_value();
  waiting_ = 0;
  receive_(std::move(messages), end);
}

void ServedStream::GoOn() {
  stalled_ = false;
  Flush();
}

void SnapshotObserver::SnapshotUnreadable() {
  NAVAL_REQUIRE(false, "a snapshot that was kept cannot be read");
}

Pod::Pod(const Ground& ground, std::string owner, std::uint64_t seed)
    : ground_(ground),
      owner_(std::move(owner)),
      host_(ground.fibers.AddHost()),
      random_(seed),
      clock_(ground.fibers, ground.clock_error),
      connection_(ground.database, ground.release) {
  main_ = ground_.fibers.StartOn(host_, "main", [this] { Main(); });
}

Pod::~Pod() { NAVAL_REQUIRE(ended_, "a process is destroyed that runs"); }

void Pod::Main() {
  while (!Start() && !dead_ && !draining_) ground_.fibers.Sleep(kRestartDelay);
  serving_ = core_ != nullptr;
  if (serving_) WaitForEnd();
  serving_ = false;
  if (core_ != nullptr && !dead_) {
    core_->Drain();
    for (int partition = 0; partition < match::kPartitions; ++partition) ground_.moved(partition);
    ground_.fibers.Sleep(kDrainDuration);
  }
  if (calls_ != nullptr) calls_->Stop();
  core_.reset();
  calls_.reset();
  ended_ = true;
}

bool Pod::Start() {
  core_ = std::make_unique<match::MatchCore>(
      match::MatchCore::Ground{.store = connection_,
                               .sealer = ground_.sealer,
                               .random = random_,
                               .clock = clock_,
                               .machine_clock = clock_,
                               .observer = observer_},
      match::MatchCore::Options{.send_to_lobby = ground_.send_to_lobby,
                                .send_to_ranking = ground_.send_to_ranking,
                                .owner = owner_,
                                .peer_address = owner_,
                                .bots_pause = ground_.bots_pause});
  if (!core_->Start(ground_.moved).ok()) {
    core_.reset();
    return false;
  }
  // As gRPC's callback API has it.
  calls_ = std::make_unique<base::Executor>(
      base::Executor::Options{.name = "grpc", .threads = 2, .max_queued = 100'000});
  return true;
}

std::string Pod::OwnerAddress(const std::string& match_id) {
  const auto known = core_->ownership().OwnerAddress(match::PartitionOf(match_id));
  if (!known.has_value()) return "";
  if (known->empty()) LookSoon();
  return *known;
}

void Pod::LookSoon() {
  if (serving()) core_->ownership().LookSoon();
}

void Pod::Pause() {
  paused_ = true;
  ground_.fibers.Pause(host_);
}

void Pod::Resume() {
  paused_ = false;
  ground_.fibers.Resume(host_);
}

void Pod::WaitForEnd() {
  base::MutexLock lock(mutex_);
  while (!dead_ && !draining_) told_to_end_.Wait(mutex_);
}

void Pod::Crash() {
  dead_ = true;
  connection_.Cut();
  // Cleared away although it may have been paused.
  Resume();
  told_to_end_.NotifyAll();
}

void Pod::Drain() {
  draining_ = true;
  told_to_end_.NotifyAll();
}

template <typename T>
void Pod::Submit(Reply<T> reply, std::function<void(Reply<T>)> call) {
  NAVAL_REQUIRE(serving(), "a call is given to a process that takes none");
  // The dead do not answer.
  Reply<T> alive = [this, reply](absl::StatusOr<T> result) {
    if (!dead_) reply(std::move(result));
  };
  const absl::Status taken =
      calls_->Submit([call = std::move(call), alive = std::move(alive)] { call(alive); });
  // It ends at this moment.
  if (!taken.ok()) reply(taken);
}

void Pod::Create(const std::string& match_id, const match::log::v1::MatchCreated& created,
                 Reply<Done> reply) {
  Submit<Done>(std::move(reply), [this, match_id, created](const Reply<Done>& answer) {
    core_->matches().Create(match_id, created, [answer](const absl::Status& status) {
      answer(status.ok() ? absl::StatusOr<Done>(Done{}) : status);
    });
  });
}

void Pod::Send(const std::string& match_id, const std::string& account,
               const match::Request& request, Reply<std::vector<match::v1::MatchEvent>> reply) {
  using EventList = std::vector<match::v1::MatchEvent>;
  const auto post = [this, account, request](match::LiveMatch& match,
                                             const Reply<EventList>& answer) {
    const auto seat = match.SeatOf(account);
    if (!seat.ok()) return answer(seat.status());
    ground_.referee.Posted(match.match_id(), *seat, request, match.epoch(), match.Now());
    match.Post(request, [answer](const auto& events) { answer(events); });
  };
  Submit<EventList>(std::move(reply), [this, match_id, post](const Reply<EventList>& answer) {
    core_->matches().Find(match_id, [post, answer](const auto& match) {
      if (!match.ok()) return answer(match.status());
      post(**match, answer);
    });
  });
}

void Pod::RequireOwner(const std::string& match_id) const {
  NAVAL_REQUIRE(ground_.database.OwnerOf(match::PartitionOf(match_id)) == owner_,
                absl::StrCat(owner_, " answers for ", match_id, ", which is another's"));
}

void Pod::Get(const std::string& match_id, const std::string& account,
              Reply<match::v1::Match> reply) {
  Submit<match::v1::Match>(std::move(reply),
                           [this, match_id, account](const Reply<match::v1::Match>& answer) {
                             core_->matches().Find(match_id, [=, this](const auto& match) {
                               if (!match.ok()) return answer(match.status());
                               auto view = (*match)->ViewFor(account);
                               if (view.ok()) RequireOwner(match_id);
                               answer(std::move(view));
                             });
                           });
}

void Pod::Watch(const std::string& match_id, const std::string& account,
                std::optional<std::int64_t> after_seq, const std::shared_ptr<ServedStream>& stream,
                Reply<Done> reply) {
  Submit<Done>(std::move(reply),
               [this, match_id, account, after_seq, stream](const Reply<Done>& answer) {
                 core_->matches().Find(match_id, [=, this](const auto& match) {
                   if (!match.ok()) return answer(match.status());
                   (*match)->Watch(account, after_seq, stream,
                                   [=, this, match = *match](const absl::Status& status) {
                                     if (!status.ok()) return answer(status);
                                     RequireOwner(match_id);
                                     stream->match = match;
                                     answer(Done{});
                                   });
                 });
               });
}

void Pod::Unwatch(const std::shared_ptr<ServedStream>& stream) {
  if (!serving()) return;
  Submit<Done>([](const auto&) {},
               [stream](const Reply<Done>&) {
                 if (const auto match = stream->match.lock(); match != nullptr) {
                   match->Unwatch(stream.get());
                 }
               });
}

}  // namespace naval::simulation
