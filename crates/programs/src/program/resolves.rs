//! `resolves`: four samples a pixel become one, the least, the greatest or their mean: of floats, bytes, numbers, depth and
//! stencil, whole and in part.

use super::Program;
use crate::com::{Com, Null, Word, call};
use crate::digest::Digest;
use crate::draw::{Rectangle, rect};
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::{Texel, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_DEPTH_WRITE_MASK, D3D12_RESOLVE_MODE as Mode, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State, D3D12_STENCIL_OP, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program = Program {
    name: "resolves",
    about: "the least, greatest and mean of samples: colours, numbers, depth, stencil",
    run,
};

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const NUMBER: Shader = shader!("rectangle.number");
const NOTHING: Shader = shader!("rectangle.nothing");
const SIZE: u32 = 16;
const SAMPLES: u32 = 4;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;
const ALL: &[Mode] = &[Mode::MIN, Mode::MAX, Mode::AVERAGE];
/// What integers have: the API takes no mean of them.
const ORDER: &[Mode] = &[Mode::MIN, Mode::MAX];

/// Each quarter's place.
const QUARTERS: [Area; 4] = [Area::at(0, 0, 8, 8), Area::at(8, 0, 8, 8), Area::at(0, 8, 8, 8), Area::at(8, 8, 8, 8)];

/// What a sample of a quarter has, from 0 to 63; the mean of four is a whole number.
const fn value(quarter: usize, sample: u32) -> u32 {
    16 * quarter as u32 + 4 * (sample ^ 1)
}

/// What becomes of a quarter.
fn resolved(mode: Mode, quarter: usize) -> u32 {
    let samples = (0..SAMPLES).map(|sample| value(quarter, sample));
    match mode {
        Mode::MIN => samples.min().unwrap_or_default(),
        Mode::MAX => samples.max().unwrap_or_default(),
        _ => samples.sum::<u32>() / SAMPLES,
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut list = List::direct(&stage.device)?;
    let mut scene = Scene {
        root: RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?,
        newer: list
            .com
            .query(interface("ID3D12GraphicsCommandList1"))
            .ok_or_else(|| Failure::Cannot("the list has no interface that resolves parts".into()))?,
        stage,
        digest: Digest::new(),
    };
    let float = |value: u32| value as f32 / 64.0;
    let byte = |value: u32| f32::from(value as u8) / 255.0;
    type Format = DXGI_FORMAT;
    scene.colours(&mut list, Format::FORMAT_R32_FLOAT, &COLOUR, ALL, |value| float(value).to_bits(), float)?;
    let four = |value: u32| [value as u8; 4];
    scene.colours(&mut list, Format::FORMAT_R8G8B8A8_UNORM, &COLOUR, ALL, |value| byte(value).to_bits(), four)?;
    scene.colours(&mut list, Format::FORMAT_R32_UINT, &NUMBER, ORDER, |value| value << 24, |value| value << 24)?;
    scene.depth(&mut list)?;
    Ok(scene.digest)
}

struct Scene<'a> {
    stage: &'a Stage,
    root: RootSignature,
    /// The list as the interface that resolves parts.
    newer: Com,
    digest: Digest,
}

impl Scene<'_> {
    /// Of colours: `drawn` are a value's bits for the pixel shader, `stored` is its texel.
    fn colours<T: Texel>(
        &mut self,
        list: &mut List,
        format: DXGI_FORMAT,
        shader: &Shader,
        modes: &[Mode],
        drawn: impl Fn(u32) -> u32,
        stored: impl Fn(u32) -> T,
    ) -> Result<(), Failure> {
        let device = &self.stage.device;
        let target = Target::sampled(device, format, SIZE, SIZE, SAMPLES)?;
        list.set_graphics_root(&self.root);
        list.targets(&[&target], None);
        list.square(SIZE);
        list.clear_target(&target, [0.0; 4], &[]);
        let mut kept = Vec::new();
        for sample in 0..SAMPLES {
            let mut desc = plain(self.stage, &self.root, &VERTEX, shader, &[format]);
            (desc.SampleDesc.Count, desc.SampleMask) = (SAMPLES, 1 << sample);
            let pipeline = Pipeline::graphics(self.stage, &desc)?;
            list.set_pipeline(&pipeline);
            for (quarter, area) in QUARTERS.into_iter().enumerate() {
                list.rectangle(&Rectangle::new(area, SIZE, [drawn(value(quarter, sample)); 4]));
            }
            kept.push(pipeline);
        }
        list.transition(&target.texture.com, State::RENDER_TARGET, State::RESOLVE_SOURCE);
        let mut desc = flat(format, SIZE, SIZE);
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
        let to = Texture::new(device, &desc, State::RESOLVE_DEST, None)?;
        for &mode in modes {
            self.check(list, (&to, 0, format), &target.texture.com, mode, &stored)?;
        }
        Ok(())
    }

    fn depth(&mut self, list: &mut List) -> Result<(), Failure> {
        let device = &self.stage.device;
        let samples = Depth::sampled(device, DEPTH, DEPTH, SIZE, SIZE, SAMPLES)?;
        list.set_graphics_root(&self.root);
        list.targets(&[], Some(&samples));
        list.square(SIZE);
        let mut kept = Vec::new();
        for sample in 0..SAMPLES {
            let mut desc = plain(self.stage, &self.root, &VERTEX, &NOTHING, &[]);
            (desc.SampleDesc.Count, desc.SampleMask, desc.DSVFormat) = (SAMPLES, 1 << sample, DEPTH);
            let test = &mut desc.DepthStencilState;
            (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
            (test.DepthFunc, test.StencilEnable) = (D3D12_COMPARISON_FUNC::ALWAYS, 1);
            test.FrontFace.StencilPassOp = D3D12_STENCIL_OP::REPLACE;
            test.BackFace.StencilPassOp = D3D12_STENCIL_OP::REPLACE;
            let pipeline = Pipeline::graphics(self.stage, &desc)?;
            list.set_pipeline(&pipeline);
            for (quarter, area) in QUARTERS.into_iter().enumerate() {
                let value = value(quarter, sample);
                list.stencil_reference(value);
                list.rectangle(&Rectangle { depth: value as f32 / 64.0, ..Rectangle::new(area, SIZE, [0; 4]) });
            }
            kept.push(pipeline);
        }
        list.transition(&samples.texture.com, State::DEPTH_WRITE, State::RESOLVE_SOURCE);
        let mut desc = flat(DEPTH, SIZE, SIZE);
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
        let to = Texture::of_planes(device, &desc, State::RESOLVE_DEST, None, 2)?;
        let (depth, stencil) =
            (DXGI_FORMAT::FORMAT_R32_FLOAT_X8X24_TYPELESS, DXGI_FORMAT::FORMAT_X32_TYPELESS_G8X24_UINT);
        for &mode in ALL {
            self.check(list, (&to, 0, depth), &samples.texture.com, mode, |value| value as f32 / 64.0)?;
        }
        for &mode in ORDER {
            self.check(list, (&to, 1, stencil), &samples.texture.com, mode, |value| value as u8)?;
        }
        Ok(())
    }

    /// Resolves all of a plane and then a part to another place, and compares.
    fn check<T: Texel>(
        &mut self,
        list: &mut List,
        (to, plane, format): (&Texture, u32, DXGI_FORMAT),
        from: &Com,
        mode: Mode,
        stored: impl Fn(u32) -> T,
    ) -> Result<(), Failure> {
        let mut model = Picture::new(SIZE, SIZE, stored(0));
        for (quarter, area) in QUARTERS.into_iter().enumerate() {
            model.fill(area, stored(resolved(mode, quarter)));
        }
        let whole = model.clone();
        self.resolve(list, (to, plane, [0, 0]), from, None, format, mode);
        let part = Area::at(2, 3, 9, 7);
        self.resolve(list, (to, plane, [5, 6]), from, Some(part), format, mode);
        model.draw(Area::at(5, 6, 9, 7), |x, y, texel| *texel = whole.at(x - 3, y - 3));
        let got = to.read(self.stage, list, State::RESOLVE_DEST)?;
        let bytes = &got[plane as usize];
        model.check(&format!("mode {} of format {}", mode.0, format.0), &texels(bytes))?;
        self.digest.add(bytes);
        Ok(())
    }

    fn resolve(
        &self,
        list: &mut List,
        (to, plane, [x, y]): (&Texture, u32, [u32; 2]),
        from: &Com,
        part: Option<Area>,
        format: DXGI_FORMAT,
        mode: Mode,
    ) {
        // What came before to the same place.
        list.transition(&to.com, State::RESOLVE_DEST, State::COPY_SOURCE);
        list.transition(&to.com, State::COPY_SOURCE, State::RESOLVE_DEST);
        let part = part.map(rect);
        let part = part.as_ref().map_or(Word::from(Null), |part| (&raw const *part).into());
        call!(
            self.newer,
            "ID3D12GraphicsCommandList1",
            "ResolveSubresourceRegion",
            &to.com,
            plane,
            x,
            y,
            from,
            plane,
            part,
            format.0,
            mode.0
        );
    }
}
