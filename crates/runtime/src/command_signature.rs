//! Command signatures: what an indirect command reads.
//!
//! A signature of one draw or dispatch is what Vulkan's indirect commands read. Others change state before it. `VK_EXT_device_generated_commands`
//! does so where root arguments are push constants. Where the extension is missing, or root arguments lie in memory, a kernel writes for
//! each command what shaders read of that state. Invariant: the offsets of a [`Plan`] are those of the API, where arguments lie
//! close together in their order.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_com::{Class, Object, Ref, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_COMMAND_SIGNATURE_DESC, D3D12_INDIRECT_ARGUMENT_DESC, D3D12_INDIRECT_ARGUMENT_TYPE as Type,
};

use crate::device::{self, Child, Device};
use crate::pipeline::Reads;
use crate::root::layout::Argument;
use crate::root::{PushLayout, RootSignature, Work};
use crate::{Error, Result};
use reprise_gpu::vulkan as vk;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[("CreateCommandSignature", create as *const c_void)];

/// What a command does when its state is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Vertices, instances, first vertex, first instance.
    Draw,
    /// Indices, instances, first index, base vertex, first instance.
    DrawIndexed,
    /// Groups in three directions.
    Dispatch,
    /// Groups of amplification or mesh shaders in three directions.
    DispatchMesh,
    /// `D3D12_DISPATCH_RAYS_DESC`: addresses and sizes of tables, then rays in three directions.
    DispatchRays,
}

impl CommandKind {
    /// Bytes that Vulkan and the API read for it, in the same order.
    pub fn size(self) -> u32 {
        match self {
            CommandKind::Draw => 16,
            CommandKind::DrawIndexed => 20,
            CommandKind::Dispatch | CommandKind::DispatchMesh => 12,
            CommandKind::DispatchRays => 104,
        }
    }
}

/// State that a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Words of root arguments: the first, and how many.
    Words(u32, u32),
    /// A word of root arguments that is the command's number; nothing is read.
    Number(u32),
    /// A vertex buffer's view: its slot.
    Vertex(u32),
    /// The index buffer's view.
    Index,
}

impl Change {
    /// Bytes that are read.
    fn size(self) -> u32 {
        match self {
            Change::Words(_, count) => 4 * count,
            Change::Number(_) => 0,
            Change::Vertex(_) | Change::Index => 16,
        }
    }
}

/// What a signature's commands are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What is done.
    pub kind: CommandKind,
    /// Before that, each with the offset of what it reads.
    pub changes: Vec<(u32, Change)>,
    /// Offset of what `kind` reads.
    pub offset: u32,
    /// Bytes from one command to the next.
    pub stride: u32,
}

impl Plan {
    /// Reads a description; `root` is where root arguments lie.
    ///
    /// # Errors
    /// When the API does not allow it, or the runtime lacks what it does.
    fn new(arguments: &[D3D12_INDIRECT_ARGUMENT_DESC], stride: u32, root: Option<&PushLayout>) -> Result<Plan> {
        let (Some((last, before)), state) = (arguments.split_last(), |kind: Type| {
            !matches!(
                kind,
                Type::DRAW | Type::DRAW_INDEXED | Type::DISPATCH | Type::DISPATCH_RAYS | Type::DISPATCH_MESH
            )
        }) else {
            return Err(Error::Invalid("a command signature without arguments"));
        };
        // What acts comes last, and once.
        if state(last.Type) || before.iter().any(|argument| !state(argument.Type)) {
            return Err(Error::Invalid("a command signature that does not end with its one draw or dispatch"));
        }
        let rooted = |kind: Type| !matches!(kind, Type::VERTEX_BUFFER_VIEW | Type::INDEX_BUFFER_VIEW);
        if before.iter().any(|argument| rooted(argument.Type)) != root.is_some() {
            return Err(Error::Invalid("a root signature belongs to command signatures that change root arguments"));
        }
        let kind = match last.Type {
            Type::DRAW => CommandKind::Draw,
            Type::DRAW_INDEXED => CommandKind::DrawIndexed,
            Type::DISPATCH => CommandKind::Dispatch,
            Type::DISPATCH_MESH => CommandKind::DispatchMesh,
            _ => CommandKind::DispatchRays,
        };
        let (mut changes, mut offset) = (Vec::with_capacity(before.len()), 0u32);
        for argument in before {
            let change = change(argument, root)?;
            let vertices = matches!(kind, CommandKind::Draw | CommandKind::DrawIndexed);
            if !vertices && matches!(change, Change::Vertex(_) | Change::Index) {
                return Err(Error::Invalid("a command signature that sets vertices for a dispatch"));
            }
            changes.push((offset, change));
            offset = offset.saturating_add(change.size());
        }
        if offset.saturating_add(kind.size()) > stride || !stride.is_multiple_of(4) {
            return Err(Error::Invalid("the stride of a command signature"));
        }
        Ok(Plan { kind, changes, offset, stride })
    }

    /// What shaders read in memory where Vulkan does not generate the commands.
    pub fn reads(&self) -> Reads {
        let changes = |what: fn(&Change) -> bool| self.changes.iter().any(|(_, change)| what(change));
        if changes(|change| matches!(change, Change::Index)) {
            Reads::Indices
        } else if changes(|change| matches!(change, Change::Vertex(_))) {
            Reads::Vertices
        } else {
            Reads::Roots
        }
    }

    /// How many commands lie in so many bytes.
    pub fn fitting(&self, bytes: u64) -> u32 {
        let one = u64::from(self.offset + self.kind.size());
        let more = bytes.checked_sub(one).map(|rest| rest / u64::from(self.stride) + 1);
        more.unwrap_or(0).try_into().unwrap_or(u32::MAX)
    }
}

/// What an argument changes.
fn change(argument: &D3D12_INDIRECT_ARGUMENT_DESC, root: Option<&PushLayout>) -> Result<Change> {
    const OTHER: Error = Error::Invalid("an indirect argument that the root signature does not have");
    let place = |parameter: u32| root.and_then(|root| root.arguments.get(parameter as usize)).copied().ok_or(OTHER);
    let address = |parameter: u32| match place(parameter)? {
        Argument::Address { word, .. } => Ok(Change::Words(word, 2)),
        _ => Err(OTHER),
    };
    let constants = |parameter: u32, first: u32, count: u32| match place(parameter)? {
        Argument::Constants { word, count: all } if first.checked_add(count).is_some_and(|end| end <= all) => {
            Ok(Change::Words(word + first, count))
        }
        _ => Err(OTHER),
    };
    let union = &argument.Anonymous;
    // SAFETY: all members of the union are plain numbers; the type tells which one counts.
    unsafe {
        match argument.Type {
            Type::VERTEX_BUFFER_VIEW if union.VertexBuffer.Slot < 32 => Ok(Change::Vertex(union.VertexBuffer.Slot)),
            Type::INDEX_BUFFER_VIEW => Ok(Change::Index),
            Type::CONSTANT => {
                let it = union.Constant;
                constants(it.RootParameterIndex, it.DestOffsetIn32BitValues, it.Num32BitValuesToSet)
            }
            Type::INCREMENTING_CONSTANT => {
                let it = union.IncrementingConstant;
                match constants(it.RootParameterIndex, it.DestOffsetIn32BitValues, 1)? {
                    Change::Words(word, _) => Ok(Change::Number(word)),
                    other => Ok(other),
                }
            }
            Type::CONSTANT_BUFFER_VIEW => address(union.ConstantBufferView.RootParameterIndex),
            Type::SHADER_RESOURCE_VIEW => address(union.ShaderResourceView.RootParameterIndex),
            Type::UNORDERED_ACCESS_VIEW => address(union.UnorderedAccessView.RootParameterIndex),
            _ => Err(Error::Invalid("an indirect argument of a type that the API does not have")),
        }
    }
}

/// How Vulkan executes a signature's commands.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// They change no state: by its indirect commands.
    Plain,
    /// It generates them.
    Generated(vk::IndirectCommandsLayoutEXT),
    /// Each by an indirect command of its own, with state that shaders read in memory.
    Expanded,
    /// Not at all, for this reason. Programs make signatures that they may never use: wgpu makes one for each pipeline layout.
    Lacks(&'static str),
}

/// The body of `ID3D12CommandSignature`.
#[derive(Debug)]
pub struct CommandSignature {
    device: Child,
    /// Its commands.
    pub plan: Plan,
    /// How they are executed.
    pub way: Way,
    root: Option<Ref<RootSignature>>,
}

impl CommandSignature {
    fn new(
        device: &Object<Device>,
        desc: &D3D12_COMMAND_SIGNATURE_DESC,
        root: Option<&Object<RootSignature>>,
    ) -> Result<CommandSignature> {
        if desc.pArgumentDescs.is_null() || desc.NumArgumentDescs == 0 {
            return Err(Error::Invalid("a command signature without arguments"));
        }
        // SAFETY: the program's array.
        let arguments = unsafe { core::slice::from_raw_parts(desc.pArgumentDescs, desc.NumArgumentDescs as usize) };
        let plan = Plan::new(arguments, desc.ByteStride, root.map(|root| &root.push))?;
        if plan.kind == CommandKind::DispatchMesh && !device.caps.has_mesh_shaders() {
            return Err(Error::Unsupported("mesh shaders: the device has none"));
        }
        if plan.kind == CommandKind::DispatchRays && !device.caps.traces_rays_indirectly() {
            return Err(Error::Unsupported("indirect dispatches of rays on this device"));
        }
        let root = root.map(Object::keep);
        let mut signature = CommandSignature { device: Child::new(device), plan, way: Way::Plain, root };
        if !signature.plan.changes.is_empty() {
            let way = signature.find_way();
            signature.way = match way.as_ref().map_err(Error::unsupported) {
                Err(Some(lacks)) => Way::Lacks(lacks),
                _ => way?,
            };
        }
        Ok(signature)
    }

    /// How commands are executed that change state.
    fn find_way(&self) -> Result<Way> {
        if self.plan.kind == CommandKind::DispatchRays {
            return Err(Error::Unsupported("command signatures that change state before they trace rays"));
        }
        let in_memory = self.root.as_ref().is_some_and(|root| root.block.is_some());
        if self.device.ext.generated_commands.is_some() && !in_memory {
            return self.make_layout().map(Way::Generated);
        }
        // Made now, so that what is missing for it is known here.
        self.root.as_ref().filter(|root| root.block.is_none()).map(|root| root.in_memory()).transpose()?;
        Ok(Way::Expanded)
    }

    /// The sort of work that its commands are.
    pub fn work(&self) -> Work {
        match self.plan.kind {
            CommandKind::Draw | CommandKind::DrawIndexed => Work::Vertices,
            // Root arguments of rays are those of compute.
            CommandKind::Dispatch | CommandKind::DispatchRays => Work::Compute,
            CommandKind::DispatchMesh => Work::Meshes,
        }
    }

    /// Stages of the commands.
    pub fn stages(&self) -> vk::ShaderStageFlags {
        self.work().stages()
    }

    fn make_layout(&self) -> Result<vk::IndirectCommandsLayoutEXT> {
        use vk::IndirectCommandsTokenTypeEXT as Token;
        const NONE: Error = Error::Fail("a device that generates no commands");
        let generated = self.device.ext.generated_commands.as_ref().ok_or(NONE)?;
        let limits = &self.device.caps.generated;
        if !limits.supported_indirect_commands_shader_stages.contains(self.stages()) {
            return Err(Error::Unsupported("command signatures that change state, of these stages, on this device"));
        }
        let range = |word: u32, count: u32| vk::PushConstantRange {
            stage_flags: self.stages(),
            offset: 4 * word,
            size: 4 * count,
        };
        // What tokens point to must not move.
        let data: Vec<(vk::PushConstantRange, u32)> = self
            .plan
            .changes
            .iter()
            .map(|(_, change)| match change {
                Change::Words(word, count) => (range(*word, *count), 0),
                Change::Number(word) => (range(*word, 1), 0),
                Change::Vertex(slot) => (range(0, 0), *slot),
                Change::Index => (range(0, 0), vk::DXGI_INDEX_BUFFERS),
            })
            .collect();
        let index = self.plan.changes.iter().any(|(_, change)| *change == Change::Index);
        if index && limits.supported_indirect_commands_input_modes & vk::DXGI_INDEX_BUFFERS == 0 {
            return Err(Error::Unsupported("indirect index buffers on this device"));
        }
        let mut tokens: Vec<_> = self
            .plan
            .changes
            .iter()
            .zip(&data)
            .map(|((offset, change), (range, word))| {
                let (kind, data) = match change {
                    Change::Words(..) => (Token::PUSH_CONSTANT, core::ptr::from_ref(range).cast::<c_void>()),
                    Change::Number(_) => (Token::SEQUENCE_INDEX, core::ptr::from_ref(range).cast()),
                    Change::Vertex(_) => (Token::VERTEX_BUFFER, core::ptr::from_ref(word).cast()),
                    Change::Index => (Token::INDEX_BUFFER, core::ptr::from_ref(word).cast()),
                };
                vk::IndirectCommandsLayoutTokenEXT::new(kind, *offset, data)
            })
            .collect();
        let act = match self.plan.kind {
            CommandKind::Draw => Token::DRAW,
            CommandKind::DrawIndexed => Token::DRAW_INDEXED,
            CommandKind::Dispatch => Token::DISPATCH,
            CommandKind::DispatchMesh => Token::DRAW_MESH_TASKS,
            // Refused above.
            CommandKind::DispatchRays => return Err(Error::Fail("a command signature without its token")),
        };
        tokens.push(vk::IndirectCommandsLayoutTokenEXT::new(act, self.plan.offset, core::ptr::null()));
        if tokens.len() > limits.max_indirect_commands_token_count as usize
            || self.plan.offset > limits.max_indirect_commands_token_offset
            || self.plan.stride > limits.max_indirect_commands_indirect_stride
        {
            return Err(Error::Unsupported("command signatures that are so large, on this device"));
        }
        let root = self.root.as_ref().map_or(vk::PipelineLayout::null(), |root| root.layout_for(self.work()));
        let info = vk::IndirectCommandsLayoutCreateInfoEXT::new(self.stages(), self.plan.stride, root, &tokens);
        let mut layout = vk::IndirectCommandsLayoutEXT::default();
        // SAFETY: the structures live until the call returns; the extension is switched on.
        let made = unsafe { (generated.create)(self.device.vk.handle(), &info, core::ptr::null(), &mut layout) };
        self.device.check("vkCreateIndirectCommandsLayoutEXT", made.result())?;
        Ok(layout)
    }
}

impl Drop for CommandSignature {
    fn drop(&mut self) {
        if let (Way::Generated(layout), Some(generated)) = (self.way, &self.device.ext.generated_commands) {
            // SAFETY: recordings hold the signatures that they use.
            unsafe { (generated.destroy)(self.device.vk.handle(), layout, core::ptr::null()) };
        }
    }
}

const NEWEST: InterfaceId = interface("ID3D12CommandSignature");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<CommandSignature>::SHARED, &[]);

impl Class for CommandSignature {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<Self>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

unsafe extern "C" fn create(
    this: *mut c_void,
    desc: *const D3D12_COMMAND_SIGNATURE_DESC,
    root: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of our device's vtable; the description is not null, and its arguments are as many as it says; `root` is null or a
        // living COM object, `iid` null or readable, and `out` null or room for a pointer.
        unsafe {
            let root = Object::<RootSignature>::from_pointer(root);
            let made = CommandSignature::new(device::this(this), &*desc, root);
            if let Err(Error::Unsupported(what)) = &made {
                reprise_log::warning_once("not supported:", what);
            }
            device::give(made, iid, out)
        }
    })
}

#[cfg(test)]
#[path = "command_signature_tests.rs"]
mod tests;
