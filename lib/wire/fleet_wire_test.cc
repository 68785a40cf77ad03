#include "lib/wire/fleet_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/protobuf/text_format.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/wire/test_values.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;

match::v1::ShipPlacement Placement(const std::string& text) {
  match::v1::ShipPlacement proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto));
  return proto;
}

match::v1::ShipPlacement Lancha() {
  return Placement(R"pb(ship_id: "lancha" bow: "C7" orientation: ORIENTATION_VERTICAL)pb");
}

// The one field that a refused list of ships names.
std::string FieldAtFault(const FleetProto& fleet) {
  const auto violations = base::FieldViolationsOf(FromProto(Tablu(), fleet, "fleet").status());
  return violations.size() == 1 ? violations[0].field : "not one field";
}

TEST(FleetWire, ShowsAShipByItsId) {
  EXPECT_THAT(ToProto(Tablu(), {.ship = 4,
                                .bow = rules::Square(2, 6),
                                .orientation = rules::Orientation::kVertical}),
              EqualsProto(Lancha().ShortDebugString()));
}

TEST(FleetWire, RoundTripsRandomFleetsInTheirOrder) {
  constexpr std::uint64_t kSeed = 20261129;
  base::SeededRandom random(kSeed);
  for (int i = 0; i < 100; ++i) {
    NAVAL_ASSERT_OK_AND_ASSIGN(rules::Fleet fleet, rules::CompleteFleet(Tablu(), {}, random));
    std::swap(fleet[0], fleet[random.Uniform(fleet.size())]);
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Fleet read,
                               FromProto(Tablu(), ToProto(Tablu(), fleet), "fleet"));
    EXPECT_EQ(read, fleet) << "seed " << kSeed << ", fleet " << i;
  }
}

TEST(FleetWire, TakesADraftThatIsEmptyOrOffTheBoard) {
  FleetProto fleet;
  EXPECT_THAT(FromProto(Tablu(), fleet, "fleet"), IsOk());
  *fleet.Add() =
      Placement(R"pb(ship_id: "portaaviones" bow: "J10" orientation: ORIENTATION_HORIZONTAL)pb");
  *fleet.Add() = Lancha();
  *fleet.Add() = Lancha();
  EXPECT_THAT(FromProto(Tablu(), fleet, "fleet"), IsOk());
}

TEST(FleetWire, NamesTheFieldOfAnUnknownShip) {
  FleetProto fleet;
  *fleet.Add() = Lancha();
  *fleet.Add() = Lancha();
  fleet[1].set_ship_id("galera");
  EXPECT_THAT(FromProto(Tablu(), fleet, "fleet"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(FromProto(Tablu(), fleet, "fleet"), HasReason("UNKNOWN_SHIP"));
  EXPECT_EQ(FieldAtFault(fleet), "fleet[1].ship_id");
}

TEST(FleetWire, NamesTheFieldOfABadBow) {
  FleetProto fleet;
  *fleet.Add() = Lancha();
  fleet[0].set_bow("K1");
  EXPECT_THAT(FromProto(Tablu(), fleet, "fleet"), HasReason("INVALID_SQUARE"));
  EXPECT_EQ(FieldAtFault(fleet), "fleet[0].bow");
}

TEST(FleetWire, NamesTheFieldOfABadOrientation) {
  for (const int bad : {0, 99}) {
    FleetProto fleet;
    *fleet.Add() = Lancha();
    fleet[0].set_orientation(static_cast<match::v1::Orientation>(bad));
    EXPECT_THAT(FromProto(Tablu(), fleet, "fleet"), HasReason("INVALID_ORIENTATION"));
    EXPECT_EQ(FieldAtFault(fleet), "fleet[0].orientation");
  }
}

TEST(FleetWire, RefusesMoreThanTwiceTheShipsOfTheRuleSet) {
  FleetProto fleet;
  for (int i = 0; i < 10; ++i) *fleet.Add() = Lancha();
  EXPECT_THAT(FromProto(Tablu(), fleet, "kept"), IsOk());
  *fleet.Add() = Lancha();
  EXPECT_THAT(FromProto(Tablu(), fleet, "kept"), HasReason("TOO_MANY_SHIPS"));
  EXPECT_EQ(FieldAtFault(fleet), "fleet");
}

TEST(FleetWire, ShowsEveryKindOfViolation) {
  using rules::ViolationKind;
  const std::vector<std::pair<rules::Violation, std::string>> cases = {
      {{.kind = ViolationKind::kMissingShip, .ship = 0, .other_ship = std::nullopt},
       R"pb(kind: FLEET_VIOLATION_KIND_MISSING ship_ids: "portaaviones")pb"},
      {{.kind = ViolationKind::kDuplicateShip, .ship = 1, .other_ship = std::nullopt},
       R"pb(kind: FLEET_VIOLATION_KIND_DUPLICATE ship_ids: "acorazado")pb"},
      {{.kind = ViolationKind::kOutOfBoard, .ship = 2, .other_ship = std::nullopt},
       R"pb(kind: FLEET_VIOLATION_KIND_OUT_OF_BOARD ship_ids: "fragata")pb"},
      {{.kind = ViolationKind::kOverlap, .ship = 3, .other_ship = 4},
       R"pb(kind: FLEET_VIOLATION_KIND_OVERLAP ship_ids: "submarino" ship_ids: "lancha")pb"},
      {{.kind = ViolationKind::kTouching, .ship = 4, .other_ship = 0},
       R"pb(kind: FLEET_VIOLATION_KIND_TOUCHING ship_ids: "lancha" ship_ids: "portaaviones")pb"},
  };
  for (const auto& [violation, text] : cases) {
    EXPECT_THAT(ToProto(Tablu(), violation), EqualsProto(text));
  }
}

TEST(FleetWire, ShowsASunkShipFromBowToStern) {
  EXPECT_THAT(ToSunkShip(Tablu(), {.ship = 2, .bow = rules::Square(0, 0)}),
              EqualsProto(R"pb(ship_id: "fragata" squares: "A1" squares: "B1" squares: "C1")pb"));
}

}  // namespace
}  // namespace naval::wire
