//! `reprise debug --stage geometry`.

use super::draw::{Found, Job, disturb};
use super::outcome::Why;
use super::patches::At;
use crate::debug::assembly::{self, Assembled};
use crate::debug::before::Before;
use crate::debug::emitted::{self, Part, Runs};
use crate::debug::outputs::Compared;
use crate::debug::patch::Location;
use crate::debug::{Store, made, told};
use crate::terminal::exit::Failure;
use reprise_interpreter::{BuiltIn, Emitted, Given, Lean, Left, Opens, Port, Ran, Task, Words, run_lanes};
use reprise_replay::{DrawCounts, Mesh, MeshOf};
use serde_json::json;
use std::collections::BTreeSet;

/// Primitives whose vertices are counted by running them.
const MOST_COUNTED: u32 = 1024;

/// A run of the shader: for a primitive of an instance, and which of the shader's own instances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Primitive {
    pub(super) number: u32,
    pub(super) instance: u32,
    pub(super) own: u32,
}

/// Behind tessellation the primitives that the GPU makes of a patch, by where their vertices lie.
struct Pieces {
    /// Those that run.
    all: Vec<Vec<Location>>,
    /// The one that is asked for among them.
    own: usize,
    /// How many vertices there are, and the first of the one that is asked for.
    points: u32,
    point: u32,
    /// All of the patch run.
    whole: bool,
}

/// What comes of a primitive.
struct Made {
    assembled: Assembled,
    ran: Ran,
    /// What each of the shader's instances emitted, and behind tessellation those of each primitive of the patch.
    emitted: Vec<Vec<Emitted>>,
    left: Left,
}

impl Primitive {
    /// The vertices of the primitive, or of each one that is made of the patch. `None` where contents are not here, which is noted.
    fn vertices(
        self,
        job: &Job<'_>,
        (before, assembled, pieces): (&Before, &Assembled, Option<&Pieces>),
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<Option<Vec<Vec<Words>>>, Why> {
        let Some(pieces) = pieces else {
            // A bit of what comes of them is another one, which one of what goes in might set right again.
            let is_disturbed = std::mem::take(&mut store.disturbed);
            let budget = job.arguments.budget;
            let vertices = made::vertices(before, job.draw, (&assembled.corners, self.instance, budget), store, opens);
            store.disturbed = is_disturbed;
            return Ok(vertices.map_err(Why::Failed)?.map(|vertices| vec![vertices]));
        };
        let at = At { number: self.number, instance: self.instance };
        let domain = before.domain.as_ref();
        let domain = domain.ok_or_else(|| Why::Failed("its pipeline has no domain shader".to_owned()))?;
        let Some(patch) = job.patch(at, store, opens)? else { return Ok(None) };
        let is_disturbed = std::mem::take(&mut store.disturbed);
        let mut placed = |location: &Location| {
            job.placed((at, &patch), (domain, false), *location, store, opens).map(|made| made.gave.words)
        };
        let all = pieces.all.iter().map(|piece| piece.iter().map(&mut placed).collect());
        let all: Result<Vec<Vec<Words>>, Why> = all.collect();
        store.disturbed = is_disturbed;
        all.map(Some)
    }

    /// Runs the shaders before it, and all instances of the shader. `None` where contents are not here, which is noted.
    fn made(
        self,
        job: &Job<'_>,
        (before, pieces): (&Before, Option<&Pieces>),
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<Option<Made>, Why> {
        let (draw, module) = (job.draw, job.module);
        let assembled = match assembly::primitive(draw, self.number, store).map_err(Why::Failed)? {
            assembly::Found::Primitive(assembled) => assembled,
            assembly::Found::Missing => return Ok(None),
            assembly::Found::Absent(count) => {
                let what = format!("there is no primitive {}: the draw has {count} in each instance", self.number);
                return Err(Why::Asked(what));
            }
        };
        let Some(all) = self.vertices(job, (before, &assembled, pieces), store, opens)? else { return Ok(None) };
        let (mut found, mut emitted, mut left) = (Ran::default(), Vec::new(), Left::default());
        for (piece, vertices) in all.into_iter().enumerate() {
            let is_asked = pieces.is_none_or(|pieces| pieces.own == piece);
            let mut given = made::given(draw, vertices, &[(BuiltIn::PrimitiveId, self.number)]);
            if job.arguments.disturbed && is_asked {
                disturb(&mut given);
            }
            for own in 0..module.instances() {
                given.words.insert(Port::BuiltIn(BuiltIn::InvocationId as u32, 0), (own.into(), 0));
                let watched = (is_asked && own == self.own).then_some(0);
                let budget = job.arguments.budget;
                let task = Task { wave: 1, watched, alone: true, budget, ..Task::default() };
                let lanes: &[Given] = std::slice::from_ref(&given);
                let ran = run_lanes(module, task, lanes, store, opens);
                let (ran, lefts) = ran.map_err(|fault| Why::Failed(told::fault(module, &fault)))?;
                let own_left = lefts.into_iter().next().unwrap_or_default();
                emitted.push(own_left.emitted.clone());
                if watched.is_some() {
                    (found, left) = (ran, own_left);
                }
            }
        }
        Ok(Some(Made { assembled, ran: found, emitted, left }))
    }

    /// The place of what it emits among all that is emitted.
    fn place(self, job: &Job<'_>, pieces: Option<&Pieces>) -> usize {
        let before = pieces.map_or(0, |pieces| pieces.own * job.module.instances() as usize);
        before + self.own as usize
    }
}

/// Runs the primitive that is asked for, and says whether something is wrong.
pub(super) fn run(job: &Job<'_>, primitive: Primitive) -> Result<bool, Failure> {
    let Job { arguments, draw, module } = job;
    let Some(before) = &draw.before else { return Err(job.failed("it has no shaders before the geometry shader")) };
    job.refuse_waves(before)?;
    job.has_instance(primitive.instance)?;
    if primitive.own >= module.instances() {
        let what = format!("there is no instance {} of the shader: it has {}", primitive.own, module.instances());
        return Err(job.asked(what));
    }
    if before.hull.is_none() && arguments.point.is_some() {
        return Err(job.asked("--point goes with patches, and no tessellation comes before the geometry shader"));
    }
    let pieces = match before.hull {
        None => None,
        Some(_) => Some(job.pieces(primitive, arguments.point.unwrap_or(0))?),
    };
    let (pieces, own) = (pieces.as_ref(), primitive.place(job, pieces.as_ref()));
    let mut store = Store::new(&draw.shader);
    store.disturbed = arguments.disturbed;
    let (made, opens) = job.made(primitive, (before, pieces), &mut store, Lean::Nearest)?;
    let mut asides = Vec::new();
    if !arguments.no_check && !opens.all().is_empty() {
        for lean in Lean::ASIDE {
            asides.push(job.made(primitive, (before, pieces), &mut store, lean)?.0.emitted);
        }
    }
    let compared = match arguments.no_check {
        true => None,
        false => Some(job.compared(primitive, (before, pieces), (&made, &asides), &mut store)?),
    };
    let own = &made.emitted[own];
    let about = json!({
        "primitive": primitive.number,
        "instance": primitive.instance,
        "gs_instance": (module.instances() > 1).then_some(primitive.own),
        "point": pieces.map(|pieces| pieces.point),
        "points": pieces.map(|pieces| pieces.points),
        "view": draw.asked_view(),
        "vertices": made.assembled.corners,
        "emitted": own.iter().map(|it| emitted::json((&draw.outputs, module), it, &opens)).collect::<Vec<_>>(),
    });
    let found = Found { ran: made.ran, left: vec![made.left], opens };
    job.tell(&mut store, &found, 0, about, compared.as_ref())
}

impl Job<'_> {
    /// A primitive with what comes of it, when nothing that is read is missing any more.
    fn made(
        &self,
        primitive: Primitive,
        (before, pieces): (&Before, Option<&Pieces>),
        store: &mut Store<'_>,
        lean: Lean,
    ) -> Result<(Made, Opens), Failure> {
        let run = |store: &mut Store<'_>, opens: &mut Opens| primitive.made(self, (before, pieces), store, opens);
        let (made, opens) = self.arguments.complete(&self.draw.shader, store, lean, run)?;
        Ok((self.there(made)?, opens))
    }

    /// The primitives that the GPU makes of a patch, among which one has a vertex of this number.
    fn pieces(&self, primitive: Primitive, point: u32) -> Result<Pieces, Failure> {
        let at = At { number: primitive.number, instance: primitive.instance };
        self.has_patch(at)?;
        let told = self.tessellated(at, &[])?.map_err(|untold| {
            let why = untold.say();
            self.failed(format!("what the tessellator makes of the patch the GPU does not tell: {why}"))
        })?;
        let points = told.locations.len() as u32;
        if point >= points {
            return Err(self.asked(format!("there is no point {point}: the GPU makes {points} of the patch")));
        }
        let size = self
            .module
            .taken_primitive()
            .ok_or_else(|| self.failed("unsupported: a geometry shader behind tessellation that takes neighbours"))?;
        let mut all: Vec<Vec<Location>> =
            told.locations.chunks_exact(size as usize).map(<[Location]>::to_vec).collect();
        let mut own = (point / size) as usize;
        let whole = all.len() <= MOST_COUNTED as usize;
        // Where nothing is compared, one is enough.
        if self.arguments.no_check || !whole {
            (all, own) = (all.into_iter().skip(own).take(1).collect(), 0);
        }
        Ok(Pieces { all, own, points, point: point / size * size, whole })
    }

    /// What was emitted against what the GPU's geometry shader gives.
    fn compared(
        &self,
        primitive: Primitive,
        (before, pieces): (&Before, Option<&Pieces>),
        (made, asides): (&Made, &[Vec<Vec<Emitted>>]),
        store: &mut Store<'_>,
    ) -> Result<Compared, Failure> {
        let mut compared = Compared::default();
        if pieces.is_some_and(|pieces| !pieces.whole) {
            let what = format!("the GPU makes more than {MOST_COUNTED} primitives of the patch");
            compared.unseen.push(what);
            return Ok(compared);
        }
        let streams: BTreeSet<u32> = self.draw.outputs.iter().map(|row| row.stream).collect();
        let size = self.module.given_primitive().unwrap_or(1);
        let counted = match made.assembled.knows_its_end {
            true => Some(self.counted(primitive, before, &streams, size, store)?),
            false => None,
        };
        for (at, stream) in streams.into_iter().enumerate() {
            let counted = counted.as_ref().map(|counts| counts.as_ref().map(|counts| counts[at]));
            let (mesh, all) = match self.part(primitive, &made.assembled, stream, counted)? {
                Ok(found) => found,
                Err(why) => {
                    compared.unseen.push(why);
                    continue;
                }
            };
            if mesh.vertices() == 0 && self.draw.shader.predicated {
                let what = "the GPU gave no vertices: the predicate that is set left the draw out";
                return Ok(Compared { notes: vec![what.to_owned()], left_out: true, ..Compared::default() });
            }
            // The primitives of a patch come one behind the other, and of each the instances of the shader.
            let lists = made.emitted.iter().map(|emitted| emitted::listed(emitted, stream, size).len() as u64);
            let lists: Vec<u64> = lists.collect();
            let (sum, own) = (lists.iter().sum::<u64>(), primitive.place(self, pieces));
            let part = match all.count {
                None => Part { begin: all.begin + lists[..own].iter().sum::<u64>(), count: lists[own] },
                Some(count) if count == sum => {
                    Part { begin: all.begin + lists[..own].iter().sum::<u64>(), count: lists[own] }
                }
                // It is not known which of them gave another number.
                Some(count) => Part { begin: all.begin, count: (count + lists[own]).saturating_sub(sum) },
            };
            let asides: Vec<Vec<Emitted>> = asides.iter().map(|aside| aside[own].clone()).collect();
            let runs = Runs { own: &made.emitted[own], asides: &asides };
            emitted::compare(&mut compared, ((&self.draw.outputs, self.module), stream), (&runs, size), (&mesh, part));
        }
        Ok(compared)
    }

    /// How many vertices of each stream come of the primitives of an instance before one, by running them; or why that is not known.
    fn counted(
        &self,
        primitive: Primitive,
        before: &Before,
        streams: &BTreeSet<u32>,
        size: u32,
        store: &mut Store<'_>,
    ) -> Result<Result<Vec<u64>, String>, Failure> {
        if primitive.number > MOST_COUNTED {
            let what = format!("in a strip of triangles with neighbours, primitives behind the first {MOST_COUNTED}");
            return Ok(Err(what));
        }
        let mut counts = vec![0; streams.len()];
        for number in 0..primitive.number {
            let (made, _) = self.made(Primitive { number, ..primitive }, (before, None), store, Lean::Nearest)?;
            for (count, stream) in counts.iter_mut().zip(streams) {
                let lists = made.emitted.iter().map(|emitted| emitted::listed(emitted, *stream, size).len() as u64);
                *count += lists.sum::<u64>();
            }
        }
        Ok(Ok(counts))
    }

    /// A mesh of a stream, and where in it all is that comes of the primitive. Draws of fewer primitives, and of fewer instances, tell how
    /// much comes of the others. `counted`: what comes of the primitives before, where a draw of fewer does not tell it.
    fn part(
        &self,
        primitive: Primitive,
        assembled: &Assembled,
        stream: u32,
        counted: Option<Result<u64, &String>>,
    ) -> Result<Result<(Mesh, All), String>, Failure> {
        let counts = self.draw.counts();
        let of = |vertices: u32, instances: u32| DrawCounts { vertices, instances, ..counts };
        let (before, up_to) = match counted {
            None => (assembled.before, assembled.up_to),
            Some(Err(why)) => return Ok(Err(why.clone())),
            Some(Ok(_)) => (counts.vertices, counts.vertices),
        };
        let instance = primitive.instance;
        let draws = [of(up_to, instance + 1), of(before, instance + 1), of(up_to, instance), of(before, instance)];
        // What draws nothing gives nothing; the same is drawn once.
        let is_drawn =
            |at: usize| draws[at].vertices != 0 && draws[at].instances != 0 && !draws[..at].contains(&draws[at]);
        let wanted: Vec<usize> = (0..draws.len()).filter(|at| is_drawn(*at)).collect();
        let wishes = wanted.iter().map(|at| (MeshOf::Stream(stream), Some(self.draw.with(draws[*at]))));
        let mut meshes: Vec<Mesh> = Vec::new();
        for mesh in self.meshes(wishes.collect())? {
            match mesh {
                Ok(mesh) if mesh.full => {
                    return Ok(Err("the GPU gives more vertices before it than there is room for".to_owned()));
                }
                Ok(mesh) => meshes.push(mesh),
                Err(why) => return Ok(Err(why)),
            }
        }
        let count = |at: usize| {
            let same = draws.iter().position(|other| *other == draws[at]).unwrap_or(at);
            wanted.iter().position(|it| *it == same).map_or(0, |it| meshes[it].vertices())
        };
        let [all, fewer, earlier, both] = [0, 1, 2, 3].map(count);
        let part = match counted {
            Some(Ok(counted)) => All { begin: earlier + counted, count: None },
            _ => {
                let own = (all + both).checked_sub(fewer + earlier);
                let Some(own) = own.filter(|own| *own <= all) else {
                    let what =
                        "the GPU gives fewer vertices of more primitives, so that none of them is known to be its";
                    return Ok(Err(what.to_owned()));
                };
                All { begin: all - own, count: Some(own) }
            }
        };
        Ok(match meshes.into_iter().next() {
            Some(mesh) => Ok((mesh, part)),
            None => Err("the replay did not show it".to_owned()),
        })
    }
}

/// Where all vertices are that come of a primitive: how many there are, where the GPU tells that.
#[derive(Clone, Copy, Debug)]
struct All {
    begin: u64,
    count: Option<u64>,
}
