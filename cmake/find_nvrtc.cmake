# Sets HEADROOM_NVRTC to the folder of the compiler of kernels for NVIDIA's cards that nvrtc.sh has fetched, or to
# nothing. What the system has of NVIDIA's is not looked at: images and tables are the same everywhere.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/nvrtc.sh)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/nvrtc.sh version REGEX "^version=")
string(REGEX REPLACE "^version=" "" HEADROOM_NVRTC_VERSION "${version}")
# Those of "nvrtcGetSupportedArchs" that it makes code for.
set(HEADROOM_NVRTC_ARCHITECTURES 75 80 86 87 89 90 100 101 103 120 121)
set(HEADROOM_NVRTC ${PROJECT_SOURCE_DIR}/build/nvrtc/${HEADROOM_NVRTC_VERSION})
if(NOT EXISTS ${HEADROOM_NVRTC}/libnvrtc.so.12)
  set(HEADROOM_NVRTC "")
endif()
