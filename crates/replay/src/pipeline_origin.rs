//! What the pipeline of a draw is made of, and how a list has it set: a pipeline state, or a generic program of a state object.
//!
//! A pass over the trace finds it at the draw. While the trace plays, the call that made it gives the description that variants are made of;
//! and what a list had set is set back behind them.

use std::sync::Arc;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_PROGRAM_TYPE, D3D12_SET_GENERIC_PIPELINE_DESC, D3D12_SET_PROGRAM_DESC};
use reprise_d3d12::{interface, method};
use reprise_timeline::State;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Bytes, Content};
use reprise_timeline::state::lists::{Bound, Pipeline};
use reprise_timeline::state::programs::Shaders;

use crate::input::source::Blobs;
use crate::pipeline_description::{Description, Parts};
use crate::runtime::Runtime;
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
const PROGRAM_LIST: &str = "ID3D12GraphicsCommandList10";
const ROOT: Argument<Bytes> = argument!("ID3D12Device", "CreateRootSignature", "pBlobWithRootSignature");

/// What a pipeline is made of.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The call that made it, or the state object that describes the program.
    pub(crate) call: u64,
    program: Option<Arc<Program>>,
}

/// What tells origins apart: a state object describes several programs.
pub(crate) type Key = (u64, Option<String>);

/// A generic program.
#[derive(Debug)]
struct Program {
    name: String,
    /// Some are of the state object that its own grew from.
    shaders: Shaders,
    /// The bytes of the root signature that lists draw with: it has to be the program's. Without it that of the shaders holds.
    root: Option<Arc<[u8]>>,
}

impl Origin {
    /// Of what is bound at a draw.
    ///
    /// # Errors
    /// In words that go on from "the draw": nothing is, or the trace does not tell what it is made of.
    pub(crate) fn of(state: &State, blobs: &dyn Blobs, bound: &Bound) -> Result<Self, String> {
        match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
            Some(Pipeline::State(pipeline)) if pipeline != 0 => {
                let made = state.objects.get(pipeline).ok_or("its pipeline is gone")?;
                Ok(Self { call: made.creation().number, program: None })
            }
            Some(Pipeline::Program { kind, identifier }) if kind == D3D12_PROGRAM_TYPE::GENERIC_PIPELINE.0 as u32 => {
                let program = state.programs.get(&identifier)?;
                let shaders = program.shaders(&mut |place| blobs.at(place))?;
                let root = bound.graphics.signature.map_or(0, |set| set.value);
                let root = if root == 0 { None } else { Some(bytes_of_root(state, blobs, root)?) };
                let call = program.call;
                Ok(Self { call, program: Some(Arc::new(Program { name: program.name.to_owned(), shaders, root })) })
            }
            Some(Pipeline::Program { .. }) => Err("its list has a program set that is no pipeline".into()),
            Some(Pipeline::StateObject(_)) => Err("its list has a state object of ray tracing set".into()),
            _ => Err("no pipeline is bound".into()),
        }
    }

    /// What tells it apart.
    pub(crate) fn key(&self) -> Key {
        (self.call, self.program.as_ref().map(|program| program.name.clone()))
    }

    /// What the program gave for the pipeline in this call.
    ///
    /// # Errors
    /// In words: the call gives none, or a root signature cannot be made for it.
    ///
    /// # Safety
    /// The words are those that the codec rebuilt for this method, and their memory is alive while the description is used.
    pub(crate) unsafe fn description<'c>(
        &'c self,
        (runtime, codec, device): (&'c Runtime, &'c Codec, u64),
        call: (MethodId, &[u64]),
    ) -> Result<Description<'c>, String> {
        let Some(program) = &self.program else {
            // SAFETY: as the caller says.
            return unsafe { Description::of(codec, call) };
        };
        let parts = Parts { name: &program.name, shaders: &program.shaders, root: program.root.as_deref() };
        // SAFETY: as the caller says.
        unsafe { Description::of_program((runtime, codec, device), call, parts) }
    }
}

/// The bytes of a root signature.
fn bytes_of_root(state: &State, blobs: &dyn Blobs, id: u32) -> Result<Arc<[u8]>, String> {
    let creation = state.objects.get(id).ok_or("its root signature is gone")?.creation();
    if creation.method != ROOT.method() {
        return Err("its root signature is not made of bytes: not supported for programs of state objects".into());
    }
    match ROOT.of(&creation).map_err(|error| error.to_string())? {
        Some(Content::Inline(bytes)) => Ok(bytes.into()),
        Some(Content::Blob(place, _)) => blobs.at(place),
        Some(Content::Absent(_)) | None => Err("the recording does not have the bytes of its root signature".into()),
    }
}

/// What a list has set, in values of this replay, so that it can be set back.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    list: u64,
    set: Set,
}

#[derive(Clone, Copy)]
enum Set {
    Nothing,
    State(u64),
    Program([u64; 4]),
}

impl Own {
    /// Of a list with this bound.
    ///
    /// # Errors
    /// In words: it means nothing here.
    pub(crate) fn of(world: &mut World, list: u32, bound: &Bound) -> Result<Self, String> {
        let (class, set) = match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
            None | Some(Pipeline::State(0)) => (LIST, Set::Nothing),
            Some(Pipeline::State(pipeline)) => {
                (LIST, Set::State(world.pointer(pipeline, interface("ID3D12PipelineState"))?))
            }
            Some(Pipeline::Program { kind, identifier }) if kind == D3D12_PROGRAM_TYPE::GENERIC_PIPELINE.0 as u32 => {
                let here = world.identifiers.program_of(&identifier);
                let here =
                    here.ok_or("the program that the list has set has no identifier here, and cannot be set back")?;
                (PROGRAM_LIST, Set::Program(here))
            }
            Some(Pipeline::StateObject(_) | Pipeline::Program { .. }) => {
                return Err(
                    "the list has a state object or a work graph set, which cannot be set back: not supported".into()
                );
            }
        };
        Ok(Self { list: world.pointer(list, interface(class))?, set })
    }

    /// Sets it.
    pub(crate) fn set(&self, world: &World) {
        match self.set {
            Set::Nothing => {}
            Set::State(pipeline) => {
                // SAFETY: the list is alive and recording, and so is the pipeline.
                unsafe { world.runtime.call(self.list, method(LIST, "SetPipelineState"), &[pipeline]) };
            }
            Set::Program(identifier) => {
                let mut desc =
                    D3D12_SET_PROGRAM_DESC { Type: D3D12_PROGRAM_TYPE::GENERIC_PIPELINE, ..Default::default() };
                let mut generic = D3D12_SET_GENERIC_PIPELINE_DESC::default();
                generic.ProgramIdentifier.OpaqueData = identifier;
                desc.Anonymous.GenericPipeline = generic;
                let words = [core::ptr::from_ref(&desc) as u64];
                // SAFETY: the list is alive and recording, and has this interface; the description is ours, and the state object of the
                // program lives, because the draw uses it.
                unsafe { world.runtime.call(self.list, method(PROGRAM_LIST, "SetProgram"), &words) };
            }
        }
    }
}
