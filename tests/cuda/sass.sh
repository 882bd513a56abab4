#!/usr/bin/env bash
# What the machine code of CUDA's kernels holds, for sm_90: that weights and caches are read 16 bytes at once, that
# products are made by the instructions that are there for them, that nothing lives in local memory, that kernels begin
# early and wait; and how many instructions there are of each kind, against a committed table for the compiler that the
# table names. Ends with 77 where there is nothing that reads machine code.
# usage: sass.sh KERNELS NVCC NVCC_RELEASE     KERNELS: the folder of *.fatbin
#        sass.sh --renew KERNELS NVCC NVCC_RELEASE >tests/cuda/sass.tsv
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
renews=no
if [ "$1" = --renew ]; then renews=yes; shift; fi
kernels=$1 nvcc=$2 release=$3
tools=$("$here/../../cmake/cuobjdump.sh") || exit 77  # it has said what is missing
export PATH=$tools:$PATH LC_ALL=C  # the order of the table is the same everywhere
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

columns="kernel instructions read_128 read_other local int8_dot int8_tiles half_tiles tile_loads async_copies shared barriers early waits"
# count FILE: a line for each kernel.
count() {
  cuobjdump -sass -arch sm_90 "$1" | awk '
    function flush_row() {
      if (name != "")
        print name, n["all"] + 0, n["r128"] + 0, n["r"] + 0, n["local"] + 0, n["idp"] + 0, n["imma"] + 0, n["hmma"] + 0,
              n["ldsm"] + 0, n["ldgsts"] + 0, n["shared"] + 0, n["bar"] + 0, n["early"] + 0, n["waits"] + 0
    }
    /Function : / { flush_row(); name = $3; delete n }
    /^[ \t]+\/\*[0-9a-f]+\*\// {
      code = $2 ~ /^@/ ? $3 : $2
      ++n["all"]
      # LDGSTS copies to shared memory: no read of a weight, and counted below.
      if (code ~ /^LDG\..*\.128/) ++n["r128"]
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
# check FILE: of lines as those of count(); says what is wrong, a line each.
check() {
  awk -F '\t' '
    function expect(holds, what) { if (!holds) print $1 ": " what }
    {
      expect($5 == 0, "expected nothing in local memory, found " $5 " instructions")
      expect($13 == 1 && $14 >= 1, "expected to begin early and to wait, found " $13 " and " $14)
      if ($1 ~ /^(matvec|matmul|attend|read_rate|embed)/ && $1 != "attend_merge")
        expect($3 > 0, "expected reads of 16 bytes, found none")
      if ($1 ~ /^(matvec|peak)_int8/) expect($6 > 0, "expected int8 dot products, found none")
      if ($1 ~ /^matmul_int8|^peak_tiles/) expect($7 > 0, "expected tiles of int8, found none")
      if ($1 ~ /^(matmul_half|attend_tiles|peak_half)/) expect($8 > 0, "expected tiles of f16, found none")
      if ($1 ~ /^(matmul_half|matmul_int8|attend_tiles)/)
        expect($9 > 0 && $10 > 0, "expected loads of tiles and copies behind its back, found " $9 " and " $10)
    }' "$1"
}

sed -n 's/^HEADROOM_KERNELS(\([a-z0-9_]*\),.*/\1/p' "$here/../../engine/backend/cuda/kernel_files.inl" |
  while read -r name; do count "$kernels/$name.fatbin"; done | sort >"$work/found"
sed -n '/^HEADROOM_KERNELS/s/[^"]*"\([a-z0-9_]*\)"[^"]*/\1\n/gp' "$here/../../engine/backend/cuda/kernel_files.inl" |
  sed '/^$/d' | sort >"$work/expected"
[ -s "$work/expected" ] || { echo "expected names of kernels in kernel_files.inl, found none"; exit 1; }
diff "$work/expected" <(cut -f 1 "$work/found") ||
  { echo "expected code for sm_90 of these kernels (<), found (>)"; exit 1; }
if [ "$renews" = yes ]; then
  echo "# nvcc $release, by sass.sh --renew"
  tr ' ' '\t' <<<"$columns"
  cat "$work/found"
  exit 0
fi
status=0
check "$work/found" >"$work/wrong"
if [ -s "$work/wrong" ]; then cat "$work/wrong"; status=1; fi
# Another compiler counts otherwise.
if [ "$(head -n 1 "$here/sass.tsv" | sed 's/# nvcc \([0-9.]*\).*/\1/')" = "$release" ]; then
  diff <(tail -n +3 "$here/sass.tsv") "$work/found" || { echo "the counts are others: sass.sh --renew, with a reason"; status=1; }
fi

# Kernels that are wrong must be seen: one that keeps an array in local memory, one that reads words, and products that
# are made otherwise.
cat >"$work/wrong.cu" <<'KERNELS'
extern "C" __global__ void matvec_local(float* to, int i) {
  volatile float values[64];
  values[i] = to[i];
  to[0] = values[i * 3];
}
extern "C" __global__ void matvec_int8_words(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] * to[0]; }
extern "C" __global__ void matmul_words_copied(const int4* from, int4* to) {
  __shared__ int4 copied[32];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(copied + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  to[threadIdx.x] = copied[threadIdx.x];
}
extern "C" __global__ void matmul_half_plain(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }
extern "C" __global__ void matmul_int8_plain(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }
KERNELS
"$nvcc" -cubin -std=c++20 -O3 -arch=sm_90 -o "$work/wrong.cubin" "$work/wrong.cu"
count "$work/wrong.cubin" >"$work/seeded"
check "$work/seeded" >"$work/told"
# sees KERNEL WORDS
sees() { grep -q "^$1: expected $2" "$work/told" || { echo "a seeded fault was not seen: $1, $2"; status=1; }; }
sees matvec_local "nothing in local memory"
sees matvec_local "to begin early and to wait"
sees matvec_int8_words "reads of 16 bytes"
sees matvec_int8_words "int8 dot products"
sees matmul_words_copied "reads of 16 bytes"
sees matmul_half_plain "tiles of f16"
sees matmul_half_plain "loads of tiles"
sees matmul_int8_plain "tiles of int8"
exit "$status"
