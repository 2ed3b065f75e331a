//! What is passed in the place of an argument that names what is not there: an address at which nothing lies, a handle in no heap, an object
//! that is gone or left out.
//!
//! Objects that never were in the trace are damage, which ends the replay.

use std::sync::Arc;

use reprise_d3d12::model::{InterfaceId, Len, MethodId, Role, Type};
use reprise_d3d12::types::{
    D3D12_BARRIER_GROUP, D3D12_BARRIER_TYPE, D3D12_BUFFER_BARRIER, D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC,
    D3D12_DISPATCH_RAYS_DESC, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS,
    D3D12_RENDER_PASS_DEPTH_STENCIL_DESC, D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_TYPE, D3D12_TEXTURE_BARRIER,
};
use reprise_d3d12::{interface, method};

use crate::call::open_call::Enter;
use crate::resolve::objects::Virtual;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::reference::Reference;
use crate::stale::nowhere::Nowhere;
use crate::stead::{Missing, Stead, stead};
use crate::world::World;

/// A thing that is not there, what it is in words, and what is passed for it.
pub(crate) struct Found {
    pub(crate) missing: Missing,
    pub(crate) what: String,
    pub(crate) stead: Stead,
}

/// An argument that could not be resolved.
#[derive(Clone, Copy)]
pub(super) enum Named {
    Object(u32, InterfaceId),
    Number(Role, u64),
}

/// Why an object is not there, in words; `None` where it is, or never was.
pub(crate) fn object_in_words(world: &World, id: u32) -> Option<String> {
    if world.objects.virtual_kind(id) == Some(Virtual::LeftOut) {
        return Some(format!("object {id} is one that replay leaves out"));
    }
    let call = world.stale.departed.call(id).filter(|_| !world.objects.contains(id))?;
    Some(match call {
        0 => format!("object {id} was released before"),
        call => format!("object {id} was released by call {call}"),
    })
}

fn address_in_words(world: &World, address: u64) -> Option<String> {
    if world.addresses.resolve(address).is_some() {
        return None;
    }
    Some(match world.stale.ranges.find(address) {
        Some(there) => {
            let (resource, call) = (there.resource, there.call);
            format!("the GPU virtual address 0x{address:x} lay in resource {resource}, which call {call} released")
        }
        None => format!("nothing that is alive lies at the GPU virtual address 0x{address:x}"),
    })
}

impl Named {
    fn missing(self) -> Missing {
        match self {
            Self::Object(..) => Missing::Object,
            Self::Number(Role::GpuAddress, _) => Missing::Address,
            Self::Number(..) => Missing::Handle,
        }
    }

    /// Why it is not there, in words; `None` where something else keeps it from being passed on.
    fn in_words(self, world: &World) -> Option<String> {
        match self {
            Self::Object(id, _) => object_in_words(world, id),
            Self::Number(Role::GpuAddress, address) => address_in_words(world, address),
            Self::Number(Role::CpuDescriptor, handle) => {
                let why = world.cpu.replayed(handle).err()?;
                Some(match world.stale.handles.find(handle) {
                    Some(there) => {
                        let (heap, call) = (there.resource, there.call);
                        format!("the descriptor handle 0x{handle:x} lay in heap {heap}, which call {call} released")
                    }
                    None => why.to_string(),
                })
            }
            Self::Number(Role::GpuDescriptor, handle) => world.gpu.replayed(handle).err().map(|why| why.to_string()),
            Self::Number(..) => None,
        }
    }

    /// What is passed for it by a call on this object; `None` where it is not missing.
    pub(super) fn instead(self, world: &mut World, call: (u32, MethodId)) -> Option<Result<(u64, Found), Found>> {
        let what = self.in_words(world)?;
        let missing = self.missing();
        let class = match self {
            Self::Object(_, class) => Some(class),
            Self::Number(..) => None,
        };
        let given = match self {
            Self::Number(Role::GpuAddress, address) => place_in_heap(world, address),
            _ => None,
        };
        let stead = given.map_or_else(|| stead(call.1, missing, class), |_| Stead::Heap);
        let given = given.or_else(|| self.given(world, call.0, stead));
        Some(match given {
            Some(given) => Ok((given, Found { missing, what, stead })),
            None => Err(Found { missing, what, stead: Stead::LeftOut }),
        })
    }

    /// What is passed, where something is.
    fn given(self, world: &mut World, user: u32, stead: Stead) -> Option<u64> {
        let bytes = match self {
            Self::Number(_, address) => world.stale.ranges.find(address).map_or(0, |there| there.size - there.offset),
            Self::Object(..) => 0,
        };
        let given = match stead {
            Stead::Null | Stead::TakenOut => return Some(0),
            Stead::LeftOut | Stead::Heap | Stead::Recorded => return None,
            Stead::Zeros => nowhere(world, user, |nowhere, runtime| nowhere.zeros(runtime, bytes)),
            Stead::Sink => return sink(world, user, bytes),
            Stead::Target => nowhere(world, user, |nowhere, runtime| nowhere.targets(runtime)),
        };
        given.and_then(Result::ok)
    }
}

/// The address here of a place in a buffer that is gone, in a heap that is alive.
pub(super) fn place_in_heap(world: &mut World, address: u64) -> Option<u64> {
    let there = world.stale.ranges.find(address)?;
    let placed = there.placed.filter(|placed| world.heap_types.contains_key(&placed.heap))?;
    let heap = world.pointer(placed.heap, interface("ID3D12Heap")).ok()?;
    let device = world.device_of(placed.heap).ok()?.into_pointer();
    let address = world.stale.stand_ins.address(&world.runtime, (device, heap), &there, placed);
    world.runtime.release(device);
    address.ok()
}

/// A buffer that is gone, which an address in memory lies in: in words, and what the GPU finds there.
pub(super) fn gone(world: &mut World, address: u64) -> Option<(String, Stead)> {
    world.stale.ranges.find(address)?;
    let what = address_in_words(world, address)?;
    let moves = world.indirect.moved(world.moved_version()).is_some_and(|moved| !moved.is_nothing());
    let stead = match place_in_heap(world, address) {
        Some(_) => Stead::Heap,
        None if moves => Stead::Sink,
        None => Stead::Recorded,
    };
    Some((what, stead))
}

/// The address of so many bytes that nothing of the program's reads, on the device of an object.
pub(super) fn sink(world: &mut World, user: u32, bytes: u64) -> Option<u64> {
    nowhere(world, user, |nowhere, runtime| nowhere.sink(runtime, bytes)).and_then(Result::ok)
}

/// Asks the part of the device that made an object, or that the object is.
fn nowhere<T>(world: &mut World, user: u32, ask: impl FnOnce(&mut Nowhere, &Runtime) -> T) -> Option<T> {
    let made_it = world.device_of(user).ok().map(Reference::into_pointer);
    let device = match made_it {
        Some(device) => device,
        None => {
            let device = world.pointer(user, interface("ID3D12Device")).ok()?;
            world.runtime.add_reference(device);
            device
        }
    };
    let runtime = Arc::clone(&world.runtime);
    Some(ask(world.stale.nowhere(&runtime, device), &runtime))
}

/// The first object among the arguments of a call, or the one that it is made on, that is not there and without which the call makes no sense.
pub(crate) fn missing_object(world: &World, enter: Enter<'_, '_>) -> Option<String> {
    let classes = enter.method.params.iter().filter_map(|field| match field.ty {
        Type::Object(class) => Some((enter.number(field.name)? as u32, class)),
        _ => None,
    });
    let needed = classes.filter(|(_, class)| stead(enter.id(), Missing::Object, Some(*class)) == Stead::LeftOut);
    let mut ids = core::iter::once(enter.event.object).chain(needed.map(|(id, _)| id)).filter(|&id| id != 0);
    ids.find_map(|id| object_in_words(world, id))
}

/// Sets right what a call was given in the place of something: elements are taken out of arrays, and a depth buffer is none where it is null.
/// `zeros`: the address of zeros was passed for something. `false` where the call makes no sense any more.
///
/// # Safety
/// The words are rebuilt arguments of this method; the memory behind them is the arena's and may be written.
pub(super) unsafe fn settle(world: &World, enter: Enter<'_, '_>, words: &mut [u64], zeros: bool) -> bool {
    const TARGETS: MethodId = method("ID3D12GraphicsCommandList", "OMSetRenderTargets");
    const PASS: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
    const BARRIERS: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");
    const ENHANCED: MethodId = method("ID3D12GraphicsCommandList7", "Barrier");
    const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
    const RAYS: MethodId = method("ID3D12GraphicsCommandList4", "DispatchRays");
    let at = |word: u64| core::ptr::with_exposed_provenance_mut::<u8>(word as usize);
    // SAFETY: a pointer among the words is null or leads to what the parameter states, in memory that may be written, says the caller.
    unsafe {
        match (enter.id(), &mut *words) {
            (TARGETS, [_, _, _, depth]) => {
                let handle = at(*depth).cast::<u64>();
                if !handle.is_null() && world.stale.is_null_target(handle.read_unaligned()) {
                    *depth = 0;
                }
            }
            (PASS, [_, _, depth, _]) => {
                let desc = at(*depth).cast::<D3D12_RENDER_PASS_DEPTH_STENCIL_DESC>();
                if !desc.is_null() && world.stale.is_null_target((*desc).cpuDescriptor.ptr) {
                    *depth = 0;
                }
            }
            (BARRIERS, [count, barriers]) => {
                let moves = |it: &D3D12_RESOURCE_BARRIER| it.Type == D3D12_RESOURCE_BARRIER_TYPE::TRANSITION;
                // Other barriers may name no resource: then they are about all.
                let kept = keep(at(*barriers).cast(), *count as u32, |it| {
                    !moves(it) || !it.Anonymous.Transition.pResource.is_null()
                });
                *count = u64::from(kept);
            }
            (ENHANCED, [count, groups]) => {
                for group in 0..*count as u32 as usize {
                    keep_barriers(&mut *at(*groups).cast::<D3D12_BARRIER_GROUP>().add(group));
                }
            }
            (BUILD, [desc, infos, _]) if zeros => {
                let desc = at(*desc).cast::<D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC>();
                if let Some(desc) = desc.as_mut() {
                    let places = [desc.DestAccelerationStructureData, desc.ScratchAccelerationStructureData];
                    if places.into_iter().any(|place| world.stale.is_zeros(place)) {
                        return false;
                    }
                    // An empty structure: rays that look into it go on.
                    *infos = 0;
                    desc.SourceAccelerationStructureData = 0;
                    desc.Inputs.NumDescs = 0;
                    desc.Inputs.Flags.0 &= !D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS::PERFORM_UPDATE.0;
                }
            }
            (RAYS, [desc]) => {
                let desc = at(*desc).cast::<D3D12_DISPATCH_RAYS_DESC>();
                // Without its first shader a dispatch does nothing.
                if !desc.is_null() && world.stale.is_zeros((*desc).RayGenerationShaderRecord.StartAddress) {
                    return false;
                }
            }
            _ => keep_objects(enter, words),
        }
        let of = |name: &str| enter.method.params.iter().position(|field| field.name == name);
        // A null view says of what kind it is.
        let nothing = |name| of(name).is_some_and(|at| words.get(at) == Some(&0));
        !(enter.method.name.ends_with("View") && nothing("pResource") && nothing("pDesc"))
    }
}

/// Moves the elements that are kept to the front; how many there are.
///
/// # Safety
/// The pointer leads to so many elements that may be written, or is null.
unsafe fn keep<T: Copy>(elements: *mut T, count: u32, is_kept: impl Fn(&T) -> bool) -> u32 {
    if elements.is_null() {
        return count;
    }
    // SAFETY: so many elements lie there, says the caller.
    let elements = unsafe { core::slice::from_raw_parts_mut(elements, count as usize) };
    let mut kept = 0;
    for at in 0..elements.len() {
        if is_kept(&elements[at]) {
            elements[kept] = elements[at];
            kept += 1;
        }
    }
    kept as u32
}

/// Takes barriers without a resource out of a group.
///
/// # Safety
/// The group was rebuilt, in memory that may be written.
unsafe fn keep_barriers(group: &mut D3D12_BARRIER_GROUP) {
    let count = group.NumBarriers;
    // SAFETY: the type says which member of the union is in use; so many barriers lie there.
    group.NumBarriers = unsafe {
        match group.Type {
            D3D12_BARRIER_TYPE::TEXTURE => {
                keep(group.Anonymous.pTextureBarriers.cast_mut(), count, |it: &D3D12_TEXTURE_BARRIER| {
                    !it.pResource.is_null()
                })
            }
            D3D12_BARRIER_TYPE::BUFFER => {
                keep(group.Anonymous.pBufferBarriers.cast_mut(), count, |it: &D3D12_BUFFER_BARRIER| {
                    !it.pResource.is_null()
                })
            }
            _ => count,
        }
    };
}

/// Takes null out of the arrays of objects of a call.
///
/// # Safety
/// As [`settle`].
unsafe fn keep_objects(enter: Enter<'_, '_>, words: &mut [u64]) {
    for (at, field) in enter.method.params.iter().enumerate() {
        let Type::Pointer(pointee) = field.ty else { continue };
        let (Type::Object(_), Len::Field(count)) = (pointee.ty, pointee.len) else { continue };
        let (count, objects) = (usize::from(count), words[at]);
        let objects = core::ptr::with_exposed_provenance_mut::<u64>(objects as usize);
        // SAFETY: the codec rebuilt as many pointers as the count says.
        words[count] = u64::from(unsafe { keep(objects, words[count] as u32, |&object| object != 0) });
    }
}
