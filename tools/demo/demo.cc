#include "tools/demo/demo.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "lib/base/status_macros.h"
#include "tools/client/board.h"
#include "tools/client/match_state.h"
#include "tools/client/player.h"
#include "tools/client/ratings.h"
#include "tools/client/tables.h"

namespace naval::demo {
namespace {

namespace v1 = match::v1;
using client::Client;
using client::Player;
using client::SideOf;
using MatchStub = v1::MatchService::Stub;
using RankingStub = ranking::v1::RankingService::Stub;

constexpr char kRuleSet[] = "tablu";
constexpr char kBot[] = "jota";
constexpr size_t kLineWidth = 100;
constexpr int kSecondSeaColumn = 48;
// The seas are drawn when the loser has lost so many ships, and at the end.
constexpr int kSunkShipsToShow = 2;
// The end of a match reaches the lobby by way of an outbox.
constexpr absl::Duration kDeliveryLimit = absl::Seconds(30);

absl::Status Wrong(absl::string_view what) { return absl::InternalError(what); }

// A handle that nobody has had: six random letters and digits behind the name.
std::string NewHandle(absl::string_view name, base::Random& random) {
  constexpr absl::string_view kSigns = "abcdefghijkmnpqrstuvwxyz23456789";
  std::string handle = absl::StrCat(name, "-");
  for (int i = 0; i < 6; ++i) handle += kSigns[random.Uniform(kSigns.size())];
  return handle;
}

base::Secret NewPassword(base::Random& random) {
  return base::Secret(absl::StrFormat("%016x%016x", random.Next(), random.Next()));
}

std::string HandleOf(const v1::Match& match, v1::Seat seat) {
  return SideOf(match, seat).player().handle();
}

std::string SeaTitle(const v1::Match& match, v1::Seat seat) {
  return absl::StrFormat("   %s, shot at %d times", HandleOf(match, seat),
                         SideOf(match, seat).shots().size());
}

// One's own sea is known with its ships, so each sea is taken from its owner's view.
void PrintSeas(const v1::Match& first, const v1::Match& second) {
  std::vector<std::string> left = client::DrawSea(first, v1::SEAT_FIRST);
  std::vector<std::string> right = client::DrawSea(second, v1::SEAT_SECOND);
  left.insert(left.begin(), SeaTitle(first, v1::SEAT_FIRST));
  right.insert(right.begin(), SeaTitle(second, v1::SEAT_SECOND));
  absl::PrintF("\n");
  for (const std::string& line : client::SideBySide(left, right, kSecondSeaColumn)) {
    absl::PrintF("%s\n", line);
  }
}

// Everything that a seat fired, in lines that fit.
void PrintShotsOf(const v1::Match& match, v1::Seat seat) {
  std::string line = absl::StrCat(HandleOf(match, seat), " fired:");
  for (const v1::ShotMark& shot : SideOf(match, client::RivalOf(seat)).shots()) {
    const std::string text = client::ShotText(shot);
    if (line.size() + 1 + text.size() > kLineWidth) {
      absl::PrintF("%s\n", line);
      line = "   ";
    }
    absl::StrAppend(&line, " ", text);
  }
  absl::PrintF("%s\n", line);
}

// What both players know of the same sea must be the same.
absl::Status CompareViews(const v1::Match& first, const v1::Match& second) {
  if (first.phase() != second.phase() || first.turn() != second.turn()) {
    return Wrong("the two players do not see the same phase and turn");
  }
  for (const v1::Seat seat : {v1::SEAT_FIRST, v1::SEAT_SECOND}) {
    v1::Side one = SideOf(first, seat);
    v1::Side other = SideOf(second, seat);
    if (first.phase() != v1::PHASE_OVER) {
      const v1::Side& rivals = first.viewer_seat() == seat ? other : one;
      if (!rivals.fleet().empty()) return Wrong("a player sees the fleet of the rival");
      one.clear_fleet();
      other.clear_fleet();
    }
    // Told of the rival alone, and no part of the match.
    one.clear_presence();
    other.clear_presence();
    if (one.SerializeAsString() != other.SerializeAsString()) {
      return Wrong(absl::StrCat("the two players see different things in the sea of ",
                                one.player().handle()));
    }
  }
  return absl::OkStatus();
}

// A legal fleet laid by hand: each ship to the right, on every other row.
v1::ConfirmFleetRequest OwnFleet(const v1::Match& match) {
  v1::ConfirmFleetRequest request;
  request.set_match_id(match.match_id());
  for (int i = 0; i < match.rule_set().ships().size(); ++i) {
    v1::ShipPlacement& ship = *request.add_fleet();
    ship.set_ship_id(match.rule_set().ships(i).id());
    ship.set_bow(absl::StrCat(i % 2 == 0 ? "B" : "E", 2 * i + 1));
    ship.set_orientation(v1::ORIENTATION_HORIZONTAL);
  }
  return request;
}

absl::Status LayOwnFleet(Player& player) {
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, player.State());
  const v1::ConfirmFleetRequest confirmation = OwnFleet(match);
  v1::PlaceFleetRequest draft;
  draft.set_match_id(player.match_id());
  *draft.mutable_fleet() = confirmation.fleet();
  NAVAL_ASSIGN_OR_RETURN(const v1::PlaceFleetResponse placed,
                         player.client().Call(&MatchStub::PlaceFleet, draft));
  NAVAL_RETURN_IF_ERROR(player.feed().Confirm(placed.events()));
  if (!placed.violations().empty()) return Wrong("a legal fleet has violations");
  NAVAL_ASSIGN_OR_RETURN(const v1::ConfirmFleetResponse confirmed,
                         player.client().Call(&MatchStub::ConfirmFleet, confirmation));
  return player.feed().Confirm(confirmed.events());
}

// Two players at one match, moved by one hand.
class Duel {
 public:
  Duel(Player& first, Player& second) : first_(first), second_(second) {}

  absl::Status LayFleets() {
    NAVAL_RETURN_IF_ERROR(second_.State().status());
    NAVAL_RETURN_IF_ERROR(first_.LayFleet());
    NAVAL_RETURN_IF_ERROR(LayOwnFleet(second_));
    NAVAL_ASSIGN_OR_RETURN(const v1::Match match, first_.feed().WaitFor([](const v1::Match& state) {
      return state.turn() != v1::SEAT_UNSPECIFIED;
    }));
    absl::PrintF(
        "One fleet is drawn at random, one laid by hand: no violations. %s shoots first.\n",
        HandleOf(match, match.turn()));
    absl::PrintF("Signs: %s.\n", client::LegendOf(match.rule_set()));
    turn_ = match.turn();
    return absl::OkStatus();
  }

  // Gives the match as SEAT_FIRST saw it end.
  absl::StatusOr<v1::Match> Play() {
    while (turn_ != v1::SEAT_UNSPECIFIED) NAVAL_RETURN_IF_ERROR(FireOnce());
    NAVAL_RETURN_IF_ERROR(first_.CompareWithServer());
    NAVAL_RETURN_IF_ERROR(second_.CompareWithServer());
    NAVAL_ASSIGN_OR_RETURN(v1::Match end, first_.State());
    NAVAL_RETURN_IF_ERROR(Show(end));
    return end;
  }

 private:
  absl::Status FireOnce() {
    Player& shooter = turn_ == v1::SEAT_FIRST ? first_ : second_;
    NAVAL_RETURN_IF_ERROR(shooter.AwaitTurn().status());
    NAVAL_ASSIGN_OR_RETURN(const v1::FireShotsRequest shot, shooter.NextShot());
    NAVAL_RETURN_IF_ERROR(shooter.Fire(shot).status());
    NAVAL_ASSIGN_OR_RETURN(const v1::Match after, shooter.State());
    turn_ = after.turn();
    if (shown_ || SideOf(after, client::RivalOf(after.viewer_seat())).sunk_ships().size() <
                      kSunkShipsToShow) {
      return absl::OkStatus();
    }
    shown_ = true;
    return Show(after);
  }

  // Shows the match as it stands in `now`, the view of either player, once both have come to it.
  absl::Status Show(const v1::Match& now) {
    // Draft edits give the two different numbers, so it is found by its shots.
    const auto has_come = [&](const v1::Match& match) {
      return match.phase() == now.phase() && match.turn() == now.turn() &&
             match.sides(0).shots().size() == now.sides(0).shots().size() &&
             match.sides(1).shots().size() == now.sides(1).shots().size();
    };
    NAVAL_ASSIGN_OR_RETURN(const v1::Match first, first_.feed().WaitFor(has_come));
    NAVAL_ASSIGN_OR_RETURN(const v1::Match second, second_.feed().WaitFor(has_come));
    NAVAL_RETURN_IF_ERROR(CompareViews(first, second));
    PrintSeas(first, second);
    return absl::OkStatus();
  }

  Player& first_;
  Player& second_;
  v1::Seat turn_ = v1::SEAT_UNSPECIFIED;
  bool shown_ = false;
};

// Says who won, who must have won by sinking everything.
absl::Status PrintEnd(const v1::Match& match) {
  const v1::Seat winner = match.result().winner();
  const v1::Side& lost = SideOf(match, client::RivalOf(winner));
  if (match.result().reason() != v1::END_REASON_FLEET_DESTROYED || !lost.ships_afloat().empty()) {
    return Wrong(absl::StrCat("the match ended by ", v1::EndReason_Name(match.result().reason())));
  }
  absl::PrintF("%s wins: its shot %d sank the last ship of %s.\n", HandleOf(match, winner),
               lost.shots().size(), lost.player().handle());
  return absl::OkStatus();
}

void PrintRating(const ranking::v1::Rating& rating) {
  absl::PrintF("%4d. %-22s %7.1f   %d won, %d lost\n", rating.rank(), rating.handle(),
               rating.rating(), rating.wins(), rating.losses());
}

// The whole leaderboard, page by page.
absl::StatusOr<std::vector<ranking::v1::Rating>> Leaderboard(Client& client) {
  std::vector<ranking::v1::Rating> ratings;
  ranking::v1::ListLeaderboardRequest request;
  request.set_rule_set(kRuleSet);
  request.set_page_size(200);
  do {
    NAVAL_ASSIGN_OR_RETURN(const ranking::v1::ListLeaderboardResponse page,
                           client.Call(&RankingStub::ListLeaderboard, request));
    ratings.insert(ratings.end(), page.ratings().begin(), page.ratings().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return ratings;
}

// Rank: 1 + the number of players with a higher rating.
absl::Status CheckRanks(const std::vector<ranking::v1::Rating>& ratings) {
  for (size_t i = 0; i < ratings.size(); ++i) {
    if (i > 0 && ratings[i].rating() > ratings[i - 1].rating()) {
      return Wrong("the leaderboard is not in order");
    }
    const bool shares = i > 0 && ratings[i].rating() == ratings[i - 1].rating();
    const int64_t rank = shares ? ratings[i - 1].rank() : static_cast<int64_t>(i) + 1;
    if (ratings[i].rank() != rank) {
      return Wrong(absl::StrCat("the leaderboard gives ", ratings[i].handle(), " rank ",
                                ratings[i].rank(), " where ", rank, " is right"));
    }
  }
  return absl::OkStatus();
}

// The winner must stand first; who plays on a database of earlier runs shares that rank.
absl::Status ShowLeaderboard(Client& winner, Client& loser) {
  NAVAL_ASSIGN_OR_RETURN(const ranking::v1::Rating best, client::AwaitRating(winner, 1));
  NAVAL_ASSIGN_OR_RETURN(const ranking::v1::Rating other, client::AwaitRating(loser, 1));
  NAVAL_ASSIGN_OR_RETURN(const auto ratings, Leaderboard(winner));
  NAVAL_RETURN_IF_ERROR(CheckRanks(ratings));
  absl::PrintF("\nLeaderboard of %s, %d players, with the two of this match:\n", kRuleSet,
               ratings.size());
  int found = 0;
  for (const ranking::v1::Rating& rating : ratings) {
    const bool ours =
        rating.account_id() == best.account_id() || rating.account_id() == other.account_id();
    if (ours) ++found;
    if (ours) PrintRating(rating);
  }
  if (found != 2) return Wrong("the two players do not stand in the leaderboard once each");
  if (best.wins() != 1 || best.losses() != 0 || other.wins() != 0 || other.losses() != 1) {
    return Wrong("the match was not counted exactly once for both");
  }
  if (best.rank() != 1) return Wrong("the winner is not first in the leaderboard");
  if (best.rating() <= other.rating()) return Wrong("the loser is rated above the winner");
  return absl::OkStatus();
}

absl::Status PlayRatedMatch(Client& creator, Client& guest, base::Clock& clock,
                            base::Random& random) {
  NAVAL_ASSIGN_OR_RETURN(const std::string match_id,
                         client::MeetAtPrivateTable(creator, guest, /*rated=*/true));
  absl::PrintF("%s opens a private rated table of %s, %s joins by its code.\n",
               creator.account().handle(), kRuleSet, guest.account().handle());
  Player first(creator, clock, random, match_id);
  Player second(guest, clock, random, match_id);
  Duel duel(first, second);
  NAVAL_RETURN_IF_ERROR(duel.LayFleets());
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, duel.Play());
  for (const v1::Seat seat : {v1::SEAT_FIRST, v1::SEAT_SECOND}) PrintShotsOf(match, seat);
  NAVAL_RETURN_IF_ERROR(PrintEnd(match));
  const bool creator_won = match.result().winner() == v1::SEAT_FIRST;
  return ShowLeaderboard(creator_won ? creator : guest, creator_won ? guest : creator);
}

absl::Status Practise(Client& client, base::Clock& clock, base::Random& random) {
  NAVAL_ASSIGN_OR_RETURN(const ranking::v1::Rating before, client::RatingOf(client));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::Table table, client::OpenBotTable(client, kBot));
  absl::PrintF("\n%s practises against the bot %s.\n", client.account().handle(), kBot);
  Player player(client, clock, random, table.match_id());
  NAVAL_RETURN_IF_ERROR(player.LayFleet());
  NAVAL_RETURN_IF_ERROR(player.PlayToTheEnd().status());
  NAVAL_RETURN_IF_ERROR(player.CompareWithServer());
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, player.State());
  PrintSeas(match, match);
  NAVAL_RETURN_IF_ERROR(PrintEnd(match));
  NAVAL_RETURN_IF_ERROR(
      client::WaitForTable(client, table.table_id(), lobby::v1::TABLE_STATE_ENDED, kDeliveryLimit)
          .status());
  NAVAL_ASSIGN_OR_RETURN(const ranking::v1::Rating after, client::RatingOf(client));
  if (after.SerializeAsString() != before.SerializeAsString()) {
    return Wrong("practice against a bot changed a rating");
  }
  absl::PrintF("Practice is not rated: %s still has %.1f.\n", after.handle(), after.rating());
  return absl::OkStatus();
}

}  // namespace

absl::Status RunDemo(const client::Addresses& addresses, base::Clock& clock, base::Random& random) {
  Client creator({.addresses = addresses}, clock, random);
  Client guest({.addresses = addresses}, clock, random);
  NAVAL_RETURN_IF_ERROR(creator.Register(NewHandle("marina", random), NewPassword(random)));
  NAVAL_RETURN_IF_ERROR(guest.Register(NewHandle("faro", random), NewPassword(random)));
  absl::PrintF("%s and %s register.\n", creator.account().handle(), guest.account().handle());
  NAVAL_RETURN_IF_ERROR(PlayRatedMatch(creator, guest, clock, random));
  return Practise(creator, clock, random);
}

}  // namespace naval::demo
