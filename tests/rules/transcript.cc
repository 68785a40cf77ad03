#include "tests/rules/transcript.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "tests/rules/words.h"

namespace naval::rules {
namespace {

using Words = std::vector<absl::string_view>;

struct Line {
  int number = 0;
  std::string text;
};

// The lines with their continuations; comments stay, since a head begins a block.
std::vector<Line> JoinLines(absl::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(raw).empty()) continue;
    if (absl::ascii_isspace(static_cast<unsigned char>(raw[0])) && !lines.empty()) {
      absl::StrAppend(&lines.back().text, " ", absl::StripAsciiWhitespace(raw));
    } else {
      lines.push_back({number, std::string(absl::StripAsciiWhitespace(raw))});
    }
  }
  return lines;
}

// Whether the pattern, in which "*" stands for anything, is what the text says.
bool Fits(absl::string_view pattern, absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(pattern, '*');
  if (parts.size() == 1) return pattern == text;
  if (!absl::ConsumePrefix(&text, parts.front())) return false;
  if (!absl::ConsumeSuffix(&text, parts.back())) return false;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t at = text.find(parts[i]);
    if (at == absl::string_view::npos) return false;
    text.remove_prefix(at + parts[i].size());
  }
  return true;
}

absl::Status Unreadable(absl::string_view what, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("not ", what, ": \"", text, "\""));
}

absl::StatusOr<Viewer> ParseViewer(absl::string_view word) {
  if (word == "first") return Viewer::kFirst;
  if (word == "second") return Viewer::kSecond;
  if (word == "spectator") return Viewer::kSpectator;
  return Unreadable("a viewer", word);
}

absl::StatusOr<Seat> ParseSeat(absl::string_view word) {
  for (const Seat seat : kSeats) {
    if (word == SeatName(seat)) return seat;
  }
  return Unreadable("a seat", word);
}

absl::StatusOr<absl::Duration> ParseTime(absl::string_view word) {
  absl::Duration duration;
  if (!absl::ParseDuration(word, &duration)) return Unreadable("a duration", word);
  return duration;
}

absl::StatusOr<std::shared_ptr<const RuleSet>> ParseRules(
    absl::string_view rule_set, absl::Span<const absl::string_view> options) {
  RulesChoice choice;
  choice.rule_set = std::string(rule_set);
  for (const absl::string_view option : options) {
    if (option == "one_shot_per_turn") {
      choice.one_shot_per_turn = true;
    } else if (option == "untimed") {
      choice.untimed = true;
    } else if (option == "fleet_b") {
      choice.fleet_b = true;
    } else if (option == "volley") {
      choice.volley = true;
    } else if (option == "live") {
      choice.pace = Pace::kLive;
    } else if (option == "slow") {
      choice.pace = Pace::kSlow;
    } else if (option == "correspondence") {
      choice.pace = Pace::kCorrespondence;
    } else {
      return Unreadable("an option", option);
    }
  }
  NAVAL_ASSIGN_OR_RETURN(const GameSettings settings, ChooseRules(choice, Opponent::kBot));
  return settings.rules;
}

class Player {
 public:
  // Forgets the match, keeps the fleets.
  void BeginBlock() { match_.reset(); }

  absl::Status NameFleet(absl::string_view text);

  // The rules that the fleets named from here on are laid by.
  absl::Status NameRules(absl::string_view text);

  // What the command brings about, in words.
  absl::StatusOr<std::string> Play(absl::string_view command);

 private:
  absl::StatusOr<std::string> Begin(const Words& words, bool battle);
  absl::StatusOr<std::string> Continue(absl::string_view verb, const Words& words);
  absl::StatusOr<std::string> Order(absl::string_view verb, const Words& words);
  absl::StatusOr<std::string> See(const Words& words) const;
  absl::StatusOr<Fleet> FindFleet(absl::Span<const absl::string_view> words) const;
  absl::StatusOr<std::string> Hear(absl::string_view word) const;
  std::string Outcome(const absl::StatusOr<std::vector<Event>>& events) const;
  // From here on is what the next "hear" tells.
  void MarkHeard();

  RuleSet fleet_rules_ = Tablu();
  std::map<std::string, Fleet, std::less<>> fleets_;
  std::unique_ptr<TestMatch> match_;
  std::size_t heard_before_[3] = {};
};

absl::Status Player::NameFleet(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(" = ", 1));
  NAVAL_ASSIGN_OR_RETURN(fleets_[std::string(parts.first)], ParseFleet(fleet_rules_, parts.second));
  return absl::OkStatus();
}

absl::Status Player::NameRules(absl::string_view text) {
  const Words words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.empty()) return Unreadable("rules", text);
  NAVAL_ASSIGN_OR_RETURN(const auto rules, ParseRules(words[0], absl::MakeSpan(words).subspan(1)));
  fleet_rules_ = *rules;
  return absl::OkStatus();
}

absl::StatusOr<std::string> Player::Play(absl::string_view command) {
  Words words = absl::StrSplit(command, ' ', absl::SkipEmpty());
  const absl::string_view verb = words.front();
  words.erase(words.begin());
  if (verb == "match") return Begin(words, /*battle=*/false);
  if (verb == "battle") return Begin(words, /*battle=*/true);
  if (match_ == nullptr) return absl::InvalidArgumentError("begin a match first");
  return Continue(verb, words);
}

absl::StatusOr<std::string> Player::Begin(const Words& words, bool battle) {
  const std::size_t fixed = battle ? 4 : 2;
  if (words.size() < fixed) return Unreadable("a match", absl::StrJoin(words, " "));
  NAVAL_ASSIGN_OR_RETURN(auto rules, ParseRules(words[0], absl::MakeSpan(words).subspan(fixed)));
  GameSettings settings(std::move(rules), std::nullopt);
  if (words[1] != "drawn") {
    NAVAL_ASSIGN_OR_RETURN(settings.starter, ParseSeat(words[1]));
  }
  match_ = std::make_unique<TestMatch>(settings);
  for (std::size_t& heard : heard_before_) heard = 0;
  if (battle) {
    NAVAL_ASSIGN_OR_RETURN(const Fleet first, FindFleet({words[2]}));
    NAVAL_ASSIGN_OR_RETURN(const Fleet second, FindFleet({words[3]}));
    NAVAL_RETURN_IF_ERROR(match_->Do(ConfirmFleet{Seat::kFirst, first}).status());
    NAVAL_RETURN_IF_ERROR(match_->Do(ConfirmFleet{Seat::kSecond, second}).status());
  }
  return EventWords(match_->game().rules(), {match_->log().back()});
}

absl::StatusOr<std::string> Player::Continue(absl::string_view verb, const Words& words) {
  if (verb == "see") return See(words);
  if (verb == "hear" && words.size() == 1) return Hear(words[0]);
  MarkHeard();
  if (verb == "abort") return Outcome(match_->Do(Abort{}));
  if (verb == "resume") return Outcome(match_->Do(Resume{}));
  if (verb == "wait" && words.size() == 1) {
    NAVAL_ASSIGN_OR_RETURN(const absl::Duration duration, ParseTime(words[0]));
    return Outcome(match_->Wait(duration));
  }
  if (verb == "pass" && words.size() == 1) {
    NAVAL_ASSIGN_OR_RETURN(const absl::Duration duration, ParseTime(words[0]));
    match_->Pass(duration);
    return absl::StrCat("at ", absl::FormatDuration(match_->now() - absl::UnixEpoch()));
  }
  return Order(verb, words);
}

absl::StatusOr<std::string> Player::Order(absl::string_view verb, const Words& words) {
  if (words.empty()) return Unreadable("a command", verb);
  NAVAL_ASSIGN_OR_RETURN(const Seat seat, ParseSeat(words[0]));
  if (verb == "claim") return Outcome(match_->Do(ClaimAbsence{seat}));
  if (verb == "resign") return Outcome(match_->Do(Resign{seat}));
  if (verb == "fire") {
    FireShots command{seat, {}, match_->game().round()};
    absl::Span<const absl::string_view> names = absl::MakeSpan(words).subspan(1);
    if (names.size() >= 2 && names[0] == "round") {
      if (!absl::SimpleAtoi(names[1], &command.round)) return Unreadable("a round", names[1]);
      names.remove_prefix(2);
    }
    for (const absl::string_view name : names) {
      const absl::StatusOr<Square> square = Square::Parse(name);
      if (!square.ok()) return RefusalWords(square.status());
      command.squares.push_back(*square);
    }
    return Outcome(match_->Do(command));
  }
  const absl::StatusOr<Fleet> fleet = FindFleet(absl::MakeSpan(words).subspan(1));
  if (!fleet.ok()) {
    // What a player is told, unless the transcript itself cannot be read.
    if (base::ReasonOf(fleet.status()).empty()) return fleet.status();
    return RefusalWords(fleet.status());
  }
  if (verb == "place") return Outcome(match_->Do(PlaceFleet{seat, *fleet}));
  if (verb == "propose") return Outcome(match_->Do(ProposeFleet{seat, *fleet}));
  if (verb == "confirm") return Outcome(match_->Do(ConfirmFleet{seat, *fleet}));
  return Unreadable("a command", verb);
}

absl::StatusOr<std::string> Player::See(const Words& words) const {
  if (words.size() != 2 && !(words.size() == 4 && words[2] == "of")) {
    return Unreadable("a sight", absl::StrJoin(words, " "));
  }
  NAVAL_ASSIGN_OR_RETURN(const Viewer viewer, ParseViewer(words[0]));
  const GameView view = ViewOf(match_->game(), viewer);
  if (words.size() == 2) return SightWords(view, words[1]);
  NAVAL_ASSIGN_OR_RETURN(const Seat seat, ParseSeat(words[3]));
  return SightWords(view, seat, words[1]);
}

absl::StatusOr<std::string> Player::Hear(absl::string_view word) const {
  NAVAL_ASSIGN_OR_RETURN(const Viewer viewer, ParseViewer(word));
  const std::vector<ViewerEvent>& heard = match_->heard(viewer);
  const std::size_t before = OfViewer(heard_before_, viewer);
  return EventWords(
      match_->game().rules(),
      std::vector<ViewerEvent>(heard.begin() + static_cast<std::ptrdiff_t>(before), heard.end()));
}

absl::StatusOr<Fleet> Player::FindFleet(absl::Span<const absl::string_view> words) const {
  if (words.size() == 1 && words[0] == "none") return Fleet();
  if (words.size() == 1) {
    const auto named = fleets_.find(words[0]);
    if (named == fleets_.end()) return Unreadable("a fleet", words[0]);
    return named->second;
  }
  return ParseFleet(match_->game().rules(), absl::StrJoin(words, " "));
}

std::string Player::Outcome(const absl::StatusOr<std::vector<Event>>& events) const {
  if (!events.ok()) return RefusalWords(events.status());
  return EventWords(match_->game().rules(), *events);
}

void Player::MarkHeard() {
  for (const Viewer viewer : kViewers) {
    OfViewer(heard_before_, viewer) = match_->heard(viewer).size();
  }
}

// Whether it is the head of a block that carries a rule: "# T-07 ...".
bool NamesARule(absl::string_view text) {
  return absl::ConsumePrefix(&text, "# ") && text.size() >= 4 && absl::ascii_isupper(text[0]) &&
         text[1] == '-' && absl::ascii_isdigit(text[2]) && absl::ascii_isdigit(text[3]);
}

// What is wrong with the line, or nullopt.
std::optional<std::string> PlayLine(Player& player, absl::string_view text) {
  if (absl::StartsWith(text, "#")) {
    player.BeginBlock();
    return std::nullopt;
  }
  const bool rules = absl::ConsumePrefix(&text, "rules ");
  if (rules || absl::ConsumePrefix(&text, "fleet ")) {
    const absl::Status named = rules ? player.NameRules(text) : player.NameFleet(text);
    if (named.ok()) return std::nullopt;
    return std::string(named.message());
  }
  const std::size_t arrow = text.find(" -> ");
  if (arrow == absl::string_view::npos) return "the line has no outcome: COMMAND -> OUTCOME";
  const absl::string_view expected = text.substr(arrow + 4);
  const absl::StatusOr<std::string> outcome = player.Play(text.substr(0, arrow));
  if (!outcome.ok()) return std::string(outcome.status().message());
  // A step that only leads to the next must not hide that it was refused.
  const bool refused =
      absl::StartsWith(*outcome, "refused") && !absl::StartsWith(expected, "refused");
  if (!refused && Fits(expected, *outcome)) return std::nullopt;
  return absl::StrCat("expected \"", expected, "\", but it was \"", *outcome, "\"");
}

}  // namespace

std::vector<std::string> PlayTranscript(absl::string_view path, absl::string_view text) {
  std::vector<std::string> failures;
  Player player;
  std::optional<int> unproven;
  const auto expect_proof = [&] {
    if (!unproven.has_value()) return;
    failures.push_back(absl::StrCat(path, ":", *unproven, ": the rule has no command below it"));
    unproven.reset();
  };
  for (const Line& line : JoinLines(text)) {
    if (NamesARule(line.text)) {
      expect_proof();
      unproven = line.number;
    } else if (absl::StrContains(line.text, " -> ")) {
      unproven.reset();
    }
    const std::optional<std::string> failure = PlayLine(player, line.text);
    if (failure.has_value()) {
      failures.push_back(absl::StrCat(path, ":", line.number, ": ", *failure));
    }
  }
  expect_proof();
  return failures;
}

}  // namespace naval::rules
