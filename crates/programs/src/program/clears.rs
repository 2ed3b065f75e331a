//! `clears`: views for writing, of buffers and textures, cleared to bits and to floats, as a whole and in rectangles; and a target
//! whose content was given up before it was cleared. `volume-slices`: a view of some slices of a volume; by itself, because
//! libvkd3d 1.2 does not have it.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::{Com, Null, call};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::draw::ClearValue::{self, Floats, Numbers};
use crate::failure::Failure;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const CLEARS: Program =
    Program { name: "clears", about: "clears of views for writing, whole and in rectangles; discarded targets", run };
pub(super) const SLICES: Program = Program {
    name: "volume-slices",
    about: "a view for writing of some slices of a volume, cleared",
    run: volume_slices,
};

const STATE: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
/// Of each buffer, in words; and of each texture's sides.
const WORDS: u32 = 64;
const SIZE: u32 = 16;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut list = List::direct(&stage.device)?;
    let mut digest = Digest::new();
    buffers(stage, &mut list, &mut digest)?;
    textures(stage, &mut list, &mut digest)?;
    slices(stage, &mut list, &mut digest, false)?;
    discarded(stage, &mut list, &mut digest)?;
    Ok(digest)
}

/// The same view in a heap that shaders see and in one that they do not.
struct Views {
    seen: Heap,
    unseen: Heap,
}

impl Views {
    fn new(stage: &Stage, write: impl Fn(&Heap)) -> Result<Self, Failure> {
        let views = Self { seen: Heap::visible(&stage.device, 1)?, unseen: Heap::staging(&stage.device, 1)? };
        write(&views.seen);
        write(&views.unseen);
        Ok(views)
    }

    fn clear(&self, list: &mut List, resource: &Com, value: ClearValue, areas: &[Area]) {
        list.set_heap(&self.seen);
        list.clear_writable((self.seen.gpu(0), self.unseen.cpu(0)), resource, value, areas);
    }
}

/// What the view shows of a buffer, the value, rectangles of elements, and the words that are changed: each to what.
type BufferCase = (Elements, ClearValue, &'static [Area], &'static [(u32, u32, u32)]);

/// Each buffer begins as words of ones.
fn buffers(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    const PARTS: [Area; 2] = [Area::at(1, 0, 5, 1), Area::at(20, 0, 2, 1)];
    let device = &stage.device;
    let typed = |first, count, format| Elements::typed(first, count, format);
    let cases: [BufferCase; 6] = [
        (typed(4, 32, DXGI_FORMAT::FORMAT_R32_UINT), Numbers([0x1234_5678, 9, 9, 9]), &[], &[(4, 36, 0x1234_5678)]),
        (Elements::raw(8, 16), Numbers([0xdead_beef, 9, 9, 9]), &[], &[(8, 24, 0xdead_beef)]),
        (typed(0, 64, DXGI_FORMAT::FORMAT_R8G8B8A8_UINT), Numbers([1, 2, 3, 255]), &[], &[(0, 64, 0xff03_0201)]),
        (typed(5, 9, DXGI_FORMAT::FORMAT_R16G16_UINT), Numbers([65535, 7, 9, 9]), &[], &[(5, 14, 0x0007_ffff)]),
        (typed(0, 50, DXGI_FORMAT::FORMAT_R32_FLOAT), Floats([0.75, 9.0, 9.0, 9.0]), &[], &[(0, 50, 0x3f40_0000)]),
        (typed(4, 40, DXGI_FORMAT::FORMAT_R32_UINT), Numbers([7; 4]), &PARTS, &[(5, 10, 7), (24, 26, 7)]),
    ];
    for (elements, value, areas, changed) in cases {
        let mut expected = vec![0x0101_0101u32; WORDS as usize];
        let upload = Buffer::uploaded(device, &expected)?;
        let buffer = Buffer::writable(device, upload.size)?;
        list.transition(&buffer.com, STATE, D3D12_RESOURCE_STATES::COPY_DEST);
        list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
        list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_DEST, STATE);
        let views = Views::new(stage, |heap| heap.buffer_uav(0, &buffer, elements))?;
        views.clear(list, &buffer.com, value, areas);
        for &(first, end, word) in changed {
            expected[first as usize..end as usize].fill(word);
        }
        let got = buffer::fetch(device, &stage.queue, list, &buffer, STATE)?.read_u32()?;
        Failure::unless_equal(&format!("a buffer as {elements:?}"), &got, &expected)?;
        digest.add(&bytes(&got));
    }
    Ok(())
}

/// Textures of 32 bits a texel: format, value, rectangles, and what the word is then.
fn textures(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    const ALL: [Area; 1] = [Area::at(0, 0, SIZE, SIZE)];
    const PARTS: [Area; 2] = [Area::at(2, 3, 9, 5), Area::at(10, 0, 6, 16)];
    let cases: [(DXGI_FORMAT, ClearValue, &[Area], u32); 5] = [
        (DXGI_FORMAT::FORMAT_R32_UINT, Numbers([0x8765_4321, 1, 1, 1]), &PARTS, 0x8765_4321),
        // Numbers are bits, whatever the format makes of them.
        (DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, Numbers([10, 20, 30, 40]), &ALL, 0x281e_140a),
        (DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, Floats([1.0, 0.0, 1.0, 0.0]), &PARTS, 0x00ff_00ff),
        (DXGI_FORMAT::FORMAT_R32_FLOAT, Floats([-2.5, 1.0, 1.0, 1.0]), &PARTS, 0xc020_0000),
        (DXGI_FORMAT::FORMAT_R16G16_UINT, Numbers([3, 65535, 1, 1]), &ALL, 0xffff_0003),
    ];
    for (format, value, areas, word) in cases {
        let mut expected = Picture::new(SIZE, SIZE, 0x0101_0101u32);
        let mut desc = flat(format, SIZE, SIZE);
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
        let content = [bytes(&expected.texels)];
        let (texture, _upload) = Texture::filled(&stage.device, list, &desc, &content, STATE)?;
        let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        let views = Views::new(stage, |heap| heap.uav(0, &texture.com, &view))?;
        // No rectangles are all of it.
        views.clear(list, &texture.com, value, if areas == ALL { &[] } else { areas });
        areas.iter().for_each(|area| expected.fill(*area, word));
        let got = texture.read(stage, list, STATE)?.concat();
        expected.check(&format!("a texture of format {}", format.0), &texels(&got))?;
        digest.add(&got);
    }
    Ok(())
}

fn volume_slices(stage: &Stage) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    slices(stage, &mut List::direct(&stage.device)?, &mut digest, true)?;
    Ok(digest)
}

/// Some slices of the second level of an array, or of a volume.
fn slices(stage: &Stage, list: &mut List, digest: &mut Digest, volume: bool) -> Result<(), Failure> {
    let format = DXGI_FORMAT::FORMAT_R32_UINT;
    let (width, height) = (8, 4);
    let mut desc = flat(format, 2 * width, 2 * height);
    (desc.DepthOrArraySize, desc.MipLevels) = (8, 2);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let mut view = D3D12_UNORDERED_ACCESS_VIEW_DESC { Format: format, ..Default::default() };
    // The second level of an array has as many slices as the first, that of a volume half as many.
    let slices = if volume {
        desc.Dimension = D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        view.ViewDimension = D3D12_UAV_DIMENSION::TEXTURE3D;
        view.Anonymous.Texture3D = D3D12_TEX3D_UAV { MipSlice: 1, FirstWSlice: 1, WSize: 2 };
        4
    } else {
        view.ViewDimension = D3D12_UAV_DIMENSION::TEXTURE2DARRAY;
        view.Anonymous.Texture2DArray =
            D3D12_TEX2D_ARRAY_UAV { MipSlice: 1, FirstArraySlice: 1, ArraySize: 2, PlaneSlice: 0 };
        8
    };
    // Both levels as subresources: two of a volume, two of each slice of an array.
    let parts = |first: &[u32], second: &[u32]| -> Vec<Vec<u8>> {
        let count = if volume { 1 } else { slices as usize };
        let parts = first.chunks(first.len() / count).zip(second.chunks(second.len() / count));
        parts.flat_map(|(first, second)| [bytes(first), bytes(second)]).collect()
    };
    let first: Vec<u32> = (0..8 * 4 * width * height).collect();
    let mut second: Vec<u32> = (0..slices * width * height).map(|at| at + 1000).collect();
    let (texture, _upload) = Texture::filled(&stage.device, list, &desc, &parts(&first, &second), STATE)?;
    let views = Views::new(stage, |heap| heap.uav(0, &texture.com, &view))?;
    views.clear(list, &texture.com, Numbers([77; 4]), &[]);
    second[(width * height) as usize..(3 * width * height) as usize].fill(77);
    for (got, expected) in texture.read(stage, list, STATE)?.iter().zip(parts(&first, &second)) {
        Failure::unless_equal("slices", &texels::<u32>(got), &texels(&expected))?;
        digest.add(got);
    }
    Ok(())
}

/// A target of which nothing is kept, until it is cleared.
fn discarded(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let target = Target::new(&stage.device, DXGI_FORMAT::FORMAT_R32_UINT, SIZE, SIZE)?;
    list.clear_target(&target, [5.0; 4], &[]);
    call!(list.com, "ID3D12GraphicsCommandList", "DiscardResource", &target.texture.com, Null);
    list.clear_target(&target, [6.0; 4], &[]);
    let area = Area::at(1, 1, 3, 4);
    list.clear_target(&target, [8.0; 4], &[area]);
    let mut expected = Picture::new(SIZE, SIZE, 6u32);
    expected.fill(area, 8);
    target.check(stage, list, "a discarded target", &expected, digest)
}
