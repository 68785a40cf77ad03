#include "services/match/partition.h"

#include "lib/base/check.h"

namespace naval::match {
namespace {

int HexDigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

int PartitionOf(const std::string& match_id) {
  NAVAL_CHECK(match_id.size() == 36);
  return (HexDigit(match_id[34]) * 16 + HexDigit(match_id[35])) % kPartitions;
}

}  // namespace naval::match
