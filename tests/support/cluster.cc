#include "tests/support/cluster.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/auth/access_token.h"
#include "lib/auth/opaque_token.h"
#include "lib/auth/sealer.h"
#include "lib/auth/secret_file.h"
#include "lib/base/random.h"
#include "tests/support/local_address.h"
#include "tests/support/or_die.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

namespace health = grpc::health::v1;

constexpr size_t kLinesShown = 40;

[[noreturn]] void Die(absl::string_view problem) {
  absl::FPrintF(stderr, "Cluster: %s\n", problem);
  std::exit(1);
}

}  // namespace

absl::string_view ServiceName(Service service) {
  constexpr absl::string_view kNames[] = {"lobby", "match", "ranking", "match"};
  return kNames[static_cast<size_t>(service)];
}

absl::string_view ProcessName(Service service) {
  constexpr absl::string_view kNames[] = {"lobby", "match-0", "ranking", "match-1"};
  return kNames[static_cast<size_t>(service)];
}

bool IsServing(const std::string& address) {
  const auto stub =
      health::Health::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(gpr_time_from_seconds(1, GPR_TIMESPAN));
  health::HealthCheckResponse response;
  return stub->Check(&context, health::HealthCheckRequest(), &response).ok() &&
         response.status() == health::HealthCheckResponse::SERVING;
}

Cluster::Cluster(base::LogLevel log_level) : log_level_(log_level) {
  MakeKeys();
  for (const Service service : kServices) Migrate(service);
  for (const Service service : kServices) Start(service);
}

Cluster::~Cluster() {
  for (Process& process : processes_) {
    if (process.running == nullptr) continue;
    process.running->Signal(SIGKILL);
    process.running->Wait();
  }
  if (::testing::Test::HasFailure()) ShowLogs();
}

std::string Cluster::Address(Service service) const {
  return LocalAddress(ProcessOf(service).public_port.port());
}

int Cluster::MetricsPort(Service service) {
  const std::string line = ProcessOf(service).running->WaitForLine("\"serving\"");
  return nlohmann::json::parse(line).at("metrics_port").get<int>();
}

void Cluster::Start(Service service, std::optional<int> database_port) {
  Process& process = ProcessOf(service);
  if (process.running != nullptr) Die(absl::StrCat(ServiceName(service), " is running already"));
  process.running = std::make_unique<Subprocess>(Command(service, Flags(service), database_port));
  const bool serves = !process.running->WaitForLine("\"serving\"").empty() &&
                      WaitFor([&] { return IsServing(Address(service)); });
  if (serves) return;
  ShowLogs();
  Die(absl::StrCat(ServiceName(service), " did not start; its log is above"));
}

void Cluster::Kill(Service service) {
  ProcessOf(service).running->Signal(SIGKILL);
  Wait(service);
}

void Cluster::Signal(Service service, int signal) { ProcessOf(service).running->Signal(signal); }

int Cluster::Wait(Service service) {
  const int exit_code = ProcessOf(service).running->Wait();
  Forget(service);
  return exit_code;
}

void Cluster::Forget(Service service) {
  Process& process = ProcessOf(service);
  const std::unique_ptr<Subprocess> ended = std::move(process.running);
  process.earlier_log += ended->Output();
}

std::string Cluster::Log(Service service) const {
  const Process& process = ProcessOf(service);
  if (process.running == nullptr) return process.earlier_log;
  return absl::StrCat(process.earlier_log, process.running->Output());
}

std::string Cluster::service_token() const {
  return std::string(ValueOrDie(auth::ReadServiceToken(KeyFile("service"))).Reveal());
}

std::string Cluster::signing_key() const {
  return std::string(ValueOrDie(auth::ReadSecretFile(KeyFile("signing"))).Reveal());
}

std::string Cluster::sealing_key() const {
  return std::string(ValueOrDie(auth::ReadSecretFile(KeyFile("sealing"))).Reveal());
}

std::string Cluster::KeyFile(absl::string_view name) const {
  return absl::StrCat(folder_.path(), "/", name);
}

void Cluster::MakeKeys() {
  base::SecureRandom random;
  DieUnless(auth::GenerateKeyFiles(KeyFile("signing"), KeyFile("verify")));
  DieUnless(auth::GenerateSealingKeyFile(KeyFile("sealing")));
  DieUnless(auth::WriteNewFile(KeyFile("service"), auth::NewOpaqueToken(random).Reveal(), 0600));
}

// setpriv: the kernel ends the process when the test program is gone.
std::vector<std::string> Cluster::Command(Service service, const std::vector<std::string>& flags,
                                          std::optional<int> database_port) const {
  std::vector<std::string> command = {"/usr/bin/setpriv", "--pdeathsig", "KILL",
                                      BinaryNamed(absl::StrCat("naval-", ServiceName(service)))};
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back(absl::StrCat("--database=", database_.ConnectionString(ServiceName(service)),
                                 " options='-c naval.process=", ProcessName(service), "'"));
  // The later of two values for the same key counts.
  if (database_port.has_value()) absl::StrAppend(&command.back(), " port=", *database_port);
  return command;
}

std::vector<std::string> Cluster::Flags(Service service) const {
  const auto internal = [this](Service other) {
    return LocalAddress(ProcessOf(other).internal_port.port());
  };
  std::vector<std::string> flags = {
      absl::StrCat("--listen=", Address(service)),
      absl::StrCat("--internal_listen=", internal(service)),
      absl::StrCat("--service_token_file=", KeyFile("service")),
      absl::StrCat("--verify_key_file=", KeyFile("verify")),
      absl::StrCat("--log_level=", base::AbslUnparseFlag(log_level_)),
  };
  if (service == Service::kLobby) {
    flags.push_back(absl::StrCat("--signing_key_file=", KeyFile("signing")));
    flags.push_back(absl::StrCat("--match=", internal(Service::kMatch)));
  }
  if (service == Service::kMatch || service == Service::kOtherMatch) {
    flags.push_back(absl::StrCat("--owner=", ProcessName(service)));
    flags.push_back(absl::StrCat("--lobby=", internal(Service::kLobby)));
    flags.push_back(absl::StrCat("--ranking=", internal(Service::kRanking)));
    flags.push_back(absl::StrCat("--sealing_key_file=", KeyFile("sealing")));
    flags.push_back("--nobots_pause");
  }
  return flags;
}

void Cluster::Migrate(Service service) {
  Subprocess migration(Command(service, {"--migrate"}));
  if (migration.Wait() == 0) return;
  Die(absl::StrCat("naval-", ServiceName(service), " --migrate failed:\n", migration.Output()));
}

void Cluster::ShowLogs() const {
  for (size_t i = 0; i < processes_.size(); ++i) {
    const auto service = static_cast<Service>(i);
    const std::string log = Log(service);
    std::vector<absl::string_view> lines = absl::StrSplit(log, '\n', absl::SkipEmpty());
    if (lines.size() > kLinesShown) lines.erase(lines.begin(), lines.end() - kLinesShown);
    absl::FPrintF(stderr, "the end of the log of %s:\n%s\n", ServiceName(service),
                  absl::StrJoin(lines, "\n"));
  }
}

}  // namespace naval::testing
