//! Instructions of textures and typed buffers.

use crate::fault::Fault;
use crate::group::{Group, Write};
use crate::kind::{Image, Kind};
use crate::module::Instruction;
use crate::number;
use crate::open::Range;
use crate::open::{Open, either};
use crate::pointer::{Handle, Place, Texel};
use crate::quad::Grain;
use crate::sampling::level::Detail;
use crate::sampling::{self, Request, Shape, Spread, Surface, Texels, filter};
use crate::value::{Value, mask, signed};
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

/// Whether an instruction is of images and has none of its own in [`Group::compute`].
pub(crate) fn is_image(op: Op) -> bool {
    const FIRST: u32 = Op::ImageSampleImplicitLod as u32;
    const LAST: u32 = Op::ImageQuerySamples as u32;
    const FIRST_SPARSE: u32 = Op::ImageSparseSampleImplicitLod as u32;
    const LAST_SPARSE: u32 = Op::ImageSparseRead as u32;
    (FIRST..=LAST).contains(&(op as u32)) || (FIRST_SPARSE..=LAST_SPARSE).contains(&(op as u32))
}

/// The same instruction without the residency of what it reads.
fn whole(op: Op) -> Op {
    use Op::*;
    match op {
        ImageSparseSampleImplicitLod => ImageSampleImplicitLod,
        ImageSparseSampleExplicitLod => ImageSampleExplicitLod,
        ImageSparseSampleDrefImplicitLod => ImageSampleDrefImplicitLod,
        ImageSparseSampleDrefExplicitLod => ImageSampleDrefExplicitLod,
        ImageSparseSampleProjImplicitLod => ImageSampleProjImplicitLod,
        ImageSparseSampleProjExplicitLod => ImageSampleProjExplicitLod,
        ImageSparseSampleProjDrefImplicitLod => ImageSampleProjDrefImplicitLod,
        ImageSparseSampleProjDrefExplicitLod => ImageSampleProjDrefExplicitLod,
        ImageSparseFetch => ImageFetch,
        ImageSparseGather => ImageGather,
        ImageSparseDrefGather => ImageDrefGather,
        ImageSparseRead => ImageRead,
        other => other,
    }
}

/// What a read says of memory that is there.
const RESIDENT: u64 = 1;
/// What it says where not all is there.
const ABSENT: u64 = 0;
/// Why samples are open.
const WEIGHTS: &str = "Op: how finely a sampler weighs texels and levels";
const LINE: &str = "Op: which texels an anisotropic filter weighs";
const SRGB: &str = "Op: how exactly colours are decoded";
const LEVEL: &str = "Op: how finely a level of detail is found";

/// Image operands that an instruction may have, and what they are.
#[derive(Default)]
struct Extra {
    bias: Option<Value>,
    level: Option<Value>,
    changes: Option<[Value; 2]>,
    offset: Option<Value>,
    offsets: Option<Value>,
    sample: Option<Value>,
    least: Option<Value>,
}

impl Extra {
    /// What is open about any of them.
    fn open(&self) -> Open {
        let all = [&self.bias, &self.level, &self.offset, &self.offsets, &self.sample, &self.least];
        let changes = self.changes.iter().flatten().map(Value::open);
        all.into_iter().flatten().map(Value::open).chain(changes).fold(0, either)
    }
}

/// What is asked of a sampler: of which view, and what is open about it.
type Asked = (Rc<Handle>, Surface, Shape, Request, Open);

/// The first number of a value, as the float that it is.
fn real(value: &Value, width: u32) -> f64 {
    number::real(value.numbers().first().copied().unwrap_or(0), width)
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
            Op::ImageFetch | Op::ImageRead | Op::ImageSparseFetch | Op::ImageSparseRead => {
                let handle = self.handle(lane, instruction, 0)?;
                let (at, open) = self.at(lane, instruction, 2)?;
                let (numbers, own) = self.fetched(&handle, at, instruction)?;
                let open = either(open, handle.open);
                let encoded = self.resources.encoded(&handle);
                let of = |index: usize| {
                    let open = either(open, own[index]);
                    if encoded[index] {
                        let spread = srgb(f64::from(f32::from_bits(numbers[index] as u32)));
                        return self.of_spread(instruction, spread, false, (open, SRGB));
                    }
                    (numbers[index], open)
                };
                let all = [0, 1, 2, 3].map(of);
                Ok(Some(self.of_texel((&handle, Some(at)), instruction, all)?))
            }
            Op::ImageSparseTexelsResident => {
                let (code, _) = self.number(lane, instruction, 0)?;
                Ok(Some(Value::Number((code == RESIDENT).into(), 0)))
            }
            Op::ImageWrite => {
                let handle = self.handle(lane, instruction, 0)?;
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
                let components = self.parted(&handle, components);
                let own: Vec<Open> = match &texel {
                    Value::Composite(parts) => parts.iter().map(Value::open).collect(),
                    one => vec![one.open()],
                };
                let of = |index: usize| either(own.get(index).or(own.first()).copied().unwrap_or(0), either(open, way));
                self.resources.writer(lane as u32);
                let written = self.resources.set_texel(&handle, at, components, [0, 1, 2, 3].map(of));
                written.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
                if either(open, way) != 0 {
                    self.resources.scattered_texels(&handle, either(open, way));
                }
                Ok(None)
            }
            Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels | Op::ImageQuerySamples => {
                self.query(lane, instruction).map(Some)
            }
            Op::ImageQueryLod => self.query_level(lane, instruction).map(Some),
            _ => self.sampled(lane, instruction).map(Some),
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

    /// A texel, and what is open about each component.
    fn fetched(
        &mut self,
        handle: &Handle,
        at: Texel,
        instruction: &Instruction,
    ) -> Result<([u64; 4], [Open; 4]), Fault> {
        let texel = self.resources.texel(handle, at);
        let (numbers, open) = texel.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        Ok((self.joined(handle, numbers), [open; 4]))
    }

    /// Whether texels of a view are numbers of 64 bits.
    fn is_long(&self, handle: &Handle) -> bool {
        let kind = handle.image.and_then(|image| self.module.kinds.get(&image.texel));
        matches!(kind, Some(Kind::Integer { width: 64, .. }))
    }

    /// Components of a texel as the shader has them.
    pub(crate) fn joined(&self, handle: &Handle, numbers: [u64; 4]) -> [u64; 4] {
        if self.is_long(handle) { [numbers[0] | numbers[1] << 32, 0, 0, 1] } else { numbers }
    }

    /// Components of a texel as resources have them.
    pub(crate) fn parted(&self, handle: &Handle, numbers: [u64; 4]) -> [u64; 4] {
        if self.is_long(handle) { [numbers[0] & mask(32), numbers[0] >> 32, 0, 0] } else { numbers }
    }

    /// Components as the instruction's result has them. They are of one texel, or of several that a sampler weighs.
    fn of_texel(
        &mut self,
        (handle, texel_at): (&Handle, Option<Texel>),
        instruction: &Instruction,
        numbers: [(u64, Open); 4],
    ) -> Result<Value, Fault> {
        let kind = self.module.kind(instruction.kind, instruction.offset)?.clone();
        let Kind::Structure { members } = kind else { return self.components(instruction, instruction.kind, numbers) };
        // Those that say whether memory is there have it as the first member.
        let [_, texel] = members[..] else { return Err(self.unsupported(instruction)) };
        let known = self.resources.resident(handle, texel_at);
        let is_there = known.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        let number = if is_there { RESIDENT } else { ABSENT };
        let open = self.opens(instruction, "Op: the number that says that all texels are there");
        let texel = self.components(instruction, texel, numbers)?;
        Ok(Value::of_parts(vec![Value::Number(number, open), texel]))
    }

    fn components(&self, instruction: &Instruction, kind: u32, numbers: [(u64, Open); 4]) -> Result<Value, Fault> {
        let half = |kind: u32| Ok(matches!(self.module.kind(kind, instruction.offset)?, Kind::Float { width: 16 }));
        let number = |half: bool, (number, open): (u64, Open)| match half {
            // Bounds are those of the longer number.
            true => Value::Number(crate::half::of_f32(f32::from_bits(number as u32)).into(), self.opened.plain(open)),
            false => Value::Number(number, open),
        };
        match self.module.kind(kind, instruction.offset)? {
            Kind::Vector { of, count, matrix: false } => {
                let half = half(*of)?;
                let parts = numbers.into_iter().take(*count as usize).map(|it| number(half, it));
                Ok(Value::of_parts(parts.collect()))
            }
            Kind::Float { .. } | Kind::Integer { .. } => Ok(number(half(kind)?, numbers[0])),
            _ => Err(self.unsupported(instruction)),
        }
    }

    /// The texel of an instruction whose image operands begin at `at`.
    fn at(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<(Texel, Open), Fault> {
        let coordinates = self.operand(lane, instruction, 1)?;
        let extra = self.extra(lane, instruction, at)?;
        if extra.changes.is_some() || extra.bias.is_some() || extra.offsets.is_some() || extra.least.is_some() {
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
        if bits & ImageOperands::GRAD.bits() != 0 {
            extra.changes = Some([value(self)?, value(self)?]);
        }
        for flag in [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET] {
            if bits & flag.bits() != 0 {
                extra.offset = Some(value(self)?);
            }
        }
        if bits & ImageOperands::CONST_OFFSETS.bits() != 0 {
            extra.offsets = Some(value(self)?);
        }
        if bits & ImageOperands::SAMPLE.bits() != 0 {
            extra.sample = Some(value(self)?);
        }
        if bits & ImageOperands::MIN_LOD.bits() != 0 {
            extra.least = Some(value(self)?);
        }
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

    /// The width of the floats that an operand is of.
    fn width(&self, instruction: &Instruction, at: usize) -> Result<u32, Fault> {
        let id = *instruction.operands.get(at).ok_or_else(|| self.short(instruction))?;
        let kind = self.module.kind(self.module.kind_of(id), instruction.offset)?;
        let scalar = match kind {
            Kind::Vector { of, matrix: false, .. } => self.module.kind(*of, instruction.offset)?,
            other => other,
        };
        match scalar {
            Kind::Float { width } => Ok(*width),
            _ => Err(self.unsupported(instruction)),
        }
    }

    /// The shape of a view.
    fn shape_of(&mut self, handle: &Handle, image: Image, instruction: &Instruction) -> Result<Shape, Fault> {
        let size = self.resources.size(handle, 0);
        let size = size.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        let axes = match image.dimension {
            0 => 1,
            1 | 3 => 2,
            2 => 3,
            _ => return Err(self.unsupported(instruction)),
        };
        Ok(Shape { axes, cube: image.dimension == 3, slices: size.slices, levels: size.levels })
    }

    /// What an instruction asks of a sampler, whose image operands begin at `extra`; `None` of a null view.
    fn request(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        (extra, implicit): (&Extra, bool),
    ) -> Result<Option<Asked>, Fault> {
        let handle = self.handle(lane, instruction, 0)?;
        let image = self.shape(&handle, instruction)?;
        let sampler = handle.sampler.ok_or_else(|| self.short(instruction))?;
        let coordinates = self.operand(lane, instruction, 1)?;
        let width = self.width(instruction, 1)?;
        let mut numbers: Vec<f64> = coordinates.numbers().iter().map(|bits| number::real(*bits, width)).collect();
        let shape = self.shape_of(&handle, image, instruction)?;
        let axes = if shape.cube { 3 } else { shape.axes };
        let by_last = matches!(
            whole(instruction.op),
            Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        if by_last && let Some(last) = numbers.pop() {
            numbers.iter_mut().for_each(|it| *it /= last);
        }
        let mut at = [0.0; 3];
        at.iter_mut().zip(&numbers).take(axes).for_each(|(to, number)| *to = *number);
        let slice = if image.arrayed { numbers.get(axes).copied() } else { None };
        let mut offset = [0; 3];
        for (to, bits) in offset.iter_mut().zip(extra.offset.iter().flat_map(Value::numbers)) {
            *to = signed(bits, 32);
        }
        let mut open = either(either(coordinates.open(), handle.open), extra.open());
        let changes = match (&extra.changes, implicit) {
            (Some(changes), _) => Some(changes.clone()),
            (None, true) => Some(self.derivatives(lane, instruction, 1, Grain::Coarse)?),
            (None, false) => None,
        };
        let detail = match &changes {
            Some(both) => {
                open = both.iter().map(Value::open).fold(open, either);
                Detail::Changes([0, 1].map(|which: usize| {
                    let mut change = [0.0; 3];
                    let numbers = both[which].numbers();
                    change.iter_mut().zip(numbers).take(axes).for_each(|(to, bits)| *to = number::real(bits, width));
                    change
                }))
            }
            None => Detail::Level(extra.level.as_ref().map_or(0.0, |level| real(level, 32))),
        };
        let surface = self.resources.surface(&handle, sampler);
        let surface = surface.map_err(|what| Fault::Resource { offset: instruction.offset, what })?;
        let bias = extra.bias.as_ref().map_or(0.0, |bias| real(bias, 32));
        let least = extra.least.as_ref().map(|least| real(least, 32));
        let request = Request { at, slice, offset, compared: None, detail, bias, least };
        Ok(surface.map(|surface| (handle, surface, shape, request, open)))
    }

    fn sampled(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        use Op::*;
        let op = whole(instruction.op);
        let compares = matches!(
            op,
            ImageSampleDrefImplicitLod
                | ImageSampleDrefExplicitLod
                | ImageSampleProjDrefImplicitLod
                | ImageSampleProjDrefExplicitLod
                | ImageDrefGather
        );
        let gathers = matches!(op, ImageGather | ImageDrefGather);
        let implicit = matches!(
            op,
            ImageSampleImplicitLod
                | ImageSampleDrefImplicitLod
                | ImageSampleProjImplicitLod
                | ImageSampleProjDrefImplicitLod
        );
        let extra = self.extra(lane, instruction, if compares || gathers { 3 } else { 2 })?;
        let handle = self.handle(lane, instruction, 0)?;
        let Some((handle, surface, shape, mut request, mut open)) =
            self.request(lane, instruction, (&extra, implicit))?
        else {
            return self.of_texel((&handle, None), instruction, [(0, handle.open); 4]);
        };
        if compares {
            let value = self.operand(lane, instruction, 2)?;
            open = either(open, value.open());
            request.compared = Some(real(&value, self.width(instruction, 2)?) as f32);
        }
        let mut fetcher = Fetcher { group: self, handle: &handle, surface: &surface, instruction, shape, open: 0 };
        let found = if gathers {
            let component = match op {
                ImageGather => fetcher.group.number(lane, instruction, 2)?.0.min(3) as usize,
                _ => 0,
            };
            let offsets = extra.offsets.as_ref().map(Value::numbers).filter(|all| all.len() == 8);
            let offsets = offsets.map(|all| [0, 1, 2, 3].map(|at| [0, 1].map(|axis| signed(all[2 * at + axis], 32))));
            sampling::gather(&mut fetcher, &request, &surface, shape, offsets, component)?
        } else {
            sampling::sample(&mut fetcher, &request, &surface, shape)?
        };
        open = either(open, fetcher.open);
        let why = if filter::is_line(&request, &surface) { LINE } else { WEIGHTS };
        let numbers = found.map(|one| self.of_spread(instruction, one, surface.integer, (open, why)));
        self.of_texel((&handle, None), instruction, numbers)
    }

    /// The bits of a number with bounds, and what is open about it.
    fn of_spread(
        &mut self,
        instruction: &Instruction,
        one: Spread,
        integer: bool,
        (open, why): (Open, &'static str),
    ) -> (u64, Open) {
        let single = one.value as f32;
        let bits = if integer { one.value as u64 } else { single.to_bits().into() };
        if one.is_exact() {
            return (bits, open);
        }
        let wide = |bound: f64, down: bool| {
            let single = bound as f32;
            f64::from(if down { single.next_down() } else { single.next_up() })
        };
        let (least, greatest) = match (one.least.is_finite(), one.greatest.is_finite()) {
            // Nearest numbers lie beside bounds that are none.
            (true, true) => (wide(one.least, true), wide(one.greatest, false)),
            _ => return (bits, either(open, self.opens(instruction, why))),
        };
        let own = self.opens_last_bits(instruction, why);
        let sign = self.opened.side(own);
        let (bits, value) = match sign {
            0.0 => (bits, f64::from(single)),
            // Integers are those of a texel.
            _ if integer && sign < 0.0 => (one.least as u64, one.least),
            _ if integer => (one.greatest as u64, one.greatest),
            _ => {
                let leant = if sign < 0.0 { least } else { greatest };
                (u64::from((leant as f32).to_bits()), leant)
            }
        };
        // Where the place is open, too, the bounds are those of the place that this run has.
        let (conditional, own) = (open != 0, either(self.opened.plain(open), own));
        (bits, self.opened.bound(Range { open: own, value, least, greatest, conditional }))
    }

    /// `OpImageQueryLod`: the level that would be read, and the level of detail before it is clamped.
    fn query_level(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let found = self.request(lane, instruction, (&Extra::default(), true))?;
        let Some((handle, surface, shape, request, open)) = found else {
            return Ok(Value::of_parts(vec![Value::Number(0, 0); 2]));
        };
        let mut fetcher = Fetcher { group: self, handle: &handle, surface: &surface, instruction, shape, open: 0 };
        let size = fetcher.size(0)?;
        let lod = filter::lod_of(&request, &surface, shape, size);
        let last = f64::from(shape.levels.saturating_sub(1));
        let clamped = filter::clamped(lod, &request, &surface).map(|lod| {
            let lod = if surface.sampler.levels { lod } else { (lod + 0.5).floor() };
            lod.clamp(0.0, last)
        });
        let parts = [clamped, lod].map(|lod| {
            let one = Spread { value: lod.value, least: lod.least, greatest: lod.greatest };
            let (bits, open) = self.of_spread(instruction, one, false, (open, LEVEL));
            Value::Number(bits, open)
        });
        Ok(Value::of_parts(parts.to_vec()))
    }
}

/// Texels of a view, for a sampler.
struct Fetcher<'f, 'g> {
    group: &'f mut Group<'g>,
    handle: &'f Handle,
    surface: &'f Surface,
    instruction: &'f Instruction,
    shape: Shape,
    /// What is open about the texels.
    open: Open,
}

impl Texels for Fetcher<'_, '_> {
    type Fault = Fault;

    fn texel(&mut self, at: Option<[i64; 3]>, slice: u32, level: u32) -> Result<[Spread; 4], Fault> {
        let Self { group, handle, surface, instruction, shape, .. } = self;
        let (numbers, is_border) = match at {
            None => (surface.border, true),
            Some([x, y, z]) => {
                let slice = i64::from(slice);
                let at = match shape.axes {
                    1 => [x, slice, 0],
                    2 => [x, y, slice],
                    _ => [x, y, z],
                };
                let texel = Texel { at, level: level.into(), sample: 0 };
                let (numbers, opens) = group.fetched(handle, texel, instruction)?;
                self.open = opens.into_iter().fold(self.open, either);
                (numbers, false)
            }
        };
        Ok([0, 1, 2, 3].map(|component| {
            if surface.integer {
                return Spread::exact(numbers[component] as f64);
            }
            let single = f32::from_bits(numbers[component] as u32);
            let value = f64::from(single);
            if surface.srgb[component] && !is_border {
                return srgb(value);
            }
            // Borders may be as exact as the format is (7.18.9.1).
            if let (true, Some(steps)) = (is_border, surface.steps[component])
                && (value * steps).fract() != 0.0
            {
                return Spread { value, least: value - 1.0 / steps, greatest: value + 1.0 / steps };
            }
            // Denormals may be flushed (22.4.15).
            if single.is_subnormal() {
                return Spread { value, least: value.min(0.0), greatest: value.max(0.0) };
            }
            Spread::exact(value)
        }))
    }

    fn size(&mut self, level: u32) -> Result<[u32; 3], Fault> {
        let size = self.group.resources.size(self.handle, level);
        size.map(|size| size.texels).map_err(|what| Fault::Resource { offset: self.instruction.offset, what })
    }
}

/// A number that was encoded as sRGB has it: half a step of the code on both sides (3.2.3.7).
fn srgb(linear: f64) -> Spread {
    let code = |linear: f64| {
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
    };
    let number = |code: f64| {
        if code <= 0.040_45 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
    };
    // The ends are exact.
    if linear == 0.0 || linear == 1.0 {
        return Spread::exact(linear);
    }
    let own = code(linear);
    let half = 0.5 / 255.0;
    Spread { value: linear, least: number((own - half).max(0.0)), greatest: number((own + half).min(1.0)) }
}
