#pragma once

#include <string>

namespace naval::match {

// Matches are owned by the partition: the last six bits of their ids, which are random. The number
// is for ever: 0005_add_partition_leases.sql has it, too.
inline constexpr int kPartitions = 64;

// The partition of a match, from 0. `match_id` is a UUID in canonical form (base::IsId).
int PartitionOf(const std::string& match_id);

}  // namespace naval::match
