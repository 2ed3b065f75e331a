//! Instructions of textures and typed buffers.

use crate::fault::Fault;
use crate::group::{Group, Write};
use crate::kind::{Image, Kind};
use crate::module::Instruction;
use crate::open::{Open, either};
use crate::pointer::{Handle, Place, Texel};
use crate::resources::Sample;
use crate::value::{Value, signed};
use spirv::{ImageOperands, Op};
use std::rc::Rc;

/// The texel that coordinates name.
pub(crate) fn texel(coordinates: &Value, sample: u32) -> Texel {
    let mut at = [0; 3];
    // Unsigned ones beyond 2^31 are beyond every view, and so are those below 0.
    for (to, number) in at.iter_mut().zip(coordinates.numbers()) {
        *to = signed(number, 32);
    }
    Texel { at, level: 0, sample }
}

/// Image operands that an instruction may have, and what they are.
#[derive(Default)]
struct Extra {
    bias: Option<Value>,
    level: Option<Value>,
    offset: Option<Value>,
    sample: Option<Value>,
    other: bool,
}

impl Group<'_> {
    /// Runs such an instruction.
    pub(crate) fn image(&mut self, lane: usize, instruction: &Instruction) -> Result<Option<Value>, Fault> {
        match instruction.op {
            Op::SampledImage => {
                let (image, sampler) = (self.handle(lane, instruction, 0)?, self.handle(lane, instruction, 1)?);
                let open = either(image.open, sampler.open);
                let both = Handle { sampler: Some(sampler.descriptor), open, ..(*image).clone() };
                Ok(Some(Value::Handle(Rc::new(both))))
            }
            Op::Image => {
                let both = self.handle(lane, instruction, 0)?;
                Ok(Some(Value::Handle(Rc::new(Handle { sampler: None, ..(*both).clone() }))))
            }
            Op::ImageFetch | Op::ImageRead => {
                let handle = self.handle(lane, instruction, 0)?;
                let (at, open) = self.at(lane, instruction, 2)?;
                let (numbers, own) = self.texel(&handle, at, instruction)?;
                Ok(Some(self.of_texel(instruction, numbers, either(open, own))?))
            }
            Op::ImageWrite => {
                let handle = self.handle(lane, instruction, 0)?;
                self.narrow(&handle, instruction)?;
                if self.lanes[lane].helper {
                    return Ok(None);
                }
                let (at, open) = self.at(lane, instruction, 3)?;
                let texel = self.operand(lane, instruction, 2)?;
                let mut components = [0; 4];
                for (to, number) in components.iter_mut().zip(texel.numbers()) {
                    *to = number;
                }
                if Some(lane as u32) == self.task.watched {
                    let place = Place::Texel(Box::new(((*handle).clone(), at)));
                    let kind = instruction.operands.get(2).map_or(0, |id| self.module.kind_of(*id));
                    self.write = Some(Write { place, value: texel.clone(), kind });
                }
                let way = self.lanes[lane].way;
                let all = either(either(texel.open(), open), way);
                let written = self.resources.set_texel(&handle, at, components, all);
                written.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
                if either(open, way) != 0 {
                    self.resources.scattered_texels(&handle, either(open, way));
                }
                Ok(None)
            }
            Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels | Op::ImageQuerySamples => {
                self.query(lane, instruction).map(Some)
            }
            Op::ImageSampleExplicitLod => self.sampled(lane, instruction).map(Some),
            _ => Err(self.unsupported(instruction)),
        }
    }

    fn handle(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<Rc<Handle>, Fault> {
        match self.operand(lane, instruction, at)? {
            Value::Handle(handle) => Ok(handle),
            other => Err(self.module.malformed(instruction.offset, format!("{other:?} is no view"))),
        }
    }

    fn shape(&self, handle: &Handle, instruction: &Instruction) -> Result<Image, Fault> {
        let none = || self.module.malformed(instruction.offset, "a sampler is no texture".to_owned());
        handle.image.ok_or_else(none)
    }

    fn texel(&mut self, handle: &Handle, at: Texel, instruction: &Instruction) -> Result<([u64; 4], Open), Fault> {
        self.narrow(handle, instruction)?;
        let texel = self.resources.texel(handle, at);
        let (numbers, open) = texel.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        Ok((numbers, either(open, handle.open)))
    }

    /// Refuses texels of 64 bits.
    pub(crate) fn narrow(&self, handle: &Handle, instruction: &Instruction) -> Result<(), Fault> {
        let kind = handle.image.and_then(|image| self.module.kinds.get(&image.texel));
        match kind {
            Some(Kind::Integer { width: 64, .. }) => {
                Err(Fault::Unsupported { offset: instruction.offset, what: "texels of 64 bits".to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Four components as the instruction's result has them.
    fn of_texel(&self, instruction: &Instruction, numbers: [u64; 4], open: Open) -> Result<Value, Fault> {
        match self.module.kind(instruction.kind, instruction.offset)? {
            Kind::Vector { of, count, .. } => {
                let half = matches!(self.module.kind(*of, instruction.offset)?, Kind::Float { width: 16 });
                let number = |number: &u64| match half {
                    true => u64::from(crate::half::of_f32(f32::from_bits(*number as u32))),
                    false => *number,
                };
                let parts = numbers.iter().take(*count as usize).map(|it| Value::Number(number(it), open));
                Ok(Value::of_parts(parts.collect()))
            }
            // Those that say whether memory is there have it as the first member.
            _ => Err(self.unsupported(instruction)),
        }
    }

    /// The texel of an instruction whose image operands begin at `at`.
    fn at(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<(Texel, Open), Fault> {
        let coordinates = self.operand(lane, instruction, 1)?;
        let extra = self.extra(lane, instruction, at)?;
        if extra.other || extra.bias.is_some() {
            return Err(self.unsupported(instruction));
        }
        let first = |value: &Option<Value>| value.as_ref().and_then(|value| value.numbers().first().copied());
        let mut texel = texel(&coordinates, first(&extra.sample).unwrap_or(0) as u32);
        texel.level = signed(first(&extra.level).unwrap_or(0), 32);
        for (to, number) in texel.at.iter_mut().zip(extra.offset.iter().flat_map(Value::numbers)) {
            *to += signed(number, 32);
        }
        let opens = [&extra.sample, &extra.level, &extra.offset].into_iter().flatten().map(Value::open);
        Ok((texel, opens.fold(coordinates.open(), either)))
    }

    fn extra(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<Extra, Fault> {
        let mut extra = Extra::default();
        let Some(bits) = instruction.operands.get(at) else { return Ok(extra) };
        let mut next = at + 1;
        let mut value = |group: &Self| {
            let value = group.operand(lane, instruction, next);
            next += 1;
            value
        };
        for (flag, to) in [(ImageOperands::BIAS, &mut extra.bias), (ImageOperands::LOD, &mut extra.level)] {
            if bits & flag.bits() != 0 {
                *to = Some(value(self)?);
            }
        }
        extra.other |= bits & ImageOperands::GRAD.bits() != 0;
        for flag in [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET] {
            if bits & flag.bits() != 0 {
                extra.offset = Some(value(self)?);
            }
        }
        extra.other |= bits & ImageOperands::CONST_OFFSETS.bits() != 0;
        if bits & ImageOperands::SAMPLE.bits() != 0 {
            extra.sample = Some(value(self)?);
        }
        extra.other |= bits & ImageOperands::MIN_LOD.bits() != 0;
        Ok(extra)
    }

    fn query(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let handle = self.handle(lane, instruction, 0)?;
        let image = self.shape(&handle, instruction)?;
        let (level, open) = match instruction.op {
            Op::ImageQuerySizeLod => self.number(lane, instruction, 1)?,
            _ => (0, 0),
        };
        let size = self.resources.size(&handle, level as u32);
        let size = size.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        let open = either(open, handle.open);
        let number = |number: u32| Value::Number(number.into(), open);
        match instruction.op {
            Op::ImageQueryLevels => return Ok(number(size.levels)),
            Op::ImageQuerySamples => return Ok(number(size.samples)),
            _ => {}
        }
        let mut all = match image.dimension {
            0 | 5 => vec![size.texels[0]],
            2 => size.texels.to_vec(),
            _ => size.texels[..2].to_vec(),
        };
        if image.arrayed {
            all.push(if image.dimension == 3 { size.slices / 6 } else { size.slices });
        }
        Ok(match all[..] {
            [one] => number(one),
            _ => Value::of_parts(all.into_iter().map(number).collect()),
        })
    }

    fn sampled(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let handle = self.handle(lane, instruction, 0)?;
        let sampler = handle.sampler.ok_or_else(|| self.short(instruction))?;
        let coordinates = self.operand(lane, instruction, 1)?;
        let extra = self.extra(lane, instruction, 2)?;
        if extra.other || extra.bias.is_some() {
            return Err(self.unsupported(instruction));
        }
        let mut sample = Sample { at: [0.0; 4], level: 0.0, offset: [0; 3] };
        for (to, number) in sample.at.iter_mut().zip(coordinates.numbers()) {
            *to = f32::from_bits(number as u32);
        }
        if let Some(level) = &extra.level {
            sample.level = f32::from_bits(level.numbers().first().copied().unwrap_or(0) as u32);
        }
        for (to, number) in sample.offset.iter_mut().zip(extra.offset.iter().flat_map(Value::numbers)) {
            *to = signed(number, 32) as i32;
        }
        let given = self.resources.sample(&handle, sampler, sample);
        let (numbers, exact) = given.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        let opens = [&extra.level, &extra.offset].into_iter().flatten().map(Value::open);
        let mut open = opens.fold(either(coordinates.open(), handle.open), either);
        if !exact {
            let own = self.opens(instruction, "Op: how finely samplers weigh texels");
            open = either(open, own);
        }
        self.of_texel(instruction, numbers, open)
    }
}
