// What the translator's disassembler leaves out. It is included within the disassembler, in its namespace.
#pragma once

// What the disassembler's own functions do first. They stand here because a mend has no semicolon (CMake).
#define RETURN_IF_OTHER if (append_other(*this, value, decl)) return;
#define NUMBER_UNNUMBERED number_unnumbered(module);

// Blocks and variables of older code (DXBC) have no number, so that all were `%0` and `@0`. They get numbers that nothing else has.
template <typename Last, typename Value>
static void number_unnumbered(Last &last, Value &value)
{
	if (value.get_tween_id() == 0)
		value.set_tween_id(++last);
}

static void number_unnumbered(Module &module)
{
	uint64_t last = 0;
	for (auto itr = module.global_begin(); itr != module.global_end(); ++itr)
		last = std::max(last, (*itr).get_tween_id());
	for (auto *function : module)
		for (auto &block : *function)
		{
			last = std::max(last, block.get_tween_id());
			for (auto &instruction : block)
				last = std::max(last, instruction.get_tween_id());
		}

	for (auto itr = module.global_begin(); itr != module.global_end(); ++itr)
		number_unnumbered(last, *itr);
	for (auto *function : module)
		for (auto &block : *function)
			number_unnumbered(last, block);
}

// Values of which the disassembler says that they are not implemented.
static bool append_other(StreamState &state, Value *value, bool decl)
{
	switch (value->get_value_kind())
	{
	case ValueKind::Unreachable:
		state.append("unreachable");
		return true;

	case ValueKind::ConstantPointerNull:
		state.append(value->getType(), " null");
		return true;

	case ValueKind::CompositeConstruct:
	{
		state.append("%", value->get_tween_id());
		if (!decl)
			return true;
		auto *composite = cast<CompositeConstructInst>(value);
		state.append(" = construct ", composite->getType());
		for (unsigned i = 0; i < composite->getNumOperands(); i++)
			state.append(i ? ", " : " ", composite->getOperand(i));
		return true;
	}

	default:
		return false;
	}
}
