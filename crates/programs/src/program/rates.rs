//! `shading-rates`: pixels that are shaded together, at the rates of lists, bundles and images. `primitive-rates`: at those of
//! primitives, combined with the list's and the image's in every way. Of DXIL only.
//!
//! Each pixel says where the middle of its shaded area lies. So the picture follows from the rate alone: an area of W by H pixels
//! begins at multiples of W and H.

use super::Program;
use super::mesh;
use crate::com::{Com, Null, Word, call};
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
use crate::target::{Depth, Target};
use crate::texture::{Texture, flat};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D_SHADER_MODEL, D3D12_COMMAND_LIST_TYPE, D3D12_COMPARISON_FUNC,
    D3D12_DEPTH_WRITE_MASK, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS6, D3D12_FEATURE_DATA_D3D12_OPTIONS10,
    D3D12_RESOURCE_STATES as State, D3D12_SHADING_RATE as Rate, D3D12_SHADING_RATE_COMBINER as Combiner,
    D3D12_VARIABLE_SHADING_RATE_TIER as Tier, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "shading-rates", about: "pixels that are shaded together, by lists and images", run };
pub(super) const PRIMITIVES: Program =
    Program { name: "primitive-rates", about: "shading rates of primitives, combined with others", run: primitives };

const PIXEL: Shader = shader!("rates.pixel");
const DEEP: Shader = shader!("rates.deep");
const VERTEX: Shader = shader!("primitive_rates.vertex" dxil);
const TOLD: Shader = shader!("primitive_rates.told" dxil);
const MESH: Shader = shader!("primitive_rates.mesh" dxil);

/// Four squares of 32 pixels, which every size of tiles divides.
const SIZE: u32 = 64;
const SQUARE: u32 = 32;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const KEEP: [Combiner; 2] = [Combiner::PASSTHROUGH; 2];
/// Rates that every device has.
const RATES: [Rate; 4] = [Rate::RATE_1X1, Rate::RATE_1X2, Rate::RATE_2X1, Rate::RATE_2X2];
const LARGE: [Rate; 3] = [Rate::RATE_2X4, Rate::RATE_4X2, Rate::RATE_4X4];
const COMBINERS: [Combiner; 5] =
    [Combiner::PASSTHROUGH, Combiner::OVERRIDE, Combiner::MIN, Combiner::MAX, Combiner::SUM];

fn supported(stage: &Stage) -> Result<D3D12_FEATURE_DATA_D3D12_OPTIONS6, Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS6::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS6, &mut options);
    match known && options.VariableShadingRateTier >= Tier::TIER_2 {
        true => Ok(options),
        false => Err(Failure::Cannot("the library has no variable shading rates of tier 2".into())),
    }
}

/// Logarithms of width and height.
fn axes(rate: Rate) -> [u32; 2] {
    [rate.0 as u32 >> 2, rate.0 as u32 & 3]
}

/// What a combiner makes of two rates, by axis, where the largest is `most`.
fn combined(combiner: Combiner, a: [u32; 2], b: [u32; 2], most: u32) -> [u32; 2] {
    [0, 1].map(|axis| match combiner {
        Combiner::OVERRIDE => b[axis],
        Combiner::MIN => a[axis].min(b[axis]),
        Combiner::MAX => a[axis].max(b[axis]),
        Combiner::SUM => (a[axis] + b[axis]).min(most),
        _ => a[axis],
    })
}

/// The rate that pixels are shaded at: sums of one by four pixels are no rates, and become one by two.
fn shaded(rate: [u32; 2]) -> [u32; 2] {
    match rate {
        [0, 2] => [0, 1],
        [2, 0] => [1, 0],
        rate => rate,
    }
}

/// What the pixels of an area say that are shaded at a rate.
fn shade(picture: &mut Picture<[u32; 4]>, area: Area, [width, height]: [u32; 2]) {
    picture.draw(area, |x, y, pixel| {
        *pixel = [
            2 * (x >> width << width) + (1 << width),
            2 * (y >> height << height) + (1 << height),
            1 << width,
            1 << height,
        ];
    });
}

impl List {
    fn rate(&mut self, rate: Rate, combiners: Option<[Combiner; 2]>) -> Result<(), Failure> {
        let list = newer(self)?;
        let combiners = combiners.as_ref().map_or(core::ptr::null(), |both| both.as_ptr());
        call!(list, "ID3D12GraphicsCommandList5", "RSSetShadingRate", rate.0, combiners);
        Ok(())
    }

    fn rate_image(&mut self, image: Option<&Texture>) -> Result<(), Failure> {
        let list = newer(self)?;
        let image = image.map_or(Word::from(Null), |image| Word::from(&image.com));
        call!(list, "ID3D12GraphicsCommandList5", "RSSetShadingRateImage", image);
        Ok(())
    }
}

fn newer(list: &List) -> Result<Com, Failure> {
    const LIST: InterfaceId = interface("ID3D12GraphicsCommandList5");
    list.com.query(LIST).ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList5".into()))
}

/// The squares of the picture: left to right, then down.
fn squares() -> [Area; 4] {
    [0, 1, 2, 3].map(|number| Area::at(number % 2 * SQUARE, number / 2 * SQUARE, SQUARE, SQUARE))
}

/// An image of rates, one for each square, ready to be used. The list must be executed while what comes with it lives.
fn image(
    stage: &Stage,
    list: &mut List,
    tile: u32,
    rates: [Rate; 4],
) -> Result<(Texture, crate::buffer::Buffer), Failure> {
    let side = SIZE / tile;
    let desc = flat(DXGI_FORMAT::FORMAT_R8_UINT, side, side);
    let texture = Texture::new(&stage.device, &desc, State::COPY_DEST, None)?;
    let rate = |at: u32| rates[(at % side * tile / SQUARE + at / side * tile / SQUARE * 2) as usize].0 as u8;
    let upload = texture.fill(&stage.device, list, &[(0..side * side).map(rate).collect()])?;
    list.transition(&texture.com, State::COPY_DEST, State::SHADING_RATE_SOURCE);
    Ok((texture, upload))
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let options = supported(stage)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let vertex = shader!("rectangle.vertex");
    let desc = plain(stage, &root, &vertex, &PIXEL, &[FORMAT]);
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let mut desc = plain(stage, &root, &vertex, &DEEP, &[FORMAT]);
    desc.DSVFormat = DXGI_FORMAT::FORMAT_D32_FLOAT;
    let test = &mut desc.DepthStencilState;
    (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
    test.DepthFunc = D3D12_COMPARISON_FUNC::ALWAYS;
    let deep = Pipeline::graphics(stage, &desc)?;
    let depth = Depth::new(device, DXGI_FORMAT::FORMAT_D32_FLOAT, DXGI_FORMAT::FORMAT_D32_FLOAT, SIZE, SIZE)?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let whole = |area: Area| Rectangle::new(area, SIZE, [0; 4]);
    let begin = |list: &mut List| {
        list.set_graphics_root(&root);
        list.targets(&[&target], None);
        list.square(SIZE);
        list.set_pipeline(&pipeline);
    };

    // Each square at a rate of the list's, and the last one again by a bundle.
    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    bundle.set_graphics_root(&root);
    bundle.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    bundle.set_pipeline(&pipeline);
    bundle.rate(Rate::RATE_2X1, Some(KEEP))?;
    bundle.rectangle(&whole(squares()[3]));
    bundle.close()?;
    let mut model = Picture::new(SIZE, SIZE, [0; 4]);
    begin(&mut list);
    for (rate, area) in RATES.into_iter().zip(squares()) {
        list.rate(rate, (rate != Rate::RATE_2X1).then_some(KEEP))?;
        list.rectangle(&whole(area));
        shade(&mut model, area, axes(rate));
    }
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    shade(&mut model, squares()[3], axes(Rate::RATE_2X1));
    target.check(stage, &mut list, "rates of lists", &model, &mut digest)?;

    // A list begins at 1x1, and goes back to it.
    begin(&mut list);
    list.rectangle(&whole(squares()[0]));
    shade(&mut model, squares()[0], [0, 0]);
    list.rate(Rate::RATE_2X2, None)?;
    call!(list.com, "ID3D12GraphicsCommandList", "ClearState", &pipeline.com);
    begin(&mut list);
    list.rectangle(&whole(squares()[1]));
    shade(&mut model, squares()[1], [0, 0]);
    // A shader that gives depth runs for every pixel; the next one does not.
    list.rate(Rate::RATE_2X2, None)?;
    list.targets(&[&target], Some(&depth));
    list.set_pipeline(&deep);
    list.rectangle(&whole(squares()[2]));
    shade(&mut model, squares()[2], [0, 0]);
    list.targets(&[&target], None);
    list.set_pipeline(&pipeline);
    list.rectangle(&whole(squares()[3]));
    shade(&mut model, squares()[3], [1, 1]);
    target.check(stage, &mut list, "rates that are lost", &model, &mut digest)?;

    // An image, another one, and none, within one list.
    let tile = options.ShadingRateImageTileSize;
    if ![8, 16, 32].contains(&tile) {
        return Err(Failure::Wrong(format!("tiles of {tile} pixels")));
    }
    let (first, _kept) = image(stage, &mut list, tile, RATES)?;
    let mut turned = RATES;
    turned.reverse();
    let (second, _also) = image(stage, &mut list, tile, turned)?;
    for combiner in &COMBINERS[..4] {
        begin(&mut list);
        let rows = [(Some(&first), RATES), (Some(&second), turned), (None, [Rate::RATE_1X1; 4])];
        list.rate(Rate::RATE_2X1, Some([Combiner::PASSTHROUGH, *combiner]))?;
        for (number, (image, rates)) in rows.into_iter().enumerate() {
            list.rate_image(image)?;
            let part = Area::at(0, number as u32 * 20, SIZE, 20);
            list.rectangle(&whole(part));
            for (area, rate) in squares().into_iter().zip(rates) {
                let rate = combined(*combiner, axes(Rate::RATE_2X1), axes(rate), 2);
                shade(&mut model, area.within(part), rate);
            }
        }
        target.check(stage, &mut list, &format!("images, {combiner:?}"), &model, &mut digest)?;
    }
    // What not every device has is in no digest.
    if options.AdditionalShadingRatesSupported != 0 {
        begin(&mut list);
        for (rate, area) in LARGE.into_iter().zip(squares()) {
            list.rate(rate, None)?;
            list.rectangle(&whole(area));
            shade(&mut model, area, axes(rate));
        }
        target.check(stage, &mut list, "large rates", &model, &mut Digest::new())?;
    }
    Ok(digest)
}

fn primitives(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_4)?;
    let options = supported(stage)?;
    let mut sums = D3D12_FEATURE_DATA_D3D12_OPTIONS10::default();
    stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS10, &mut sums);
    let most = if options.AdditionalShadingRatesSupported != 0 { 2 } else { 1 };
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let desc = plain(stage, &root, &VERTEX, &TOLD, &[FORMAT]);
    let vertices = Pipeline::graphics(stage, &desc)?;
    let meshes = match mesh::supported(stage).is_ok() && sums.MeshShaderPerPrimitiveShadingRateSupported != 0 {
        true => Some(Pipeline::of_meshes(stage, &desc, None, &MESH)?),
        false => None,
    };
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    let (image, _kept) = image(stage, &mut list, options.ShadingRateImageTileSize, RATES)?;
    let mut digest = Digest::new();
    for first in COMBINERS {
        for second in COMBINERS {
            let adds = [first, second].contains(&Combiner::SUM);
            if adds && sums.VariableRateShadingSumCombinerSupported == 0 {
                continue;
            }
            let mut model = Picture::new(SIZE, SIZE, [0; 4]);
            list.set_graphics_root(&root);
            list.targets(&[&target], None);
            list.square(SIZE);
            list.rate_image(Some(&image))?;
            list.rate(Rate::RATE_1X2, Some([first, second]))?;
            // A quarter of the picture's height for each rate of primitives, the second half of them by mesh shaders.
            for (number, own) in (0..).zip(RATES) {
                let part = Area::at(0, number * 16, SIZE, 16);
                let rectangle = Rectangle { choice: own.0 as u32, ..Rectangle::new(part, SIZE, [0; 4]) };
                match meshes.as_ref().filter(|_| number >= 2) {
                    Some(meshes) => {
                        list.set_pipeline(meshes);
                        list.graphics_constants(0, &rectangle.words());
                        list.dispatch_mesh(1, 1, 1)?;
                    }
                    None => {
                        list.set_pipeline(&vertices);
                        list.rectangle(&rectangle);
                    }
                }
                let drawn = combined(first, axes(Rate::RATE_1X2), axes(own), most);
                for (area, rate) in squares().into_iter().zip(RATES) {
                    let rate = shaded(combined(second, drawn, axes(rate), most));
                    shade(&mut model, area.within(part), rate);
                }
            }
            // Sums depend on the device: they are in no digest.
            let mut none = Digest::new();
            let digest = if adds { &mut none } else { &mut digest };
            target.check(stage, &mut list, &format!("{first:?}, then {second:?}"), &model, digest)?;
        }
    }
    Ok(digest)
}
