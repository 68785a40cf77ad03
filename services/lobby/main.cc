#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/auth/access_token.h"
#include "lib/auth/secret_file.h"
#include "lib/base/clock.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/migrations.h"
#include "lib/server/flags.h"
#include "lib/server/server.h"
#include "naval/lobby/migrations.h"
#include "services/lobby/lobby_application.h"

ABSL_FLAG(std::string, match, "127.0.0.1:7202", "HOST:PORT of the match service's internal API.");
ABSL_FLAG(
    std::string, signing_key_file, "",
    "File with the secret key that access tokens are signed with, which only its owner may change "
    "and only its owner and group may read; --make_signing_key makes one. The public key in "
    "--verify_key_file belongs to it.");
ABSL_FLAG(std::string, make_signing_key, "",
          "Write a new secret key to this file and its public key to the same name with .pub, and "
          "end. Overwrites nothing.");

namespace naval::lobby {
namespace {

postgres::Pool::Options Database() {
  return {.connection_string = absl::GetFlag(FLAGS_database), .application_name = "naval-lobby"};
}

absl::Status Migrate() {
  postgres::Pool pool(Database());
  return postgres::Migrate(pool, kSchema);
}

absl::StatusOr<std::unique_ptr<server::Application>> Start(base::Clock& clock) {
  NAVAL_ASSIGN_OR_RETURN(const std::string signing_key_file,
                         server::RequiredFlag(FLAGS_signing_key_file));
  NAVAL_ASSIGN_OR_RETURN(const std::string verify_key_file,
                         server::RequiredFlag(FLAGS_verify_key_file));
  NAVAL_ASSIGN_OR_RETURN(const std::string service_token_file,
                         server::RequiredFlag(FLAGS_service_token_file));
  NAVAL_ASSIGN_OR_RETURN(auth::Signer signer, auth::Signer::FromFile(signing_key_file));
  NAVAL_ASSIGN_OR_RETURN(auth::Verifier verifier, auth::Verifier::FromFile(verify_key_file));
  NAVAL_ASSIGN_OR_RETURN(base::Secret service_token, auth::ReadServiceToken(service_token_file));
  return LobbyApplication::Start(
      {.database = Database(), .match_address = absl::GetFlag(FLAGS_match)}, std::move(signer),
      std::move(verifier), std::move(service_token), clock);
}

int MakeSigningKey(const std::string& path) {
  const absl::Status status = auth::GenerateKeyFiles(path, absl::StrCat(path, ".pub"));
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "naval-lobby: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace naval::lobby

int main(int argc, char** argv) {
  naval::server::ParseFlags(argc, argv,
                            "accounts, sessions, and the tables at which players meet.");
  if (const std::string path = absl::GetFlag(FLAGS_make_signing_key); !path.empty()) {
    return naval::lobby::MakeSigningKey(path);
  }
  naval::base::SystemClock clock;
  return naval::server::Run("lobby", naval::lobby::Migrate,
                            [&clock] { return naval::lobby::Start(clock); });
}
