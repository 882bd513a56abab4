# Sets HEADROOM_NVCC to a compiler of kernels for NVIDIA's cards that is new enough, or to nothing: of the system, else
# what nvcc.sh has fetched.
set(HEADROOM_LEAST_NVCC 12.4)  # C++20 with today's compilers of the host
find_program(HEADROOM_ANY_NVCC nvcc HINTS /usr/local/cuda/bin)
mark_as_advanced(HEADROOM_ANY_NVCC)
set(HEADROOM_NVCC "")
foreach(nvcc ${HEADROOM_ANY_NVCC} ${PROJECT_SOURCE_DIR}/build/nvcc/bin/nvcc)
  set(said "")
  if(EXISTS ${nvcc} AND NOT HEADROOM_NVCC)
    execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE said ERROR_QUIET)
  endif()
  if(said MATCHES "release ([0-9]+\\.[0-9]+)" AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL HEADROOM_LEAST_NVCC)
    set(HEADROOM_NVCC ${nvcc})
    set(HEADROOM_NVCC_RELEASE ${CMAKE_MATCH_1})
  endif()
endforeach()
# The least driver that loads what it compiles, as cuDriverGetVersion() counts: one for any CUDA of its major version.
if(HEADROOM_NVCC)
  string(REGEX REPLACE "\\..*" "" major ${HEADROOM_NVCC_RELEASE})
  math(EXPR HEADROOM_CUDA_LEAST_DRIVER "${major} * 1000")
endif()
