# naval_migrations(NAME match DIR migrations)
#
# Embeds the SQL files of a folder, 0001_create_tables.sql, 0002_..., in the library naval::match_migrations. Its header
# "naval/match/migrations.h" declares naval::match::kSchema, a naval::postgres::Schema named "match".
function(naval_migrations)
  cmake_parse_arguments(arg "" "NAME;DIR" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${arg_DIR}/*.sql")
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

  set(version 0)
  set(entries "")
  foreach(file ${files})
    math(EXPR version "${version} + 1")
    cmake_path(GET file FILENAME name)
    if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_[a-z0-9_]+\\.sql$")
      message(FATAL_ERROR "${file}: a migration is named like 0007_add_table_invites.sql")
    endif()
    string(REGEX REPLACE "^0+" "" number "${CMAKE_MATCH_1}")
    if(NOT number EQUAL version)
      message(FATAL_ERROR "${file}: its number should be ${version}: they count from 0001 without a gap or a double")
    endif()
    file(READ "${file}" sql)
    string(APPEND entries "    {${version}, \"${name}\", R\"naval_sql(${sql})naval_sql\"},\n")
  endforeach()
  if(version EQUAL 0)
    message(FATAL_ERROR "naval_migrations(${arg_NAME}): no .sql file in ${arg_DIR}")
  endif()

  set(stem "${CMAKE_BINARY_DIR}/generated/naval/${arg_NAME}/migrations")
  naval_write_if_different("${stem}.h" "#pragma once

#include \"lib/postgres/migrations.h\"

namespace naval::${arg_NAME} {

extern const postgres::Schema kSchema;

}  // namespace naval::${arg_NAME}
")
  naval_write_if_different("${stem}.cc" "#include \"naval/${arg_NAME}/migrations.h\"

namespace naval::${arg_NAME} {
namespace {

constexpr postgres::Migration kMigrations[] = {
${entries}};

}  // namespace

constexpr postgres::Schema kSchema{\"${arg_NAME}\", kMigrations};

}  // namespace naval::${arg_NAME}
")
  naval_generated_library(${arg_NAME}_migrations SRCS "${stem}.cc" DEPS naval::postgres)
endfunction()

# Leaves the file's time alone when nothing changed, so that nothing is compiled again.
function(naval_write_if_different path content)
  set(old "")
  if(EXISTS "${path}")
    file(READ "${path}" old)
  endif()
  if(NOT old STREQUAL content)
    file(WRITE "${path}" "${content}")
  endif()
endfunction()
