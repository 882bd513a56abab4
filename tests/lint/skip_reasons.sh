#!/usr/bin/env bash
# skip_reasons.sh REPORT.xml...: why tests were skipped, by ctest's JUnit reports, in one line: "64 this machine cannot
# run amx; 3 no public cases at ...", the most frequent first. A reason is what the test itself said (GTEST_SKIP), or the
# last line of a script that ended as skipped. Fails when a skipped test gave none.
set -uo pipefail

# unescaped: XML's entities as the characters that they stand for.
unescaped() { sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&apos;/'"'"'/g; s/&amp;/\&/g'; }

awk '
  /<testcase / { is_skipped = is_output = is_reason = 0; reason = last = "" }
  /<skipped/ { is_skipped = 1 }
  /<system-out>/ { is_output = 1; sub(/^.*<system-out>/, "") }
  {
    ends = sub(/<\/system-out>.*$/, "")
    if (is_output && $0 ~ /[^ \t]/) {
      if (is_reason && reason == "") reason = $0
      is_reason = $0 ~ /^[^ ]+:[0-9]+: Skipped$/
      last = $0
    }
    if (ends) is_output = 0
  }
  /<\/testcase>/ {
    if (is_skipped) {
      if (reason == "") reason = last
      if (reason == "") { reason = "without a reason"; is_bad = 1 }
      ++count[reason]
    }
  }
  END {
    for (reason in count) print count[reason], reason
    exit is_bad
  }' "$@" | sort -k1,1nr -k2 | unescaped | awk '{ printf "%s%s", (NR > 1 ? "; " : ""), $0 } END { if (NR) print "" }'
exit "${PIPESTATUS[0]}"
