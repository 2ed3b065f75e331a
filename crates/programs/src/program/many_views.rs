//! `many-views`: a heap of as many views as there may be, up to a million, of which a shader reads some from one end to the other.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use reprise_d3d12::types::{
    D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS19 as Options19, D3D12_RESOURCE_STATES,
};

pub(super) const PROGRAM: Program =
    Program { name: "many-views", about: "a heap of as many views as there may be", run };

/// Most views that a program may ask for everywhere, and how many of them a device may lack for its own use.
const MOST: u32 = 1_000_000;
const LACKING: u32 = 16;
/// Views that are written and read.
const USED: u32 = 256;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut options = Options19::default();
    let known = stage.device.feature(Feature::D3D12_OPTIONS19, &mut options);
    let views = options.MaxViewDescriptorHeapSize.min(MOST);
    if !known || views < MOST - LACKING {
        return Err(Failure::Cannot(
            "the library reports no heaps of a million views (MaxViewDescriptorHeapSize)".into(),
        ));
    }
    let device = &stage.device;
    let values = Random(19).words(USED);
    let content = Buffer::uploaded(device, &values)?;
    let heap = Heap::visible(device, views)?;
    // The first, the last, and others in between.
    let indices: Vec<u32> =
        (0..USED).map(|at| (u64::from(at) * u64::from(views - 1) / u64::from(USED - 1)) as u32).collect();
    for (value, index) in (0..).zip(&indices) {
        heap.buffer_srv(*index, &content, Elements::structured(value, 1, 4));
    }
    let input = Buffer::uploaded(device, &indices)?;
    let output = Buffer::writable(device, u64::from(USED) * 4)?;
    let root = RootSignature::compute(
        device,
        &[Parameter::Srv(0), Parameter::Uav(0), Parameter::Table(&[Range::srv(0, Range::UNBOUNDED).in_space(1)])],
    )?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("many_views.main"))?;
    let mut list = List::direct(device)?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_uav(1, output.address);
    list.compute_table(2, heap.gpu(0));
    list.dispatch(USED / 64, 1, 1);
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
    Failure::unless_equal("values", &got, &values)?;
    Ok(Digest::of(&buffer::bytes_of(&got)))
}
