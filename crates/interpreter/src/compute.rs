//! What one lane's instruction gives.

use crate::extended;
use crate::fault::Fault;
use crate::glsl::Glsl;
use crate::group::Group;
use crate::kind::Kind;
use crate::memory::part_mut;
use crate::module::Instruction;
use crate::number::{self, Answer, Number};
use crate::open::{Open, either};
use crate::pointer::{Buffer, Place, Pointer};
use crate::quad::is_derivative;
use crate::ray_query::is_query;
use crate::texture::is_image;
use crate::value::{Value, mask, signed};
use spirv::Op;
use std::rc::Rc;

impl Group<'_> {
    /// Makes an instruction of one lane, and gives its result.
    pub(crate) fn compute(&mut self, lane: usize, instruction: &Instruction) -> Result<Option<Value>, Fault> {
        use Op::*;
        let op = instruction.op;
        Ok(Some(match op {
            Variable => self.local(lane, instruction)?,
            AccessChain | InBoundsAccessChain => self.chain(lane, instruction, 1)?,
            Load => {
                let pointer = self.pointer(lane, instruction, 0)?;
                self.load(lane, &pointer, instruction)?
            }
            Store => {
                let pointer = self.pointer(lane, instruction, 0)?;
                let value = self.operand(lane, instruction, 1)?;
                self.store(lane, &pointer, value, instruction)?;
                return Ok(None);
            }
            ConvertUToAccelerationStructureKHR => {
                let address = self.operand(lane, instruction, 0)?;
                match address.numbers().as_slice() {
                    [whole] => Value::Number(*whole, address.open()),
                    [low, high] => Value::Number(low | high << 32, address.open()),
                    _ => return Err(self.short(instruction)),
                }
            }
            ReportIntersectionKHR => self.report_hit(lane, instruction)?,
            op if is_query(op) => return self.ray_query(lane, instruction),
            ArrayLength => self.array_length(lane, instruction)?,
            DemoteToHelperInvocation => {
                let lane = &mut self.lanes[lane];
                (lane.helper, lane.discarded) = (true, true);
                return Ok(None);
            }
            SetMeshOutputsEXT => {
                self.set_mesh_outputs(lane, instruction)?;
                return Ok(None);
            }
            EmitVertex | EmitStreamVertex | EndPrimitive | EndStreamPrimitive => {
                self.emit(lane, instruction)?;
                return Ok(None);
            }
            IsHelperInvocationEXT => Value::Number(self.lanes[lane].helper.into(), 0),
            Undef => self.module.zero(instruction.kind, instruction.offset)?,
            CopyObject | CopyLogical => self.operand(lane, instruction, 0)?,
            Select => self.select(lane, instruction)?,
            Bitcast => self.bitcast(lane, instruction)?,
            ConvertUToPtr => self.address(lane, instruction)?,
            ConvertPtrToU => match self.operand(lane, instruction, 0)? {
                Value::Pointer(pointer) => match pointer.place {
                    Place::Memory(Buffer::Address, at) => Value::Number(at, pointer.open),
                    _ => return Err(self.unsupported(instruction)),
                },
                _ => return Err(self.short(instruction)),
            },
            CompositeConstruct => self.construct(lane, instruction)?,
            CompositeExtract => {
                let mut value = self.operand(lane, instruction, 0)?;
                for index in &instruction.operands[1..] {
                    value = self.component(&value, u64::from(*index), instruction)?;
                }
                value
            }
            CompositeInsert => {
                let part = self.operand(lane, instruction, 0)?;
                let mut whole = self.operand(lane, instruction, 1)?;
                let path = instruction.operands.get(2..).unwrap_or_default();
                let place = part_mut(&mut whole, path).ok_or_else(|| self.short(instruction))?;
                *place = part;
                whole
            }
            VectorShuffle => self.shuffle(lane, instruction)?,
            VectorExtractDynamic => {
                let (index, open) = self.number(lane, instruction, 1)?;
                let vector = self.operand(lane, instruction, 0)?;
                self.component(&vector, index, instruction)?.opened(open)
            }
            VectorInsertDynamic => {
                let (mut vector, part) = (self.operand(lane, instruction, 0)?, self.operand(lane, instruction, 1)?);
                let (index, open) = self.number(lane, instruction, 2)?;
                let place = part_mut(&mut vector, &[u32::try_from(index).unwrap_or(u32::MAX)]);
                *place.ok_or_else(|| self.short(instruction))? = part;
                vector.opened(open)
            }
            Any | All => {
                let vector = self.operand(lane, instruction, 0)?;
                let numbers = vector.numbers();
                let mut truths = numbers.iter().map(|bits| *bits != 0);
                let truth = if op == Any { truths.any(|it| it) } else { truths.all(|it| it) };
                Value::Number(truth.into(), vector.open())
            }
            Dot => self.dot(lane, instruction)?,
            VectorTimesScalar => self.scaled(lane, instruction)?,
            IAddCarry | ISubBorrow | UMulExtended | SMulExtended => self.extended_pair(lane, instruction)?,
            ExtInst => self.extended(lane, instruction)?,
            ImageFetch | ImageRead | ImageWrite | ImageQuerySize | ImageQuerySizeLod | ImageQueryLevels
            | ImageQuerySamples | SampledImage | Image => {
                return self.image(lane, instruction);
            }
            _ if is_image(op) => return self.image(lane, instruction),
            ImageTexelPointer => self.texel_pointer(lane, instruction)?,
            AtomicLoad
            | AtomicStore
            | AtomicExchange
            | AtomicCompareExchange
            | AtomicIIncrement
            | AtomicIDecrement
            | AtomicIAdd
            | AtomicISub
            | AtomicSMin
            | AtomicUMin
            | AtomicSMax
            | AtomicUMax
            | AtomicAnd
            | AtomicOr
            | AtomicXor
            | AtomicFAddEXT => return self.atomic(lane, instruction),
            _ if is_derivative(op) => self.derivative(lane, instruction)?,
            _ => {
                let denormals = self.module.denormals;
                let apply = |from, to, numbers: &[u64]| number::apply(op, from, to, numbers, denormals);
                self.each(lane, instruction, 0, apply)?
            }
        }))
    }

    fn component(&mut self, value: &Value, index: u64, instruction: &Instruction) -> Result<Value, Fault> {
        let Value::Composite(parts) = value else { return Err(self.short(instruction)) };
        match usize::try_from(index).ok().and_then(|index| parts.get(index)) {
            Some(part) => Ok(part.clone()),
            None => {
                let open = self.opens(instruction, "Op: an index behind the end of a vector");
                Ok(self.module.zero(instruction.kind, instruction.offset)?.opened(open))
            }
        }
    }

    /// What the numbers of a type are.
    fn number_of(&self, kind: u32, instruction: &Instruction) -> Result<Number, Fault> {
        match self.module.kind(kind, instruction.offset)? {
            Kind::Bool => Ok(Number::Bool),
            Kind::Integer { width, .. } => Ok(Number::Integer(*width)),
            Kind::Float { width } => Ok(Number::Float(*width)),
            Kind::Vector { of, matrix: false, .. } => match self.module.kind(*of, instruction.offset)? {
                Kind::Bool => Ok(Number::Bool),
                Kind::Integer { width, .. } => Ok(Number::Integer(*width)),
                Kind::Float { width } => Ok(Number::Float(*width)),
                _ => Err(self.unsupported(instruction)),
            },
            _ => Err(self.unsupported(instruction)),
        }
    }

    /// Component by component; operands begin at `first`.
    fn each(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        first: usize,
        apply: impl Fn(Number, Number, &[u64]) -> Option<Answer>,
    ) -> Result<Value, Fault> {
        let operands = instruction.operands.get(first..).unwrap_or_default();
        let (Some(id), true) = (operands.first(), instruction.kind != 0) else {
            return Err(self.unsupported(instruction));
        };
        let (from, to) = match (self.module.kind_of(*id), instruction.kind) {
            (0, _) => return Err(self.unsupported(instruction)),
            (from, to) => (self.number_of(from, instruction)?, self.number_of(to, instruction)?),
        };
        let mut values = Vec::with_capacity(operands.len());
        for at in first..instruction.operands.len() {
            values.push(self.operand(lane, instruction, at)?);
        }
        let count = match self.module.kind(instruction.kind, instruction.offset)? {
            Kind::Vector { count, .. } => Some(*count as usize),
            _ => None,
        };
        let mut parts = Vec::new();
        for index in 0..count.unwrap_or(1) {
            let (mut numbers, mut open) = (Vec::with_capacity(values.len()), 0);
            for value in &values {
                let (bits, own) = match value {
                    Value::Number(bits, own) => (*bits, *own),
                    Value::Composite(parts) => match parts.get(index) {
                        Some(Value::Number(bits, own)) => (*bits, *own),
                        _ => return Err(self.short(instruction)),
                    },
                    _ => return Err(self.unsupported(instruction)),
                };
                numbers.push(bits);
                open = either(open, own);
            }
            let answer = apply(from, to, &numbers).ok_or_else(|| self.unsupported(instruction))?;
            parts.push(self.answer(instruction, answer, open, to));
        }
        match (count, parts.pop()) {
            (None, Some(one)) => Ok(one),
            (_, last) => {
                parts.extend(last);
                Ok(Value::of_parts(parts))
            }
        }
    }

    /// A number with what is open about it.
    pub(crate) fn answer(&mut self, instruction: &Instruction, answer: Answer, open: Open, to: Number) -> Value {
        // Of what is computed the bounds are others.
        let mut open = self.opened.plain(open);
        let mut bits = answer.bits;
        if let Some(why) = answer.open {
            let own = self.named(instruction, (why, answer.error), &mut bits, to);
            open = either(open, own);
        }
        if to != Number::Bool && self.is_relaxed(instruction) {
            // Floats that halves hold are as exact as those; integers may have 16 bits.
            let error = match to {
                Number::Float(width) => Some(number::real(bits, width)).filter(|real| real.abs() < 65504.0),
                _ => None,
            };
            let why = "Op: numbers of minimum precision";
            let own = self.named(instruction, (why, error.map(number::half_step)), &mut bits, to);
            open = either(open, own);
        }
        Value::Number(bits, open)
    }

    /// Names what is open about a number. Where that is no more than the error, the number goes where the run leans.
    pub(crate) fn named(
        &mut self,
        instruction: &Instruction,
        (why, error): (&'static str, Option<f64>),
        bits: &mut u64,
        to: Number,
    ) -> Open {
        let (Some(error), Number::Float(width)) = (error, to) else { return self.opens(instruction, why) };
        let own = self.opens_last_bits(instruction, why);
        let sign = self.opened.side(own);
        let real = number::real(*bits, width);
        if sign != 0.0 && real.is_finite() {
            *bits = number::bits(real + sign * error, width);
        }
        own
    }

    fn select(&self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let condition = self.operand(lane, instruction, 0)?;
        let (yes, no) = (self.operand(lane, instruction, 1)?, self.operand(lane, instruction, 2)?);
        match (&condition, &yes, &no) {
            (Value::Number(bits, open), ..) => {
                let chosen = if *bits != 0 { yes } else { no };
                Ok(chosen.opened(*open))
            }
            (Value::Composite(all), Value::Composite(yes), Value::Composite(no))
                if all.len() == yes.len() && all.len() == no.len() =>
            {
                let part = |((bit, yes), no): ((&Value, &Value), &Value)| match bit {
                    Value::Number(0, open) => no.clone().opened(*open),
                    bit => yes.clone().opened(bit.open()),
                };
                Ok(Value::of_parts(all.iter().zip(yes.iter()).zip(no.iter()).map(part).collect()))
            }
            _ => Err(self.short(instruction)),
        }
    }

    /// The bytes of an operand as another type has them.
    fn bitcast(&self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let value = self.operand(lane, instruction, 0)?;
        if matches!(self.module.kind(instruction.kind, instruction.offset)?, Kind::Pointer { .. }) {
            return self.address(lane, instruction);
        }
        let from = match &value {
            Value::Pointer(_) => 64,
            _ => {
                let kind = self.module.kind_of(*instruction.operands.first().ok_or_else(|| self.short(instruction))?);
                self.number_of(kind, instruction)?.width()
            }
        };
        let to = self.number_of(instruction.kind, instruction)?.width();
        let mut bytes = Vec::new();
        match &value {
            Value::Pointer(pointer) => match pointer.place {
                Place::Memory(Buffer::Address, at) => bytes.extend(at.to_le_bytes()),
                _ => return Err(self.unsupported(instruction)),
            },
            other => other.numbers().iter().for_each(|number| {
                bytes.extend(&number.to_le_bytes()[..(from / 8).max(1) as usize]);
            }),
        }
        // Of vectors of the same widths each component has what is open about its own.
        let opens: Vec<Open> = match &value {
            Value::Composite(parts) if from == to => parts.iter().map(Value::open).collect(),
            other => vec![other.open()],
        };
        let numbers = bytes.chunks((to / 8).max(1) as usize).enumerate().map(|(index, chunk)| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            Value::Number(u64::from_le_bytes(word), *opens.get(index).unwrap_or(&opens[0]))
        });
        let mut numbers: Vec<Value> = numbers.collect();
        match self.module.kind(instruction.kind, instruction.offset)? {
            Kind::Vector { count, .. } if *count as usize == numbers.len() => Ok(Value::of_parts(numbers)),
            Kind::Vector { .. } => Err(self.short(instruction)),
            _ if numbers.len() == 1 => Ok(numbers.remove(0)),
            _ => Err(self.short(instruction)),
        }
    }

    /// An address becomes a pointer.
    fn address(&self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let to = self.target(instruction.kind, instruction.offset)?;
        let value = self.operand(lane, instruction, 0)?;
        let address = match (&value, value.numbers().as_slice()) {
            (Value::Pointer(pointer), _) => {
                return Ok(Value::Pointer(Rc::new(Pointer { to, ..(**pointer).clone() })));
            }
            (_, [whole]) => *whole,
            (_, [low, high]) => low | high << 32,
            _ => return Err(self.short(instruction)),
        };
        let place = Place::Memory(Buffer::Address, address);
        Ok(Value::Pointer(Rc::new(Pointer { place, to, open: value.open() })))
    }

    fn construct(&self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let is_vector =
            matches!(self.module.kind(instruction.kind, instruction.offset)?, Kind::Vector { matrix: false, .. });
        let mut parts = Vec::with_capacity(instruction.operands.len());
        for at in 0..instruction.operands.len() {
            match self.operand(lane, instruction, at)? {
                // Vectors may be made of vectors.
                Value::Composite(own) if is_vector => parts.extend(own.iter().cloned()),
                other => parts.push(other),
            }
        }
        Ok(Value::of_parts(parts))
    }

    fn shuffle(&self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let (first, second) = (self.operand(lane, instruction, 0)?, self.operand(lane, instruction, 1)?);
        let (Value::Composite(first), Value::Composite(second)) = (first, second) else {
            return Err(self.short(instruction));
        };
        let component = |index: &u32| match *index {
            // No component: it may be anything.
            u32::MAX => Some(Value::Number(0, 0)),
            index => first.iter().chain(second.iter()).nth(index as usize).cloned(),
        };
        let parts: Option<Vec<Value>> = instruction.operands[2..].iter().map(component).collect();
        parts.map(Value::of_parts).ok_or_else(|| self.short(instruction))
    }

    /// The sum of products; in which order they are added is open.
    fn dot(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let (first, second) = (self.operand(lane, instruction, 0)?, self.operand(lane, instruction, 1)?);
        let to = self.number_of(instruction.kind, instruction)?;
        let width = to.width();
        let product = |(a, b): (&u64, &u64)| number::real(*a, width) * number::real(*b, width);
        let (a, b) = (first.numbers(), second.numbers());
        let round = |number: f64| number::real(number::bits(number, width), width);
        let sum = a.iter().zip(&b).map(product).map(round).reduce(|sum, next| round(sum + next)).unwrap_or(0.0);
        let error = a.iter().zip(&b).map(product).map(f64::abs).sum::<f64>() * number::error_of(width);
        let answer = Answer::near(sum, width, (number::PRECISION, error));
        Ok(self.answer(instruction, answer, either(first.open(), second.open()), to))
    }

    fn scaled(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let (vector, (by, by_open)) = (self.operand(lane, instruction, 0)?, self.number(lane, instruction, 1)?);
        let Value::Composite(parts) = vector else { return Err(self.short(instruction)) };
        let (to, denormals) = (self.number_of(instruction.kind, instruction)?, self.module.denormals);
        let mut all = Vec::new();
        for part in parts.iter() {
            let Value::Number(bits, open) = part else { return Err(self.short(instruction)) };
            let answer = number::apply(Op::FMul, to, to, &[*bits, by], denormals);
            let answer = answer.ok_or_else(|| self.unsupported(instruction))?;
            all.push(self.answer(instruction, answer, either(*open, by_open), to));
        }
        Ok(Value::of_parts(all))
    }

    /// A result of two numbers, for each component: sum and carry, or low and high half.
    fn extended_pair(&self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let (first, second) = (self.operand(lane, instruction, 0)?, self.operand(lane, instruction, 1)?);
        let kind = self.module.kind_of(*instruction.operands.first().ok_or_else(|| self.short(instruction))?);
        let width = self.number_of(kind, instruction)?.width();
        let all = mask(width);
        let pair = |a: u64, b: u64| match instruction.op {
            Op::IAddCarry => (a.wrapping_add(b) & all, u64::from(u128::from(a) + u128::from(b) > u128::from(all))),
            Op::ISubBorrow => (a.wrapping_sub(b) & all, u64::from(a < b)),
            Op::UMulExtended => {
                let product = u128::from(a) * u128::from(b);
                (product as u64 & all, (product >> width) as u64 & all)
            }
            _ => {
                let product = i128::from(signed(a, width)) * i128::from(signed(b, width));
                (product as u64 & all, (product >> width) as u64 & all)
            }
        };
        let open = either(first.open(), second.open());
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (a, b) in first.numbers().into_iter().zip(second.numbers()) {
            let (one, other) = pair(a, b);
            low.push(Value::Number(one, open));
            high.push(Value::Number(other, open));
        }
        let whole = |mut parts: Vec<Value>| match (&first, parts.len()) {
            (Value::Number(..), 1) => parts.remove(0),
            _ => Value::of_parts(parts),
        };
        Ok(Value::of_parts(vec![whole(low), whole(high)]))
    }

    /// `OpExtInst`.
    fn extended(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let [set, code, ..] = instruction.operands[..] else { return Err(self.short(instruction)) };
        if !self.module.extended.contains(&set) {
            return Err(Fault::Unsupported { offset: instruction.offset, what: format!("instruction set %{set}") });
        }
        let op = Glsl::from_number(code);
        let unknown = || Fault::Unsupported { offset: instruction.offset, what: format!("GLSL.std.450 {code}") };
        let op = op.ok_or_else(unknown)?;
        let unsupported = || Fault::Unsupported { offset: instruction.offset, what: format!("GLSL.std.450 {op:?}") };
        let numbers =
            |group: &Self, at: usize| group.operand(lane, instruction, at).map(|it| (it.numbers(), it.open()));
        match op {
            Glsl::PackHalf2x16 => match numbers(self, 2)? {
                (numbers, open) if numbers.len() == 2 => {
                    let open = self.opened.plain(open);
                    let pack = |side: f64| extended::pack_halves([numbers[0], numbers[1]], side);
                    let Some(why) = pack(0.0).1 else { return Ok(Value::Number(pack(0.0).0, open)) };
                    let own = self.opens_last_bits(instruction, why);
                    Ok(Value::Number(pack(self.opened.side(own)).0, either(open, own)))
                }
                _ => Err(self.short(instruction)),
            },
            Glsl::UnpackHalf2x16 => {
                let (word, open) = self.number(lane, instruction, 2)?;
                let half = |half: u64| u64::from(crate::half::to_f32(half as u16).to_bits());
                let parts = [word & 0xffff, word >> 16].map(|it| Value::Number(half(it), open));
                Ok(Value::of_parts(parts.to_vec()))
            }
            Glsl::PackDouble2x32 => match numbers(self, 2)? {
                (numbers, open) if numbers.len() == 2 => Ok(Value::Number(numbers[0] | numbers[1] << 32, open)),
                _ => Err(self.short(instruction)),
            },
            Glsl::UnpackDouble2x32 => {
                let (bits, open) = self.number(lane, instruction, 2)?;
                Ok(Value::of_parts([bits & mask(32), bits >> 32].map(|it| Value::Number(it, open)).to_vec()))
            }
            Glsl::Length | Glsl::Distance | Glsl::Normalize | Glsl::Cross => {
                self.geometric(lane, instruction, op).and_then(|value| value.ok_or_else(unsupported))
            }
            _ => {
                let denormals = self.module.denormals;
                self.each(lane, instruction, 2, |from, to, numbers| extended::apply(op, from, to, numbers, denormals))
                    .map_err(|fault| match fault {
                        Fault::Unsupported { .. } => unsupported(),
                        other => other,
                    })
            }
        }
    }

    /// Functions of vectors, whose last bits are open.
    fn geometric(&mut self, lane: usize, instruction: &Instruction, op: Glsl) -> Result<Option<Value>, Fault> {
        let first = self.operand(lane, instruction, 2)?;
        let second = if instruction.operands.len() > 3 { self.operand(lane, instruction, 3)? } else { Value::Nothing };
        let to = self.number_of(instruction.kind, instruction)?;
        let width = to.width();
        let reals = |value: &Value| value.numbers().iter().map(|bits| number::real(*bits, width)).collect::<Vec<f64>>();
        let (a, b) = (reals(&first), reals(&second));
        let length = |vector: &[f64]| vector.iter().map(|it| it * it).sum::<f64>().sqrt();
        let result = match op {
            Glsl::Length => vec![length(&a)],
            Glsl::Distance => vec![length(&a.iter().zip(&b).map(|(a, b)| a - b).collect::<Vec<_>>())],
            Glsl::Normalize => a.iter().map(|it| it / length(&a)).collect(),
            Glsl::Cross if a.len() == 3 && b.len() == 3 => {
                let of = |x: usize, y: usize| a[x] * b[y] - a[y] * b[x];
                vec![of(1, 2), of(2, 0), of(0, 1)]
            }
            _ => return Ok(None),
        };
        let open = either(first.open(), second.open());
        let is_vector = matches!(self.module.kind(instruction.kind, instruction.offset)?, Kind::Vector { .. });
        let mut parts = Vec::new();
        for number in result {
            // What differences cancel out of the operands has their error.
            let size = match op {
                Glsl::Distance => a.iter().chain(&b).fold(number.abs(), |all, it| all.max(it.abs())),
                Glsl::Cross => 2.0 * length(&a) * length(&b),
                _ => number.abs(),
            };
            let answer = Answer::near(number, width, (number::PRECISION, size * number::error_of(width)));
            parts.push(self.answer(instruction, answer, open, to));
        }
        Ok(Some(if is_vector || parts.len() != 1 { Value::of_parts(parts) } else { parts.remove(0) }))
    }
}
