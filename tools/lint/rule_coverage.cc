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

// Marks that share a comment or a line with other words.
void FindMisplacedMarks(const SourceFile& file, std::vector<Finding>& findings) {
  static const RE2& own_comment = *new RE2(R"(^\s*//\s*rules?:)");
  static const RE2& mark = *new RE2(R"(^[^"]*//.*\brules?:\s*([A-Z]+-\d+))");
  const std::vector<std::string> lines = LinesOf(file.text).all;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string id;
    if (RE2::PartialMatch(lines[i], own_comment) || !RE2::PartialMatch(lines[i], mark, &id)) {
      continue;
    }
    findings.push_back({.path = file.path,
                        .line = static_cast<int>(i) + 1,
                        .found = absl::StrCat("rule ", id, " marked within another comment"),
                        .instead = "put the mark on a line of its own: // rule: <id>"});
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
  static const RE2& comment = *new RE2(R"(^\s*//\s*rules?:(.*))");
  static const RE2& head = *new RE2(R"(^#(.*))");
  static const RE2& not_due_line = *new RE2(R"(^([A-Z]+-\d+))");
  static const RE2& in_part_line = *new RE2(R"(^([A-Z]+-\d+) in part:)");
  Ids known, not_due, in_part, carried;
  std::vector<Finding> findings;
  for (const SourceFile& file : files) {
    if (file.path == kRulesPath) CollectIds(file, table_row, known);
    if (file.path == kNotDuePath) {
      CollectIds(file, not_due_line, not_due);
      CollectIds(file, in_part_line, in_part);
    }
    if (IsTranscript(file.path)) CollectIds(file, head, carried);
    if (absl::EndsWith(file.path, "_test.cc")) {
      CollectIds(file, comment, carried);
      FindMisplacedMarks(file, findings);
    }
  }

  if (known.empty()) {
    findings.push_back({.path = std::string(kRulesPath),
                        .found = "no rule",
                        .instead = "write one table row a rule, the id first: | T-01 | ... |"});
  }
  for (const auto& [id, place] : known) {
    const bool due = !not_due.contains(id) || in_part.contains(id);
    if (carried.contains(id) || !due) continue;
    findings.push_back(At(place, id, "without a test", "write one and mark it // rule: <id>"));
  }
  for (const auto& [id, place] : carried) {
    if (known.contains(id)) continue;
    findings.push_back(At(place, id, "that rules.md does not know", "name a rule that exists"));
  }
  for (const auto& [id, place] : not_due) {
    if (!known.contains(id)) {
      findings.push_back(At(place, id, "that rules.md does not know", "take it off this list"));
    } else if (carried.contains(id) && !in_part.contains(id)) {
      findings.push_back(At(place, id, "that has a test",
                            "take it off this list, or say what waits: <id> in part: <what>"));
    }
  }
  return findings;
}

}  // namespace naval::lint
