#include "tests/refusals/documented.h"

#include <google/protobuf/descriptor.pb.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/error.h"
#include "re2/re2.h"

namespace naval::testing {
namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;

// Where a comment stands: descriptor.proto numbers the fields of a path.
using Path = std::vector<int>;
constexpr int kServices = FileDescriptorProto::kServiceFieldNumber;
constexpr int kMethods = google::protobuf::ServiceDescriptorProto::kMethodFieldNumber;

FileDescriptorSet ReadApi() {
  FileDescriptorSet api;
  std::ifstream file(NAVAL_API, std::ios::binary);
  if (api.ParseFromIstream(&file) && api.file_size() > 0) return api;
  absl::FPrintF(stderr, "%s cannot be read\n", NAVAL_API);
  std::exit(1);
}

// Each comment as one line, without what stands in brackets.
std::map<Path, std::string> CommentsOf(const FileDescriptorProto& file) {
  static const RE2& space = *new RE2(R"(\s+)");
  static const RE2& brackets = *new RE2(R"( ?\([^()]*\))");
  std::map<Path, std::string> comments;
  for (const auto& location : file.source_code_info().location()) {
    std::string comment = location.leading_comments();
    RE2::GlobalReplace(&comment, space, " ");
    RE2::GlobalReplace(&comment, brackets, "");
    comments[Path(location.path().begin(), location.path().end())] = std::move(comment);
  }
  return comments;
}

void Collect(const std::string& comment, const std::string& service, const std::string& method,
             std::vector<Refused>& refusals) {
  static const RE2& list = *new RE2(R"(\b([A-Z_]+): ([A-Z_]+(?:, [A-Z_]+)*))");
  std::string code, reasons;
  re2::StringPiece rest(comment);
  while (RE2::FindAndConsume(&rest, list, &code, &reasons)) {
    for (const absl::string_view reason : absl::StrSplit(reasons, ", ")) {
      refusals.push_back({service, method, code, std::string(reason)});
    }
  }
}

}  // namespace

std::vector<Refused> DocumentedRefusals() {
  const FileDescriptorSet api = ReadApi();
  std::vector<Refused> refusals;
  for (const FileDescriptorProto& file : api.file()) {
    std::map<Path, std::string> comments = CommentsOf(file);
    for (int i = 0; i < file.service_size(); ++i) {
      const std::string name = file.package() + "." + file.service(i).name();
      Collect(comments[{kServices, i}], name, "*", refusals);
      for (int j = 0; j < file.service(i).method_size(); ++j) {
        Collect(comments[{kServices, i, kMethods, j}], name, file.service(i).method(j).name(),
                refusals);
      }
    }
  }
  return refusals;
}

bool IsDocumented(const std::string& service, const std::string& method,
                  const absl::Status& status) {
  static const auto& documented = *new std::set<Refused>([] {
    const std::vector<Refused> refusals = DocumentedRefusals();
    return std::set<Refused>(refusals.begin(), refusals.end());
  }());
  const std::string code = absl::StatusCodeToString(status.code());
  const std::string reason = base::ReasonOf(status);
  return documented.contains({service, method, code, reason}) ||
         documented.contains({service, "*", code, reason});
}

}  // namespace naval::testing
