# How the C++ of the shader translator (the crate `dxil-spirv-sys`) is compiled. `.cargo/config.toml` names this file to CMake, because the
# crate's build script takes nothing else from us.

# Where CMake is told of a toolchain, the build script leaves the compilers to it.
if(NOT "$ENV{HOST}" STREQUAL "$ENV{TARGET}" AND "$ENV{TARGET}" STREQUAL "x86_64-pc-windows-gnu")
  set(CMAKE_SYSTEM_NAME Windows)
  set(CMAKE_SYSTEM_PROCESSOR AMD64)
  # Debian's plain names mean the compilers of Windows' threads, whose C++ library has no mutexes.
  set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
  set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
endif()

# The files are small and include much, so twelve are compiled as one: all of them take 104 s of processor time in place of 336 s
# (debug build, Debian's GCC 12, 26 November 2026; the optimisation below included).
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
set(CMAKE_PROJECT_dxil-spirv_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/translator/project.cmake")

# The translator's own debug build is full of assertions that end the process on input which its release build refuses politely, and takes
# ten times as long. So our debug builds have it optimised, without assertions and without debug information.
if("$ENV{TARGET}" MATCHES "gnu$")
  set(CMAKE_C_FLAGS_DEBUG "-O1 -DNDEBUG" CACHE STRING "")
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -DNDEBUG" CACHE STRING "")
endif()
