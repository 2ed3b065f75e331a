//! What acceleration structures were built of, by replays: geometries for `scene`, and whole scenes that rays can be asked of for `debug`.
//!
//! Addresses of structures that lie in memory are those of the capture: replay leaves what programs store as it is, and translates copies.

use super::replay;
use crate::scene::{self, Build, Matrix, Shape, Solid};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::trace::open;
use anyhow::Context;
use reprise_interpreter::{Bottom, Geometry, InstancePlace, Primitives, Scene};
use reprise_replay::{Shot, ShotContents, ShotOf, ShotPart};
use reprise_view::state::{KnownStructures, StructureBuild};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The geometries of a build, or why one is not shown.
pub(super) type Solids = BTreeMap<u64, Vec<Result<Solid, String>>>;

/// A trace, and the library that plays it.
pub(super) type Played<'p> = (&'p open::Source, &'p replay::Runtime);

/// Bytes of a `D3D12_RAYTRACING_INSTANCE_DESC`, and of a pointer to one.
const INSTANCE: u64 = 64;
const POINTER: u64 = 8;
/// Instances of a structure, and primitives of all, that are looked at.
const MOST_INSTANCES: u32 = 1 << 16;
const MOST_PRIMITIVES: usize = 1 << 23;

/// What buffers hold, in the order of the shots.
fn bytes((source, runtime): Played<'_>, shots: Vec<Shot>) -> Result<Vec<Result<Vec<u8>, String>>, Failure> {
    let mut bytes: Vec<Result<Vec<u8>, String>> = vec![Err("the replay does not come to it".into()); shots.len()];
    if !shots.is_empty() {
        let report = replay::shoot(source, runtime, shots, |at, shown| {
            bytes[at] = shown.and_then(|contents: ShotContents| match contents.part {
                ShotPart::Bytes { bytes, .. } => Ok(bytes),
                ShotPart::Texels { .. } => Err("its buffer is a texture".into()),
            });
        })?;
        replay::sound(&report, source)?;
    }
    Ok(bytes)
}

/// What the builds' buffers hold.
pub(super) fn solids(played: Played<'_>, builds: &BTreeMap<u64, Build>) -> Result<Solids, Failure> {
    let mut shots: Vec<Shot> = Vec::new();
    // Of each geometry: which shots are its buffers.
    let mut wanted = Vec::new();
    for (call, build) in builds {
        for geometry in &build.geometries {
            let own = scene::shots(*call, geometry);
            let range = own.map(|own| {
                let first = shots.len();
                shots.extend(own);
                first..shots.len()
            });
            wanted.push((*call, geometry, range));
        }
    }
    let bytes = bytes(played, shots)?;
    let mut solids = Solids::new();
    for (call, geometry, range) in wanted {
        let solid = range.and_then(|range| {
            let own: Vec<Vec<u8>> = bytes[range].iter().cloned().collect::<Result<_, _>>()?;
            scene::read(geometry, &own)
        });
        solids.entry(call).or_default().push(solid);
    }
    Ok(solids)
}

/// A scene that rays can be asked of, or why there is none.
pub(super) type Asked = Result<Rc<Scene>, String>;

/// An instance as it lies in memory.
struct Placed {
    numbers: [u32; 4],
    transform: Matrix,
    /// The call that built what it places.
    build: Option<u64>,
}

/// The top levels at addresses, as a call finds them.
///
/// # Errors
/// The trace cannot be read, or the replay fails.
pub(super) fn scenes(played: Played<'_>, call: u64, addresses: &[u64]) -> Result<BTreeMap<u64, Asked>, Failure> {
    let trace = played.0.open()?;
    let place = || played.0.trace.display().to_string();
    let known = KnownStructures::before(&trace, call).with_context(place).or_exit(exit::TRACE)?;
    let tops: Vec<(u64, Result<StructureBuild, String>)> =
        addresses.iter().map(|address| (*address, top(&known, *address))).collect();
    let placed = instances(played, &known, &tops)?;
    let builds: BTreeSet<u64> =
        placed.iter().filter_map(|it| it.as_ref().ok()).flatten().filter_map(|it| it.build).collect();
    let builds = scene::builds(&trace, &builds).with_context(place).or_exit(exit::TRACE)?;
    drop(trace);
    let mut solids = solids(played, &builds)?;
    let count: usize = solids.values().flatten().flatten().map(|solid| solid.numbers.len()).sum();
    let too_many = count > MOST_PRIMITIVES;
    let mut bottoms: BTreeMap<u64, Result<Rc<Bottom>, String>> = BTreeMap::new();
    for (build, desc) in &builds {
        let own = solids.remove(build).unwrap_or_default();
        let bottom = match too_many {
            true => Err(format!("its structures have {count} primitives, more than {MOST_PRIMITIVES}")),
            false => bottom(*build, desc, own),
        };
        bottoms.insert(*build, bottom.map(Rc::new));
    }
    let whole = |placed: Result<Vec<Placed>, String>| -> Asked {
        let mut scene = Scene::default();
        for it in placed? {
            let bottom = it.build.and_then(|build| bottoms.get(&build)).cloned().transpose()?;
            scene.instances.push(InstancePlace::new(it.numbers, it.transform.0, bottom));
        }
        Ok(Rc::new(scene))
    };
    Ok(tops.into_iter().zip(placed).map(|((address, _), placed)| (address, whole(placed))).collect())
}

fn top(known: &KnownStructures, address: u64) -> Result<StructureBuild, String> {
    let build = known.build(address)?;
    match build {
        StructureBuild { top: false, .. } => Err(format!("the structure at {address:#x} is a bottom level")),
        StructureBuild { count, .. } if count > MOST_INSTANCES => {
            Err(format!("the structure at {address:#x} has {count} instances, more than {MOST_INSTANCES}"))
        }
        build => Ok(build),
    }
}

/// The instances of top levels, as their builds find them.
fn instances(
    played: Played<'_>,
    known: &KnownStructures,
    tops: &[(u64, Result<StructureBuild, String>)],
) -> Result<Vec<Result<Vec<Placed>, String>>, Failure> {
    let shot = |call: u64, (resource, offset): (u32, u64), bytes: u64| Shot {
        call,
        before: true,
        submission: None,
        of: ShotOf::Buffer { resource, bytes: Some((offset, bytes)) },
    };
    let (mut shots, mut wanted) = (Vec::new(), Vec::new());
    for (_, top) in tops {
        let range = top.clone().and_then(|top| {
            if top.count == 0 {
                return Ok(None);
            }
            let lies = top.instances.ok_or("its instances lie in no buffer that the trace knows")?;
            let size = if top.by_pointers { POINTER } else { INSTANCE };
            shots.push(shot(top.call, lies, size * u64::from(top.count)));
            Ok(Some((top, shots.len() - 1)))
        });
        wanted.push(range);
    }
    let mut found = bytes(played, shots)?;
    // What pointers lead to is another replay's.
    let (mut shots, mut followed) = (Vec::new(), Vec::new());
    for range in &wanted {
        let Ok(Some((top, at))) = range else { continue };
        if !top.by_pointers {
            continue;
        }
        let pointers = found[*at].as_deref().unwrap_or_default().as_chunks::<8>().0;
        let lies: Option<Vec<(u32, u64)>> =
            pointers.iter().map(|pointer| known.lies(u64::from_le_bytes(*pointer))).collect();
        match lies {
            Some(lies) => {
                followed.push((*at, shots.len()..shots.len() + lies.len()));
                shots.extend(lies.into_iter().map(|lies| shot(top.call, lies, INSTANCE)));
            }
            None if found[*at].is_ok() => found[*at] = Err("one of its instances lies in no buffer".into()),
            None => {}
        }
    }
    let pointed = bytes(played, shots)?;
    for (at, range) in followed {
        let all: Result<Vec<Vec<u8>>, String> = pointed[range].iter().cloned().collect();
        found[at] = all.map(|all| all.concat());
    }
    let read = |range: Result<Option<(StructureBuild, usize)>, String>| {
        let Some((top, at)) = range? else { return Ok(Vec::new()) };
        let bytes = found[at].as_ref().map_err(|why| format!("its instances are not known: {why}"))?;
        let all = bytes.as_chunks::<{ INSTANCE as usize }>().0;
        if all.len() < top.count as usize {
            return Err("the buffer of its instances ends before they do".to_owned());
        }
        (0..).zip(all).map(|(number, bytes)| instance(known, number, bytes)).collect()
    };
    Ok(wanted.into_iter().map(read).collect())
}

fn instance(known: &KnownStructures, number: u32, bytes: &[u8; INSTANCE as usize]) -> Result<Placed, String> {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let row = |at: usize| core::array::from_fn(|of| f32::from_bits(words[at * 4 + of]));
    let numbers = [words[12] & 0xff_ffff, words[12] >> 24, words[13] & 0xff_ffff, words[13] >> 24];
    let address = u64::from(words[14]) | u64::from(words[15]) << 32;
    let build = match address {
        0 => None,
        // No ray comes to it, so what it names does not matter.
        _ if numbers[1] == 0 => None,
        _ => match known.build(address) {
            Ok(StructureBuild { top: false, call, .. }) => Some(call),
            Ok(_) => return Err(format!("instance {number} names a top level")),
            Err(why) => return Err(format!("instance {number}: {why}")),
        },
    };
    Ok(Placed { numbers, transform: Matrix::of_floats([row(0), row(1), row(2)]), build })
}

fn bottom(call: u64, desc: &Build, solids: Vec<Result<Solid, String>>) -> Result<Bottom, String> {
    let mut geometries = Vec::new();
    for (number, (solid, desc)) in solids.into_iter().zip(&desc.geometries).enumerate() {
        let solid = solid.map_err(|why| format!("geometry {number} of the build at call {call}: {why}"))?;
        let numbers = solid.numbers.iter().copied();
        let primitives = match solid.shape {
            Shape::Triangles(all) => Primitives::Triangles(numbers.zip(all).collect()),
            Shape::Boxes(all) => Primitives::Boxes(numbers.zip(all).collect()),
        };
        let opaque = desc.flags.split('|').any(|flag| flag.trim().ends_with("_FLAG_OPAQUE"));
        geometries.push(Geometry { opaque, primitives });
    }
    Ok(Bottom::new(geometries))
}
