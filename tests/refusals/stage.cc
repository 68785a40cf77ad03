#include "tests/refusals/stage.h"

#include <fnmatch.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <atomic>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/server/grpc_status.h"
#include "tests/refusals/documented.h"
#include "tests/support/or_die.h"
#include "tests/support/test_keys.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

using google::protobuf::Message;

// Functions for triggers: the first fails with the SQLSTATE it is given, naming a constraint; the
// second ends its own connection.
constexpr char kFaults[] = R"sql(
  CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
      RAISE EXCEPTION 'failed by the test: "%"', TG_ARGV[1] USING ERRCODE = TG_ARGV[0];
    END $$;
  CREATE FUNCTION public.kill() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
)sql";

// Found in no answer.
constexpr const char* kSecrets[] = {"password", "refresh", "join_code"};

// What is held is held for longer than anybody waits for what it causes.
postgres::Pool::Options Patient(postgres::Pool::Options options) {
  options.statement_timeout = absl::Minutes(1);
  options.lock_timeout = absl::Seconds(30);
  return options;
}

absl::Status Unplayable(absl::string_view what) { return absl::InvalidArgumentError(what); }

const google::protobuf::MethodDescriptor& MethodOf(const std::string& name) {
  return *google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
}

std::unique_ptr<Message> NewMessage(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// A message of `size` bytes: one field that no message of the API knows, of two bytes of key and
// two of length.
std::string LongBytes(int size) {
  const int length = size - 4;
  std::string bytes = "\xc2\x3e";
  bytes += static_cast<char>(0x80 | (length & 0x7f));
  bytes += static_cast<char>(length >> 7);
  return bytes + std::string(static_cast<size_t>(length), 'x');
}

// The refusal as a script says it.
std::vector<std::string> LinesOf(const absl::Status& status) {
  std::vector<std::string> lines = {
      absl::StrCat("want ", absl::StatusCodeToString(status.code()), " ", base::ReasonOf(status))};
  for (const auto& [name, value] : base::MetadataOf(status)) {
    lines.push_back(absl::StrCat("with ", name, ":", value.empty() ? "" : " ", value));
  }
  for (const base::FieldViolation& violation : base::FieldViolationsOf(status)) {
    lines.push_back(absl::StrCat("field ", violation.field, ": ", violation.description));
  }
  if (const auto delay = base::RetryDelayOf(status); delay.has_value()) {
    lines.push_back(absl::StrCat("retry ", absl::FormatDuration(*delay)));
  }
  return lines;
}

// '*' in a wanted line stands for any text; the brackets of fnmatch stand for themselves.
bool Fits(const std::string& wanted, const std::string& line) {
  const std::string pattern =
      absl::StrReplaceAll(wanted, {{"[", "\\["}, {"]", "\\]"}, {"?", "\\?"}, {"\\", "\\\\"}});
  return fnmatch(pattern.c_str(), line.c_str(), 0) == 0;
}

bool Fit(const std::vector<std::string>& wanted, const std::vector<std::string>& lines) {
  return std::equal(wanted.begin(), wanted.end(), lines.begin(), lines.end(), Fits);
}

// Waits for the end of the call.
absl::Status EndOf(RawCall& call) { return server::FromGrpcStatus(call.Finish().status()); }

bool IsRefusedAs(RawCall& call, const std::vector<std::string>& want) {
  return Fit(want, LinesOf(EndOf(call)));
}

// What holds for every refusal, whatever it says.
absl::Status CheckForm(const absl::Status& status) {
  const std::string reason = base::ReasonOf(status);
  if (reason.empty()) return Unplayable("it has no ErrorInfo");
  if (status.message().empty()) return Unplayable("it has no message");
  for (const std::string& line : LinesOf(status)) {
    if (!std::all_of(line.begin(), line.end(), absl::ascii_isprint)) {
      return Unplayable(absl::StrCat("it is not printable ASCII: ", absl::CHexEscape(line)));
    }
  }
  // Where a message does not parse nobody can say which field it is.
  if (absl::IsInvalidArgument(status) && reason != "MALFORMED_REQUEST" &&
      base::FieldViolationsOf(status).empty()) {
    return Unplayable("it is INVALID_ARGUMENT and names no field");
  }
  if (absl::IsUnavailable(status) && !base::RetryDelayOf(status).has_value()) {
    return Unplayable("it is UNAVAILABLE and says no RetryInfo");
  }
  return absl::OkStatus();
}

// Of a flood any call may be OK, or be refused for another reason than the one that is looked for.
absl::Status CheckDocumented(const std::string& method, const absl::Status& status) {
  const auto& descriptor = MethodOf(method);
  const bool documented =
      status.ok() || IsDocumented(descriptor.service()->full_name(), descriptor.name(), status);
  if (documented) return absl::OkStatus();
  return Unplayable(absl::StrCat("one of the calls ended with ", status.ToString()));
}

// The value of "table.players[1].handle" as text; only what the scripts need.
std::string ValueAt(const Message& message, absl::string_view path) {
  const Message* at = &message;
  for (const absl::string_view name : absl::StrSplit(path, '.')) {
    const auto* const field = at->GetDescriptor()->FindFieldByName(std::string(name));
    if (field == nullptr) return "";
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      at = &at->GetReflection()->GetMessage(*at, field);
      continue;
    }
    std::string text;
    google::protobuf::TextFormat::PrintFieldValueToString(*at, field, -1, &text);
    return std::string(absl::StripPrefix(absl::StripSuffix(text, "\""), "\""));
  }
  return "";
}

}  // namespace

Stage::Stage() : pool_(Patient(house_.database().PoolOptions())) {
  values_["password"] = "correct horse battery";
  DieUnless(Run(kFaults));
}

std::vector<std::string> Stage::Play(const std::vector<ScriptStep>& script) {
  std::vector<std::string> problems;
  for (const ScriptStep& step : script) {
    const absl::Status played = PlayStep(step);
    if (played.ok()) continue;
    problems.push_back(absl::StrCat("line ", step.line.number, ": ", step.line.verb, " ",
                                    step.line.rest, "\n", played.message()));
  }
  streams_.clear();
  return problems;
}

absl::Status Stage::PlayStep(const ScriptStep& step) {
  const std::string& verb = step.line.verb;
  if (verb == "call") return Choose(step.line.rest);
  if (verb == "send") return Send(step);
  if (verb == "open") return Open(step.line.rest);
  if (verb == "new") {
    for (const absl::string_view name : absl::StrSplit(step.line.rest, ' ')) {
      values_[std::string(name)] = house_.NewId();
    }
    return absl::OkStatus();
  }
  if (verb == "let") {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(step.line.rest, absl::MaxSplits(' ', 1));
    NAVAL_ASSIGN_OR_RETURN(values_[std::string(parts.first)], Fill(parts.second));
    return absl::OkStatus();
  }
  if (verb == "close") {
    streams_.clear();
    return absl::OkStatus();
  }
  if (verb == "on") {
    house_.clock().RingAlarms();
    return absl::OkStatus();
  }
  if (verb == "pass" || verb == "late") {
    absl::Duration duration;
    if (!absl::ParseDuration(step.line.rest, &duration)) return Unplayable("no duration");
    verb == "pass" ? house_.clock().Advance(duration) : house_.clock().AdvanceSilently(duration);
    return absl::OkStatus();
  }
  if (verb == "matches") {
    int limit = 0;
    if (!absl::SimpleAtoi(step.line.rest, &limit)) return Unplayable("no number");
    house_.RestartMatch(static_cast<size_t>(limit));
    return absl::OkStatus();
  }
  if (verb == "elsewhere") return absl::OkStatus();
  NAVAL_ASSIGN_OR_RETURN(const std::string rest, Fill(step.line.rest));
  return PlayDatabase(verb, rest);
}

absl::Status Stage::PlayDatabase(const std::string& verb, const std::string& rest) {
  if (verb == "sql") return Run(rest);
  if (verb == "database") {
    rest == "away" ? house_.database().RefuseConnections() : house_.database().AllowConnections();
    return absl::OkStatus();
  }
  const std::vector<std::string> words = absl::StrSplit(rest, ' ');
  if (verb == "mend") return Run("DROP TRIGGER fault ON " + words[0]);
  if (verb == "kill") {
    return Run(absl::StrCat("CREATE CONSTRAINT TRIGGER fault AFTER INSERT OR UPDATE OR DELETE ON ",
                            words[0],
                            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "
                            "public.kill()"));
  }
  return Run(absl::StrCat("CREATE TRIGGER fault BEFORE INSERT OR UPDATE OR DELETE ON ", words[0],
                          " FOR EACH ROW EXECUTE FUNCTION public.fail('", words[1], "', '",
                          words.size() > 2 ? words[2] : "", "')"));
}

absl::Status Stage::Run(const std::string& sql) {
  return pool_.Transact(
      [&](postgres::Transaction& transaction) { return transaction.ExecuteScript(sql); });
}

absl::Status Stage::Choose(absl::string_view rest) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(rest, " as ");
  called_ = MethodsNamed(parts.first);
  if (called_.empty() || parts.second.empty()) return Unplayable("no METHOD as WHO");
  NAVAL_ASSIGN_OR_RETURN(caller_, Fill(parts.second));
  return absl::OkStatus();
}

absl::StatusOr<Stage::Sending> Stage::Read(const ScriptStep& step) {
  Sending sending{.text = step.line.rest};
  for (const ScriptLine& detail : step.details) {
    NAVAL_ASSIGN_OR_RETURN(const std::string rest, Fill(detail.rest));
    const std::pair<std::string, std::string> words = absl::StrSplit(rest, absl::MaxSplits(' ', 1));
    int* const number = detail.verb == "times"   ? &sending.times
                        : detail.verb == "flood" ? &sending.flood
                                                 : nullptr;
    if (number != nullptr) {
      if (!absl::SimpleAtoi(rest, number)) return Unplayable("no number");
    } else if (detail.verb == "keep") {
      sending.keep.push_back(words);
    } else if (detail.verb == "hold") {
      sending.hold = rest;
    } else if (detail.verb == "meanwhile") {
      sending.meanwhile.push_back(rest);
    } else {
      sending.want.push_back(absl::StrCat(detail.verb, " ", rest));
    }
  }
  return sending;
}

absl::StatusOr<std::string> Stage::Fill(absl::string_view text) {
  std::string filled;
  while (!text.empty()) {
    const size_t dollar = text.find('$');
    absl::StrAppend(&filled, text.substr(0, dollar));
    if (dollar == absl::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    size_t length = 0;
    while (length < text.size() && (absl::ascii_islower(text[length]) || text[length] == '_' ||
                                    absl::ascii_isdigit(text[length]))) {
      ++length;
    }
    const std::string name(text.substr(0, length));
    text.remove_prefix(length);
    if (name == "new") {
      filled += house_.NewId();
    } else if (const auto value = values_.find(name); value != values_.end()) {
      filled += value->second;
    } else {
      return Unplayable(absl::StrCat("nothing was kept as $", name));
    }
  }
  return filled;
}

absl::StatusOr<std::string> Stage::RequestBytes(const std::string& method, absl::string_view text) {
  NAVAL_ASSIGN_OR_RETURN(const std::string filled, Fill(text));
  int size = 0;
  if (absl::StartsWith(filled, "long ") && absl::SimpleAtoi(filled.substr(5), &size)) {
    return LongBytes(size);
  }
  std::string bytes;
  if (absl::StartsWith(filled, "bytes ") && absl::CUnescape(filled.substr(6), &bytes)) return bytes;
  const auto request = NewMessage(MethodOf(method).input_type());
  if (!google::protobuf::TextFormat::ParseFromString(filled, request.get())) {
    return Unplayable(absl::StrCat("no ", request->GetTypeName(), ": ", filled));
  }
  return request->SerializeAsString();
}

absl::Status Stage::Send(const ScriptStep& step) {
  NAVAL_ASSIGN_OR_RETURN(const Sending sending, Read(step));
  std::vector<std::string> problems;
  for (const std::string& method : called_) {
    for (int i = 0; i < sending.times; ++i) {
      const absl::Status sent = SendTo(method, sending);
      if (!sent.ok()) problems.push_back(absl::StrCat(method, ": ", sent.message()));
    }
  }
  if (problems.empty()) return absl::OkStatus();
  return Unplayable(absl::StrJoin(problems, "\n"));
}

absl::Status Stage::SendTo(const std::string& method, const Sending& sending) {
  NAVAL_ASSIGN_OR_RETURN(const std::string bytes, RequestBytes(method, sending.text));
  RawAnswer answer;
  if (sending.hold.empty()) {
    answer = Start(method, bytes)->Finish();
  } else {
    NAVAL_ASSIGN_OR_RETURN(answer, CallHeld(method, bytes, sending));
  }
  const absl::Status status = server::FromGrpcStatus(answer.status());
  if (sending.want.empty()) {
    NAVAL_RETURN_IF_ERROR(status);
    return Keep(method, answer.messages.at(0), sending);
  }
  if (status.ok()) return Unplayable("it was not refused");
  NAVAL_RETURN_IF_ERROR(CheckForm(status));
  for (const char* name : kSecrets) {
    const auto secret = values_.find(name);
    if (secret != values_.end() && absl::StrContains(answer.error_details, secret->second)) {
      return Unplayable(absl::StrCat("it tells the ", name));
    }
  }
  const std::vector<std::string> lines = LinesOf(status);
  if (Fit(sending.want, lines)) return absl::OkStatus();
  return Unplayable(
      absl::StrCat("is refused otherwise (", status.message(), "):\n", absl::StrJoin(lines, "\n")));
}

absl::Status Stage::Keep(const std::string& method, const std::string& response,
                         const Sending& sending) {
  const auto message = NewMessage(MethodOf(method).output_type());
  if (!message->ParseFromString(response)) return Unplayable("its response does not parse");
  for (const auto& [name, path] : sending.keep) {
    values_[name] = ValueAt(*message, path);
    if (values_[name].empty()) return Unplayable(absl::StrCat("its response has no ", path));
  }
  return absl::OkStatus();
}

// Callers: an account, by the name that its id was kept under; any other name, such as "stranger":
// an account that nobody knows, another each time; "nobody": no token at all; and the words below.
std::multimap<std::string, std::string> Stage::Headers() {
  constexpr char kServiceToken[] = "x-naval-service-token";
  constexpr char kAccessToken[] = "authorization";
  const std::string service_token(house_.service_token().Reveal());
  const std::string good = "Bearer " + TokenOf("ana", absl::ZeroDuration(), house_.signer());
  if (caller_ == "nobody") return {};
  if (caller_ == "service") return {{kServiceToken, service_token}};
  if (caller_ == "wrong-service") return {{kServiceToken, std::string(40, 'w')}};
  if (caller_ == "access-token-as-service") return {{kServiceToken, good}};
  if (caller_ == "service-token-as-access") return {{kAccessToken, "Bearer " + service_token}};
  if (caller_ == "basic") return {{kAccessToken, "Basic " + good}};
  if (caller_ == "twice") return {{kAccessToken, good}, {kAccessToken, good}};
  if (caller_ == "garbled") return {{kAccessToken, good.substr(0, good.size() - 1)}};
  if (caller_ == "refresh-token") return {{kAccessToken, "Bearer " + values_["refresh"]}};
  if (caller_ == "expired") {
    return {{kAccessToken, "Bearer " + TokenOf("ana", absl::Minutes(16), house_.signer())}};
  }
  if (caller_ == "forged") {
    const TestKeys others = NewTestKeys();
    return {{kAccessToken, "Bearer " + TokenOf("ana", absl::ZeroDuration(), others.signer)}};
  }
  return {{kAccessToken, "Bearer " + TokenOf(caller_, absl::ZeroDuration(), house_.signer())}};
}

std::string Stage::TokenOf(const std::string& caller, absl::Duration age,
                           const auth::Signer& signer) {
  const auto account = values_.find(caller);
  const auto session = values_.find(caller + "_refresh");
  const std::string account_id = account == values_.end() ? house_.NewId() : account->second;
  const absl::Time issue_time = house_.clock().Now() - age;
  const auth::Claims claims{
      .account_id = account_id,
      // A refresh token begins with the id of its session.
      .session_id = session == values_.end() ? account_id : session->second.substr(0, 36),
      .kind = auth::AccountKind::kRegistered,
      .handle = caller,
      .issue_time = issue_time,
      .expire_time = issue_time + auth::kAccessTokenLifetime};
  return std::string(signer.Sign(claims).Reveal());
}

std::unique_ptr<RawCall> Stage::Start(const std::string& method, const std::string& bytes,
                                      int connection) {
  const size_t dot = method.rfind('.');
  const std::string service = method.substr(0, dot);
  return std::make_unique<RawCall>(house_.Channel(service, connection),
                                   absl::StrCat("/", service, "/", method.substr(dot + 1)),
                                   Headers(), bytes);
}

absl::StatusOr<RawAnswer> Stage::CallHeld(const std::string& method, const std::string& bytes,
                                          const Sending& sending) {
  std::vector<std::unique_ptr<RawCall>> calls;
  const absl::Status held = pool_.Transact([&](postgres::Transaction& transaction) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(transaction.ExecuteScript(sending.hold));
    calls.push_back(Start(method, bytes));
    for (int i = 1; i < sending.flood; ++i) {
      // With ids of its own where the text says $new.
      NAVAL_ASSIGN_OR_RETURN(const std::string more, RequestBytes(method, sending.text));
      calls.push_back(Start(method, more, /*connection=*/i % House::kConnections));
    }
    NAVAL_RETURN_IF_ERROR(Wait(calls, sending));
    for (const std::string& meanwhile : sending.meanwhile) {
      NAVAL_RETURN_IF_ERROR(transaction.ExecuteScript(meanwhile));
    }
    return absl::OkStatus();
  });
  NAVAL_RETURN_IF_ERROR(held);
  RawAnswer answer = calls[0]->Finish();
  for (const auto& call : calls) {
    if (IsRefusedAs(*call, sending.want)) answer = call->Finish();
    NAVAL_RETURN_IF_ERROR(CheckDocumented(method, EndOf(*call)));
  }
  return answer;
}

// Until the call waits for what is held; or, of a flood, until one is refused as it is to be.
absl::Status Stage::Wait(const std::vector<std::unique_ptr<RawCall>>& calls,
                         const Sending& sending) {
  if (sending.flood == 0) {
    if (WaitFor([&] { return SomebodyWaits(); })) return absl::OkStatus();
    return Unplayable("the call does not wait for what is held");
  }
  const bool refused = WaitFor([&] {
    return std::any_of(calls.begin(), calls.end(), [&](const auto& call) {
      return call->done() && IsRefusedAs(*call, sending.want);
    });
  });
  return refused ? absl::OkStatus() : Unplayable("none of the calls is refused so");
}

bool Stage::SomebodyWaits() {
  const auto waits =
      pool_.Transact([&](postgres::Transaction& transaction) -> absl::StatusOr<bool> {
        NAVAL_ASSIGN_OR_RETURN(const postgres::Rows rows,
                               transaction.Execute("SELECT EXISTS (SELECT FROM pg_stat_activity"
                                                   " WHERE datname = current_database()"
                                                   " AND wait_event_type = 'Lock') AS waits"));
        return rows[0].Get<bool>("waits");
      });
  return waits.ok() && *waits;
}

absl::Status Stage::Open(absl::string_view rest) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(' ', 1));
  int count = 0;
  if (!absl::SimpleAtoi(parts.first, &count)) return Unplayable("no number");
  constexpr char kMethod[] = "naval.match.v1.MatchService.WatchMatch";
  NAVAL_ASSIGN_OR_RETURN(const std::string bytes, RequestBytes(kMethod, parts.second));
  for (int i = 0; i < count; ++i) {
    streams_.push_back(Start(kMethod, bytes));
    const RawCall& stream = *streams_.back();
    // It is open once it has sent something.
    WaitFor([&] { return !stream.messages().empty() || stream.done(); });
    if (stream.messages().empty()) return Unplayable("a stream did not open");
  }
  return absl::OkStatus();
}

}  // namespace naval::testing
