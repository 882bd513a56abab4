# Newer compilers and libraries warn of what this code has not met yet: there that is reported and stops nobody.
set(HEADROOM_WARNINGS_ARE_ERRORS "${HEADROOM_WERROR}")
if(HEADROOM_WERROR STREQUAL "AUTO")
  cmake_host_system_information(RESULT system QUERY DISTRIB_ID)
  cmake_host_system_information(RESULT system_version QUERY DISTRIB_VERSION_ID)
  set(HEADROOM_WARNINGS_ARE_ERRORS OFF)
  if(system STREQUAL "debian" AND system_version STREQUAL "12")
    set(HEADROOM_WARNINGS_ARE_ERRORS ON)
  endif()
endif()

# What every target of ours is compiled with.
function(headroom_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)
  # At -O1, where types do not tell what may alias, GCC 13 and 14 overlook what an inlined function reads through a
  # closure's references, and compute with what was never written. Users' builds (-O3) have it anyway.
  target_compile_options(${target} PRIVATE -fstrict-aliasing)
  # GCC 12 sees overlaps in std::string that cannot be (its bug 105329).
  target_compile_options(${target} PRIVATE -Wno-restrict)
  # Messages about our own bugs name the file from the root of the tree, not where somebody built it.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>)
  if(HEADROOM_WARNINGS_ARE_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(HEADROOM_SANITIZE)
    # Instrumented code confuses GCC's flow analysis of its own <regex> and <functional>.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    target_compile_options(${target} PRIVATE
      -fsanitize=${HEADROOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${HEADROOM_SANITIZE})
  endif()
endfunction()

function(headroom_library target)
  add_library(${target} STATIC)
  headroom_options(${target})
endfunction()

# Reading headers is four fifths of compiling a small file; these are in most tests. The product's own files are compiled
# plainly, so that a missing include is seen.
set(HEADROOM_TEST_HEADERS <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <utility> <variant> <vector> <fmt/format.h> <filesystem> <random> <gtest/gtest.h> <gmock/gmock.h>)
set(HEADROOM_WINDOW_TEST_HEADERS <QLabel> <QSignalSpy> <QTest> <QToolButton> <QVBoxLayout>)

# For a test: its own headers where it has many files, else those of a target that is there for nothing else.
function(headroom_precompile_test target libraries n_sources)
  if(NOT HEADROOM_PRECOMPILED OR NOT libraries)
    return()
  endif()
  # Qt wants -fPIC, which is no -fPIE: all read the same headers only where all have the same.
  target_compile_options(${target} PRIVATE -fPIC)
  # Inlined from a precompiled header, std::string seems to GCC 12 to be written beyond its end.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  if(n_sources GREATER 8)
    target_precompile_headers(${target} PRIVATE ${HEADROOM_TEST_HEADERS})
    if(libraries MATCHES "headroom_ui(;|$)")
      target_precompile_headers(${target} PRIVATE ${HEADROOM_WINDOW_TEST_HEADERS})
    endif()
    return()
  endif()
  if(NOT TARGET headroom_test_headers)
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/test_headers.cpp" CONTENT "int main() {}\n")
    add_executable(headroom_test_headers "${CMAKE_BINARY_DIR}/test_headers.cpp")
    headroom_options(headroom_test_headers)
    target_compile_options(headroom_test_headers PRIVATE -fPIC -Wno-array-bounds -Wno-stringop-overflow)
    target_link_libraries(headroom_test_headers PRIVATE headroom_core GTest::gtest GTest::gmock)
    target_precompile_headers(headroom_test_headers PRIVATE ${HEADROOM_TEST_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM headroom_test_headers)
endfunction()

# headroom_test(NAME SOURCES a_test.cpp ... LIBRARIES headroom_core ...): one GoogleTest executable, each of its tests
# known to ctest. COST: about how many seconds its longest test takes where that is many; the longest begin first, so
# that at the end no processor waits for one of them. Paths for tests come as definitions: HEADROOM_SOURCE_DIR,
# HEADROOM_SHARED_DATA (public cases, may be absent).
include(GoogleTest)
function(headroom_test name)
  if(NOT HEADROOM_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COST" "SOURCES;LIBRARIES;ENVIRONMENT")
  add_executable(${name} ${arg_SOURCES})
  headroom_options(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    HEADROOM_SOURCE_DIR="${CMAKE_SOURCE_DIR}" HEADROOM_SHARED_DATA="${HEADROOM_SHARED_DATA}")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  list(LENGTH arg_SOURCES n_sources)
  headroom_precompile_test(${name} "${arg_LIBRARIES}" ${n_sources})
  set(cost)
  if(arg_COST)
    set(cost COST ${arg_COST})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ${cost}
      ENVIRONMENT "${arg_ENVIRONMENT}"
      # What a program remembers between starts is the build's own, not the user's. A list of two in ENVIRONMENT would
      # lose the second.
      ENVIRONMENT_MODIFICATION "HEADROOM_DATA_DIR=set:${CMAKE_BINARY_DIR}/test-data")
endfunction()

# headroom_fuzz(NAME SOURCES x_fuzz.cpp LIBRARIES ... CORPUS dir): a file with LLVMFuzzerTestOneInput, driven by our own
# mutation loop (tests/fuzz/fuzz_main.cpp), because GCC has no libFuzzer.
function(headroom_fuzz name)
  if(NOT HEADROOM_FUZZ)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_main.cpp)
  headroom_options(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE HEADROOM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  set(HEADROOM_FUZZ_SECONDS 60 CACHE STRING "How long each fuzz target runs under ctest")
  add_test(NAME ${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/${arg_CORPUS} ${HEADROOM_FUZZ_SECONDS})
  set_tests_properties(${name} PROPERTIES COST ${HEADROOM_FUZZ_SECONDS})
endfunction()

# headroom_bench(NAME SOURCES x_bench.cpp LIBRARIES ...): one Google Benchmark executable, built with
# -DHEADROOM_BENCHES=ON (preset "bench").
function(headroom_bench name)
  if(NOT HEADROOM_BENCHES)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  find_package(benchmark REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  headroom_options(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} benchmark::benchmark benchmark::benchmark_main)
endfunction()
