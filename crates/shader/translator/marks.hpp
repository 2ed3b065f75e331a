// Which instruction of the shader each one of SPIR-V is made of: before it stands an `OpLine` whose line is the number of its block in the
// function, and whose column its number in the block, both counted from 1. A debugger asks for that by information of its own
// (`dxil_spv_converter_add_non_semantic_debug_info`); without it nothing is different.
#pragma once

#include "opcodes/converter_impl.hpp"

namespace dxil_spv
{
inline bool mark_instruction(Converter::Impl &impl, CFGNode *node, const llvm::Instruction &instruction,
                             llvm::Function *function)
{
	if (impl.non_semantic_debug_info.empty() || strcmp(impl.non_semantic_debug_info.front().tag, "reprise.marks") != 0)
		return true;
	uint32_t block = 0;
	for (auto &bb : *function)
	{
		block++;
		uint32_t number = 0;
		for (auto &other : bb)
		{
			number++;
			if (&other != &instruction)
				continue;
			impl.current_block = &node->ir.operations;
			auto *op = impl.allocate(spv::OpLine);
			op->add_id(impl.builder().addString(""));
			op->add_literal(block);
			op->add_literal(number);
			impl.add(op);
			return true;
		}
	}
	return true;
}
}
