//! What a dispatch of rays has beside root arguments: the shader tables that it names, and what the state object says of their records.
//!
//! [`Rays`] is of one dispatch, of a call or of a command that the GPU read; [`RayShaders`] is what all of a call have in common.

use super::Refused;
use anyhow::anyhow;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC;
use reprise_dxbc::{RootSignature, Stage};
use reprise_interpreter::Table;
use reprise_state_object::plan::{Group, Shader};
use reprise_state_object::{IDENTIFIER, RecordLayout};
use reprise_timeline::argument::{Argument, Element as _, One};
use reprise_timeline::state_objects::{Export, StateObject, StateObjects};
use reprise_timeline::{Call, Interests, Pass, Walk, argument};
use reprise_trace::read::Trace;
use std::sync::Arc;

pub(super) const DISPATCH_RAYS: MethodId = method("ID3D12GraphicsCommandList4", "DispatchRays");
const DESC: Argument<One<D3D12_DISPATCH_RAYS_DESC>> = argument!("ID3D12GraphicsCommandList4", "DispatchRays", "pDesc");
/// Most bytes of a record: `D3D12_RAYTRACING_MAX_SHADER_RECORD_STRIDE`.
const LARGEST: u64 = 4096;

/// Where a table lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    start: u64,
    bytes: u64,
    /// 0: all records are one.
    stride: u64,
}

/// An export of a state object.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    /// Its shaders, each with its stage.
    pub(super) shaders: Vec<(Stage, Shader)>,
    pub(super) layout: RecordLayout,
    pub(super) local: Option<Arc<RootSignature>>,
    /// That of the whole dispatch, as the shaders are made for it.
    pub(super) global: Option<Arc<RootSignature>>,
    identifiers: Vec<[u8; IDENTIFIER]>,
}

/// A dispatch of rays: its size, and its tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rays {
    pub(crate) size: [u32; 3],
    ranges: [Range; 4],
}

/// The shaders that records of tables may name.
#[derive(Clone, Debug)]
pub(crate) struct RayShaders {
    exports: Vec<Known>,
    /// How deep rays may lie in rays.
    pub(crate) most_rays: u32,
}

struct Collect<'t> {
    trace: &'t Trace,
    objects: StateObjects,
}

impl Pass for Collect<'_> {
    fn interests(&self) -> Interests {
        StateObjects::interests()
    }

    fn call(&mut self, call: &Call<'_>, _at: &reprise_timeline::At) {
        // What cannot be read is missing where a record names it, which is said there.
        let _ = self.objects.call(call, &mut |place| self.trace.blob_by_id(place).map_err(|error| error.to_string()));
    }
}

impl Rays {
    /// Bytes of a command that dispatches rays.
    pub(super) const BYTES: usize = size_of::<D3D12_DISPATCH_RAYS_DESC>();

    /// Of a call; nothing of one that is no such dispatch.
    ///
    /// # Errors
    /// The call is damaged.
    pub(super) fn of_call(call: &Call<'_>) -> anyhow::Result<Rays> {
        if call.method != DISPATCH_RAYS {
            return Ok(Rays::default());
        }
        let desc = DESC.of(call).map_err(|error| anyhow!("{error}"))?.unwrap_or_default();
        Ok(Rays::of(&desc))
    }

    /// Of the bytes of a command; `None`: they are too few.
    pub(super) fn of_command(bytes: &[u8]) -> Option<Rays> {
        D3D12_DISPATCH_RAYS_DESC::from_bytes(bytes).as_ref().map(Rays::of)
    }

    fn of(desc: &D3D12_DISPATCH_RAYS_DESC) -> Rays {
        let one = desc.RayGenerationShaderRecord;
        let range = |of: reprise_d3d12::types::D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE| Range {
            start: of.StartAddress,
            bytes: of.SizeInBytes,
            stride: of.StrideInBytes,
        };
        let ranges = [
            Range { start: one.StartAddress, bytes: one.SizeInBytes, stride: 0 },
            range(desc.MissShaderTable),
            range(desc.HitGroupTable),
            range(desc.CallableShaderTable),
        ];
        Rays { size: [desc.Width, desc.Height, desc.Depth], ranges }
    }

    /// Where a record lies, and how many bytes it has; `None`: there is no such table, so no shader is called.
    ///
    /// # Errors
    /// In words: it lies behind the table's end.
    pub(super) fn place(&self, table: Table, index: u64) -> Result<Option<(u64, usize)>, String> {
        let range = self.ranges[table as usize];
        if range.start == 0 {
            return Ok(None);
        }
        let step = if range.stride == 0 { range.bytes } else { range.stride };
        let at = index.saturating_mul(range.stride);
        let size = range.bytes.saturating_sub(at).min(step).min(LARGEST);
        if size < IDENTIFIER as u64 {
            let what = format!("record {index} lies behind the end of the {} table", table.name().replace('_', " "));
            return Err(format!("{what}, which has {} bytes at a stride of {}", range.bytes, range.stride));
        }
        Ok(Some((range.start + at, size as usize)))
    }
}

impl RayShaders {
    /// Those of a state object, as a submission runs a call.
    ///
    /// # Errors
    /// The trace cannot be read, or what the state object is for is unsupported.
    pub(super) fn of(trace: &Trace, number: u64, object: u32, until: u64) -> Result<RayShaders, Refused> {
        let unsupported = |what: String| Refused::Unsupported(format!("call {number}: {what}"));
        let mut collect = Collect { trace, objects: StateObjects::with_code() };
        let mut walk = Walk::new(&[&mut collect]);
        let walked = walk.run(&mut trace.events().without_pages(), until, &mut [&mut collect]);
        walked.map_err(|error| Refused::Trace(error.into()))?;
        let own = collect.objects.get(object);
        let own = own.ok_or_else(|| unsupported(format!("the trace does not have state object {object}")))?;
        // A program may use identifiers that another state object told it.
        let mut others: Vec<(u32, &StateObject)> = collect.objects.iter().filter(|(id, _)| *id != object).collect();
        others.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
        let mut exports: Vec<Known> = own.exports().iter().map(|export| known(own, export)).collect();
        exports.extend(others.iter().flat_map(|(_, it)| it.exports().iter().map(|export| known(it, export))));
        let configs = own.exports().iter().filter_map(|export| own.group(&export.name)?.settings.pipeline);
        let mut configs: Vec<_> = configs.collect();
        configs.dedup();
        let config =
            configs.first().ok_or_else(|| unsupported("its state object has no pipeline config".to_owned()))?;
        if config.flags != 0 {
            let what = format!("a pipeline config with the flags {:#x} is not supported yet", config.flags);
            return Err(unsupported(what));
        }
        Ok(RayShaders { exports, most_rays: config.depth })
    }

    /// The export that an identifier is of.
    pub(super) fn export(&self, identifier: &[u8]) -> Option<&Known> {
        self.exports.iter().find(|export| export.identifiers.iter().any(|own| own == identifier))
    }
}

fn known(object: &StateObject, export: &Export) -> Known {
    let group: Option<&Group> = object.group(&export.name);
    let imports = group.map_or(&[][..], |group| &group.imports);
    let shaders = imports.iter().filter_map(|import| Some((import.stage, import.shader.clone()?)));
    let own = object.identifiers().filter(|(_, other)| other.name == export.name);
    Known {
        name: export.name.clone(),
        shaders: shaders.collect(),
        layout: export.record.clone(),
        local: export.local.clone(),
        global: export.global.clone(),
        identifiers: own.map(|(identifier, _)| *identifier).collect(),
    }
}
