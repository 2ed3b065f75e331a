#![allow(clippy::unwrap_used)]

use std::process::Command;

use reprise_com::Public;
use reprise_d3d12::types::*;
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::encoder::{Dirty, Images, push};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::queue::CommandQueue;
use reprise_gpu::scope::Gathered;
use reprise_gpu::validation;
use reprise_testing::{missing, require};

use super::*;
use crate::device::Device;
use crate::list::barrier::scope;
use crate::list::{CommandAllocator, CommandList};
use crate::resource::create::{Initial, Wanted, committed, placed};
use crate::resource::heap;

#[test]
fn states_become_uses() {
    let both = |one: States, other: States| States(one.0 | other.0);
    for (state, expected) in [
        (States::COMMON, Use::Rest),
        (States::PRESENT, Use::Rest),
        (States::RENDER_TARGET, Use::Target),
        (States::DEPTH_WRITE, Use::Target),
        (States::DEPTH_READ, Use::Rest),
        (both(States::DEPTH_READ, States::PIXEL_SHADER_RESOURCE), Use::Rest),
        (States::PIXEL_SHADER_RESOURCE, Use::Rest),
        (States::UNORDERED_ACCESS, Use::Rest),
        (States::GENERIC_READ, Use::Rest),
        (States::COPY_SOURCE, Use::Source),
        (both(States::COPY_SOURCE, States::RESOLVE_SOURCE), Use::Source),
        (both(States::COPY_SOURCE, States::PIXEL_SHADER_RESOURCE), Use::Rest),
        (States::RESOLVE_SOURCE, Use::Source),
        (States::COPY_DEST, Use::Destination),
        (States::RESOLVE_DEST, Use::Destination),
        (States(u32::MAX), Use::Rest),
    ] {
        assert_eq!(of_state(state), expected, "{state:?}");
    }
}

#[test]
fn barrier_layouts_become_uses() {
    for (layout, expected) in [
        (Layout::UNDEFINED, Use::Rest),
        (Layout::COMMON, Use::Rest),
        (Layout::GENERIC_READ, Use::Rest),
        (Layout::DIRECT_QUEUE_COMMON, Use::Rest),
        (Layout::RENDER_TARGET, Use::Target),
        (Layout::UNORDERED_ACCESS, Use::Rest),
        (Layout::DEPTH_STENCIL_WRITE, Use::Target),
        (Layout::DEPTH_STENCIL_READ, Use::Rest),
        (Layout::SHADER_RESOURCE, Use::Rest),
        (Layout::COPY_SOURCE, Use::Source),
        (Layout::COPY_DEST, Use::Destination),
        (Layout::RESOLVE_SOURCE, Use::Source),
        (Layout::RESOLVE_DEST, Use::Destination),
        (Layout::COMPUTE_QUEUE_COPY_DEST, Use::Destination),
        (Layout::DIRECT_QUEUE_COPY_SOURCE, Use::Source),
    ] {
        assert_eq!(of_layout(layout), expected, "{layout:?}");
    }
}

/// The judge is Vulkan's layer. Shaders read through descriptors that it does not look at, so the runtime's own kernels read here:
/// they have descriptors that it compares with the layouts of each image.
#[test]
fn shaders_find_at_rest_what_they_may_read() {
    tracked("shaders_find_at_rest_what_they_may_read", || (0..16).for_each(random_lists));
}

#[test]
fn images_rest_before_others_use_their_memory() {
    tracked("images_rest_before_others_use_their_memory", aliased);
}

/// Runs a body with tracked layouts, under Vulkan's layer, in a process of its own: settings are read once. `name` is the test's.
fn tracked(name: &str, body: impl FnOnce()) {
    if std::env::var_os("REPRISE_LAYOUTS").is_some() {
        return body();
    }
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = format!("list::layouts::tests::{name}");
    command.args(["--exact", &name, "--nocapture"]).env("REPRISE_LAYOUTS", "tracked").env("REPRISE_VALIDATION", "1");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Vulkan validation: 0 errors, 0 warnings"), "{said}");
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const LAYERS: u32 = 3;
const SIZE: u32 = 8;
const SHADERS: u32 = States::NON_PIXEL_SHADER_RESOURCE.0;

/// A target of several samples, and the API's state of each subresource.
struct Texture {
    resource: Public<Resource>,
    states: Vec<States>,
}

const DEFAULT: D3D12_HEAP_PROPERTIES = D3D12_HEAP_PROPERTIES {
    Type: D3D12_HEAP_TYPE::DEFAULT,
    CPUPageProperty: D3D12_CPU_PAGE_PROPERTY(0),
    MemoryPoolPreference: D3D12_MEMORY_POOL(0),
    CreationNodeMask: 0,
    VisibleNodeMask: 0,
};

fn described(format: DXGI_FORMAT, flags: D3D12_RESOURCE_FLAGS, samples: u32) -> D3D12_RESOURCE_DESC1 {
    D3D12_RESOURCE_DESC1 {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: SIZE.into(),
        Height: SIZE,
        DepthOrArraySize: LAYERS as u16,
        MipLevels: 1,
        Format: format,
        SampleDesc: DXGI_SAMPLE_DESC { Count: samples, Quality: 0 },
        Flags: flags,
        ..Default::default()
    }
}

fn wanted(desc: &mut D3D12_RESOURCE_DESC1) -> Wanted<'_> {
    Wanted { desc, initial: Initial::State(States::COMMON), clear: None, castable: &[] }
}

fn is_target(list: &Recording, texture: &Texture, index: usize) -> bool {
    list.encoder.is_target(texture.image(), range(&texture.part(index)))
}

impl Texture {
    fn new(device: &Object<Device>, format: DXGI_FORMAT, flags: D3D12_RESOURCE_FLAGS, planes: u32) -> Texture {
        let samples = if flags == D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS { 1 } else { 4 };
        let mut desc = described(format, flags, samples);
        let resource = committed(device, &DEFAULT, D3D12_HEAP_FLAGS::NONE, &mut wanted(&mut desc)).unwrap();
        Texture { resource, states: vec![States::COMMON; (planes * LAYERS) as usize] }
    }

    fn image(&self) -> &Arc<Image> {
        self.resource.image().unwrap()
    }

    fn part(&self, index: usize) -> Subresource {
        Subresource::of(&self.resource, self.image(), index as u32).unwrap()
    }

    /// The view of a subresource, of all aspects where it is a target's.
    fn view(&self, index: usize, usage: vk::ImageUsageFlags) -> vk::ImageView {
        let (image, part) = (self.image(), self.part(index));
        let seen = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE;
        let view = ImageView {
            format: image.format,
            kind: match usage {
                vk::ImageUsageFlags::STORAGE => vk::ImageViewType::TYPE_2D,
                _ => vk::ImageViewType::TYPE_2D_ARRAY,
            },
            aspects: if usage.intersects(seen) { part.aspect } else { image.aspects },
            usage,
            first_level: 0,
            levels: 1,
            first_layer: part.layer,
            layers: 1,
            components: [0; 4],
            least: 0,
            sliced: false,
        };
        image.view(&view).unwrap()
    }

    fn target(&self, index: usize) -> Target {
        let (image, part) = (self.image(), self.part(index));
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        Target {
            view: self.view(index, image.usage & usage),
            resource: self.resource.pointer(),
            image: image.image,
            format: image.format,
            width: SIZE,
            height: SIZE,
            mip: 0,
            first_layer: part.layer,
            layers: 1,
            samples: image.samples.as_raw(),
            flags: 0,
        }
    }
}

/// A list with what it works on.
struct Bench {
    list: Public<CommandList>,
    queue: CommandQueue,
    device: Public<Device>,
    textures: [Texture; 3],
    /// What kernels write: floating point, and integers.
    results: [Texture; 2],
}

impl Bench {
    #[allow(clippy::mut_from_ref, reason = "the test has one thread, and keeps no reference")]
    fn recording(&self) -> &mut Recording {
        // SAFETY: the test has one thread, and keeps no reference beyond a call.
        unsafe { self.list.recording() }
    }

    /// Opens the list; the allocator owns what is recorded.
    fn open(&self) -> Public<CommandAllocator> {
        let allocator = CommandAllocator::new(&self.device, D3D12_COMMAND_LIST_TYPE::DIRECT).unwrap();
        let allocator = Object::make(allocator);
        self.list.open(self.recording(), &allocator).unwrap();
        self.textures.iter().chain(&self.results).for_each(|texture| self.recording().uses(&texture.resource));
        allocator
    }

    /// Ends the list and executes it.
    fn execute(&self) {
        self.list.close(self.recording(), &|| None).unwrap();
        self.queue.execute(vec![self.list.recorded().unwrap()]);
        self.queue.drain();
    }

    /// A barrier of a subresource, or of all where they are in one state.
    fn transition(&mut self, texture: usize, index: usize, to: States, all: bool) -> Option<D3D12_RESOURCE_BARRIER> {
        let Texture { resource, states } = &mut self.textures[texture];
        let from = states[index];
        let all = all && states.iter().all(|state| *state == from);
        if from == to {
            return None;
        }
        states.iter_mut().enumerate().filter(|(at, _)| all || *at == index).for_each(|(_, state)| *state = to);
        let transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: resource.pointer(),
            Subresource: if all { u32::MAX } else { index as u32 },
            StateBefore: from,
            StateAfter: to,
        };
        Some(D3D12_RESOURCE_BARRIER {
            Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION,
            Flags: D3D12_RESOURCE_BARRIER_FLAGS::NONE,
            Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition },
        })
    }

    /// Renders to a subresource in a state for it.
    fn render(&self, texture: &Texture, index: usize) {
        let (list, target) = (self.recording(), texture.target(index));
        // The layer does not compare layouts of attachments.
        if texture.states[index] == States::RENDER_TARGET {
            list.clear_colour(&target, [0.5; 4], &[]);
            assert!(is_target(list, texture, index));
        } else if texture.states[index] == States::DEPTH_WRITE {
            let stencil = texture.part(index).aspect == vk::ImageAspectFlags::STENCIL;
            let flags = if stencil { D3D12_CLEAR_FLAGS::STENCIL } else { D3D12_CLEAR_FLAGS::DEPTH };
            list.clear_depth(&target, flags, 0.5, 7, &[]);
            assert!(is_target(list, texture, index));
        } else if texture.states[index].0 & States::DEPTH_READ.0 != 0 {
            // As a draw that only tests.
            let layout = list.ready_attachment(&target, texture.part(index).aspect, false);
            list.encoder.transitions();
            assert_eq!(layout, vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL);
        }
    }

    /// Copies between colour textures where states allow it.
    fn copy(&self, from: (usize, usize), to: (usize, usize)) {
        let [(source, read), (target, written)] = [from, to].map(|(texture, index)| (&self.textures[texture], index));
        let from_state = source.states[read];
        let reads = from_state == States::COMMON || from_state.0 & States::COPY_SOURCE.0 != 0;
        if !reads || target.states[written] != States::COPY_DEST {
            return;
        }
        let parts = (target.part(written), source.part(read));
        let (to, from) = ((target.image(), &parts.0, [0; 3]), (source.image(), &parts.1, [0; 3]));
        self.recording().copy_subresource(to, from, [SIZE, SIZE, 1]).unwrap();
    }

    /// Reads everything that the API lets shaders read.
    fn read(&self) {
        let list = self.recording();
        for texture in &self.textures {
            for (index, state) in texture.states.iter().enumerate() {
                if *state != States::COMMON && state.0 & SHADERS == 0 {
                    continue;
                }
                let (kernel, result) = match texture.part(index).aspect {
                    vk::ImageAspectFlags::STENCIL => (Kernel::ResolveUint, &self.results[1]),
                    _ => (Kernel::ResolveFloat, &self.results[0]),
                };
                let written = scope(States::UNORDERED_ACCESS);
                list.encoder.barriers(&Gathered { before: written, after: written });
                // As a dispatch does.
                if list.encoder.dirty.take(Dirty::LAYOUTS) {
                    list.encoder.rest_copied();
                }
                let images = Images {
                    read: texture.view(index, vk::ImageUsageFlags::SAMPLED),
                    written: result.view(0, vk::ImageUsageFlags::STORAGE),
                    layout: texture.image().layout,
                };
                let block = push([0, 0, 0, 4, SIZE, SIZE, D3D12_RESOLVE_MODE::MIN.0 as u32, 0]);
                list.run(kernel, images, &block, [1; 3]).unwrap();
            }
        }
    }
}

/// A few lists of calls that the API allows.
fn random_lists(seed: u64) {
    type Flags = D3D12_RESOURCE_FLAGS;
    let device = crate::entry::device::independent().expect("is there a Vulkan 1.3 driver?");
    let new = |format, flags, planes| Texture::new(&device, format, flags, planes);
    let colour = || new(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, Flags::ALLOW_RENDER_TARGET, 1);
    let depth = new(DXGI_FORMAT::FORMAT_R32G8X24_TYPELESS, Flags::ALLOW_DEPTH_STENCIL, 2);
    let result = |format| new(format, Flags::ALLOW_UNORDERED_ACCESS, 1);
    let mut bench = Bench {
        list: Object::make(CommandList::new(&device, D3D12_COMMAND_LIST_TYPE::DIRECT)),
        queue: device.gpu.command_queue(reprise_gpu::families::Role::Graphics).unwrap(),
        textures: [colour(), colour(), depth],
        results: [result(DXGI_FORMAT::FORMAT_R32_FLOAT), result(DXGI_FORMAT::FORMAT_R32_UINT)],
        device,
    };
    let both = |one: States, other: States| States(one.0 | other.0);
    let read = States(SHADERS);
    let of_colours = [
        States::COMMON,
        States::RENDER_TARGET,
        States::COPY_DEST,
        States::COPY_SOURCE,
        States::RESOLVE_SOURCE,
        read,
        both(read, States::COPY_SOURCE),
        both(read, States::PIXEL_SHADER_RESOURCE),
    ];
    let of_depths = [States::COMMON, States::DEPTH_WRITE, States::COPY_SOURCE, read, both(read, States::DEPTH_READ)];
    let mut random = Random(seed);
    for _ in 0..4 {
        let allocator = bench.open();
        for _ in 0..40 {
            let texture = random.below(3);
            let index = random.below(bench.textures[texture].states.len());
            match random.below(6) {
                0 | 1 => {
                    let mut barriers = Vec::new();
                    for _ in 0..=random.below(3) {
                        let index = random.below(bench.textures[texture].states.len());
                        let to = if texture == 2 { random.of(&of_depths) } else { random.of(&of_colours) };
                        barriers.extend(bench.transition(texture, index, to, random.below(3) == 0));
                    }
                    // SAFETY: the textures live.
                    unsafe { bench.recording().resource_barriers(&barriers).unwrap() };
                }
                2 | 3 => bench.render(&bench.textures[texture], index),
                4 => {
                    let mut place = || (random.below(2), random.below(LAYERS as usize));
                    bench.copy(place(), place());
                }
                _ => bench.read(),
            }
        }
        bench.execute();
        drop(allocator);
    }
    assert_eq!(validation::said().errors, 0, "seed {seed}");
}

/// Targets at the same bytes, one after the other, and one beside them.
fn aliased() {
    const APART: u64 = 1 << 20;
    let device = crate::entry::device::independent().expect("is there a Vulkan 1.3 driver?");
    let flags = D3D12_HEAP_FLAGS::ALLOW_ONLY_RT_DS_TEXTURES;
    let desc = D3D12_HEAP_DESC { SizeInBytes: 2 * APART, Properties: DEFAULT, Alignment: 0, Flags: flags };
    let heap = heap::create(&device, &desc).unwrap();
    let desc = described(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET, 1);
    let at = |offset: u64| {
        let mut desc = desc;
        let resource = placed(&device, &heap, offset, &mut wanted(&mut desc)).unwrap();
        Texture { resource, states: vec![States::RENDER_TARGET; LAYERS as usize] }
    };
    let (first, second, beside) = (at(0), at(0), at(APART));
    let list = Object::make(CommandList::new(&device, D3D12_COMMAND_LIST_TYPE::DIRECT));
    let allocator = Object::make(CommandAllocator::new(&device, D3D12_COMMAND_LIST_TYPE::DIRECT).unwrap());
    // SAFETY: the test has one thread, and nothing else has the list's recording until it is closed.
    let recording = unsafe { list.recording() };
    list.open(recording, &allocator).unwrap();
    let render = |recording: &mut Recording, texture: &Texture| {
        recording.clear_colour(&texture.target(0), [0.5; 4], &[]);
        assert!(is_target(recording, texture, 0));
    };
    let aliasing = |recording: &mut Recording, after: Option<&Texture>| {
        let barrier = D3D12_RESOURCE_ALIASING_BARRIER {
            pResourceBefore: core::ptr::null_mut(),
            pResourceAfter: after.map_or(core::ptr::null_mut(), |texture| texture.resource.pointer()),
        };
        let barrier = D3D12_RESOURCE_BARRIER {
            Type: D3D12_RESOURCE_BARRIER_TYPE::ALIASING,
            Flags: D3D12_RESOURCE_BARRIER_FLAGS::NONE,
            Anonymous: D3D12_RESOURCE_BARRIER_2 { Aliasing: barrier },
        };
        // SAFETY: the textures live.
        unsafe { recording.resource_barriers(&[barrier]).unwrap() };
    };
    render(recording, &first);
    render(recording, &beside);
    aliasing(recording, Some(&second));
    assert!(!is_target(recording, &first, 0) && is_target(recording, &beside, 0));
    render(recording, &second);
    assert!(is_target(recording, &beside, 0));
    // The API's own layer would warn; programs do it.
    render(recording, &first);
    assert!(!is_target(recording, &second, 0) && is_target(recording, &beside, 0));
    aliasing(recording, None);
    assert!(!is_target(recording, &first, 0) && !is_target(recording, &beside, 0));
    render(recording, &second);
    list.close(recording, &|| None).unwrap();
    assert_eq!(validation::said().errors, 0);
}
