#include "services/match/sealed_snapshot.h"

#include <google/protobuf/io/coded_stream.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/wire/state_wire.h"

namespace naval::match {
namespace {

std::string AssociatedData(const Snapshot& snapshot) {
  return absl::StrCat("naval match snapshot v1: ", snapshot.match_id, " ", snapshot.seq);
}

// How long it may be where nothing differs but what is hidden: the game, and how many bytes say how
// long that is.
std::size_t Longest(const RecordedMatch& match, const log::v1::MatchSnapshot& content) {
  using google::protobuf::io::CodedOutputStream;
  const std::size_t game = content.game().ByteSizeLong();
  const std::size_t longest = wire::LongestGameState(match.game().rules(), match.game().State());
  return content.ByteSizeLong() - CodedOutputStream::VarintSize64(game) - game +
         CodedOutputStream::VarintSize64(longest) + longest;
}

}  // namespace

Snapshot SealSnapshot(const RecordedMatch& match, const auth::Sealer& sealer,
                      base::Random& random) {
  Snapshot snapshot{.match_id = match.match_id(), .seq = match.head_seq(), .body = {}};
  const log::v1::MatchSnapshot content = match.TakeSnapshot();
  snapshot.body = sealer.Seal(content.SerializeAsString(), Longest(match, content),
                              AssociatedData(snapshot), random);
  return snapshot;
}

absl::Status OpenSnapshot(const Snapshot& snapshot, const auth::Sealer& sealer,
                          log::v1::MatchSnapshot& content) {
  NAVAL_ASSIGN_OR_RETURN(const std::string opened,
                         sealer.Open(snapshot.body, AssociatedData(snapshot)));
  if (!content.ParseFromString(opened)) return absl::DataLossError("it is no MatchSnapshot");
  return absl::OkStatus();
}

}  // namespace naval::match
