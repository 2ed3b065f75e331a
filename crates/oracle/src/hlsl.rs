//! A program as text, which compilers read.
//!
//! Everything is in parentheses and of a stated type: no rule of precedence or of implicit conversion is relied on.

use crate::layout::{self, COMMON, SLOTS};
use crate::program::*;
use crate::value::{Base, Type, Value};
use std::fmt::Write;

/// The whole text.
pub fn hlsl(program: &Program) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "struct Item {{ uint a; uint2 b; uint c; }};\n\
         ByteAddressBuffer t_raw : register(t0);\n\
         StructuredBuffer<Item> t_items : register(t1);\n\
         Buffer<uint> t_uint : register(t2);\n\
         Buffer<float4> t_float : register(t3);\n\
         RWByteAddressBuffer u_raw : register(u0);\n\
         RWStructuredBuffer<uint> u_items : register(u1);\n\
         RWBuffer<uint> u_uint : register(u2);\n\
         groupshared uint shared_words[{}];\n",
        program.threads
    );
    text.push_str("cbuffer Constants : register(b0)\n{\n");
    for (number, member) in program.members.iter().enumerate() {
        let array = member.count.map(|count| format!("[{count}]")).unwrap_or_default();
        let (register, place) = (member.word / 4, ["x", "y", "z", "w"][member.word % 4]);
        let _ = writeln!(text, "    {} m{number}{array} : packoffset(c{register}.{place});", member.ty.name());
    }
    text.push_str("};\n");
    for (number, elements) in program.statics.iter().enumerate() {
        let values: Vec<String> = elements.iter().map(constant).collect();
        let ty = elements[0].ty.name();
        let _ = writeln!(text, "static const {ty} s{number}[{}] = {{ {} }};", elements.len(), values.join(", "));
    }
    for (number, function) in program.functions.iter().enumerate() {
        let mut writer = Writer { program, function, text: String::new(), depth: 0 };
        writer.function(number);
        text.push_str(&writer.text);
    }
    text
}

struct Writer<'a> {
    program: &'a Program,
    function: &'a Function,
    text: String,
    depth: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.depth * 4);
    }

    fn is_main(&self) -> bool {
        std::ptr::eq(self.function, self.program.main())
    }

    fn function(&mut self, number: usize) {
        self.text.push('\n');
        if self.is_main() {
            self.line(&format!("[numthreads({}, 1, 1)]", self.program.threads));
            self.line("void main(uint3 in_all : SV_DispatchThreadID, uint3 group : SV_GroupID, uint in_group : SV_GroupIndex)");
        } else {
            let result = match &self.function.result {
                Some(result) => type_of(result, self.program, self.function).name(),
                None => "void".to_owned(),
            };
            let parameters: Vec<String> = self
                .function
                .parameters
                .iter()
                .enumerate()
                .map(|(number, ty)| {
                    let way = if number < self.function.inputs { "" } else { "inout " };
                    format!("{way}{} v{number}", ty.name())
                })
                .collect();
            self.line(&format!("{result} f{number}({})", parameters.join(", ")));
        }
        self.line("{");
        self.depth += 1;
        let function = self.function;
        for (local, number) in function.locals.iter().zip(function.parameters.len()..) {
            self.local(local, number);
        }
        self.statements(&function.body);
        if let Some(result) = &function.result {
            let result = self.expression(result);
            self.line(&format!("return {result};"));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn local(&mut self, local: &Local, number: usize) {
        let ty = local.ty.name();
        if !local.is_array {
            let initial = local.initial[0].as_ref().map_or(String::new(), |value| self.expression(value));
            return self.line(&format!("{ty} v{number} = {initial};"));
        }
        let count = local.initial.len();
        let values: Vec<Option<String>> =
            local.initial.iter().map(|value| value.as_ref().map(|value| self.expression(value))).collect();
        let whole: Option<Vec<String>> = values.iter().cloned().collect();
        if let Some(whole) = whole {
            return self.line(&format!("{ty} v{number}[{count}] = {{ {} }};", whole.join(", ")));
        }
        self.line(&format!("{ty} v{number}[{count}];"));
        for (at, value) in values.iter().enumerate() {
            if let Some(value) = value {
                self.line(&format!("v{number}[{at}] = {value};"));
            }
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        self.line("{");
        self.depth += 1;
        self.statements(statements);
        self.depth -= 1;
        self.line("}");
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { variable, part, value } => {
                let place = self.place(*variable, part);
                let value = self.expression(value);
                self.line(&format!("{place} = {value};"));
            }
            Statement::If { condition, then, otherwise, hint } => {
                let condition = self.expression(condition);
                self.line(&format!("{hint}if ({condition})"));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("else");
                    self.block(otherwise);
                }
            }
            Statement::Switch { on, cases, default } => self.switch(on, cases, default),
            Statement::Loop { kind, counter, times, body, hint } => self.turns((*kind, hint), *counter, times, body),
            Statement::Leave { next, condition } => {
                let condition = self.expression(condition);
                self.line(&format!("if ({condition}) {};", if *next { "continue" } else { "break" }));
            }
            Statement::Call { function, inputs, outputs, result } => {
                let mut arguments: Vec<String> = inputs.iter().map(|input| self.expression(input)).collect();
                arguments.extend(outputs.iter().map(|output| format!("v{output}")));
                self.line(&format!("v{result} = f{function}({});", arguments.join(", ")));
            }
            Statement::Output { view, slot, value } => {
                let word = self.output_word(value);
                let at = self.own(*slot);
                self.store(*view, &at, &word);
            }
            Statement::Share(value) => {
                let value = self.expression(value);
                self.line(&format!("shared_words[in_group] = {value};"));
            }
            Statement::Atomic { operation, cell, value, before } => self.atomic(*operation, cell, value, *before),
            Statement::Barrier => self.line("GroupMemoryBarrierWithGroupSync();"),
        }
    }

    fn switch(&mut self, on: &Expression, cases: &[(u32, Vec<Statement>)], default: &[Statement]) {
        let on = self.expression(on);
        self.line(&format!("switch ({on})"));
        self.line("{");
        let cases = cases.iter().map(|(case, body)| (format!("case {case}:"), body.as_slice()));
        for (label, body) in cases.chain([("default:".to_owned(), default)]) {
            self.line(&label);
            self.depth += 1;
            self.block(body);
            self.line("break;");
            self.depth -= 1;
        }
        self.line("}");
    }

    fn turns(&mut self, (kind, hint): (LoopKind, &str), counter: usize, times: &Expression, body: &[Statement]) {
        let times = self.expression(times);
        match kind {
            LoopKind::For => {
                self.line(&format!("{hint}for (v{counter} = 0u; v{counter} < {times}; v{counter}++)"));
                self.block(body);
            }
            LoopKind::While | LoopKind::Do => {
                let is_while = kind == LoopKind::While;
                self.line(&format!("v{counter} = 0u;"));
                self.line(&if is_while { format!("{hint}while (v{counter} < {times})") } else { "do".to_owned() });
                self.line("{");
                self.depth += 1;
                if !is_while {
                    self.line(&format!("if (!(v{counter} < {times})) break;"));
                }
                self.statements(body);
                self.line(&format!("v{counter} = v{counter} + 1u;"));
                self.depth -= 1;
                self.line(if is_while { "}" } else { "} while (true);" });
            }
        }
    }

    /// The index of a word of the thread's own.
    fn own(&self, slot: usize) -> String {
        format!("in_all.x * {SLOTS}u + {}u", COMMON + slot)
    }

    fn store(&mut self, view: View, at: &str, word: &str) {
        let line = match view {
            View::Raw => format!("u_raw.Store(({at}) * 4u, {word});"),
            View::Structured => format!("u_items[{at}] = {word};"),
            View::Typed => format!("u_uint[{at}] = {word};"),
        };
        self.line(&line);
    }

    fn atomic(&mut self, operation: Atomic, cell: &Cell, value: &Expression, before: Option<usize>) {
        let value = self.expression(value);
        let place = match cell {
            Cell::Shared(at) => format!("shared_words[{}]", self.expression(at)),
            Cell::Own(view, slot) => self.word_of(*view, &self.own(*slot)),
            Cell::Common(view, at) => {
                let at = self.expression(at);
                self.word_of(*view, &format!("({at} & {}u) + {}u", layout::COMMON_OF_VIEW - 1, layout::common(*view)))
            }
        };
        let (name, compared) = match operation {
            Atomic::Add => ("Add", String::new()),
            Atomic::And => ("And", String::new()),
            Atomic::Or => ("Or", String::new()),
            Atomic::Xor => ("Xor", String::new()),
            Atomic::Min => ("Min", String::new()),
            Atomic::Max => ("Max", String::new()),
            Atomic::Exchange => ("Exchange", String::new()),
            Atomic::CompareExchange(compared) if before.is_some() => ("CompareExchange", format!("{compared}u, ")),
            Atomic::CompareExchange(compared) => ("CompareStore", format!("{compared}u, ")),
        };
        let before = before.map(|before| format!(", v{before}")).unwrap_or_default();
        // A raw buffer has methods.
        match place.strip_prefix("u_raw, ") {
            Some(at) => self.line(&format!("u_raw.Interlocked{name}({at}, {compared}{value}{before});")),
            None => self.line(&format!("Interlocked{name}({place}, {compared}{value}{before});")),
        }
    }

    fn word_of(&self, view: View, at: &str) -> String {
        match view {
            View::Raw => format!("u_raw, ({at}) * 4u"),
            View::Structured => format!("u_items[{at}]"),
            View::Typed => format!("u_uint[{at}]"),
        }
    }

    fn place(&self, variable: usize, part: &Part) -> String {
        match part {
            Part::Whole => format!("v{variable}"),
            Part::Components(places) => format!("v{variable}.{}", swizzle(places)),
            Part::Component(at) | Part::Element(at) => format!("v{variable}[{}]", self.expression(at)),
        }
    }

    /// A value as a word of the output.
    fn output_word(&self, value: &Expression) -> String {
        let text = self.expression(value);
        match type_of(value, self.program, self.function).base {
            Base::Float => format!("asuint({text})"),
            Base::Uint => text,
            _ => format!("(uint)({text})"),
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        let of = |expression: &Expression| self.expression(expression);
        match expression {
            Expression::Constant(value) => constant(value),
            Expression::Variable(number) => format!("v{number}"),
            Expression::Element(number, at) | Expression::Component(number, at) => format!("v{number}[{}]", of(at)),
            Expression::Static(number, at) => format!("s{number}[{}]", of(at)),
            Expression::Member(number, None) => format!("m{number}"),
            Expression::Member(number, Some(at)) => format!("m{number}[{}]", of(at)),
            Expression::Load(source, width, at) => load(*source, *width, &of(at)),
            Expression::Thread(Id::Thread) => "in_group".to_owned(),
            Expression::Thread(Id::Group) => "group.x".to_owned(),
            Expression::Thread(Id::Global) => "in_all.x".to_owned(),
            Expression::Shared(at) => format!("shared_words[{}]", of(at)),
            Expression::Unary(operation, value) => unary(*operation, &of(value)),
            Expression::Binary(operation, left, right) => binary(*operation, &of(left), &of(right)),
            Expression::Ternary(operation, values) => {
                let [a, b, c] = [of(&values[0]), of(&values[1]), of(&values[2])];
                match operation {
                    Ternary::Select => format!("({a} ? {b} : {c})"),
                    Ternary::Mad => format!("mad({a}, {b}, {c})"),
                    Ternary::Clamp => format!("clamp({a}, {b}, {c})"),
                    Ternary::Lerp => format!("lerp({a}, {b}, {c})"),
                }
            }
            Expression::Convert(base, value) => {
                let ty = type_of(value, self.program, self.function).with(*base);
                format!("(({}){})", ty.name(), of(value))
            }
            Expression::Bits(base, value) => format!("as{}({})", base.name(), of(value)),
            Expression::Swizzle(value, places) => format!("({}).{}", of(value), swizzle(places)),
            Expression::Construct(base, parts) => {
                let ty = type_of(expression, self.program, self.function);
                let parts: Vec<String> = parts.iter().map(of).collect();
                debug_assert_eq!(ty.base, *base);
                format!("{}({})", ty.name(), parts.join(", "))
            }
            Expression::Wave(operation, member) => {
                let name = match operation {
                    Wave::First => "ReadLaneFirst",
                    Wave::Min => "ActiveMin",
                    Wave::Max => "ActiveMax",
                    Wave::And => "ActiveBitAnd",
                    Wave::Or => "ActiveBitOr",
                    Wave::AllEqual => "ActiveAllEqual",
                };
                format!("Wave{name}(m{member})")
            }
        }
    }
}

fn swizzle(places: &[u8]) -> String {
    places.iter().map(|place| ['x', 'y', 'z', 'w'][usize::from(*place)]).collect()
}

fn load(source: Source, width: usize, at: &str) -> String {
    let (first, _) = layout::part(source);
    let number = if width == 1 { String::new() } else { width.to_string() };
    let raw = || format!("t_raw.Load{number}({at} * {}u + {}u)", source.stride() * 4, first * 4);
    match source {
        Source::RawUint => raw(),
        Source::RawFloat | Source::Wild => format!("asfloat({})", raw()),
        Source::TypedUint => format!("t_uint[{at} + {first}u]"),
        Source::TypedFloat => format!("t_float[{at}].{}", &"xyzw"[..width]),
        Source::StructuredUint => {
            let item = format!("t_items[{at} + {}u]", first / 4);
            match width {
                1 => format!("{item}.a"),
                2 => format!("{item}.b"),
                3 => format!("uint3({item}.b, {item}.c)"),
                _ => format!("uint4({item}.a, {item}.b, {item}.c)"),
            }
        }
    }
}

fn unary(operation: Unary, of: &str) -> String {
    let name = match operation {
        Unary::Negate => return format!("(-{of})"),
        Unary::Complement => return format!("(~{of})"),
        Unary::Not => return format!("(!{of})"),
        Unary::Abs => "abs",
        Unary::Sign => "sign",
        Unary::Saturate => "saturate",
        Unary::CountBits => "countbits",
        Unary::ReverseBits => "reversebits",
        Unary::FirstBitHigh => "firstbithigh",
        Unary::FirstBitLow => "firstbitlow",
        Unary::Floor => "floor",
        Unary::Ceil => "ceil",
        Unary::Trunc => "trunc",
        Unary::Round => "round",
        Unary::Frac => "frac",
        Unary::IsNan => "isnan",
        Unary::IsInf => "isinf",
        Unary::IsFinite => "isfinite",
        Unary::Any => "any",
        Unary::All => "all",
        Unary::F16ToF32 => "f16tof32",
        Unary::F32ToF16 => "f32tof16",
        Unary::Sqrt => "sqrt",
        Unary::Rsqrt => "rsqrt",
        Unary::Rcp => "rcp",
        Unary::Exp2 => "exp2",
        Unary::Log2 => "log2",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
    };
    format!("{name}({of})")
}

fn binary(operation: Binary, left: &str, right: &str) -> String {
    let sign = match operation {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::BothTrue => "&&",
        Binary::EitherTrue => "||",
        Binary::Min => return format!("min({left}, {right})"),
        Binary::Max => return format!("max({left}, {right})"),
        Binary::Dot => return format!("dot({left}, {right})"),
        Binary::Step => return format!("step({left}, {right})"),
    };
    format!("({left} {sign} {right})")
}

fn constant(value: &Value) -> String {
    let base = value.ty.base;
    let component = |component: &u64| match base {
        Base::Bool => if *component != 0 { "true" } else { "false" }.to_owned(),
        Base::Uint => format!("{component}u"),
        Base::Int => match base.signed(*component) {
            // There is no literal of the least one.
            -2_147_483_648 => "((int)0x80000000u)".to_owned(),
            number => format!("((int){number})"),
        },
        Base::Float => format!("({:?}f)", base.real(*component)),
        Base::Double => format!("({:?}L)", base.real(*component)),
        Base::Long | Base::Ulong => format!("(({})0x{component:x}ull)", base.name()),
        Base::Short | Base::Ushort => format!("(({}){})", base.name(), base.signed(*component)),
        Base::Half => format!("((float16_t){:?}f)", base.real(*component)),
    };
    let components: Vec<String> = value.components().iter().map(component).collect();
    match value.ty {
        Type { width: 1, .. } => components.concat(),
        ty => format!("{}({})", ty.name(), components.join(", ")),
    }
}
