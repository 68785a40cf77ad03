// Calls to the lobby that arrive at the same time: for one seat, one session, one handle, one
// account, one request. What the callers were told, what everybody can ask for afterwards and what
// stands in Postgres must be one legal story.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "services/lobby/test_lobby.h"
#include "tests/races/race.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::testing {
namespace {

namespace v1 = lobby::v1;
using lobby::kGoodPassword;

constexpr char kOtherPassword[] = "quite another good password";

std::string Word(const absl::Status& status) {
  return status.ok() ? "OK" : std::string(base::ReasonOf(status));
}

template <typename T>
std::string Word(const absl::StatusOr<T>& answer) {
  return Word(answer.status());
}

template <typename A, typename B>
std::string Words(const A& a, const B& b) {
  return absl::StrCat(Word(a), ", ", Word(b));
}

absl::Status Wrong(absl::string_view what) { return absl::InternalError(what); }

postgres::Pool::Options Patient(postgres::Pool::Options options) {
  options.max_connections = 8;
  options.statement_timeout = absl::Seconds(20);
  options.lock_timeout = absl::Seconds(20);
  return options;
}

class LobbyRace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // A number that one SQL query gives.
  int64_t Number(absl::string_view sql, std::initializer_list<postgres::Param> params) {
    const auto number =
        lobby_.pool().Transact([&](postgres::Transaction& tx) -> absl::StatusOr<int64_t> {
          NAVAL_ASSIGN_OR_RETURN(const postgres::Rows rows, tx.Execute(sql, params));
          return rows[0].Get<int64_t>("n");
        });
    EXPECT_THAT(number, IsOk());
    return number.value_or(-1);
  }

  TestDatabase database_;
  lobby::TestLobby lobby_{Patient(database_.PoolOptions("lobby"))};
};

// --- One seat.

class SeatRace : public LobbyRace {
 protected:
  // Who meets at a table.
  struct Trio {
    v1::Session creator;
    std::array<v1::Session, 2> joiners;
  };

  SeatRace() {
    for (int i = 0; i < kTrios; ++i) {
      trios_.push_back(
          {.creator = Person(absl::StrCat("creator-", i)),
           .joiners = {Person(absl::StrCat("one-", i)), Person(absl::StrCat("two-", i))}});
    }
  }

  v1::Session Person(const std::string& handle) {
    const auto session = lobby_.Register(handle);
    EXPECT_THAT(session, IsOk());
    return *session;
  }

  // Tries with the same people may overlap: the limit of tables that somebody may sit at is far.
  const Trio& TrioOf(size_t number) const { return trios_[number % kTrios]; }

  absl::StatusOr<v1::CreateTableResponse> NewTable(const Trio& trio,
                                                   v1::CreateTableRequest request) {
    return lobby_.CreateTable(trio.creator, request);
  }

  // The table is played to its end, as the match service would tell.
  absl::Status EndMatch(const v1::Table& table) {
    v1::RecordMatchChangeRequest change;
    change.set_match_id(table.match_id());
    change.set_table_id(table.table_id());
    change.set_version(9);
    change.set_phase(match::v1::PHASE_OVER);
    change.mutable_result()->set_winner(match::v1::SEAT_FIRST);
    change.mutable_result()->set_reason(match::v1::END_REASON_RESIGNED);
    change.mutable_change_time()->set_seconds(1'800'000'000);
    return lobby_.RecordMatchChange(change);
  }

  // Exactly one joiner was let in, and everybody who may see the table sees that one there.
  absl::Status JudgeSeat(const Trio& trio, const std::string& table_id,
                         const std::array<absl::StatusOr<v1::Table>, 2>& joined,
                         bool everybody_sees) {
    if (joined[0].ok() == joined[1].ok()) return Wrong(Words(joined[0], joined[1]));
    const size_t winner = joined[0].ok() ? 0 : 1;
    const v1::Session& loser = trio.joiners[1 - winner];
    NAVAL_ASSIGN_OR_RETURN(const v1::Table seen, lobby_.GetTable(trio.creator, table_id));
    NAVAL_ASSIGN_OR_RETURN(const v1::Table seen_by_winner,
                           lobby_.GetTable(trio.joiners[winner], table_id));
    const std::string rival = trio.joiners[winner].account().account_id();
    if (seen.players_size() != 2 || seen.players(1).account_id() != rival) {
      return Wrong("the creator sees another rival");
    }
    if (seen.match_id().empty() || seen.match_id() != joined[winner]->match_id() ||
        seen.match_id() != seen_by_winner.match_id()) {
      return Wrong("the two were told of different matches");
    }
    const absl::StatusOr<v1::Table> seen_by_loser = lobby_.GetTable(loser, table_id);
    if (everybody_sees ? seen_by_loser->match_id() != seen.match_id() : seen_by_loser.ok()) {
      return Wrong("the one without a seat sees what is not so");
    }
    if (Number("SELECT count(*) AS n FROM lobby.game_table WHERE table_id = $1 AND rival_id = $2"
               " AND match_id = $3 AND state IN ('starting', 'playing')",
               {table_id, rival, seen.match_id()}) != 1) {
      return Wrong("Postgres has another rival");
    }
    return EndMatch(seen);
  }

  // How many people create tables at once: as many as there are threads that try, and more.
  static constexpr int kTrios = 16;
  std::vector<Trio> trios_;
};

TEST_F(SeatRace, OfTwoPlayersForOneSeatIsWonByOne) {
  Race race("two players join one table", {"OK, TABLE_FULL", "TABLE_FULL, OK"});
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    const Trio& trio = TrioOf(number);
    NAVAL_ASSIGN_OR_RETURN(const auto created, NewTable(trio, lobby_.PublicTable()));
    const std::string table_id = created.table().table_id();
    std::array<absl::StatusOr<v1::Table>, 2> joined;
    AtOnce(random, {[&] { joined[0] = lobby_.JoinById(trio.joiners[0], table_id); },
                    [&] { joined[1] = lobby_.JoinById(trio.joiners[1], table_id); }});
    NAVAL_RETURN_IF_ERROR(JudgeSeat(trio, table_id, joined, /*everybody_sees=*/true));
    return Words(joined[0], joined[1]);
  });
}

TEST_F(SeatRace, OfTwoPlayersWithOneCodeIsWonByOne) {
  Race race("two players join one table by its code", {"OK, TABLE_FULL", "TABLE_FULL, OK"});
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    const Trio& trio = TrioOf(number);
    NAVAL_ASSIGN_OR_RETURN(const auto created, NewTable(trio, lobby_.PrivateTable()));
    const std::string code = created.join_code();
    std::array<absl::StatusOr<v1::Table>, 2> joined;
    AtOnce(random, {[&] { joined[0] = lobby_.JoinByCode(trio.joiners[0], code); },
                    [&] { joined[1] = lobby_.JoinByCode(trio.joiners[1], code); }});
    NAVAL_RETURN_IF_ERROR(
        JudgeSeat(trio, created.table().table_id(), joined, /*everybody_sees=*/false));
    return Words(joined[0], joined[1]);
  });
}

TEST_F(SeatRace, OfAJoinWithTwoLeavesHasOneWinner) {
  Race race(
      "a join against two leaves of the creator",
      {"joined: OK; left: MATCH_STARTED, MATCH_STARTED", "joined: TABLE_NOT_FOUND; left: OK, OK"});
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    const Trio& trio = TrioOf(number);
    NAVAL_ASSIGN_OR_RETURN(const auto created, NewTable(trio, lobby_.PublicTable()));
    const std::string table_id = created.table().table_id();
    absl::StatusOr<v1::Table> joined;
    std::array<absl::Status, 2> left;
    // To leave takes less time than to join: it begins later, or it would nearly always win.
    std::array<base::SeededRandom, 2> delays = {base::SeededRandom(random.Next()),
                                                base::SeededRandom(random.Next())};
    const auto leave = [&](size_t device) {
      Pause(delays[device], /*max_power=*/12);
      left[device] = lobby_.Leave(trio.creator, table_id);
    };
    AtOnce(random, {[&] { joined = lobby_.JoinById(trio.joiners[0], table_id); }, [&] { leave(0); },
                    [&] { leave(1); }});
    NAVAL_ASSIGN_OR_RETURN(const v1::Table seen, lobby_.GetTable(trio.creator, table_id));
    if ((seen.state() == v1::TABLE_STATE_CLOSED) == joined.ok()) return Wrong("the table's state");
    if (seen.players_size() != (joined.ok() ? 2 : 1)) return Wrong("the table's players");
    if (joined.ok()) NAVAL_RETURN_IF_ERROR(EndMatch(seen));
    return absl::StrCat("joined: ", Word(joined), "; left: ", Words(left[0], left[1]));
  });
}

TEST_F(SeatRace, OfATableAskedForTwiceMakesOne) {
  Race race("one request for a table sent twice", {"OK, OK"});
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    const Trio& trio = TrioOf(number);
    const v1::CreateTableRequest request = lobby_.PublicTable();
    std::array<absl::StatusOr<v1::CreateTableResponse>, 2> created;
    AtOnce(random, {[&] { created[0] = NewTable(trio, request); },
                    [&] { created[1] = NewTable(trio, request); }});
    for (const auto& answer : created) NAVAL_RETURN_IF_ERROR(answer.status());
    const std::string table_id = created[0]->table().table_id();
    if (created[1]->table().table_id() != table_id) return Wrong("two tables");
    if (Number("SELECT count(*) AS n FROM lobby.game_table WHERE create_request_id = $1",
               {request.request_id()}) != 1) {
      return Wrong("the tables in Postgres");
    }
    NAVAL_RETURN_IF_ERROR(lobby_.Leave(trio.creator, table_id));
    return Words(created[0], created[1]);
  });
}

// --- One session, one handle, one account.

TEST_F(LobbyRace, OfALogOutWithARefreshAlwaysEndsTheSession) {
  Race race("a refresh against a log-out",
            {"refreshed: OK; logged out: OK", "refreshed: REFRESH_TOKEN_INVALID; logged out: OK"});
  race.Run([&](size_t, base::Random& random) -> absl::StatusOr<std::string> {
    NAVAL_ASSIGN_OR_RETURN(const v1::Session session, lobby_.CreateGuest());
    absl::StatusOr<v1::Session> refreshed;
    absl::Status logged_out;
    AtOnce(random, {[&] { refreshed = lobby_.Refresh(session.refresh_token()); },
                    [&] { logged_out = lobby_.LogOut(session.refresh_token()); }});
    const std::string last = refreshed.ok() ? refreshed->refresh_token() : session.refresh_token();
    if (Word(lobby_.Refresh(last)) != "REFRESH_TOKEN_INVALID") return Wrong("the session lives on");
    if (Number("SELECT count(*) AS n FROM lobby.session WHERE account_id = $1",
               {session.account().account_id()}) != 0) {
      return Wrong("the session is still stored");
    }
    return absl::StrCat("refreshed: ", Word(refreshed), "; logged out: ", Word(logged_out));
  });
}

TEST_F(LobbyRace, OfTwoRefreshesOfOneTokenGivesBothTheSameNewOne) {
  Race race("two refreshes of one token", {"OK, OK"});
  race.Run([&](size_t, base::Random& random) -> absl::StatusOr<std::string> {
    NAVAL_ASSIGN_OR_RETURN(const v1::Session session, lobby_.CreateGuest());
    std::array<absl::StatusOr<v1::Session>, 2> refreshed;
    AtOnce(random, {[&] { refreshed[0] = lobby_.Refresh(session.refresh_token()); },
                    [&] { refreshed[1] = lobby_.Refresh(session.refresh_token()); }});
    for (const auto& answer : refreshed) NAVAL_RETURN_IF_ERROR(answer.status());
    if (refreshed[0]->refresh_token() != refreshed[1]->refresh_token()) {
      return Wrong("two new tokens");
    }
    NAVAL_RETURN_IF_ERROR(lobby_.Refresh(refreshed[0]->refresh_token()).status());
    return Words(refreshed[0], refreshed[1]);
  });
}

TEST_F(LobbyRace, OfTwoPeopleForOneHandleIsWonByOne) {
  Race race("two people register one handle", {"OK, HANDLE_TAKEN", "HANDLE_TAKEN, OK"});
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    const std::string handle = absl::StrCat("both-", number);
    std::array<v1::RegisterRequest, 2> requests = {lobby_.NewRegistration(handle),
                                                   lobby_.NewRegistration(handle)};
    requests[1].set_password(kOtherPassword);
    std::array<absl::StatusOr<v1::Session>, 2> registered;
    AtOnce(random, {[&] { registered[0] = lobby_.Register(requests[0]); },
                    [&] { registered[1] = lobby_.Register(requests[1]); }});
    const std::string outcome = Words(registered[0], registered[1]);
    if (registered[0].ok() == registered[1].ok()) return outcome;
    const size_t winner = registered[0].ok() ? 0 : 1;
    NAVAL_ASSIGN_OR_RETURN(const v1::Session session,
                           lobby_.LogIn(handle, requests[winner].password()));
    if (session.account().account_id() != registered[winner]->account().account_id()) {
      return Wrong("the handle is another account's");
    }
    if (lobby_.LogIn(handle, requests[1 - winner].password()).ok()) {
      return Wrong("the other password opens it too");
    }
    return outcome;
  });
}

TEST_F(LobbyRace, OfAGuestThatRegistersTwiceIsWonByOne) {
  Race race("a guest registers two handles", {"OK, ALREADY_REGISTERED", "ALREADY_REGISTERED, OK"});
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    NAVAL_ASSIGN_OR_RETURN(const v1::Session guest, lobby_.CreateGuest());
    const std::array<v1::RegisterRequest, 2> requests = {
        lobby_.NewRegistration(absl::StrCat("left-", number)),
        lobby_.NewRegistration(absl::StrCat("right-", number))};
    std::array<absl::StatusOr<v1::Session>, 2> registered;
    AtOnce(random, {[&] { registered[0] = lobby_.Register(requests[0], guest.access_token()); },
                    [&] { registered[1] = lobby_.Register(requests[1], guest.access_token()); }});
    const std::string outcome = Words(registered[0], registered[1]);
    if (registered[0].ok() == registered[1].ok()) return outcome;
    const size_t winner = registered[0].ok() ? 0 : 1;
    NAVAL_ASSIGN_OR_RETURN(const v1::Session session,
                           lobby_.LogIn(requests[winner].handle(), kGoodPassword));
    if (session.account().account_id() != guest.account().account_id()) {
      return Wrong("the guest's account is not the one that registered");
    }
    if (lobby_.LogIn(requests[1 - winner].handle(), kGoodPassword).ok()) {
      return Wrong("both handles are taken");
    }
    return outcome;
  });
}

}  // namespace
}  // namespace naval::testing
