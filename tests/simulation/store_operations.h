#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/postgres/pool.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"

namespace naval::simulation {

// One of the stores that are compared, with what it said of its leases: that is given back to it,
// and its times are its own.
struct Side {
  std::string name;
  std::function<void(absl::FunctionRef<void(match::MatchStore&)>)> run;
  std::function<void(absl::Duration)> age;
  std::vector<match::Lease> leases;
};

// What is asked of each store; its answer is said in words that leave out what the contract leaves
// open.
struct Operation {
  // Begins with a verb.
  std::string text;
  std::function<std::string(match::MatchStore&, Side&)> run;
};

// Texts of errors are not part of the contract.
std::string CodeAndReason(const absl::Status& status);

// Draws operations on the stores, most of which fit what these have agreed on so far. Each is to be
// run on all stores before the next is drawn.
class OperationList {
 public:
  // `pool` is that of the Postgres that is compared: it must outlive the list.
  OperationList(std::uint64_t seed, postgres::Pool& pool) : random_(seed), pool_(pool) {}

  Operation Next();
  // What the stores hold, as far as they show it: of the matches in play, or of all.
  Operation Everything(bool all) const;

 private:
  struct Known {
    std::int64_t head_seq = 0;
    // By whom, and which.
    std::vector<std::pair<rules::Seat, std::string>> requests;
  };

  Operation Create();
  Operation AppendBatch();
  Operation Load();
  Operation Keep();
  Operation Drop();
  Operation ListDue();
  Operation ListLeases();
  Operation TakeOver();
  Operation Renew();
  Operation Release();
  Operation KeepMember();
  Operation RemoveMember();
  Operation ListMembers();
  Operation Claim();
  // Some of those that were claimed last, perhaps not for the first time.
  Operation Deliver();
  Operation ReadBacklog();
  Operation Age();

  int Below(int bound);
  bool OneIn(int n);
  template <typename T>
  const T& AnyOf(const std::vector<T>& values) {
    return values[random_.Uniform(values.size())];
  }
  std::string NewId(int last_byte);
  std::string NewMatchId();
  // Mostly one of those that are in play.
  std::string AnyMatchId();
  // A few different ones.
  std::vector<std::string> AnyMatchIds();
  std::string AnyBytes();
  // Mostly the one that holds.
  std::int64_t AnyEpoch(int partition);
  match::Append AnyRow(const std::string& match_id, std::int64_t seq);
  match::Append AnyAppend(const std::string& match_id);
  // Makes it one that cannot be stored, or only by itself.
  void Spoil(match::Append& append);
  // It was stored; each store says so.
  void Learn(const match::Append& append);
  std::vector<match::Lease> AnyHeld();
  std::string AnyOwner();
  match::Destination AnyDestination();
  int AnyLimit(match::Destination destination);

  base::SeededRandom random_;
  postgres::Pool& pool_;
  absl::Time now_ = absl::FromUnixMicros(1'700'000'000'123'456);
  std::uint64_t ids_ = 0;
  int messages_ = 0;
  // Which the operations are mostly about, the newest last; some may not exist.
  std::vector<std::string> in_play_;
  // Those that exist.
  std::map<std::string, Known> matches_;
  std::array<std::int64_t, match::kPartitions> epochs_ = {};
  // The last that were.
  std::pair<match::Destination, std::vector<match::ClaimedMessage>> claimed_;
};

}  // namespace naval::simulation
