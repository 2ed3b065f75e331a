//! `clear-orders`: clears of one texture by several views, before draws and before none. The last clear of a texel counts, whatever is bound then.

use super::Program;
use crate::com::call;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "clear-orders", about: "clears of the same texels by several views, in every order", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R16G16B16A16_UINT;
const SIZE: u32 = 8;
const SLICES: u16 = 3;
/// The view of all slices; those of one each come before it.
const ALL: u32 = SLICES as u32;
/// What is drawn.
const AREA: Area = Area::at(2, 1, 4, 3);
const DRAWN: [u32; 4] = [100, 200, 300, 400];

/// Clears in order, each of a view to a number, whole or by a rectangle of all texels; and the view that is drawn to, if one is.
struct Order {
    clears: &'static [(u32, u16, bool)],
    drawn: Option<u32>,
}

const ORDERS: [Order; 8] = [
    Order { clears: &[(ALL, 4, false), (1, 9, false)], drawn: Some(ALL) },
    Order { clears: &[(1, 9, false), (ALL, 4, false)], drawn: Some(ALL) },
    Order { clears: &[(ALL, 4, false), (1, 9, false), (ALL, 7, false)], drawn: Some(2) },
    Order { clears: &[(1, 9, false), (ALL, 4, false), (1, 5, false)], drawn: Some(1) },
    Order { clears: &[(0, 1, false), (1, 2, false), (2, 3, false), (0, 4, false)], drawn: Some(1) },
    Order { clears: &[(ALL, 6, true), (2, 8, true)], drawn: Some(2) },
    Order { clears: &[(ALL, 6, true), (1, 3, false)], drawn: None },
    Order { clears: &[(1, 3, false), (1, 4, false), (ALL, 5, true), (0, 6, false)], drawn: None },
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &NUMBER, &[FORMAT]))?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let mut desc = flat(FORMAT, SIZE, SIZE);
    desc.DepthOrArraySize = SLICES;
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    let state = D3D12_RESOURCE_STATES::RENDER_TARGET;
    for (number, order) in ORDERS.iter().enumerate() {
        let texture = Texture::new(device, &desc, state, None)?;
        let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, ALL + 1, false)?;
        for view in 0..=ALL {
            let (first, count) = if view == ALL { (0, ALL) } else { (view, 1) };
            let mut desc = D3D12_RENDER_TARGET_VIEW_DESC {
                Format: FORMAT,
                ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2DARRAY,
                ..Default::default()
            };
            desc.Anonymous.Texture2DArray =
                D3D12_TEX2D_ARRAY_RTV { MipSlice: 0, FirstArraySlice: first, ArraySize: count, PlaneSlice: 0 };
            let at = heap.cpu(view);
            call!(device.com, "ID3D12Device", "CreateRenderTargetView", &texture.com, &raw const desc, at.ptr);
        }
        let mut expected: Vec<Picture<[u16; 4]>> = (0..ALL).map(|_| Picture::new(SIZE, SIZE, [0; 4])).collect();
        for (view, value, by_rectangle) in order.clears {
            let whole = Area::at(0, 0, SIZE, SIZE);
            let rects: &[Area] = if *by_rectangle { &[whole] } else { &[] };
            list.clear_view(heap.cpu(*view), [f32::from(*value); 4], rects);
            let cleared = if *view == ALL { 0..ALL as usize } else { *view as usize..*view as usize + 1 };
            expected[cleared].iter_mut().for_each(|slice| *slice = Picture::new(SIZE, SIZE, [*value; 4]));
        }
        if let Some(view) = order.drawn {
            list.set_graphics_root(&root);
            list.set_pipeline(&pipeline);
            list.target_views(&[heap.cpu(view)], None);
            list.square(SIZE);
            list.rectangle(&Rectangle::new(AREA, SIZE, DRAWN));
            // Shaders that choose no layer draw to the first one of the view.
            let slice = if view == ALL { 0 } else { view as usize };
            expected[slice].fill(AREA, DRAWN.map(|part| part as u16));
        }
        for (slice, (got, expected)) in texture.read(stage, &mut list, state)?.iter().zip(&expected).enumerate() {
            expected.check(&format!("order {number}, slice {slice}"), &texels(got))?;
            digest.add(got);
        }
    }
    Ok(digest)
}
