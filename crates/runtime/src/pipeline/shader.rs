//! Shaders of pipelines: translated, in this process or another, or taken from memory or the disk.

use std::borrow::Cow;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use ash::vk;
use reprise_environment::runtime as variables;
use reprise_shader::cache::{Cache, Key};
use reprise_shader::loops;
use reprise_shader::node::Node;
use reprise_shader::recent::Recent;
use reprise_shader::worker::Worker;
use reprise_shader::{Interface, Library, Link, Spirv, Stage, Target, TranslateError};

use super::needs;
use reprise_gpu::caps::Caps;
use reprise_gpu::descriptor::table::SAMPLERS;
use reprise_gpu::logical::Logical;

use crate::device::Device;
use crate::environment::settings;
use crate::root::RootSignature;
use crate::{Error, Result};

/// Bytes of shaders that are kept on disk.
const CACHE_LIMIT: u64 = 256 << 20;
/// Bytes of shaders that are kept in memory: some thousand modules of 16 KiB.
const RECENT_LIMIT: usize = 32 << 20;

/// How this process translates; from the environment, once.
///
/// The settings name a folder for translated shaders and for what drivers make of pipelines; none is used without it.
/// `REPRISE_TRANSLATOR`: a program that runs [`reprise_shader::worker::serve`] when its argument is `translate`, for shaders of
/// strangers; shaders are translated in this process without it.
struct Translator {
    recent: Recent,
    cache: Option<Cache>,
    worker: Option<Worker>,
}

fn translator() -> &'static Translator {
    static TRANSLATOR: OnceLock<Translator> = OnceLock::new();
    TRANSLATOR.get_or_init(|| {
        let cache = settings().shader_cache.as_ref().and_then(|folder| match Cache::open(folder, CACHE_LIMIT) {
            Ok(cache) => Some(cache),
            Err(error) => {
                reprise_log::warning(format!("no shader cache in {}: {error}", folder.display()));
                None
            }
        });
        let program = std::env::var_os(variables::TRANSLATOR).filter(|program| !program.is_empty());
        let worker = program.map(|program| {
            Worker::new(move || {
                let mut command = Command::new(&program);
                command.arg("translate");
                command
            })
        });
        Translator { recent: Recent::new(RECENT_LIMIT), cache, worker }
    })
}

/// The folder, if there is one.
pub(crate) fn disk() -> Option<&'static Cache> {
    translator().cache.as_ref()
}

/// Translates a shader, or finds it translated.
///
/// # Errors
/// When it cannot be translated; the log says why.
pub(crate) fn translate(
    device: &Device,
    blob: &[u8],
    stage: Stage,
    interface: &Interface,
    link: &Link,
) -> Result<Spirv> {
    needs::check(device, blob)?;
    let mut target = target(&device.caps, device.bindings.raw_alignment());
    target.check_set = device.bindings.records().unwrap_or(0);
    target.plain_samplers = device.bindings.plain_samplers();
    let Translator { recent, cache, worker } = translator();
    let key = Key::new(blob, stage, interface, link, &target);
    if let Some(found) = recent.get(key) {
        return check(&device.caps, (*found).clone());
    }
    if let Some(found) = cache.as_ref().and_then(|cache| cache.get(key)) {
        recent.put(key, Arc::new(found.clone()));
        return check(&device.caps, found);
    }
    let result = match worker {
        Some(worker) => worker.translate(blob, stage, interface, link, &target),
        None => reprise_shader::translate(blob, stage, interface, link, &target),
    };
    match result {
        Ok(spirv) => {
            if let Some(cache) = cache {
                cache.put(key, &spirv);
            }
            recent.put(key, Arc::new(spirv.clone()));
            check(&device.caps, spirv)
        }
        Err(error) => {
            reprise_log::warning(format!("a {stage:?} shader is refused: {error}"));
            Err(match error {
                TranslateError::Worker(_) | TranslateError::Panicked => Error::Fail("the shader translator failed"),
                TranslateError::Rejected { .. } => Error::Invalid("the shader cannot be translated"),
                _ => Error::Invalid("the shader does not fit its pipeline"),
            })
        }
    }
}

/// What a library of shaders holds.
///
/// # Errors
/// When it cannot be read; the log says why.
pub(crate) fn library(blob: &[u8]) -> Result<Library> {
    let found = match &translator().worker {
        Some(worker) => worker.library(blob),
        None => reprise_shader::library(blob),
    };
    found.map_err(refused)
}

/// A library cannot be read.
fn refused(error: TranslateError) -> Error {
    reprise_log::warning(format!("a library of shaders is refused: {error}"));
    match error {
        TranslateError::Worker(_) | TranslateError::Panicked => Error::Fail("the shader translator failed"),
        _ => Error::Invalid("the library of shaders cannot be read"),
    }
}

/// Which nodes of work graphs a library holds.
///
/// # Errors
/// As [`library`].
pub(crate) fn nodes(blob: &[u8]) -> Result<Vec<Node>> {
    let found = match &translator().worker {
        Some(worker) => worker.nodes(blob),
        None => reprise_shader::nodes(blob),
    };
    found.map_err(refused)
}

/// Refuses a shader that asks for what the device does not do with 32-bit denormals.
fn check(caps: &Caps, spirv: Spirv) -> Result<Spirv> {
    let facts = spirv.facts();
    let (keeps, flushes) = match caps.driver {
        // These do what their properties deny: one all that is asked for, the other the same in all compute shaders.
        vk::DriverId::NVIDIA_PROPRIETARY => (true, true),
        // The other's compute shaders keep those that they were to take for zero: results differ where such numbers occur.
        vk::DriverId::MESA_LLVMPIPE => {
            if facts.flushes_denormals && spirv.stage == Stage::Compute {
                reprise_log::warning_once(
                    "a compute shader wants 32-bit denormals to be zero:",
                    "this device (Mesa's software rasteriser) keeps them, so results with such numbers differ",
                );
            }
            (spirv.stage == Stage::Compute, true)
        }
        _ => (caps.v12.shader_denorm_preserve_float32 != 0, caps.v12.shader_denorm_flush_to_zero_float32 != 0),
    };
    if facts.keeps_denormals && !keeps {
        return Err(Error::Unsupported("a shader that keeps 32-bit denormals, on a device that cannot be told to"));
    }
    if facts.flushes_denormals && !flushes {
        return Err(Error::Unsupported("a shader without 32-bit denormals, on a device that cannot be told so"));
    }
    Ok(spirv)
}

/// What generated code may use on a device.
fn target(caps: &Caps, raw_alignment: u32) -> Target {
    let (features, has) = (&caps.features, |feature: vk::Bool32| feature != 0);
    Target {
        storage_alignment: raw_alignment,
        typed_offsets: true,
        read_without_format: has(features.base.shader_storage_image_read_without_format),
        stage_io_16bit: has(features.v11.storage_input_output16),
        native_min_precision: caps.computes_narrowly(),
        integer_dot: has(features.v13.shader_integer_dot_product),
        scalar_layout: has(features.v12.scalar_block_layout),
        // Only where robustness is as fine as a component can out-of-bounds vectors be read as one.
        robust_components: caps.robustness2.robust_storage_buffer_access_size_alignment == 1,
        raw_access_chains: has(features.raw_access.shader_raw_access_chains),
        barycentrics: has(features.barycentric.fragment_shader_barycentric),
        compute_derivatives: caps.extensions.compute_derivatives
            && has(features.derivatives.compute_derivative_group_linear),
        compute_derivatives_nv: caps.extensions.derivatives_nv
            && has(features.derivatives.compute_derivative_group_linear),
        quad_control: has(features.quads.shader_quad_control),
        maximal_reconvergence: has(features.reconvergence.shader_maximal_reconvergence),
        denorm_16: caps.separates_denormals() && has(caps.v12.shader_denorm_preserve_float16),
        denorm_64: caps.separates_denormals() && has(caps.v12.shader_denorm_preserve_float64),
        subgroup_min: caps.v13.min_subgroup_size,
        subgroup_max: caps.v13.max_subgroup_size,
        whole_mesh_stores: caps.loses_parts_of_mesh_outputs(),
        lone_stages: Stage::ALL
            .into_iter()
            .filter(|stage| !caps.v11.subgroup_supported_stages.contains(stage_flag(*stage)))
            .fold(0, |bits, stage| bits | 1 << stage as u32),
        ray_primitive_culling: has(features.ray_pipeline.ray_traversal_primitive_culling),
        micromaps: caps.has_micromaps(),
        samplers: SAMPLERS,
        driver_id: caps.driver.as_raw() as u32,
        ..Target::default()
    }
}

/// What a stage was translated from, for one that finds root arguments or vertices elsewhere.
pub(crate) struct Origin {
    blob: Box<[u8]>,
    link: Link,
}

impl Origin {
    /// `None` where nothing is translated again: Vulkan generates the commands that change what the shader reads.
    pub(crate) fn kept(device: &Device, root: &RootSignature, blob: &[u8], link: &Link) -> Option<Origin> {
        let again = device.ext.generated_commands.is_none() || root.block.is_some();
        again.then(|| Origin { blob: blob.into(), link: link.clone() })
    }

    /// Translates it for another interface.
    ///
    /// # Errors
    /// As [`translate`].
    pub(crate) fn translate(&self, device: &Device, stage: Stage, interface: &Interface) -> Result<Spirv> {
        translate(device, &self.blob, stage, interface, &self.link)
    }
}

impl core::fmt::Debug for Origin {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Origin").field("bytes", &self.blob.len()).finish_non_exhaustive()
    }
}

/// A shader of which nothing was kept.
pub(crate) const NO_ORIGIN: Error = Error::Fail("a shader that cannot be translated again");

/// A shader module that dies with this.
#[derive(Debug)]
pub(crate) struct Module {
    logical: Arc<Logical>,
    /// The module.
    pub(crate) module: vk::ShaderModule,
    /// Whether it traces rays inline.
    pub(crate) traces: bool,
}

/// Whether a module traces rays inline: its capabilities come first.
fn traces(words: &[u32]) -> bool {
    const HEADER: usize = 5;
    const CAPABILITY: u32 = 2 << 16 | 17;
    const RAY_QUERY: u32 = 4472;
    let capabilities = words.get(HEADER..).unwrap_or_default().chunks_exact(2).take_while(|pair| pair[0] == CAPABILITY);
    capabilities.into_iter().any(|pair| pair[1] == RAY_QUERY)
}

/// A module as Vulkan is given it: with hints, where the driver needs them.
fn code(words: &[u32], keeps_loops: bool) -> Cow<'_, [u32]> {
    let mut words = Cow::Borrowed(words);
    if keeps_loops {
        loops::keep_nested(words.to_mut());
    }
    words
}

impl Module {
    /// Makes a module.
    pub(crate) fn new(logical: &Arc<Logical>, spirv: &Spirv) -> Result<Module> {
        let words = code(&spirv.words, logical.caps.keeps_loops());
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the code is the translator's, valid for the features that it was told, but for loop controls, which need none.
        let module = logical.check("vkCreateShaderModule", unsafe { logical.vk.create_shader_module(&info, None) })?;
        Ok(Module { logical: logical.clone(), module, traces: traces(&spirv.words) })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need their modules once they are made.
        unsafe { self.logical.vk.destroy_shader_module(self.module, None) };
    }
}

/// Vulkan's name of a stage.
pub(crate) fn stage_flag(stage: Stage) -> vk::ShaderStageFlags {
    match stage {
        Stage::Vertex => vk::ShaderStageFlags::VERTEX,
        Stage::Hull => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        Stage::Domain => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        Stage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        Stage::Pixel => vk::ShaderStageFlags::FRAGMENT,
        Stage::Compute => vk::ShaderStageFlags::COMPUTE,
        Stage::Amplification => vk::ShaderStageFlags::TASK_EXT,
        Stage::Mesh => vk::ShaderStageFlags::MESH_EXT,
        Stage::RayGeneration => vk::ShaderStageFlags::RAYGEN_KHR,
        Stage::Intersection => vk::ShaderStageFlags::INTERSECTION_KHR,
        Stage::AnyHit => vk::ShaderStageFlags::ANY_HIT_KHR,
        Stage::ClosestHit => vk::ShaderStageFlags::CLOSEST_HIT_KHR,
        Stage::Miss => vk::ShaderStageFlags::MISS_KHR,
        Stage::Callable => vk::ShaderStageFlags::CALLABLE_KHR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two loops, one in the other, and a read of a storage buffer in the inner one; and the places of their controls.
    #[test]
    fn loops_are_hinted_where_the_driver_needs_it() {
        let instructions: [&[u32]; 5] = [
            // OpTypePointer to StorageBuffer; OpLoopMerge twice; OpAccessChain; OpLoad.
            &[4 << 16 | 32, 20, 12, 1],
            &[4 << 16 | 246, 40, 99, 0],
            &[4 << 16 | 246, 41, 98, 0],
            &[5 << 16 | 65, 20, 30, 31, 32],
            &[4 << 16 | 61, 1, 33, 30],
        ];
        let words: Vec<u32> = [0; 5].into_iter().chain(instructions.concat()).collect();
        let mut hinted = words.clone();
        // DontUnroll.
        (hinted[12], hinted[16]) = (2, 2);
        assert_eq!(code(&words, true), hinted);
        assert_eq!(code(&words, false), words);
    }
}
