//! `uavs`: textures of every dimension that shaders write, and read again behind a barrier; stores that are converted to a view's
//! format; and pixels that leave nothing but what they add up. `typed-loads`: reads of formats other than one 32-bit number.
//! `partial-stores`: dispatches of one bundle, and of one indirect call, that write other parts of the same textures.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::call;
use crate::descriptor::{Elements, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::texel::{Texel, bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const STORES: Program = Program {
    name: "uavs",
    about: "writes to textures of every dimension, converting stores, and pixels that only add",
    run,
};
pub(super) const LOADS: Program =
    Program { name: "typed-loads", about: "reads through views for writing, of more formats", run: loads };
pub(super) const PARTS: Program = Program {
    name: "partial-stores",
    about: "dispatches of a bundle and of an indirect call that write parts of textures",
    run: partly,
};

/// Of the textures: what two by two groups of 8 x 4 x 4 threads reach.
const WIDTH: u32 = 16;
const HEIGHT: u32 = 8;
const DEPTH: u32 = 4;
/// Groups that reach all texels.
const GROUPS: [u32; 2] = [WIDTH / 8, HEIGHT / 4];
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut list = List::direct(&stage.device)?;
    let mut digest = Digest::new();
    dimensions(stage, &mut list, &mut digest)?;
    Converted::new(stage)?.check(stage, &mut list, &mut digest, false)?;
    pixels(stage, &mut list, &mut digest)?;
    Ok(digest)
}

/// A texture that shaders write.
fn writable(device: &Device, desc: D3D12_RESOURCE_DESC) -> Result<Texture, Failure> {
    let desc = D3D12_RESOURCE_DESC { Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, ..desc };
    Texture::new(device, &desc, D3D12_RESOURCE_STATES::UNORDERED_ACCESS, None)
}

/// A table of views to write, `u0` and on, in a signature of its own.
fn table(device: &Device, count: u32) -> Result<(RootSignature, Heap), Failure> {
    let root = RootSignature::compute(device, &[Parameter::Table(&[Range::uav(0, count)])])?;
    Ok((root, Heap::visible(device, count)?))
}

/// A texture of each dimension, and the pipeline that stores to all of them.
struct Dimensions {
    root: RootSignature,
    heap: Heap,
    store: Pipeline,
    textures: Vec<Texture>,
}

/// A dimension: name, texture, view, rows and slices, and the shader's factor.
type Case = (&'static str, D3D12_RESOURCE_DESC, D3D12_UAV_DIMENSION, [u32; 2], u32);

impl Dimensions {
    fn cases() -> [Case; 5] {
        use D3D12_RESOURCE_DIMENSION as Dimension;
        use D3D12_UAV_DIMENSION as View;
        let line = |slices| D3D12_RESOURCE_DESC {
            Dimension: Dimension::TEXTURE1D,
            DepthOrArraySize: slices as u16,
            ..flat(NUMBERS, WIDTH, 1)
        };
        let plane = |slices| D3D12_RESOURCE_DESC { DepthOrArraySize: slices as u16, ..flat(NUMBERS, WIDTH, HEIGHT) };
        let volume = D3D12_RESOURCE_DESC { Dimension: Dimension::TEXTURE3D, ..plane(DEPTH) };
        [
            ("a line", line(1), View::TEXTURE1D, [1, 1], 1),
            ("lines", line(HEIGHT), View::TEXTURE1DARRAY, [HEIGHT, 1], 2),
            ("a plane", plane(1), View::TEXTURE2D, [HEIGHT, 1], 3),
            ("planes", plane(DEPTH), View::TEXTURE2DARRAY, [HEIGHT, DEPTH], 5),
            ("a volume", volume, View::TEXTURE3D, [HEIGHT, DEPTH], 7),
        ]
    }

    fn new(stage: &Stage) -> Result<Self, Failure> {
        use D3D12_UAV_DIMENSION as View;
        let device = &stage.device;
        let cases = Self::cases();
        let (root, heap) = table(device, cases.len() as u32)?;
        let mut textures = Vec::new();
        for (index, (_, desc, dimension, ..)) in (0..).zip(&cases) {
            let texture = writable(device, *desc)?;
            let mut view =
                D3D12_UNORDERED_ACCESS_VIEW_DESC { Format: NUMBERS, ViewDimension: *dimension, ..Default::default() };
            let slices = u32::from(desc.DepthOrArraySize);
            match *dimension {
                View::TEXTURE1DARRAY => view.Anonymous.Texture1DArray.ArraySize = slices,
                View::TEXTURE2DARRAY => view.Anonymous.Texture2DArray.ArraySize = slices,
                View::TEXTURE3D => view.Anonymous.Texture3D.WSize = slices,
                _ => {}
            }
            heap.uav(index, &texture.com, &view);
            textures.push(texture);
        }
        let store = Pipeline::compute(stage, &root, &shader!("uavs.store"))?;
        Ok(Self { root, heap, store, textures })
    }

    /// What dispatches that store need, on a list or a bundle.
    fn set(&self, list: &mut List) {
        list.set_heap(&self.heap);
        list.set_compute_root(&self.root);
        list.compute_table(0, self.heap.gpu(0));
        list.set_pipeline(&self.store);
    }

    /// Compares with what is made of the number that the shader stores times the texture's factor.
    fn check(
        &self,
        stage: &Stage,
        list: &mut List,
        digest: &mut Digest,
        of: impl Fn(u32) -> u32,
    ) -> Result<(), Failure> {
        for (texture, (name, _, _, [rows, slices], factor)) in self.textures.iter().zip(Self::cases()) {
            let parts = texture.read(stage, list, D3D12_RESOURCE_STATES::UNORDERED_ACCESS)?;
            let got: Vec<u32> = texels(&parts.concat());
            let stored = (0..WIDTH * rows * slices)
                .map(|at| 1 + at % WIDTH + 16 * (at / WIDTH % rows) + 256 * (at / WIDTH / rows));
            let expected: Vec<u32> = stored.map(|number| of(number * factor)).collect();
            Failure::unless_equal(name, &got, &expected)?;
            digest.add(&bytes_of(&got));
        }
        Ok(())
    }
}

/// One texture of each dimension: stored to, and then changed to what was there times three plus one.
fn dimensions(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let all = Dimensions::new(stage)?;
    let update = Pipeline::compute(stage, &all.root, &shader!("uavs.update"))?;
    all.set(list);
    list.dispatch(GROUPS[0], GROUPS[1], 1);
    all.textures.iter().for_each(|texture| list.uav_barrier(&texture.com));
    list.set_pipeline(&update);
    list.dispatch(GROUPS[0], GROUPS[1], 1);
    all.check(stage, list, digest, |stored| stored * 3 + 1)
}

/// Of the textures the first group alone, and then all groups, each by a dispatch of one bundle, and by a command of one indirect call. Where both write they
/// store the same.
fn partly(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let sizes = [[1, 1, 1], [GROUPS[0], GROUPS[1], 1]];
    let (by_bundle, by_commands) = (Dimensions::new(stage)?, Dimensions::new(stage)?);
    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    by_bundle.set(&mut bundle);
    sizes.into_iter().for_each(|[x, y, z]| bundle.dispatch(x, y, z));
    bundle.close()?;
    let arguments = Buffer::uploaded(device, sizes.as_flattened())?;
    let signature = CommandSignature::new(device, None, &[argument(D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH)], 12)?;
    let mut list = List::direct(device)?;
    // The heaps of a bundle are those of its list.
    list.set_heap(&by_bundle.heap);
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    by_commands.set(&mut list);
    list.execute_indirect(&signature, sizes.len() as u32, (&arguments, 0), None);
    let mut digest = Digest::new();
    by_bundle.check(stage, &mut list, &mut digest, |stored| stored)?;
    by_commands.check(stage, &mut list, &mut digest, |stored| stored)?;
    Ok(digest)
}

/// Two textures and two buffers whose views convert.
struct Converted {
    root: RootSignature,
    heap: Heap,
    store: Pipeline,
    colours: Texture,
    pairs: Texture,
    floats: Buffer,
    bytes: Buffer,
}

const SQUARE: u32 = 8;
/// Of each of them.
const FORMATS: [DXGI_FORMAT; 4] = [
    DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
    DXGI_FORMAT::FORMAT_R16G16_UINT,
    DXGI_FORMAT::FORMAT_R32_FLOAT,
    DXGI_FORMAT::FORMAT_R8G8B8A8_SINT,
];

impl Converted {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let (root, heap) = table(device, 4)?;
        let colours = writable(device, flat(FORMATS[0], SQUARE, SQUARE))?;
        let pairs = writable(device, flat(FORMATS[1], SQUARE, SQUARE))?;
        for (index, texture) in (0..).zip([&colours, &pairs]) {
            let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
                Format: FORMATS[index as usize],
                ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
                ..Default::default()
            };
            heap.uav(index, &texture.com, &view);
        }
        let floats = Buffer::writable(device, u64::from(4 * SQUARE * SQUARE))?;
        let bytes = Buffer::writable(device, u64::from(4 * SQUARE * SQUARE))?;
        heap.buffer_uav(2, &floats, Elements::typed(0, SQUARE * SQUARE, FORMATS[2]));
        heap.buffer_uav(3, &bytes, Elements::typed(0, SQUARE * SQUARE, FORMATS[3]));
        let store = Pipeline::compute(stage, &root, &shader!("uavs.convert"))?;
        Ok(Self { root, heap, store, colours, pairs, floats, bytes })
    }

    /// Stores, and reads and stores again if `load`; then compares.
    fn check(&self, stage: &Stage, list: &mut List, digest: &mut Digest, load: bool) -> Result<(), Failure> {
        let loading = if load { Some(Pipeline::compute(stage, &self.root, &shader!("uavs.load"))?) } else { None };
        list.set_heap(&self.heap);
        list.set_compute_root(&self.root);
        list.compute_table(0, self.heap.gpu(0));
        list.set_pipeline(&self.store);
        list.dispatch(1, 1, 1);
        if let Some(pipeline) = &loading {
            [&self.colours.com, &self.pairs.com, &self.bytes.com].iter().for_each(|com| list.uav_barrier(com));
            list.set_pipeline(pipeline);
            list.dispatch(1, 1, 1);
        }
        let expected = Contents::expected(load);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let colours = self.colours.read(stage, list, state)?.concat();
        let pairs = self.pairs.read(stage, list, state)?.concat();
        let floats = buffer::fetch(&stage.device, &stage.queue, list, &self.floats, state)?.read()?;
        let numbers = buffer::fetch(&stage.device, &stage.queue, list, &self.bytes, state)?.read()?;
        compare::<[u8; 4]>("colours", &colours, &expected.colours, digest)?;
        compare::<[u16; 2]>("pairs", &pairs, &expected.pairs, digest)?;
        compare::<f32>("floats", &floats, &expected.floats, digest)?;
        compare::<[i8; 4]>("signed bytes", &numbers, &expected.bytes, digest)
    }
}

fn compare<T: Texel>(name: &str, got: &[u8], expected: &[T], digest: &mut Digest) -> Result<(), Failure> {
    Failure::unless_equal(name, &texels::<T>(got), expected)?;
    digest.add(got);
    Ok(())
}

/// What the four hold.
struct Contents {
    colours: Vec<[u8; 4]>,
    pairs: Vec<[u16; 2]>,
    floats: Vec<f32>,
    bytes: Vec<[i8; 4]>,
}

impl Contents {
    /// What `convert` stores, and what `load` makes of it.
    fn expected(load: bool) -> Self {
        let all = || (0..SQUARE * SQUARE).map(|index| (index % SQUARE, index / SQUARE, index));
        let colours = all().map(|(x, y, index)| {
            let [r, g, b, a] = [x, y, index, 255 - index].map(|part| part as u8);
            if load { [a, b, g, r] } else { [r, g, b, a] }
        });
        let pairs = all().map(|(_, _, index)| {
            let [x, y] = [1000 * index, 65535 - index].map(|part| part as u16);
            if load { [y, x] } else { [x, y] }
        });
        let bytes = all().map(|(x, y, index)| {
            let [x, y, z, w] = [x as i8, y as i8, -(index as i8), index as i8];
            if load { [w, x, y, z].map(|part| part + 1) } else { [x, y, z, w] }
        });
        let floats = all().map(|(_, _, index)| index as f32 / 4.0);
        Self { colours: colours.collect(), pairs: pairs.collect(), floats: floats.collect(), bytes: bytes.collect() }
    }
}

fn loads(stage: &Stage) -> Result<Digest, Failure> {
    for format in [FORMATS[0], FORMATS[1], FORMATS[3]] {
        let mut data = D3D12_FEATURE_DATA_FORMAT_SUPPORT { Format: format, ..Default::default() };
        let known = stage.device.feature(D3D12_FEATURE::FORMAT_SUPPORT, &mut data);
        if !known || data.Support2.0 & D3D12_FORMAT_SUPPORT2::UAV_TYPED_LOAD.0 == 0 {
            return Err(Failure::Cannot(format!("format {} cannot be read through a view for writing", format.0)));
        }
    }
    let mut digest = Digest::new();
    let mut list = List::direct(&stage.device)?;
    Converted::new(stage)?.check(stage, &mut list, &mut digest, true)?;
    Ok(digest)
}

/// Draws without any target.
fn pixels(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    const SIZE: u32 = 32;
    const DRAWS: [(Area, [u32; 4]); 3] = [
        (Area::at(0, 0, 32, 20), [1, 5, 0, 0]),
        (Area::at(4, 4, 9, 28), [0x100, 7, 0, 0]),
        (Area::at(8, 2, 20, 10), [0x1_0000, 0xffff_fff0, 0, 0]),
    ];
    let device = &stage.device;
    let vertex: Shader = shader!("rectangle.vertex");
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&[Range::uav(0, 2)])], &[])?;
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &shader!("uavs.pixel"), &[]))?;
    let mut visits = Picture::new(SIZE, SIZE, 0u32);
    let mut sums = vec![0u32; SIZE as usize];

    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let mut desc = flat(NUMBERS, SIZE, SIZE);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let (texture, _zeros) = Texture::filled(device, list, &desc, &[bytes(&visits.texels)], state)?;
    let buffer = Buffer::writable(device, u64::from(4 * SIZE))?;
    let zeros = Buffer::uploaded(device, &sums)?;
    list.transition(&buffer.com, state, D3D12_RESOURCE_STATES::COPY_DEST);
    list.copy_bytes(&buffer, 0, &zeros, 0, zeros.size);
    list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_DEST, state);
    let heap = Heap::visible(device, 2)?;
    let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: NUMBERS,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    heap.uav(0, &texture.com, &view);
    heap.buffer_uav(1, &buffer, Elements::raw(0, SIZE));

    list.set_heap(&heap);
    list.set_graphics_root(&root);
    list.graphics_table(1, heap.gpu(0));
    list.set_pipeline(&pipeline);
    list.target_views(&[], None);
    list.square(SIZE);
    for (area, value) in DRAWS {
        list.rectangle(&Rectangle::new(area, SIZE, value));
        visits.draw(area, |_, y, pixel| {
            *pixel += value[0];
            sums[y as usize] = sums[y as usize].wrapping_add(value[1]);
        });
    }
    let got = texture.read(stage, list, state)?.concat();
    visits.check("visits of pixels", &texels(&got))?;
    digest.add(&got);
    let got = buffer::fetch(device, &stage.queue, list, &buffer, state)?.read()?;
    compare("sums of rows", &got, &sums, digest)
}
