#include "lib/postgres/exception_status.h"

#include <gtest/gtest.h>

namespace naval::postgres {
namespace {

// The texts stand in Postgres's message catalogues (src/backend/po).
TEST(ConstraintOf, FindsTheNameInEveryLanguageOfTheServer) {
  for (const char* text :
       {"ERROR:  duplicate key value violates unique constraint \"account_handle_key_key\"\n",
        "ERROR:  llave duplicada viola restricción de unicidad «account_handle_key_key»\n",
        "FEHLER:  doppelter Schlüsselwert verletzt Unique-Constraint »account_handle_key_key«\n",
        "ERREUR:  la valeur d'une clé dupliquée rompt la contrainte unique "
        "« account_handle_key_key »\n",
        "ERREUR:  la valeur d'une clé dupliquée rompt la contrainte unique "
        "«\u00a0account_handle_key_key\u00a0»\n",
        "ERROR:  重複したキー値は一意性制約\"account_handle_key_key\"違反となります\n"}) {
    EXPECT_EQ(ConstraintOf(text), "account_handle_key_key") << text;
  }
}

TEST(ConstraintOf, TakesTheLastNameInQuotes) {
  EXPECT_EQ(ConstraintOf("table \"account\" has \"account_pkey\" and more"), "account_pkey");
}

TEST(ConstraintOf, IsEmptyWhereNoNameStandsInQuotes) {
  for (const char* text : {"", "\"", "\"\"", "a name", "«two words»", "an open \"quote"}) {
    EXPECT_EQ(ConstraintOf(text), "") << text;
  }
}

}  // namespace
}  // namespace naval::postgres
