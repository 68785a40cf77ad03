#include "services/match/test_matches.h"

#include <gtest/gtest.h>

#include <future>
#include <utility>

namespace naval::match {

log::v1::MatchCreated TestMatchCreated(bool against_bot) {
  log::v1::MatchCreated created;
  created.set_table_id("018f3f5e-7b5a-7c3d-8a21-0000000000b1");
  created.mutable_rules()->set_rule_set("tablu");
  v1::Player* first = created.add_players();
  first->set_account_id(kFirstAccount);
  first->set_handle("Ana");
  v1::Player* second = created.add_players();
  if (against_bot) {
    second->set_bot("jota");
    second->set_handle("jota");
  } else {
    second->set_account_id(kSecondAccount);
    second->set_handle("Beto");
    created.set_rated(true);
  }
  return created;
}

rules::Fleet RowsFleet(const rules::RuleSet& rules) {
  rules::Fleet fleet;
  for (int ship = 0; ship < static_cast<int>(rules.ships.size()); ++ship) {
    fleet.push_back({.ship = ship, .bow = rules::Square(0, 2 * ship)});
  }
  return fleet;
}

absl::Status AppendAlone(MatchStore& store, const Append& append) {
  const auto outcomes = store.AppendRows({&append, 1});
  return outcomes.ok() ? outcomes->at(0) : outcomes.status();
}

absl::StatusOr<StoredMatch> LoadAlone(MatchStore& store, const std::string& match_id,
                                      LogPart part) {
  const auto matches = store.Load({&match_id, 1}, part);
  return matches.ok() ? matches->at(0) : matches.status();
}

absl::Status WatchAndWait(LiveMatch& match, const std::string& account_id,
                          std::optional<int64_t> after_seq,
                          const std::shared_ptr<Watcher>& watcher) {
  const auto opened = std::make_shared<std::promise<absl::Status>>();
  match.Watch(account_id, after_seq, watcher,
              [opened](const absl::Status& status) { opened->set_value(status); });
  return opened->get_future().get();
}

bool RecordingWatcher::Push(WatchMessage message) {
  base::MutexLock lock(mutex_);
  messages_.push_back(*message);
  return true;
}

void RecordingWatcher::End(const absl::Status& status) {
  base::MutexLock lock(mutex_);
  end_ = status;
}

std::vector<v1::WatchMatchResponse> RecordingWatcher::messages() {
  base::MutexLock lock(mutex_);
  return messages_;
}

std::vector<v1::MatchEvent> RecordingWatcher::events() {
  std::vector<v1::MatchEvent> events;
  for (const v1::WatchMatchResponse& message : messages()) {
    if (message.has_event()) events.push_back(message.event());
    for (const v1::MatchEvent& event : message.events().events()) events.push_back(event);
  }
  return events;
}

std::optional<absl::Status> RecordingWatcher::end() {
  base::MutexLock lock(mutex_);
  return end_;
}

TestMatches::TestMatches(FakeMatchStore& store, base::SimulatedClock& clock, bool bots_pause,
                         const std::string& owner, const auth::Sealer& sealer)
    : sealer_(sealer),
      lease_clock_(clock.Now()),
      core_({.store = store,
             .sealer = sealer_,
             .random = random_,
             .clock = clock,
             .machine_clock = lease_clock_,
             .observer = observer_},
            {.send_to_lobby = [this](const std::string& body) { return TellLobby(body); },
             .send_to_ranking = [](const std::string&) { return absl::OkStatus(); },
             .owner = owner,
             .bots_pause = bots_pause}) {
  EXPECT_TRUE(core_.Start().ok());
}

absl::Status TestMatches::TellLobby(const std::string& body) {
  base::MutexLock lock(mutex_);
  EXPECT_TRUE(told_lobby_.emplace_back().ParseFromString(body));
  return absl::OkStatus();
}

std::vector<lobby::v1::RecordMatchChangeRequest> TestMatches::told_lobby() {
  base::MutexLock lock(mutex_);
  return told_lobby_;
}

absl::Status TestMatches::Create(const log::v1::MatchCreated& created) {
  std::promise<absl::Status> done;
  matches().Create(kTestMatchId, created,
                   [&](const absl::Status& status) { done.set_value(status); });
  return done.get_future().get();
}

absl::StatusOr<std::shared_ptr<LiveMatch>> TestMatches::Find(const std::string& match_id) {
  std::promise<absl::StatusOr<std::shared_ptr<LiveMatch>>> found;
  matches().Find(match_id, [&](const auto& match) { found.set_value(match); });
  return found.get_future().get();
}

absl::StatusOr<std::vector<v1::MatchEvent>> TestMatches::Send(rules::Seat seat,
                                                              rules::Command command,
                                                              const std::string& request_id,
                                                              const std::string& digest) {
  auto match = Find();
  if (!match.ok()) return match.status();
  std::promise<absl::StatusOr<std::vector<v1::MatchEvent>>> answer;
  (*match)->Post({.command = std::move(command),
                  .seat = seat,
                  .request_id = request_id,
                  .request_digest = digest},
                 [&](const auto& events) { answer.set_value(events); });
  return answer.get_future().get();
}

}  // namespace naval::match
