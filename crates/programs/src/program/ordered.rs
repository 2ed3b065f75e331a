//! `ordered-views`: rectangles over one another, whose pixel shader reads and writes a texture in the order of the draws.

use super::Program;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "ordered-views", about: "pixel shaders that write a texture in the order of the draws", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const PIXEL: Shader = shader!("ordered.pixel");
const SIZE: u32 = 64;
const DRAWS: u32 = 100;
const TARGET: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    if device.options().ROVsSupported == 0 {
        return Err(Failure::Cannot("the library has no rasteriser-ordered views".into()));
    }
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&[Range::uav(0, 1)])], &[])?;
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &PIXEL, &[TARGET]))?;
    let target = Target::new(device, TARGET, SIZE, SIZE)?;
    let mut desc = flat(DXGI_FORMAT::FORMAT_R32_UINT, SIZE, SIZE);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let mut list = List::direct(device)?;
    let (copied, ordered) = (D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::UNORDERED_ACCESS);
    let texture = Texture::new(device, &desc, copied, None)?;
    let _upload = texture.fill(device, &mut list, &[vec![0; (4 * SIZE * SIZE) as usize]])?;
    list.transition(&texture.com, copied, ordered);
    let views = Heap::visible(device, 1)?;
    let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: desc.Format,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    views.uav(0, &texture.com, &view);

    list.set_heap(&views);
    list.set_graphics_root(&root);
    list.graphics_table(1, views.gpu(0));
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.set_pipeline(&pipeline);
    let (mut model, mut drawn) = (Picture::new(SIZE, SIZE, 0u32), Picture::new(SIZE, SIZE, [0u32; 4]));
    let mut random = Random(12);
    for _ in 0..DRAWS {
        let (x, y, value) = (random.below(SIZE / 2), random.below(SIZE / 2), random.next());
        let area =
            Area::at(x, y, 1 + random.below(SIZE - x), 1 + random.below(SIZE - y)).within(Area::at(0, 0, SIZE, SIZE));
        list.rectangle(&Rectangle::new(area, SIZE, [value; 4]));
        model.draw(area, |_, _, texel| *texel = texel.wrapping_mul(5).wrapping_add(value));
        drawn.fill(area, [value; 4]);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "the target", &drawn, &mut digest)?;
    let bytes = texture.read(stage, &mut list, ordered)?;
    model.check("texels in the order of the draws", &texels(&bytes[0]))?;
    digest.add(&bytes[0]);
    Ok(digest)
}
