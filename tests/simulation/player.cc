#include "tests/simulation/player.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/rules/placement.h"
#include "lib/rules/sea.h"
#include "lib/rules/volley.h"
#include "tests/comparison/random_game.h"
#include "tests/simulation/failure.h"

namespace naval::simulation {
namespace {

// A client that hears nothing for so long asks again.
constexpr absl::Duration kAnswerTimeout = absl::Seconds(3);
constexpr absl::Duration kRetryDelay = absl::Milliseconds(500);
// It gives a command up after so many tries, one time in two.
constexpr int kPatience = 4;
// A heartbeat comes every ten seconds.
constexpr absl::Duration kSilence = absl::Seconds(15);
// How long before its clock ends, on average, a player moves who does so at the last moment, and
// for how long it waits for that at most.
constexpr absl::Duration kLastMoment = absl::Milliseconds(50);
constexpr absl::Duration kPatienceForClock = absl::Minutes(1);
// For so long a player is away on average.
constexpr absl::Duration kAbsence = absl::Seconds(30);
// For so long a reader stalls on average, or as often until the match is over.
constexpr absl::Duration kStall = absl::Seconds(5);

std::string Say(const rules::Fleet& fleet) {
  std::string text;
  for (const rules::ShipPlacement& ship : fleet) {
    absl::StrAppend(&text, " ", ship.ship, "@", ship.bow.ToString(),
                    ship.orientation == rules::Orientation::kHorizontal ? ">" : "v");
  }
  return text;
}

// What a client reads of it; the rest of its details stands in no order.
std::string Say(const absl::Status& status) {
  return absl::StrCat(absl::StatusCodeToString(status.code()), " ", base::ReasonOf(status), " ",
                      status.message());
}

// Equal for equal commands: the digest of the request, and what a trace says.
struct Sayer {
  std::string operator()(const rules::PlaceFleet& c) const { return "place" + Say(c.draft); }
  std::string operator()(const rules::ProposeFleet& c) const { return "propose" + Say(c.kept); }
  std::string operator()(const rules::ConfirmFleet& c) const { return "confirm" + Say(c.fleet); }
  std::string operator()(const rules::FireShots& c) const {
    std::string text = absl::StrCat("fire ", c.round);
    for (const rules::Square square : c.squares) absl::StrAppend(&text, " ", square.ToString());
    return text;
  }
  std::string operator()(const rules::Resign&) const { return "resign"; }
  std::string operator()(const rules::ClaimAbsence&) const { return "claim"; }
  std::string operator()(const rules::Abort&) const { return "abort"; }
  std::string operator()(const rules::Tick&) const { return "tick"; }
  std::string operator()(const rules::Resume&) const { return "resume"; }
};

}  // namespace

void Player::Start() {
  WatchLater(absl::ZeroDuration());
  if (seat_.has_value()) ActLater();
}

void Player::ActLater() {
  absl::Duration pause = world_.About(world_.swarm().think);
  if (!world_.healed() && world_.OneIn(world_.swarm().absent_one_in)) {
    pause += world_.About(kAbsence);
  }
  world_.events().In(pause, [this] { Act(); });
}

void Player::Act() {
  if (over() && !command_.has_value()) return;
  if (command_.has_value() || Match() == nullptr) return ActLater();
  if (MayLeave() && world_.OneIn(world_.swarm().leaves_one_in)) return Leave();
  if (world_.OneIn(16)) Ask();
  if (answered_.has_value() && world_.OneIn(12)) return Repeat();
  const absl::Time last_moment = LastMoment();
  if (last_moment > world_.fibers().now() && world_.OneIn(world_.swarm().last_moment_one_in)) {
    return world_.events().At(last_moment, [this] { Act(); });
  }
  Begin(Choose(Match()->game()));
}

void Player::Leave() {
  world_.Trace([&] { return absl::StrCat(account_, " leaves for good"); });
  // Nobody hears the end of what it watched.
  saw_end_ = true;
  ++streams_;
  if (stream_ != nullptr) world_.Break(stream_);
}

absl::Time Player::LastMoment() {
  const rules::Game& game = Match()->game();
  const absl::Time now = world_.fibers().now();
  const absl::Time deadline =
      game.deadline().has_value() ? *game.deadline() - world_.referee().ahead(match_id_) : now;
  if (world_.healed() || !game.Awaits(*seat_) || deadline - now > kPatienceForClock) return now;
  return deadline - world_.Latency() - world_.About(kLastMoment);
}

bool Player::MayLeave() const {
  const rules::RuleSet& rules = Match()->game().rules();
  return rules.clock_end != rules::ClockEnd::kMayBeClaimed &&
         rules.placement_duration.has_value() && rules.shot_duration.has_value();
}

void Player::Begin(rules::Command command) {
  auto* const confirmed = std::get_if<rules::ConfirmFleet>(&command);
  if (confirmed != nullptr && world_.twin() != nullptr && world_.twin()->Hides(viewer_)) {
    confirmed->fleet = world_.twin()->Lay(match_id_, Match()->game().rules(), confirmed->fleet);
  }
  std::string digest = std::visit(Sayer{}, command);
  match::Request request = {.command = std::move(command),
                            .seat = seat_,
                            .request_id = world_.NewId(),
                            .request_digest = std::move(digest)};
  if (world_.OneIn(8)) request.expected_seq = seen_;
  command_ = Command{.request = std::move(request)};
  world_.CountCommand();
  Send();
}

void Player::Note(const std::string& heard) {
  if (world_.twin() == nullptr || world_.twin()->Hides(viewer_)) return;
  world_.twin()->Heard(account_, world_.fibers().now(), heard);
}

// The same request once more: it must be answered the same.
void Player::Repeat() {
  command_ = std::exchange(answered_, std::nullopt);
  command_->attempts = 0;
  // Or its id with something else in it.
  if (world_.OneIn(4)) {
    command_->request.request_digest += " differently";
    command_->is_forged = true;
  }
  Send();
}

void Player::Send() {
  const int attempt = ++attempts_;
  ++command_->attempts;
  world_.Trace([&] {
    return absl::StrCat(account_, " sends ", command_->request.request_digest, " as ",
                        command_->request.request_id);
  });
  world_.Call<EventList>(
      match_id_,
      [match_id = match_id_, account = account_, request = command_->request](
          const Route& route, Reply<EventList> reply) {
        route.pod->Send(match_id, account, request, std::move(reply));
      },
      [&referee = world_.referee(), match_id = match_id_, seat = *seat_,
       request = command_->request](const auto& answer) {
        referee.CheckAnswer(match_id, seat, request, answer);
      },
      [this, attempt](const auto& answer) { OnAnswer(attempt, answer); });
  world_.events().In(kAnswerTimeout, [this, attempt] {
    OnAnswer(attempt, absl::DeadlineExceededError("no answer came"));
  });
}

void Player::OnAnswer(int attempt, const absl::StatusOr<EventList>& answer) {
  // To a try before, or a second one to the same.
  if (attempt != attempts_ || !command_.has_value()) return;
  world_.Trace([&] {
    return absl::StrCat(
        account_, " is answered ",
        answer.ok() ? absl::StrCat(answer->size(), " events") : answer.status().ToString());
  });
  Note(Say(answer.status()));
  if (answer.ok()) {
    for (const match::v1::MatchEvent& event : *answer) Note(event.SerializeAsString());
  }
  const bool open = absl::IsUnavailable(answer.status()) ||
                    absl::IsDeadlineExceeded(answer.status()) ||
                    absl::IsResourceExhausted(answer.status());
  if (open) return TryAgain();
  if (command_->is_forged && command_->answer->ok()) {
    NAVAL_REQUIRE(base::ReasonOf(answer.status()) == "REQUEST_ID_REUSED",
                  absl::StrCat("request ", command_->request.request_id,
                               " with another content is answered: ", answer.status().ToString()));
  } else if (command_->answer.has_value() && command_->answer->ok()) {
    NAVAL_REQUIRE(
        answer.ok() && answer->size() == (*command_->answer)->size(),
        absl::StrCat("request ", command_->request.request_id,
                     " is answered otherwise the second time: ", answer.status().ToString()));
  }
  ++attempts_;
  if (!command_->is_forged) {
    command_->answer = answer;
    answered_ = std::move(command_);
  }
  command_.reset();
  ActLater();
}

void Player::TryAgain() {
  ++attempts_;
  if (command_->attempts >= kPatience && world_.OneIn(2)) {
    command_.reset();
    return ActLater();
  }
  world_.events().In(world_.About(kRetryDelay), [this] { Send(); });
}

// For the whole state.
void Player::Ask() {
  const std::int64_t asked_row = world_.referee().published_row(match_id_);
  world_.Call<match::v1::Match>(
      match_id_,
      [match_id = match_id_, account = account_](const Route& route,
                                                 Reply<match::v1::Match> reply) {
        route.pod->Get(match_id, account, std::move(reply));
      },
      [&referee = world_.referee(), match_id = match_id_, viewer = viewer_,
       asked_row](const auto& view) {
        if (view.ok()) referee.CheckView(match_id, viewer, *view, asked_row);
      },
      [this](const auto& view) {
        Note(view.ok() ? view->SerializeAsString() : Say(view.status()));
      });
}

rules::Command Player::Choose(const rules::Game& game) {
  if (world_.OneIn(world_.swarm().mischief_one_in)) return ChooseMischief(game);
  if (world_.OneIn(world_.swarm().resign_one_in)) return rules::Resign{*seat_};
  if (game.phase() != rules::Phase::kBattle) return ChoosePlacement(game);
  if (!game.Awaits(*seat_) && world_.OneIn(8)) return rules::ClaimAbsence{*seat_};
  return ChooseShots(game);
}

rules::Command Player::ChoosePlacement(const rules::Game& game) {
  rules::Fleet fleet = comparison::AnyLegalFleet(game.rules(), world_.random());
  switch (world_.random().Uniform(6)) {
    case 0:
      return rules::ProposeFleet{*seat_, {}};
    case 1:
      fleet.resize(world_.random().Uniform(fleet.size() + 1));
      return rules::PlaceFleet{*seat_, std::move(fleet)};
    default:
      return rules::ConfirmFleet{*seat_, std::move(fleet)};
  }
}

// Something that is mostly refused.
rules::Command Player::ChooseMischief(const rules::Game& game) {
  const rules::Square square =
      rules::Square::FromIndex(static_cast<int>(world_.random().Uniform(rules::kMaxSquares)));
  switch (world_.random().Uniform(6)) {
    case 0:
      return rules::ClaimAbsence{*seat_};
    case 1:
      return rules::PlaceFleet{*seat_, {{.ship = 0, .bow = square}, {.ship = 1, .bow = square}}};
    case 2:
      return rules::ConfirmFleet{*seat_, comparison::AnyLegalFleet(game.rules(), world_.random())};
    case 3:
      return rules::FireShots{*seat_, {square, square}, game.round()};
    case 4:
      return rules::FireShots{*seat_, {square}, game.round() + 1};
    default:
      return rules::FireShots{*seat_, {square}, game.round()};
  }
}

rules::FireShots Player::ChooseShots(const rules::Game& game) {
  rules::FireShots shots{*seat_, {}, game.round()};
  const rules::Sea* const target = game.sea(rules::Rival(*seat_));
  const bool volley = game.round() > 0;
  int left = volley ? rules::VolleySize(game.rules(), game.sea(*seat_), target) : 1;
  rules::SquareSet open = target->open();
  // What may differ from the twin must not guide a shot.
  const rules::SquareSet different =
      world_.twin() == nullptr ? rules::SquareSet() : world_.twin()->DifferentSquares(match_id_);
  if ((open - different).size() >= left) open = open - different;
  for (; left > 0 && !open.empty(); --left) {
    const rules::SquareSet ships =
        (rules::FleetSquareSet(game.rules(), target->fleet()) & open) - different;
    const bool aimed = !ships.empty() && world_.OneIn(world_.swarm().hit_one_in);
    const rules::SquareSet from = aimed ? ships : open;
    shots.squares.push_back(from.Nth(
        static_cast<int>(world_.random().Uniform(static_cast<std::uint64_t>(from.size())))));
    open.Remove(shots.squares.back());
  }
  return shots;
}

void Player::WatchLater(absl::Duration delay) {
  world_.events().In(delay, [this] { Watch(); });
}

void Player::Watch() {
  if (saw_end_) return;
  const int number = ++streams_;
  std::optional<std::int64_t> after_seq;
  if (seen_ > 0 && !world_.OneIn(4)) after_seq = seen_;
  if (!after_seq.has_value()) seen_ = 0;
  world_.Trace([&] { return absl::StrCat(account_, " watches from ", seen_); });
  const std::int64_t asked_row = world_.referee().published_row(match_id_);
  // What is on its way arrives in order, whatever each message takes.
  const auto last_arrival = std::make_shared<absl::Time>(absl::InfinitePast());
  stream_ = std::make_shared<ServedStream>(
      /*events_together=*/world_.OneIn(2),
      [this, asked_row](const auto& message) {
        world_.referee().CheckMessage(match_id_, viewer_, message, asked_row);
      },
      [this, number, last_arrival](std::vector<match::WatchMessage> messages,
                                   std::optional<absl::Status> end) {
        *last_arrival = std::max(*last_arrival, world_.fibers().now() + world_.Latency());
        world_.events().At(*last_arrival,
                           [this, number, messages = std::move(messages), end = std::move(end)] {
                             Receive(number, messages, end);
                           });
      });
  world_.Call<Done>(
      match_id_,
      [this, after_seq, stream = stream_](const Route& route, Reply<Done> reply) {
        if (std::exchange(stream->asked, true)) return;
        world_.Serves(route, match_id_, stream);
        route.pod->Watch(match_id_, account_, after_seq, stream, std::move(reply));
      },
      [stream = stream_](const absl::StatusOr<Done>& opened) { stream->asked = opened.ok(); },
      [this, number](const absl::StatusOr<Done>& opened) {
        if (opened.ok() || number != streams_) return;
        world_.Trace(
            [&] { return absl::StrCat(account_, " cannot watch: ", opened.status().ToString()); });
        WatchLater(world_.About(kRetryDelay));
      });
  Listen(number, heard_);
}

// A stream of which nothing is heard is given up; who stalls does not notice.
void Player::Listen(int stream, int heard) {
  world_.events().In(kSilence, [this, stream, heard] {
    if (stream != streams_ || saw_end_) return;
    if (heard == heard_ && !stream_->stalled()) {
      GiveStreamUp();
    } else {
      Listen(stream, heard_);
    }
  });
}

void Player::Receive(int stream, const std::vector<match::WatchMessage>& messages,
                     const std::optional<absl::Status>& end) {
  // Of a stream that was given up.
  if (stream != streams_) return;
  ++heard_;
  world_.Trace([&] {
    return absl::StrCat(account_, " hears ", messages.size(), " messages after ", seen_,
                        end.has_value() ? absl::StrCat(", then the end: ", Say(*end)) : "");
  });
  for (const match::WatchMessage& message : messages) {
    Note(message->SerializeAsString());
    Read(*message);
  }
  if (end.has_value()) {
    NAVAL_REQUIRE(end->ok() || base::ReasonOf(*end) == "SLOW_READER",
                  absl::StrCat(account_, "'s stream ends with ", end->ToString()));
    return GiveStreamUp();
  }
  if (world_.healed()) return;
  if (world_.OneIn(world_.swarm().stream_breaks_one_in)) return GiveStreamUp();
  if (world_.OneIn(world_.swarm().reader_stalls_one_in)) Stall();
}

void Player::GiveStreamUp() {
  ++streams_;
  world_.Break(stream_);
  WatchLater(world_.About(kRetryDelay));
}

void Player::Stall() {
  world_.Trace([&] { return absl::StrCat(account_, " reads nothing any more"); });
  stream_->Stall();
  GoOnLater(stream_, /*at_end=*/world_.OneIn(2));
}

void Player::GoOnLater(const std::shared_ptr<ServedStream>& stream, bool at_end) {
  world_.events().In(world_.About(kStall), [this, stream, at_end] {
    if (at_end && !over() && !stream->broken()) return GoOnLater(stream, at_end);
    stream->GoOn();
  });
}

void Player::Read(const match::v1::WatchMatchResponse& message) {
  const std::string what =
      absl::StrCat(account_, ", who has seen ", seen_, " of ", match_id_, ", ");
  if (message.has_snapshot()) {
    NAVAL_REQUIRE(seen_ == 0, what + "gets the whole state in the middle");
    seen_ = message.snapshot().seq();
    saw_end_ |= message.snapshot().phase() == match::v1::PHASE_OVER;
  } else if (message.has_event()) {
    ReadEvent(message.event());
  } else if (message.has_events()) {
    for (const match::v1::MatchEvent& event : message.events().events()) ReadEvent(event);
  } else if (message.has_heartbeat()) {
    NAVAL_REQUIRE(message.heartbeat().seq() == seen_,
                  absl::StrCat(what, "gets a heartbeat at ", message.heartbeat().seq()));
  } else if (message.has_reconnect()) {
    NAVAL_REQUIRE(message.reconnect().seq() == seen_,
                  absl::StrCat(what, "is to go on from ", message.reconnect().seq()));
  }
}

void Player::ReadEvent(const match::v1::MatchEvent& event) {
  NAVAL_REQUIRE(event.seq() == seen_ + 1, absl::StrCat(account_, ", who has seen ", seen_, " of ",
                                                       match_id_, ", gets event ", event.seq()));
  seen_ = event.seq();
  saw_end_ |= event.has_match_ended();
}

}  // namespace naval::simulation
