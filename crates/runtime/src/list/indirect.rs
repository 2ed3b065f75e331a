//! `ExecuteIndirect`.
//!
//! A signature of one draw or dispatch is an indirect command of Vulkan. Where Vulkan does not count such commands, a kernel makes
//! the commands beyond the count do nothing. Signatures that change state are generated commands (`list/generated`), or commands that a
//! kernel takes apart (`list/expanded`). Invariant: nothing is read outside of the program's buffers.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;

use crate::command_signature::{CommandKind, CommandSignature, Way};
use crate::list::barrier::scope;
use crate::list::command::Command;
use crate::list::draw::NO_MESHES;
use crate::list::recording::Recording;
use crate::list::views::Draws;
use crate::resource::object::Resource;
use crate::state_object::piece::ABSENT;
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::encoder::Piece;
use reprise_gpu::encoder::{Images, push, rows};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::Gathered;

/// Methods about indirect commands.
pub(super) const LIST_METHODS: &Slots = &[("ExecuteIndirect", execute_indirect as *const c_void)];

/// A place in a buffer.
fn piece(buffer: &Buffer, offset: u64) -> Piece {
    let (whole, address) = (buffer.offset() + offset, buffer.address + offset);
    Piece { buffer: buffer.vk(), offset: whole, address, mapped: None }
}

impl Recording {
    pub(super) fn execute_indirect(
        &mut self,
        signature: &Object<CommandSignature>,
        most: u32,
        arguments: &Object<Resource>,
        offset: u64,
        count: Option<(&Object<Resource>, u64)>,
    ) -> Result<()> {
        if let Way::Lacks(lacks) = signature.way {
            return Err(Error::Unsupported(lacks));
        }
        let buffer = arguments.buffer().ok_or(Error::Call("ExecuteIndirect: arguments that are no buffer"))?;
        let counter = match count {
            Some((resource, offset)) => {
                let buffer = resource.buffer().ok_or(Error::Call("ExecuteIndirect: a count that is no buffer"))?;
                // Nothing lies there, so the count is zero.
                if !offset.is_multiple_of(4) || offset.checked_add(4).is_none_or(|end| end > buffer.size) {
                    return Err(Error::Call("ExecuteIndirect: a count outside of its buffer"));
                }
                Some(piece(buffer, offset))
            }
            None => None,
        };
        if !offset.is_multiple_of(4) {
            return Err(Error::Call("ExecuteIndirect: arguments that begin between words"));
        }
        let most = most.min(signature.plan.fitting(buffer.size.saturating_sub(offset)));
        if most == 0 {
            return Ok(());
        }
        self.keep.signatures.add(signature);
        let from = piece(buffer, offset);
        match signature.way {
            Way::Plain => self.execute_plain(signature, most, from, counter),
            Way::Generated(layout) => self.generate(signature, layout, most, from, counter),
            Way::Expanded => self.execute_expanded(signature, most, from, counter),
            Way::Lacks(lacks) => Err(Error::Unsupported(lacks)),
        }
    }

    /// Commands that change no state.
    fn execute_plain(
        &mut self,
        signature: &CommandSignature,
        most: u32,
        mut from: Piece,
        mut counter: Option<Piece>,
    ) -> Result<()> {
        let (kind, mut stride) = (signature.plan.kind, signature.plan.stride);
        let alone = matches!(kind, CommandKind::Dispatch | CommandKind::DispatchRays);
        if most > self.encoder.device.caps.limits.max_draw_indirect_count && !alone {
            return Err(Error::Call("ExecuteIndirect of more draws than the device has in a call"));
        }
        let counts = !alone && self.encoder.device.caps.features.v12.draw_indirect_count != 0;
        // Vulkan skips no dispatch of rays by itself.
        if kind == CommandKind::DispatchRays && self.rays_need_predicates() {
            from = self.predicated_commands(from, counter.take(), most, stride)?;
            stride = kind.size();
        } else if let Some(counter) = counter.take_if(|_| !counts) {
            from = self.compact(from, kind.size(), stride, most, counter)?;
            stride = kind.size();
        }
        let draws = self.flush_for(kind, true)?;
        let (args, at) = (from.buffer, from.offset);
        draws.times(self, |recording| {
            let device = &recording.encoder.logical;
            let (vk, list) = (&device.vk, recording.encoder.buffer);
            // SAFETY: all state is set; the program keeps its buffers, and the commands lie inside of them.
            unsafe {
                match (kind, counter, device.ext.mesh_shader.as_ref()) {
                    (CommandKind::Draw, Some(count), _) => {
                        vk.cmd_draw_indirect_count(list, args, at, count.buffer, count.offset, most, stride);
                    }
                    (CommandKind::DrawIndexed, Some(count), _) => {
                        vk.cmd_draw_indexed_indirect_count(list, args, at, count.buffer, count.offset, most, stride);
                    }
                    (CommandKind::DispatchMesh, Some(count), Some(mesh)) => {
                        let (counts, place) = (count.buffer, count.offset);
                        mesh.cmd_draw_mesh_tasks_indirect_count(list, args, at, counts, place, most, stride);
                    }
                    _ => recording.act(kind, &from, most, stride),
                }
            }
        })
    }

    /// Everything that commands of a kind use; `indexed`: the list's index buffer among it.
    pub(super) fn flush_for(&mut self, kind: CommandKind, indexed: bool) -> Result<Draws> {
        let ext = &self.encoder.logical.ext;
        match kind {
            CommandKind::Dispatch => self.flush_compute().map(|()| Draws::Once),
            CommandKind::DispatchMesh if ext.mesh_shader.is_none() => Err(NO_MESHES),
            CommandKind::DispatchMesh => self.flush_meshes(),
            CommandKind::DispatchRays if ext.ray_maintenance.is_none() => Err(ABSENT),
            CommandKind::DispatchRays => self.flush_rays().map(|()| Draws::Once),
            CommandKind::Draw => self.flush_graphics(false),
            CommandKind::DrawIndexed => self.flush_graphics(indexed),
        }
    }

    /// So many commands, which nothing counts, after a flush. The memory of the commands is the program's or the recording's.
    pub(super) fn act(&self, kind: CommandKind, from: &Piece, count: u32, stride: u32) {
        let device = &self.encoder.logical;
        let (vk, list, args, at) = (&device.vk, self.encoder.buffer, from.buffer, from.offset);
        let offsets = (0..u64::from(count)).map(|index| index * u64::from(stride));
        // SAFETY: all state is set, for which the device has what the kind needs; the commands lie inside of their memory.
        unsafe {
            match kind {
                CommandKind::Draw => vk.cmd_draw_indirect(list, args, at, count, stride),
                CommandKind::DrawIndexed => vk.cmd_draw_indexed_indirect(list, args, at, count, stride),
                CommandKind::Dispatch => offsets.for_each(|offset| vk.cmd_dispatch_indirect(list, args, at + offset)),
                CommandKind::DispatchMesh => {
                    let mesh = device.ext.mesh_shader.iter();
                    mesh.for_each(|mesh| mesh.cmd_draw_mesh_tasks_indirect(list, args, at, count, stride));
                }
                CommandKind::DispatchRays => {
                    let Some(rays) = &device.ext.ray_maintenance else { return };
                    offsets.for_each(|offset| rays.cmd_trace_rays_indirect2(list, from.address + offset));
                }
            }
        }
    }

    /// Copies of commands, close together; those that do not count are zero.
    fn compact(&mut self, from: Piece, size: u32, stride: u32, most: u32, counter: Piece) -> Result<Piece> {
        let copy = self.encoder.scratch(u64::from(most) * u64::from(size))?;
        let (reads, shaders) = (scope(States::INDIRECT_ARGUMENT), scope(States::UNORDERED_ACCESS));
        self.encoder.barriers(&Gathered { before: reads, after: shaders });
        self.copy_commands(from, copy, Some(counter), [most, size / 4, stride / 4])?;
        self.encoder.barriers(&Gathered { before: shaders, after: reads });
        Ok(copy)
    }

    /// The kernel; `shape` is how many commands, their words, and words from one to the next. The caller has the barriers.
    pub(super) fn copy_commands(
        &mut self,
        from: Piece,
        to: Piece,
        counter: Option<Piece>,
        shape: [u32; 3],
    ) -> Result<()> {
        let half = |address: u64| [address as u32, (address >> 32) as u32];
        let ([a, b], [c, d]) = (half(from.address), half(to.address));
        let [e, f] = half(counter.map_or(0, |counter| counter.address));
        let block = push([a, b, c, d, e, f, shape[0], shape[1], shape[2]]);
        self.run(Kernel::Commands, Images::default(), &block, rows(shape[0].into()))
    }
}

unsafe extern "C" fn execute_indirect(
    this: *mut c_void,
    signature: *mut c_void,
    most: u32,
    arguments: *mut c_void,
    offset: u64,
    count: *mut c_void,
    count_offset: u64,
) {
    // SAFETY: a list of ours, the program's objects.
    unsafe {
        let command = (|| {
            Some(Command::Indirect {
                signature: Object::<CommandSignature>::from_pointer(signature)?.keep(),
                most,
                arguments: Object::<Resource>::from_pointer(arguments)?.keep(),
                offset,
                count: match count.is_null() {
                    true => None,
                    false => Some((Object::<Resource>::from_pointer(count)?.keep(), count_offset)),
                },
            })
        })();
        match command {
            Some(command) => Recording::command(this, command),
            None => Recording::on_any(this, |_| Err(Error::Call("ExecuteIndirect: not objects of this runtime"))),
        }
    }
}
