#include <sys/utsname.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/auth/access_token.h"
#include "lib/auth/sealer.h"
#include "lib/auth/secret_file.h"
#include "lib/base/check.h"
#include "lib/base/clock.h"
#include "lib/base/status_macros.h"
#include "lib/server/flags.h"
#include "lib/server/server.h"
#include "naval/match/migrations.h"
#include "services/match/match_application.h"
#include "services/match/outbox_senders.h"

ABSL_FLAG(std::string, lobby, "127.0.0.1:7201", "HOST:PORT of the lobby's internal API.");
ABSL_FLAG(std::string, ranking, "127.0.0.1:7203", "HOST:PORT of the ranking's internal API.");
ABSL_FLAG(int, max_matches, naval::match::kMaxMatches,
          "How many matches are held in memory at most; above that, new ones and those that are "
          "not in memory are refused with TOO_MANY_MATCHES. Count 85 KB for each: its two players' "
          "streams and connections.");
ABSL_FLAG(
    std::string, sealing_key_file, "",
    "File with the keys that hidden fleets are sealed with before they are stored, one a line in "
    "base64url, which only its owner may change and only its owner and group may read; "
    "--make_sealing_key makes one. The first key seals, each of them opens. Matches whose key is "
    "lost are lost.");
ABSL_FLAG(std::string, make_sealing_key, "",
          "Write a new sealing key to this file, and end. Overwrites nothing.");
ABSL_FLAG(
    std::string, owner, "",
    "The name under which this process owns matches, which no other process of the service may "
    "have at the same time; one that is started anew with the same name goes on at once with the "
    "matches of the one before. Empty: the name of the host.");
ABSL_FLAG(
    std::string, peer_address, "",
    "HOST:PORT at which the other processes of the match service reach --internal_listen, to hand "
    "on the calls about matches that this one owns; [ADDRESS]:PORT for IPv6. Empty: the host of "
    "--internal_listen, or the name of this host where that is any address (0.0.0.0), and its "
    "port; where that is 0 they do not reach it, and refuse such calls with NOT_OWNER.");
ABSL_FLAG(bool, bots_pause, true, "Whether bots take the time to answer that a person would.");

namespace naval::match {
namespace {

postgres::Pool::Options Database() {
  // One for each thread that may ask at the same time: none waits for another, least of all the one
  // that renews the leases.
  return {.connection_string = absl::GetFlag(FLAGS_database),
          .application_name = "naval-match",
          .max_connections = 12};
}

std::string HostName() {
  utsname host;
  NAVAL_CHECK(uname(&host) == 0);
  return host.nodename;
}

std::string Owner() {
  std::string owner = absl::GetFlag(FLAGS_owner);
  return owner.empty() ? HostName() : owner;
}

absl::StatusOr<std::string> PeerAddress() {
  if (!absl::GetFlag(FLAGS_peer_address).empty()) return server::AddressFlag(FLAGS_peer_address);
  const std::string internal = absl::GetFlag(FLAGS_internal_listen);
  const auto [host, port] = server::SplitAddress(internal);
  if (port == "0") return "";
  const bool is_any = host == "0.0.0.0" || host == "[::]";
  return is_any ? absl::StrCat(HostName(), ":", port) : internal;
}

absl::Status Migrate() {
  postgres::Pool pool(Database());
  return postgres::Migrate(pool, kSchema);
}

absl::StatusOr<std::unique_ptr<server::Application>> Start(base::Clock& clock) {
  NAVAL_ASSIGN_OR_RETURN(const int max_matches,
                         server::FlagInRange(FLAGS_max_matches, 1, kMaxMatches));
  NAVAL_ASSIGN_OR_RETURN(const std::string verify_key_file,
                         server::RequiredFlag(FLAGS_verify_key_file));
  NAVAL_ASSIGN_OR_RETURN(const std::string service_token_file,
                         server::RequiredFlag(FLAGS_service_token_file));
  NAVAL_ASSIGN_OR_RETURN(const std::string sealing_key_file,
                         server::RequiredFlag(FLAGS_sealing_key_file));
  NAVAL_ASSIGN_OR_RETURN(std::string peer_address, PeerAddress());
  NAVAL_ASSIGN_OR_RETURN(auth::Verifier verifier, auth::Verifier::FromFile(verify_key_file));
  NAVAL_ASSIGN_OR_RETURN(auth::Sealer sealer, auth::Sealer::FromFile(sealing_key_file));
  NAVAL_ASSIGN_OR_RETURN(base::Secret service_token, auth::ReadServiceToken(service_token_file));
  return MatchApplication::Start(
      {.database = Database(),
       .core = {.send_to_lobby = SendToLobby(absl::GetFlag(FLAGS_lobby), service_token),
                .send_to_ranking = SendToRanking(absl::GetFlag(FLAGS_ranking), service_token),
                .owner = Owner(),
                .peer_address = std::move(peer_address),
                .max_matches = static_cast<std::size_t>(max_matches),
                .bots_pause = absl::GetFlag(FLAGS_bots_pause)}},
      std::move(verifier), std::move(sealer), service_token, clock);
}

int MakeSealingKey(const std::string& path) {
  const absl::Status status = auth::GenerateSealingKeyFile(path);
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "naval-match: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace naval::match

int main(int argc, char** argv) {
  naval::server::ParseFlags(argc, argv, "holds the matches, their hidden fleets and their clocks.");
  if (const std::string path = absl::GetFlag(FLAGS_make_sealing_key); !path.empty()) {
    return naval::match::MakeSealingKey(path);
  }
  naval::base::SystemClock clock;
  return naval::server::Run("match", naval::match::Migrate,
                            [&clock] { return naval::match::Start(clock); });
}
