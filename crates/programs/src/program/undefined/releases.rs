//! `undefined-releases`: objects that are released while the GPU needs them: before their list is closed, before it is executed, while
//! it waits on the queue or runs, and before it is executed again. In between other textures are made and filled on another queue. What
//! is drawn and copied is what lay in the released ones. And a view of a target whose texture is gone.

use core::cell::Cell;

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Com, Null, call, create};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::graphics::plain;
use crate::list::List;
use crate::memory::Memory;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::queue::Queue;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "undefined-releases", about: "objects that are released while the GPU needs them", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("textures.number");
const SIZE: u32 = 16;
const SHOWN: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const OLD: u32 = 0x0123_4567;
const NEW: u32 = 0xeeee_eeee;
/// Textures that are made after a release.
const OTHERS: u32 = 20;

/// When objects are released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// The list is open.
    Open,
    /// The list is closed and not executed yet.
    Recorded,
    /// The list waits for a fence on the queue.
    Waiting,
    /// The list is executed, and waits for nothing.
    Running,
    /// The list was executed to its end, and is executed twice more.
    Again,
}

impl Moment {
    const ALL: [Moment; 5] = [Moment::Open, Moment::Recorded, Moment::Waiting, Moment::Running, Moment::Again];
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut program = Releases::new(stage)?;
    for moment in Moment::ALL {
        program.descriptor(moment, false)?;
        program.descriptor(moment, true)?;
        program.copied(moment)?;
        program.drawn(moment)?;
        program.bound(moment)?;
    }
    program.fence()?;
    program.allocator()?;
    program.queue()?;
    program.stale_target()?;
    program.stale_depth()?;
    Ok(program.digest)
}

struct Releases<'a> {
    stage: &'a Stage,
    root: RootSignature,
    pipeline: Pipeline,
    target: Target,
    other: Queue,
    gate: Fence,
    opened: u64,
    digest: Digest,
}

fn shown() -> D3D12_RESOURCE_DESC {
    flat(SHOWN, SIZE, SIZE)
}

fn content(value: u32) -> Vec<Vec<u8>> {
    vec![bytes(&vec![value; (SIZE * SIZE) as usize])]
}

fn write_view(heap: &Heap, texture: &Com) {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: SHOWN,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DARRAY,
        Shader4ComponentMapping: crate::descriptor::AS_IS,
        ..Default::default()
    };
    desc.Anonymous.Texture2DArray = D3D12_TEX2D_ARRAY_SRV { MipLevels: 1, ArraySize: 1, ..Default::default() };
    heap.srv(0, texture, &desc);
}

impl<'a> Releases<'a> {
    fn new(stage: &'a Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let root = Self::root(stage)?;
        Ok(Releases {
            stage,
            pipeline: Self::pipeline(stage, &root)?,
            root,
            target: Target::new(device, FORMAT, SIZE, SIZE)?,
            other: Queue::new(device, D3D12_COMMAND_LIST_TYPE::DIRECT)?,
            gate: Fence::new(device, 0)?,
            opened: 0,
            digest: Digest::new(),
        })
    }

    fn root(stage: &Stage) -> Result<RootSignature, Failure> {
        let table = [Range::srv(0, 1)];
        RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER, Parameter::Table(&table)], &[])
    }

    fn pipeline(stage: &Stage, root: &RootSignature) -> Result<Pipeline, Failure> {
        Pipeline::graphics(stage, &plain(stage, root, &VERTEX, &NUMBER, &[FORMAT]))
    }

    /// Draws what a heap's first view shows to the whole of a target.
    fn draw(list: &mut List, target: &Target, root: &RootSignature, pipeline: &Pipeline, heap: &Heap) {
        list.clear_target(target, [0.0; 4], &[]);
        list.targets(&[target], None);
        list.set_heap(heap);
        list.set_graphics_root(root);
        list.set_pipeline(pipeline);
        list.graphics_table(1, heap.gpu(0));
        list.square(SIZE);
        list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [0; 4]));
    }

    /// Makes textures with other texels on the other queue.
    fn others(&self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let mut list = List::direct(device)?;
        let make = |_| Texture::filled(device, &mut list, &shown(), &content(NEW), State::COPY_SOURCE);
        let made = (0..OTHERS).map(make).collect::<Result<Vec<_>, Failure>>()?;
        list.close()?;
        self.other.execute(&[&list]);
        self.other.finish()?;
        drop(made);
        Ok(())
    }

    /// Closes and executes a list, and releases something at a moment.
    fn execute<T>(&mut self, list: &mut List, moment: Moment, things: T) -> Result<(), Failure> {
        let mut things = Some(things);
        if moment == Moment::Open {
            things = None;
            self.others()?;
        }
        list.close()?;
        if moment == Moment::Recorded {
            things = None;
            self.others()?;
        }
        self.submit(moment, |queue| queue.execute(&[list]), move || drop(things))
    }

    /// Executes a list, behind a fence where the moment is not that it runs, and releases something where that was not done before.
    fn submit(&mut self, moment: Moment, execute: impl Fn(&Queue), release: impl FnOnce()) -> Result<(), Failure> {
        let queue = &self.stage.queue;
        if moment == Moment::Again {
            execute(queue);
            queue.finish()?;
            release();
            self.others()?;
            for _ in 0..2 {
                execute(queue);
                queue.finish()?;
                self.others()?;
            }
            return Ok(());
        }
        if moment != Moment::Running {
            self.opened += 1;
            queue.wait(&self.gate, self.opened)?;
        }
        execute(queue);
        release();
        self.others()?;
        self.gate.signal(self.opened)?;
        queue.finish()
    }

    /// Checks the target behind a list. None stays open meanwhile: it would hold what is released.
    fn check(&mut self, mut list: List, what: &str, texel: [u32; 4]) -> Result<(), Failure> {
        let expected = Picture::new(SIZE, SIZE, texel);
        self.target.check(self.stage, &mut list, what, &expected, &mut self.digest)
    }

    /// A texture that only a descriptor names, with memory of its own or placed in a heap that goes as well.
    fn descriptor(&mut self, moment: Moment, placed: bool) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (desc, heap) = (shown(), Heap::visible(device, 1)?);
        let mut list = List::direct(device)?;
        let memory = placed.then(|| Memory::new(device, Memory::room(device, &desc).size)).transpose()?;
        let texture = match &memory {
            Some(memory) => Texture::placed(device, memory, 0, &desc, State::COPY_DEST)?,
            None => Texture::new(device, &desc, State::COPY_DEST, None)?,
        };
        let upload = texture.fill(device, &mut list, &content(OLD))?;
        list.transition(&texture.com, State::COPY_DEST, State::PIXEL_SHADER_RESOURCE);
        self.stage.queue.run(&mut list)?;
        write_view(&heap, &texture.com);
        Self::draw(&mut list, &self.target, &self.root, &self.pipeline, &heap);
        self.execute(&mut list, moment, (texture, memory, upload))?;
        self.check(
            List::direct(&self.stage.device)?,
            &format!("{moment:?}: a texture that a descriptor names, placed {placed}"),
            [OLD, 0, 0, 1],
        )
    }

    /// The source of a copy, texture and buffer.
    fn copied(&mut self, moment: Moment) -> Result<(), Failure> {
        let device = &self.stage.device;
        let mut list = List::direct(device)?;
        let (texture, upload) = Texture::filled(device, &mut list, &shown(), &content(OLD), State::COPY_SOURCE)?;
        self.stage.queue.run(&mut list)?;
        let to = Texture::new(device, &shown(), State::COPY_DEST, None)?;
        list.copy_texture(&to.part(0), [0; 3], &texture.part(0), None);
        let (from, words) = (Buffer::uploaded(device, &[OLD; 64])?, Buffer::readback(device, 256)?);
        list.copy_bytes(&words, 0, &from, 0, 256);
        self.execute(&mut list, moment, (texture, upload, from))?;
        Failure::unless_equal(&format!("{moment:?}: a copied buffer"), &words.read_u32()?, &[OLD; 64])?;
        let got: Vec<u32> = texels(&to.read(self.stage, &mut List::direct(device)?, State::COPY_DEST)?[0]);
        Failure::unless_equal(&format!("{moment:?}: a copied texture"), &got, &vec![OLD; (SIZE * SIZE) as usize])
    }

    /// A target that was drawn to, and its view, before it is copied from.
    fn drawn(&mut self, moment: Moment) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (desc, heap) = (shown(), Heap::visible(device, 1)?);
        let mut list = List::direct(device)?;
        let (texture, upload) = Texture::filled(device, &mut list, &desc, &content(OLD), State::PIXEL_SHADER_RESOURCE)?;
        self.stage.queue.run(&mut list)?;
        write_view(&heap, &texture.com);
        let target = Target::new(device, FORMAT, SIZE, SIZE)?;
        Self::draw(&mut list, &target, &self.root, &self.pipeline, &heap);
        let to = Texture::new(device, &flat(FORMAT, SIZE, SIZE), State::COPY_DEST, None)?;
        list.transition(&target.texture.com, State::RENDER_TARGET, State::COPY_SOURCE);
        list.copy_texture(&to.part(0), [0; 3], &target.texture.part(0), None);
        self.execute(&mut list, moment, (target, texture, upload, heap))?;
        let got: Vec<[u32; 4]> = texels(&to.read(self.stage, &mut List::direct(device)?, State::COPY_DEST)?[0]);
        let expected = vec![[OLD, 0, 0, 1]; (SIZE * SIZE) as usize];
        Failure::unless_equal(&format!("{moment:?}: a target"), got.as_flattened(), expected.as_flattened())
    }

    /// Everything else that a list binds: pipeline state, root signature, heap of descriptors, command signature, query heap. The
    /// allocator and, once it is executed, the list itself.
    fn bound(&mut self, moment: Moment) -> Result<(), Failure> {
        let device = &self.stage.device;
        let heap = Heap::visible(device, 1)?;
        let mut list = List::direct(device)?;
        let desc = shown();
        let (texture, upload) = Texture::filled(device, &mut list, &desc, &content(OLD), State::PIXEL_SHADER_RESOURCE)?;
        self.stage.queue.run(&mut list)?;
        write_view(&heap, &texture.com);
        let root = Self::root(self.stage)?;
        let pipeline = Self::pipeline(self.stage, &root)?;
        let kind = D3D12_QUERY_HEAP_DESC { Type: D3D12_QUERY_HEAP_TYPE::OCCLUSION, Count: 1, NodeMask: 0 };
        let queries = create!(device.com, "ID3D12Device", "CreateQueryHeap", &raw const kind; "ID3D12QueryHeap")?;
        let results = Buffer::readback(device, 8)?;
        let occlusion = D3D12_QUERY_TYPE::OCCLUSION.0;
        call!(list.com, "ID3D12GraphicsCommandList", "BeginQuery", &queries, occlusion, 0u32);
        Self::draw(&mut list, &self.target, &root, &pipeline, &heap);
        call!(list.com, "ID3D12GraphicsCommandList", "EndQuery", &queries, occlusion, 0u32);
        let to = &results.com;
        call!(list.com, "ID3D12GraphicsCommandList", "ResolveQueryData", &queries, occlusion, 0u32, 1u32, to, 0u64);
        let (arguments, signature) = (Buffer::uploaded(device, &[4, 1, 0, 0])?, draws(self.stage)?);
        let (few, given, none) = (1u32, &arguments.com, Null);
        call!(list.com, "ID3D12GraphicsCommandList", "ExecuteIndirect", &signature, few, given, 0u64, none, 0u64);
        let things = (heap, root, pipeline, queries, signature, arguments, texture, upload);
        self.execute_all(list, moment, things)?;
        Failure::unless_equal("an occlusion query", &results.read_u32()?, &[SIZE * SIZE, 0])?;
        self.check(List::direct(&self.stage.device)?, &format!("{moment:?}: everything that is bound"), [OLD, 0, 0, 1])
    }

    /// As [`Releases::execute`]; the allocator goes with the rest, and the list once it is executed.
    fn execute_all<T>(&mut self, mut list: List, moment: Moment, things: T) -> Result<(), Failure> {
        let mut things = Some(things);
        if moment == Moment::Open {
            things = None;
        }
        list.close()?;
        let (list, allocator) = list.into_parts();
        let mut all = Some((allocator, things));
        if matches!(moment, Moment::Open | Moment::Recorded) {
            all = None;
            self.others()?;
        }
        let list = Cell::new(Some(list));
        let execute = |queue: &Queue| {
            let Some(com) = list.take() else { return };
            queue.execute_coms(&[&com]);
            // The queue has the list where it is executed once.
            list.set((moment == Moment::Again).then_some(com));
        };
        self.submit(moment, execute, move || drop(all))
    }

    /// A fence that a queue waits for.
    fn fence(&mut self) -> Result<(), Failure> {
        let fence = Fence::new(&self.stage.device, 0)?;
        self.other.wait(&self.gate, self.opened + 1)?;
        self.other.signal(&fence, 1)?;
        self.stage.queue.wait(&fence, 1)?;
        drop(fence);
        self.opened += 1;
        self.gate.signal(self.opened)?;
        self.stage.queue.finish()?;
        self.other.finish()
    }

    /// An allocator that is reset while its list waits, and the list begun anew: both recordings are executed.
    fn allocator(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (from, to) = (Buffer::uploaded(device, &[OLD; 64])?, Buffer::readback(device, 512)?);
        let mut list = List::direct(device)?;
        self.stage.queue.wait(&self.gate, self.opened + 1)?;
        for half in 0..2 {
            list.copy_bytes(&to, half * 256, &from, 0, 256);
            list.close()?;
            self.stage.queue.execute(&[&list]);
            list.reset()?;
        }
        self.opened += 1;
        self.gate.signal(self.opened)?;
        self.stage.queue.finish()?;
        Failure::unless_equal("copies of an allocator that is reset", &to.read_u32()?, &[OLD; 128])
    }

    /// A queue whose work waits for a fence: what it was given is done all the same.
    fn queue(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (queue, done) = (Queue::new(device, D3D12_COMMAND_LIST_TYPE::DIRECT)?, Fence::new(device, 0)?);
        let (from, to) = (Buffer::uploaded(device, &[OLD; 64])?, Buffer::readback(device, 256)?);
        let mut list = List::direct(device)?;
        list.copy_bytes(&to, 0, &from, 0, 256);
        list.close()?;
        queue.wait(&self.gate, self.opened + 1)?;
        queue.execute(&[&list]);
        queue.signal(&done, 1)?;
        drop((queue, list, from));
        self.others()?;
        self.opened += 1;
        self.gate.signal(self.opened)?;
        done.wait(1)?;
        Failure::unless_equal("a copy on a queue that is released", &to.read_u32()?, &[OLD; 64])
    }

    /// A view of a target that is gone: nothing is drawn there, and the other target has all.
    fn stale_target(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let Target { texture, heap } = Target::new(device, FORMAT, SIZE, SIZE)?;
        drop(texture);
        self.others()?;
        let mut list = List::direct(device)?;
        let (texture, upload) =
            Texture::filled(device, &mut list, &shown(), &content(OLD), State::PIXEL_SHADER_RESOURCE)?;
        let views = Heap::visible(device, 1)?;
        write_view(&views, &texture.com);
        Self::draw(&mut list, &self.target, &self.root, &self.pipeline, &views);
        let stale = heap.cpu(0);
        let colour = [9.0f32; 4];
        let clears = &list.com;
        call!(clears, "ID3D12GraphicsCommandList", "ClearRenderTargetView", stale.ptr, colour.as_ptr(), 0u32, Null);
        list.target_views(&[stale], None);
        list.draw(4, 1, 0, 0);
        // A copy of a stale view is stale.
        let copies = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
        copies.copy(0, &heap, 0, 1);
        list.target_views(&[copies.cpu(0)], None);
        list.draw(4, 1, 0, 0);
        self.check(list, "a draw to a target that is gone", [OLD, 0, 0, 1])?;
        drop(upload);
        Ok(())
    }

    fn stale_depth(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let format = DXGI_FORMAT::FORMAT_D32_FLOAT;
        let Depth { texture, heap } = Depth::new(device, format, format, SIZE, SIZE)?;
        drop(texture);
        self.others()?;
        let stale = heap.cpu(0);
        let mut list = List::direct(device)?;
        let (flags, clears) = (D3D12_CLEAR_FLAGS::DEPTH.0, &list.com);
        call!(clears, "ID3D12GraphicsCommandList", "ClearDepthStencilView", stale.ptr, flags, 0.5f32, 0u8, 0u32, Null);
        list.clear_target(&self.target, [3.0; 4], &[]);
        list.target_views(&[self.target.view()], Some(&stale));
        self.check(list, "a clear beside depth that is gone", [3; 4])
    }
}

fn draws(stage: &Stage) -> Result<Com, Failure> {
    let argument = D3D12_INDIRECT_ARGUMENT_DESC { Type: D3D12_INDIRECT_ARGUMENT_TYPE::DRAW, ..Default::default() };
    let desc = D3D12_COMMAND_SIGNATURE_DESC {
        ByteStride: 16,
        NumArgumentDescs: 1,
        pArgumentDescs: &raw const argument,
        ..Default::default()
    };
    let device = &stage.device.com;
    create!(device, "ID3D12Device", "CreateCommandSignature", &raw const desc, Null; "ID3D12CommandSignature")
}
