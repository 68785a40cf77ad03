// Calls of the match service, in a match against a bot ($match_id2) and in three between two
// people, which may be watched: Tablú, Salvo with volleys, and Selminha by correspondence
// ($match_id1, 3 and 4). $access_token1 and 2 sit at their seats, 1 against the bot too, and
// $access_token3 is nobody. The service is whole but for its store, which is the fake in memory,
// its chance, which is the same for every input, and tokens that do not expire however long an
// input waits.

#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "google/protobuf/util/message_differencer.h"
#include "lib/base/error.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/base/simulated_clock.h"
#include "lib/server/channel.h"
#include "lib/server/grpc_status.h"
#include "lib/server/server.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "services/match/fake_match_store.h"
#include "services/match/match_core.h"
#include "services/match/match_service.h"
#include "services/match/recorded_match.h"
#include "services/match/test_matches.h"
#include "tests/fuzz/calls.h"
#include "tests/fuzz/fail.h"
#include "tests/fuzz/repetitions.h"
#include "tests/fuzz/text_target.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/local_address.h"
#include "tests/support/test_keys.h"
#include "tests/support/wait_for.h"

namespace naval::fuzz {
namespace {

namespace v1 = match::v1;

// Rows of matches that are over stay in the store: after so many inputs the service is made anew.
constexpr int kInputsOfService = 256;

constexpr char kFirst[] = "0190a000-0000-7000-8000-00000000000a";
constexpr char kSecond[] = "0190a000-0000-7000-8000-00000000000b";
constexpr char kStranger[] = "0190a000-0000-7000-8000-00000000000c";

// Chance that can be begun again.
class RepeatableRandom final : public base::Random {
 public:
  void Restart() {
    base::MutexLock lock(mutex_);
    random_ = base::SeededRandom(1);
  }
  uint64_t Next() override {
    base::MutexLock lock(mutex_);
    return random_.Next();
  }

 private:
  base::Mutex mutex_;
  base::SeededRandom random_ NAVAL_GUARDED_BY(mutex_) = base::SeededRandom(1);
};

// As MatchApplication has it, over another store.
class FuzzedMatchService final : public server::Application {
 public:
  explicit FuzzedMatchService(const auth::Verifier& verifier)
      : clock_(absl::FromUnixSeconds(1'800'000'000)),
        core_({.store = store_,
               .sealer = sealer_,
               .random = random_,
               .clock = clock_,
               // Stands still, so nothing is lost or acquired later.
               .machine_clock = token_clock_,
               .observer = observer_},
              {.send_to_lobby = [](const auto&) { return absl::OkStatus(); },
               .send_to_ranking = [](const auto&) { return absl::OkStatus(); },
               .owner = "fuzzed",
               .bots_pause = false}),
        forwarder_(core_.ownership(), observer_),
        service_(core_.matches(), forwarder_, verifier, token_clock_) {
    Require(core_.Start().ok(), "the service did not start");
    auto server = server::Server::Start({.listen_address = testing::LocalAddress(0)}, *this);
    Require(server.ok(), "no server");
    server_ = *std::move(server);
    channel_ = server::NewChannel(testing::LocalAddress(server_->public_port()));
  }

  ~FuzzedMatchService() override {
    server_.reset();
    core_.Stop();
  }

  std::vector<grpc::Service*> PublicServices() override { return {&service_}; }
  std::vector<grpc::Service*> InternalServices() override { return {}; }
  void Drain() override { core_.Drain(); }

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  base::SimulatedClock& clock() { return clock_; }
  // Of the tokens and the leases.
  const base::Clock& token_clock() const { return token_clock_; }
  RepeatableRandom& random() { return random_; }
  match::FakeMatchStore& store() { return store_; }
  const auth::Sealer& sealer() const { return sealer_; }

  void Create(const std::string& match_id, const match::log::v1::MatchCreated& created) {
    std::promise<absl::Status> done;
    core_.matches().Create(match_id, created,
                           [&](const absl::Status& status) { done.set_value(status); });
    Require(done.get_future().get().ok(), "a match could not be created");
  }

 private:
  base::SimulatedClock clock_;
  base::SimulatedClock token_clock_{clock_.Now()};
  RepeatableRandom random_;
  const auth::Sealer sealer_ = testing::TestSealer();
  match::FakeMatchStore store_{token_clock_};
  match::MatchObserver observer_;
  match::MatchCore core_;
  match::Forwarder forwarder_;
  match::MatchService service_;
  std::unique_ptr<server::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

match::log::v1::MatchCreated NewMatch(const game::v1::GameRules& rules, bool against_bot) {
  match::log::v1::MatchCreated created;
  created.set_table_id("0190a000-0000-7000-8000-0000000000aa");
  *created.mutable_rules() = rules;
  created.set_spectators_allowed(!against_bot);
  v1::Player& first = *created.add_players();
  first.set_account_id(kFirst);
  first.set_handle("ana");
  v1::Player& second = *created.add_players();
  if (against_bot) {
    second.set_bot("jota");
    second.set_handle("jota");
  } else {
    second.set_account_id(kSecond);
    second.set_handle("bruno");
  }
  return created;
}

// In the order of their words.
std::vector<match::log::v1::MatchCreated> NewMatches() {
  game::v1::GameRules tablu, practice, volleys, letters;
  tablu.set_rule_set("tablu");
  practice.set_rule_set("tablu");
  practice.set_untimed(true);
  volleys.set_rule_set("salvo");
  volleys.set_volley(true);
  letters.set_rule_set("selminha");
  return {NewMatch(tablu, /*against_bot=*/false), NewMatch(practice, /*against_bot=*/true),
          NewMatch(volleys, /*against_bot=*/false), NewMatch(letters, /*against_bot=*/false)};
}

v1::Seat SeatOf(const std::string& account) {
  if (account == kFirst) return v1::SEAT_FIRST;
  return account == kSecond ? v1::SEAT_SECOND : v1::SEAT_UNSPECIFIED;
}

void CheckSecrecy(const v1::Match& match, v1::Seat viewer) {
  Require(match.viewer_seat() == viewer, "a match was shown with another's eyes");
  for (const v1::Side& side : match.sides()) {
    Require(side.seat() == viewer || match.phase() == v1::PHASE_OVER || side.fleet().empty(),
            absl::StrCat("a rival's fleet was shown: ", match.ShortDebugString()));
    Require(side.seat() == viewer || side.volley_squares().empty(),
            absl::StrCat("a rival's volley was shown: ", match.ShortDebugString()));
  }
}

void CheckSecrecy(const v1::MatchEvent& event, v1::Seat viewer) {
  const v1::FleetConfirmed& confirmed = event.fleet_confirmed();
  Require(confirmed.seat() == viewer || confirmed.fleet().empty(),
          absl::StrCat("a rival's fleet was shown: ", event.ShortDebugString()));
  const v1::VolleyFired& volley = event.volley_fired();
  Require(volley.seat() == viewer || volley.squares().empty(),
          absl::StrCat("a rival's volley was shown: ", event.ShortDebugString()));
  Require(!event.has_draft_changed() || viewer != v1::SEAT_UNSPECIFIED,
          absl::StrCat("a draft was shown to a spectator: ", event.ShortDebugString()));
}

// Looks at every match and event in the message.
void CheckSecrecyIn(const google::protobuf::Message& message, v1::Seat viewer) {
  if (const auto* match = dynamic_cast<const v1::Match*>(&message)) CheckSecrecy(*match, viewer);
  if (const auto* event = dynamic_cast<const v1::MatchEvent*>(&message)) {
    CheckSecrecy(*event, viewer);
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) CheckSecrecyIn(reflection.GetMessage(message, field), viewer);
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i) {
      CheckSecrecyIn(reflection.GetRepeatedMessage(message, field, i), viewer);
    }
  }
}

// The matches of one input, and what is promised of them.
class Matches {
 public:
  Matches(FuzzedMatchService& service, const testing::TestKeys& keys)
      : service_(service), keys_(keys), stub_(v1::MatchService::NewStub(service.channel())) {
    service_.random().Restart();
    static int made = 0;
    for (const auto& created : NewMatches()) {
      match_ids_.push_back(absl::StrFormat("0190b000-0000-7000-8000-%012x", ++made));
      service_.Create(match_ids_.back(), created);
      words_.Add("match_id", match_ids_.back());
    }
    for (const char* const account : {kFirst, kSecond, kStranger}) {
      const std::string token = NewToken(account);
      words_.Add("access_token", token);
      accounts_[token] = account;
    }
  }

  const Words& words() const { return words_; }

  // Secrecy, and one answer to one request.
  void Check(const Exchange& exchange) {
    const auto caller = accounts_.find(exchange.access_token);
    if (caller == accounts_.end()) return;
    for (const auto& message : exchange.messages) CheckSecrecyIn(*message, SeatOf(caller->second));
    if (exchange.method->name() == "GetMatch" || exchange.method->server_streaming()) return;
    repetitions_.Check(exchange, exchange.messages.empty() ? "" : exchange.answer.messages[0],
                       service_.clock().Now());
  }

  // Time goes on. Comes back when every clock that ended has had its effect, so that the calls that
  // follow find it.
  void Wait(absl::Duration duration) {
    if (duration <= absl::ZeroDuration()) return;
    service_.clock().Advance(duration);
    for (const std::string& match_id : match_ids_) {
      Require(testing::WaitFor([&] {
                const auto deadline = Stored(match_id).game().NextDeadline();
                return !deadline.has_value() || *deadline > service_.clock().Now();
              }),
              "a clock ended without an effect");
    }
  }

  // Ends all matches, and with them their streams. What is stored of them must be what they are.
  void End() {
    for (const std::string& match_id : match_ids_) {
      v1::ResignRequest request;
      request.set_match_id(match_id);
      request.set_request_id("7d3c1f80-52aa-4f0e-9c1b-5be2f0a94d17");
      v1::ResignResponse response;
      const absl::Status status =
          server::FromGrpcStatus(stub_->Resign(NewContext().get(), request, &response));
      Require(status.ok() || base::ReasonOf(status) == "MATCH_OVER",
              absl::StrCat("a match could not be ended: ", status.ToString()));
      CheckStored(match_id);
    }
    // Matches that are over leave the memory.
    service_.clock().Advance(match::kLingerDuration);
  }

 private:
  std::string NewToken(const std::string& account) const {
    const absl::Time now = service_.token_clock().Now();
    return std::string(keys_.signer
                           .Sign({.account_id = account,
                                  .session_id = account,
                                  .kind = auth::AccountKind::kRegistered,
                                  .handle = "handle",
                                  .issue_time = now,
                                  .expire_time = now + auth::kAccessTokenLifetime})
                           .Reveal());
  }

  // Of the first account, which has a seat in each.
  std::unique_ptr<grpc::ClientContext> NewContext() const {
    auto context = std::make_unique<grpc::ClientContext>();
    context->AddMetadata("authorization", absl::StrCat("Bearer ", NewToken(kFirst)));
    return context;
  }

  match::RecordedMatch Stored(const std::string& match_id) {
    auto stored = match::LoadAlone(service_.store(), match_id);
    Require(stored.ok(), "a match was not stored");
    auto match = match::RecordedMatch::FromStored(*stored, service_.sealer());
    Require(match.ok(), absl::StrCat("a stored match does not fold: ", match.status().ToString()));
    return *std::move(match);
  }

  void CheckStored(const std::string& match_id) {
    v1::GetMatchRequest request;
    request.set_match_id(match_id);
    v1::GetMatchResponse response;
    Require(stub_->GetMatch(NewContext().get(), request, &response).ok(), "a match is gone");
    const v1::Match folded =
        Stored(match_id).ViewFor(rules::Viewer::kFirst, service_.clock().Now());
    Require(google::protobuf::util::MessageDifferencer::Equals(folded, response.match()),
            absl::StrCat("a match is stored as\n", folded.DebugString(), "but is\n",
                         response.match().DebugString()));
  }

  FuzzedMatchService& service_;
  const testing::TestKeys& keys_;
  const std::unique_ptr<v1::MatchService::Stub> stub_;
  std::vector<std::string> match_ids_;
  Words words_;
  // By their access tokens.
  std::map<std::string, std::string> accounts_;
  Repetitions repetitions_;
};

const Calls& MatchCalls() {
  static const auto& calls = *new Calls({"naval.match.v1.MatchService"});
  return calls;
}

}  // namespace

const google::protobuf::Message& EmptyInput() { return MatchCalls().empty(); }

void RunInput(const google::protobuf::Message& input) {
  testing::PinGrpc();
  static const testing::TestKeys& keys = *new testing::TestKeys(testing::NewTestKeys());
  static int inputs = 0;
  static auto& service = *new std::unique_ptr<FuzzedMatchService>;
  if (inputs++ % kInputsOfService == 0) {
    service.reset();
    service = std::make_unique<FuzzedMatchService>(keys.verifier);
  }
  Matches matches(*service, keys);
  MatchCalls().Run(input, matches.words(),
                   {.channel = service->channel(),
                    .wait = [&](absl::Duration duration) { matches.Wait(duration); },
                    .check = [&](const Exchange& exchange) { matches.Check(exchange); },
                    .end = [&] { matches.End(); }});
  // Before the libraries' own statics, all of which are made by now: its threads use them.
  [[maybe_unused]] static const int at_exit = std::atexit([] { service.reset(); });
}

}  // namespace naval::fuzz
