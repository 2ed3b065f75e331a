//! A fragment of a draw: which primitive it is of, and what the lanes of its quad are given.

use super::draw::Draw;
use super::mesh::{Assembled, Known};
use super::primitive::{Corner, Viewport, Weights, covers, weights};
use super::sampling::Sampling;
use reprise_dxbc::signature::Element;
use reprise_interpreter::{BuiltIn, Declared, Given, Interpolation, Module, Opens, Port};
use reprise_replay::{DrawTests, Fragment, MeshStage, PixelTest};

/// `D3D_NAME`s.
const POSITION: u32 = 1;
const CLIP_DISTANCE: u32 = 2;
const CULL_DISTANCE: u32 = 3;
const TARGET_INDEX: u32 = 4;
const VIEWPORT_INDEX: u32 = 5;
const PRIMITIVE_ID: u32 = 7;

/// What is open about every interpolated value.
pub(crate) const INTERPOLATION: &str = "Interpolation: the last bits, and where in a pixel the corners are";

/// What is open about the covered samples: to tell one sample's fragment the GPU draws to that sample alone.
const COVERAGE: &str = "Coverage: which samples the pixel's primitive covers";

/// What is open about values that are open as the mesh shader gives them.
const MESHED: &str = "Mesh: what the mesh shader gives";

/// A pixel's fragment, and the primitive that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) at: (u32, u32),
    /// Its number among the fragments that the replay lists.
    pub(crate) number: usize,
    pub(crate) fragment: Fragment,
    pub(crate) primitive: u32,
    pub(crate) sampling: Sampling,
    corners: Vec<Corner>,
    /// Of each corner the words of the mesh's columns.
    words: Vec<Vec<u32>>,
    /// How exactly these are known.
    known: Vec<Vec<Known>>,
    /// Where it is may be anywhere.
    is_astray: bool,
    /// Its first vertex in the mesh.
    vertex: u64,
    viewport: Viewport,
    pub(crate) notes: Vec<String>,
}

/// Where a value is taken beside the pixel's middle, and how far from what it is there: what comes of it says how exactly a result is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shift {
    /// In pixels.
    pub(crate) by: (f64, f64),
    /// By lane, in parts of the greatest value of a corner.
    pub(crate) noise: [f64; 4],
    /// Of which of the places that a pixel of several samples has values are, where that is open: its middle, or a sample.
    pub(crate) elsewhere: Option<Elsewhere>,
}

/// A place in a pixel of several samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    Middle,
    Sample(u32),
}

/// Corners lie on a grid of 1/256 pixel (Direct3D 11.3 functional specification, 3.4.1), so a value may be that of a place as far away.
const GRID: f64 = 1.0 / 256.0;
/// What interpolation with 32-bit floats may lose, of a corner's value.
const PRECISION: f64 = 1.0 / (1u64 << 20) as f64;

/// Shifts in all directions, and to each place that a value of several samples may be of.
pub(crate) fn shifts(sampling: &Sampling) -> Vec<Shift> {
    let by = |x: f64, y: f64| Shift { by: (x * GRID, y * GRID), ..Shift::default() };
    let noise = |signs: [f64; 4]| Shift { noise: signs.map(|sign| sign * PRECISION), ..Shift::default() };
    let mut all = vec![
        by(1.0, 0.0),
        by(-1.0, 0.0),
        by(0.0, 1.0),
        by(0.0, -1.0),
        noise([1.0, -1.0, 1.0, -1.0]),
        noise([1.0, 1.0, -1.0, -1.0]),
        noise([1.0; 4]),
    ];
    if sampling.is_of_several() {
        let places = (0..sampling.samples).map(Elsewhere::Sample).chain([Elsewhere::Middle]);
        all.extend(places.map(|place| Shift { elsewhere: Some(place), ..Shift::default() }));
    }
    all
}

/// Why there is no fragment to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoFragment {
    /// What is asked for is not there.
    Asked(String),
    /// It is not known.
    Unknown(String),
}

impl From<String> for NoFragment {
    fn from(what: String) -> NoFragment {
        NoFragment::Unknown(what)
    }
}

/// The fragment that is run: of the primitive that is asked for the last one, otherwise the last one that passes. `asked` is the sample that is
/// asked for; without one all were looked at.
///
/// # Errors
/// In words: there is none, or its primitive is not known.
pub(crate) fn choose(
    draw: &Draw,
    mesh: &Assembled,
    tests: &DrawTests,
    (at, sampling, asked): ((u32, u32), &Sampling, Option<u32>),
    (primitive, instance): (Option<u32>, Option<u32>),
) -> Result<Target, NoFragment> {
    let count = |test: PixelTest| tests.left.iter().find(|(of, _)| *of == test).map(|(_, count)| *count);
    let all = count(PixelTest::Coverage).unwrap_or(0);
    let passed = tests.left.last().map_or(0, |(_, count)| *count);
    if all == 0 {
        let which = match (sampling.is_of_several(), asked) {
            (true, Some(sample)) => format!(" in sample {sample}"),
            (true, None) => format!(" in any of its {} samples", sampling.samples),
            (false, _) => String::new(),
        };
        return Err(NoFragment::Asked(format!(
            "the draw has no fragment at this pixel{which} (reprise pixel --at X,Y tells which draws have one)"
        )));
    }
    // Fragments are counted without the predicate.
    if draw.shader.predicated && mesh.mesh.vertices() == 0 {
        return Err(NoFragment::Unknown(
            "the GPU gave no vertices: the predicate that is set left the draw out".into(),
        ));
    }
    let mut notes = Vec::new();
    let fragments: Vec<(usize, &Fragment)> = tests.fragments.iter().enumerate().collect();
    if fragments.is_empty() {
        let why = if tests.notes.is_empty() { "they are not listed".to_owned() } else { tests.notes.join("; ") };
        let what = format!("the draw has {all} fragments there, and which primitives they are of is not told: {why}");
        return Err(NoFragment::Unknown(what));
    }
    if all as usize > fragments.len() {
        notes.push(format!("of {all} fragments the first {} are known", fragments.len()));
    }
    let places = places(draw, mesh, &fragments, sampling.own(at), instance)?;
    if let (true, Some(instance)) = (places.is_empty(), instance) {
        return Err(NoFragment::Asked(format!("instance {instance} has no fragment there")));
    }
    let (index, chosen) = match primitive {
        Some(primitive) => {
            let of = |(number, place): &(usize, Place)| (place.primitive == primitive).then_some((*number, *place));
            let found = places.iter().rev().find_map(of);
            found.ok_or_else(|| {
                let there: Vec<String> = places.iter().map(|(_, place)| place.primitive.to_string()).collect();
                let what = format!("primitive {primitive} has no fragment there: those are of {}", there.join(", "));
                NoFragment::Asked(what)
            })?
        }
        None => {
            let is_culled = |number: usize| match (draw.raster.cull, tests.fragments[number].front) {
                (Some(front), Some(is_front)) => front == is_front,
                _ => false,
            };
            let kept: Vec<&(usize, Place)> = places.iter().filter(|(number, _)| !is_culled(*number)).collect();
            if passed == 0 {
                let test = tests.left.windows(2).find(|two| two[1].1 == 0).map(|two| two[1].0.name());
                notes.push(format!(
                    "none of the fragments passes ({}): the last one is run",
                    test.unwrap_or("coverage")
                ));
            } else if instance.is_none() && kept.len() as u64 != passed {
                notes.push(format!(
                    "{passed} of {all} fragments pass, and which ones is not told: the last one that is not culled is run"
                ));
            }
            *kept.last().copied().or(places.last()).ok_or_else(|| "the draw has no fragment there".to_owned())?
        }
    };
    let fragment = tests.fragments.get(index).cloned().unwrap_or_default();
    Ok(Target::new(draw, mesh, (at, sampling), (index, fragment, chosen), notes)?)
}

/// The primitive of a fragment.
#[derive(Clone, Copy, Debug)]
struct Place {
    primitive: u32,
    /// Its first vertex in the mesh.
    vertex: u64,
}

/// The primitive of each fragment.
fn places(
    draw: &Draw,
    mesh: &Assembled,
    fragments: &[(usize, &Fragment)],
    at: (f64, f64),
    instance: Option<u32>,
) -> Result<Vec<(usize, Place)>, String> {
    let size = u64::from(mesh.mesh.primitive.ok_or("how many vertices its primitives have is not known")?);
    if mesh.mesh.stage == MeshStage::Vertex {
        let instances = draw.counts().instances;
        let place = |(number, fragment): &(usize, &Fragment)| {
            let primitive = fragment.primitive.ok_or("the primitive of a fragment is not told")?;
            let of = fragment.instance.or(instance).or((instances == 1).then_some(0));
            let of = of.ok_or("the instance of a fragment is not told: name it by --instance")?;
            let each = match (mesh.mesh.per_instance, instances) {
                (Some(each), _) => each,
                (None, 1) => mesh.mesh.vertices(),
                _ => {
                    return Err(
                        "strips can be cut, so which vertices a fragment's primitive has is not known".to_owned()
                    );
                }
            };
            Ok((*number, Place { primitive, vertex: u64::from(of) * each + u64::from(primitive) * size }))
        };
        let is_asked = |(_, fragment): &&(usize, &Fragment)| match (instance, fragment.instance) {
            (Some(asked), Some(of)) => asked == of,
            _ => true,
        };
        return fragments.iter().filter(is_asked).map(place).collect();
    }
    // Behind other stages primitives have no numbers of the draw's: those that cover the pixel come in their order.
    let all = mesh.mesh.vertices() / size;
    let mut covering = Vec::new();
    for primitive in 0..all {
        let (corners, words) = corners(mesh, primitive * size, size)?;
        let viewport = viewport(draw, mesh, &words)?;
        let covers = match corners.as_slice() {
            [[x, y, _, w]] => {
                let [left, top, width, height, ..] = viewport;
                let (x, y) = ((x / w + 1.0) / 2.0 * width + left, (1.0 - y / w) / 2.0 * height + top);
                (x - at.0).abs() <= 0.5 && (y - at.1).abs() <= 0.5
            }
            [_, _] => {
                return Err(format!(
                    "which lines of the {} shader cover the pixel is not told",
                    mesh.mesh.stage.name()
                ));
            }
            corners => covers(corners, viewport, at),
        };
        if covers && system(mesh, &words, TARGET_INDEX).is_some_and(|slice| slice != 0) {
            let what = "unsupported: the draw chooses among slices of its targets, and which fragments are of which is not told";
            return Err(what.to_owned());
        }
        if covers {
            covering.push(Place { primitive: primitive as u32, vertex: primitive * size });
        }
    }
    if covering.len() != fragments.len() {
        return Err(format!(
            "{} primitives of the {} shader cover the pixel, and there are {} fragments: which is of which is not known",
            covering.len(),
            mesh.mesh.stage.name(),
            fragments.len()
        ));
    }
    Ok(fragments.iter().zip(covering).map(|((number, _), place)| (*number, place)).collect())
}

/// The word of a vertex where its position begins.
fn position(mesh: &Assembled) -> Result<usize, String> {
    let position = mesh.mesh.columns.iter().find(|column| column.system_value == POSITION);
    Ok(position.ok_or("the vertices have no position")?.offset as usize / 4)
}

/// Positions and words of the corners of a primitive.
fn corners(mesh: &Assembled, first: u64, count: u64) -> Result<(Vec<Corner>, Vec<Vec<u32>>), String> {
    let position = position(mesh)?;
    let (mut corners, mut all) = (Vec::new(), Vec::new());
    for vertex in first..first + count {
        let from = usize::try_from(vertex * u64::from(mesh.mesh.stride)).unwrap_or(usize::MAX);
        let bytes = mesh.mesh.bytes.get(from..).and_then(|bytes| bytes.get(..mesh.mesh.stride as usize));
        let bytes = bytes.ok_or("the GPU gave no vertices for the fragment's primitive")?;
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let part = |at: usize| words.get(position + at).map_or(0.0, |bits| f64::from(f32::from_bits(*bits)));
        corners.push([part(0), part(1), part(2), part(3)]);
        all.push(words);
    }
    Ok((corners, all))
}

/// The word of a system value at the first corner; 0 where no stage gives it.
fn system(mesh: &Assembled, words: &[Vec<u32>], system_value: u32) -> Option<u32> {
    let column = mesh.mesh.columns.iter().find(|column| column.system_value == system_value)?;
    words.first()?.get(column.offset as usize / 4).copied()
}

fn viewport(draw: &Draw, mesh: &Assembled, words: &[Vec<u32>]) -> Result<Viewport, String> {
    let viewports = draw.bound().viewports.as_ref().map_or(&[][..], |set| set.value.as_slice());
    let of_view = draw.raster.view_viewports.get(draw.view as usize).copied().unwrap_or(0);
    let number = system(mesh, words, VIEWPORT_INDEX).unwrap_or(0).saturating_add(of_view) as usize;
    // A number behind the last one is the first.
    let viewport = viewports.get(number).or_else(|| viewports.first()).ok_or("no viewport is set")?;
    Ok(viewport.map(f64::from))
}

impl Target {
    fn new(
        draw: &Draw,
        mesh: &Assembled,
        (at, sampling): ((u32, u32), &Sampling),
        (number, fragment, place): (usize, Fragment, Place),
        mut notes: Vec<String>,
    ) -> Result<Target, String> {
        let size = u64::from(mesh.mesh.primitive.unwrap_or(3));
        let (corners, words) = corners(mesh, place.vertex, size)?;
        notes.extend(mesh.origin(place.primitive).map(str::to_owned));
        let known: Vec<Vec<Known>> = (place.vertex..place.vertex + size).map(|vertex| mesh.known(vertex)).collect();
        let position = position(mesh)?;
        let is_astray = known.iter().any(|known| known.iter().skip(position).take(4).any(|it| *it == Known::Not));
        if is_astray {
            notes.push(
                "where the primitive is comes of what the API leaves open, and so does all of the fragment".to_owned(),
            );
        }
        let viewport = viewport(draw, mesh, &words)?;
        Ok(Target {
            at,
            number,
            fragment,
            primitive: place.primitive,
            sampling: sampling.clone(),
            corners,
            words,
            known,
            is_astray,
            vertex: place.vertex,
            viewport,
            notes,
        })
    }

    /// The same fragment, with its primitive as another run of the stages before gives it.
    ///
    /// # Errors
    /// In words: it gives no such primitive.
    pub(crate) fn of_other(&self, draw: &Draw, mesh: &Assembled) -> Result<Target, String> {
        let (corners, words) = corners(mesh, self.vertex, self.corners.len() as u64)?;
        let viewport = viewport(draw, mesh, &words)?;
        Ok(Target { corners, words, viewport, ..self.clone() })
    }

    /// What is open about values that lie between the corners.
    pub(crate) fn interpolated(&self, opens: &mut Opens) -> u32 {
        if self.is_astray { opens.name(MESHED) } else { opens.near(INTERPOLATION) }
    }

    /// A word of a corner as it is.
    fn of_corner(&self, corner: usize, word: usize, opens: &mut Opens) -> Option<(u64, u32)> {
        let bits = *self.words.get(corner)?.get(word)?;
        let open = match self.known.get(corner).and_then(|known| known.get(word)).copied().unwrap_or_default() {
            Known::Exactly => 0,
            Known::Nearly => opens.near(MESHED),
            Known::Not => opens.name(MESHED),
        };
        Some((bits.into(), open))
    }

    /// The pixel's lane in its quad.
    pub(crate) fn lane(&self) -> u32 {
        self.at.0 % 2 + self.at.1 % 2 * 2
    }

    /// The pixel of a lane of the quad.
    fn pixel(&self, lane: u32) -> (u32, u32) {
        (self.at.0 - self.at.0 % 2 + lane % 2, self.at.1 - self.at.1 % 2 + lane / 2)
    }

    /// Where a value of a lane is taken, in pixels.
    fn place(&self, lane: u32, place: Elsewhere) -> (f64, f64) {
        let (x, y) = self.pixel(lane);
        match place {
            Elsewhere::Middle => (f64::from(x) + 0.5, f64::from(y) + 0.5),
            Elsewhere::Sample(sample) => self.sampling.place((x, y), sample),
        }
    }

    /// The samples of the pixel that the primitive covers, a bit each. Of lines and points all: which ones is not told.
    fn covered(&self) -> u32 {
        let covers = |sample: &u32| {
            self.corners.len() != 3 || covers(&self.corners, self.viewport, self.sampling.place(self.at, *sample))
        };
        // The fragment is there, so its own sample is covered.
        (0..self.sampling.samples).filter(covers).fold(1 << self.sampling.sample, |all, sample| all | 1 << sample)
    }

    /// Where an input is taken that is declared in this way. At the frequency of samples, values that are not of the sample by their declaration
    /// are of the middle here; and so are those of centroids where the middle is covered. Both are open.
    fn taken(&self, way: Interpolation, is_of_sample: bool, shift: &Shift) -> Elsewhere {
        let own = Elsewhere::Sample(self.sampling.sample);
        match (self.sampling.is_of_several(), way) {
            (false, _) => Elsewhere::Middle,
            (_, way) if way.sample => own,
            (_, way) if way.centroid || is_of_sample => {
                // Only what is covered may be taken.
                let covered = self.covered();
                let is_covered = |place: &Elsewhere| match place {
                    Elsewhere::Sample(sample) => covered >> sample & 1 != 0,
                    Elsewhere::Middle => {
                        !way.centroid
                            || self.corners.len() != 3
                            || covers(&self.corners, self.viewport, self.place(self.lane(), Elsewhere::Middle))
                    }
                };
                let first = Elsewhere::Sample(covered.trailing_zeros());
                let usual = if is_covered(&Elsewhere::Middle) { Elsewhere::Middle } else { first };
                shift.elsewhere.filter(is_covered).unwrap_or(usual)
            }
            _ => Elsewhere::Middle,
        }
    }

    /// The weights in a lane of the quad.
    fn weights(&self, lane: u32, place: Elsewhere, shift: &Shift) -> Result<Weights, String> {
        let at = self.place(lane, place);
        let at = (at.0 + shift.by.0, at.1 + shift.by.1);
        weights(&self.corners, self.viewport, at).ok_or_else(|| "the fragment's primitive has no size".to_owned())
    }

    /// Depth in the viewport's range at the pixel.
    pub(crate) fn depth(&self, shift: &Shift) -> Result<f64, String> {
        let (depth, _) = self
            .weights(self.lane(), Elsewhere::Sample(self.sampling.sample), shift)?
            .position(&self.corners, self.viewport);
        Ok(self.in_range(depth))
    }

    /// A depth as it is tested: within the viewport's range.
    pub(crate) fn in_range(&self, depth: f64) -> f64 {
        let [.., least, greatest] = self.viewport;
        if least <= greatest { depth.clamp(least, greatest) } else { depth }
    }

    /// What the lanes of the quad are given.
    ///
    /// # Errors
    /// In words: the shader reads what is not known.
    pub(crate) fn given(
        &self,
        draw: &Draw,
        mesh: &Assembled,
        module: &Module,
        shift: &Shift,
        opens: &mut Opens,
    ) -> Result<Vec<Given>, String> {
        let inputs = module.inputs().map_err(|fault| fault.to_string())?;
        let numbers = [BuiltIn::SampleId, BuiltIn::SamplePosition].map(|it| it as u32);
        let is_of_sample = inputs.iter().any(|declared| {
            declared.way.sample || matches!(declared.port, Port::BuiltIn(number, _) if numbers.contains(&number))
        });
        (0..4)
            .map(|lane| {
                let noise = shift.noise[lane as usize];
                let mut given = Given { helper: lane != self.lane(), ..Given::default() };
                for declared in &inputs {
                    let place = match declared.port {
                        // As Vulkan has it, whose shaders run: of the sample, where the shader runs for each.
                        Port::BuiltIn(..) if is_of_sample && self.sampling.is_of_several() => {
                            Elsewhere::Sample(self.sampling.sample)
                        }
                        _ => self.taken(declared.way, is_of_sample, shift),
                    };
                    let weights = self.weights(lane, place, shift)?;
                    let at = self.place(lane, place);
                    let word = self.word(draw, mesh, (declared, is_of_sample), (lane, at, &weights, noise), opens)?;
                    given.words.insert(declared.port, word);
                }
                Ok(given)
            })
            .collect()
    }

    /// A word of an input in a lane.
    fn word(
        &self,
        draw: &Draw,
        mesh: &Assembled,
        (declared, is_of_sample): (&Declared, bool),
        (lane, at, weights, noise): (u32, (f64, f64), &Weights, f64),
        opens: &mut Opens,
    ) -> Result<(u64, u32), String> {
        let float = |value: f64| u64::from((value as f32).to_bits());
        let plain = |value: u32| Ok((u64::from(value), 0));
        let way = declared.way;
        let column = match declared.port {
            Port::BuiltIn(number, part) => match BuiltIn::from_u32(number) {
                Some(BuiltIn::FragCoord) => {
                    let (depth, inverse) = weights.position(&self.corners, self.viewport);
                    let mut open = || self.interpolated(opens);
                    return Ok(match part {
                        0 => (float(at.0), 0),
                        1 => (float(at.1), 0),
                        2 => (float(depth * (1.0 + noise)), open()),
                        _ => (float(inverse * (1.0 + noise)), open()),
                    });
                }
                Some(BuiltIn::FrontFacing) => {
                    let front = self.fragment.front.ok_or("the face of the fragment is not told")?;
                    return plain(front.into());
                }
                Some(BuiltIn::PrimitiveId) => {
                    return match system(mesh, &self.words, PRIMITIVE_ID) {
                        Some(given) => plain(given),
                        None if mesh.mesh.stage == MeshStage::Vertex => plain(self.primitive),
                        None => Err(format!("SV_PrimitiveID behind a {} shader is not known", mesh.mesh.stage.name())),
                    };
                }
                Some(BuiltIn::Layer) => return plain(system(mesh, &self.words, TARGET_INDEX).unwrap_or(0)),
                Some(BuiltIn::ViewportIndex) => return plain(system(mesh, &self.words, VIEWPORT_INDEX).unwrap_or(0)),
                Some(BuiltIn::SampleId) => return plain(self.sampling.sample),
                Some(BuiltIn::SampleMask) if !self.sampling.is_of_several() => return plain(1),
                Some(BuiltIn::SampleMask) => {
                    let own = 1 << self.sampling.sample;
                    let covered = if is_of_sample { own } else { self.covered() };
                    return Ok((u64::from(covered), opens.name(COVERAGE)));
                }
                Some(BuiltIn::SamplePosition) => {
                    let (x, y) = self.pixel(lane);
                    let (right, down) = self.sampling.own((x, y));
                    let part = if part == 0 { right - f64::from(x) } else { down - f64::from(y) };
                    return Ok((float(part), 0));
                }
                Some(BuiltIn::HelperInvocation) => return plain(u32::from(lane != self.lane())),
                Some(BuiltIn::ViewIndex) => return plain(draw.view),
                Some(BuiltIn::BaryCoordKHR) => {
                    return Ok((float(weights.perspective[part as usize % 3] + noise), self.interpolated(opens)));
                }
                Some(BuiltIn::BaryCoordNoPerspKHR) => {
                    return Ok((float(weights.linear[part as usize % 3] + noise), self.interpolated(opens)));
                }
                Some(BuiltIn::ClipDistance) => distance(mesh, CLIP_DISTANCE, part)?,
                Some(BuiltIn::CullDistance) => distance(mesh, CULL_DISTANCE, part)?,
                other => return Err(format!("unsupported: the input {other:?} of a pixel shader")),
            },
            Port::Location { location, component, .. } => column(draw, mesh, location, component)?,
            Port::Corner { location, component, corner } => {
                let column = column(draw, mesh, location, component)?;
                let word = self.of_corner(corner as usize, column, opens);
                return Ok(word.ok_or("the primitive has no such corner")?);
            }
        };
        let values = |corner: usize| self.words.get(corner).and_then(|words| words.get(column)).copied();
        if way.flat || !declared.is_float || mesh.is_of_primitive(column) {
            return Ok(self.of_corner(0, column, opens).ok_or("the vertices of the primitive are cut")?);
        }
        let may_be_anything = |known: &Vec<Known>| known.get(column) == Some(&Known::Not);
        let open = match self.known.iter().any(may_be_anything) {
            true => opens.name(MESHED),
            false => self.interpolated(opens),
        };
        let values = [0, 1, 2].map(|corner| values(corner).map_or(0.0, |bits| f64::from(f32::from_bits(bits))));
        let shares = if way.linear { weights.linear } else { weights.perspective };
        let greatest = values.iter().fold(0f64, |all, value| all.max(value.abs()));
        Ok((float(Weights::of(shares, values) + noise * greatest), open))
    }
}

/// Where the word of an input is in a vertex of the mesh.
fn column(draw: &Draw, mesh: &Assembled, location: u32, component: u32) -> Result<usize, String> {
    let is_here = |row: &&Element| row.register == location && component < 4 && row.mask >> component & 1 != 0;
    let row = draw.inputs.iter().find(is_here);
    let row = row.ok_or_else(|| {
        format!("the shader reads component {component} of register {location}, which its signature lacks")
    })?;
    let given =
        mesh.mesh.columns.iter().find(|it| it.index == row.index && it.semantic.eq_ignore_ascii_case(&row.semantic));
    let within = component - row.mask.trailing_zeros();
    let given = given.filter(|column| within < column.components);
    let given = given.ok_or_else(|| format!("the stage before does not give {}{}", row.semantic, row.index))?;
    Ok(given.offset as usize / 4 + within as usize)
}

/// The same of clip and cull distances, counted over all of their indices.
fn distance(mesh: &Assembled, system_value: u32, number: u32) -> Result<usize, String> {
    let columns = mesh.mesh.columns.iter().filter(|column| column.system_value == system_value);
    let mut words =
        columns.flat_map(|column| (0..column.components).map(|at| column.offset as usize / 4 + at as usize));
    words.nth(number as usize).ok_or_else(|| "the stage before does not give that many distances".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_timeline::state::lists::Bound;

    /// A triangle whose right edge cuts a pixel: of four samples it covers the first and the third, and not the middle.
    #[test]
    fn centroids_are_where_the_primitive_covers_the_pixel() {
        let corner = |x: f64, y: f64| [x / 50.0 - 1.0, 1.0 - y / 50.0, 0.0, 1.0];
        let target = Target {
            at: (10, 20),
            number: 0,
            fragment: Fragment::default(),
            primitive: 0,
            sampling: Sampling::of(&Bound::default(), 4, 2).unwrap(),
            corners: vec![corner(-100.0, 20.5), corner(10.4, -1000.0), corner(10.4, 1000.0)],
            words: Vec::new(),
            known: Vec::new(),
            is_astray: false,
            vertex: 0,
            viewport: [0.0, 0.0, 100.0, 100.0, 0.0, 1.0],
            notes: Vec::new(),
        };
        assert_eq!(target.covered(), 0b0101);
        let plain = Interpolation::default();
        let centroid = Interpolation { centroid: true, ..plain };
        let own = Interpolation { sample: true, ..plain };
        let usual = [plain, centroid, own].map(|way| target.taken(way, false, &Shift::default()));
        assert_eq!(usual, [Elsewhere::Middle, Elsewhere::Sample(0), Elsewhere::Sample(2)]);
        // What is not covered is no centroid, and what runs for the sample may be of it.
        let tried = |way: Interpolation, is_of_sample: bool| {
            let shifts = shifts(&target.sampling);
            let places = shifts.iter().filter(|shift| shift.elsewhere.is_some());
            let mut places: Vec<String> =
                places.map(|shift| format!("{:?}", target.taken(way, is_of_sample, shift))).collect();
            places.sort();
            places.dedup();
            places.join(" ")
        };
        assert_eq!(tried(centroid, false), "Sample(0) Sample(2)");
        assert_eq!(
            (tried(plain, false), tried(plain, true)),
            ("Middle".to_owned(), "Middle Sample(0) Sample(2)".to_owned())
        );
        assert_eq!(tried(own, true), "Sample(2)");
    }
}
