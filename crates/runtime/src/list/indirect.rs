//! `ExecuteIndirect`.
//!
//! A signature of one draw or dispatch is an indirect command of Vulkan. Where Vulkan does not count such commands, a kernel makes
//! the commands beyond the count do nothing. Signatures that change state are generated commands (`list/generated`). Invariant:
//! nothing is read outside of the program's buffers.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;

use crate::command_signature::{CommandKind, CommandSignature};
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
        if let Some(lacks) = signature.lacks {
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
        let limit = self.encoder.device.caps.limits.max_draw_indirect_count;
        let alone = matches!(signature.plan.kind, CommandKind::Dispatch | CommandKind::DispatchRays);
        if most > limit && !alone {
            return Err(Error::Call("ExecuteIndirect of more draws than the device has in a call"));
        }
        self.keep.signatures.add(signature);
        let from = piece(buffer, offset);
        match signature.layout {
            Some(layout) => self.generate(signature, layout, most, from, counter),
            None => self.execute_plain(signature, most, from, counter),
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
        let counts = !alone && self.encoder.device.caps.features.v12.draw_indirect_count != 0;
        // Vulkan skips no dispatch of rays by itself.
        if kind == CommandKind::DispatchRays && self.rays_need_predicates() {
            from = self.predicated_commands(from, counter.take(), most, stride)?;
            stride = kind.size();
        } else if let Some(counter) = counter.take_if(|_| !counts) {
            from = self.compact(from, kind.size(), stride, most, counter)?;
            stride = kind.size();
        }
        let draws = match kind {
            CommandKind::Dispatch => {
                self.flush_compute()?;
                Draws::Once
            }
            CommandKind::DispatchMesh => self.flush_meshes()?,
            CommandKind::DispatchRays => {
                self.flush_rays()?;
                Draws::Once
            }
            kind => self.flush_graphics(kind == CommandKind::DrawIndexed)?,
        };
        let device = self.encoder.logical.clone();
        let mesh = device.ext.mesh_shader.as_ref();
        if kind == CommandKind::DispatchMesh && mesh.is_none() {
            return Err(NO_MESHES);
        }
        let rays = device.ext.ray_maintenance.as_ref();
        if kind == CommandKind::DispatchRays && rays.is_none() {
            return Err(ABSENT);
        }
        let (args, at) = (from.buffer, from.offset);
        draws.times(self, |recording| {
            let (vk, list) = (&recording.encoder.logical.vk, recording.encoder.buffer);
            // SAFETY: all state is set; the program keeps its buffers, and the commands lie inside of them.
            unsafe {
                match (kind, counter, mesh) {
                    (CommandKind::Draw, None, _) => vk.cmd_draw_indirect(list, args, at, most, stride),
                    (CommandKind::DrawIndexed, None, _) => vk.cmd_draw_indexed_indirect(list, args, at, most, stride),
                    (CommandKind::Draw, Some(count), _) => {
                        vk.cmd_draw_indirect_count(list, args, at, count.buffer, count.offset, most, stride);
                    }
                    (CommandKind::DrawIndexed, Some(count), _) => {
                        vk.cmd_draw_indexed_indirect_count(list, args, at, count.buffer, count.offset, most, stride);
                    }
                    (CommandKind::DispatchMesh, None, Some(mesh)) => {
                        mesh.cmd_draw_mesh_tasks_indirect(list, args, at, most, stride);
                    }
                    (CommandKind::DispatchMesh, Some(count), Some(mesh)) => {
                        let (counts, place) = (count.buffer, count.offset);
                        mesh.cmd_draw_mesh_tasks_indirect_count(list, args, at, counts, place, most, stride);
                    }
                    (CommandKind::DispatchMesh, _, None) => {}
                    (CommandKind::DispatchRays, ..) => {
                        let one = |rays: &ash::khr::ray_tracing_maintenance1::Device, index: u32| {
                            let offset = u64::from(index) * u64::from(stride);
                            rays.cmd_trace_rays_indirect2(list, from.address + offset);
                        };
                        rays.into_iter().for_each(|rays| (0..most).for_each(|index| one(rays, index)));
                    }
                    (CommandKind::Dispatch, ..) => {
                        for index in 0..u64::from(most) {
                            vk.cmd_dispatch_indirect(list, args, at + index * u64::from(stride));
                        }
                    }
                }
            }
        })
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
