//! Stages of graphics pipelines: checked against each other, and translated.

use std::ffi::CString;

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::meshlets::Layout;
use reprise_dxbc::Container;
use reprise_dxbc::signature::Element;
use reprise_shader::{Facts, Link, Primitive, Spirv, Stage, StreamOutput, Varying, ViewInstances};

use super::input::Input;
use super::interface::{self, Source};
use super::meshlets::{Given, store};
use super::pulled::{Reads, pull};
use super::shader::{Module, NO_ORIGIN, Origin, translate};
use super::stream_output;
use super::targets::Targets;
use super::{Description, input, state};
use crate::device::Device;
use crate::root::RootSignature;
use crate::{Error, Result};
use reprise_gpu::rates::Rates;

/// The stages of a graphics pipeline, in the order in which they work.
pub(super) const ORDER: [Stage; 7] =
    [Stage::Amplification, Stage::Mesh, Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry, Stage::Pixel];

/// A translated stage.
#[derive(Debug)]
pub(super) struct Shader {
    pub(super) stage: Stage,
    pub(super) module: Module,
    pub(super) entry: CString,
    /// See [`reprise_shader::Spirv::uses_wave_size`].
    pub(super) uses_wave_size: bool,
    /// Control points of a patch that goes in; 0 for other stages than hull.
    pub(super) patch_vertices: u32,
    pub(super) facts: Facts,
    origin: Option<Origin>,
}

impl Shader {
    fn new(device: &Device, stage: Stage, spirv: Spirv, origin: Option<Origin>) -> Result<Shader> {
        let module = Module::new(device, &spirv)?;
        let (uses_wave_size, patch_vertices, facts) = (spirv.uses_wave_size, spirv.patch_vertices, spirv.facts());
        let entry = CString::new(spirv.entry).map_err(|_| Error::Invalid("an entry point with a zero in its name"))?;
        Ok(Shader { stage, module, entry, uses_wave_size, patch_vertices, facts, origin })
    }
}

/// The translated stages.
#[derive(Debug)]
pub(super) struct Shaders {
    pub(super) stages: Vec<Shader>,
    /// Where the mesh shader stores what it gives.
    pub(super) meshlets: Option<Layout>,
    stores: bool,
}

/// What two stages say to each other, from their containers.
struct Signatures {
    stage: Stage,
    takes: Vec<Element>,
    gives: Vec<Element>,
    /// Constants of a patch: given by hull shaders, taken by domain shaders. Of mesh shaders: what they give of primitives.
    patch: Vec<Element>,
}

impl Signatures {
    fn read(stage: Stage, blob: &[u8]) -> Result<Signatures> {
        let container = Container::parse(blob);
        let container = container.map_err(|_| Error::Invalid("a shader's container is malformed"))?;
        let rows = |tags: &[[u8; 4]]| input::rows(&container, tags);
        Ok(Signatures {
            stage,
            takes: rows(&[*b"ISG1", *b"ISGN"])?,
            gives: rows(&[*b"OSG1", *b"OSG5", *b"OSGN"])?,
            patch: rows(&[*b"PSG1", *b"PCSG"])?,
        })
    }
}

/// Whether the stages fit each other, as far as their containers say. Gives what the last one before the rasteriser gives.
fn check_signatures(description: &Description<'_>) -> Result<Vec<Element>> {
    let mut before: Option<Signatures> = None;
    let mut last = Vec::new();
    for stage in ORDER {
        let Some(blob) = description.shader(stage) else { continue };
        let this = Signatures::read(stage, blob)?;
        if let Some(before) = before {
            let gives = match before.stage {
                Stage::Mesh => &[&before.gives[..], &before.patch].concat(),
                _ => &before.gives,
            };
            if before.stage == Stage::Mesh && gives.is_empty() {
                return Err(Error::Invalid("a pixel shader behind a mesh shader that gives nothing"));
            }
            interface::check_rows((before.stage, gives), (stage, &this.takes))?;
            if stage == Stage::Domain {
                interface::check_rows((before.stage, &before.patch), (stage, &this.patch))?;
            }
        }
        if stage != Stage::Pixel {
            last.clone_from(&this.gives);
        }
        before = Some(this);
    }
    Ok(last)
}

/// The places where a pixel shader finds the outputs of a mesh shader. Outputs of vertices keep their registers. Outputs of primitives
/// come behind them, because their registers are counted apart.
///
/// # Errors
/// The container is malformed.
pub fn mesh_varyings(blob: &[u8]) -> Result<Vec<Varying>> {
    let mesh = Signatures::read(Stage::Mesh, blob)?;
    Ok(interface::varyings(&mesh.gives, &mesh.patch))
}

impl Shaders {
    /// Checks and translates the shaders of a description.
    ///
    /// # Errors
    /// When they do not fit each other, or one cannot be translated.
    pub(super) fn translate(
        device: &Object<Device>,
        root: &RootSignature,
        description: &Description<'_>,
        targets: &Targets,
        outputs: &[StreamOutput],
    ) -> Result<Shaders> {
        let last_rows = check_signatures(description)?;
        let varyings = description.shader(Stage::Mesh).map_or(Ok(Vec::new()), mesh_varyings)?;
        let mesh = description.shader(Stage::Mesh).filter(|_| description.meshlets.is_some());
        let mesh = mesh.map(|blob| Signatures::read(Stage::Mesh, blob)).transpose()?;
        let mut meshlets = None;
        let views = description.views;
        if views.any() && !crate::device::has_views(&device.caps) {
            return Err(Error::Unsupported("view instancing"));
        }
        let passed = match description.shader(Stage::Geometry) {
            Some(blob) => interface::passed(&Signatures::read(Stage::Geometry, blob)?.takes),
            None => Vec::new(),
        };
        let streams = device.caps.features.transform_feedback.geometry_streams != 0;
        let outputs = stream_output::connect(outputs, &last_rows, streams)?;
        let has = |stage| description.shader(stage).is_some();
        let last = [Stage::Geometry, Stage::Domain, Stage::Vertex].into_iter().find(|stage| has(*stage));
        let swizzles: Vec<u32> = targets.rows.iter().map(|row| state::output_swizzle(*row)).collect();
        let independent = description.blend.IndependentBlendEnable != 0;
        let blended = if independent { targets.rows.len() } else { 1 };
        let dual_source = description.blend.RenderTarget.iter().take(blended).any(state::is_dual_source);
        let mut stages: Vec<Shader> = Vec::new();
        let mut patch_location_offset = 0;
        for stage in ORDER {
            let Some(blob) = description.shader(stage) else { continue };
            let mut link = Link::default();
            if matches!(stage, Stage::Mesh | Stage::Pixel) {
                link.varyings.clone_from(&varyings);
            }
            let before_geometry = if has(Stage::Domain) { Stage::Domain } else { Stage::Vertex };
            if stage == Stage::Geometry || stage == before_geometry {
                link.passed.clone_from(&passed);
            }
            if stage == Stage::Domain {
                link.patch_location_offset = patch_location_offset;
            }
            if views.any() {
                let last = Some(stage) == last || stage == Stage::Mesh;
                link.views = Some(ViewInstances { last, viewports: views.has_viewports() });
            }
            if Some(stage) == last {
                link.stream_outputs.clone_from(&outputs);
            }
            if stage == Stage::Pixel {
                link.dual_source = dual_source;
                link.samples = targets.formats.samples.as_raw();
                if !state::is_plain(&swizzles) {
                    link.swizzles.clone_from(&swizzles);
                }
            }
            let mut spirv = translate(device, blob, stage, &root.interface, &link)?;
            if let Some(address) = description.meshlets {
                let how = (address, has(Stage::Amplification));
                let given = mesh.as_ref().map(|mesh| Given {
                    vertices: &mesh.gives,
                    primitives: &mesh.patch,
                    varyings: &varyings,
                });
                meshlets = meshlets.or(store(&mut spirv, how, given.as_ref())?);
            }
            if stage == Stage::Hull {
                patch_location_offset = spirv.patch_location_offset;
            }
            stages.push(Shader::new(device, stage, spirv, Origin::kept(device, root, blob, &link))?);
        }
        let shaders = Shaders { stages, meshlets, stores: description.meshlets.is_some() };
        shaders.check_rates(&device.caps.rates)?;
        Ok(shaders)
    }

    /// The same stages with another root signature of the same arguments, which read in memory what they take in.
    ///
    /// # Errors
    /// When one cannot be translated again, or cannot read so.
    pub(super) fn again(&self, device: &Device, root: &RootSignature, input: &Input, reads: Reads) -> Result<Shaders> {
        let again = |shader: &Shader| {
            let origin = shader.origin.as_ref().ok_or(NO_ORIGIN)?;
            let spirv = origin.translate(device, shader.stage, &root.interface)?;
            let spirv = match root.interface.overflow {
                Some(block) if shader.stage == Stage::Vertex && reads != Reads::Roots => {
                    pull(spirv, input, reads, block)?
                }
                _ => spirv,
            };
            Shader::new(device, shader.stage, spirv, None)
        };
        if self.stores {
            return Err(Error::Unsupported("root arguments in memory, where a mesh shader stores what it gives"));
        }
        Ok(Shaders { stages: self.stages.iter().map(again).collect::<Result<_>>()?, meshlets: None, stores: false })
    }

    fn facts(&self, stage: Stage) -> Option<Facts> {
        self.stages.iter().find(|shader| shader.stage == stage).map(|shader| shader.facts)
    }

    /// Control points of a patch; 0 without tessellation.
    pub(super) fn patch_points(&self) -> u32 {
        self.stages.iter().map(|shader| shader.patch_vertices).max().unwrap_or(0)
    }

    /// Whether the pixel shader says which samples are covered.
    pub(super) fn writes_coverage(&self) -> bool {
        self.facts(Stage::Pixel).is_some_and(|facts| facts.writes_coverage)
    }

    /// Whether pixels may be shaded together.
    pub(super) fn may_shade_coarsely(&self) -> bool {
        self.facts(Stage::Pixel).is_none_or(|facts| !facts.shades_finely)
    }

    /// Whether primitives have shading rates of their own.
    pub(super) fn gives_rates(&self) -> bool {
        self.stages.iter().any(|shader| shader.facts.gives_rate)
    }

    /// Refuses shading rates of primitives where the device lacks them.
    fn check_rates(&self, has: &Rates) -> Result<()> {
        let gives = |shader: &&Shader| shader.facts.gives_rate;
        for shader in self.stages.iter().filter(gives) {
            if !has.primitives || shader.stage == Stage::Mesh && !has.meshes {
                return Err(Error::Unsupported("shading rates of primitives: the device has none from this stage"));
            }
            if shader.facts.gives_viewport && !has.viewports {
                return Err(Error::Unsupported("shading rates of primitives beside a choice of viewports"));
            }
        }
        Ok(())
    }

    /// Whether a shader traces rays inline.
    pub(super) fn traces(&self) -> bool {
        self.stages.iter().any(|shader| shader.module.traces)
    }

    /// Descriptor sets that the shaders name, one bit each.
    pub(super) fn sets(&self) -> u32 {
        self.stages.iter().fold(0, |sets, shader| sets | shader.facts.sets)
    }

    /// The primitives that a geometry shader takes from the input assembler.
    pub(super) fn takes(&self) -> Option<Primitive> {
        self.facts(Stage::Geometry).filter(|_| self.patch_points() == 0)?.takes
    }

    /// The list topology of the pipeline's class.
    ///
    /// # Errors
    /// When the description names none, or patches that nobody takes.
    pub(super) fn topology(&self, description: &Description<'_>) -> Result<vk::PrimitiveTopology> {
        let patches = self.patch_points() != 0;
        if let Some(mesh) = self.facts(Stage::Mesh) {
            return Ok(match mesh.gives {
                Some(Primitive::Lines) => vk::PrimitiveTopology::LINE_LIST,
                _ => vk::PrimitiveTopology::TRIANGLE_LIST,
            });
        }
        match description.topology.0 {
            // Drivers of the API take any type beside a hull shader.
            _ if patches => Ok(vk::PrimitiveTopology::PATCH_LIST),
            4 => Err(Error::Invalid("patches without a hull shader")),
            1 => Ok(vk::PrimitiveTopology::POINT_LIST),
            2 => Ok(vk::PrimitiveTopology::LINE_LIST),
            0 | 3 => Ok(vk::PrimitiveTopology::TRIANGLE_LIST),
            _ => Err(Error::Invalid("a primitive topology type is none of the API's")),
        }
    }

    /// What the rasteriser gets: points, lines or triangles.
    ///
    /// # Errors
    /// When a geometry shader does not take what reaches it.
    pub(super) fn drawn(&self, topology: vk::PrimitiveTopology) -> Result<Primitive> {
        let points = self.facts(Stage::Hull).and_then(|hull| hull.gives) == Some(Primitive::Points);
        let source = match topology {
            vk::PrimitiveTopology::PATCH_LIST if points => Source::Tessellator(Primitive::Points),
            vk::PrimitiveTopology::PATCH_LIST => {
                let domain = self.facts(Stage::Domain).and_then(|domain| domain.gives);
                Source::Tessellator(domain.unwrap_or(Primitive::Triangles))
            }
            vk::PrimitiveTopology::POINT_LIST => Source::Assembler(Primitive::Points),
            vk::PrimitiveTopology::LINE_LIST => Source::Assembler(Primitive::Lines),
            _ => Source::Assembler(Primitive::Triangles),
        };
        let (Source::Assembler(given) | Source::Tessellator(given)) = source;
        let Some(geometry) = self.facts(Stage::Geometry) else { return Ok(given) };
        if geometry.takes.is_some_and(|takes| !interface::takes_primitives(source, takes)) {
            return Err(Error::Invalid("a geometry shader takes other primitives than those that reach it"));
        }
        Ok(geometry.gives.unwrap_or(given))
    }
}
