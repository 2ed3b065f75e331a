//! `video`: textures of two planes. Each plane is filled, copied as a whole and by parts, to textures of the plane's own format and
//! back. The processor writes and reads the planes of a texture of its own. Where the device draws to such textures, each plane is
//! cleared by a view of its own, and the other one stays as it is.

use super::Program;
use crate::com::{Null, attempt, call};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "video", about: "textures of a plane of luma and one of chroma: copied whole and by planes", run };

/// Texels of luma; chroma has half as many in both directions.
const WIDTH: u32 = 20;
const HEIGHT: u32 = 12;

/// A format, and the formats of its planes with their bytes.
struct Kind {
    name: &'static str,
    format: DXGI_FORMAT,
    planes: [(DXGI_FORMAT, usize); 2],
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "NV12",
        format: DXGI_FORMAT::FORMAT_NV12,
        planes: [(DXGI_FORMAT::FORMAT_R8_UNORM, 1), (DXGI_FORMAT::FORMAT_R8G8_UNORM, 2)],
    },
    Kind {
        name: "P010",
        format: DXGI_FORMAT::FORMAT_P010,
        planes: [(DXGI_FORMAT::FORMAT_R16_UNORM, 2), (DXGI_FORMAT::FORMAT_R16G16_UNORM, 4)],
    },
];

fn size(plane: usize) -> [u32; 2] {
    [WIDTH >> plane, HEIGHT >> plane]
}

fn bytes(kind: &Kind, plane: usize) -> usize {
    size(plane).iter().product::<u32>() as usize * kind.planes[plane].1
}

/// What the device says of a format.
fn support(stage: &Stage, format: DXGI_FORMAT) -> Result<D3D12_FORMAT_SUPPORT1, Failure> {
    let mut support = D3D12_FEATURE_DATA_FORMAT_SUPPORT { Format: format, ..Default::default() };
    // A library that does not know the format fails here.
    call!(
        stage.device.com,
        "ID3D12Device",
        "CheckFeatureSupport",
        D3D12_FEATURE::FORMAT_SUPPORT.0,
        &raw mut support,
        size_of_val(&support) as u32
    );
    match support.Support1.0 & D3D12_FORMAT_SUPPORT1::TEXTURE2D.0 {
        0 => Err(Failure::Cannot("the library has no video textures".into())),
        _ => Ok(support.Support1),
    }
}

/// Clears one plane after the other, and looks at both each time. What no device need have is no part of the digest.
fn draw_to(stage: &Stage, list: &mut List, kind: &Kind) -> Result<(), Failure> {
    const VALUES: [[u8; 2]; 2] = [[255, 255], [0, 255]];
    let device = &stage.device;
    let mut desc = flat(kind.format, WIDTH, HEIGHT);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    let texture = Texture::of_planes(device, &desc, State::RENDER_TARGET, None, 2)?;
    let views = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 2, false)?;
    let mut expected = [0, 1].map(|plane| vec![0; bytes(kind, plane)]);
    for plane in 0..2 {
        let mut view = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: kind.planes[plane].0,
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        view.Anonymous.Texture2D = D3D12_TEX2D_RTV { MipSlice: 0, PlaneSlice: plane as u32 };
        let to = views.cpu(plane as u32);
        call!(device.com, "ID3D12Device", "CreateRenderTargetView", &texture.com, &raw const view, to.ptr);
        // Both are zeros first.
        list.clear_view(to, [0.0; 4], &[]);
    }
    for (plane, value) in VALUES.into_iter().enumerate() {
        let colour = [f32::from(value[0]) / 255.0, f32::from(value[1]) / 255.0, 0.0, 0.0];
        list.clear_view(views.cpu(plane as u32), colour, &[]);
        let channels = 1 + plane;
        let channel = kind.planes[plane].1 / channels;
        expected[plane] = (0..bytes(kind, plane)).map(|at| value[at / channel % channels]).collect();
        let got = texture.read(stage, list, State::RENDER_TARGET)?;
        for (seen, (got, expected)) in got.iter().zip(&expected).enumerate() {
            let what = format!("{}, plane {plane} cleared, plane {seen}", kind.name);
            Failure::unless_equal(&what, got, expected)?;
        }
    }
    Ok(())
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let (device, mut digest, mut random) = (&stage.device, Digest::new(), Random(420));
    let mut list = List::direct(device)?;
    for kind in KINDS {
        if support(stage, kind.format)?.0 & D3D12_FORMAT_SUPPORT1::RENDER_TARGET.0 != 0 {
            draw_to(stage, &mut list, &kind)?;
        }
        let desc = flat(kind.format, WIDTH, HEIGHT);
        let content = [0, 1].map(|plane| random.bytes(bytes(&kind, plane)));
        let source = Texture::of_planes(device, &desc, State::COPY_DEST, None, 2)?;
        let _upload = source.fill(device, &mut list, &content)?;
        list.transition(&source.com, State::COPY_DEST, State::COPY_SOURCE);
        let check = |what: &str, got: &[Vec<u8>], expected: &[Vec<u8>], digest: &mut Digest| {
            for (plane, (got, expected)) in got.iter().zip(expected).enumerate() {
                Failure::unless_equal(&format!("{}, {what}, plane {plane}", kind.name), got, expected)?;
                digest.add(got);
            }
            Ok::<(), Failure>(())
        };
        check("filled", &source.read(stage, &mut list, State::COPY_SOURCE)?, &content, &mut digest)?;

        let copy = Texture::of_planes(device, &desc, State::COPY_DEST, None, 2)?;
        call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &copy.com, &source.com);
        check("copied", &copy.read(stage, &mut list, State::COPY_DEST)?, &content, &mut digest)?;

        // By way of textures of the planes' own formats, planes of another texture.
        let parts = Texture::of_planes(device, &desc, State::COPY_DEST, None, 2)?;
        for (plane, (format, _)) in kind.planes.into_iter().enumerate() {
            let [width, height] = size(plane);
            let alone = Texture::new(device, &flat(format, width, height), State::COPY_DEST, None)?;
            list.copy_texture(&alone.part(0), [0; 3], &source.part(plane as u32), None);
            let got = alone.read(stage, &mut list, State::COPY_DEST)?;
            check("apart", &got, &content[plane..=plane], &mut digest)?;
            list.transition(&alone.com, State::COPY_DEST, State::COPY_SOURCE);
            list.copy_texture(&parts.part(plane as u32), [0; 3], &alone.part(0), None);
            stage.queue.run(&mut list)?;
        }
        check("put together", &parts.read(stage, &mut list, State::COPY_DEST)?, &content, &mut digest)?;

        let own = Texture::of_processor(device, &desc)?;
        let written = [0, 1].map(|plane| random.bytes(bytes(&kind, plane)));
        for (plane, bytes) in written.iter().enumerate() {
            let pitch = size(plane)[0] * kind.planes[plane].1 as u32;
            attempt!(own.com, "ID3D12Resource", "Map", plane as u32, Null, Null)?;
            let within = core::ptr::null::<D3D12_BOX>();
            let source = bytes.as_ptr();
            attempt!(own.com, "ID3D12Resource", "WriteToSubresource", plane as u32, within, source, pitch, 0u32)?;
            let mut got = vec![0u8; bytes.len()];
            let target = got.as_mut_ptr();
            attempt!(own.com, "ID3D12Resource", "ReadFromSubresource", target, pitch, 0u32, plane as u32, within)?;
            call!(own.com, "ID3D12Resource", "Unmap", plane as u32, Null);
            Failure::unless_equal(&format!("{}, plane {plane} of the processor's", kind.name), &got, bytes)?;
        }
        let seen = Texture::of_planes(device, &desc, State::COPY_DEST, None, 2)?;
        call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &seen.com, &own.com);
        check("of the processor's", &seen.read(stage, &mut list, State::COPY_DEST)?, &written, &mut digest)?;
    }
    Ok(digest)
}
