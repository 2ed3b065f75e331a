//! Commands that the GPU generates: indirect ones that change state.
//!
//! Invariant: what they change is taken back as the API says (root arguments are zero, views null), and all state is told to
//! Vulkan again, which has lost it.

use std::sync::Arc;

use reprise_d3d12::types::{D3D12_INDEX_BUFFER_VIEW, D3D12_RESOURCE_STATES as States, D3D12_VERTEX_BUFFER_VIEW};

use crate::command_signature::{Change, CommandSignature, Kind};

use crate::list::barrier::scope;
use crate::list::recording::Recording;
use crate::list::scratch::Piece;
use crate::list::state::Dirty;
use crate::{Error, Result};
use reprise_gpu::scope::Gathered;
use reprise_gpu::vulkan as vk;

/// Bytes that are made at a time for small needs.
const CHUNK: u64 = 1 << 20;

/// Memory that Vulkan generates commands into; each command has a part of its own.
#[derive(Debug)]
pub(super) struct Workspace {
    device: Arc<reprise_gpu::Device>,
    memory: vk::DeviceMemory,
    /// One bit: its memory type.
    types: u32,
    buffer: vk::Buffer,
    address: u64,
    size: u64,
    used: u64,
}

impl Workspace {
    fn new(device: &Arc<reprise_gpu::Device>, needs: &vk::MemoryRequirements) -> Result<Workspace> {
        let (memory, buffer) = (vk::DeviceMemory::null(), vk::Buffer::null());
        // Destroys what is there when a step fails.
        let (types, size) = (0, (needs.size + needs.alignment).max(CHUNK));
        let mut made = Workspace { device: device.clone(), memory, types, buffer, address: 0, size, used: 0 };
        let usage = vk::PREPROCESS_BUFFER | vk::BufferUsageFlags2KHR::SHADER_DEVICE_ADDRESS;
        let mut usage = vk::BufferUsageFlags2CreateInfoKHR::default().usage(usage);
        let info = vk::BufferCreateInfo::default().size(size).push_next(&mut usage);
        let (vk, memories) = (&device.vk, &device.caps.memory);
        // SAFETY: the structures live until the calls return; the memory is as large as the buffer needs.
        unsafe {
            made.buffer = device.check("vkCreateBuffer", vk.create_buffer(&info, None))?;
            let own = vk.get_buffer_memory_requirements(made.buffer);
            let types = own.memory_type_bits & needs.memory_type_bits;
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let rank = |index: u32| memories.memory_types[index as usize].property_flags.contains(local);
            let index =
                (0..memories.memory_type_count).filter(|index| types & 1 << index != 0).max_by_key(|at| rank(*at));
            let index = index.ok_or(Error::Unsupported("generated commands: no memory for them"))?;
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(own.size.max(size))
                .memory_type_index(index)
                .push_next(&mut flags);
            made.memory = device.check("vkAllocateMemory", vk.allocate_memory(&info, None))?;
            device.check("vkBindBufferMemory", vk.bind_buffer_memory(made.buffer, made.memory, 0))?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(made.buffer);
            made.address = vk.get_buffer_device_address(&info);
            made.types = 1 << index;
        }
        Ok(made)
    }

    /// The address of a part that nobody has; `None` where there is no room, or not of the right memory.
    fn take(&mut self, needs: &vk::MemoryRequirements) -> Option<u64> {
        let start = (self.address + self.used).next_multiple_of(needs.alignment.max(1));
        let end = start + needs.size;
        if end > self.address + self.size || self.types & needs.memory_type_bits == 0 {
            return None;
        }
        self.used = end - self.address;
        Some(start)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // SAFETY: the recording's submissions are done; null is allowed.
        unsafe {
            self.device.vk.destroy_buffer(self.buffer, None);
            self.device.vk.free_memory(self.memory, None);
        }
    }
}

impl Recording {
    /// Executes commands that change state; the first `counter` says, at most `most`.
    pub(super) fn generate(
        &mut self,
        signature: &CommandSignature,
        layout: vk::IndirectCommandsLayoutEXT,
        most: u32,
        from: Piece,
        counter: Option<Piece>,
    ) -> Result<()> {
        let device = self.device.clone();
        let missing =
            Error::Unsupported("command signatures that change state, without VK_EXT_device_generated_commands");
        let generated = device.ext.generated_commands.as_ref().ok_or(missing)?;
        let limits = &device.caps.generated;
        if most > limits.max_indirect_sequence_count {
            return Err(Error::Unsupported("so many indirect commands that change state, on this device"));
        }
        // What Vulkan makes of a predicate here is left open, so the count takes it.
        let (counter, predicate) = match self.is_predicated() {
            true => (Some(self.predicated_count(most, counter)?), self.pause_predication()),
            false => (counter, None),
        };
        let changed = &signature.plan.changes;
        match signature.plan.kind {
            Kind::Dispatch => self.flush_compute()?,
            kind => {
                let own = changed.iter().any(|(_, change)| *change == Change::Index);
                self.flush_graphics(kind == Kind::DrawIndexed && !own)?;
            }
        }
        if self.state.stream.active && limits.device_generated_commands_transform_feedback == 0 {
            return Err(Error::Unsupported("indirect commands that change state, with stream output, on this device"));
        }
        let pipeline = vk::GeneratedCommandsPipelineInfoEXT::new(self.bound()?);
        let ask = vk::GeneratedCommandsMemoryRequirementsInfoEXT::new(&pipeline, layout, most);
        let mut needs = vk::MemoryRequirements2::default();
        // SAFETY: the structures live until the call returns.
        unsafe { (generated.requirements)(device.vk.handle(), &ask, &mut needs) };
        let mut info = vk::GeneratedCommandsInfoEXT::new(&pipeline, signature.stages(), layout);
        let size = needs.memory_requirements.size;
        if size != 0 {
            let needs = &needs.memory_requirements;
            let found = self.workspaces.last_mut().and_then(|workspace| workspace.take(needs));
            let address = match found {
                Some(address) => address,
                None => {
                    self.workspaces.push(Workspace::new(&device, needs)?);
                    let made = self.workspaces.last_mut().and_then(|workspace| workspace.take(needs));
                    made.ok_or(Error::MEMORY)?
                }
            };
            (info.preprocess_address, info.preprocess_size) = (address, size);
        }
        info.indirect_address = from.address;
        info.indirect_address_size = u64::from(most) * u64::from(signature.plan.stride);
        info.max_sequence_count = most;
        info.sequence_count_address = counter.map_or(0, |counter| counter.address);
        // SAFETY: all state is set; the program keeps its buffers, the recording keeps the rest.
        unsafe { (generated.execute)(self.buffer, vk::FALSE, &info) };
        self.take_back(signature)?;
        if predicate.is_some() {
            self.outside();
            self.resume_predication(predicate);
        }
        Ok(())
    }

    /// A count that is zero where the predicate skips.
    fn predicated_count(&mut self, most: u32, counter: Option<Piece>) -> Result<Piece> {
        let count = self.scratch(4)?;
        let given = match counter {
            Some(counter) => counter,
            None => self.scratch(4)?,
        };
        self.transfer();
        let (vk, copies, shaders) = (&self.device.vk, scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
        // SAFETY: the recording keeps its scratch memory.
        unsafe {
            vk.cmd_fill_buffer(self.buffer, count.buffer, count.offset, 4, 0);
            if counter.is_none() {
                vk.cmd_fill_buffer(self.buffer, given.buffer, given.offset, 4, most);
            }
        }
        let reads = scope(States::INDIRECT_ARGUMENT);
        self.barriers(&Gathered { before: copies.or(reads), after: shaders });
        self.copy_commands(given, count, None, [1, 1, 1])?;
        self.barriers(&Gathered { before: shaders, after: reads });
        Ok(count)
    }

    /// What generated commands have changed is zero or null, and Vulkan has lost all state.
    fn take_back(&mut self, signature: &CommandSignature) -> Result<()> {
        let compute = signature.plan.kind == Kind::Dispatch;
        for (_, change) in &signature.plan.changes {
            let root = if compute { &mut self.state.compute } else { &mut self.state.graphics };
            match change {
                Change::Words(word, count) => {
                    for word in *word..word + count {
                        root.words.set(word, &[0]);
                    }
                }
                Change::Number(word) => root.words.set(*word, &[0]),
                Change::Vertex(slot) => self.set_vertex(*slot, &D3D12_VERTEX_BUFFER_VIEW::default())?,
                Change::Index => self.set_index(&D3D12_INDEX_BUFFER_VIEW::default()),
            }
        }
        self.state.vertex.forget();
        for root in [&mut self.state.graphics, &mut self.state.compute] {
            root.sets = true;
            root.words.touch();
        }
        // Rendering goes on.
        self.state.dirty.set(Dirty::ALL.without(Dirty::TARGETS));
        Ok(())
    }
}
