#include "services/match/sealed_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "lib/rules/rule_sets.h"
#include "lib/wire/log_wire.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_keys.h"

namespace naval::match {
namespace {

using ::naval::testing::StatusIs;
using rules::Seat;
using ::testing::SizeIs;

constexpr char kRequestId[] = "018f3f5e-7b5a-7c3d-8a21-000000000001";
const std::string kDigest(32, '\xfe');

const rules::RuleSet& Tablu() { return (*rules::FindPreset("tablu"))->rules; }

Entry EntryOf(std::vector<rules::Event> events) {
  return {.seq = 7,
          .seat = Seat::kSecond,
          .request_id = kRequestId,
          .request_digest = kDigest,
          .event_time = absl::FromUnixMicros(1'795'819'039'123'456),
          .events = std::move(events)};
}

Entry Confirmation() {
  return EntryOf({rules::FleetConfirmed{.seat = Seat::kSecond, .fleet = RowsFleet(Tablu())}});
}

class SealedRow : public ::testing::Test {
 protected:
  LogRow Seal(const Entry& entry) {
    return SealRow(kTestMatchId, Tablu(), entry, sealer_, random_);
  }
  absl::StatusOr<Entry> Open(const LogRow& row, const std::string& match_id = kTestMatchId) {
    return OpenRow(match_id, Tablu(), row, sealer_);
  }
  void ExpectHolds(const LogRow& row, const Entry& entry) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const Entry opened, Open(row));
    EXPECT_EQ(opened.seq, entry.seq);
    EXPECT_EQ(opened.seat, entry.seat);
    EXPECT_EQ(opened.request_id, entry.request_id);
    EXPECT_EQ(opened.request_digest, entry.request_digest);
    EXPECT_EQ(opened.event_time, entry.event_time);
    EXPECT_EQ(opened.events, entry.events);
  }

  const auth::Sealer sealer_ = testing::TestSealer();
  base::SeededRandom random_{1};
};

TEST_F(SealedRow, HoldsTheWholeEntryAndShowsNothingHidden) {
  const Entry entry = Confirmation();
  const LogRow row = Seal(entry);
  ExpectHolds(row, entry);
  EXPECT_EQ(row.request_digest, "");
  EXPECT_FALSE(absl::StrContains(row.body, "portaaviones"));
  EXPECT_FALSE(absl::StrContains(row.body, kDigest));
}

TEST_F(SealedRow, OfAClockHasNoRequest) {
  Entry entry = EntryOf({rules::ClockRanOut{.seat = Seat::kFirst, .strikes = 1}});
  entry.seat = std::nullopt;
  entry.request_id = "";
  entry.request_digest = "";
  ExpectHolds(Seal(entry), entry);
}

TEST_F(SealedRow, OpensInItsOwnPlaceOnly) {
  const LogRow row = Seal(Confirmation());
  EXPECT_THAT(Open(row, kStranger), StatusIs(absl::StatusCode::kDataLoss));
  std::vector<LogRow> moved(5, row);
  moved[0].seq = 8;
  moved[1].seat = Seat::kFirst;
  moved[2].seat = std::nullopt;
  moved[3].request_id = kTestMatchId;
  moved[4].event_time += absl::Microseconds(1);
  for (const LogRow& other : moved) {
    EXPECT_THAT(Open(other), StatusIs(absl::StatusCode::kDataLoss));
  }
  // Rows of one match that change places.
  Entry next = Confirmation();
  next.seq = 8;
  LogRow swapped = Seal(next);
  swapped.body = row.body;
  EXPECT_THAT(Open(swapped), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(SealedRow, OfBeforeSealingIsReadWithTheDigestOfItsColumn) {
  const Entry entry = Confirmation();
  LogRow row = Seal(entry);
  row.body = wire::SerializeLogEntry(Tablu(), {entry.events});
  row.request_digest = kDigest;
  ExpectHolds(row, entry);
}

// In every rule set, whatever is hidden.
TEST_F(SealedRow, IsAsLongWhateverItHides) {
  std::vector<rules::RuleSet> rule_sets;
  for (const rules::Preset& preset : rules::AllRuleSets()) {
    rule_sets.push_back(preset.rules);
    rule_sets.push_back(preset.rules);
    if (!preset.fleet_b.empty()) rule_sets.back().ships = preset.fleet_b;
  }
  rule_sets.push_back(Tablu());
  for (rules::Ship& ship : rule_sets.back().ships) ship.id.resize(32, 'x');
  for (const rules::RuleSet& rules : rule_sets) {
    std::set<std::size_t> drafts;
    std::set<std::size_t> confirmations;
    std::set<std::size_t> volleys;
    for (int i = 0; i < 200; ++i) {
      const auto size = [&](rules::Event event) {
        return SealRow(kTestMatchId, rules, EntryOf({std::move(event)}), sealer_, random_)
            .body.size();
      };
      rules::Fleet fleet = *rules::CompleteFleet(rules, {}, random_);
      confirmations.insert(size(rules::FleetConfirmed{.seat = Seat::kFirst, .fleet = fleet}));
      fleet.resize(random_.Uniform(fleet.size() + 1));
      drafts.insert(size(rules::DraftChanged{.seat = Seat::kFirst, .draft = fleet}));
      rules::SquareSet volley;
      while (volley.size() < 7) {
        volley.Add(rules::Square::FromIndex(static_cast<int>(random_.Uniform(100))));
      }
      volleys.insert(size(rules::VolleyFired{.seat = Seat::kFirst, .squares = volley}));
    }
    EXPECT_THAT(drafts, SizeIs(1)) << rules.id;
    EXPECT_THAT(confirmations, SizeIs(1)) << rules.id;
    EXPECT_THAT(volleys, SizeIs(1)) << rules.id;
  }
}

}  // namespace
}  // namespace naval::match
