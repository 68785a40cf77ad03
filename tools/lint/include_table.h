// Who may include whom: the table in tools/lint/includes.txt. All of Debian's headers stand in one
// include path, so the compiler cannot keep the layers for us.
#pragma once

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/lint/source_file.h"

namespace naval::lint {

class IncludeTable {
 public:
  // Reads the table. INVALID_ARGUMENT names the line of a mistake in it.
  static absl::StatusOr<IncludeTable> Parse(absl::string_view table);

  // `paths` are all files of the repository: an include in quotes that names none of them, no
  // generated header and no library is a finding too.
  std::vector<Finding> Check(const SourceFile& file,
                             const absl::flat_hash_set<std::string>& paths) const;

 private:
  // What the rows for `path`, a file in `folder`, allow. Nothing at all when no row is for it.
  absl::btree_set<std::string> AllowedTo(absl::string_view path, absl::string_view folder) const;

  absl::btree_map<std::string, absl::btree_set<std::string>> allowed_;  // by the row's head
};

}  // namespace naval::lint
