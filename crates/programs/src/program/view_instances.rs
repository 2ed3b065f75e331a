//! `view-locations`: draws for views that differ in their viewports and layers only. `view-instances`: shaders of each stage that
//! know their view, masks from lists and bundles, indirect draws, and layers that shaders give. Of DXIL only.

use super::Program;
use super::mesh;
use crate::buffer::Buffer;
use crate::com::call;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::{Pipeline, bytecode};
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::texels;
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D_SHADER_MODEL, D3D12_COMMAND_LIST_TYPE, D3D12_FEATURE,
    D3D12_FEATURE_DATA_D3D12_OPTIONS3, D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_RECT,
    D3D12_RESOURCE_STATES as State, D3D12_VIEW_INSTANCE_LOCATION, D3D12_VIEW_INSTANCING_DESC,
    D3D12_VIEW_INSTANCING_FLAGS as Flags, D3D12_VIEW_INSTANCING_TIER as Tier, D3D12_VIEWPORT, DXGI_FORMAT,
};

pub(super) const LOCATIONS: Program =
    Program { name: "view-locations", about: "views that differ in where they are drawn to", run: locations };
pub(super) const PROGRAM: Program =
    Program { name: "view-instances", about: "shaders that know their view, and masks of views", run };

const VERTEX: Shader = shader!("view_instances.vertex" dxil);
const PLACED: Shader = shader!("view_instances.placed" dxil);
const GEOMETRY: Shader = shader!("view_instances.geometry" dxil);
const MESH: Shader = shader!("view_instances.mesh" dxil);
const PIXEL: Shader = shader!("view_instances.pixel" dxil);

const SIZE: u32 = 64;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const LAYERS: u16 = 4;
/// The second one halves everything.
const VIEWPORTS: [Area; 2] = [Area::at(0, 0, SIZE, SIZE), Area::at(32, 32, 32, 32)];
/// Viewport and layer of each view.
const VIEWS: [[u32; 2]; 4] = [[0, 2], [1, 0], [0, 3], [1, 2]];
/// Viewport and first layer where shaders add to the layer of each view.
const SECOND: [[u32; 2]; 2] = [[0, 1], [1, 1]];

fn supported(stage: &Stage, tier: Tier) -> Result<(), Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS3::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS3, &mut options);
    match known && options.ViewInstancingTier >= tier {
        true => Ok(()),
        false => Err(Failure::Cannot(format!("the library has no view instancing of tier {}", tier.0))),
    }
}

/// Views, as a description of them lasts.
struct Views(Vec<D3D12_VIEW_INSTANCE_LOCATION>);

impl Views {
    fn new(places: &[[u32; 2]]) -> Self {
        let place = |[viewport, layer]: &[u32; 2]| D3D12_VIEW_INSTANCE_LOCATION {
            ViewportArrayIndex: *viewport,
            RenderTargetArrayIndex: *layer,
        };
        Self(places.iter().map(place).collect())
    }

    fn desc(&self, masked: bool) -> D3D12_VIEW_INSTANCING_DESC {
        D3D12_VIEW_INSTANCING_DESC {
            ViewInstanceCount: self.0.len() as u32,
            pViewInstanceLocations: self.0.as_ptr(),
            Flags: if masked { Flags::ENABLE_VIEW_INSTANCE_MASKING } else { Flags::NONE },
        }
    }
}

impl List {
    /// Both viewports, with scissors that cut nothing off, and strips of triangles.
    fn two_viewports(&mut self) {
        let viewports = VIEWPORTS.map(|area| D3D12_VIEWPORT {
            TopLeftX: area.left as f32,
            TopLeftY: area.top as f32,
            Width: (area.right - area.left) as f32,
            Height: (area.bottom - area.top) as f32,
            MinDepth: 0.0,
            MaxDepth: 1.0,
        });
        let rect = D3D12_RECT { left: 0, top: 0, right: SIZE as i32, bottom: SIZE as i32 };
        let rects = [rect; 2];
        call!(self.com, "ID3D12GraphicsCommandList", "RSSetViewports", 2u32, viewports.as_ptr());
        call!(self.com, "ID3D12GraphicsCommandList", "RSSetScissorRects", 2u32, rects.as_ptr());
        self.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    }

    fn view_mask(&mut self, mask: u32) -> Result<(), Failure> {
        const LIST: InterfaceId = interface("ID3D12GraphicsCommandList1");
        let list = self.com.query(LIST);
        let list = list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList1".into()))?;
        call!(list, "ID3D12GraphicsCommandList1", "SetViewInstanceMask", mask);
        Ok(())
    }
}

/// The layers as they should be.
struct Model([Picture<[u32; 4]>; LAYERS as usize]);

impl Model {
    fn new() -> Self {
        Self([(); LAYERS as usize].map(|()| Picture::new(SIZE, SIZE, [0; 4])))
    }

    /// An area of the viewport that a place names, in a layer behind the place's.
    fn fill(&mut self, [viewport, layer]: [u32; 2], behind: u32, area: Area, colour: [u32; 4]) {
        let Area { left, top, right, bottom } = area;
        let area = match viewport {
            0 => area,
            _ => Area { left: 32 + left / 2, top: 32 + top / 2, right: 32 + right / 2, bottom: 32 + bottom / 2 },
        };
        self.0[(layer + behind) as usize].fill(area.within(VIEWPORTS[0]), colour);
    }

    /// What shaders draw that know their view; `rows`: how much lower each view is.
    fn views(&mut self, places: &[[u32; 2]], mask: u32, behind: u32, rectangle: &Rectangle, rows: u32) {
        for (view, place) in (0..).zip(places).filter(|(view, _)| mask & 1 << view != 0) {
            let Area { left, top, right, bottom } = rectangle.area;
            let (over, down) = (8 * view, rows * view);
            let area = Area { left: left + over, top: top + down, right: right + over, bottom: bottom + down };
            let [first, second, third, _] = rectangle.value;
            self.fill(*place, behind, area, [first + view, second, third, view]);
        }
    }

    fn check(&self, stage: &Stage, list: &mut List, target: &Target) -> Result<Digest, Failure> {
        let got = target.texture.read(stage, list, State::RENDER_TARGET)?;
        let mut digest = Digest::new();
        for (layer, expected) in self.0.iter().enumerate() {
            expected.check(&format!("layer {layer}"), &texels(&got[layer]))?;
            digest.add(&got[layer]);
        }
        Ok(digest)
    }
}

fn locations(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage, Tier::TIER_1)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, number) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
    let desc = plain(stage, &root, &vertex, &number, &[FORMAT]);
    let (views, one) = (Views::new(&VIEWS), Views::new(&[[1, 3]]));
    let alone = Pipeline::graphics(stage, &desc)?;
    let all = Pipeline::of_views(stage, &desc, &views.desc(false))?;
    let masked = Pipeline::of_views(stage, &desc, &views.desc(true))?;
    let single = Pipeline::of_views(stage, &desc, &one.desc(false))?;
    let mut list = List::direct(device)?;
    let target = Target::layered(device, FORMAT, SIZE, SIZE, LAYERS)?;
    let mut model = Model::new();
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.clear_target(&target, [0.0; 4], &[]);
    list.two_viewports();
    let area = |number: u32| Area::at(number * 8, number * 4, 6, 10);
    let mut draw = |list: &mut List, pipeline: &Pipeline, number: u32, places: &[[u32; 2]], mask: u32| {
        let colour = [number + 1, number * number, 7, 9];
        list.set_pipeline(pipeline);
        list.rectangle(&Rectangle::new(area(number), SIZE, colour));
        for (_, place) in places.iter().enumerate().filter(|(view, _)| mask & 1 << view != 0) {
            model.fill(*place, 0, area(number), colour);
        }
    };
    // The mask is 0 at first; pipelines that do not ask ignore it.
    draw(&mut list, &all, 0, &VIEWS, 15);
    draw(&mut list, &masked, 1, &VIEWS, 0);
    draw(&mut list, &alone, 2, &[[0, 0]], 1);
    list.view_mask(0b0110)?;
    draw(&mut list, &masked, 3, &VIEWS, 0b0110);
    draw(&mut list, &single, 4, &[[1, 3]], 1);
    draw(&mut list, &all, 5, &VIEWS, 15);
    // Bits beyond the views mean nothing.
    list.view_mask(0xffff_fff8)?;
    draw(&mut list, &masked, 6, &VIEWS, 0b1000);
    model.check(stage, &mut list, &target)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_1)?;
    // Shaders give layers, too.
    supported(stage, Tier::TIER_2)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let desc = plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT]);
    let (views, second) = (Views::new(&VIEWS), Views::new(&SECOND));
    // Without views there is only view 0.
    let alone = Pipeline::graphics(stage, &desc)?;
    let masked = Pipeline::of_views(stage, &desc, &views.desc(true))?;
    let mut given = plain(stage, &root, &PLACED, &PIXEL, &[FORMAT]);
    let placed = Pipeline::of_views(stage, &given, &second.desc(false))?;
    given.GS = bytecode(stage.shader(&GEOMETRY));
    let geometry = Pipeline::of_views(stage, &given, &second.desc(false))?;

    let rectangle = |number: u32| {
        let area = Area::at(number % 4 * 12, number / 4 * 20, 6, 14);
        Rectangle::new(area, SIZE, [100 * number, number, number * number, 0])
    };
    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    bundle.set_graphics_root(&root);
    bundle.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    bundle.set_pipeline(&masked);
    // A bundle begins without views.
    bundle.rectangle(&rectangle(2));
    bundle.view_mask(0b0101)?;
    bundle.rectangle(&rectangle(3));
    bundle.close()?;

    let signature = CommandSignature::new(device, None, &[argument(Argument::DRAW)], 16)?;
    let arguments = Buffer::uploaded(device, &[4, 1, 0, 0])?;
    let mut list = List::direct(device)?;
    let target = Target::layered(device, FORMAT, SIZE, SIZE, LAYERS)?;
    let mut model = Model::new();
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.clear_target(&target, [0.0; 4], &[]);
    list.two_viewports();
    list.set_pipeline(&alone);
    list.rectangle(&rectangle(0));
    model.views(&[[0, 0]], 1, 0, &rectangle(0), 0);
    list.set_pipeline(&masked);
    list.view_mask(0b1011)?;
    list.rectangle(&rectangle(1));
    model.views(&VIEWS, 0b1011, 0, &rectangle(1), 0);
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    model.views(&VIEWS, 0b0101, 0, &rectangle(3), 0);
    // What the bundle set stays.
    list.graphics_constants(0, &rectangle(4).words());
    list.execute_indirect(&signature, 1, (&arguments, 0), None);
    model.views(&VIEWS, 0b0101, 0, &rectangle(4), 0);
    // Layers that shaders give are added.
    list.set_pipeline(&placed);
    list.rectangle(&Rectangle { choice: 2, ..rectangle(5) });
    model.views(&SECOND, 3, 2, &rectangle(5), 0);
    list.set_pipeline(&geometry);
    list.rectangle(&Rectangle { choice: 1, ..rectangle(6) });
    model.views(&SECOND, 3, 1, &rectangle(6), 2);
    // Lists hold no references: the pipeline lives until the list has run.
    let meshes;
    if mesh::supported(stage).is_ok() {
        let desc = plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT]);
        meshes = Pipeline::of_mesh_views(stage, &desc, &MESH, &views.desc(true))?;
        list.set_pipeline(&meshes);
        list.view_mask(0b0111)?;
        list.graphics_constants(0, &rectangle(8).words());
        list.dispatch_mesh(1, 1, 1)?;
    } else {
        list.set_pipeline(&masked);
        list.view_mask(0b0111)?;
        list.rectangle(&rectangle(8));
    }
    model.views(&VIEWS, 0b0111, 0, &rectangle(8), 0);
    model.check(stage, &mut list, &target)
}
