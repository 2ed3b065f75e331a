//! What a list or bundle has set: the pipeline, root signatures and arguments, targets, buffers, fixed-function state.
//!
//! Invariant: `None` means that nothing was set since the recording began. In a list the API's default holds then; in a
//! bundle the value comes from the list that runs it, but for the pipeline and the topology, which bundles do not inherit.

use super::view::{IndexBuffer, Pass, Predication, SamplePositions, StreamOutput, Targets, VertexBuffer};
use serde::{Deserialize, Serialize};

/// Most parameters of a root signature: it has 64 words, and no parameter takes less than one.
pub(super) const MOST_PARAMETERS: usize = 64;
/// Most words of root constants, for the same reason.
pub(super) const MOST_CONSTANTS: usize = 64;
/// Input slots of vertex buffers (`D3D12_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT`).
pub(super) const VERTEX_SLOTS: usize = 32;
/// Slots of stream output (`D3D12_SO_BUFFER_SLOT_COUNT`).
pub(super) const STREAM_OUTPUT_SLOTS: usize = 4;

/// A value, and the call that set it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting<T> {
    /// What was set.
    pub value: T,
    /// Number of the call.
    pub call: u64,
}

/// All that is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// What draws and dispatches run.
    pub pipeline: Option<Setting<Pipeline>>,
    /// Root signature and arguments of draws.
    pub graphics: Roots,
    /// Root signature and arguments of dispatches.
    pub compute: Roots,
    /// Ids of the descriptor heaps, as the program listed them.
    pub heaps: Option<Setting<Vec<u32>>>,
    /// Render targets and depth.
    pub targets: Option<Setting<Targets>>,
    /// The index buffer; nothing where the program unset it.
    pub index: Option<Setting<Option<IndexBuffer>>>,
    /// Vertex buffers by slot; nothing where the program unset one.
    pub vertices: Vec<Option<Setting<Option<VertexBuffer>>>>,
    /// Buffers of stream output by slot; nothing where the program unset one.
    pub stream_output: Vec<Option<Setting<Option<StreamOutput>>>>,
    /// Left, top, width, height, least and greatest depth of each viewport.
    pub viewports: Option<Setting<Vec<[f32; 6]>>>,
    /// Left, top, right, bottom of each scissor rectangle.
    pub scissors: Option<Setting<Vec<[i32; 4]>>>,
    /// `D3D_PRIMITIVE_TOPOLOGY`.
    pub topology: Option<Setting<u32>>,
    /// Red, green, blue, alpha.
    pub blend_factor: Option<Setting<[f32; 4]>>,
    /// Of front and back faces.
    pub stencil_ref: Option<Setting<[u32; 2]>>,
    /// Least and greatest.
    pub depth_bounds: Option<Setting<[f32; 2]>>,
    /// Constant, clamp, slope. Setting a pipeline takes it back.
    pub depth_bias: Option<Setting<[f32; 3]>>,
    /// `D3D12_INDEX_BUFFER_STRIP_CUT_VALUE`. Setting a pipeline takes it back.
    pub strip_cut: Option<Setting<u32>>,
    /// Where samples lie in pixels.
    pub sample_positions: Option<Setting<SamplePositions>>,
    /// A bit for each view instance.
    pub view_instances: Option<Setting<u32>>,
    /// `D3D12_SHADING_RATE`, and the two `D3D12_SHADING_RATE_COMBINER`s.
    pub shading_rate: Option<Setting<(u32, [u32; 2])>>,
    /// Id of the resource; 0 for none.
    pub shading_rate_image: Option<Setting<u32>>,
    /// The predicate; nothing where the program unset it.
    pub predication: Option<Setting<Option<Predication>>>,
    /// Id of the protected session; 0 for none.
    pub protected_session: Option<Setting<u32>>,
    /// The render pass that is under way.
    pub pass: Option<Setting<Pass>>,
}

/// What draws and dispatches run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pipeline {
    /// Id of a pipeline state; 0 for none.
    State(u32),
    /// Id of a state object (ray tracing).
    StateObject(u32),
    /// A program of a state object (`SetProgram`).
    Program {
        /// `D3D12_PROGRAM_TYPE`.
        kind: u32,
        /// What it is set by; [`crate::state::Programs`] has the generic ones.
        identifier: crate::state::programs::Identifier,
    },
}

/// A root signature and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roots {
    /// Id of the root signature; 0 for none.
    pub signature: Option<Setting<u32>>,
    /// By parameter.
    pub arguments: Vec<Option<Setting<RootArgument>>>,
    /// In a bundle: it set root signatures that differ, so nothing of the list that runs it is left.
    pub(super) forgets: bool,
}

/// A root argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RootArgument {
    /// Words; nothing where none was set.
    Constants(Vec<Option<u32>>),
    /// A GPU address.
    View(RootView, u64),
    /// The GPU handle that a descriptor table begins at.
    Table(u64),
}

/// What a root descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootView {
    /// A constant buffer.
    Constants,
    /// A buffer that shaders read.
    Read,
    /// A buffer that shaders write.
    Write,
}

/// Sets one of several slots, of which there are at most `most`. False where there is no such slot.
pub(super) fn put<T: Clone>(slots: &mut Vec<Option<Setting<T>>>, slot: usize, most: usize, value: Setting<T>) -> bool {
    if slot >= most {
        return false;
    }
    if slots.len() <= slot {
        slots.resize(slot + 1, None);
    }
    slots[slot] = Some(value);
    true
}

impl Roots {
    /// `Set*RootSignature`. `same` says whether two root signatures are equal; arguments stay where they are (Direct3D 12,
    /// "Using a root signature": a redundant setting makes nothing stale), else all are stale.
    pub(super) fn set_signature(&mut self, id: u32, call: u64, same: impl Fn(u32, u32) -> bool) {
        if let Some(old) = self.signature
            && !same(old.value, id)
        {
            self.arguments.clear();
            self.forgets = true;
        }
        self.signature = Some(Setting { value: id, call });
    }

    /// `SetGraphicsRoot32BitConstants` and its kin. False where the parameter or a word cannot exist.
    pub(super) fn set_constants(
        &mut self,
        parameter: u32,
        offset: u32,
        words: impl Iterator<Item = u32>,
        call: u64,
    ) -> bool {
        let (parameter, offset) = (parameter as usize, offset as usize);
        if parameter >= MOST_PARAMETERS {
            return false;
        }
        if self.arguments.len() <= parameter {
            self.arguments.resize(parameter + 1, None);
        }
        let argument = &mut self.arguments[parameter];
        if !matches!(argument, Some(Setting { value: RootArgument::Constants(_), .. })) {
            *argument = Some(Setting { value: RootArgument::Constants(Vec::new()), call });
        }
        let Some(Setting { value: RootArgument::Constants(constants), call: set }) = argument else { return false };
        *set = call;
        for (index, word) in words.enumerate() {
            let index = offset.saturating_add(index);
            if index >= MOST_CONSTANTS {
                return false;
            }
            if constants.len() <= index {
                constants.resize(index + 1, None);
            }
            constants[index] = Some(word);
        }
        true
    }

    /// Any other root argument. False where the parameter cannot exist.
    pub(super) fn set(&mut self, parameter: u32, value: RootArgument, call: u64) -> bool {
        put(&mut self.arguments, parameter as usize, MOST_PARAMETERS, Setting { value, call })
    }

    /// What a bundle's settings leave on the list that ran it.
    fn run(&mut self, bundle: &Roots, same: impl Fn(u32, u32) -> bool) {
        if let Some(signature) = bundle.signature {
            if bundle.forgets || self.signature.is_some_and(|old| !same(old.value, signature.value)) {
                self.arguments.clear();
                self.forgets = true;
            }
            self.signature = Some(signature);
        }
        for (parameter, argument) in bundle.arguments.iter().enumerate() {
            match argument {
                None => {}
                // Words that the bundle did not set stay.
                Some(Setting { value: RootArgument::Constants(words), call }) => {
                    for (offset, word) in words.iter().enumerate() {
                        if let Some(word) = word {
                            self.set_constants(parameter as u32, offset as u32, std::iter::once(*word), *call);
                        }
                    }
                }
                Some(argument) => _ = self.set(parameter as u32, argument.value.clone(), argument.call),
            }
        }
    }
}

impl Bound {
    /// `SetPipelineState` and its kin. What only a dynamic state of the pipeline before it was set to is taken back.
    pub(super) fn set_pipeline(&mut self, pipeline: Pipeline, call: u64) {
        self.pipeline = Some(Setting { value: pipeline, call });
        self.depth_bias = None;
        self.strip_cut = None;
    }

    /// The buffers that stream output goes to, and the calls that set them. A view whose address is 0 is of no buffer.
    pub fn streams(&self) -> impl Iterator<Item = (StreamOutput, u64)> + '_ {
        let set = self.stream_output.iter().flatten();
        let set = set.filter_map(|slot| Some((slot.value?, slot.call)));
        set.filter(|(output, _)| output.address != 0)
    }

    /// `ExecuteBundle`: what the bundle set is set on the list from here on.
    pub fn run(&mut self, bundle: &Bound, same: impl Fn(u32, u32) -> bool) {
        // A pipeline first, because it takes others back.
        if let Some(pipeline) = bundle.pipeline {
            self.set_pipeline(pipeline.value, pipeline.call);
        }
        self.graphics.run(&bundle.graphics, &same);
        self.compute.run(&bundle.compute, &same);
        replace_slots(&mut self.vertices, &bundle.vertices);
        replace_slots(&mut self.stream_output, &bundle.stream_output);
        macro_rules! replace {
            ($($field:ident)*) => {
                $(if let Some(setting) = &bundle.$field {
                    self.$field = Some(setting.clone());
                })*
            };
        }
        replace!(heaps targets index viewports scissors topology blend_factor stencil_ref depth_bounds depth_bias strip_cut);
        replace!(sample_positions view_instances shading_rate shading_rate_image predication protected_session);
    }

    /// The state that a command in a bundle sees when a list runs the bundle. A bundle inherits the list's state except pipeline, topology
    /// and mask of view instances. Its own settings before the command replace the list's.
    pub fn within(list: &Bound, bundle: &Bound, same: impl Fn(u32, u32) -> bool) -> Bound {
        let mut bound = Bound { pipeline: None, topology: None, view_instances: None, ..list.clone() };
        bound.run(bundle, same);
        bound
    }
}

fn replace_slots<T: Clone>(slots: &mut Vec<Option<Setting<T>>>, later: &[Option<Setting<T>>]) {
    if slots.len() < later.len() {
        slots.resize(later.len(), None);
    }
    for (slot, later) in slots.iter_mut().zip(later) {
        if later.is_some() {
            slot.clone_from(later);
        }
    }
}
