//! `generic-programs`: graphics pipelines that are programs of state objects, by lists and a bundle, of vertices and of meshes. What a program does not list has the
//! API's defaults; an addition names shaders of the state object that it grows from. Of DXIL only.

use super::{Program, mesh};
use crate::com::{Com, call};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::state_object::{Part, StateObject};
use crate::target::Target;
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D_SHADER_MODEL, D3D12_BLEND as Factor, D3D12_BLEND_DESC,
    D3D12_BLEND_OP as Op, D3D12_COMMAND_LIST_TYPE, D3D12_CULL_MODE, D3D12_FILL_MODE, D3D12_LOGIC_OP,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_PROGRAM_IDENTIFIER, D3D12_PROGRAM_TYPE, D3D12_RASTERIZER_DESC2,
    D3D12_RENDER_TARGET_BLEND_DESC, D3D12_SET_GENERIC_PIPELINE_DESC, D3D12_SET_PROGRAM_DESC, D3D12_STATE_OBJECT_FLAGS,
    D3D12_STATE_OBJECT_TYPE, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "generic-programs", about: "graphics pipelines that are programs of state objects", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const SIZE: u32 = 64;

type Colour = [u8; 4];

const RED: Colour = [200, 10, 0, 255];
const BLUE: Colour = [20, 30, 150, 0];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_8)?;
    let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
    let (added, masked) = (blend(1, 15), blend(0, 5));
    let culled = D3D12_RASTERIZER_DESC2 {
        FillMode: D3D12_FILL_MODE::SOLID,
        CullMode: D3D12_CULL_MODE::FRONT,
        DepthClipEnable: 1,
        ..Default::default()
    };
    let triangles = Part::Topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE);
    // The pixel shader keeps the name of its entry point, and the other one is renamed without being named.
    let parts = [
        Part::Flags(D3D12_STATE_OBJECT_FLAGS::ALLOW_STATE_OBJECT_ADDITIONS),
        Part::Library(&VERTEX, &[("corner", "*")]),
        Part::Library(&COLOUR, &[]),
        Part::Global(&root),
        triangles,
        Part::Formats(&[FORMAT]),
        Part::Blend(&added),
        Part::Rasterizer(&culled),
        Part::Program("plain", &["corner", "colour"], &[4, 5]),
        Part::Program("added", &["colour", "corner"], &[6, 5, 4]),
        Part::Program("culled", &["corner", "colour"], &[4, 5, 7]),
    ];
    let first = StateObject::new(&stage.device, D3D12_STATE_OBJECT_TYPE::EXECUTABLE, &parts, None)?;
    let parts = [
        Part::Flags(D3D12_STATE_OBJECT_FLAGS::ALLOW_STATE_OBJECT_ADDITIONS),
        Part::Library(&COLOUR, &[("again", "colour")]),
        Part::Global(&root),
        Part::Topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE),
        Part::Formats(&[FORMAT]),
        Part::Blend(&masked),
        Part::Program("masked", &["corner", "again"], &[3, 4, 5]),
    ];
    let grown = StateObject::new(&stage.device, D3D12_STATE_OBJECT_TYPE::EXECUTABLE, &parts, Some(&first))?;
    let plain_again = identifier(&grown, "plain")?;
    let [of_plain, of_added, of_culled] =
        [identifier(&first, "plain")?, identifier(&first, "added")?, identifier(&first, "culled")?];
    let of_masked = identifier(&grown, "masked")?;
    Failure::unless(raw_identifier(&first, "masked")? == [0; 4], || {
        "a program of an addition is in what it grew from".into()
    })?;
    Failure::unless(of_plain != of_added && of_added != of_culled, || "programs share an identifier".into())?;
    let usual = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &COLOUR, &[FORMAT]))?;

    let target = Target::new(&stage.device, FORMAT, SIZE, SIZE)?;
    let mut expected = Picture::new(SIZE, SIZE, [0u8; 4]);
    let mut bundle = List::new(&stage.device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    bundle.set_graphics_root(&root);
    bundle.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    set(&bundle.com, of_added)?;
    bundle.rectangle(&rectangle(Area::at(32, 40, 16, 16), BLUE));
    bundle.close()?;
    let mut list = List::direct(&stage.device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    // Two halves, with room around them.
    let (left, right) = (Area::at(8, 8, 24, 48), Area::at(32, 8, 24, 48));
    // The program stays set for the draw that follows.
    set(&list.com, of_plain)?;
    list.rectangle(&rectangle(Area::at(8, 8, 24, 20), RED));
    list.rectangle(&rectangle(Area::at(8, 28, 24, 28), RED));
    set(&list.com, plain_again)?;
    list.rectangle(&rectangle(right, BLUE));
    expected.fill(left, RED);
    expected.fill(right, BLUE);
    // What is added lies over both.
    set(&list.com, of_added)?;
    let across = Area::at(16, 16, 32, 8);
    list.rectangle(&rectangle(across, BLUE));
    add(&mut expected, across, BLUE);
    set(&list.com, of_culled)?;
    list.rectangle(&rectangle(Area::at(0, 0, SIZE, SIZE), RED));
    set(&list.com, of_masked)?;
    let below = Area::at(16, 28, 32, 8);
    list.rectangle(&rectangle(below, [255, 255, 0, 255]));
    expected.draw(below, |_, _, pixel| (pixel[0], pixel[2]) = (255, 0));
    // A pipeline state takes the program's place, and a program that of a pipeline state.
    list.set_pipeline(&usual);
    let corner = Area::at(0, 0, 8, 8);
    list.rectangle(&rectangle(corner, BLUE));
    expected.fill(corner, BLUE);
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    add(&mut expected, Area::at(32, 40, 16, 16), BLUE);
    let mut digest = Digest::new();
    target.check(stage, &mut list, "what programs draw", &expected, &mut digest)?;
    if mesh::supported(stage).is_ok() {
        meshes(stage)?;
    }
    Ok(digest)
}

/// A program of a mesh shader, which lists no topology. Its picture is checked. It is not part of the digest, so that libraries without mesh
/// shaders give the same digest.
fn meshes(stage: &Stage) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Srv(0)], &[])?;
    let parts = [
        Part::Library(&mesh::PLAIN, &[("group", "*")]),
        Part::Library(&mesh::PIXEL, &[("shade", "*")]),
        Part::Global(&root),
        Part::Formats(&[mesh::FORMAT]),
        Part::Program("meshes", &["group", "shade"], &[3]),
    ];
    let object = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::EXECUTABLE, &parts, None)?;
    let edges = mesh::edges(stage)?;
    let target = Target::layered(device, mesh::FORMAT, mesh::SIZE, mesh::SIZE, mesh::LAYERS)?;
    let mut model = mesh::Model::empty();
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.graphics_srv(1, edges.address);
    list.targets(&[&target], None);
    list.square(mesh::SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    set(&list.com, identifier(&object, "meshes")?)?;
    list.graphics_constants(0, &mesh::constants(0, 2, 0, 0));
    list.dispatch_mesh(2, 3, 1)?;
    (0..6).for_each(|number| model.group(number, 0));
    model.check(stage, &mut list, &target, &mut Digest::new())
}

fn rectangle(area: Area, colour: Colour) -> Rectangle {
    Rectangle::new(area, SIZE, colour.map(|part| (f32::from(part) / 255.0).to_bits()))
}

/// What is drawn, added to what is there.
fn add(picture: &mut Picture<Colour>, area: Area, colour: Colour) {
    picture.draw(area, |_, _, pixel| {
        pixel.iter_mut().zip(colour).for_each(|(part, more)| *part = part.saturating_add(more));
    });
}

/// Adds where `enabled`; writes the components of the mask.
fn blend(enabled: i32, mask: u8) -> D3D12_BLEND_DESC {
    let mut desc = D3D12_BLEND_DESC::default();
    desc.RenderTarget[0] = D3D12_RENDER_TARGET_BLEND_DESC {
        BlendEnable: enabled,
        SrcBlend: Factor::ONE,
        DestBlend: Factor::ONE,
        BlendOp: Op::ADD,
        SrcBlendAlpha: Factor::ONE,
        DestBlendAlpha: Factor::ONE,
        BlendOpAlpha: Op::ADD,
        LogicOp: D3D12_LOGIC_OP::NOOP,
        RenderTargetWriteMask: mask,
        ..Default::default()
    };
    desc
}

/// The identifier of a program, which must have one.
fn identifier(object: &StateObject, name: &str) -> Result<[u64; 4], Failure> {
    let words = raw_identifier(object, name)?;
    Failure::unless(words != [0; 4], || format!("program {name:?} has no identifier"))?;
    Ok(words)
}

fn raw_identifier(object: &StateObject, name: &str) -> Result<[u64; 4], Failure> {
    let properties = object.com.query(interface("ID3D12StateObjectProperties1"));
    let lacks = || Failure::Cannot("state objects have no ID3D12StateObjectProperties1".into());
    let properties = properties.ok_or_else(lacks)?;
    let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
    let mut identifier = D3D12_PROGRAM_IDENTIFIER::default();
    let out = &raw mut identifier;
    call!(properties, "ID3D12StateObjectProperties1", "GetProgramIdentifier", out, name.as_ptr());
    Ok(identifier.OpaqueData)
}

/// Draws use this program from here on.
fn set(list: &Com, words: [u64; 4]) -> Result<(), Failure> {
    let list = list.query(interface("ID3D12GraphicsCommandList10"));
    let list = list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList10".into()))?;
    let mut desc = D3D12_SET_PROGRAM_DESC { Type: D3D12_PROGRAM_TYPE::GENERIC_PIPELINE, ..Default::default() };
    desc.Anonymous.GenericPipeline =
        D3D12_SET_GENERIC_PIPELINE_DESC { ProgramIdentifier: D3D12_PROGRAM_IDENTIFIER { OpaqueData: words } };
    call!(list, "ID3D12GraphicsCommandList10", "SetProgram", &raw const desc);
    Ok(())
}
