#include <memory>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "lib/auth/access_token.h"
#include "lib/auth/secret_file.h"
#include "lib/base/clock.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/migrations.h"
#include "lib/server/flags.h"
#include "lib/server/server.h"
#include "naval/ranking/migrations.h"
#include "services/ranking/ranking_application.h"

namespace naval::ranking {
namespace {

postgres::Pool::Options Database() {
  return {.connection_string = absl::GetFlag(FLAGS_database), .application_name = "naval-ranking"};
}

absl::Status Migrate() {
  postgres::Pool pool(Database());
  return postgres::Migrate(pool, kSchema);
}

absl::StatusOr<std::unique_ptr<server::Application>> Start(const base::Clock& clock) {
  NAVAL_ASSIGN_OR_RETURN(const std::string verify_key_file,
                         server::RequiredFlag(FLAGS_verify_key_file));
  NAVAL_ASSIGN_OR_RETURN(const std::string service_token_file,
                         server::RequiredFlag(FLAGS_service_token_file));
  NAVAL_ASSIGN_OR_RETURN(auth::Verifier verifier, auth::Verifier::FromFile(verify_key_file));
  NAVAL_ASSIGN_OR_RETURN(base::Secret service_token, auth::ReadServiceToken(service_token_file));
  return RankingApplication::Start(Database(), std::move(verifier), std::move(service_token),
                                   clock);
}

}  // namespace
}  // namespace naval::ranking

int main(int argc, char** argv) {
  naval::server::ParseFlags(argc, argv, "results, ratings and leaderboards.");
  naval::base::SystemClock clock;
  return naval::server::Run("ranking", naval::ranking::Migrate,
                            [&clock] { return naval::ranking::Start(clock); });
}
