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
    # What the address sanitizer reports as well when it happens: these checks cost a quarter of the build.
    if(HEADROOM_SANITIZE MATCHES undefined)
      target_compile_options(${target} PRIVATE -fno-sanitize=null,vptr,object-size,pointer-overflow)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=${HEADROOM_SANITIZE})
  endif()
endfunction()

# With HEADROOM_UNITY, a library's sources are compiled eight at a time, as those of tests always are. Users' builds and
# those of ./test.sh do so: two files that call things alike fail there first.
function(headroom_library target)
  add_library(${target} STATIC)
  if(HEADROOM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # A file that others are compiled with looks like a header to this warning.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  headroom_options(${target})
endfunction()

# Reading headers is four fifths of compiling a small file. Those of Qt and of the standard library that most files of the
# window and most tests include are read once. All builds do so, users' too: a file that leaves one of them out compiles
# everywhere or nowhere. By hand, the preset for Arm compiles all plainly.
set(HEADROOM_COMMON_HEADERS <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <utility> <variant> <vector> <filesystem>)
set(HEADROOM_WINDOW_HEADERS <QCoreApplication> <QDateTime> <QFileInfo> <QFrame> <QGridLayout> <QHBoxLayout> <QLabel>
  <QMenu> <QPainter> <QPushButton> <QTimer> <QToolButton> <QVBoxLayout> <QWidget>)
set(HEADROOM_TEST_HEADERS ${HEADROOM_COMMON_HEADERS} <random> <fmt/format.h> <gtest/gtest.h> <gmock/gmock.h>)

# headroom_precompile(TARGET HEADERS...): the target's files read these headers once; HEADERS may be REUSE_FROM another.
function(headroom_precompile target)
  if(NOT HEADROOM_PRECOMPILED)
    return()
  endif()
  # Inlined from a precompiled header, std::string seems to GCC 12 to be written beyond its end.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# A test's own code takes twice as long to compile when it is optimized, and runs no faster to speak of: what computes is
# in the libraries.
function(headroom_test_options target)
  headroom_options(${target})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# A target that is there for its headers alone: tests with the same libraries reuse them.
function(headroom_test_headers target library)
  if(TARGET ${target})
    return()
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${target}.cpp" CONTENT "int main() {}\n")
  add_executable(${target} "${CMAKE_BINARY_DIR}/${target}.cpp")
  headroom_test_options(${target})
  target_compile_options(${target} PRIVATE -fPIC)
  target_link_libraries(${target} PRIVATE ${library} GTest::gtest GTest::gmock)
  headroom_precompile(${target} ${HEADROOM_TEST_HEADERS} ${ARGN})
endfunction()

function(headroom_precompile_test target libraries)
  if(NOT HEADROOM_PRECOMPILED OR NOT libraries)
    return()
  endif()
  # Qt wants -fPIC, which is no -fPIE: all read the same headers only where all have the same.
  target_compile_options(${target} PRIVATE -fPIC)
  if(libraries MATCHES "headroom_(ui|app)(;|$)")
    # Without QtTest's, which know the folder of each test.
    headroom_test_headers(headroom_window_test_headers headroom_ui ${HEADROOM_WINDOW_HEADERS})
    headroom_precompile(${target} REUSE_FROM headroom_window_test_headers)
  else()
    headroom_test_headers(headroom_plain_test_headers headroom_core)
    headroom_precompile(${target} REUSE_FROM headroom_plain_test_headers)
  endif()
endfunction()

# headroom_test(NAME SOURCES a_test.cpp ... LIBRARIES headroom_core ...): one GoogleTest executable, each of its tests
# known to ctest. Its sources are compiled eight at a time (reading what they include and writing out GoogleTest's
# templates takes most of the time), so names in their anonymous namespaces differ within a program: what two files need
# stands in a header of theirs. COST: about how many seconds its longest test takes where that is many; the longest begin
# first, so that at the end no processor waits for one of them. TOGETHER: suites whose tests ctest runs in one process,
# because they share what takes long to make, or are many and each takes less time than a process. Paths for tests come as
# definitions: HEADROOM_SOURCE_DIR, HEADROOM_SHARED_DATA (public cases, may be absent).
include(GoogleTest)
function(headroom_test name)
  if(NOT HEADROOM_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COST" "SOURCES;LIBRARIES;ENVIRONMENT;TOGETHER")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  headroom_test_options(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    HEADROOM_SOURCE_DIR="${CMAKE_SOURCE_DIR}" HEADROOM_SHARED_DATA="${HEADROOM_SHARED_DATA}")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  headroom_precompile_test(${name} "${arg_LIBRARIES}")
  set(cost)
  if(arg_COST)
    set(cost COST ${arg_COST})
  endif()
  # What a program remembers between starts is the build's own, not the user's. A list of two in ENVIRONMENT would lose
  # the second.
  set(properties ENVIRONMENT_MODIFICATION "HEADROOM_DATA_DIR=set:${CMAKE_BINARY_DIR}/test-data")
  if(arg_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
  set(excluded)
  foreach(suite IN LISTS arg_TOGETHER)
    set(tests "${suite}.*:*/${suite}.*")
    list(APPEND excluded "${tests}")
    add_test(NAME ${name}.${suite} COMMAND ${name} "--gtest_filter=${tests}")
    # A test that is skipped, or none at all, would not show among others.
    set_tests_properties(${name}.${suite} PROPERTIES TIMEOUT 3600 COST 100 ${properties}
      FAIL_REGULAR_EXPRESSION "\\[  SKIPPED \\];Running 0 tests")
  endforeach()
  list(JOIN excluded ":" excluded)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." TEST_FILTER "*:-${excluded}" DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ${cost} ${properties})
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
