# The functions every CMakeLists.txt of Naval is written with.
#
#   naval_library(NAME rules SRCS sea.cc sea.h ... DEPS naval::base absl::status ... [HOT])
#   naval_binary(NAME naval-match SRCS main.cc DEPS ...)
#   naval_test(NAME sea_test LABEL unit SRCS sea_test.cc DEPS naval::rules [POSTGRES] [ALONE]
#              [TIMEOUT s])
#   naval_lint_test(lint_format tools/lint/check format)
#   naval_proto(NAME proto_game ROOT dir PROTOS a.proto ... DEPS ... [IMPORTS dir] [GRPC])
#
# A library is linked by its alias naval::NAME. Includes start at the root of the repository.

# Warnings are errors everywhere. What generated and foreign code does is not ours to mend: their
# headers are SYSTEM.
set(NAVAL_WARNINGS
    -Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wnon-virtual-dtor
    -Woverloaded-virtual
    -Wfloat-conversion
    -Wimplicit-fallthrough
    -Wvla
    # Designated initializers name what differs from the default; the rest is meant to be empty.
    -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND NAVAL_WARNINGS -Wthread-safety -Wunreachable-code -Winconsistent-missing-override)
else()
  list(APPEND NAVAL_WARNINGS -Wsuggest-override -Wduplicated-cond -Wlogical-op)
endif()

function(naval_own_code target)
  target_compile_options(${target} PRIVATE ${NAVAL_WARNINGS})
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
endfunction()

# HOT: code that tests run millions of times. NAVAL_HOT_OPTIONS are its compiler options in a build that
# is otherwise made to compile fast.
function(naval_library)
  cmake_parse_arguments(arg "HOT" "NAME" "SRCS;DEPS" ${ARGN})
  set(sources ${arg_SRCS})
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  if(sources)
    # Built for what needs it: a build without some tests has none of their helpers.
    add_library(naval_${arg_NAME} STATIC EXCLUDE_FROM_ALL ${arg_SRCS})
    target_include_directories(naval_${arg_NAME} PUBLIC "${CMAKE_SOURCE_DIR}")
    target_link_libraries(naval_${arg_NAME} PUBLIC ${arg_DEPS})
    naval_own_code(naval_${arg_NAME})
    if(arg_HOT)
      target_compile_options(naval_${arg_NAME} PRIVATE ${NAVAL_HOT_OPTIONS})
    endif()
  else()
    add_library(naval_${arg_NAME} INTERFACE)
    target_include_directories(naval_${arg_NAME} INTERFACE "${CMAKE_SOURCE_DIR}")
    target_link_libraries(naval_${arg_NAME} INTERFACE ${arg_DEPS})
  endif()
  add_library(naval::${arg_NAME} ALIAS naval_${arg_NAME})
endfunction()

function(naval_binary)
  cmake_parse_arguments(arg "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${arg_NAME} ${arg_SRCS})
  target_include_directories(${arg_NAME} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  naval_own_code(${arg_NAME})
endfunction()

# Which tests belong to a build, by their labels; others are built only by name. The gate has all of
# them with clang and its sanitizers, and with g++ those that meet the programs as they are shipped.
set(NAVAL_TEST_LABELS unit rules comparison simulation integration race e2e lint)
if(NOT DEFINED NAVAL_TESTS)
  set(NAVAL_TESTS ${NAVAL_TEST_LABELS})
endif()

# One ctest entry a binary, started in the root of the repository so that test data is found by
# its path there. POSTGRES: the test starts with a private cluster at hand. NAVAL_TEST_POSTGRES is
# a libpq connection string (host, port, user, dbname) of a superuser whose password is found
# through PGPASSFILE; the roles of the services exist. ALONE: no other test runs at the same time.
function(naval_test)
  cmake_parse_arguments(arg "POSTGRES;ALONE" "NAME;LABEL;TIMEOUT" "SRCS;DEPS" ${ARGN})
  if(NOT arg_LABEL IN_LIST NAVAL_TEST_LABELS)
    message(FATAL_ERROR "naval_test(${arg_NAME}): LABEL must be one of: ${NAVAL_TEST_LABELS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${arg_NAME} ${arg_SRCS})
  target_include_directories(${arg_NAME} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  naval_own_code(${arg_NAME})
  if(NOT arg_LABEL IN_LIST NAVAL_TESTS)
    set_target_properties(${arg_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(arg_POSTGRES)
    set(launcher "${CMAKE_SOURCE_DIR}/tools/dev/postgres" exec "${CMAKE_BINARY_DIR}/postgres")
  endif()
  add_test(
    NAME ${arg_NAME}
    COMMAND ${launcher} $<TARGET_FILE:${arg_NAME}>
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(
    ${arg_NAME} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_ALONE})
  if(arg_POSTGRES)
    set_tests_properties(${arg_NAME} PROPERTIES FIXTURES_REQUIRED postgres)
  endif()
endfunction()

# A lint: a command that reads the tree.
function(naval_lint_test name)
  if(NOT lint IN_LIST NAVAL_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS lint TIMEOUT 120)
endfunction()

# Message code goes to naval::NAME, and with GRPC the stubs of the files that declare a service to
# naval::NAME_grpc: code that only speaks the wire format never pays for gRPC's headers.
function(naval_proto)
  cmake_parse_arguments(arg "GRPC" "NAME;ROOT;IMPORTS" "PROTOS;DEPS" ${ARGN})
  set(generated "${CMAKE_BINARY_DIR}/generated")
  set(paths -I "${arg_ROOT}")
  if(arg_IMPORTS)
    list(APPEND paths -I "${arg_IMPORTS}")
  endif()
  file(MAKE_DIRECTORY "${generated}")
  set(message_sources)
  set(grpc_sources)
  foreach(proto ${arg_PROTOS})
    cmake_path(RELATIVE_PATH proto BASE_DIRECTORY "${arg_ROOT}" OUTPUT_VARIABLE relative)
    string(REGEX REPLACE "\\.proto$" "" stem "${generated}/${relative}")
    add_custom_command(
      OUTPUT "${stem}.pb.cc" "${stem}.pb.h"
      COMMAND protobuf::protoc ${paths} --cpp_out=${generated} "${proto}"
      DEPENDS "${proto}"
      VERBATIM)
    list(APPEND message_sources "${stem}.pb.cc" "${stem}.pb.h")
    file(STRINGS "${proto}" services REGEX "^service ")
    if(arg_GRPC AND services)
      add_custom_command(
        OUTPUT "${stem}.grpc.pb.cc" "${stem}.grpc.pb.h"
        COMMAND protobuf::protoc ${paths} --grpc_out=${generated}
                --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> "${proto}"
        DEPENDS "${proto}"
        VERBATIM)
      list(APPEND grpc_sources "${stem}.grpc.pb.cc" "${stem}.grpc.pb.h")
    endif()
  endforeach()
  naval_generated_library(
    ${arg_NAME} SRCS ${message_sources} DEPS ${arg_DEPS} protobuf::libprotobuf)
  if(grpc_sources)
    naval_generated_library(
      ${arg_NAME}_grpc SRCS ${grpc_sources} DEPS naval::${arg_NAME} gRPC::grpc++)
  endif()
endfunction()

function(naval_generated_library name)
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  add_library(naval_${name} STATIC ${arg_SRCS})
  target_include_directories(naval_${name} SYSTEM PUBLIC "${CMAKE_BINARY_DIR}/generated")
  target_link_libraries(naval_${name} PUBLIC ${arg_DEPS})
  target_compile_options(naval_${name} PRIVATE -w)
  add_library(naval::${name} ALIAS naval_${name})
endfunction()
