#include "tools/lint/rule_coverage.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace naval::lint {
namespace {

struct Place {
  std::string path;
  int line = 0;
};
using Ids = absl::btree_map<std::string, Place>;

// Adds the ids of every line of `file` whose part matched by the group of `line_pattern` holds
// some.
void CollectIds(const SourceFile& file, const RE2& line_pattern, Ids& ids) {
  static const RE2& id_pattern = *new RE2(R"(\b([A-Z]+-\d+)\b)");
  const std::vector<std::string> lines = LinesOf(file.text).all;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string part, id;
    if (!RE2::PartialMatch(lines[i], line_pattern, &part)) continue;
    re2::StringPiece rest(part);
    while (RE2::FindAndConsume(&rest, id_pattern, &id)) {
      ids.insert({id, {file.path, static_cast<int>(i) + 1}});
    }
  }
}

bool IsTranscript(absl::string_view path) {
  return IsUnder(path, "tests/rules") && absl::EndsWith(path, ".txt") && path != kNotDuePath;
}

Finding At(const Place& place, absl::string_view id, absl::string_view what,
           absl::string_view instead) {
  return {.path = place.path,
          .line = place.line,
          .found = absl::StrCat("rule ", id, " ", what),
          .instead = std::string(instead)};
}

}  // namespace

std::vector<Finding> CheckRuleCoverage(const std::vector<SourceFile>& files) {
  static const RE2& table_row = *new RE2(R"(^\|\s*`?([A-Z]+-\d+)`?\s*\|)");
  static const RE2& comment = *new RE2(R"(//\s*rules?:(.*))");
  static const RE2& head = *new RE2(R"(^#(.*))");
  static const RE2& whole_id = *new RE2(R"(^([A-Z]+-\d+))");
  Ids known, not_due, carried;
  for (const SourceFile& file : files) {
    if (file.path == kRulesPath) CollectIds(file, table_row, known);
    if (file.path == kNotDuePath) CollectIds(file, whole_id, not_due);
    if (IsTranscript(file.path)) CollectIds(file, head, carried);
    if (absl::EndsWith(file.path, "_test.cc")) CollectIds(file, comment, carried);
  }

  std::vector<Finding> findings;
  if (known.empty()) {
    findings.push_back({.path = std::string(kRulesPath),
                        .found = "no rule",
                        .instead = "write one table row a rule, the id first: | T-01 | ... |"});
  }
  for (const auto& [id, place] : known) {
    if (carried.contains(id) || not_due.contains(id)) continue;
    findings.push_back(At(place, id, "without a test", "write one and mark it // rule: <id>"));
  }
  for (const auto& [id, place] : carried) {
    if (known.contains(id)) continue;
    findings.push_back(At(place, id, "that rules.md does not know", "name a rule that exists"));
  }
  for (const auto& [id, place] : not_due) {
    if (!known.contains(id)) {
      findings.push_back(At(place, id, "that rules.md does not know", "take it off this list"));
    } else if (carried.contains(id)) {
      findings.push_back(At(place, id, "that has a test", "take it off this list"));
    }
  }
  return findings;
}

}  // namespace naval::lint
