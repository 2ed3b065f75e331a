//! DXGI's swap chains without windows: ordinary textures stand for their buffers.
//!
//! What a chain is made for (a window, a core window, composition) says nothing about its pixels. The picture of a present is a
//! whole buffer, cut to the chain's source size; dirty rectangles and scrolled areas only spare the program's system work, because
//! the API wants all of the buffer to be right. Which buffer that is follows from what the program was told, and else from the
//! number of presents. Invariant: a number of a buffer leads to one texture until the chain is resized.

use std::collections::HashMap;

use reprise_codec::value::Member;
use reprise_d3d12::interface;
use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS};

use super::stand_in::{stand_in, texture};
use crate::call::creation::MadeObject;
use crate::input::values::{at, ids, number_at};
use crate::resolve::back_buffers::BackBuffer;
use crate::resolve::objects::Virtual;
use crate::world::World;

/// `DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL`, the first effect of the flip model.
const FLIP: u32 = 3;
/// `DXGI_USAGE_UNORDERED_ACCESS`.
const UNORDERED_ACCESS: u32 = 0x400;

/// DXGI's swap chains, by id.
#[derive(Clone, Default)]
pub(crate) struct DxgiChains {
    chains: HashMap<u32, Chain>,
    /// Buffers whose size a fact is going to tell: their chain and number, by id.
    waiting: HashMap<u32, (u32, u32)>,
}

#[derive(Clone)]
struct Chain {
    /// The queue that presents, by id.
    queue: u32,
    /// Queues of single buffers, where the program named them.
    queues: Vec<u32>,
    /// In pixels; 0: as large as the window.
    width: u32,
    height: u32,
    /// `DXGI_FORMAT`.
    format: u32,
    flags: D3D12_RESOURCE_FLAGS,
    /// Number of buffers.
    count: u32,
    flips: bool,
    /// One of Vulkan's (`IDXGIVkSwapChain`): each present goes on to the next buffer, whatever effect and flags say.
    vulkan: bool,
    /// The program was told which buffer is next: then also chains of the blit model go round.
    told: bool,
    /// The buffer that is presented next.
    current: u32,
    /// The part of a buffer that is shown, from the upper left corner, where it is not all.
    source: Option<(u32, u32)>,
    /// The last present, until it has returned: its call, and the buffer that was next before it.
    presented: Option<(u64, u32)>,
}

/// The texture that a present shows.
pub(crate) struct Presented {
    pub(crate) buffer: BackBuffer,
    /// In pixels: the part that is shown.
    pub(crate) size: (u32, u32),
    /// Id of the queue that presents.
    pub(crate) queue: u32,
}

impl DxgiChains {
    /// A chain was made, presented by `queue`; `vulkan`: it is an `IDXGIVkSwapChain`.
    pub(crate) fn add(&mut self, id: u32, queue: u32, desc: &[Member<'_>], vulkan: bool) {
        // DXGI_SWAP_CHAIN_DESC nests what DXGI_SWAP_CHAIN_DESC1 has itself.
        let field = |name: &str| {
            let nested = format!("BufferDesc.{name}");
            number_at(desc, name).or_else(|| number_at(desc, &nested)).unwrap_or(0) as u32
        };
        let mut flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
        if field("BufferUsage") & UNORDERED_ACCESS != 0 {
            flags.0 |= D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0;
        }
        let chain = Chain {
            queue,
            queues: Vec::new(),
            width: field("Width"),
            height: field("Height"),
            format: field("Format"),
            flags,
            count: field("BufferCount").max(1),
            flips: field("SwapEffect") >= FLIP,
            vulkan,
            told: false,
            current: 0,
            source: None,
            presented: None,
        };
        self.chains.insert(id, chain);
    }

    /// Whether replay has this chain; those that present for another API than Direct3D 12 it has not.
    pub(crate) fn has(&self, id: u32) -> bool {
        self.chains.contains_key(&id)
    }

    /// The queue of a chain.
    pub(crate) fn queue(&self, id: u32) -> Option<u32> {
        self.chains.get(&id).map(|chain| chain.queue)
    }

    /// `ResizeBuffers`: no count and no format keep what there is, no size takes the window's.
    pub(crate) fn resize(&mut self, world: &mut World, id: u32, arguments: &[Member<'_>]) {
        let Some(chain) = self.chains.get_mut(&id) else { return };
        let field = |name: &str| number_at(arguments, name).unwrap_or(0) as u32;
        (chain.width, chain.height) = (field("Width"), field("Height"));
        for (slot, value) in
            [(&mut chain.count, field("BufferCount")), (&mut chain.format, field("NewFormat").max(field("Format")))]
        {
            if value != 0 {
                *slot = value;
            }
        }
        if let Some(queues) = at(arguments, "ppPresentQueue").map(ids) {
            chain.queues = queues;
        }
        (chain.current, chain.source, chain.presented) = (0, None, None);
        world.back_buffers.forget(&world.runtime, id);
    }

    /// `ChangeProperties`: nothing happens where nothing changes, and the buffer that is next stays next while there is one.
    pub(crate) fn change(&mut self, world: &mut World, id: u32, desc: &[Member<'_>]) {
        let Some(chain) = self.chains.get_mut(&id) else { return };
        let field = |name: &str| number_at(desc, name).unwrap_or(0) as u32;
        let new = [field("Width"), field("Height"), field("Format"), field("BufferCount").max(1)];
        let old = [&mut chain.width, &mut chain.height, &mut chain.format, &mut chain.count];
        if old.iter().zip(new).all(|(old, new)| **old == new) {
            return;
        }
        for (old, new) in old.into_iter().zip(new) {
            *old = new;
        }
        if chain.current >= chain.count {
            chain.current = 0;
        }
        chain.presented = None;
        world.back_buffers.forget(&world.runtime, id);
    }

    /// The program was told which buffer is next.
    pub(crate) fn set_index(&mut self, id: u32, index: u32) {
        if let Some(chain) = self.chains.get_mut(&id) {
            (chain.current, chain.told) = (index, true);
        }
    }

    /// The program was told the size of a chain that it made as large as its window.
    pub(crate) fn set_size(&mut self, id: u32, width: u32, height: u32) {
        if let Some(chain) = self.chains.get_mut(&id)
            && (chain.width == 0 || chain.height == 0)
        {
            (chain.width, chain.height) = (width, height);
        }
    }

    /// `SetSourceSize`.
    pub(crate) fn set_source(&mut self, id: u32, width: u32, height: u32) {
        if let Some(chain) = self.chains.get_mut(&id) {
            chain.source = Some((width, height));
        }
    }

    /// `Present`, before it returns: the buffer that is shown, `None` where the program never took it. The chain moves on to the
    /// next buffer, unless the program asks it not to (`moves`).
    pub(crate) fn present(&mut self, world: &World, id: u32, call: u64, moves: bool) -> Option<Presented> {
        let chain = self.chains.get_mut(&id)?;
        let index = if chain.flips || chain.told || chain.vulkan { chain.current } else { 0 };
        chain.presented = Some((call, chain.current));
        if moves || chain.vulkan {
            chain.current = (index + 1) % chain.count.max(1);
        }
        let buffer = world.back_buffers.get(id, index)?;
        let whole = (u32::try_from(buffer.desc.Width).unwrap_or(u32::MAX), buffer.desc.Height);
        let part = chain.source.unwrap_or(whole);
        let queue = chain.queues.get(index as usize).copied().filter(|&queue| queue != 0);
        Some(Presented {
            buffer,
            size: (part.0.min(whole.0), part.1.min(whole.1)),
            queue: queue.unwrap_or(chain.queue),
        })
    }

    /// A present returned. One that failed showed nothing: the buffer that was next is next again.
    pub(crate) fn end_present(&mut self, id: u32, call: u64, shown: bool) {
        let Some(chain) = self.chains.get_mut(&id) else { return };
        if let Some((_, before)) = chain.presented.take_if(|(number, _)| *number == call)
            && !shown
        {
            chain.current = before;
        }
    }

    /// `GetBuffer` gave out `id`: the texture that stands for the buffer, made if it is new. Where the window decides on the size
    /// and the program was not told, a fact follows that has it.
    ///
    /// # Errors
    /// The texture cannot be made.
    pub(crate) fn give_buffer(&mut self, world: &mut World, chain: u32, index: u32, id: u32) -> Result<(), String> {
        if let Some(BackBuffer { pointer, desc }) = world.back_buffers.get(chain, index) {
            world.runtime.add_reference(pointer);
            give(world, id, pointer, desc);
            return Ok(());
        }
        let Some(known) = self.chains.get(&chain) else { return Err(format!("object {chain} is no swap chain here")) };
        if known.width == 0 || known.height == 0 {
            world.objects.given_virtual(id, Virtual::BackBuffer);
            self.waiting.insert(id, (chain, index));
            return Ok(());
        }
        let mut desc = texture(known.width, known.height, known.format);
        desc.Flags = known.flags;
        make(world, known.queue, (chain, index), id, desc)
    }

    /// A fact tells what a buffer is that the program was just given: width, height, format, layers, flags.
    ///
    /// # Errors
    /// The texture cannot be made.
    pub(crate) fn describe(&mut self, world: &mut World, id: u32, told: [u32; 5]) -> Result<(), String> {
        let Some((chain, index)) = self.waiting.remove(&id) else { return Ok(()) };
        let Some(known) = self.chains.get_mut(&chain) else { return Ok(()) };
        let [width, height, format, layers, flags] = told;
        (known.width, known.height, known.format) = (width, height, format);
        let mut desc = texture(width, height, format);
        desc.DepthOrArraySize = u16::try_from(layers).unwrap_or(1).max(1);
        desc.Flags.0 |= flags;
        let queue = known.queue;
        world.objects.gone(&world.runtime, id);
        make(world, queue, (chain, index), id, desc)
    }
}

/// Makes the texture of a buffer and gives it the id that the program got.
fn make(
    world: &mut World,
    queue: u32,
    (chain, index): (u32, u32),
    id: u32,
    desc: D3D12_RESOURCE_DESC,
) -> Result<(), String> {
    stand_in(world, queue, id, &desc)?;
    let pointer = world.pointer(id, interface("ID3D12Resource"))?;
    world.runtime.add_reference(pointer);
    world.back_buffers.keep(&world.runtime, chain, index, BackBuffer { pointer, desc });
    Ok(())
}

/// A reference to a buffer that is there already, under the id that the program got.
fn give(world: &mut World, id: u32, pointer: u64, desc: D3D12_RESOURCE_DESC) {
    if world.objects.given(&world.runtime, id, interface("ID3D12Resource"), pointer) {
        world.made(id, MadeObject::Resource { desc, heap_type: D3D12_HEAP_TYPE::DEFAULT.0 as u32, placed: None });
    }
}
