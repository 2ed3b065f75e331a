//! `bindings`: pipelines, root arguments, buffers, targets and heaps that lists bind, a row for each.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, LIST, Objects};
use crate::lines;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use serde_json::Value as Json;

/// See the module.
#[derive(Debug)]
pub(super) struct Bindings;

/// The methods that bind something, and the parameter that says what.
const BINDERS: [(&str, &str); 21] = [
    ("SetPipelineState", "pPipelineState"),
    ("SetPipelineState1", "pStateObject"),
    ("SetGraphicsRootSignature", "pRootSignature"),
    ("SetComputeRootSignature", "pRootSignature"),
    ("SetDescriptorHeaps", "ppDescriptorHeaps"),
    ("SetGraphicsRootDescriptorTable", "BaseDescriptor"),
    ("SetComputeRootDescriptorTable", "BaseDescriptor"),
    ("SetGraphicsRootConstantBufferView", "BufferLocation"),
    ("SetComputeRootConstantBufferView", "BufferLocation"),
    ("SetGraphicsRootShaderResourceView", "BufferLocation"),
    ("SetComputeRootShaderResourceView", "BufferLocation"),
    ("SetGraphicsRootUnorderedAccessView", "BufferLocation"),
    ("SetComputeRootUnorderedAccessView", "BufferLocation"),
    ("IASetVertexBuffers", "pViews"),
    ("IASetIndexBuffer", "pView"),
    ("SOSetTargets", "pViews"),
    ("OMSetRenderTargets", "pRenderTargetDescriptors"),
    ("OMSetRenderTargets", "pDepthStencilDescriptor"),
    ("BeginRenderPass", "pRenderTargets"),
    ("BeginRenderPass", "pDepthStencil"),
    ("RSSetShadingRateImage", "shadingRateImage"),
];

impl Table for Bindings {
    fn name(&self) -> &str {
        "bindings"
    }

    fn about(&self) -> &str {
        "what lists bind: pipelines, root arguments, buffers, targets, heaps; it holds until it is bound anew"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "number of the call"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("list", Kind::Number, "the command list"),
            Column::new("method", Kind::Name, "the method, without its interface"),
            Column::new(
                "slot",
                Kind::Number,
                "the root parameter, or place among the buffers, targets or heaps, from 0",
            ),
            Column::new("object", Kind::Number, "the pipeline, root signature or resource; of descriptors their heap"),
            Column::new("place", Kind::Number, "the first byte in the resource, or the slot in the heap"),
            Column::new("bytes", Kind::Number, "bytes of a vertex, index or stream output buffer"),
        ]
    }

    fn objects(&self) -> Objects {
        LIST
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut methods: Vec<&str> = BINDERS.iter().map(|(method, _)| *method).collect();
        methods.dedup();
        lines::each(source, bounds, &methods, |mut line| {
            lines::plain_method(&mut line);
            let method = line["method"].as_str().unwrap_or_default();
            let args = &line["args"];
            let first = ["RootParameterIndex", "StartSlot"].iter().find_map(|name| args[*name].as_u64()).unwrap_or(0);
            for (_, parameter) in BINDERS.iter().filter(|(binder, _)| *binder == method) {
                let value = &args[*parameter];
                let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                for (slot, bound) in (first..).zip(all) {
                    let Some((object, place)) = target(bound) else { continue };
                    sink.row(&[
                        Cell::some(line["call"].as_u64()),
                        Cell::some(line["frame"].as_u64()),
                        Cell::some(line["this"]["id"].as_u64()),
                        Cell::Text(method),
                        Cell::Number(slot),
                        Cell::some(object),
                        Cell::some(place),
                        Cell::some(bound["SizeInBytes"].as_u64()),
                    ])?;
                }
            }
            Ok(())
        })
    }
}

/// The object that a value names, and the place in it; `None` for a value that names none.
fn target(value: &Json) -> Option<(Option<u64>, Option<u64>)> {
    let members = value.as_object()?;
    if members.contains_key("class") {
        return Some((value["id"].as_u64(), None));
    }
    if members.contains_key("address") {
        return Some((value["object"].as_u64(), value["offset"].as_u64()));
    }
    if members.contains_key("handle") {
        return Some((value["heap"].as_u64(), value["index"].as_u64()));
    }
    ["BufferLocation", "cpuDescriptor"].iter().find_map(|name| target(members.get(*name)?))
}
