#include "tools/cli/live.h"

#include <unistd.h>

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "tools/cli/draft.h"
#include "tools/cli/failure.h"
#include "tools/client/match_state.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

// How often the screen is brought up to date: soon enough for a shot, often enough for the clock.
constexpr absl::Duration kTick = absl::Milliseconds(50);
// An answer that takes longer is told of: the player must not wonder whether the key was pressed.
constexpr absl::Duration kSilence = absl::Seconds(1);
constexpr std::size_t kMostLinesWaiting = 16;

constexpr char kPlacementHelp[] =
    "confirm this fleet; random: another; place SHIP=A1-A5: move a ship; quit; help";
std::string BattleHelp(const v1::Match& match) {
  const bool volleys = match.rule_set().turn_order() == game::v1::TURN_ORDER_VOLLEY;
  return absl::StrCat(volleys ? "A1 B2 C3 ...: fire your volley" : "C7: fire there",
                      "; resign: give up; quit: leave, the match goes on; help");
}

// What help tells beyond the line that stands there already.
constexpr char kAllMoves[] =
    "confirm; random; place SHIP=A1-A5 or SHIP=A1v SHIP=C3h ...; C7 (fires there), A1 B2 C3 (a "
    "volley); claim (the win, of an absent rival); resign (at once); quit (the match goes on)";

// Changes when the seas are worth another look: with the phase, the turn, the round and the
// viewer's draft.
std::string MomentOf(const v1::Match& match) {
  std::string moment = absl::StrCat(match.phase(), " ", match.turn(), " ", match.round());
  if (match.phase() != v1::PHASE_PLACEMENT || match.viewer_seat() == v1::SEAT_UNSPECIFIED) {
    return moment;
  }
  for (const v1::ShipPlacement& ship : client::SideOf(match, match.viewer_seat()).fleet()) {
    absl::StrAppend(&moment, " ", ship.ship_id(), ship.bow(), ship.orientation());
  }
  return moment;
}

}  // namespace

Live::Live(client::Client& client, base::Clock& clock, const std::string& match_id, bool playing)
    : client_(client),
      clock_(clock),
      match_id_(match_id),
      playing_(playing),
      drawing_(Screen::CanDraw(STDIN_FILENO, STDOUT_FILENO)),
      feed_(client, clock, match_id) {}

Live::~Live() { client_.Stop(); }

absl::Status Live::Run() {
  Keyboard keyboard(STDIN_FILENO, drawing_ ? Typing::kKeys : Typing::kUsual);
  Screen screen(STDOUT_FILENO, drawing_);
  return Loop(keyboard, screen);
}

absl::Status Live::Loop(Keyboard& keyboard, Screen& screen) {
  while (true) {
    Update();
    TakeAnswer();
    ProposeAtFirst();
    if (drawing_) {
      Draw(screen);
    } else {
      PrintNews(screen);
    }
    NAVAL_RETURN_IF_ERROR(feed_.status());
    if (IsOver() || left_) return absl::OkStatus();

    const Keyboard::Input input = keyboard.Wait(kTick);
    if (input.signal != 0) return InterruptedBy(input.signal);
    const LineEditor::Typed typed = editor_.Take(input.keys);
    for (const std::string& line : typed.lines) {
      if (lines_.size() < kMostLinesWaiting) lines_.push_back(line);
    }
    if (match_.has_value() && !answer_.valid() && !lines_.empty()) {
      TakeLine(lines_.front());
      lines_.pop_front();
    }
    // Not before the match is there, so that its state is told, and that it goes on.
    const bool idle = match_.has_value() && lines_.empty() && !answer_.valid();
    if (typed.ended || (playing_ && input.ended && idle)) return absl::OkStatus();
  }
}

void Live::Update() {
  auto match = feed_.WaitFor([](const v1::Match&) { return true; }, absl::ZeroDuration());
  if (!match.ok()) return;
  const bool events_came = !match_.has_value() || match_->seq() != match->seq();
  // What is drawn in place says it for as long as it holds.
  if (!drawing_) {
    for (std::string& line : PresenceText(match_.value_or(v1::Match()), *match)) {
      news_.push_back(std::move(line));
    }
  }
  match_ = *std::move(match);
  if (!events_came) return;
  const std::vector<v1::MatchEvent> events = feed_.events();
  for (; events_told_ < events.size(); ++events_told_) {
    const std::string text = EventText(events[events_told_], *match_);
    if (!text.empty()) news_.push_back(text);
  }
}

bool Live::IsOver() const { return match_.has_value() && match_->phase() == v1::PHASE_OVER; }

void Live::TakeAnswer() {
  if (!answer_.valid() || answer_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return;
  }
  const absl::StatusOr<std::string> answer = answer_.get();
  note_ = answer.ok() ? *answer : FailureNote(answer.status());
}

void Live::ProposeAtFirst() {
  if (proposed_ || !playing_ || !match_.has_value() || answer_.valid()) return;
  proposed_ = true;
  const v1::Seat seat = match_->viewer_seat();
  if (match_->phase() != v1::PHASE_PLACEMENT || seat == v1::SEAT_UNSPECIFIED) {
    note_ = BattleHelp(*match_);
  } else if (const v1::Side& own = client::SideOf(*match_, seat);
             own.fleet().empty() && !own.fleet_confirmed()) {
    Do(RandomMove());
  } else {
    note_ = kPlacementHelp;
  }
}

void Live::TakeLine(const std::string& line) {
  const absl::StatusOr<Move> move = ParseMove(line);
  if (!move.ok()) {
    note_ = FailureNote(move.status());
    return;
  }
  const bool harmless = std::holds_alternative<ShowMove>(*move) ||
                        std::holds_alternative<QuitMove>(*move) ||
                        std::holds_alternative<HelpMove>(*move);
  if (!playing_ && !harmless) {
    note_ = "you only watch; quit leaves";
    return;
  }
  note_.clear();
  std::visit([&](const auto& it) { Do(it); }, *move);
}

void Live::Do(const ShowMove&) { seas_wanted_ = true; }

void Live::Do(const FireMove& move) {
  v1::FireShotsRequest request;
  request.set_match_id(match_id_);
  request.set_round(match_->round());
  for (const std::string& square : move.squares) request.add_squares(square);
  Begin([this, request]() -> absl::StatusOr<std::string> {
    NAVAL_RETURN_IF_ERROR(client_.Call(&MatchStub::FireShots, request).status());
    return "";
  });
}

void Live::Do(const RandomMove&) {
  v1::ProposeFleetRequest request;
  request.set_match_id(match_id_);
  Begin([this, request]() -> absl::StatusOr<std::string> {
    NAVAL_RETURN_IF_ERROR(client_.Call(&MatchStub::ProposeFleet, request).status());
    return kPlacementHelp;
  });
}

void Live::Do(const PlaceMove& move) {
  Begin([this, move, match = *match_]() -> absl::StatusOr<std::string> {
    NAVAL_ASSIGN_OR_RETURN(const v1::PlaceFleetResponse response,
                           PlaceShips(client_, match, move.ships));
    if (response.violations().empty()) return kPlacementHelp;
    return absl::StrCat("not yet legal: ",
                        absl::StrJoin(ViolationsText(response, match.rule_set()), "; "));
  });
}

void Live::Do(const ConfirmMove& move) {
  Begin([this, move, match = *match_]() -> absl::StatusOr<std::string> {
    NAVAL_RETURN_IF_ERROR(ConfirmDraft(client_, match, move.illegal).status());
    return BattleHelp(match);
  });
}

void Live::Do(const ResignMove&) {
  v1::ResignRequest request;
  request.set_match_id(match_id_);
  Begin([this, request]() -> absl::StatusOr<std::string> {
    NAVAL_RETURN_IF_ERROR(client_.Call(&MatchStub::Resign, request).status());
    return "";
  });
}

void Live::Do(const ClaimMove&) {
  v1::ClaimAbsenceRequest request;
  request.set_match_id(match_id_);
  Begin([this, request]() -> absl::StatusOr<std::string> {
    NAVAL_RETURN_IF_ERROR(client_.Call(&MatchStub::ClaimAbsence, request).status());
    return "";
  });
}

void Live::Do(const QuitMove&) { left_ = true; }

void Live::Do(const HelpMove&) { note_ = kAllMoves; }

void Live::Begin(Call call) {
  asked_at_ = clock_.Now();
  answer_ = std::async(std::launch::async, std::move(call));
}

std::string Live::Note() const {
  // Of a feed that failed for good the command itself tells.
  const absl::Status connection = feed_.connection();
  if (!connection.ok() && feed_.status().ok()) {
    return absl::StrCat("no news from the match service, trying again: ", connection.message());
  }
  if (answer_.valid() && clock_.Now() - asked_at_ >= kSilence) {
    return "the match service has not answered yet; still waiting";
  }
  return note_;
}

void Live::Draw(Screen& screen) {
  const std::string prompt = absl::StrCat(playing_ ? "> " : "quit leaves > ", editor_.text());
  Lines note = Wrapped(Note(), screen.columns());
  if (!match_.has_value()) {
    note.insert(note.begin(), "waiting for the match");
    return screen.Draw(note, prompt);
  }
  const Scene scene = {.match = *match_, .now = feed_.ServerNow(), .news = news_, .note = note};
  screen.Draw(SceneText(scene, screen.rows() - 1), prompt);
}

void Live::PrintNews(Screen& screen) {
  for (; news_printed_ < news_.size(); ++news_printed_) screen.Print(news_[news_printed_]);
  if (match_.has_value()) {
    const std::string moment = MomentOf(*match_);
    const bool rivals_turn =
        playing_ && match_->phase() == v1::PHASE_BATTLE && !client::MayFire(*match_);
    if (seas_wanted_ || (moment != moment_printed_ && !rivals_turn)) {
      for (const std::string& line : MatchText(*match_, feed_.ServerNow())) screen.Print(line);
    }
    seas_wanted_ = false;
    moment_printed_ = moment;
  }
  // The end says it all.
  const std::string note = IsOver() ? "" : Note();
  if (note != note_printed_ && !note.empty()) screen.Print(note);
  note_printed_ = note;
}

}  // namespace naval::cli
