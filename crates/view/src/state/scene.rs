//! A state with its trace: makes references to what numbers stand for.

use super::report::{
    AddressRef, DescriptorReport, HandleRef, MarkerReport, ObjectRef, RanReport, ShaderReport, SlotRef,
    SubmissionReport,
};
use crate::api;
use reprise_codec::json::{self, Namer};
use reprise_codec::value::Member;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{BlobKind, MethodId, Role};
use reprise_d3d12::types::{D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION};
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::activity::Activity;
use reprise_timeline::index::Index;
use reprise_timeline::state::State;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings::Register;
use reprise_timeline::state::descriptors::{Descriptor, ViewKind};
use reprise_timeline::state::lists::Marker;
use reprise_timeline::state::objects::Name;
use reprise_timeline::state::queues::Submission;
use reprise_trace::read::{self, Trace};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// A state with its trace.
pub(super) struct Scene<'s> {
    pub(super) trace: &'s Trace,
    pub(super) index: &'s Index,
    pub(super) state: &'s State,
    /// Where the state is that of a bundle: that of the list that runs it, which may name objects made later.
    pub(super) later: Option<&'s State>,
    /// The call that the state is as of.
    pub(super) call: u64,
    pub(super) codec: &'s Codec,
    /// Which of the resources that share memory hold contents, where the report tells.
    pub(super) activity: Option<&'s Activity>,
}

/// Names numbers by the state, and blobs by what came with a payload.
pub(super) struct Namers<'s> {
    pub(super) scene: &'s Scene<'s>,
    pub(super) blobs: &'s [(u32, u64)],
}

impl Scene<'_> {
    /// An object; none for 0.
    pub(super) fn object(&self, id: u32) -> Option<ObjectRef> {
        (id != 0).then(|| self.known(id))
    }

    /// An object that is not 0.
    pub(super) fn known(&self, id: u32) -> ObjectRef {
        let later = || self.later.and_then(|later| later.objects.get(id));
        let Some(object) = self.state.objects.get(id).or_else(later) else {
            // Its class is no longer known, and its name is another's business.
            let gone = self.index.chronicle().life(id).and_then(|life| life.released);
            let gone = gone.is_some_and(|released| released < self.call);
            return ObjectRef { id, class: "IUnknown".into(), name: None, gone };
        };
        let name = object.name.as_ref().map(|name| match name {
            Name::Text(text) => text.clone(),
            Name::Blob { blob, wide } => match self.trace.blob_by_id(*blob) {
                Ok(bytes) => Name::text(&bytes, *wide),
                Err(error) => format!("({error})"),
            },
        });
        ObjectRef { id, class: api::class(object.interface()).to_owned(), name, gone: false }
    }

    /// A GPU address; none for null.
    pub(super) fn address(&self, address: u64) -> Option<AddressRef> {
        (address != 0).then(|| self.known_address(address))
    }

    /// A GPU address that is not null.
    pub(super) fn known_address(&self, address: u64) -> AddressRef {
        let location = self.state.addresses.resource(address);
        AddressRef {
            address: format!("{address:#x}"),
            resource: location.map(|location| self.known(location.resource)),
            offset: location.map(|location| location.offset),
        }
    }

    /// A descriptor handle.
    pub(super) fn handle(&self, handle: u64, slot: Option<Slot>) -> HandleRef {
        HandleRef {
            handle: format!("{handle:#x}"),
            heap: slot.map(|slot| self.known(slot.heap)),
            slot: slot.map(|slot| slot.index),
        }
    }

    /// What a slot of a heap holds.
    pub(super) fn descriptor(&self, descriptor: &Descriptor) -> DescriptorReport {
        let view = &descriptor.view;
        let (name, structure) = match view.kind {
            ViewKind::Constants => ("cbv", "D3D12_CONSTANT_BUFFER_VIEW_DESC"),
            ViewKind::Shader => ("srv", "D3D12_SHADER_RESOURCE_VIEW_DESC"),
            ViewKind::Unordered => ("uav", "D3D12_UNORDERED_ACCESS_VIEW_DESC"),
            ViewKind::Feedback => ("feedback", ""),
            ViewKind::Target => ("rtv", "D3D12_RENDER_TARGET_VIEW_DESC"),
            ViewKind::Depth => ("dsv", "D3D12_DEPTH_STENCIL_VIEW_DESC"),
            ViewKind::Sampler => ("sampler", "D3D12_SAMPLER_DESC"),
            ViewKind::Sampler2 => ("sampler", "D3D12_SAMPLER_DESC2"),
        };
        let location = match view.kind {
            ViewKind::Constants => view.desc::<D3D12_CONSTANT_BUFFER_VIEW_DESC>().map(|desc| desc.BufferLocation),
            ViewKind::Shader => view
                .desc::<D3D12_SHADER_RESOURCE_VIEW_DESC>()
                .filter(|desc| desc.ViewDimension == D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE)
                // SAFETY: the dimension says which arm of the union is set; all of them are plain numbers.
                .map(|desc| unsafe { desc.Anonymous.RaytracingAccelerationStructure.Location }),
            _ => None,
        };
        DescriptorReport {
            view: name,
            resource: self.object(view.resource),
            second: self.object(view.second),
            location: location.and_then(|location| self.address(location)),
            desc: self.structure(structure, view.bytes()),
            call: descriptor.call,
            copied_from: descriptor.from.map(|from| SlotRef { heap: from.heap, slot: from.index }),
        }
    }

    /// A structure without pointers.
    fn structure(&self, name: &str, bytes: &[u8]) -> Json {
        if bytes.is_empty() || name.is_empty() {
            return Json::Null;
        }
        match self.codec.decode_structure(reprise_d3d12::struct_(name), bytes) {
            Ok(value) => self.codec.json_value(&value, &Namers { scene: self, blobs: &[] }),
            Err(error) => json!({ "error": error }),
        }
    }

    /// The arguments of a call.
    pub(super) fn arguments(&self, method: MethodId, payload: &[u8], blobs: &[(u32, u64)]) -> Map<String, Json> {
        match self.codec.decode_enter(method, payload) {
            Ok(arguments) => self.codec.json_arguments(&arguments, &Namers { scene: self, blobs }),
            Err(error) => [("error".to_owned(), Json::from(error.to_string()))].into_iter().collect(),
        }
    }

    /// The shaders among the arguments of a creation.
    pub(super) fn shaders(&self, members: &[Member<'_>], blobs: &[(u32, u64)]) -> Vec<ShaderReport> {
        let mut shaders = Vec::new();
        for member in members {
            self.shaders_of(member.field.name, &member.value, member.field.role, blobs, &mut shaders);
        }
        shaders
    }

    fn shaders_of(
        &self,
        stage: &str,
        value: &Value<'_>,
        role: Role,
        blobs: &[(u32, u64)],
        shaders: &mut Vec<ShaderReport>,
    ) {
        let stage_of = |stage: &str| stage.to_owned();
        match value {
            Value::Blob(number, BlobKind::Shader, bytes) => {
                let id = blobs.iter().rev().find(|(own, _)| own == number).map(|(_, id)| *id);
                let hash = id.and_then(|id| self.trace.blob_hash(id).ok()).map(|hash| format!("{hash:032x}"));
                shaders.push(ShaderReport { stage: stage_of(stage), hash, bytes: *bytes });
            }
            Value::Bytes(bytes) if role == Role::Blob(BlobKind::Shader) => shaders.push(ShaderReport {
                stage: stage_of(stage),
                hash: Some(format!("{:032x}", read::content_hash(bytes))),
                bytes: bytes.len() as u64,
            }),
            Value::Struct(_, members) => {
                for member in members {
                    // The structure's own name is the stage: `VS.pShaderBytecode`.
                    let code = matches!(member.field.role, Role::Blob(BlobKind::Shader));
                    let name = if code { stage } else { member.field.name };
                    self.shaders_of(name, &member.value, member.field.role, blobs, shaders);
                }
            }
            Value::Array(values) => {
                values.iter().for_each(|value| self.shaders_of(stage, value, role, blobs, shaders));
            }
            Value::Stream(subobjects) => {
                for (number, value) in subobjects {
                    self.shaders_of(&self.codec.subobject_name(*number), value, Role::Plain, blobs, shaders);
                }
            }
            _ => {}
        }
    }

    /// The blob at a place in the trace.
    ///
    /// # Errors
    /// In words: when it cannot be read.
    pub(super) fn stored(&self, place: u64) -> Result<Arc<[u8]>, String> {
        self.trace.blob_by_id(place).map_err(|error| error.to_string())
    }

    pub(super) fn marker(&self, marker: &Marker) -> MarkerReport {
        let marker = marker.resolved(self.trace);
        let colour = marker.colour.map(|colour| format!("{colour:#010x}"));
        MarkerReport { text: marker.text, colour, call: marker.call }
    }

    pub(super) fn markers(&self, markers: &[Marker]) -> Vec<MarkerReport> {
        markers.iter().map(|marker| self.marker(marker)).collect()
    }

    /// The name of a value of an enumeration without what all of its names begin with.
    pub(super) fn name(&self, enumeration: &str, value: u32) -> String {
        api::value_name(self.codec, enumeration, value)
    }
}

/// A submission; frames count from 1.
pub(super) fn submission(submission: &Submission) -> SubmissionReport {
    SubmissionReport {
        number: submission.number,
        call: submission.call,
        frame: u64::from(submission.frame) + 1,
        queue: submission.queue,
        lists: submission
            .lists
            .iter()
            .map(|ran| RanReport { list: ran.list, begun: ran.begun, calls: ran.calls })
            .collect(),
    }
}

/// As HLSL has it: `t3`, `u0, space2`.
pub(super) fn register(register: Register) -> String {
    let letter = match register.kind {
        Kind::Srv => 't',
        Kind::Uav => 'u',
        Kind::Cbv => 'b',
        Kind::Sampler => 's',
    };
    match register.space {
        0 => format!("{letter}{}", register.number),
        space => format!("{letter}{}, space{space}", register.number),
    }
}

impl Namer for Namers<'_> {
    fn word(&self, role: Role, value: u64) -> Option<Json> {
        let addresses = &self.scene.state.addresses;
        let slot = match role {
            Role::CpuDescriptor => addresses.cpu(value),
            Role::GpuDescriptor => addresses.gpu(value),
            Role::GpuAddress => {
                let location = addresses.resource(value)?;
                return Some(json!({
                    "address": format!("{value:#x}"),
                    "object": location.resource,
                    "offset": location.offset,
                }));
            }
            _ => return None,
        };
        let slot = slot?;
        Some(json!({ "handle": format!("{value:#x}"), "heap": slot.heap, "index": slot.index }))
    }

    fn object(&self, id: u32) -> Option<Json> {
        match self.scene.object(id) {
            Some(object) => serde_json::to_value(object).ok(),
            None => Some(Json::Null),
        }
    }

    fn blob(&self, number: u32, kind: BlobKind, bytes: u64) -> Option<Json> {
        let id = self.blobs.iter().rev().find(|(own, _)| *own == number).map(|(_, id)| *id)?;
        Some(json!({ "blob": id, "kind": format!("{kind:?}"), "bytes": bytes }))
    }

    fn bytes(&self, bytes: &[u8]) -> Option<Json> {
        (bytes.len() <= 64).then(|| json::hex(bytes).into())
    }
}
