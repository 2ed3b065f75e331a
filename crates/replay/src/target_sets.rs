//! The targets that lists have set, in descriptors of replay's own, so that they can be set again: the program may write over its own.

use std::collections::HashMap;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_TYPE,
};
use reprise_d3d12::{interface, method};

use crate::call::open_call::OpenCall;
use crate::opened::{self, SET_TARGETS};
use crate::runtime::Runtime;
use crate::runtime::reference;
use crate::runtime::replay_objects::create;
use crate::world::World;

/// Descriptors of each kind.
const PLACES: u64 = 16384;

/// The targets that a call has set.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    colours: u32,
    first: Handle,
    pub(crate) depth: Option<Handle>,
}

/// All of them.
#[derive(Default)]
pub(crate) struct TargetSets {
    heaps: Option<Heaps>,
    /// By the call that set them.
    sets: HashMap<u64, Set>,
}

/// Descriptors of replay's own: of targets and of depth buffers.
pub(crate) struct Heaps {
    pub(crate) device: u64,
    places: [(Handle, u64, u64); 2],
}

impl Heaps {
    /// Takes so many places.
    ///
    /// # Errors
    /// There are no more.
    pub(crate) fn take(&mut self, depth: bool, count: u64) -> Result<Handle, String> {
        let (start, step, used) = &mut self.places[usize::from(depth)];
        if *used + count > PLACES {
            return Err("more targets are set than there are descriptors for".into());
        }
        let handle = Handle { ptr: start.ptr + *step * *used };
        *used += count;
        Ok(handle)
    }

    /// Bytes from one descriptor of a colour to the next.
    pub(crate) fn step(&self) -> u64 {
        self.places[0].1
    }
}

impl TargetSets {
    /// What a call has set.
    pub(crate) fn get(&self, call: u64) -> Option<Set> {
        self.sets.get(&call).copied()
    }

    /// Copies the descriptors of a call that sets targets ([`opened::sets_targets`]), and was just made with these words.
    ///
    /// # Errors
    /// There is no room, or the list is gone.
    pub(crate) fn keep(&mut self, world: &mut World, call: &OpenCall, words: &[u64]) -> Result<(), String> {
        let not_its = || "not the arguments that it has".to_owned();
        if call.method == opened::BEGIN {
            // SAFETY: the call was just made with these words.
            let (colours, depth) = unsafe { opened::targets(words) }.ok_or_else(not_its)?;
            let depth = depth.as_ref().map_or(0, |handle| core::ptr::from_ref(handle) as u64);
            return self.keep_set(world, call, [colours.len() as u64, colours.as_ptr() as u64, 0, depth]);
        }
        let words = words.try_into().map_err(|_| not_its())?;
        self.keep_set(world, call, words)
    }

    fn keep_set(&mut self, world: &mut World, call: &OpenCall, words: [u64; 4]) -> Result<(), String> {
        let [count, handles, single, depth] = words;
        let (list, call) = (call.object, call.number);
        let pointer = world.pointer(list, interface("ID3D12GraphicsCommandList"))?;
        let heaps = self.heaps(&world.runtime, pointer)?;
        let colours = (count as u32).min(8);
        let first = heaps.take(false, u64::from(colours))?;
        let (device, step) = (heaps.device, heaps.step());
        let copy = |from: Handle, to: Handle, kind: D3D12_DESCRIPTOR_HEAP_TYPE| {
            const COPY: MethodId = method("ID3D12Device", "CopyDescriptorsSimple");
            // SAFETY: the device is alive; the program's call was just made with this descriptor, and the other one is ours.
            unsafe { world.runtime.call(device, COPY, &[1, to.ptr, from.ptr, kind.0 as u64]) };
        };
        let is_range = single as u32 != 0;
        for at in 0..u64::from(colours) {
            // SAFETY: the codec rebuilt an array of so many handles, or one that a range begins with.
            let mut from = unsafe { (handles as *const Handle).add(if is_range { 0 } else { at as usize }).read() };
            if is_range {
                from.ptr += step * at;
            }
            copy(from, Handle { ptr: first.ptr + step * at }, D3D12_DESCRIPTOR_HEAP_TYPE::RTV);
        }
        let depth = match depth {
            0 => None,
            handle => {
                let to = heaps.take(true, 1)?;
                // SAFETY: the codec rebuilt a handle.
                copy(unsafe { (handle as *const Handle).read() }, to, D3D12_DESCRIPTOR_HEAP_TYPE::DSV);
                Some(to)
            }
        };
        self.sets.insert(call, Set { colours, first, depth });
        Ok(())
    }

    /// The descriptors, on the device of this object.
    ///
    /// # Errors
    /// They cannot be made.
    pub(crate) fn heaps(&mut self, runtime: &Runtime, child: u64) -> Result<&mut Heaps, String> {
        if self.heaps.is_none() {
            let device = reference::device_of(runtime, child)?;
            let mut places = [(Handle::default(), 0, 0); 2];
            let kinds = [D3D12_DESCRIPTOR_HEAP_TYPE::RTV, D3D12_DESCRIPTOR_HEAP_TYPE::DSV];
            for (place, kind) in places.iter_mut().zip(kinds) {
                let desc =
                    D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: PLACES as u32, ..Default::default() };
                let class = interface("ID3D12DescriptorHeap");
                let heap = create(runtime, device.pointer(), "a descriptor heap", class, |iid, out| {
                    (method("ID3D12Device", "CreateDescriptorHeap"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
                })?;
                let start = method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart");
                let step = method("ID3D12Device", "GetDescriptorHandleIncrementSize");
                // SAFETY: heap and device are alive, the output is ours.
                unsafe {
                    runtime.call(heap.pointer(), start, &[core::ptr::from_mut(&mut place.0) as u64]);
                    place.1 = u64::from(runtime.call(device.pointer(), step, &[kind.0 as u64]) as u32);
                }
                // Left to the end of the process: descriptors in it are set in lists.
                let _left = heap.into_pointer();
            }
            self.heaps = Some(Heaps { device: device.into_pointer(), places });
        }
        self.made()
    }

    /// The same, once they are made.
    ///
    /// # Errors
    /// They are not.
    pub(crate) fn made(&mut self) -> Result<&mut Heaps, String> {
        self.heaps.as_mut().ok_or_else(|| "there are no descriptors".to_owned())
    }
}

impl Set {
    /// Sets them again in a list that is recording.
    pub(crate) fn again(&self, runtime: &Runtime, list: u64) {
        let (handles, back) = ([self.first], self.depth.map(|depth| [depth]));
        let back = back.as_ref().map_or(0, |back| back.as_ptr() as u64);
        let first = if self.colours > 0 { handles.as_ptr() as u64 } else { 0 };
        let words = [u64::from(self.colours), first, u64::from(self.colours > 0), back];
        // SAFETY: the list is alive and recording; the descriptors are ours, and live until the process ends.
        unsafe { runtime.call(list, SET_TARGETS, &words) };
    }
}
