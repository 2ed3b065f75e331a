//! The object behind `ID3D12RootSignature`.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::OnceLock;

use crate::deserializer::LOCAL;
use crate::device::{Child, Device};
use crate::root::layout::{self, PushLayout};
use crate::root::static_sampler;
use crate::{Error, Result};
use ash::vk;
use reprise_com::{Class, Object, Ref, Tables, Vtable, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_gpu::caps::WIDE_SLOTS;
use reprise_gpu::descriptor::block_layout::BlockLayout;
use reprise_gpu::descriptor::layout::{Layouts, Place};
use reprise_gpu::descriptor::static_samplers::StaticSamplers;
use reprise_gpu::descriptor::table::Table;
use reprise_shader::{Heaps, Interface, Slot};

/// The body of `ID3D12RootSignature`.
#[derive(Debug)]
pub struct RootSignature {
    device: Child,
    /// What was serialised.
    pub signature: reprise_dxbc::RootSignature,
    /// Where root arguments lie in the push constants, or in the block.
    pub push: PushLayout,
    /// For graphics that begins with vertices. Null for a local root signature.
    pub layout: vk::PipelineLayout,
    /// For compute. Drivers keep push constants stage by stage, so each layout has those of its own stages only.
    pub compute_layout: vk::PipelineLayout,
    /// For graphics that begins with mesh shaders; null where the device has none.
    pub mesh_layout: vk::PipelineLayout,
    /// What registers mean to shaders.
    pub interface: Interface,
    /// The set behind the bindless ones, at [`Layouts::static_samplers`].
    pub static_samplers: Option<StaticSamplers>,
    /// The set of the root arguments where they are no push constants. It is the last.
    pub block: Option<BlockLayout>,
    /// The same one with such a set, where this one has none: see [`RootSignature::in_memory`].
    in_memory: OnceLock<Ref<RootSignature>>,
}

const INTERFACE: InterfaceId = interface("ID3D12RootSignature");

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(INTERFACE, Object::<RootSignature>::SHARED, &[]);

impl Class for RootSignature {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<RootSignature>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

impl RootSignature {
    /// Makes a root signature out of a container that has one: a serialised one, or a shader with one in it.
    ///
    /// # Errors
    /// When the container or the root signature is malformed, the device has too little room, or Vulkan fails.
    pub fn new(device: &Object<Device>, bytes: &[u8]) -> Result<RootSignature> {
        let (signature, _) = crate::deserializer::parse(bytes)?;
        signature.check().map_err(|fault| {
            reprise_log::debug(|| format!("root signature: {fault:?}"));
            Error::Invalid("the API does not allow this root signature")
        })?;
        let push = PushLayout::new(&signature);
        // A local one is part of ray tracing pipelines, and has no layout of its own.
        let fits = signature.flags & LOCAL != 0 || push.fits(device.caps.push_room());
        RootSignature::with(Child::new(device), signature, push, !fits)
    }

    /// The same root signature with arguments in memory, where those of this one are push constants: what the GPU writes, shaders find there.
    /// Its layout of arguments is the same.
    ///
    /// # Errors
    /// The device binds no set for them, or Vulkan fails.
    pub fn in_memory(&self) -> Result<&Ref<RootSignature>> {
        if let Some(made) = self.in_memory.get() {
            return Ok(made);
        }
        let child = Child::internal(&self.device);
        let made = RootSignature::with(child, self.signature.clone(), self.push.clone(), true)?;
        Ok(self.in_memory.get_or_init(|| Object::make(made).keep()))
    }

    fn with(
        device: Child,
        signature: reprise_dxbc::RootSignature,
        push: PushLayout,
        in_memory: bool,
    ) -> Result<RootSignature> {
        let samplers = device.bindings.static_samplers();
        let behind = samplers + u32::from(!signature.samplers.is_empty());
        let block = in_memory.then(|| BlockLayout::new(&device.logical, &device.bindings, behind)).transpose()?;
        let overflow = block.as_ref().map(|block| Slot { set: block.set, binding: 0 });
        let interface = layout::interface(&signature, &push, heaps(&device.bindings), samplers, overflow);
        let mut root = RootSignature {
            device,
            signature,
            push,
            layout: vk::PipelineLayout::null(),
            compute_layout: vk::PipelineLayout::null(),
            mesh_layout: vk::PipelineLayout::null(),
            interface,
            static_samplers: None,
            block,
            in_memory: OnceLock::new(),
        };
        if !root.is_local() {
            root.make_layout()?;
        }
        Ok(root)
    }

    /// The layout for a sort of work.
    #[inline]
    pub fn layout_for(&self, work: Work) -> vk::PipelineLayout {
        match work {
            Work::Vertices => self.layout,
            Work::Meshes => self.mesh_layout,
            Work::Compute => self.compute_layout,
        }
    }

    /// Whether its arguments lie in shader records.
    pub fn is_local(&self) -> bool {
        self.signature.flags & LOCAL != 0
    }

    fn make_layout(&mut self) -> Result<()> {
        let device = &self.device;
        if !self.signature.samplers.is_empty() {
            let described = static_sampler::descriptions(&self.signature.samplers)?;
            self.static_samplers = Some(StaticSamplers::new(&device.logical, &device.bindings, &described)?);
        }
        let sets = set_layouts(device, Some(self));
        if sets.len() > device.caps.limits.max_bound_descriptor_sets as usize {
            let many = "static samplers or many root arguments: the device binds too few descriptor sets";
            return Err(Error::Unsupported(many));
        }
        let make = |work: Work| {
            let push = [vk::PushConstantRange::default().stage_flags(work.stages()).size(self.push.words * 4)];
            let ranges = if self.push.words == 0 || self.block.is_some() { &push[..0] } else { &push[..] };
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
            // SAFETY: the structures live until the call returns.
            let made = unsafe { device.vk.create_pipeline_layout(&info, None) };
            device.check("vkCreatePipelineLayout", made)
        };
        let (vertices, compute) = (make(Work::Vertices), make(Work::Compute));
        let meshes = match device.caps.has_mesh_shaders() {
            true => make(Work::Meshes),
            false => Ok(vk::PipelineLayout::null()),
        };
        // What was made is kept, to be destroyed, whatever became of the others.
        let made = |layout: &reprise_gpu::Result<vk::PipelineLayout>| layout.as_ref().copied().unwrap_or_default();
        (self.layout, self.compute_layout, self.mesh_layout) = (made(&vertices), made(&compute), made(&meshes));
        vertices.and(compute).and(meshes)?;
        Ok(())
    }
}

impl Drop for RootSignature {
    fn drop(&mut self) {
        // SAFETY: pipelines and lists hold their root signature, so nothing uses the layouts any more.
        unsafe {
            self.device.vk.destroy_pipeline_layout(self.layout, None);
            self.device.vk.destroy_pipeline_layout(self.compute_layout, None);
            self.device.vk.destroy_pipeline_layout(self.mesh_layout, None);
        }
    }
}

/// The sorts of work that take root arguments. Each has its own stages, and so its own layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Graphics that begins with the input assembler.
    Vertices,
    /// Graphics that begins with mesh or amplification shaders.
    Meshes,
    /// Compute.
    Compute,
}

impl Work {
    /// Stages whose push constants the root arguments are.
    #[inline]
    pub fn stages(self) -> vk::ShaderStageFlags {
        match self {
            Work::Vertices => vk::ShaderStageFlags::ALL_GRAPHICS,
            Work::Meshes => {
                vk::ShaderStageFlags::TASK_EXT | vk::ShaderStageFlags::MESH_EXT | vk::ShaderStageFlags::FRAGMENT
            }
            Work::Compute => vk::ShaderStageFlags::COMPUTE,
        }
    }
}

/// The sets of a pipeline layout: the device's bindless ones, and behind them those of a root signature.
pub(crate) fn set_layouts(device: &Device, root: Option<&RootSignature>) -> Vec<vk::DescriptorSetLayout> {
    let mut sets = device.bindings.sets().to_vec();
    if let Some(root) = root {
        sets.extend(root.static_samplers.as_ref().map(|samplers| samplers.layout));
        sets.extend(root.block.as_ref().map(|block| block.layout));
    }
    sets
}

/// Where shaders find descriptors.
pub(crate) fn heaps(bindings: &Layouts) -> Heaps {
    let slot = |place: Place| Slot { set: place.set, binding: place.binding };
    let table = |table: Table| slot(bindings.place(table));
    let wide = bindings.wide().unwrap_or_default();
    Heaps {
        sampled_image: table(Table::SampledImage),
        storage_image: table(Table::StorageImage),
        uniform_texel: table(Table::UniformTexels),
        storage_texel: table(Table::StorageTexels),
        uniform_buffer: table(Table::ConstantBuffer),
        storage_buffer: table(Table::Raw),
        sampler: table(Table::Sampler),
        addresses: slot(bindings.counters()),
        offsets: slot(bindings.offsets()),
        wide_image: Slot { set: wide, binding: 0 },
        wide_texel: Slot { set: wide, binding: 1 },
        wide_count: if bindings.wide().is_some() { WIDE_SLOTS } else { 0 },
    }
}
