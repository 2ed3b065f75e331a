# What is different about the translator's files. CMake reads this at the translator's `project`; its files and libraries are known when its
# `CMakeLists.txt` was read.
include("${CMAKE_CURRENT_LIST_DIR}/mended.cmake")

# Files that are compiled alone: two are large, and one defines a function whose declaration, which other files include, has default
# arguments.
cmake_language(DEFER CALL set_source_files_properties
  cfg_structurizer.cpp
  dxil_converter.cpp
  opcodes/dxil/dxil_ray_tracing.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
cmake_language(DEFER CALL mend_all)
