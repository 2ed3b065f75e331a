//! Pipelines of Vulkan that hold shader groups: one that lists bind, or a part of such.
//!
//! Invariant: an identifier never moves or changes while its piece lives, and pieces live as long as a state object that has
//! their groups.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_gpu::logical::Logical;
use reprise_log::warning_once;
use reprise_shader::{Link, Spirv, Stage};
use reprise_state_object::IDENTIFIER;
use reprise_state_object::association::PipelineConfig;
use reprise_state_object::plan::{Group, GroupKind};

use super::handles::{self, Making};
use super::invalid;
use super::layout::Layout;
use crate::device::Device;
use crate::pipeline::shader::{Module, stage_flag, translate};
use crate::root::RootSignature;
use crate::{Error, Result};

/// No pipeline of ray tracing can be made.
pub const ABSENT: Error = Error::Unsupported("ray tracing pipelines on this device");

/// What pipelines must have in common to be parts of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the largest payload.
    pub payload: u32,
    /// Bytes of the largest attributes.
    pub attributes: u32,
    /// Depth and flags.
    pub config: PipelineConfig,
}

/// The stacks that a group's shaders need, in bytes: general or closest-hit, any-hit, intersection.
pub type Stacks = [u64; 3];

/// See the module.
#[derive(Debug)]
pub struct Piece {
    logical: Arc<Logical>,
    /// The pipeline.
    pub vk: vk::Pipeline,
    /// Its layout.
    pub layout: Arc<Layout>,
    /// What parts must have in common.
    pub limits: Limits,
    /// Identifiers of its groups, its own before those of its parts; none where Vulkan tells them of whole pipelines only.
    pub identifiers: Box<[[u8; IDENTIFIER]]>,
    /// Stacks of its groups.
    pub stacks: Box<[Stacks]>,
    /// Descriptor sets that the shaders name, one bit each.
    pub sets: u32,
    /// Pipelines that are parts of it.
    #[allow(dead_code, reason = "held until dropped")]
    parts: Vec<Arc<Piece>>,
}

/// A group, and its global and local root signature.
pub type Wanted<'a> = (&'a Group, [Option<&'a Ref<RootSignature>>; 2]);

/// Shaders of a group, translated: one for each import.
pub type Translated = Vec<Spirv>;

/// Translates the shaders of a group.
///
/// # Errors
/// A shader is missing or cannot be translated, or uses a register that no root signature has.
pub fn translated(device: &Device, layout: &Layout, (group, [global, local]): Wanted<'_>) -> Result<Translated> {
    let interface = layout.interface(device, global.map(|root| &***root));
    let local = local.map(|local| layout.local(&local.signature));
    let each = group.imports.iter().map(|import| {
        let missing = || invalid(format!("export {:?} names {:?}, which is nowhere", group.name, import.name));
        let shader = import.shader.as_ref().ok_or_else(missing)?;
        let micromaps = group.settings.pipeline.is_some_and(|config| config.flags & ALLOW_MICROMAPS != 0);
        let link = Link { entry: Some(shader.entry.clone()), local: local.clone(), micromaps, ..Link::default() };
        translate(device, &shader.blob, shader.stage, &interface, &link)
    });
    each.collect()
}

impl Piece {
    /// Makes a pipeline of groups and of parts. `whole` says that lists bind it. Its groups get the handles that are wanted for them, where the
    /// driver gives these.
    ///
    /// # Errors
    /// Vulkan fails.
    pub fn new(
        (device, handles): (&Object<Device>, &mut Making),
        layout: &Arc<Layout>,
        limits: Limits,
        groups: &[(&Group, Translated)],
        parts: Vec<Arc<Piece>>,
        whole: bool,
    ) -> Result<Piece> {
        let rays = device.ext.ray_pipeline.as_ref().ok_or(ABSENT)?;
        let mut stages = Stages::default();
        let mut infos = Vec::new();
        for (group, shaders) in groups {
            infos.push(stages.group(device, group, shaders)?);
        }
        let stage_infos: Vec<_> = stages
            .all
            .iter()
            .map(|(stage, module, entry)| {
                vk::PipelineShaderStageCreateInfo::default().stage(*stage).module(module.module).name(entry)
            })
            .collect();
        let interface = vk::RayTracingPipelineInterfaceCreateInfoKHR::default()
            .max_pipeline_ray_payload_size(limits.payload)
            .max_pipeline_ray_hit_attribute_size(limits.attributes);
        // Libraries have no handles of another process: NVIDIA's driver (580.159) links none that have, and says
        // VK_ERROR_INITIALIZATION_FAILED. So neither have pipelines with parts, which all would need the flag.
        let repeats = handles.repeats && whole && parts.is_empty();
        let names = groups.iter().map(|(group, _)| group.name.as_str());
        let wanted = if repeats { handles.wanted(names) } else { None };
        let parts_of: Vec<vk::Pipeline> = parts.iter().map(|part| part.vk).collect();
        let libraries = vk::PipelineLibraryCreateInfoKHR::default().libraries(&parts_of);
        let dynamic = [vk::DynamicState::RAY_TRACING_PIPELINE_STACK_SIZE_KHR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let most = device.caps.rays.max_ray_recursion_depth;
        if limits.config.depth > most {
            warning_once("ray tracing goes as deep as the device can:", "a state object asks for deeper recursion");
        }
        let mut flags = flags(device, limits.config.flags, whole)?;
        if repeats {
            flags |= vk::PipelineCreateFlags::RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR;
        }
        let info = vk::RayTracingPipelineCreateInfoKHR::default()
            .flags(flags)
            .stages(&stage_infos)
            .max_pipeline_ray_recursion_depth(limits.config.depth.min(most))
            .library_info(&libraries)
            .library_interface(&interface)
            .dynamic_state(&dynamic)
            .layout(layout.vk);
        let cache = reprise_gpu::cache::Cache::new(&device.pipelines, &[]);
        let make = |groups: &[vk::RayTracingShaderGroupCreateInfoKHR<'_>]| {
            let info = info.groups(groups);
            // SAFETY: the structures live until the call returns; the parts are libraries with the same interface.
            unsafe {
                rays.create_ray_tracing_pipelines(vk::DeferredOperationKHR::null(), cache.handle(), &[info], None)
            }
        };
        let again = |wanted: &[Vec<u8>]| -> Vec<_> {
            // Each handle has the device's size, and lives until the call returns.
            let each = infos.iter().zip(wanted);
            each.map(|(info, handle)| vk::RayTracingShaderGroupCreateInfoKHR {
                p_shader_group_capture_replay_handle: handle.as_ptr().cast(),
                ..*info
            })
            .collect()
        };
        let first = handles::in_turn(device, wanted.is_some(), |may| match wanted.as_deref().filter(|_| may) {
            Some(wanted) => make(&again(wanted)),
            None => make(&infos),
        });
        let made = match first {
            // Vulkan has one error for handles that cannot be had; drivers answer others, too.
            Err((_, error)) if wanted.is_some() => {
                reprise_log::debug(|| {
                    format!("a pipeline's shader groups get other handles than in the earlier process: {error}")
                });
                handles::in_turn(device, false, |_| make(&infos))
            }
            made => made,
        };
        let made = device.check("vkCreateRayTracingPipelinesKHR", made.map_err(|(_, error)| error))?;
        let vk = made.first().copied().ok_or(Error::Fail("Vulkan made no pipeline"))?;
        let sets = groups.iter().flat_map(|(_, shaders)| shaders).fold(0, |sets, spirv| sets | spirv.facts().sets);
        let mut piece = Piece {
            logical: device.logical.clone(),
            vk,
            layout: layout.clone(),
            limits,
            identifiers: Box::default(),
            stacks: Box::default(),
            sets: parts.iter().fold(sets, |sets, part| sets | part.sets),
            parts,
        };
        piece.read(groups, whole)?;
        if repeats {
            piece.keep(groups, handles)?;
        }
        Ok(piece)
    }

    /// Reads what a later process needs to have the same handles: of its own groups, because those of its parts were read as theirs.
    fn keep(&self, groups: &[(&Group, Translated)], handles: &mut Making) -> Result<()> {
        let rays = self.logical.ext.ray_pipeline.as_ref().ok_or(ABSENT)?;
        let count = if self.identifiers.is_empty() { 0 } else { groups.len() };
        let bytes = match count {
            0 => Vec::new(),
            _ => {
                let size = count * handles.size();
                // SAFETY: the pipeline has so many groups, was made with the flag, and tells handles.
                let bytes =
                    unsafe { rays.get_ray_tracing_capture_replay_shader_group_handles(self.vk, 0, count as u32, size) };
                self.logical.check("vkGetRayTracingCaptureReplayShaderGroupHandlesKHR", bytes)?
            }
        };
        handles.keep(groups.iter().map(|(group, _)| group.name.as_str()), &bytes);
        Ok(())
    }

    /// Reads identifiers and sizes of stacks.
    fn read(&mut self, groups: &[(&Group, Translated)], whole: bool) -> Result<()> {
        let rays = self.logical.ext.ray_pipeline.as_ref().ok_or(ABSENT)?;
        let count = groups.len() + self.parts.iter().map(|part| part.stacks.len()).sum::<usize>();
        if whole || self.logical.caps.features.group_handles.pipeline_library_group_handles != 0 {
            // SAFETY: the pipeline has so many groups, each with a handle of this size.
            let bytes =
                unsafe { rays.get_ray_tracing_shader_group_handles(self.vk, 0, count as u32, count * IDENTIFIER) };
            let bytes = self.logical.check("vkGetRayTracingShaderGroupHandlesKHR", bytes)?;
            self.identifiers = bytes.as_chunks::<IDENTIFIER>().0.into();
        }
        let mut stacks = Vec::with_capacity(count);
        for ((group, _), index) in groups.iter().zip(0..) {
            let has = |stage| group.imports.iter().any(|import| import.stage == stage);
            let of = |has: bool, shader| match has {
                // SAFETY: the pipeline has the group, and the group the shader.
                true => unsafe { rays.get_ray_tracing_shader_group_stack_size(self.vk, index, shader) },
                false => 0,
            };
            type Part = vk::ShaderGroupShaderKHR;
            stacks.push(match group.kind {
                GroupKind::General => [of(true, Part::GENERAL), 0, 0],
                _ => [
                    of(has(Stage::ClosestHit), Part::CLOSEST_HIT),
                    of(has(Stage::AnyHit), Part::ANY_HIT),
                    of(has(Stage::Intersection), Part::INTERSECTION),
                ],
            });
        }
        stacks.extend(self.parts.iter().flat_map(|part| part.stacks.iter().copied()));
        self.stacks = stacks.into();
        Ok(())
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // SAFETY: lists hold the state objects whose pipelines they bind, and wholes hold their parts.
        unsafe { self.logical.vk.destroy_pipeline(self.vk, None) };
    }
}

/// `D3D12_RAYTRACING_PIPELINE_FLAGS`.
const SKIP_TRIANGLES: u32 = 0x100;
const SKIP_PROCEDURAL: u32 = 0x200;
/// `D3D12_RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS`.
const ALLOW_MICROMAPS: u32 = 0x400;

fn flags(device: &Device, asked: u32, whole: bool) -> Result<vk::PipelineCreateFlags> {
    let mut flags = device.pipeline_flags();
    if !whole {
        flags |= vk::PipelineCreateFlags::LIBRARY_KHR;
    }
    if asked & !(SKIP_TRIANGLES | SKIP_PROCEDURAL | ALLOW_MICROMAPS) != 0 {
        return Err(Error::Unsupported("a ray tracing pipeline with an unknown flag"));
    }
    if asked & ALLOW_MICROMAPS != 0 && !device.caps.has_micromaps() {
        return Err(crate::micromap::ABSENT);
    }
    if asked & (SKIP_TRIANGLES | SKIP_PROCEDURAL) == SKIP_TRIANGLES | SKIP_PROCEDURAL {
        return Err(Error::Invalid("a pipeline config that skips triangles and procedural primitives"));
    }
    // Without the feature they are a promise that Vulkan makes no use of: `TraceRay` has flags of its own, too.
    let skips = asked & (SKIP_TRIANGLES | SKIP_PROCEDURAL) != 0;
    if skips && device.caps.features.ray_pipeline.ray_traversal_primitive_culling == 0 {
        return Err(Error::Unsupported("pipeline configs that skip primitives, on this device"));
    }
    if asked & SKIP_TRIANGLES != 0 {
        flags |= vk::PipelineCreateFlags::RAY_TRACING_SKIP_TRIANGLES_KHR;
    }
    if asked & SKIP_PROCEDURAL != 0 {
        flags |= vk::PipelineCreateFlags::RAY_TRACING_SKIP_AABBS_KHR;
    }
    if asked & ALLOW_MICROMAPS != 0 {
        flags |= vk::PipelineCreateFlags::RAY_TRACING_OPACITY_MICROMAP_EXT;
    }
    Ok(flags)
}

/// The stages of a pipeline; a shader that several groups have is one.
#[derive(Default)]
struct Stages {
    all: Vec<(vk::ShaderStageFlags, Module, CString)>,
    known: HashMap<(Stage, Vec<u32>), u32>,
}

impl Stages {
    fn group(
        &mut self,
        device: &Device,
        group: &Group,
        shaders: &[Spirv],
    ) -> Result<vk::RayTracingShaderGroupCreateInfoKHR<'static>> {
        let mut info = vk::RayTracingShaderGroupCreateInfoKHR::default()
            .ty(match group.kind {
                GroupKind::General => vk::RayTracingShaderGroupTypeKHR::GENERAL,
                GroupKind::Triangles => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                GroupKind::Procedural => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
            })
            .general_shader(vk::SHADER_UNUSED_KHR)
            .closest_hit_shader(vk::SHADER_UNUSED_KHR)
            .any_hit_shader(vk::SHADER_UNUSED_KHR)
            .intersection_shader(vk::SHADER_UNUSED_KHR);
        for spirv in shaders {
            let index = self.stage(device, spirv)?;
            match spirv.stage {
                Stage::ClosestHit => info.closest_hit_shader = index,
                Stage::AnyHit => info.any_hit_shader = index,
                Stage::Intersection => info.intersection_shader = index,
                _ => info.general_shader = index,
            }
        }
        Ok(info)
    }

    fn stage(&mut self, device: &Device, spirv: &Spirv) -> Result<u32> {
        let key = (spirv.stage, spirv.words.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let entry = CString::new(spirv.entry.as_str());
        let entry = entry.map_err(|_| Error::Invalid("an entry point with a zero in its name"))?;
        let index = self.all.len() as u32;
        self.all.push((stage_flag(spirv.stage), Module::new(&device.logical, spirv)?, entry));
        self.known.insert(key, index);
        Ok(index)
    }
}
