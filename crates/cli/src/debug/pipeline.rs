//! What of a pipeline's description is needed to run its shaders: their code, the input layout, what decides about pixels.
//!
//! Members are found by the structure that has them, in either form of the description, in a stream of subobjects, and in those that a generic
//! program of a state object lists.

use super::invocation::Code;
use anyhow::{Context, anyhow};
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::MODEL;
use reprise_d3d12::types::{
    D3D12_CULL_MODE, D3D12_INPUT_CLASSIFICATION, D3D12_PROGRAM_TYPE, D3D12_STATE_SUBOBJECT_TYPE,
};
use reprise_picture::Layout;
use reprise_timeline::State;
use reprise_timeline::call::Call;
use reprise_timeline::state::lists::{Bound, Pipeline as Set};
use reprise_timeline::state::programs::{Program, Shaders};
use reprise_trace::read::{Trace, content_hash};
use reprise_view::{api, shaders};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// `D3D12_APPEND_ALIGNED_ELEMENT`.
const APPEND: u64 = u32::MAX as u64;

/// A pipeline of draws.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipeline {
    /// By stage: `VS`.
    pub(crate) shaders: BTreeMap<&'static str, Arc<[u8]>>,
    pub(crate) layout: Vec<Attribute>,
    pub(crate) raster: Raster,
}

/// An element of an input layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) semantic: String,
    pub(crate) index: u32,
    /// `DXGI_FORMAT`, and its bytes.
    pub(crate) format: u32,
    pub(crate) bytes: u32,
    pub(crate) slot: usize,
    pub(crate) offset: u64,
    /// `None` steps per vertex, `Some` per that many instances.
    pub(crate) step: Option<u32>,
}

/// What of a pipeline decides about its pixels.
#[derive(Clone, Debug)]
pub(crate) struct Raster {
    /// Whether front faces are culled; `None`: nothing is.
    pub(crate) cull: Option<bool>,
    pub(crate) depth_bias: bool,
    pub(crate) conservative: bool,
    pub(crate) samples: u32,
    pub(crate) forced_samples: u32,
    pub(crate) view_instances: u32,
    /// Of each of these the viewport, counted behind the one that a shader names.
    pub(crate) view_viewports: Vec<u32>,
    /// The list's mask chooses among these.
    pub(crate) masked_views: bool,
    pub(crate) alpha_to_coverage: bool,
    pub(crate) sample_mask: u32,
    /// `D3D12_INDEX_BUFFER_STRIP_CUT_VALUE`.
    pub(crate) strip_cut: u32,
    /// `DXGI_FORMAT` of the targets.
    pub(crate) targets: Vec<u32>,
}

impl Default for Raster {
    /// What a stream of subobjects has that says nothing.
    fn default() -> Raster {
        Raster {
            cull: Some(false),
            depth_bias: false,
            conservative: false,
            samples: 1,
            forced_samples: 0,
            view_instances: 0,
            view_viewports: Vec::new(),
            masked_views: false,
            alpha_to_coverage: false,
            sample_mask: u32::MAX,
            strip_cut: 0,
            targets: Vec::new(),
        }
    }
}

/// What the pipeline that is bound is made of.
enum Made<'s> {
    /// A pipeline state, by the call that made it.
    State(u32, Call<'s>),
    /// A generic program of a state object.
    Program(Program<'s>),
}

impl<'s> Made<'s> {
    fn of(state: &'s State, bound: &Bound) -> anyhow::Result<Made<'s>> {
        let id = match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
            Some(Set::State(id)) if id != 0 => id,
            Some(Set::Program { kind, identifier }) => {
                if kind != D3D12_PROGRAM_TYPE::GENERIC_PIPELINE.0 as u32 {
                    return Err(anyhow!(
                        "the program that is set is no generic program, so nothing of a pipeline is set"
                    ));
                }
                return Ok(Made::Program(state.programs.get(&identifier).map_err(|what| anyhow!(what))?));
            }
            Some(Set::StateObject(_)) => {
                return Err(anyhow!("a state object of ray tracing is set, so nothing of a pipeline is set"));
            }
            _ => return Err(anyhow!("no pipeline is set")),
        };
        let object = state.objects.get(id).ok_or_else(|| anyhow!("pipeline {id} is gone"))?;
        Ok(Made::State(id, object.creation()))
    }

    fn name(&self) -> String {
        match self {
            Made::State(id, _) => format!("pipeline {id}"),
            Made::Program(program) => format!("program {:?}", program.name),
        }
    }

    /// Its shaders.
    fn shaders(&self, trace: &Trace) -> anyhow::Result<Shaders> {
        match self {
            Made::State(_, creation) => {
                let found = shaders::of_call(trace, creation).map_err(|error| anyhow!(error));
                let found = found.with_context(|| self.name())?.into_iter();
                found.map(|(stage, content)| Ok((stage, content.bytes(trace)?))).collect()
            }
            Made::Program(program) => {
                let mut blob = |place| trace.blob_by_id(place).map_err(|error| error.to_string());
                program.shaders(&mut blob).map_err(|what| anyhow!(what))
            }
        }
    }

    /// Reads its state.
    fn read(&self, reader: &mut Reader) -> anyhow::Result<()> {
        match self {
            Made::State(_, creation) => {
                let arguments = api::codec().decode_enter(creation.method, creation.enter.bytes);
                reader.members("", &arguments.with_context(|| self.name())?.members);
                Ok(())
            }
            Made::Program(program) => {
                let mut each = |kind, value: &Value<'_>| match kind {
                    D3D12_STATE_SUBOBJECT_TYPE::SAMPLE_MASK => reader.raster.sample_mask = number(value) as u32,
                    D3D12_STATE_SUBOBJECT_TYPE::IB_STRIP_CUT_VALUE => reader.raster.strip_cut = number(value) as u32,
                    _ => reader.inner(value),
                };
                program.state(&mut each).map_err(|what| anyhow!(what))
            }
        }
    }
}

/// The shader of a stage of the pipeline that is bound.
pub(super) fn shader(trace: &Trace, state: &State, bound: &Bound, stage: &'static str) -> anyhow::Result<Code> {
    let made = Made::of(state, bound)?;
    let found = made.shaders(trace)?.into_iter().find(|(of, _)| *of == stage);
    let (_, bytes) = found.ok_or_else(|| anyhow!("{} has no {stage} shader that the trace holds", made.name()))?;
    Ok((content_hash(&bytes), bytes))
}

impl Pipeline {
    /// The pipeline that is bound.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(super) fn bound(trace: &Trace, state: &State, bound: &Bound) -> anyhow::Result<Pipeline> {
        let made = Made::of(state, bound)?;
        let shaders = made.shaders(trace)?.into_iter().collect();
        let mut reader = Reader::default();
        made.read(&mut reader)?;
        let Reader { elements, mut raster, formats, count } = reader;
        raster.targets = formats.into_iter().take(count).collect();
        let layout = layout(&elements).map_err(|error| anyhow!(error)).with_context(|| made.name())?;
        Ok(Pipeline { shaders, layout, raster })
    }
}

/// An element as its structure has it.
#[derive(Clone, Debug, Default)]
struct Element {
    semantic: String,
    index: u64,
    format: u64,
    slot: u64,
    offset: u64,
    class: u64,
    rate: u64,
}

#[derive(Default)]
struct Reader {
    elements: Vec<Element>,
    raster: Raster,
    formats: Vec<u32>,
    count: usize,
}

fn number(value: &Value<'_>) -> u64 {
    value.number().unwrap_or(0)
}

/// Whether a number of any type is none.
fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::F32(bits) => f32::from_bits(*bits) == 0.0,
        value => number(value) == 0,
    }
}

impl Reader {
    fn members(&mut self, structure: &str, members: &[Member<'_>]) {
        if structure == "D3D12_INPUT_ELEMENT_DESC" {
            self.elements.push(Element::default());
        }
        members.iter().for_each(|member| self.member(structure, member.field.name, &member.value));
    }

    fn inner(&mut self, value: &Value<'_>) {
        match value {
            Value::Struct(id, members) => {
                let name = MODEL.structs.get(usize::from(id.0)).map_or("", |structure| structure.name);
                self.members(name, members);
            }
            Value::Array(values) => values.iter().for_each(|value| self.inner(value)),
            Value::Stream(subobjects) => {
                for (kind, value) in subobjects {
                    match reprise_d3d12::types::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE(*kind as i32) {
                        reprise_d3d12::types::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::SAMPLE_MASK => {
                            self.raster.sample_mask = number(value) as u32;
                        }
                        reprise_d3d12::types::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::IB_STRIP_CUT_VALUE => {
                            self.raster.strip_cut = number(value) as u32;
                        }
                        _ => self.inner(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn member(&mut self, structure: &str, name: &str, value: &Value<'_>) {
        let raster = &mut self.raster;
        match (structure, name) {
            (_, "RTVFormats" | "RTFormats") => {
                if let Value::Array(values) = value {
                    self.formats = values.iter().map(|format| number(format) as u32).collect();
                }
            }
            (_, "NumRenderTargets") => self.count = number(value) as usize,
            (_, "CullMode") => {
                raster.cull = match D3D12_CULL_MODE(number(value) as i32) {
                    D3D12_CULL_MODE::NONE => None,
                    mode => Some(mode == D3D12_CULL_MODE::FRONT),
                }
            }
            (_, "DepthBias" | "SlopeScaledDepthBias") => raster.depth_bias |= !is_zero(value),
            (_, "ConservativeRaster") => raster.conservative = number(value) != 0,
            (_, "ForcedSampleCount") => raster.forced_samples = number(value) as u32,
            (_, "ViewInstanceCount") => raster.view_instances = number(value) as u32,
            ("D3D12_VIEW_INSTANCE_LOCATION", "ViewportArrayIndex") => raster.view_viewports.push(number(value) as u32),
            ("D3D12_VIEW_INSTANCING_DESC", "Flags") => raster.masked_views = number(value) != 0,
            (_, "AlphaToCoverageEnable") => raster.alpha_to_coverage = number(value) != 0,
            (_, "IBStripCutValue") => raster.strip_cut = number(value) as u32,
            (_, "SampleMask") => raster.sample_mask = number(value) as u32,
            ("DXGI_SAMPLE_DESC", "Count") => raster.samples = (number(value) as u32).max(1),
            ("D3D12_INPUT_ELEMENT_DESC", _) => {
                let Some(element) = self.elements.last_mut() else { return };
                match (name, value) {
                    ("SemanticName", Value::Text(text)) => element.semantic.clone_from(text),
                    ("SemanticIndex", value) => element.index = number(value),
                    ("Format", value) => element.format = number(value),
                    ("InputSlot", value) => element.slot = number(value),
                    ("AlignedByteOffset", value) => element.offset = number(value),
                    ("InputSlotClass", value) => element.class = number(value),
                    ("InstanceDataStepRate", value) => element.rate = number(value),
                    _ => {}
                }
            }
            _ => self.inner(value),
        }
    }
}

/// The elements of a layout, each at its place.
///
/// # Errors
/// In words: a format is not understood.
fn layout(elements: &[Element]) -> Result<Vec<Attribute>, String> {
    let mut ends: HashMap<usize, u64> = HashMap::new();
    let mut all = Vec::new();
    for element in elements {
        let Element { semantic, format, .. } = element;
        let format = *format as u32;
        let layout = Layout::of(format, 0);
        let layout = layout.map_err(|what| format!("the element {semantic} of the input layout: {what}"))?;
        let (slot, bytes) = (element.slot as usize, layout.bytes());
        let end = ends.entry(slot).or_default();
        let offset = match element.offset {
            // Elements that are appended are aligned to their size, at most to four bytes.
            APPEND => end.next_multiple_of(u64::from(bytes.clamp(1, 4))),
            given => given,
        };
        *end = offset + u64::from(bytes);
        let per_instance = element.class == D3D12_INPUT_CLASSIFICATION::INSTANCE_DATA.0 as u64;
        all.push(Attribute {
            semantic: semantic.clone(),
            index: element.index as u32,
            format,
            bytes,
            slot,
            offset,
            step: per_instance.then_some(element.rate as u32),
        });
    }
    Ok(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_FORMAT;

    #[test]
    fn elements_that_are_appended_follow_those_of_their_slot() {
        let element = |semantic: &str, format: DXGI_FORMAT, slot: u64, offset: u32, class: u64| Element {
            semantic: semantic.to_owned(),
            index: 2,
            format: format.0 as u64,
            slot,
            offset: offset.into(),
            class,
            rate: 3,
        };
        let all = [
            element("A", DXGI_FORMAT::FORMAT_R16_UINT, 0, u32::MAX, 0),
            element("B", DXGI_FORMAT::FORMAT_R32G32_FLOAT, 0, u32::MAX, 0),
            element("C", DXGI_FORMAT::FORMAT_R8_UNORM, 1, 7, 1),
        ];
        let found = layout(&all).unwrap();
        let told: Vec<_> = found.iter().map(|it| (it.slot, it.offset, it.bytes, it.step)).collect();
        assert_eq!(told, [(0, 0, 2, None), (0, 4, 8, None), (1, 7, 1, Some(3))]);
        assert_eq!((found[1].semantic.as_str(), found[1].index), ("B", 2));
        let unknown = element("D", DXGI_FORMAT(9999), 0, 0, 0);
        assert!(layout(&[unknown]).unwrap_err().starts_with("the element D of the input layout"));
    }
}
