//! Geometry shaders: what they emit, and which of their inputs are of vertices.
//!
//! Invariant: no shader emits more vertices than it declares, and what it keeps is bounded.

use crate::fault::Fault;
use crate::group::Group;
use crate::kind::Kind;
use crate::module::{Instruction, Module};
use crate::stage::{Emitted, Words};
use spirv::{BuiltIn, Decoration, ExecutionModel, Op, StorageClass};

/// The most vertices that Direct3D 12 lets one run of a shader emit.
const MOST_VERTICES: usize = 1024;
/// The most points of a patch.
pub(crate) const MOST_POINTS: u32 = 32;
/// Streams of a geometry shader.
const STREAMS: u32 = 4;

impl Module {
    /// Of a geometry shader the vertices of the primitives that it gives: 1, 2 or 3.
    pub fn given_primitive(&self) -> Option<u32> {
        self.gives.primitive
    }

    /// Of a geometry shader the vertices of the primitives that it takes, where these have no neighbours: 1, 2 or 3.
    pub fn taken_primitive(&self) -> Option<u32> {
        self.gives.taken
    }

    /// How often a geometry shader runs for each primitive.
    pub fn instances(&self) -> u32 {
        self.gives.instances.unwrap_or(1).max(1)
    }

    /// Whether the patches of a hull or domain shader are triangles.
    pub fn is_of_triangles(&self) -> bool {
        self.gives.triangles
    }

    /// Of a hull shader the points of the patch that it gives.
    pub fn points(&self) -> u32 {
        self.gives.vertices.min(MOST_POINTS)
    }

    /// The least location of the outputs of a stream: those of each have places of their own.
    pub fn first_location(&self, stream: u32) -> Option<u32> {
        let of_stream = |id: u32| self.decoration(id, Decoration::Stream).unwrap_or(0) == stream;
        let outputs = self.variables.iter().filter(|(_, variable)| variable.class == StorageClass::Output as u32);
        let locations =
            outputs.filter(|(id, _)| of_stream(**id)).map(|(id, _)| self.decoration(*id, Decoration::Location));
        locations.flatten().min()
    }

    /// Where an input is an array with an element of each vertex: the type of an element, and how many there are.
    pub(crate) fn of_vertices(&self, variable: u32, kind: u32) -> Option<(u32, u32)> {
        use ExecutionModel::{Geometry, TessellationControl, TessellationEvaluation};
        let takes = [Geometry, TessellationControl, TessellationEvaluation].iter().any(|it| self.model == *it as u32);
        if !takes || self.decoration(variable, Decoration::Patch).is_some() {
            return None;
        }
        let is_of_vertices = |built_in| {
            use BuiltIn::{ClipDistance, CullDistance, Layer, PointSize, Position, ViewportIndex};
            matches!(
                BuiltIn::from_u32(built_in),
                Some(Position | PointSize | ClipDistance | CullDistance | Layer | ViewportIndex)
            )
        };
        match self.kind(kind, 0) {
            Ok(Kind::Array { of, count: Some(count) })
                if self.decoration(variable, Decoration::BuiltIn).is_none_or(is_of_vertices) =>
            {
                Some((*of, *count))
            }
            _ => None,
        }
    }
}

impl Group<'_> {
    /// A vertex is emitted, or a strip ends.
    pub(crate) fn emit(&mut self, lane: usize, instruction: &Instruction) -> Result<(), Fault> {
        let stream = match instruction.op {
            Op::EmitStreamVertex | Op::EndStreamPrimitive => self.number(lane, instruction, 0)?.0 as u32,
            _ => 0,
        };
        if stream >= STREAMS {
            return Err(self.module.malformed(instruction.offset, format!("there is no stream {stream}")));
        }
        let is_vertex = matches!(instruction.op, Op::EmitVertex | Op::EmitStreamVertex);
        let own = &self.lanes[lane];
        let most = (self.module.gives.vertices as usize).min(MOST_VERTICES);
        let count = own.emitted.iter().filter(|it| it.vertex.is_some()).count();
        // What is more than the shader declares is lost.
        if is_vertex && count >= most {
            return Ok(());
        }
        let open = own.way;
        let vertex = if is_vertex { Some(self.vertex(lane, stream)?) } else { None };
        let emitted = Emitted { stream, vertex, open };
        if Some(lane as u32) == self.task.watched {
            self.emitted = Some(emitted.clone());
        }
        let of_stream = self.lanes[lane].emitted.iter().rfind(|it| it.stream == stream);
        // A strip that has not begun does not end.
        if is_vertex || of_stream.is_some_and(|last| last.vertex.is_some()) {
            self.lanes[lane].emitted.push(emitted);
        }
        Ok(())
    }

    /// The words of the vertex that is complete.
    fn vertex(&self, lane: usize, stream: u32) -> Result<Words, Fault> {
        let module = self.module;
        let mut words = Words::new();
        for (id, variable) in &module.variables {
            let of = module.decoration(*id, Decoration::Stream).unwrap_or(0);
            if variable.class == StorageClass::Output as u32 && of == stream {
                words.extend(self.output_words(&self.lanes[lane], *id)?);
            }
        }
        let way = self.lanes[lane].way;
        for (_, open) in words.values_mut() {
            *open = crate::open::either(*open, way);
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests;
