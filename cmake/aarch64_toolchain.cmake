# 64-bit Arm with Debian's cross compiler; what is built runs under qemu-user. cmake/aarch64_sysroot.sh puts the
# libraries where they are looked for.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

set(HEADROOM_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot")
cmake_path(NORMAL_PATH HEADROOM_SYSROOT)
if(NOT EXISTS "${HEADROOM_SYSROOT}")
  message(FATAL_ERROR "${HEADROOM_SYSROOT} is missing: run cmake/aarch64_sysroot.sh")
endif()
set(CMAKE_CXX_FLAGS_INIT "-isystem ${HEADROOM_SYSROOT}/usr/include")
# Libraries of libraries (zlib of minizip): the linker looks where it is told, and the loader takes an RPATH for those,
# but no RUNPATH.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${HEADROOM_SYSROOT}/usr/lib/aarch64-linux-gnu -Wl,--disable-new-dtags")
set(ENV{PKG_CONFIG_LIBDIR} "${HEADROOM_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${HEADROOM_SYSROOT}")

# Libraries for Arm only; header-only packages are those of this machine.
set(CMAKE_FIND_ROOT_PATH "${HEADROOM_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
