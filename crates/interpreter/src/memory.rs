//! Pointers at work: chains, loads, stores, atomic operations.

use crate::fault::Fault;
use crate::group::{Group, Write};
use crate::kind::Kind;
use crate::module::{Instruction, Module};
use crate::number;
use crate::open::{Open, either};
use crate::pointer::{Buffer, Handle, Place, Pointer};
use crate::value::{Value, mask, signed};
use spirv::{Decoration, Op};
use std::rc::Rc;

/// Bytes of a load or store.
const MOST_BYTES: u64 = 1 << 20;

/// A part of a value.
fn part<'v>(mut value: &'v Value, path: &[u32]) -> Option<&'v Value> {
    for index in path {
        let Value::Composite(parts) = value else { return None };
        value = parts.get(*index as usize)?;
    }
    Some(value)
}

/// The same, to be changed.
pub(crate) fn part_mut<'v>(mut value: &'v mut Value, path: &[u32]) -> Option<&'v mut Value> {
    for index in path {
        let Value::Composite(parts) = value else { return None };
        value = Rc::make_mut(parts).get_mut(*index as usize)?;
    }
    Some(value)
}

/// The value of a type that bytes hold.
pub(crate) fn of_bytes(module: &Module, kind: u32, bytes: &[u8], open: Open, offset: u32) -> Result<Value, Fault> {
    let count = match module.kind(kind, offset)? {
        Kind::Integer { .. } | Kind::Float { .. } | Kind::Bool | Kind::Pointer { .. } => {
            let size = module.size(kind, offset)? as usize;
            let mut word = [0; 8];
            let own = bytes.get(..size).ok_or_else(|| module.malformed(offset, "too few bytes".to_owned()))?;
            word[..size].copy_from_slice(own);
            let bits = u64::from_le_bytes(word);
            return Ok(match module.kind(kind, offset)? {
                Kind::Pointer { to, .. } => {
                    let place = Place::Memory(Buffer::Address, bits);
                    Value::Pointer(Rc::new(Pointer { place, to: *to, open }))
                }
                _ => Value::Number(bits, open),
            });
        }
        Kind::Vector { count, .. } | Kind::Array { count: Some(count), .. } => *count,
        Kind::Structure { members } => members.len() as u32,
        other => return Err(module.malformed(offset, format!("{other:?} is not in memory"))),
    };
    let mut parts = Vec::new();
    for index in 0..count {
        let (of, at) = module.part(kind, index, offset)?;
        let bytes = bytes.get(at as usize..).unwrap_or_default();
        parts.push(of_bytes(module, of, bytes, open, offset)?);
    }
    Ok(Value::of_parts(parts))
}

/// Each number of a value: where it lies, and its bytes.
pub(crate) fn to_bytes(
    module: &Module,
    kind: u32,
    value: &Value,
    at: u64,
    offset: u32,
    all: &mut Vec<(u64, Vec<u8>, Open)>,
) -> Result<(), Fault> {
    match value {
        Value::Number(bits, open) => {
            let size = module.size(kind, offset)? as usize;
            all.push((at, bits.to_le_bytes()[..size.min(8)].to_vec(), *open));
        }
        Value::Composite(parts) => {
            for (index, part) in (0..).zip(parts.iter()) {
                let (of, behind) = module.part(kind, index, offset)?;
                to_bytes(module, of, part, at.wrapping_add(behind), offset, all)?;
            }
        }
        Value::Pointer(pointer) => match pointer.place {
            Place::Memory(Buffer::Address, address) => all.push((at, address.to_le_bytes().to_vec(), pointer.open)),
            _ => return Err(module.malformed(offset, "a pointer that is no address is stored".to_owned())),
        },
        _ => return Err(module.malformed(offset, "a value that has no bytes is stored".to_owned())),
    }
    Ok(())
}

/// Whether a type is a descriptor or an array of them.
fn is_descriptor(kind: &Kind) -> bool {
    matches!(kind, Kind::Image(_) | Kind::Sampler | Kind::SampledImage { .. } | Kind::Opaque(_))
}

impl Group<'_> {
    fn resource<T>(&self, instruction: &Instruction, result: Result<T, String>) -> Result<T, Fault> {
        result.map_err(|what| Fault::Resource { offset: instruction.offset, what })
    }

    /// A pointer that an operand is.
    pub(crate) fn pointer(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<Rc<Pointer>, Fault> {
        match self.operand(lane, instruction, at)? {
            Value::Pointer(pointer) => Ok(pointer),
            other => Err(self.module.malformed(instruction.offset, format!("{other:?} is no pointer"))),
        }
    }

    /// A number that an operand is.
    pub(crate) fn number(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<(u64, Open), Fault> {
        match self.operand(lane, instruction, at)? {
            Value::Number(bits, open) => Ok((bits, open)),
            other => Err(self.module.malformed(instruction.offset, format!("{other:?} is no number"))),
        }
    }

    /// `OpAccessChain` and its kin; the first `skip` operands are not indices.
    pub(crate) fn chain(&self, lane: usize, instruction: &Instruction, skip: usize) -> Result<Value, Fault> {
        let (module, offset) = (self.module, instruction.offset);
        let mut pointer = (*self.pointer(lane, instruction, 0)?).clone();
        for at in skip..instruction.operands.len() {
            let (bits, open) = self.number(lane, instruction, at)?;
            let width = match module.kinds.get(&module.kind_of(instruction.operands[at])) {
                Some(Kind::Integer { width, .. }) => *width,
                _ => 32,
            };
            pointer.open = either(pointer.open, open);
            let index = signed(bits, width);
            let of = module.kind(pointer.to, offset)?.clone();
            match (&mut pointer.place, &of) {
                (Place::Descriptor { descriptor, chosen: chosen @ false }, Kind::Array { of, .. }) => {
                    (descriptor.index, *chosen) = (bits as u32, true);
                    pointer.to = *of;
                }
                (Place::Descriptor { descriptor, .. }, kind) if !is_descriptor(kind) => {
                    let (to, behind) = module.part(pointer.to, index as u32, offset)?;
                    pointer.place = Place::Memory(Buffer::View(*descriptor), behind);
                    pointer.to = to;
                }
                (Place::Memory(_, at), kind) => {
                    // Elements behind 4 GiB, or before the beginning, by addresses.
                    let stride = match kind {
                        Kind::Array { of, .. } => match module.stride(pointer.to) {
                            0 => module.size(*of, offset)?,
                            stride => u64::from(stride),
                        },
                        _ => 0,
                    };
                    let (to, behind) = match kind {
                        Kind::Array { of, .. } => (*of, stride.wrapping_mul(index as u64)),
                        _ => module.part(pointer.to, index as u32, offset)?,
                    };
                    *at = at.wrapping_add(behind);
                    pointer.to = to;
                }
                (Place::Variable { path, .. }, kind) => {
                    pointer.to = match kind {
                        Kind::Vector { of, .. } | Kind::Array { of, .. } => *of,
                        Kind::Structure { members } => members.get(index as usize).copied().unwrap_or(0),
                        other => return Err(module.malformed(offset, format!("{other:?} has no parts"))),
                    };
                    path.push(u32::try_from(bits).unwrap_or(u32::MAX));
                }
                _ => return Err(module.malformed(offset, format!("{of:?} has no parts"))),
            }
        }
        Ok(Value::Pointer(Rc::new(pointer)))
    }

    /// `OpVariable` in a function: it begins anew each time.
    pub(crate) fn local(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let to = self.target(instruction.kind, instruction.offset)?;
        let value = match instruction.operands.get(1) {
            Some(_) => self.operand(lane, instruction, 1)?,
            None => self.module.zero(to, instruction.offset)?,
        };
        self.lanes[lane].variables.insert(instruction.result, value);
        let place = Place::Variable { variable: instruction.result, shared: false, path: Vec::new() };
        Ok(Value::Pointer(Rc::new(Pointer { place, to, open: 0 })))
    }

    /// What lies at a place.
    pub(crate) fn load(&mut self, lane: usize, pointer: &Pointer, instruction: &Instruction) -> Result<Value, Fault> {
        let (module, offset) = (self.module, instruction.offset);
        let value = match &pointer.place {
            Place::Variable { variable, shared, path } => {
                let all = if *shared { &self.shared } else { &self.lanes[lane].variables };
                let whole = all.get(variable);
                let whole = whole.ok_or_else(|| module.malformed(offset, "a variable that is none".to_owned()))?;
                match part(whole, path) {
                    Some(value) => value.clone(),
                    // The API leaves open what lies behind the end of an array.
                    None => {
                        let open = self.opens(instruction, "Op: an index behind the end of an array");
                        module.zero(pointer.to, offset)?.opened(open)
                    }
                }
            }
            Place::Descriptor { descriptor, .. } => match module.kind(pointer.to, offset)? {
                Kind::Image(image) => {
                    let (descriptor, image) = (*descriptor, Some(*image));
                    Value::Handle(Rc::new(Handle { descriptor, image, sampler: None, open: 0 }))
                }
                Kind::Sampler => {
                    let (descriptor, image) = (*descriptor, None);
                    Value::Handle(Rc::new(Handle { descriptor, image, sampler: None, open: 0 }))
                }
                Kind::Structure { .. } => {
                    let whole = Place::Memory(Buffer::View(*descriptor), 0);
                    return self.load(lane, &Pointer { place: whole, ..*pointer }, instruction);
                }
                _ => return Err(self.unsupported(instruction)),
            },
            Place::Memory(buffer, at) => {
                let size = module.size(pointer.to, offset)?;
                if size > MOST_BYTES {
                    return Err(Fault::Unsupported { offset, what: format!("a load of {size} bytes") });
                }
                let mut bytes = vec![0; size as usize];
                if *buffer == Buffer::Record {
                    self.record_bytes(*at, &mut bytes);
                    return of_bytes(module, pointer.to, &bytes, pointer.open, offset);
                }
                let read = self.resources.read(*buffer, *at, &mut bytes);
                let open = self.resource(instruction, read)?;
                of_bytes(module, pointer.to, &bytes, open, offset)?
            }
            Place::Texel(texel) => {
                let (handle, at) = &**texel;
                let texel = self.resources.texel(handle, *at);
                let (numbers, open) = self.resource(instruction, texel)?;
                Value::Number(self.joined(handle, numbers)[0], open)
            }
        };
        Ok(value.opened(pointer.open))
    }

    /// Puts a value at a place.
    pub(crate) fn store(
        &mut self,
        lane: usize,
        pointer: &Pointer,
        value: Value,
        instruction: &Instruction,
    ) -> Result<(), Fault> {
        let (module, offset) = (self.module, instruction.offset);
        let value = value.opened(self.lanes[lane].way);
        if Some(lane as u32) == self.task.watched {
            self.write = Some(Write { place: pointer.place.clone(), value: value.clone(), kind: pointer.to });
        }
        match &pointer.place {
            Place::Memory(..) | Place::Texel(_) if self.lanes[lane].helper => self.write = None,
            Place::Variable { variable, shared, path } => {
                let all = if *shared { &mut self.shared } else { &mut self.lanes[lane].variables };
                let whole = all.get_mut(variable);
                let whole = whole.ok_or_else(|| module.malformed(offset, "a variable that is none".to_owned()))?;
                match part_mut(whole, path) {
                    Some(place) => *place = value.opened(pointer.open),
                    None => _ = self.opens(instruction, "Op: an index behind the end of an array"),
                }
                // It may have been any other element.
                if pointer.open != 0 {
                    let all = if *shared { &mut self.shared } else { &mut self.lanes[lane].variables };
                    if let Some(whole) = all.get_mut(variable) {
                        *whole = std::mem::take(whole).opened(pointer.open);
                    }
                }
            }
            Place::Memory(buffer, at) => {
                let mut all = Vec::new();
                to_bytes(module, pointer.to, &value, *at, offset, &mut all)?;
                // Components that follow each other are one write: whether it lies within the buffer, they share.
                let mut writes: Vec<(u64, Vec<u8>, Open)> = Vec::new();
                for (at, bytes, open) in all {
                    match writes.last_mut() {
                        Some((first, before, same)) if *first + before.len() as u64 == at && *same == open => {
                            before.extend(bytes);
                        }
                        _ => writes.push((at, bytes, open)),
                    }
                }
                self.resources.writer(lane as u32);
                for (at, bytes, open) in writes {
                    let written = self.resources.write(*buffer, at, &bytes, either(open, pointer.open));
                    self.resource(instruction, written)?;
                }
                let scattered = either(pointer.open, self.lanes[lane].way);
                if scattered != 0 {
                    self.resources.scattered(*buffer, scattered);
                }
            }
            Place::Texel(texel) => {
                let (handle, at) = &**texel;
                let Value::Number(bits, open) = value else { return Err(self.short(instruction)) };
                self.resources.writer(lane as u32);
                let written = self.resources.set_texel(handle, *at, self.parted(handle, [bits, 0, 0, 0]), [open; 4]);
                self.resource(instruction, written)?;
                if pointer.open != 0 {
                    self.resources.scattered_texels(handle, pointer.open);
                }
            }
            Place::Descriptor { .. } => return Err(self.unsupported(instruction)),
        }
        Ok(())
    }

    /// `OpArrayLength`.
    pub(crate) fn array_length(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let (module, offset) = (self.module, instruction.offset);
        let pointer = self.pointer(lane, instruction, 0)?;
        let member = *instruction.operands.get(1).ok_or_else(|| self.short(instruction))?;
        let buffer = match &pointer.place {
            Place::Descriptor { descriptor, .. } => Buffer::View(*descriptor),
            _ => return Err(self.unsupported(instruction)),
        };
        let (array, behind) = module.part(pointer.to, member, offset)?;
        let length = self.resources.length(buffer);
        let length = self.resource(instruction, length)?;
        let stride = u64::from(module.stride(array).max(1));
        Ok(Value::Number((length.saturating_sub(behind) / stride) & mask(32), pointer.open))
    }

    /// Atomic operations. What they give depends on which lane is the first, which the API leaves open.
    pub(crate) fn atomic(&mut self, lane: usize, instruction: &Instruction) -> Result<Option<Value>, Fault> {
        let offset = instruction.offset;
        let pointer = self.pointer(lane, instruction, 0)?;
        let old = match self.load(lane, &pointer, instruction)? {
            Value::Number(bits, open) => (bits, open),
            _ => return Err(self.unsupported(instruction)),
        };
        let width = match self.module.kind(pointer.to, offset)? {
            Kind::Integer { width, .. } | Kind::Float { width } => *width,
            _ => return Err(self.unsupported(instruction)),
        };
        // Behind pointer, scope and semantics; of an exchange by comparison there are two.
        let at = if instruction.op == Op::AtomicCompareExchange { 4 } else { 3 };
        let given = match instruction.op {
            Op::AtomicLoad => return Ok(Some(Value::Number(old.0, old.1))),
            Op::AtomicIIncrement => (1, 0),
            Op::AtomicIDecrement => (mask(width), 0),
            _ => self.number(lane, instruction, at)?,
        };
        let (own, other) = (old.0, given.0);
        let new = match instruction.op {
            Op::AtomicStore | Op::AtomicExchange => other,
            Op::AtomicIAdd | Op::AtomicIIncrement | Op::AtomicIDecrement => own.wrapping_add(other),
            Op::AtomicISub => own.wrapping_sub(other),
            Op::AtomicSMin if signed(own, width) < signed(other, width) => own,
            Op::AtomicSMax if signed(own, width) > signed(other, width) => own,
            Op::AtomicSMin | Op::AtomicSMax => other,
            Op::AtomicUMin => own.min(other),
            Op::AtomicUMax => own.max(other),
            Op::AtomicAnd => own & other,
            Op::AtomicOr => own | other,
            Op::AtomicXor => own ^ other,
            Op::AtomicCompareExchange => {
                let (compared, _) = self.number(lane, instruction, 5)?;
                if own == compared { other } else { own }
            }
            Op::AtomicFAddEXT if width == 32 => {
                let sum = f32::from_bits(own as u32) + f32::from_bits(other as u32);
                u64::from(number::quiet(sum).to_bits())
            }
            _ => return Err(self.unsupported(instruction)),
        } & mask(width);
        let mut open = either(old.1, given.1);
        // Sums, extremes and bits come to the same in any order; what an exchange leaves does not.
        if matches!(
            instruction.op,
            Op::AtomicExchange | Op::AtomicStore | Op::AtomicCompareExchange | Op::AtomicFAddEXT
        ) {
            let order = self.opens(instruction, "Op: which lane is the last");
            open = either(open, order);
        }
        if self.task.alone && !matches!(pointer.place, Place::Variable { .. }) {
            let others = self.opens(instruction, "Op: what other groups do, which did not run");
            open = either(open, others);
        }
        self.store(lane, &pointer, Value::Number(new, open), instruction)?;
        if instruction.op == Op::AtomicStore {
            return Ok(None);
        }
        let order = self.opens(instruction, "Op: in which order lanes come");
        Ok(Some(Value::Number(own, either(old.1, order))))
    }

    /// `OpImageTexelPointer`.
    pub(crate) fn texel_pointer(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let pointer = self.pointer(lane, instruction, 0)?;
        let to = self.target(instruction.kind, instruction.offset)?;
        let Value::Handle(handle) = self.load(lane, &pointer, instruction)? else {
            return Err(self.short(instruction));
        };
        let coordinates = self.operand(lane, instruction, 1)?;
        let sample = self.number(lane, instruction, 2)?.0 as u32;
        let open = either(coordinates.open(), pointer.open);
        let at = crate::texture::texel(&coordinates, sample);
        let place = Place::Texel(Box::new(((*handle).clone(), at)));
        Ok(Value::Pointer(Rc::new(Pointer { place, to, open })))
    }

    /// Whether an instruction's result may be less exact than its type.
    pub(crate) fn is_relaxed(&self, instruction: &Instruction) -> bool {
        self.module.decoration(instruction.result, Decoration::RelaxedPrecision).is_some()
    }
}
