//! A patch of a draw in front of its hull and domain shaders, and what the GPU makes of it.
//!
//! Where tessellated vertices lie in their patch, the GPU tells: the tessellator is no shader, and the API leaves its order open. So does what
//! the hull shader gives: a domain shader of replay's own shows it.

use super::draw::{Job, disturb};
use super::outcome::Why;
use crate::debug::before::Before;
use crate::debug::outputs::Compared;
use crate::debug::patch::{self, Location};
use crate::debug::{Store, assembly, made, told};
use crate::terminal::exit::Failure;
use reprise_interpreter::{BuiltIn, Given, Lean, Left, Module, Opens, Patch, Port, Ran, Task, run_lanes, run_patch};
use reprise_replay::{DrawCounts, Mesh, MeshOf, PatchPart};

/// A patch of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) number: u32,
    pub(super) instance: u32,
}

/// What a run gave.
pub(super) struct Made<T> {
    pub(super) ran: Ran,
    pub(super) gave: T,
}

/// What the GPU makes of a patch.
pub(super) struct Tessellated {
    /// Where its vertices begin in each mesh.
    pub(super) begin: u64,
    pub(super) locations: Vec<Location>,
    /// What was asked for beside.
    pub(super) meshes: Vec<Result<Mesh, String>>,
}

/// Why nothing is known of what the GPU makes.
pub(super) enum Untold {
    /// The predicate that is set left the draw out.
    LeftOut,
    Other(String),
}

impl Untold {
    pub(super) fn compared(self) -> Compared {
        match self {
            Untold::LeftOut => {
                let what = "the GPU gave no vertices: the predicate that is set left the draw out";
                Compared { notes: vec![what.to_owned()], left_out: true, ..Compared::default() }
            }
            Untold::Other(why) => Compared { unseen: vec![why], ..Compared::default() },
        }
    }

    pub(super) fn say(&self) -> &str {
        match self {
            Untold::LeftOut => "the predicate that is set left the draw out",
            Untold::Other(why) => why,
        }
    }
}

impl Job<'_> {
    pub(super) fn earlier(&self) -> Result<&Before, Failure> {
        self.draw.before.as_ref().ok_or_else(|| self.failed("it has no shaders before this one"))
    }

    /// Whether patches are triangles, whose places have three components.
    pub(super) fn is_of_triangles(&self) -> bool {
        self.module.is_of_triangles()
    }

    /// # Errors
    /// There is no such patch.
    pub(super) fn has_patch(&self, at: At) -> Result<(), Failure> {
        self.has_instance(at.instance)?;
        let count = assembly::topology(self.draw).primitives(self.draw.counts().vertices);
        match at.number >= count {
            true => Err(self.asked(format!("there is no patch {}: the draw has {count} in each instance", at.number))),
            false => Ok(()),
        }
    }

    /// What the hull shader makes of a patch. `None` where contents are not here, which is noted.
    pub(super) fn hulled(
        &self,
        at: At,
        (hull, watched): (&Module, Option<u32>),
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<Option<Made<Patch>>, Why> {
        let before = self.draw.before.as_ref().ok_or_else(|| Why::Failed("it has no vertex shader".to_owned()))?;
        let budget = self.arguments.budget;
        let assembled = match assembly::primitive(self.draw, at.number, store).map_err(Why::Failed)? {
            assembly::Found::Primitive(assembled) => assembled,
            assembly::Found::Missing => return Ok(None),
            assembly::Found::Absent(count) => return Err(Why::Asked(format!("the draw has {count} patches"))),
        };
        // A bit of what comes of them is another one, which one of what goes in might set right again.
        let is_disturbed = std::mem::take(&mut store.disturbed);
        let vertices = made::vertices(before, self.draw, (&assembled.corners, at.instance, budget), store, opens);
        store.disturbed = is_disturbed;
        let vertices = vertices.map_err(Why::Failed)?;
        let Some(vertices) = vertices else { return Ok(None) };
        let size = vertices.len() as u32;
        let lane = |lane: u32| {
            let named =
                [(BuiltIn::PrimitiveId, at.number), (BuiltIn::InvocationId, lane), (BuiltIn::PatchVertices, size)];
            let mut given = made::given(self.draw, vertices.clone(), &named);
            if self.arguments.disturbed && watched.is_some() {
                disturb(&mut given);
            }
            given
        };
        let lanes: Vec<Given> = (0..hull.points()).map(lane).collect();
        let task = Task { wave: 32, watched, alone: true, budget, ..Task::default() };
        let (ran, gave) = run_patch(hull, task, &lanes, store, opens)
            .map_err(|fault| Why::Failed(format!("its hull shader: {}", told::fault(hull, &fault))))?;
        Ok(Some(Made { ran, gave }))
    }

    /// What the hull shader makes of a patch, in front of the shader that is looked at. `None` where contents are not here, which is noted.
    pub(super) fn patch(&self, at: At, store: &mut Store<'_>, opens: &mut Opens) -> Result<Option<Patch>, Why> {
        let hull = self.draw.before.as_ref().and_then(|before| before.hull.as_ref());
        let hull = hull.ok_or_else(|| Why::Failed("its pipeline has no hull shader".to_owned()))?;
        let is_disturbed = std::mem::take(&mut store.disturbed);
        let hulled = self.hulled(at, (hull, None), store, opens);
        store.disturbed = is_disturbed;
        Ok(hulled?.map(|made| made.gave))
    }

    /// What the domain shader makes of a place of a patch; whether it is the one that is looked at.
    pub(super) fn placed(
        &self,
        (at, patch): (At, &Patch),
        (domain, is_watched): (&Module, bool),
        location: Location,
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<Made<Left>, Why> {
        let named = [(BuiltIn::PrimitiveId, at.number), (BuiltIn::PatchVertices, patch.points.len() as u32)];
        let mut given = made::given(self.draw, patch.points.clone(), &named);
        given.words.extend(&patch.constants);
        if self.arguments.disturbed && is_watched {
            disturb(&mut given);
        }
        for (component, bits) in (0..).zip(location.0) {
            given.words.insert(Port::BuiltIn(BuiltIn::TessCoord as u32, component), (bits.into(), 0));
        }
        let budget = self.arguments.budget;
        let task = Task { wave: 1, watched: is_watched.then_some(0), alone: true, budget, ..Task::default() };
        let ran = run_lanes(domain, task, &[given], store, opens);
        let (ran, left) = ran.map_err(|fault| {
            let of = if is_watched { "" } else { "its domain shader: " };
            Why::Failed(format!("{of}{}", told::fault(domain, &fault)))
        })?;
        Ok(Made { ran, gave: left.into_iter().next().unwrap_or_default() })
    }

    /// Runs something until nothing that it reads is missing.
    pub(super) fn whole<T>(
        &self,
        store: &mut Store<'_>,
        lean: Lean,
        run: impl FnMut(&mut Store<'_>, &mut Opens) -> Result<Option<Made<T>>, Why>,
    ) -> Result<(Made<T>, Opens), Failure> {
        let (made, opens) = self.arguments.complete(&self.draw.shader, store, lean, run)?;
        Ok((self.there(made)?, opens))
    }

    /// What the GPU makes of a patch, with the draw that ends with it.
    pub(super) fn tessellated(&self, at: At, of: &[MeshOf]) -> Result<Result<Tessellated, Untold>, Failure> {
        let counts = self.draw.counts();
        let vertices = assembly::topology(self.draw).vertices(at.number + 1);
        let with = |instances: u32| Some(self.draw.with(DrawCounts { vertices, instances, ..counts }));
        let locations = MeshOf::Patches(PatchPart::Locations);
        let mut wishes = vec![(locations, with(at.instance + 1))];
        // What comes of the instances before.
        if at.instance != 0 {
            wishes.push((locations, with(at.instance)));
        }
        let own = wishes.len();
        wishes.extend(of.iter().map(|of| (*of, with(at.instance + 1))));
        let mut meshes = self.meshes(wishes)?;
        let beside = meshes.split_off(own);
        let mut told = Vec::new();
        for mesh in meshes {
            match mesh {
                Ok(mesh) if mesh.full => {
                    let what = "the GPU makes more vertices up to it than there is room for";
                    return Ok(Err(Untold::Other(what.to_owned())));
                }
                Ok(mesh) => told.push(mesh),
                Err(why) => return Ok(Err(Untold::Other(why))),
            }
        }
        let Some(all) = told.first() else { return Ok(Err(Untold::Other("the replay did not show it".to_owned()))) };
        if all.vertices() == 0 && self.draw.shader.predicated {
            return Ok(Err(Untold::LeftOut));
        }
        let earlier = told.get(1).map_or(0, Mesh::vertices);
        let (begin, locations) = patch::of_patch(all, earlier, at.number);
        Ok(Ok(Tessellated { begin, locations, meshes: beside }))
    }
}
