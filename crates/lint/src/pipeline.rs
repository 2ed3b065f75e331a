//! What a pipeline needs: its shaders' registers, root signature, targets, depth and vertex slots.
//!
//! Invariant: read once a pipeline, from the arguments of its creation; what cannot be read is not needed.

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::{BlobKind, MethodId, Role};
use reprise_dxbc::RootSignature;
use reprise_dxbc::registers::{Registers, registers};
use reprise_dxbc::root_signature::{APPEND, Content, Kind, UNBOUNDED};
use reprise_timeline::state::objects::Object;
use reprise_trace::read::Trace;

/// Stages of shaders, a bit each, in the order of `D3D12_SHADER_VISIBILITY`.
pub(crate) type Stages = u8;
/// The pixel shader's.
pub(crate) const PIXEL: Stages = 1 << 5;
/// The compute shader's, which every parameter is visible to.
const COMPUTE: Stages = 1;

/// A pipeline state.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    /// Id of the root signature that it was made with; 0 where none was given apart.
    pub(crate) signature: u32,
    pub(crate) compute: bool,
    pub(crate) stages: Stages,
    registers: Vec<(Stages, Registers)>,
    /// Targets that have a format.
    pub(crate) targets: u8,
    pub(crate) depth: Depth,
    /// Slots of vertex buffers that the input layout names, a bit each.
    pub(crate) slots: u32,
}

/// What is done with depth and stencil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depth {
    pub(crate) test: bool,
    pub(crate) write: bool,
    pub(crate) stencil: bool,
    pub(crate) stencil_write: bool,
}

/// A register of the shaders, as a root signature places it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Want {
    pub(crate) kind: Kind,
    pub(crate) register: u32,
    pub(crate) space: u32,
    pub(crate) stages: Stages,
    /// The root parameter.
    pub(crate) parameter: u32,
    /// Descriptors from the table's beginning; `None` for root descriptors and constants.
    pub(crate) offset: Option<u32>,
    /// It is one of several registers that the shader picks from: only that some are used is known.
    pub(crate) one_of_many: bool,
    /// So many.
    pub(crate) count: u32,
}

impl Pipeline {
    /// From the call that made it; `None` where its arguments cannot be read.
    pub(crate) fn read(object: &Object, trace: &Trace) -> Option<Pipeline> {
        let creation = object.creation();
        let method = MethodId(creation.method.0);
        let codec = reprise_timeline::codec();
        let arguments = codec.decode_enter(method, creation.enter.bytes).ok()?;
        let mut reader = Reader {
            pipeline: Pipeline::default(),
            blobs: creation.enter.blobs,
            trace,
            formats: Vec::new(),
            count: None,
            embedded: false,
        };
        reader.members("", &arguments.members);
        let count = reader.count.unwrap_or(0).min(8) as usize;
        let formats = reader.formats.iter().take(count).enumerate();
        let targets = formats.filter(|(_, format)| **format != 0).fold(0, |all, (slot, _)| all | 1 << slot);
        let (mut pipeline, embedded) = (reader.pipeline, reader.embedded);
        pipeline.targets = targets;
        if embedded {
            pipeline.signature = 0;
        }
        pipeline.depth.write &= pipeline.depth.test;
        pipeline.depth.stencil_write &= pipeline.depth.stencil;
        // Nothing comes out of a pipeline without a shader.
        (pipeline.stages != 0).then_some(pipeline)
    }

    /// Where a root signature places the registers.
    pub(crate) fn wants(&self, signature: &RootSignature) -> Vec<Want> {
        let mut all: Vec<Want> = Vec::new();
        for (stages, registers) in &self.registers {
            for (parameter, content) in signature.parameters.iter().enumerate() {
                let visible = parameter_is_visible(content.visibility, *stages);
                if !visible {
                    continue;
                }
                let mut want = |offset, register| {
                    let parameter = parameter as u32;
                    let one_of_many = registers.first != registers.last;
                    let count = registers.last.saturating_sub(registers.first).saturating_add(1);
                    let same = |want: &&mut Want| {
                        want.parameter == parameter && want.offset == offset && want.kind == registers.kind
                    };
                    match all.iter_mut().find(same) {
                        Some(want) => {
                            want.stages |= stages;
                            want.one_of_many &= one_of_many;
                            want.count = want.count.max(count);
                        }
                        None => all.push(Want {
                            kind: registers.kind,
                            register,
                            space: registers.space,
                            stages: *stages,
                            parameter,
                            offset,
                            one_of_many,
                            count,
                        }),
                    }
                };
                match &content.content {
                    Content::Descriptor(it)
                        if (it.kind, it.register, it.space) == (registers.kind, registers.first, registers.space) =>
                    {
                        want(None, it.register);
                    }
                    Content::Constants(it)
                        if (Kind::Cbv, it.register, it.space) == (registers.kind, registers.first, registers.space) =>
                    {
                        want(None, it.register);
                    }
                    Content::Table(ranges) => {
                        let mut end = 0u32;
                        for range in ranges {
                            let offset = if range.offset == APPEND { end } else { range.offset };
                            end = offset.saturating_add(range.count);
                            let last = match range.count {
                                UNBOUNDED => u32::MAX,
                                count => range.register.saturating_add(count.saturating_sub(1)),
                            };
                            let holds = range.kind == registers.kind
                                && range.space == registers.space
                                && (range.register..=last).contains(&registers.first);
                            if holds {
                                want(Some(offset.saturating_add(registers.first - range.register)), registers.first);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        all
    }
}

/// Whether a parameter of a `D3D12_SHADER_VISIBILITY` is there for these stages.
fn parameter_is_visible(visibility: u32, stages: Stages) -> bool {
    visibility == 0 || stages == COMPUTE || stages & 1u8.checked_shl(visibility).unwrap_or(0) != 0
}

struct Reader<'r> {
    pipeline: Pipeline,
    blobs: &'r [(u32, u64)],
    trace: &'r Trace,
    formats: Vec<u32>,
    count: Option<u64>,
    embedded: bool,
}

impl Reader<'_> {
    fn members(&mut self, parent: &str, members: &[Member<'_>]) {
        for member in members {
            // A shader's own structure is named by its stage: `VS.pShaderBytecode`.
            let code = matches!(member.field.role, Role::Blob(BlobKind::Shader));
            let name = if code { parent } else { member.field.name };
            self.value(parent, name, &member.value, code);
        }
    }

    fn value(&mut self, parent: &str, name: &str, value: &Value<'_>, code: bool) {
        match value {
            Value::Struct(_, members) => self.members(name, members),
            Value::Array(values) if name == "RTVFormats" || name == "RTFormats" => {
                self.formats = values.iter().map(|value| value.number().unwrap_or(0) as u32).collect();
            }
            Value::Array(values) => values.iter().for_each(|value| self.value(parent, name, value, code)),
            Value::Stream(subobjects) => {
                for (kind, value) in subobjects {
                    // D3D12_PIPELINE_STATE_SUBOBJECT_TYPE.
                    let name = match kind {
                        0 => "pRootSignature",
                        1 => "VS",
                        2 => "PS",
                        3 => "DS",
                        4 => "HS",
                        5 => "GS",
                        6 => "CS",
                        24 => "AS",
                        25 => "MS",
                        _ => "",
                    };
                    self.value("", name, value, false);
                }
            }
            Value::Object(id, _) if name == "pRootSignature" => self.pipeline.signature = *id,
            Value::Bytes(bytes) if code => self.shader(name, bytes),
            Value::Blob(number, BlobKind::Shader, _) => {
                let id = self.blobs.iter().rev().find(|(own, _)| own == number).map(|(_, id)| *id);
                if let Some(bytes) = id.and_then(|id| self.trace.blob_by_id(id).ok()) {
                    self.shader(name, &bytes);
                }
            }
            _ => self.number(parent, name, value.number().unwrap_or(0)),
        }
    }

    fn number(&mut self, parent: &str, name: &str, value: u64) {
        let depth = &mut self.pipeline.depth;
        match name {
            "NumRenderTargets" => self.count = Some(value),
            "InputSlot" if value < 32 => self.pipeline.slots |= 1 << value,
            "DepthEnable" => depth.test = value != 0,
            "DepthWriteMask" => depth.write = value != 0,
            "StencilEnable" => depth.stencil = value != 0,
            // KEEP is 1; zero is what nothing was set to.
            "StencilFailOp" | "StencilDepthFailOp" | "StencilPassOp" if parent.ends_with("Face") => {
                depth.stencil_write |= value > 1;
            }
            _ => {}
        }
    }

    fn shader(&mut self, stage: &str, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let stages = match stage {
            "VS" => 1 << 1,
            "HS" => 1 << 2,
            "DS" => 1 << 3,
            "GS" => 1 << 4,
            "PS" => PIXEL,
            "AS" => 1 << 6,
            "MS" => 1 << 7,
            "CS" => COMPUTE,
            _ => return,
        };
        // A root signature in the shader may be the one that counts.
        self.embedded |= reprise_dxbc::Container::parse(bytes)
            .is_ok_and(|container| container.parts().iter().any(|part| part.tag == reprise_dxbc::Tag::RTS0));
        self.pipeline.compute |= stages == COMPUTE;
        self.pipeline.stages |= stages;
        self.pipeline.registers.extend(registers(bytes).into_iter().map(|registers| (stages, registers)));
    }
}
