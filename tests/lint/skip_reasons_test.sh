#!/usr/bin/env bash
# Holds skip_reasons.sh to what ctest writes: passed, failed and skipped tests side by side, in two reports.
set -uo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect NAME FOUND EXPECTED
expect() {
  [ "$2" = "$3" ] && return
  printf '%s:\n  expected %s\n  found    %s\n' "$1" "$3" "$2"
  failed=1
}

# skipped NAME REASON...: a test case as ctest reports one of GoogleTest that was skipped.
skipped() {
  printf '\t<testcase name="%s" classname="%s" time="0.03" status="notrun">\n' "$1" "$1"
  printf '\t\t<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>\n\t\t<system-out>Running main() from gtest_main.cc\n'
  printf '[ RUN      ] %s\n../../tests/contract/isa_test.h:17: Skipped\n%s\n[  SKIPPED ] %s (0 ms)\n' "$1" "$2" "$1"
  printf '[  PASSED  ] 0 tests.\n</system-out>\n\t</testcase>\n'
}

{
  printf '<testsuite name="x" tests="6" failures="1" skipped="4">\n'
  skipped A.1 "this machine cannot run amx"
  skipped A.2 "no cases at &quot;/x &amp; y&quot; (A_FOLDER)"
  printf '\t<testcase name="B" status="run">\n'
  printf '\t\t<system-out>a.cpp:1: Skipped\nnot a skipped test\n</system-out>\n\t</testcase>\n'
  printf '\t<testcase name="C" status="fail">\n\t\t<failure message=""/>\n'
  printf '\t\t<system-out>broken</system-out>\n\t</testcase>\n'
  printf '\t<testcase name="D" status="notrun">\n\t\t<skipped message="SKIP_RETURN_CODE=77"/>\n'
  printf '\t\t<system-out>looked everywhere\nskipped: no clang-format 14</system-out>\n\t</testcase>\n'
  skipped A.3 "this machine cannot run amx"
  printf '</testsuite>\n'
} >"$folder/one.xml"
{ printf '<testsuite>\n'; skipped A.4 "this machine cannot run amx"; printf '</testsuite>\n'; } >"$folder/two.xml"
{
  printf '<testsuite>\n\t<testcase name="E" status="notrun">\n\t\t<skipped message="SKIP_RETURN_CODE=77"/>\n'
  printf '\t\t<system-out></system-out>\n\t</testcase>\n</testsuite>\n'
} >"$folder/silent.xml"
printf '<testsuite>\n\t<testcase name="B" status="run">\n\t</testcase>\n</testsuite>\n' >"$folder/none.xml"

found=$(./skip_reasons.sh "$folder/one.xml" "$folder/two.xml")
expect "ends well" $? 0
expect "reasons of two reports are counted together, the most frequent first" "$found" \
  '3 this machine cannot run amx; 1 no cases at "/x & y" (A_FOLDER); 1 skipped: no clang-format 14'
expect "no test was skipped" "$(./skip_reasons.sh "$folder/none.xml")" ""
found=$(./skip_reasons.sh "$folder/silent.xml")
expect "a test that gives no reason is a failure" $? 1
expect "and is counted" "$found" "1 without a reason"
exit "$failed"
