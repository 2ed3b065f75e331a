//! Pipeline states.
//!
//! [`stream`] reads what programs describe, in any of the API's forms, into one [`Description`]; [`graphics`] and [`compute`]
//! make Vulkan pipelines of it; [`shader`] translates. All state that the API has in command lists is dynamic, so one
//! pipeline state is one Vulkan pipeline, made when the program asks for it; [`variants`] has what is made later for targets that
//! the description does not name.

pub mod compute;
pub mod executables;
pub mod formats;
mod graphics;
mod input;
mod interface;
mod key;
mod library;
pub mod meshlets;
mod needs;
mod plan;
mod pulled;
pub mod shader;
mod slow;
mod stages;
mod state;
mod stream;
mod stream_output;
mod targets;
mod variants;
mod views;

pub use stages::mesh_varyings;

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

use ash::vk;
use reprise_com::result::{E_INVALIDARG, E_NOTIMPL, E_POINTER};
use reprise_com::{Class, Object, Ref, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::meshlets::Layout;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_GRAPHICS_PIPELINE_STATE_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
};
use reprise_dxbc::registers::Registers;
use reprise_dxbc::root_signature::Version;
use reprise_shader::Stage;

pub use formats::Formats;
pub use graphics::Graphics;
pub use pulled::Reads;
use reprise_gpu::cache::{Blob, Cache};
pub use stream::Description;
pub use views::Views;

use crate::device::{Child, Device, this};
use crate::root::{RootSignature, Work};
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateGraphicsPipelineState", create_graphics as *const c_void),
    ("CreateComputePipelineState", create_compute as *const c_void),
    ("CreatePipelineState", create_from_stream as *const c_void),
    ("CreatePipelineLibrary", library::create as *const c_void),
];

/// Registers that a shader is made for.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The shader's stage.
    pub stage: Stage,
    /// The hash of its container.
    pub shader: u64,
    /// The registers.
    pub registers: Registers,
}

/// The body of `ID3D12PipelineState`.
#[derive(Debug)]
pub struct PipelineState {
    device: Child,
    /// The root signature that the shaders were translated with.
    pub root: Ref<RootSignature>,
    /// The pipeline.
    pub pipeline: vk::Pipeline,
    /// Graphics: what a list must set and bind for it. `None` for compute.
    pub graphics: Option<Graphics>,
    /// Of graphics.
    variants: Option<variants::Variants>,
    /// Of compute.
    compute: Option<compute::Plan>,
    /// The shaders name descriptor sets of the heap of views.
    pub uses_views: bool,
    /// They name that of the heap of samplers.
    pub uses_samplers: bool,
    /// They trace rays inline, so a root argument may be the address of an acceleration structure.
    pub traces: bool,
    /// Registers that its shaders are made for, where descriptors are checked.
    pub registers: Vec<Declared>,
    /// Steps that stand behind each operation with it (`REPRISE_SLOW`); 0: none.
    pub slow: u32,
    /// Names what the pipeline was made of, for cached blobs.
    key: [u8; 16],
    /// What the driver has made of it; `None` where the program asked for a pipeline without a cached blob.
    cache: Option<Cache>,
    /// Its pipelines keep what the driver says of them.
    has_executables: bool,
    /// Where its mesh shader stores what the groups give.
    meshlets: Option<Layout>,
    /// A library holds it, and may give it out again.
    in_library: AtomicBool,
    /// See [`PipelineState::in_memory`].
    in_memory: [OnceLock<Ref<PipelineState>>; Reads::COUNT],
}

impl PipelineState {
    /// Graphics or compute.
    pub fn bind_point(&self) -> vk::PipelineBindPoint {
        match self.graphics {
            Some(_) => vk::PipelineBindPoint::GRAPHICS,
            None => vk::PipelineBindPoint::COMPUTE,
        }
    }

    /// The layout of its root arguments.
    fn layout(&self) -> vk::PipelineLayout {
        self.root.layout_for(match &self.graphics {
            None => Work::Compute,
            Some(graphics) => graphics.work(),
        })
    }

    /// The pipeline to draw a view with to targets of these formats. Without view instances there is one, 0.
    ///
    /// # Errors
    /// When the pipeline has to be made, and Vulkan fails.
    pub fn for_targets(&self, formats: &Formats, view: usize) -> Result<vk::Pipeline> {
        match (&self.graphics, &self.variants) {
            (Some(graphics), Some(variants)) if view != 0 || graphics.formats != *formats => {
                variants.get(&self.device, self.layout(), formats, view)
            }
            _ => Ok(self.pipeline),
        }
    }

    /// A second pipeline state with the same shaders: they read root arguments, and vertices and indices where `reads` says so, in memory.
    /// It is made when it is first asked for.
    ///
    /// # Errors
    /// When a shader cannot be translated again or cannot read so, or Vulkan fails.
    pub fn in_memory(&self, reads: Reads) -> Result<&Ref<PipelineState>> {
        let place = &self.in_memory[reads as usize];
        if let Some(made) = place.get() {
            return Ok(made);
        }
        let root = if self.root.block.is_some() { &self.root } else { self.root.in_memory()? };
        let slots = |own: &Graphics| if reads == Reads::Roots { own.vertex_slots } else { 0 };
        let graphics = self.graphics.as_ref().map(|own| Graphics { vertex_slots: slots(own), ..own.clone() });
        let cache = Cache::new(&self.device.pipelines, &[]);
        let mut made = PipelineState {
            device: Child::internal(&self.device),
            root: root.clone(),
            pipeline: vk::Pipeline::null(),
            graphics,
            variants: self.variants.as_ref().map(|own| own.again(&self.device, root, reads)).transpose()?,
            compute: self.compute.as_ref().map(|own| own.again(&self.device, root)).transpose()?,
            uses_views: self.uses_views,
            uses_samplers: self.uses_samplers,
            traces: self.traces,
            registers: self.registers.clone(),
            slow: self.slow,
            key: self.key,
            cache: None,
            has_executables: self.has_executables,
            meshlets: None,
            in_library: AtomicBool::new(false),
            in_memory: Default::default(),
        };
        made.pipeline = made.again(cache.handle())?;
        Ok(place.get_or_init(|| Object::make(made).keep()))
    }

    /// Makes the pipeline that a program describes.
    ///
    /// # Errors
    /// When the description is invalid, a shader cannot be translated, or Vulkan fails.
    pub fn new(device: &Object<Device>, description: &Description<'_>) -> Result<PipelineState> {
        let root = root(device, description)?;
        // Pipelines are made from their description either way; a blob of another runtime or of another pipeline is refused as
        // the API says, so that programs make a new one.
        let cached = description.cached.map(|bytes| Blob::read(bytes, &device.caps.identity)).transpose()?;
        if cached.as_ref().is_some_and(|cached| cached.key != key(&root, description)) {
            return Err(Error::Invalid("the cached blob is of another pipeline state"));
        }
        let content = cached.map(|cached| cached.content).unwrap_or_default();
        PipelineState::with_cache(device, root, description, &content)
    }

    /// The same, with the content of a blob of this very pipeline.
    fn with_cache(
        device: &Object<Device>,
        root: Ref<RootSignature>,
        description: &Description<'_>,
        content: &[u8],
    ) -> Result<PipelineState> {
        let key = key(&root, description);
        let has_executables = device.executables.are_kept();
        let has_blob = description.flags & stream::DISABLE_CACHED_BLOB == 0;
        let cache = Cache::new(&device.pipelines, content);
        let mut meshlets = None;
        let (pipeline, graphics, variants, compute, sets, traces) = match description.shader(Stage::Compute) {
            Some(_) => {
                let plan = compute::Plan::new(device, &root, description)?;
                let pipeline = plan.build(device, root.compute_layout, cache.handle())?;
                let (sets, traces) = (plan.sets, plan.traces());
                (pipeline, None, None, Some(plan), sets, traces)
            }
            None => {
                let made = graphics::create(device, &root, description, cache.handle())?;
                meshlets = made.meshlets;
                (made.pipeline, Some(made.graphics), Some(made.variants), None, made.sets, made.traces)
            }
        };
        let samplers = 1 << device.bindings.samplers();
        let registers = match device.bindings.checks() {
            Some(_) => description.registers(),
            None => Vec::new(),
        };
        let state = PipelineState {
            device: Child::new(device),
            root,
            pipeline,
            graphics,
            variants,
            compute,
            // Those of views stand before it.
            uses_views: sets & (samplers - 1) != 0,
            uses_samplers: sets & samplers != 0,
            traces,
            registers,
            slow: slow::steps_of_next(device),
            key,
            cache: has_blob.then_some(cache),
            has_executables,
            meshlets,
            in_library: AtomicBool::new(false),
            in_memory: Default::default(),
        };
        // A list that draws views would have to wait for the others.
        if let Some(graphics) = &state.graphics {
            for view in 1..graphics.views.pipelines() {
                state.for_targets(&graphics.formats, view)?;
            }
        }
        Ok(state)
    }

    /// What a cached blob says.
    fn blob(&self) -> Blob {
        let content = self.cache.as_ref().map(|cache| cache.content(|alone| self.again(alone)));
        Blob { key: self.key, content: content.unwrap_or_default() }
    }

    /// Makes the pipeline once more, with a cache.
    fn again(&self, cache: vk::PipelineCache) -> Result<vk::Pipeline> {
        match (&self.graphics, &self.variants, &self.compute) {
            (Some(graphics), Some(variants), _) => {
                variants.build(&self.device, self.layout(), cache, &graphics.formats)
            }
            (.., Some(plan)) => plan.build(&self.device, self.root.compute_layout, cache),
            _ => Err(Error::Fail("a pipeline state without a plan")),
        }
    }

    /// A library will hold it: what the program attaches stays, also while the program does not hold it.
    fn stays(&self) {
        self.in_library.store(true, Ordering::Relaxed);
    }
}

/// Names what a pipeline is made of.
fn key(root: &RootSignature, description: &Description<'_>) -> [u8; 16] {
    description.key(&root.signature.serialise(Version::V1_2))
}

impl Drop for PipelineState {
    fn drop(&mut self) {
        let variants = self.variants.as_mut().map(variants::Variants::take).unwrap_or_default();
        for pipeline in variants.into_iter().chain([self.pipeline]) {
            // SAFETY: lists that are not finished hold the pipeline state.
            unsafe { self.device.vk.destroy_pipeline(pipeline, None) };
        }
    }
}

/// The description's root signature: the program's object, or the one in a shader.
fn root(device: &Object<Device>, description: &Description<'_>) -> Result<Ref<RootSignature>> {
    // SAFETY: the program gives null or a living root signature.
    if let Some(root) = unsafe { Object::<RootSignature>::from_pointer(description.root) } {
        if root.layout == vk::PipelineLayout::null() {
            return Err(Error::Invalid("a local root signature cannot be a pipeline's"));
        }
        return Ok(root.keep());
    }
    if !description.root.is_null() {
        return Err(Error::Invalid("the root signature is not of this runtime"));
    }
    let has_root = |blob: &[u8]| {
        reprise_dxbc::Container::parse(blob).is_ok_and(|container| container.part(reprise_dxbc::Tag::RTS0).is_some())
    };
    let serialised = description.serialised_root.into_iter();
    let mut blobs = serialised.chain(description.stages.iter().map(|(_, blob)| *blob)).filter(|blob| has_root(blob));
    let blob = blobs.next().ok_or(Error::Invalid("neither the description nor a shader has a root signature"))?;
    Ok(Object::make(RootSignature::new(device, blob)?).keep())
}

const INTERFACE: InterfaceId = interface("ID3D12PipelineState1");

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    Object::<PipelineState>::SHARED,
    &[("GetCachedBlob", get_cached_blob as *const c_void), ("GetRootSignature", get_root_signature as *const c_void)],
);

impl Class for PipelineState {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: Tables = VTABLE.tables();

    fn own_data(object: &Object<PipelineState>, id: &Guid) -> Option<Vec<u8>> {
        let layout = object.meshlets.as_ref().filter(|_| *id == reprise_d3d12::meshlets::ID);
        layout.map(Layout::bytes).or_else(|| executables::of_state(object, id))
    }

    fn lasts(object: &Object<PipelineState>) -> bool {
        object.in_library.load(Ordering::Relaxed)
    }

    fn released(object: &Object<PipelineState>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

unsafe extern "C" fn get_cached_blob(pipeline: *mut c_void, out: *mut *mut c_void) -> i32 {
    guard(E_NOTIMPL, || {
        if out.is_null() {
            return E_POINTER;
        }
        // SAFETY: a pipeline state of ours; `out` is writable.
        unsafe {
            let pipeline = Object::<PipelineState>::this(pipeline);
            if pipeline.cache.is_none() {
                out.write(core::ptr::null_mut());
                return E_INVALIDARG;
            }
            crate::blob::give(pipeline.blob().write(&pipeline.device.caps.identity), out)
        }
    })
}

unsafe extern "C" fn get_root_signature(pipeline: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the slot is of a pipeline state's vtable, and the state holds its root signature; `iid` is readable, `out` null or room for a
    // pointer.
    guard(E_NOTIMPL, || unsafe { Object::<PipelineState>::this(pipeline).root.query(&*iid, out) })
}

/// Makes a pipeline state and gives it to the program.
///
/// # Safety
/// The description's pointers are valid; `iid` is readable, `out` null or writable.
unsafe fn give(device: *mut c_void, made: Result<Description<'_>>, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: a device of ours.
    let device = unsafe { this(device) };
    let meshlets = meshlets::next(device);
    match made.and_then(|description| PipelineState::new(device, &Description { meshlets, ..description })) {
        // SAFETY: the caller promises: the description's pointers are valid; `iid` is readable, `out` null or writable.
        Ok(state) => unsafe { Object::make(state).give(&*iid, out) },
        Err(error) => {
            if !out.is_null() {
                // SAFETY: the caller promises: the description's pointers are valid; `iid` is readable, `out` null or
                // writable.
                unsafe { out.write(core::ptr::null_mut()) };
            }
            crate::error::code_of_creation(&error)
        }
    }
}

unsafe extern "C" fn create_graphics(
    device: *mut c_void,
    desc: *const D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the description is readable with the arrays, bytecode and root signature that it names until the call returns, and all of it
    // is copied; `iid` is readable, `out` null or room for a pointer.
    guard(E_NOTIMPL, || unsafe { give(device, Description::from_graphics(&*desc), iid, out) })
}

unsafe extern "C" fn create_compute(
    device: *mut c_void,
    desc: *const D3D12_COMPUTE_PIPELINE_STATE_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the description is readable with the bytecode and root signature that it names until the call returns, and all of it is
    // copied; `iid` is readable, `out` null or room for a pointer.
    guard(E_NOTIMPL, || unsafe { give(device, Description::from_compute(&*desc), iid, out) })
}

unsafe extern "C" fn create_from_stream(
    device: *mut c_void,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the stream has as many bytes as it says, whose subobjects lead to memory that is readable until the call returns, and all of
    // it is copied; `iid` is readable, `out` null or room for a pointer.
    guard(E_NOTIMPL, || unsafe { give(device, Description::from_stream(&*desc), iid, out) })
}
