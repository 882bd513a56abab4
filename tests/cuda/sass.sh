#!/usr/bin/env bash
# What the machine code of CUDA's kernels holds: that weights and caches are read 16 bytes at once, that products are
# made by the instructions that are there for them, that nothing lives in local memory, that kernels begin early and
# wait; how many instructions there are of each kind, how many a weight takes, and how many loads of weights are under
# way at once, against committed tables for sm_90. Ends with 77 where there is nothing that reads machine code.
# usage: sass.sh [--renew] KERNELS SASS_WEIGHTS COMPILE_KERNEL [ARCHITECTURE]
#   KERNELS: the folder of *.cubin; SASS_WEIGHTS, COMPILE_KERNEL: programs of those names; ARCHITECTURE: 75 to 120, else 90
#   --renew writes sass.tsv, weights.tsv and flights.tsv anew
#   HEADROOM_SHOW_FLIGHTS=1: prints the lines of flights.tsv for the architecture, and that is all
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../engine/backend/cuda
renews=no
if [ "$1" = --renew ]; then renews=yes; shift; fi
kernels=$(realpath "$1") sass_weights=$(realpath "$2") compiler=$(realpath "$3") architecture=${4:-90}
nvrtc=$("$here/../../cmake/nvrtc.sh")
tools=$("$here/../../cmake/cuobjdump.sh") || exit 77  # it has said what is missing
export PATH=$tools:$PATH LC_ALL=C  # the order of the tables is the same everywhere
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

columns="kernel instructions read_128 read_other local int8_dot int8_tiles half_tiles tile_loads async_copies shared barriers early waits"
# quietly COMMAND...: what it says beside its result is shown where it fails. Of images as CUDA 12 has them for cards
# before Blackwell these tools warn, and read them.
quietly() { "$@" 2>"$work/warned" || { cat "$work/warned" >&2; return 1; }; }
# count FILE: a line for each kernel.
count() {
  quietly cuobjdump -sass "$1" | awk '
    function flush_row() {
      if (name != "")
        print name, n["all"] + 0, n["r128"] + 0, n["r"] + 0, n["local"] + 0, n["idp"] + 0, n["imma"] + 0, n["hmma"] + 0,
              n["ldsm"] + 0, n["ldgsts"] + 0, n["shared"] + 0, n["bar"] + 0, n["early"] + 0, n["waits"] + 0
    }
    /Function : / { flush_row(); name = $3; delete n }
    /^[ \t]+\/\*[0-9a-f]+\*\// {
      code = $2 ~ /^@/ ? $3 : $2
      ++n["all"]
      # LDGSTS copies to shared memory: no read of a weight, and counted below. For sm_100 and sm_120 attend_rows reads
      # queries by LD instead of LDG, 16 bytes at once all the same.
      if (code ~ /^LDG?\..*\.128/) ++n["r128"]
      else if (code ~ /^LDG(\.|$)/ || code ~ /^LD(\.|$)/) ++n["r"]
      if (code ~ /^(LDL|STL)/) ++n["local"]
      if (code ~ /^IDP/) ++n["idp"]
      if (code ~ /^IMMA/) ++n["imma"]
      if (code ~ /^HMMA/) ++n["hmma"]
      if (code ~ /^LDSM/) ++n["ldsm"]
      if (code ~ /^LDGSTS.*\.128/) ++n["ldgsts"]
      if (code ~ /^(LDS|STS)(\.|$)/) ++n["shared"]
      if (code ~ /^BAR/) ++n["bar"]
      if (code ~ /^PREEXIT/) ++n["early"]
      if (code ~ /^ACQBULK/) ++n["waits"]
    }
    END { flush_row() }' OFS='\t'
}
# check FILE: of lines as those of count(); says what is wrong, a line each. Cards before sm_90 run one kernel behind the
# other, those before sm_80 do not copy behind a thread's back.
check() {
  awk -F '\t' -v architecture="$architecture" '
    function expect(holds, what) { if (!holds) print $1 ": " what }
    {
      expect($5 == 0, "expected nothing in local memory, found " $5 " instructions")
      if (architecture >= 90)
        expect($13 == 1 && $14 >= 1, "expected to begin early and to wait, found " $13 " and " $14)
      if ($1 ~ /^(matvec|matmul|attend|read_rate|embed)/ && $1 != "attend_merge")
        expect($3 > 0, "expected reads of 16 bytes, found none")
      if ($1 ~ /^(matvec|peak)_int8/) expect($6 > 0, "expected int8 dot products, found none")
      if ($1 ~ /^matmul_int8|^peak_tiles/) expect($7 > 0, "expected tiles of int8, found none")
      if ($1 ~ /^(matmul_half|attend_rows|attend_tiles|peak_half)/) expect($8 > 0, "expected tiles of f16, found none")
      if ($1 ~ /^(matmul_half|matmul_int8|attend_rows|attend_tiles)/)
        expect($9 > 0 && ($10 > 0 || architecture < 80),
               "expected loads of tiles and copies behind its back, found " $9 " and " $10)
    }' "$1"
}
# disassemble CUBIN: into $work/listing.
disassemble() { quietly nvdisasm -gi -c "$1" >"$work/listing"; }
# weigh CUBIN: a line for each format of each kernel of products (tests/support/sass/weights.h), and what each has on
# average; says what it does not understand.
weigh() {
  disassemble "$1"
  "$sass_weights" "$sources/kernels" "$architecture" "$work/listing"
}
# check_weights FILE: of lines as those of weigh(). For other cards half as many integer instructions more than
# the table has may be taken.
check_weights() {
  awk -F '\t' '
    FNR == NR { if ($1 !~ /^#/ && $1 != "kernel") allowed[$1 " " $2] = 1.5 * $3; next }
    !(($1 " " $2) in allowed) { print $1 ", " $2 ": expected a line in weights.tsv"; next }
    { found[$1 " " $2] = 1 }
    $3 + 0 > allowed[$1 " " $2] {
      print $1 ", " $2 ": expected at most " allowed[$1 " " $2] " integer instructions a weight, found " $3
    }
    END { for (key in allowed) if (!(key in found)) print key ": expected in the machine code" }' "$here/weights.tsv" "$1"
}
# fly CUBIN: of each matvec and format, what a warp and a multiprocessor have under way (WeightFlight in
# tests/support/sass/weights.h).
fly() {
  disassemble "$1"
  quietly cuobjdump -res-usage "$1" >"$work/usage"
  "$sass_weights" --flights "$sources/kernels" "$architecture" "$work/listing" "$work/usage"
}
flight_columns="kernel format loads distance prefetches registers warps kib prefetched_kib"
# The formats of with_block_type().
block_formats=$(sed -n '/with_block_type(u32/,/^}/s/.*case k\([A-Z0-9_]*\): f\.template.*/\1/p' \
  "$sources/kernels/lib/panels.cuh")
[ -n "$block_formats" ] || { echo "expected formats in with_block_type() of panels.cuh, found none"; exit 1; }
# check_flights FILE: of lines as those of fly(). A product with one row asks for the codes of a whole block of 256 columns
# ahead: eight groups of 16 bytes a thread, of Q8_0 of 32, of Q2_K, which has two bits there, and of IQ2 of 8; of Q3_K and
# IQ3 likewise, and their higher bits or signs; of IQ1 the plane of higher bits alone; and headers. Of these it has two or
# four groups under way at once, with their higher bits and headers, and two blocks of 16 warps on a multiprocessor; cards
# before sm_80, whose multiprocessors have room for fewer, one. Of formats whose units hold two groups, the compiler moves
# each load to where it is used. For cards from sm_100 on kGroupsAhead of matvec.cu has one group of formats with points of
# a grid under way: of IQ1_M that is one load instead of two, of the others it is one everywhere.
check_flights() {
  awk -F '\t' -v architecture="$architecture" -v formats="$(echo $block_formats)" -v n_blocks="$([ "$architecture" -ge 80 ] && echo 2 || echo 1)" '
    BEGIN {
      n = split(formats, names, " ")
      for (i = 1; i <= n; ++i) { requests[names[i]] = 8; loads[names[i]] = 2 }
      requests["Q8_0"] = 16
      requests["Q2_K"] = 4
      requests["Q3_K"] = requests["IQ3_S"] = 7
      requests["IQ3_XXS"] = 6
      requests["IQ2_XXS"] = requests["IQ1_M"] = 4
      requests["IQ2_XS"] = requests["IQ2_S"] = 5
      requests["IQ1_S"] = 3
      loads["Q4_0"] = loads["Q4_K"] = loads["Q8_0"] = 4
      loads["Q4_1"] = loads["Q5_0"] = loads["Q5_1"] = loads["Q6_K"] = 3
      loads["Q2_K"] = 0
      loads["IQ3_S"] = loads["IQ2_XXS"] = loads["IQ2_XS"] = loads["IQ2_S"] = loads["IQ1_S"] = 1
      if (architecture >= 100) loads["IQ1_M"] = 1
    }
    $1 != "matvec_int8_1" { next }
    { found[$2] = 1 }
    !($2 in loads) { print $1 ", " $2 ": expected a least number of loads in sass.sh"; next }
    $3 < loads[$2] { print $1 ", " $2 ": expected at least " loads[$2] " loads under way, found " $3 }
    $5 < requests[$2] { print $1 ", " $2 ": expected at least " requests[$2] " requests for the next block, found " $5 }
    $8 < 8 * n_blocks * loads[$2] {
      print $1 ", " $2 ": expected at least " 8 * n_blocks * loads[$2] " KiB of a multiprocessor under way, found " $8
    }
    END { for (key in loads) if (!(key in found)) print "matvec_int8_1, " key ": expected in the machine code" }' "$1"
}
# compare TABLE FOUND [COLUMN]: says which lines differ. NVRTC orders some blocks of code by where its objects lie in memory,
# so that the same source has now 705 loads from shared memory and now 703. So numbers may differ by 1 %, or by one
# instruction in 32 weights. Those of COLUMN are distances within such an order: one of 94 instructions has been 98, and
# one of 12 has been 10.
compare() {
  awk -F '\t' -v loose="${3:-0}" '
    function near(a, b, column,  allowed) {
      if (column == loose) allowed = a * 0.1 > 3 ? a * 0.1 : 3
      else allowed = a * 0.01 > 0.035 ? a * 0.01 : 0.035
      return a == b || (a ~ /^[0-9.]+$/ && b ~ /^[0-9.]+$/ && (a - b) ^ 2 <= allowed ^ 2)
    }
    FNR == NR { if ($0 !~ /^#/ && $1 != "kernel") expected[++n_expected] = $0; next }
    {
      n = split(expected[FNR], numbers)
      same = n == NF
      for (i = 1; i <= n && same; ++i) same = near(numbers[i], $i, i)
      if (!same) { print "< " expected[FNR] "\n> " $0; differs = 1 }
      n_found = FNR
    }
    END {
      if (n_found != n_expected) print "expected " n_expected " lines, found " n_found
      exit differs || n_found != n_expected
    }' "$1" "$2"
}
# cubin NAME: the machine code of a file of kernels.
cubin() { echo "$kernels/$1.sm_$architecture.cubin"; }
# compile SOURCE: says where its machine code is.
compile() {
  "$compiler" --nvrtc "$nvrtc" --for "sm_$architecture" --to "${1%.cu}" --lines -I "$sources/kernels" \
    -I "$sources/kernels/std" -I "$here/../../engine" "$1"
  echo "${1%.cu}.cubin"
}

sed -n 's/^HEADROOM_KERNELS(\([a-z0-9_]*\),.*/\1/p' "$sources/kernel_files.inl" |
  while read -r name; do count "$(cubin "$name")"; done | sort >"$work/found"
sed -n '/^HEADROOM_KERNELS\|^ /s/[^"]*"\([a-z0-9_]*\)"[^"]*/\1\n/gp' "$sources/kernel_files.inl" |
  sed '/^$/d' | sort >"$work/expected"
[ -s "$work/expected" ] || { echo "expected names of kernels in kernel_files.inl, found none"; exit 1; }
diff "$work/expected" <(cut -f 1 "$work/found") ||
  { echo "expected code for sm_$architecture of these kernels (<), found (>)"; exit 1; }
status=0
fly "$(cubin matvec)" >"$work/unsorted" || status=1
sort "$work/unsorted" >"$work/flights"
if [ -n "${HEADROOM_SHOW_FLIGHTS:-}" ]; then cat "$work/flights"; exit "$status"; fi
for name in matmul matmul_half matmul_int8 matvec; do
  weigh "$(cubin "$name")" || status=1
done >"$work/unsorted"
sort "$work/unsorted" >"$work/weights"
if [ "$renews" = yes ]; then
  [ "$status" = 0 ] || exit "$status"
  { echo "# NVRTC ${nvrtc##*/}, by sass.sh --renew"; tr ' ' '\t' <<<"$columns"; cat "$work/found"; } >"$here/sass.tsv"
  {
    echo "# NVRTC ${nvrtc##*/}, by sass.sh --renew. Instructions that a thread takes for a weight of a format, on sm_90:"
    echo "# of one iteration of the loop that multiplies (and of the one around it over blocks of 256 columns), where"
    echo "# all rows and columns are there, what stands in its machine code, by the thread's weights in that iteration."
    echo "# matvec multiplies a weight with one row or eight, matmul with all rows of its tile. What is outside of the"
    echo "# loops is not counted. Integer: arithmetic, logic, shifts, permutations, comparisons, selections of 32-bit"
    echo "# words of a thread; moves of registers (IMAD.MOV), and what a warp does once (uniform), are apart. How ways"
    echo "# of formats are told apart: tests/support/sass/weights.h; all kinds: costs.h."
    "$sass_weights" --columns
    cat "$work/weights"
  } >"$here/weights.tsv"
  {
    echo "# NVRTC ${nvrtc##*/}, by sass.sh --renew. Of each matvec and format on sm_90: loads of 16 bytes a thread that a warp has"
    echo "# under way at once in an iteration of the loop that multiplies, asked for and not yet used; instructions from"
    echo "# such a load to the first use of what it reads, on average; requests into the second-level cache for the"
    echo "# iterations to come; registers; warps that a multiprocessor runs with blocks of 512 threads; KiB of loads, and"
    echo "# of requests, that these have under way (tests/support/sass/flight.h)."
    tr ' ' '\t' <<<"$flight_columns"
    cat "$work/flights"
  } >"$here/flights.tsv"
  exit 0
fi
check "$work/found" >"$work/wrong"
check_weights "$work/weights" >>"$work/wrong"
check_flights "$work/flights" >>"$work/wrong"
if [ -s "$work/wrong" ]; then cat "$work/wrong"; status=1; fi
for table in sass weights flights; do
  found=$work/$table; [ "$table" != sass ] || found=$work/found
  [ "$architecture" = 90 ] || continue
  loose=""; [ "$table" != flights ] || loose=4  # the distance
  compare "$here/$table.tsv" "$found" $loose || { echo "the counts are others: sass.sh --renew, with a reason"; status=1; }
  # A table with one number that is 2 % more, and one with a line fewer, must be seen.
  awk -F '\t' -v OFS='\t' 'NR == 3 && $NF ~ /^[0-9.]+$/ {$NF = $NF * 1.02 + 0.05} {print}' "$found" >"$work/more"
  sed 1d "$found" >"$work/fewer"
  for fault in more fewer; do
    ! compare "$found" "$work/$fault" >/dev/null || { echo "a seeded fault was not seen: $table with $fault"; status=1; }
  done
done

# Kernels that are wrong must be seen: one that keeps an array in local memory, one that reads words, and products that
# are made otherwise.
cat >"$work/wrong.cu" <<'KERNELS'
extern "C" __global__ void matvec_local(float* to, int i) {
  volatile float values[64];
  values[i] = to[i];
  to[0] = values[i * 3];
}
extern "C" __global__ void matvec_int8_words(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] * to[0]; }
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void matmul_words_copied(const int4* from, int4* to) {
  __shared__ int4 copied[32];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(copied + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  to[threadIdx.x] = copied[threadIdx.x];
}
#endif
extern "C" __global__ void matmul_half_plain(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }
extern "C" __global__ void matmul_int8_plain(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }
KERNELS
count "$(compile "$work/wrong.cu")" >"$work/seeded"
check "$work/seeded" >"$work/told"
# sees KERNEL WORDS
sees() { grep -q "^$1: expected $2" "$work/told" || { echo "a seeded fault was not seen: $1, $2"; status=1; }; }
sees matvec_local "nothing in local memory"
[ "$architecture" -lt 90 ] || sees matvec_local "to begin early and to wait"
sees matvec_int8_words "reads of 16 bytes"
sees matvec_int8_words "int8 dot products"
[ "$architecture" -lt 80 ] || sees matmul_words_copied "reads of 16 bytes"
sees matmul_half_plain "tiles of f16"
sees matmul_half_plain "loads of tiles"
sees matmul_int8_plain "tiles of int8"
# So must work on integers that nobody needs: 32 instructions for each weight that matmul decodes.
cat >"$work/slow.cu" <<'KERNELS'
#include "lib/device.cuh"
__device__ unsigned kept;
DEVICE void work_for_nothing() {
  unsigned n = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 128; ++i) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(n));
  if (n == 7) kept = n;
}
#undef BARRIER
#define BARRIER() (work_for_nothing(), __syncthreads())
#include "matmul.cu"
KERNELS
weigh "$(compile "$work/slow.cu")" >"$work/weights"
check_weights "$work/weights" >"$work/told"
for format in F32 F16 BF16 $block_formats; do
  grep -q "^matmul, $format: expected at most .* integer instructions" "$work/told" ||
    { echo "a seeded fault was not seen: matmul, $format, integer instructions"; status=1; }
done
# And a product that asks for the codes of one group after the other, and for nothing of the next block: that kernel alone,
# as all of them take a minute to compile; what the others would call stands there for nothing.
sed -e '1i #pragma nv_diag_suppress 177' -e 's/matvec<1, 4>/matvec<1, 1>/' -e '/prefetch_block<kType>/d' "$sources/kernels/matvec.cu" |
  awk '/^KERNEL/ {skips = !/\(matvec_int8_1,/} !skips; /^}$/ {skips = 0}' >"$work/single.cu"
fly "$(compile "$work/single.cu")" >"$work/flights"
check_flights "$work/flights" >"$work/told"
seen() {
  grep -q "^matvec_int8_1, $1: expected at least .* $2" "$work/told" ||
    { echo "a seeded fault was not seen: matvec_int8_1, $1, $2"; status=1; }
}
for format in $block_formats; do seen "$format" "requests for the next block"; done
# Of the others a group alone has as many units.
for format in Q4_0 Q4_1 Q4_K Q5_0 Q6_K Q8_0; do
  seen "$format" "loads under way"
  # Before sm_80 one block is expected, and of this product, which needs fewer registers, two are there.
  [ "$architecture" -lt 80 ] || seen "$format" "KiB of a multiprocessor under way"
done
exit "$status"
