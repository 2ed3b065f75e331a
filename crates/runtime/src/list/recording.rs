//! What a list that is open records: an encoder, what is bound, and what is kept alive.

use core::ffi::c_void;
use std::sync::{Arc, Weak};

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;
use reprise_gpu::descriptor::record::{Record, RecordKind, Target};
use reprise_gpu::encoder::{Dirty, Encoder, Images, Push};
use reprise_gpu::families::Role;
use reprise_gpu::gate::Gate;
use reprise_gpu::graveyard::Hold;
use reprise_gpu::image::Image;
use reprise_gpu::kernel::Kernel;
use reprise_log::warning_once;

use crate::acceleration::Inputs;
use crate::descriptor::handle::CpuHandle;
use crate::device::Device;
use crate::list::CommandList;
use crate::list::allocator::{CommandAllocator, Pool};
use crate::list::bound::Bound;
use crate::list::command::Command;
use crate::list::keep::Keep;
use crate::list::operations::{Lease, Operations};
use crate::list::pass_state::Passes;
use crate::list::query_state::Counting;
use crate::list_type::role;
use crate::message::{self, Kind};
use crate::resource::object::Resource;
use crate::trail::crumbs::Crumbs;
use crate::{Error, Result};

/// What a list records.
pub(crate) struct Recording {
    /// The device that makes the list's own resources.
    pub(super) owner: Ref<Device>,
    pub(super) kind: D3D12_COMMAND_LIST_TYPE,
    /// Where it records; `Some` also says that the list is open.
    pub(super) allocator: Option<Ref<CommandAllocator>>,
    /// Keeps what the program lets go meanwhile, for the GPU.
    pub(super) hold: Option<Hold>,
    /// The first call that could not be recorded; `Close` gives it.
    pub(super) failed: Option<Error>,
    /// What writes Vulkan's commands.
    pub(super) encoder: Encoder,
    /// What the next draw or dispatch uses.
    pub(super) bound: Bound,
    /// What must live until the GPU is done.
    pub(super) keep: Keep,
    /// A bundle's commands.
    pub(super) commands: Vec<Command>,
    pub(super) counting: Counting,
    pub(super) passes: Passes,
    /// The last build's, whose room the next one uses again.
    pub(super) inputs: Inputs,
    /// What a watched list leaves, where somebody wants that.
    pub(super) crumbs: Option<Box<Crumbs>>,
    /// What shaders say of descriptors, where they look at them.
    pub(super) operations: Option<Box<Operations>>,
    /// What the last recording has left for checks of descriptors, where there are any.
    pub(super) lease: Option<Weak<Lease>>,
}

impl Recording {
    pub(super) fn new(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> Recording {
        // A bundle runs where graphics lists do.
        let mut encoder = Encoder::new(&device.gpu, role(kind).unwrap_or(Role::Graphics));
        encoder.dirty.set(Dirty::DEFERRED);
        Recording {
            owner: device.keep(),
            kind,
            allocator: None,
            hold: None,
            failed: None,
            encoder,
            bound: Bound::default(),
            keep: Keep::default(),
            commands: Vec::new(),
            counting: Counting::default(),
            passes: Passes::default(),
            inputs: Inputs::default(),
            crumbs: None,
            lease: None,
            operations: device.bindings.checks().map(|checks| Box::new(Operations::new(checks))),
        }
    }

    /// Whether the list is open.
    pub(super) fn is_open(&self) -> bool {
        self.allocator.is_some()
    }

    /// The device that makes the list's own resources.
    pub(super) fn owner(&self) -> Ref<Device> {
        self.owner.keep()
    }

    /// Records a gate.
    pub(crate) fn put(&mut self, gate: &Gate) {
        self.encoder.outside();
        self.encoder.end_builds();
        // SAFETY: the encoder's command buffer is of this device and is being recorded, outside of rendering.
        unsafe { gate.record(self.encoder.buffer) };
    }

    /// Begins anew in a command buffer.
    pub(super) fn restart(&mut self, allocator: Ref<CommandAllocator>, buffer: vk::CommandBuffer) {
        self.allocator = Some(allocator);
        self.hold =
            (self.kind != D3D12_COMMAND_LIST_TYPE::BUNDLE).then(|| self.encoder.device.graveyard.hold_for_list());
        self.failed = None;
        self.encoder.restart(buffer);
        self.bound.reset();
        self.counting.meshes = false;
        if self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
            self.encoder.dirty.set(Dirty::DEFERRED);
        }
        self.commands.clear();
        if let Some(operations) = &mut self.operations {
            operations.restart();
        }
    }

    /// Forgets all state, as a new list has none; what it referred to is kept.
    pub(super) fn reset_state(&mut self) {
        self.keep.settle(&mut self.bound);
        self.encoder.reset_state();
        self.bound.reset();
    }

    /// What the recording kept, for whoever submits it; and the images that it may be the first to use.
    pub(super) fn finish(
        &mut self,
        pool: Arc<Pool>,
        name: &dyn Fn() -> Option<String>,
    ) -> (Vec<Arc<Image>>, impl core::any::Any + Send + Sync + use<>) {
        self.encoder.dirty.set(Dirty::DEFERRED);
        // Every query needs a pool.
        let queries = match self.counting.kept.is_empty() {
            true => Vec::new(),
            false => core::mem::take(&mut self.counting).kept,
        };
        let lease = self.operations.as_mut().and_then(|operations| operations.finish(name()));
        self.lease = self.operations.is_some().then(|| lease.as_ref().map(Arc::downgrade).unwrap_or_default());
        self.keep.finish(pool, lease, queries, self.bound.take(), &mut self.encoder)
    }

    /// Runs a kernel.
    pub(super) fn run(&mut self, kernel: Kernel, images: Images, push: &Push, groups: [u32; 3]) -> Result<()> {
        self.computes()?;
        self.uncounted(|recording| Ok(recording.encoder.run(kernel, images, push, groups)?))?;
        self.has_run_kernels();
        Ok(())
    }

    /// What kernels that ran have taken is told again.
    pub(super) fn has_run_kernels(&mut self) {
        self.bound.compute.sets = true;
        // Both bind points have lost their push constants.
        self.bound.pushed_for = vk::PipelineBindPoint::RAY_TRACING_KHR;
    }

    /// Runs a method of a list of any kind but bundles.
    ///
    /// # Safety
    /// `this` is a list of ours, and the program calls no other method of it meanwhile.
    #[inline]
    pub(super) unsafe fn on_list(this: *mut c_void, body: impl FnOnce(&mut Recording) -> Result<()>) {
        // SAFETY: the caller passes a list of ours, and calls no other method of it meanwhile.
        unsafe {
            Self::on_any(this, |recording| {
                if recording.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
                    return Err(Error::Fail("a bundle cannot record this call"));
                }
                body(recording)
            });
        }
    }

    /// Fails on lists whose queues do not draw.
    pub(super) fn draws(&self) -> Result<()> {
        match self.kind {
            D3D12_COMMAND_LIST_TYPE::DIRECT => Ok(()),
            _ => Err(Error::Fail("only direct lists record this call")),
        }
    }

    /// Fails on lists whose queues only copy.
    pub(super) fn computes(&self) -> Result<()> {
        match self.kind {
            D3D12_COMMAND_LIST_TYPE::COPY => Err(Error::Fail("a copy list cannot record this call")),
            _ => Ok(()),
        }
    }

    /// As [`Recording::on_list`], for methods that render passes do not allow.
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub(super) unsafe fn outside_pass(this: *mut c_void, body: impl FnOnce(&mut Recording) -> Result<()>) {
        // SAFETY: the caller passes a list of ours, and calls no other method of it meanwhile.
        unsafe {
            Self::on_list(this, |recording| match recording.in_pass() {
                true => Err(Error::Fail("a render pass does not allow this call")),
                false => body(recording),
            });
        }
    }

    /// Runs a method of a list or a bundle. A call on a closed list does nothing; one that fails makes `Close` fail.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[inline]
    pub(super) unsafe fn on_any(this: *mut c_void, body: impl FnOnce(&mut Recording) -> Result<()>) {
        reprise_com::guard((), || {
            // SAFETY: the caller passes a list of ours, and calls no other method of it meanwhile.
            let recording = unsafe { Object::<CommandList>::this(this).recording() };
            if recording.allocator.is_none() {
                reprise_log::debug(|| "a command on a closed list does nothing".into());
                return;
            }
            if let Err(error) = body(recording) {
                recording.refuse(error);
            }
        });
    }

    /// Records a command by `now`; a bundle keeps what `later` gives. Straight-line code where the list is open and `now` is.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[inline(always)]
    pub(super) unsafe fn record(
        this: *mut c_void,
        now: impl FnOnce(&mut Recording) -> Result<()>,
        later: impl FnOnce() -> Command,
    ) {
        reprise_com::guard((), || {
            // SAFETY: the caller passes a list of ours, and calls no other method of it meanwhile.
            let recording = unsafe { Object::<CommandList>::this(this).recording() };
            if recording.encoder.dirty.has(Dirty::DEFERRED) {
                // SAFETY: the caller passes a list of ours; the reference above is not used any more.
                unsafe { Self::keep(this, later()) };
            } else if let Err(error) = now(recording) {
                recording.refuse(error);
            }
        });
    }

    /// Keeps a bundle's command.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[cold]
    unsafe fn keep(this: *mut c_void, command: Command) {
        // SAFETY: the caller passes a list of ours, and calls no other method of it meanwhile.
        unsafe {
            Self::on_any(this, |recording| {
                recording.commands.push(command);
                Ok(())
            });
        }
    }

    /// A call is not recorded.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&mut self, error: Error) {
        match error {
            // The API leaves open what this does, and its runtimes do nothing: the list stays good.
            Error::Call(why) => warning_once("a command list leaves out", why),
            error => self.fail(error),
        }
    }

    /// A call could not be recorded.
    #[cold]
    pub(super) fn fail(&mut self, error: Error) {
        match error.unsupported() {
            Some(what) => warning_once("not supported in command lists, so that Close fails:", what),
            None => message::refused(Kind::OF_COMMAND, format_args!("command list: {error}")),
        }
        self.failed.get_or_insert(error);
    }

    /// A resource is used: an image's first use makes it leave `UNDEFINED`.
    #[inline]
    pub(super) fn uses(&mut self, resource: &Object<Resource>) {
        if let Some(image) = resource.image().filter(|image| !image.is_begun()) {
            self.keep.first_use(image);
        }
    }

    /// A target is used.
    pub(super) fn uses_target(&mut self, target: &Target) {
        // SAFETY: the recording keeps the resources of its targets.
        if let Some(resource) = unsafe { Object::<Resource>::from_pointer(target.resource) } {
            self.uses(resource);
        }
    }

    /// The target of a kind that a CPU handle names, whose resource the recording keeps; `None` for null handles and other descriptors:
    /// Vulkan takes no depth for colours. A target whose resource the program has released is null.
    ///
    /// # Safety
    /// The handle is null or one of a heap that is alive.
    pub(super) unsafe fn target(&mut self, handle: u64, kind: RecordKind) -> Option<Target> {
        let handle = CpuHandle::new(handle)?;
        // SAFETY: the handle is of a heap that is alive; the program does not write the descriptor meanwhile.
        let record = unsafe { &*core::ptr::with_exposed_provenance::<Record>(handle.record()) };
        let mut target = record.target().filter(|_| record.kind == kind)?;
        if target.view != vk::ImageView::null() {
            let keep = &mut self.keep.targets;
            let kept = |address: usize| {
                let pointer: *mut c_void = core::ptr::with_exposed_provenance_mut(address);
                // SAFETY: a resource that has not left lives.
                let resource = unsafe { Object::<Resource>::from_pointer(pointer) }?;
                keep.add(resource);
                Some(pointer)
            };
            match self.owner.targets.with(record.first, kept).flatten() {
                Some(resource) => target.resource = resource,
                None => {
                    warning_once("a command list treats as null", "a view of a target whose resource is released");
                    (target.view, target.image) = Default::default();
                    target.resource = core::ptr::null_mut();
                }
            }
        }
        Some(target)
    }
}
