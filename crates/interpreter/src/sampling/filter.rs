//! Texels, weighed.

use super::address::{Reach, linear, nearest, within};
use super::level::{self, Detail, Lod};
use super::state::{Reduction, Surface};
use super::{Request, Shape, WEIGHT, cube};

/// A number, with the least and the greatest that a device may give for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) value: f64,
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

impl Spread {
    pub(crate) fn exact(value: f64) -> Spread {
        Spread { value, least: value, greatest: value }
    }

    pub(crate) fn is_exact(self) -> bool {
        self.value.is_nan() || self.least == self.value && self.greatest == self.value
    }

    /// Anything: an infinity or what is no number was weighed by nothing.
    fn anything(value: f64) -> Spread {
        Spread { value, least: f64::NEG_INFINITY, greatest: f64::INFINITY }
    }

    /// It may be any of those of another one, too.
    fn or(self, other: Spread) -> Spread {
        if other.value.is_nan() && !self.value.is_nan() {
            return Spread::anything(self.value);
        }
        let (least, greatest) = (self.least.min(other.least), self.greatest.max(other.greatest));
        Spread { value: self.value, least, greatest }
    }

    /// Between two, the second of which weighs so much, give or take the slack.
    fn between(self, other: Spread, weight: f64, slack: f64) -> Spread {
        if weight == 0.0 && slack == 0.0 {
            // What weighs nothing may be left out or not (7.18.16.2).
            let finite = other.least.is_finite() && other.greatest.is_finite();
            return if finite || self == other { self } else { Spread::anything(self.value) };
        }
        let mix = |one: f64, two: f64| one * (1.0 - weight) + two * weight;
        let value = mix(self.value, other.value);
        if !value.is_finite() {
            return Spread::anything(value);
        }
        let widest = (other.greatest - self.least).abs().max((self.greatest - other.least).abs()) * slack;
        Spread {
            value,
            least: (mix(self.least, other.least) - widest).max(self.least.min(other.least)),
            greatest: (mix(self.greatest, other.greatest) + widest).min(self.greatest.max(other.greatest)),
        }
    }
}

/// Where texels come from: column, row and depth of a slice (or face) at a level; `None`: the border.
pub(crate) trait Texels {
    type Fault;
    /// The four components of a texel.
    fn texel(&mut self, at: Option<[i64; 3]>, slice: u32, level: u32) -> Result<[Spread; 4], Self::Fault>;
    /// The size of a level.
    fn size(&mut self, level: u32) -> Result<[u32; 3], Self::Fault>;
}

/// The texels of one level, the first axis the fastest, and how they are weighed along each axis.
struct Footprint {
    texels: Vec<[Spread; 4]>,
    weights: Vec<(f64, f64)>,
}

/// Where the texels of a level lie.
struct Place {
    reaches: Vec<Reach>,
    size: [u32; 3],
    slice: u32,
    face: Option<usize>,
}

/// The slice that a number names: the nearest one, of two the even one.
fn slice_of(request: &Request, shape: Shape) -> u32 {
    let count = if shape.cube { shape.slices / 6 } else { shape.slices };
    let last = f64::from(count.saturating_sub(1));
    let slice = request.slice.unwrap_or(0.0).round_ties_even().clamp(0.0, last);
    let slice = if slice.is_nan() { 0 } else { slice as u32 };
    if shape.cube { slice * 6 } else { slice }
}

fn place(request: &Request, surface: &Surface, shape: Shape, size: [u32; 3], weighed: bool) -> Place {
    let slice = slice_of(request, shape);
    let (at, face) = match shape.cube {
        true => {
            let face = cube::face(request.at);
            let [u, v] = cube::on(face, request.at);
            ([u, v, 0.0], Some(face))
        }
        false => (request.at, None),
    };
    let reach = |axis: usize| {
        // In the precision of the shader's numbers: the product is one of floats.
        let count = if surface.sampler.texels { 1.0 } else { f64::from(size[axis]) };
        let scaled = at[axis] * count;
        let offset = if shape.cube { 0 } else { request.offset[axis] };
        if weighed { linear(scaled, offset) } else { nearest(scaled, offset) }
    };
    Place { reaches: (0..shape.axes).map(reach).collect(), size, slice, face }
}

/// One texel of a footprint, compared if the request compares. A bit of `ends` says that it is the second texel along that axis.
fn fetch<T: Texels>(
    texels: &mut T,
    place: &Place,
    (request, surface): (&Request, &Surface),
    level: u32,
    ends: usize,
) -> Result<[Spread; 4], T::Fault> {
    let modes = surface.sampler.address;
    let mut one = |at, slice| Ok(compared_all(surface, request, texels.texel(at, slice, level)?));
    let mut at = [0; 3];
    for (axis, reach) in place.reaches.iter().enumerate() {
        at[axis] = reach.first + (ends >> axis & 1) as i64;
    }
    if let Some(face) = place.face {
        return match cube::beside(face, [at[0], at[1]], place.size[0]) {
            Some((face, [x, y])) => one(Some([x, y, 0]), place.slice + face as u32),
            None => corner(one, place, face, [at[0], at[1]]),
        };
    }
    let mut inner = [0; 3];
    for axis in 0..place.reaches.len() {
        match within(at[axis], place.size[axis], modes[axis]) {
            Some(texel) => inner[axis] = texel,
            None => return one(None, place.slice),
        }
    }
    one(Some(inner), place.slice)
}

/// Beyond a corner of a cube: the mean of the three texels there. Devices may take the two beside it (7.18.12).
fn corner<F>(
    mut one: impl FnMut(Option<[i64; 3]>, u32) -> Result<[Spread; 4], F>,
    place: &Place,
    face: usize,
    [x, y]: [i64; 2],
) -> Result<[Spread; 4], F> {
    let last = i64::from(place.size[0].max(1)) - 1;
    let (inner_x, inner_y) = (x.clamp(0, last), y.clamp(0, last));
    let mut three = Vec::new();
    for at in [[inner_x, inner_y], [x, inner_y], [inner_x, y]] {
        if let Some((other, [x, y])) = cube::beside(face, at, place.size[0]) {
            three.push(one(Some([x, y, 0]), place.slice + other as u32)?);
        }
    }
    Ok([0, 1, 2, 3].map(|component| {
        let all = three.iter().map(|texel| texel[component]);
        let mean = all.clone().map(|it| it.value).sum::<f64>() / three.len().max(1) as f64;
        all.fold(Spread::exact(mean), Spread::or)
    }))
}

fn footprint<T: Texels>(
    texels: &mut T,
    request: &Request,
    surface: &Surface,
    shape: Shape,
    level: u32,
    weighed: bool,
) -> Result<Footprint, T::Fault> {
    let size = texels.size(level)?;
    let place = place(request, surface, shape, size, weighed);
    let ways = (request, surface);
    let mut found = Vec::new();
    if weighed {
        for ends in 0..1 << place.reaches.len() {
            found.push(fetch(texels, &place, ways, level, ends)?);
        }
        let weights = place.reaches.iter().map(|reach| (reach.weight.unwrap_or(0.0), reach.slack)).collect();
        return Ok(Footprint { texels: found, weights });
    }
    let mut one = fetch(texels, &place, ways, level, 0)?;
    // The device may round a coordinate to the next texel.
    let unsure: usize = place.reaches.iter().enumerate().map(|(axis, reach)| usize::from(reach.unsure) << axis).sum();
    for ends in (1..1 << place.reaches.len()).filter(|ends| ends & !unsure == 0) {
        let other = fetch(texels, &place, ways, level, ends)?;
        one = [0, 1, 2, 3].map(|component| one[component].or(other[component]));
    }
    Ok(Footprint { texels: vec![one], weights: Vec::new() })
}

/// 1 where the comparison passes. The reference is as exact as the format before (22.4.19); where that matters, both are right.
fn compared(surface: &Surface, reference: f32, texel: Spread) -> Spread {
    let Some(compare) = surface.sampler.compare else { return texel };
    let own = f64::from(reference);
    let truth = |passes: bool| f64::from(u8::from(passes));
    let (plain, kept) = match surface.steps[0] {
        Some(steps) => (own.clamp(0.0, 1.0), (own.clamp(0.0, 1.0) * steps).round() / steps),
        None => (own, own),
    };
    // Texels of fixed point are quotients, rounded.
    let texel_of = |reference: f64| match surface.steps[0] {
        Some(steps) if (reference * steps - texel.value * steps).abs() < 1e-3 => reference,
        _ => texel.value,
    };
    let (one, other) = (truth(compare.passes(kept, texel_of(kept))), truth(compare.passes(plain, texel.value)));
    Spread { value: one, least: one.min(other), greatest: one.max(other) }
}

fn compared_all(surface: &Surface, request: &Request, texel: [Spread; 4]) -> [Spread; 4] {
    match request.compared {
        Some(reference) => [compared(surface, reference, texel[0]); 4],
        None => texel,
    }
}

/// One level.
fn at_level<T: Texels>(
    texels: &mut T,
    request: &Request,
    surface: &Surface,
    shape: Shape,
    level: u32,
    weighed: bool,
) -> Result<[Spread; 4], T::Fault> {
    let Footprint { texels: found, weights } = footprint(texels, request, surface, shape, level, weighed)?;
    Ok([0, 1, 2, 3].map(|component| {
        let mut row: Vec<Spread> = found.iter().map(|texel| texel[component]).collect();
        if surface.sampler.reduction != Reduction::Average {
            return extreme(&row, &weights, surface.sampler.reduction);
        }
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for it in &row {
            (least, greatest) = (least.min(it.least), greatest.max(it.greatest));
        }
        for (weight, slack) in &weights {
            row = row.chunks(2).map(|two| two[0].between(two[two.len() - 1], *weight, *slack)).collect();
        }
        let one = row[0];
        // Points are no sums.
        if weights.iter().all(|(weight, slack)| *weight == 0.0 && *slack == 0.0)
            && (one.is_exact() || weights.is_empty())
        {
            return one;
        }
        rounded(one, step_of(surface, request, component), (least, greatest))
    }))
}

/// A step of the format; results of comparisons are as exact as 8 bits at least.
fn step_of(surface: &Surface, request: &Request, component: usize) -> f64 {
    match request.compared {
        Some(_) => 1.0 / 255.0,
        None => surface.steps[component].map_or(0.0, |steps| 1.0 / steps),
    }
}

/// Sums of products are as exact as the format (7.18.16.2), and never beyond what was weighed (7.18.16.3), but for how floats are rounded.
fn rounded(one: Spread, step: f64, (least, greatest): (f64, f64)) -> Spread {
    if !one.value.is_finite() || !least.is_finite() || !greatest.is_finite() || least > greatest {
        return Spread::anything(one.value);
    }
    let own = least.abs().max(greatest.abs()) * 4.0 * f64::from(f32::EPSILON);
    let slack = own + step;
    let value = one.value.clamp(least, greatest);
    let (low, high) = ((one.least - slack).max(least - own), (one.greatest + slack).min(greatest + own));
    Spread { value, least: low, greatest: high }
}

/// The least or greatest of those that weigh something (5.9.4.5.6).
fn extreme(row: &[Spread], weights: &[(f64, f64)], reduction: Reduction) -> Spread {
    let pick = |one: f64, other: f64| if reduction == Reduction::Minimum { one.min(other) } else { one.max(other) };
    // Each texel's weight: nothing, perhaps something, something.
    let share = |index: usize| {
        let parts = weights.iter().enumerate().map(|(axis, (weight, slack))| {
            let own = if index >> axis & 1 == 1 { *weight } else { 1.0 - *weight };
            if own <= 0.0 && *slack == 0.0 {
                0
            } else if own < WEIGHT && *slack > 0.0 {
                1
            } else {
                2
            }
        });
        parts.min().unwrap_or(2)
    };
    let none = if reduction == Reduction::Minimum { f64::INFINITY } else { f64::NEG_INFINITY };
    let fold = |least_share: i32| {
        let all = row.iter().enumerate().filter(|(index, _)| share(*index) >= least_share);
        all.fold(Spread::exact(none), |all, (_, it)| Spread {
            value: pick(all.value, it.value),
            least: pick(all.least, it.least),
            greatest: pick(all.greatest, it.greatest),
        })
    };
    fold(2).or(fold(1))
}

/// At a level of detail.
fn at_lod<T: Texels>(
    texels: &mut T,
    request: &Request,
    surface: &Surface,
    shape: Shape,
    lod: f64,
) -> Result<[Spread; 4], T::Fault> {
    let sampler = &surface.sampler;
    let weighed = if lod <= 0.0 { sampler.magnified } else { sampler.minified };
    let (first, second, weight) = level::pair(lod, sampler.levels, shape.levels);
    let one = at_level(texels, request, surface, shape, first, weighed)?;
    if weight == 0.0 || first == second {
        return Ok(one);
    }
    let other = at_level(texels, request, surface, shape, second, weighed)?;
    Ok([0, 1, 2, 3].map(|component| {
        let (one, other) = (one[component], other[component]);
        match sampler.reduction {
            Reduction::Average => {
                let ends = (one.least.min(other.least), one.greatest.max(other.greatest));
                rounded(one.between(other, weight, 0.0), step_of(surface, request, component), ends)
            }
            kind => extreme(&[one, other], &[(weight, WEIGHT)], kind),
        }
    }))
}

/// The level of detail that a request comes to.
pub(crate) fn lod_of(request: &Request, surface: &Surface, shape: Shape, size: [u32; 3]) -> Lod {
    let sampler = &surface.sampler;
    let most = (sampler.anisotropic && shape.axes == 2).then_some(sampler.most);
    let own = match request.detail {
        Detail::Level(level) => level::of_shader(level),
        Detail::Changes(changes) => level::of_changes(changes, request.at, shape, size, most),
    };
    own.map(|lod| lod + f64::from(sampler.bias) + request.bias)
}

/// A level of detail, clamped.
pub(crate) fn clamped(lod: Lod, request: &Request, surface: &Surface) -> Lod {
    let sampler = &surface.sampler;
    // If the least is above the greatest, it goes before it (7.18.11).
    let bounds = (f64::from(sampler.least), f64::from(sampler.greatest));
    let view = f64::from(surface.least).max(request.least.unwrap_or(f64::NEG_INFINITY));
    lod.map(|lod| lod.min(bounds.1).max(bounds.0).max(if view > 0.0 { view } else { f64::NEG_INFINITY }))
}

/// Whether the footprint is a line of samples, whose number and places the API leaves to devices.
pub(crate) fn is_line(request: &Request, surface: &Surface) -> bool {
    surface.sampler.anisotropic && surface.sampler.most > 1 && matches!(request.detail, Detail::Changes(_))
}

/// A sample.
pub(crate) fn sample<T: Texels>(
    texels: &mut T,
    request: &Request,
    surface: &Surface,
    shape: Shape,
) -> Result<[Spread; 4], T::Fault> {
    let size = texels.size(0)?;
    let lod = clamped(lod_of(request, surface, shape, size), request, surface);
    let mut found = at_lod(texels, request, surface, shape, lod.value)?;
    // Along a line other texels are weighed, too, and the API does not say which: any value may come.
    if is_line(request, surface) {
        return Ok(found.map(|it| Spread::anything(it.value)));
    }
    if lod.least != lod.value || lod.greatest != lod.value {
        for turn in level::turns(lod, shape.levels) {
            let other = at_lod(texels, request, surface, shape, turn)?;
            found = [0, 1, 2, 3].map(|component| found[component].or(other[component]));
        }
    }
    Ok(found)
}

/// The four texels that a linear filter would weigh at the first level, or those at four offsets.
pub(crate) fn gather<T: Texels>(
    texels: &mut T,
    request: &Request,
    surface: &Surface,
    shape: Shape,
    offsets: Option<[[i64; 2]; 4]>,
    component: usize,
) -> Result<[Spread; 4], T::Fault> {
    let size = texels.size(0)?;
    let mut all = [Spread::exact(0.0); 4];
    // Lower left, lower right, upper right, upper left (22.4.2).
    for (index, ends) in [2, 3, 1, 0].into_iter().enumerate() {
        let mut own = request.clone();
        let ends = match offsets {
            Some(offsets) => {
                own.offset = [own.offset[0] + offsets[index][0], own.offset[1] + offsets[index][1], 0];
                0
            }
            None => ends,
        };
        let place = place(&own, surface, shape, size, true);
        let mut texel = fetch(texels, &place, (&own, surface), 0, ends)?;
        // Just below the next texel, all four may be the next ones.
        let unsure = place.reaches.iter().enumerate().map(|(axis, reach)| {
            let weight = reach.weight.unwrap_or(0.0);
            usize::from(reach.slack > 0.0 && weight + super::FRACTION >= 1.0) << axis
        });
        let unsure: usize = unsure.sum();
        for more in (1..1 << place.reaches.len()).filter(|more| more & !unsure == 0) {
            let mut next = Place { reaches: place.reaches.clone(), ..place };
            for (axis, reach) in next.reaches.iter_mut().enumerate() {
                reach.first += (more >> axis & 1) as i64;
            }
            let other = fetch(texels, &next, (&own, surface), 0, ends)?;
            texel = [0, 1, 2, 3].map(|component| texel[component].or(other[component]));
        }
        all[index] = texel[component];
    }
    Ok(all)
}
