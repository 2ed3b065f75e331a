# Files of the translator that are compiled alone: two are large, and one defines a function whose declaration, which other files include,
# has default arguments. CMake reads this at the translator's `project`; the files are known when its `CMakeLists.txt` was read.
cmake_language(DEFER CALL set_source_files_properties
  cfg_structurizer.cpp
  dxil_converter.cpp
  opcodes/dxil/dxil_ray_tracing.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
