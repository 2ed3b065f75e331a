# Faults of the translator by which shaders give wrong results without a word, and for which it has no option. Copies of the files that have
# them are compiled in the files' place, each with a few words exchanged. The checksums are of the files of dxil-spirv 2.72.1: with any
# other version the build stops here, and somebody looks whether the fault is gone. The test program `folded` of reprise-programs shows each.
function(mend_all)
  set(marks "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/marks.hpp")
  set(text "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/text.hpp")
  # An array of constants that a shader copies from a constant buffer is read there instead, where all elements are one distance apart. What is
  # compared is a quotient; its remainder was taken of the distance, not of the element's number, so that uneven distances passed.
  # And a store to an element through a pointer that was cast, as of a number's bits, did not count as one.
  mend(dxil-converter opcodes/opcodes_llvm_builtins.cpp
    412c5f3f37c88b01a0983646dbb6018872a35673393c93c50704042eb3b506cf
    2513 "% stride" "% store_index"
    2569 "inst->getOperand(1)"
    "llvm::isa<llvm::CastInst>(inst->getOperand(1)) ? llvm::cast<llvm::CastInst>(inst->getOperand(1))->getOperand(0) : inst->getOperand(1)")
  # An index or address that is a constant minus a variable, as in `buffer[last - i]`, was taken as the variable minus the constant. And one that
  # is a variable with bits of a constant set or inverted was taken as the sum, wherever the constant does not have the factor's own bit: what is
  # certain is a sum of a shifted variable and of bits below.
  mend(dxil-converter opcodes/dxil/dxil_common.cpp
    47e52a1bd7bc9d92196a7dc812c1910876318fa79e10f196ec991b08864c0867
    226 "(lhs)" "(binop->getOpcode() == llvm::BinaryOperator::BinaryOps::Sub ? index : lhs)"
    307 "(scale_factor & bias_factor) != 0" "!(scale_log2 && uint64_t(bias_factor) < scale_factor)")
  # The smaller of -a and -a counts as that of -a and a, and so does the larger; and the remainder of two constants is their quotient.
  mend(dxbc-spirv ir/passes/ir_pass_arithmetic.cpp
    94198e0a2a7c162320e367f5551920cc048b942b9ed486a65f17f3e8b44823a1
    2469 "||" "^"
    4415 "/" "%")
  # The text of an instruction that returns a value contained itself, without end, and that of a negation a second operand, which it does not have. And all blocks of older code had the same number, some of
  # its values none of their operands: see text.hpp.
  mend(llvm-bc disassembler.cpp
    222c6ab4b1ddefeea2b61eef4f715354d65bf96d188ca55e6ca9e0ff67b9fde4
    512 "uop->getOperand(0), \", \", uop->getOperand(1)" "uop->getOperand(0)"
    806 "value)" "value->getReturnValue())"
    896 "void" "#include \"${text}\"\nvoid"
    970 "LOGE(" "RETURN_IF_OTHER LOGE("
    980 "StreamState" "NUMBER_UNNUMBERED StreamState")
  # No fault: a debugger asks which instruction of the shader each one of SPIR-V is made of. See marks.hpp.
  mend(dxil-converter dxil_converter.cpp
    0df9d413f44507a868ebd8dfac192136164e9d7b66742f7f8f49d80aa9450ef9
    33 "#include \"dxil_converter.hpp\"" "#include \"dxil_converter.hpp\"\n#include \"${marks}\""
    8434 "!emit_instruction(" "!mark_instruction(*this, node, *instruction, get_entry_point_function(entry_point_meta)) || !emit_instruction("
    8445 "!emit_instruction(" "!mark_instruction(*this, node, instruction, get_entry_point_function(entry_point_meta)) || !emit_instruction(")
endfunction()

# mend(LIBRARY FILE CHECKSUM, then any number of LINE OLD NEW)
function(mend library file checksum)
  get_target_property(sources ${library} SOURCES)
  set(original ${sources})
  list(FILTER original INCLUDE REGEX "${file}$")
  get_target_property(folder ${library} SOURCE_DIR)
  get_filename_component(original "${original}" ABSOLUTE BASE_DIR "${folder}")
  file(SHA256 "${original}" found)
  if(NOT found STREQUAL checksum)
    message(FATAL_ERROR "${original} is of another version of the translator than the one that is mended: see ${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
  endif()
  file(READ "${original}" rest)
  set(copy "")
  set(line 1)
  # In the order of lines.
  set(changes ${ARGN})
  while(changes)
    list(POP_FRONT changes number old new)
    while(line LESS number)
      string(FIND "${rest}" "\n" end)
      math(EXPR end "${end} + 1")
      string(SUBSTRING "${rest}" 0 ${end} text)
      string(SUBSTRING "${rest}" ${end} -1 rest)
      string(APPEND copy "${text}")
      math(EXPR line "${line} + 1")
    endwhile()
    string(FIND "${rest}" "\n" end)
    string(SUBSTRING "${rest}" 0 ${end} text)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(FIND "${text}" "${old}" at)
    string(FIND "${text}" "${old}" last REVERSE)
    if(at EQUAL -1 OR NOT at EQUAL last)
      message(FATAL_ERROR "line ${number} of ${original} does not have \"${old}\" once")
    endif()
    string(REPLACE "${old}" "${new}" text "${text}")
    string(APPEND copy "${text}")
  endwhile()
  get_filename_component(name "${file}" NAME)
  set(mended "${CMAKE_BINARY_DIR}/mended/${name}")
  file(WRITE "${mended}" "${copy}${rest}")
  list(FILTER sources EXCLUDE REGEX "${file}$")
  set_target_properties(${library} PROPERTIES SOURCES "${sources};${mended}")
  # For what the file includes from beside it.
  get_filename_component(beside "${original}" DIRECTORY)
  target_include_directories(${library} PRIVATE "${beside}")
endfunction()
