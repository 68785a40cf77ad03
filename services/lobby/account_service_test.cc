#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/wire/time_wire.h"
#include "services/lobby/account_store.h"
#include "services/lobby/refresh_token.h"
#include "services/lobby/test_lobby.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"
#include "tests/support/wait_for.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::MatchesRegex;

class AccountServiceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::PinGrpc(); }

  int64_t Count(absl::string_view sql, std::initializer_list<postgres::Param> params = {}) {
    const auto count =
        lobby_.pool().Transact([&](postgres::Transaction& tx) -> absl::StatusOr<int64_t> {
          auto rows = tx.Execute(sql, params);
          if (!rows.ok()) return rows.status();
          return (*rows)[0].Get<int64_t>("count");
        });
    EXPECT_THAT(count, IsOk());
    return count.value_or(-1);
  }

  auth::Claims ClaimsOf(const v1::Session& session) {
    const auto claims = lobby_.verifier().Verify(session.access_token(), lobby_.clock().Now());
    EXPECT_THAT(claims, IsOk());
    return claims.value_or(auth::Claims());
  }

  testing::TestDatabase database_;
  TestLobby lobby_{database_.PoolOptions("lobby")};
};

TEST_F(AccountServiceTest, MakesAGuestWithTokensThatEveryServiceCanCheck) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session session, lobby_.CreateGuest());
  EXPECT_TRUE(session.account().guest());
  EXPECT_THAT(session.account().handle(), MatchesRegex("guest-[0-9a-z]{6}"));
  const auth::Claims claims = ClaimsOf(session);
  EXPECT_EQ(claims.account_id, session.account().account_id());
  EXPECT_EQ(claims.handle, session.account().handle());
  EXPECT_EQ(claims.kind, auth::AccountKind::kGuest);
  EXPECT_EQ(claims.expire_time, lobby_.clock().Now() + absl::Minutes(15));
  NAVAL_ASSERT_OK_AND_ASSIGN(const absl::Time access_end,
                             wire::FromProto(session.access_token_expire_time(), "time"));
  EXPECT_EQ(access_end, claims.expire_time);
  NAVAL_ASSERT_OK_AND_ASSIGN(const absl::Time refresh_end,
                             wire::FromProto(session.refresh_token_expire_time(), "time"));
  EXPECT_EQ(refresh_end, lobby_.clock().Now() + kRefreshTokenLifetime);
}

TEST_F(AccountServiceTest, RefusesAnAccessTokenAfter15Minutes) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session session, lobby_.CreateGuest());
  lobby_.clock().Advance(absl::Minutes(15) - absl::Seconds(1));
  EXPECT_THAT(lobby_.ListRuleSets(session), IsOk());
  lobby_.clock().Advance(absl::Seconds(1));
  EXPECT_THAT(lobby_.ListRuleSets(session), HasReason("TOKEN_EXPIRED"));
}

TEST_F(AccountServiceTest, FindsTheGuestOfARepeatedRequestForTenMinutes) {
  const std::string request_id = lobby_.NewId();
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.CreateGuest(request_id));
  lobby_.clock().Advance(absl::Minutes(10) - absl::Seconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session again, lobby_.CreateGuest(request_id));
  EXPECT_EQ(again.account().account_id(), first.account().account_id());
  EXPECT_THAT(lobby_.Refresh(first.refresh_token()), IsOk());
  EXPECT_THAT(lobby_.Refresh(again.refresh_token()), IsOk());
  lobby_.clock().Advance(absl::Seconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session later, lobby_.CreateGuest(request_id));
  EXPECT_NE(later.account().account_id(), first.account().account_id());
}

TEST_F(AccountServiceTest, MakesOneGuestOfManyRepetitionsAtOnce) {
  const std::string request_id = lobby_.NewId();
  std::vector<absl::StatusOr<v1::Session>> sessions(20);
  std::vector<std::thread> threads;
  for (auto& session : sessions) {
    threads.emplace_back([&] { session = lobby_.CreateGuest(request_id); });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> ids;
  for (const auto& session : sessions) {
    ASSERT_THAT(session, IsOk());
    ids.insert(session->account().account_id());
  }
  EXPECT_EQ(ids.size(), 1);
  EXPECT_EQ(Count("SELECT count(*) FROM lobby.account"), 1);
}

TEST_F(AccountServiceTest, AsksForARequestIdThatIsAUuid) {
  for (const char* request_id : {"", "1", "018F3F5E-7B5A-7C3D-8A21-0F9B6C4D2E10"}) {
    const absl::Status status = lobby_.CreateGuest(request_id).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasReason("INVALID_REQUEST_ID"));
    EXPECT_THAT(base::FieldViolationsOf(status),
                ElementsAre(Field(&base::FieldViolation::field, "request_id")));
  }
  v1::RegisterRequest request = lobby_.NewRegistration("ana");
  request.set_request_id("x");
  EXPECT_THAT(lobby_.Register(request), HasReason("INVALID_REQUEST_ID"));
}

TEST_F(AccountServiceTest, LogsInWhoRegisteredWithTheHandleInAnyCase) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session registered, lobby_.Register("Ana"));
  EXPECT_FALSE(registered.account().guest());
  EXPECT_EQ(ClaimsOf(registered).kind, auth::AccountKind::kRegistered);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session logged_in, lobby_.LogIn("aNA", kGoodPassword));
  EXPECT_EQ(logged_in.account().account_id(), registered.account().account_id());
  EXPECT_EQ(logged_in.account().handle(), "Ana");
  EXPECT_NE(ClaimsOf(logged_in).session_id, ClaimsOf(registered).session_id);
}

TEST_F(AccountServiceTest, AnswersTheSameToAnUnknownHandleAGuestsHandleAndAWrongPassword) {
  ASSERT_THAT(lobby_.Register("ana"), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session guest, lobby_.CreateGuest());
  const absl::Status wrong = lobby_.LogIn("ana", "another horse battery").status();
  EXPECT_THAT(wrong, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(wrong, HasReason("WRONG_CREDENTIALS"));
  EXPECT_EQ(lobby_.LogIn("nobody", kGoodPassword).status(), wrong);
  EXPECT_EQ(lobby_.LogIn(guest.account().handle(), "").status(), wrong);
  EXPECT_EQ(lobby_.LogIn("no handle at all", kGoodPassword).status(), wrong);
}

TEST(AccountServiceTiming, TakesAsLongForAnUnknownHandleAsForAWrongPassword) {
  testing::PinGrpc();
  testing::TestDatabase database;
  TestLobby lobby(database.PoolOptions("lobby"), {.passes = 4, .memory_bytes = 16 * 1024 * 1024});
  ASSERT_THAT(lobby.Register("ana"), IsOk());
  base::SystemClock machine;
  const auto fastest = [&](const char* handle) {
    absl::Duration best = absl::InfiniteDuration();
    for (int i = 0; i < 5; ++i) {
      const absl::Time begin = machine.Now();
      EXPECT_THAT(lobby.LogIn(handle, "another horse battery"), HasReason("WRONG_CREDENTIALS"));
      best = std::min(best, machine.Now() - begin);
    }
    return best;
  };
  // Without the hash for nobody an unknown handle is answered some 30 times faster.
  EXPECT_GT(fastest("nobody") * 3, fastest("ana"));
}

TEST_F(AccountServiceTest, KeepsHandlesUniqueWithoutRegardToCase) {
  ASSERT_THAT(lobby_.Register("Ana"), IsOk());
  const auto second = lobby_.Register("ANA");
  EXPECT_THAT(second, StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(second, HasReason("HANDLE_TAKEN"));
}

TEST_F(AccountServiceTest, RefusesBadHandlesAndWeakPasswords) {
  EXPECT_THAT(lobby_.Register("no spaces"), HasReason("INVALID_HANDLE"));
  v1::RegisterRequest request = lobby_.NewRegistration("ana");
  request.set_password("too short");
  const absl::Status status = lobby_.Register(request).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status, HasReason("WEAK_PASSWORD"));
  EXPECT_THAT(base::FieldViolationsOf(status),
              ElementsAre(Field(&base::FieldViolation::field, "password")));
}

TEST_F(AccountServiceTest, FindsTheAccountOfARepeatedRegistration) {
  const v1::RegisterRequest request = lobby_.NewRegistration("ana");
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.Register(request));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session again, lobby_.Register(request));
  EXPECT_EQ(again.account().account_id(), first.account().account_id());

  v1::RegisterRequest other_password = request;
  other_password.set_password("another horse battery");
  EXPECT_THAT(lobby_.Register(other_password), HasReason("REQUEST_ID_REUSED"));
  v1::RegisterRequest other_handle = request;
  other_handle.set_handle("eva");
  EXPECT_THAT(lobby_.Register(other_handle), HasReason("REQUEST_ID_REUSED"));
  EXPECT_THAT(lobby_.CreateGuest(request.request_id()), HasReason("REQUEST_ID_REUSED"));

  lobby_.clock().Advance(absl::Minutes(10));
  EXPECT_THAT(lobby_.Register(request), HasReason("HANDLE_TAKEN"));
}

TEST_F(AccountServiceTest, RegistersOnceWhenTheSameCallComesManyTimesAtOnce) {
  const v1::RegisterRequest request = lobby_.NewRegistration("ana");
  std::vector<absl::StatusOr<v1::Session>> sessions(10);
  std::vector<std::thread> threads;
  for (auto& session : sessions) {
    threads.emplace_back([&] { session = lobby_.Register(request); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& session : sessions) {
    ASSERT_THAT(session, IsOk());
    EXPECT_EQ(session->account().account_id(), sessions[0]->account().account_id());
  }
  EXPECT_EQ(Count("SELECT count(*) FROM lobby.account"), 1);
}

TEST_F(AccountServiceTest, TurnsAGuestIntoAnAccountThatKeepsItsId) {
  const std::string guest_request = lobby_.NewId();
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session guest, lobby_.CreateGuest(guest_request));
  const v1::RegisterRequest request = lobby_.NewRegistration("ana");
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session registered,
                             lobby_.Register(request, guest.access_token()));
  EXPECT_EQ(registered.account().account_id(), guest.account().account_id());
  EXPECT_EQ(registered.account().handle(), "ana");
  EXPECT_FALSE(registered.account().guest());
  EXPECT_EQ(Count("SELECT count(*) FROM lobby.account"), 1);
  EXPECT_THAT(lobby_.LogIn("ana", kGoodPassword), IsOk());

  EXPECT_THAT(lobby_.Refresh(guest.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.CreateGuest(guest_request), HasReason("REQUEST_ID_REUSED"));
  EXPECT_THAT(lobby_.Register(request, guest.access_token()), IsOk());
  const auto second = lobby_.Register(lobby_.NewRegistration("eva"), guest.access_token());
  EXPECT_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(second, HasReason("ALREADY_REGISTERED"));
  EXPECT_THAT(lobby_.Register(lobby_.NewRegistration("eva"), registered.access_token()),
              HasReason("ALREADY_REGISTERED"));
}

TEST_F(AccountServiceTest, RegistersAGuestOnceWhenTwoCallsComeAtOnce) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session guest, lobby_.CreateGuest());
  const std::vector<v1::RegisterRequest> requests = {lobby_.NewRegistration("ana"),
                                                     lobby_.NewRegistration("eva")};
  std::vector<absl::StatusOr<v1::Session>> sessions(2);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 2; ++i) {
    threads.emplace_back(
        [&, i] { sessions[i] = lobby_.Register(requests[i], guest.access_token()); });
  }
  for (std::thread& thread : threads) thread.join();
  const size_t winner = sessions[0].ok() ? 0 : 1;
  ASSERT_THAT(sessions[winner], IsOk());
  EXPECT_EQ(sessions[winner]->account().account_id(), guest.account().account_id());
  EXPECT_THAT(sessions[1 - winner], HasReason("ALREADY_REGISTERED"));
  EXPECT_EQ(Count("SELECT count(*) FROM lobby.account"), 1);
}

TEST_F(AccountServiceTest, RegistersNoGuestThatHasLoggedOut) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session guest, lobby_.CreateGuest());
  ASSERT_THAT(lobby_.LogOut(guest.refresh_token()), IsOk());
  const auto refused = lobby_.Register(lobby_.NewRegistration("ana"), guest.access_token());
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(refused, HasReason("SESSION_ENDED"));
  EXPECT_THAT(lobby_.LogIn("ana", kGoodPassword), HasReason("WRONG_CREDENTIALS"));
}

TEST_F(AccountServiceTest, RegistersNobodyForABadToken) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session guest, lobby_.CreateGuest());
  EXPECT_THAT(lobby_.Register(lobby_.NewRegistration("ana"), "nvl_x"), HasReason("TOKEN_INVALID"));
  lobby_.clock().Advance(absl::Minutes(15));
  EXPECT_THAT(lobby_.Register(lobby_.NewRegistration("ana"), guest.access_token()),
              HasReason("TOKEN_EXPIRED"));
  const auth::Claims gone{.account_id = lobby_.NewId(),
                          .session_id = lobby_.NewId(),
                          .handle = "guest-000000",
                          .issue_time = lobby_.clock().Now(),
                          .expire_time = lobby_.clock().Now() + absl::Minutes(15)};
  const std::string token(lobby_.signer().Sign(gone).Reveal());
  EXPECT_THAT(lobby_.Register(lobby_.NewRegistration("ana"), token), HasReason("ACCOUNT_UNKNOWN"));
  EXPECT_THAT(lobby_.LogIn("ana", kGoodPassword), HasReason("WRONG_CREDENTIALS"));
}

TEST_F(AccountServiceTest, RefreshGivesANewPairForTheSameSession) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.Register("ana"));
  lobby_.clock().Advance(absl::Minutes(20));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session second, lobby_.Refresh(first.refresh_token()));
  EXPECT_NE(second.refresh_token(), first.refresh_token());
  EXPECT_EQ(second.account().account_id(), first.account().account_id());
  EXPECT_EQ(SessionIdOf(base::Secret(second.refresh_token())), ClaimsOf(second).session_id);
  EXPECT_THAT(lobby_.ListRuleSets(second), IsOk());
  lobby_.clock().Advance(absl::Minutes(20));
  EXPECT_THAT(lobby_.Refresh(second.refresh_token()), IsOk());
}

TEST_F(AccountServiceTest, GivesALostPairAgainFor30Seconds) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.CreateGuest());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session lost, lobby_.Refresh(first.refresh_token()));
  lobby_.clock().Advance(absl::Seconds(30) - absl::Milliseconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session again, lobby_.Refresh(first.refresh_token()));
  // Two pages that refresh at once must end with the same token, or one of them is thrown out.
  EXPECT_EQ(again.refresh_token(), lost.refresh_token());
  EXPECT_THAT(lobby_.ListRuleSets(again), IsOk());
  EXPECT_THAT(lobby_.Refresh(again.refresh_token()), IsOk());
}

TEST_F(AccountServiceTest, EndsTheSessionWhenAnExchangedTokenComesBackAfter30Seconds) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.CreateGuest());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session second, lobby_.Refresh(first.refresh_token()));
  lobby_.clock().Advance(absl::Seconds(30));
  const auto stolen = lobby_.Refresh(first.refresh_token());
  EXPECT_THAT(stolen, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(stolen, HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(second.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
}

TEST_F(AccountServiceTest, RefusesWithoutEndingTheSessionWhenTheSuccessorWasExchangedJustNow) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.CreateGuest());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session second, lobby_.Refresh(first.refresh_token()));
  lobby_.clock().Advance(absl::Seconds(20));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session third, lobby_.Refresh(second.refresh_token()));
  // A page that slept through both exchanges, still within 30 seconds of the last one.
  lobby_.clock().Advance(absl::Seconds(30) - absl::Milliseconds(1));
  EXPECT_THAT(lobby_.Refresh(first.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session fourth, lobby_.Refresh(third.refresh_token()));
  lobby_.clock().Advance(absl::Seconds(30));
  EXPECT_THAT(lobby_.Refresh(first.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(fourth.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
}

TEST_F(AccountServiceTest, AMadeUpTokenEndsNothing) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session session, lobby_.CreateGuest());
  base::SecureRandom random;
  // Whoever sees an access token knows the session's id.
  const base::Secret made_up = NewRefreshToken(ClaimsOf(session).session_id, random);
  EXPECT_THAT(lobby_.Refresh(std::string(made_up.Reveal())), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.LogOut(std::string(made_up.Reveal())), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session next, lobby_.Refresh(session.refresh_token()));
  lobby_.clock().Advance(absl::Minutes(1));
  EXPECT_THAT(lobby_.Refresh(std::string(made_up.Reveal())), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(next.refresh_token()), IsOk());
}

TEST_F(AccountServiceTest, EndsTheSessionForATokenOfAnyAgeAndNoOtherSession) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session other, lobby_.Register("ana"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.LogIn("ana", kGoodPassword));
  std::string present = first.refresh_token();
  for (int i = 0; i < 3; ++i) {
    lobby_.clock().Advance(absl::Minutes(14));
    NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session next, lobby_.Refresh(present));
    present = next.refresh_token();
  }
  lobby_.clock().Advance(kReuseWindow);
  EXPECT_THAT(lobby_.Refresh(first.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(present), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(other.refresh_token()), IsOk());
}

TEST_F(AccountServiceTest, KeepsASessionFor30DaysAfterItsLastRefresh) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.CreateGuest());
  lobby_.clock().Advance(kRefreshTokenLifetime - absl::Seconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session second, lobby_.Refresh(first.refresh_token()));
  lobby_.clock().Advance(kRefreshTokenLifetime);
  EXPECT_THAT(lobby_.Refresh(second.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_TRUE(WaitFor([&] {
    lobby_.clock().Advance(absl::Seconds(10));
    return Count("SELECT count(*) FROM lobby.session") == 0 &&
           Count("SELECT count(*) FROM lobby.account_request") == 0 &&
           Count("SELECT count(*) FROM lobby.account") == 0;
  }));
}

TEST_F(AccountServiceTest, RefusesRefreshTokensThatAreNone) {
  for (const char* token : {"", "nonsense", "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10.x"}) {
    const auto refused = lobby_.Refresh(token);
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnauthenticated)) << token;
    EXPECT_THAT(refused, HasReason("REFRESH_TOKEN_INVALID")) << token;
  }
  base::SecureRandom random;
  const base::Secret unknown = NewRefreshToken(lobby_.NewId(), random);
  EXPECT_THAT(lobby_.Refresh(std::string(unknown.Reveal())), HasReason("REFRESH_TOKEN_INVALID"));
}

TEST_F(AccountServiceTest, LogOutEndsTheSessionAndMayBeRepeated) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session session, lobby_.Register("ana"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session other, lobby_.LogIn("ana", kGoodPassword));
  EXPECT_THAT(lobby_.LogOut(session.refresh_token()), IsOk());
  EXPECT_THAT(lobby_.Refresh(session.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.LogOut(session.refresh_token()), IsOk());
  EXPECT_THAT(lobby_.LogOut("nonsense"), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(other.refresh_token()), IsOk());
}

TEST_F(AccountServiceTest, LogOutTakesTheTokenWhoseExchangeWasLost) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session first, lobby_.CreateGuest());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session lost, lobby_.Refresh(first.refresh_token()));
  lobby_.clock().Advance(absl::Minutes(1));
  EXPECT_THAT(lobby_.LogOut(first.refresh_token()), IsOk());
  EXPECT_THAT(lobby_.Refresh(lost.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
}

TEST_F(AccountServiceTest, EndsTheOldestSessionBeyondTwenty) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session oldest, lobby_.Register("ana"));
  lobby_.clock().Advance(absl::Seconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session second, lobby_.LogIn("ana", kGoodPassword));
  for (int i = 2; i <= kMaxSessionsPerAccount; ++i) {
    lobby_.clock().Advance(absl::Seconds(1));
    ASSERT_THAT(lobby_.LogIn("ana", kGoodPassword), IsOk());
  }
  EXPECT_EQ(Count("SELECT count(*) FROM lobby.session"), kMaxSessionsPerAccount);
  EXPECT_THAT(lobby_.Refresh(oldest.refresh_token()), HasReason("REFRESH_TOKEN_INVALID"));
  EXPECT_THAT(lobby_.Refresh(second.refresh_token()), IsOk());
}

TEST_F(AccountServiceTest, StoresNoTokenNoPasswordAndNoRequestIdAsItIs) {
  const v1::RegisterRequest request = lobby_.NewRegistration("ana");
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session session, lobby_.Register(request));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session refreshed, lobby_.Refresh(session.refresh_token()));
  const auto key_of = [](const v1::Session& of) {
    return std::string(SessionKeyOf(base::Secret(of.refresh_token())).Reveal());
  };
  const auto secret_of = [](const v1::Session& of) {
    return of.refresh_token().substr(of.refresh_token().rfind('.') + 1);
  };
  for (const std::string& secret : {request.password(), request.request_id(), key_of(session),
                                    secret_of(session), secret_of(refreshed)}) {
    EXPECT_EQ(Count("SELECT count(*) FROM (SELECT account::text AS stored FROM lobby.account "
                    "UNION ALL SELECT session::text FROM lobby.session "
                    "UNION ALL SELECT account_request::text FROM lobby.account_request) everything "
                    "WHERE position($1 IN stored) > 0",
                    {secret}),
              0);
  }
}

TEST(AccountServiceStorm, RefusesLogInsBeyondItsQueueAndServesTheRest) {
  testing::PinGrpc();
  testing::TestDatabase database;
  TestLobby lobby(database.PoolOptions("lobby"), {.passes = 8, .memory_bytes = 32 * 1024 * 1024});
  NAVAL_ASSERT_OK_AND_ASSIGN(v1::Session session, lobby.Register("ana"));
  std::atomic<int> refused = 0;
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 60; ++i) {
    threads.emplace_back([&] {
      const absl::Status status = lobby.LogIn("ana", kGoodPassword).status();
      if (base::ReasonOf(status) == "SERVER_BUSY" && base::RetryDelayOf(status)) ++refused;
      if (status.ok()) ++answered;
    });
  }
  EXPECT_TRUE(WaitFor([&] { return refused > 0; }));
  NAVAL_ASSERT_OK_AND_ASSIGN(session, lobby.Refresh(session.refresh_token()));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused + answered, 60);
  EXPECT_GE(answered, 16);
}

TEST_F(AccountServiceTest, IsUnavailableWhileTheDatabaseIsAwayAndThenGoesOn) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session session, lobby_.CreateGuest());
  database_.RefuseConnections();
  const absl::Status away = lobby_.Refresh(session.refresh_token()).status();
  EXPECT_THAT(away, StatusIs(absl::StatusCode::kUnavailable));
  database_.AllowConnections();
  EXPECT_TRUE(WaitFor([&] { return lobby_.Refresh(session.refresh_token()).ok(); }));
}

}  // namespace
}  // namespace naval::lobby
