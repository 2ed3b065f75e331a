//! Programs that do one thing wrong, and their correct twins: the fault is found where it is, and the twin has no finding.
//!
//! Each row builds both: `wrong` says which. It gives the call that the finding has to name. Invariant: every rule has a row.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use std::collections::BTreeSet;

/// Builds a program; gives the call that is wrong.
type Build = fn(&mut Program, bool) -> u64;

/// A table's register of the shaders here: `t0` (structured), `u0` (structured).
const T0: (u32, u32) = (5, 0);
const U0: (u32, u32) = (8, 0);

/// The fault, the rule that finds it, the program.
const FAULTS: &[(&str, &str, Build)] = &[
    ("a transition from another state", "state-before", |program, wrong| {
        let texture = program.texture(TARGET);
        let before = if wrong { PIXEL } else { TARGET };
        let call = program.transition(texture, before, COPY_SOURCE);
        program.run();
        call
    }),
    ("a promoted read decays, a promoted copy stays", "state-before", |program, wrong| {
        let texture = program.texture(COMMON);
        let upload = program.texture(COPY_SOURCE);
        program.copy(texture, upload);
        program.run();
        program.reset();
        // As it would be had the copy's state decayed.
        let call = program.transition(texture, if wrong { TARGET } else { COPY_DEST }, PIXEL);
        program.run();
        call
    }),
    ("one level left in another state", "state-before", |program, wrong| {
        let texture = program.texture(COPY_DEST);
        program.transition_of(LIST, texture, 2, (COPY_DEST, PIXEL), 0);
        let call = program.transition_of(
            LIST,
            texture,
            if wrong { u32::MAX } else { 2 },
            (if wrong { COPY_DEST } else { PIXEL }, TARGET),
            0,
        );
        program.run();
        call
    }),
    ("a copy from a render target", "state-use", |program, wrong| {
        let (texture, other) = (program.texture(TARGET), program.texture(COPY_DEST));
        if !wrong {
            program.transition(texture, TARGET, COPY_SOURCE);
        }
        let call = program.copy(other, texture);
        program.run();
        call
    }),
    ("a buffer read after a copy into it", "state-use", |program, wrong| {
        let (upload, buffer, readback) =
            (program.buffer(In::Upload), program.buffer(In::Default), program.buffer(In::Readback));
        program.copy(buffer, upload);
        if !wrong {
            program.transition(buffer, COPY_DEST, COPY_SOURCE);
        }
        let call = program.copy(readback, buffer);
        program.run();
        call
    }),
    ("a shader reads what is a copy's destination", "state-use", |program, wrong| {
        let (texture, heap) = (program.texture(COPY_DEST), program.views());
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[T0]);
        program.srv(texture, heap, 0);
        if !wrong {
            program.transition(texture, COPY_DEST, NON_PIXEL);
        }
        program.set_heap(heap);
        program.set_compute(signature, pipeline);
        program.table(heap, 0);
        let call = program.dispatch();
        program.run();
        call
    }),
    ("a transition to the same state", "barrier-arguments", |program, wrong| {
        let texture = program.texture(TARGET);
        let call = program.transition(texture, TARGET, if wrong { TARGET } else { PIXEL });
        program.run();
        call
    }),
    ("a buffer of an upload heap is moved", "barrier-arguments", |program, wrong| {
        let buffer = program.buffer(if wrong { In::Upload } else { In::Default });
        let call = program.transition(buffer, COPY_SOURCE, COPY_DEST);
        program.run();
        call
    }),
    ("half a split barrier", "split-barrier", |program, wrong| {
        let texture = program.texture(TARGET);
        let call = program.transition_of(LIST, texture, u32::MAX, (TARGET, PIXEL), 1);
        if !wrong {
            program.transition_of(LIST, texture, u32::MAX, (TARGET, PIXEL), 2);
        }
        program.run();
        call
    }),
    ("a dispatch writes what was just cleared", "unordered-order", |program, wrong| {
        // A texture of one level, so that both views are of all of it.
        let mut desc = texture(D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
        desc.MipLevels = 1;
        let (texture, heap) = (program.resource(&desc, In::Default, UNORDERED), program.views());
        program.uav(texture, heap, 1);
        let signature = program.signature_of_table();
        let pipeline = program.compute(signature, &[U0]);
        program.set_heap(heap);
        program.clear_unordered(texture, heap, 1);
        if !wrong {
            program.unordered_barrier(texture);
        }
        program.set_compute(signature, pipeline);
        program.table(heap, 1);
        let call = program.dispatch();
        program.run();
        call
    }),
    ("two builds with one scratch buffer", "unordered-order", |program, wrong| {
        let (scratch, first, second) = (program.buffer(In::Default), program.structure(), program.structure());
        program.transition(scratch, COPY_DEST, UNORDERED);
        program.build(first, scratch);
        if !wrong {
            program.unordered_barrier(scratch);
        }
        let call = program.build(second, scratch);
        program.run();
        call
    }),
    ("a top level is built right after a bottom level", "structure-order", |program, wrong| {
        let (vertices, first, second) = (program.buffer(In::Upload), program.scratch(), program.scratch());
        let (bottom, top) = (program.structure(), program.structure());
        program.bottom(bottom, first, Program::address(vertices));
        if !wrong {
            program.unordered_barrier(bottom);
        }
        let call = program.build(top, second);
        program.run();
        call
    }),
    ("a structure is changed right after its build", "structure-order", |program, wrong| {
        let (vertices, first, second) = (program.buffer(In::Upload), program.scratch(), program.scratch());
        let (from, to) = (program.structure(), program.structure());
        program.bottom(from, first, Program::address(vertices));
        if !wrong {
            program.unordered_barrier(0);
        }
        let call = program.bottom_of(to, second, Program::address(vertices), Program::address(from));
        program.run();
        call
    }),
    ("a structure is copied right after its build", "structure-order", |program, wrong| {
        let (vertices, scratch) = (program.buffer(In::Upload), program.scratch());
        let (from, to) = (program.structure(), program.structure());
        program.bottom(from, scratch, Program::address(vertices));
        if !wrong {
            program.unordered_barrier(from);
        }
        let call = program.copy_structure(to, from, 1);
        program.run();
        call
    }),
    ("the size of a structure is asked right after its build", "structure-order", |program, wrong| {
        let (vertices, scratch, answer) = (program.buffer(In::Upload), program.scratch(), program.scratch());
        let structure = program.structure();
        program.bottom(structure, scratch, Program::address(vertices));
        if !wrong {
            program.unordered_barrier(structure);
        }
        let call = program.ask_structure(Program::address(answer), Program::address(structure));
        program.run();
        call
    }),
    ("a structure is built twice in one place", "structure-order", |program, wrong| {
        let (first, second, structure) = (program.scratch(), program.scratch(), program.structure());
        program.build(structure, first);
        if !wrong {
            program.unordered_barrier(structure);
        }
        let call = program.build(structure, second);
        program.run();
        call
    }),
    ("a ray query right after the build", "structure-order", |program, wrong| {
        let (scratch, structure, heap) = (program.scratch(), program.structure(), program.views());
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[T0]);
        program.structure_view(structure, heap, 0);
        program.set_heap(heap);
        program.set_compute(signature, pipeline);
        program.table(heap, 0);
        program.build(structure, scratch);
        if !wrong {
            program.unordered_barrier(structure);
        }
        let call = program.dispatch();
        program.run();
        call
    }),
    ("rays right after the build, by a table", "structure-order", |program, wrong| {
        let (scratch, structure, heap) = (program.scratch(), program.structure(), program.views());
        let (signature, records) = (program.signature(false), program.buffer(In::Upload));
        program.structure_view(structure, heap, 0);
        program.set_heap(heap);
        program.list("SetComputeRootSignature", &[signature.into()]);
        program.table(heap, 0);
        program.state_object();
        program.build(structure, scratch);
        if !wrong {
            program.unordered_barrier(0);
        }
        let call = program.rays(Program::address(records));
        program.run();
        call
    }),
    ("rays right after the build, by a root view", "structure-order", |program, wrong| {
        let (scratch, structure, records) = (program.scratch(), program.structure(), program.buffer(In::Upload));
        let signature = program.signature_of_root_view();
        program.list("SetComputeRootSignature", &[signature.into()]);
        program.list("SetComputeRootShaderResourceView", &[0, Program::address(structure)]);
        program.state_object();
        program.build(structure, scratch);
        if !wrong {
            program.unordered_barrier(structure);
        }
        let call = program.rays(Program::address(records));
        program.run();
        call
    }),
    ("vertices of a build that are still a copy's destination", "state-use", |program, wrong| {
        let (upload, vertices) = (program.buffer(In::Upload), program.buffer(In::Default));
        let (scratch, structure) = (program.scratch(), program.structure());
        program.copy(vertices, upload);
        if !wrong {
            program.transition(vertices, COPY_DEST, NON_PIXEL);
        }
        let call = program.bottom(structure, scratch, Program::address(vertices));
        program.run();
        call
    }),
    ("a texture barrier from another layout", "layout-before", |program, wrong| {
        let texture = program.texture(COMMON);
        program.layout(texture, [1, 1], [0, 0], [0, 8]);
        let call = program.layout(texture, [1, 1], [0, 0], [if wrong { 6 } else { 8 }, 7]);
        program.run();
        call
    }),
    ("a copy from a layout of targets", "layout-use", |program, wrong| {
        let (texture, other) = (program.texture(COMMON), program.texture(COPY_DEST));
        program.layout(texture, [1, 1], [0, 0], [0, if wrong { 2 } else { 7 }]);
        let call = program.copy(other, texture);
        program.run();
        call
    }),
    ("an access without its scope", "barrier-scopes", |program, wrong| {
        let texture = program.texture(COMMON);
        // SYNC_COPY, or SYNC_RENDER_TARGET, with ACCESS_RENDER_TARGET.
        let call = program.layout(texture, [1, if wrong { 0x200 } else { 0x40 }], [0, 8], [0, 2]);
        program.run();
        call
    }),
    ("an access that the layout does not have", "barrier-scopes", |program, wrong| {
        let texture = program.texture(COMMON);
        let call = program.layout(texture, [1, 1], [0, if wrong { 0x400 } else { 8 }], [0, 2]);
        program.run();
        call
    }),
    ("two queues and no fence", "queue-race", |program, wrong| {
        let (other, list, allocator) = (program.id(), program.id(), program.id());
        program.queue_of(other, 2);
        program.list_of(list, allocator, 2);
        let (upload, buffer, readback) =
            (program.buffer(In::Upload), program.buffer(In::Default), program.buffer(In::Readback));
        program.copy(buffer, upload);
        program.close();
        program.execute();
        program.signal(QUEUE, FENCE, 1);
        let call = program.copy_in(list, readback, buffer);
        program.script.call(list, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
        if !wrong {
            program.wait(other, FENCE, 1);
        }
        program.execute_on(other, list);
        call
    }),
    ("a wait for a value that nobody signals", "fence-unreached", |program, wrong| {
        let call = program.wait(QUEUE, FENCE, 7);
        if !wrong {
            program.script.call(FENCE, method("ID3D12Fence", "Signal"), &[7], 0);
        }
        call
    }),
    ("a queue signals a lower value", "fence-backwards", |program, wrong| {
        program.signal(QUEUE, FENCE, 5);
        program.signal(QUEUE, FENCE, if wrong { 4 } else { 6 })
    }),
    ("a resource is released under the GPU", "released-in-flight", |program, wrong| {
        let (upload, buffer) = (program.buffer(In::Upload), program.buffer(In::Default));
        program.copy(buffer, upload);
        program.close();
        program.execute();
        if !wrong {
            program.finish();
        }
        program.release(upload)
    }),
    ("a list runs with what is gone", "used-after-release", |program, wrong| {
        let (upload, buffer) = (program.buffer(In::Upload), program.buffer(In::Default));
        program.copy(buffer, upload);
        program.close();
        if wrong {
            program.release(upload);
        }
        program.execute()
    }),
    ("a copy source is released while its list waits", "released-in-flight", |program, wrong| {
        let (texture, other) = (program.texture(COPY_SOURCE), program.texture(COPY_DEST));
        program.copy(other, texture);
        waiting(program, wrong, texture)
    }),
    ("a texture that a descriptor names is released while its list waits", "released-in-flight", |program, wrong| {
        let (texture, heap) = (program.texture(NON_PIXEL), program.views());
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[T0]);
        program.srv(texture, heap, 0);
        program.set_heap(heap);
        program.set_compute(signature, pipeline);
        program.table(heap, 0);
        program.dispatch();
        waiting(program, wrong, texture)
    }),
    ("a state object is released while its rays wait", "released-in-flight", |program, wrong| {
        let records = program.buffer(In::Upload);
        let object = program.state_object();
        program.rays(Program::address(records));
        waiting(program, wrong, object)
    }),
    ("a list runs with a shader table that is gone", "used-after-release", |program, wrong| {
        let records = program.buffer(In::Upload);
        program.state_object();
        program.rays(Program::address(records));
        late(program, wrong, records)
    }),
    ("a list runs with a root view that is gone", "used-after-release", |program, wrong| {
        let (signature, buffer) = (program.signature(false), program.buffer(In::Default));
        let pipeline = program.compute(signature, &[U0]);
        program.set_compute(signature, pipeline);
        program.list("SetComputeRootUnorderedAccessView", &[1, Program::address(buffer)]);
        program.dispatch();
        late(program, wrong, buffer)
    }),
    ("a list runs with a pipeline that is gone", "used-after-release", |program, wrong| {
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[]);
        program.list("SetPipelineState", &[pipeline.into()]);
        late(program, wrong, pipeline)
    }),
    ("a list runs with a root signature that is gone", "used-after-release", |program, wrong| {
        let signature = program.signature(false);
        program.list("SetComputeRootSignature", &[signature.into()]);
        late(program, wrong, signature)
    }),
    ("a list runs with a descriptor heap that is gone", "used-after-release", |program, wrong| {
        let heap = program.views();
        program.set_heap(heap);
        late(program, wrong, heap)
    }),
    ("a list runs with a shading rate image that is gone", "used-after-release", |program, wrong| {
        let image = program.texture(0x100_0000);
        let set = method("ID3D12GraphicsCommandList5", "RSSetShadingRateImage");
        program.script.call(LIST, set, &[image.into()], 0);
        late(program, wrong, image)
    }),
    ("a list runs with a query heap that is gone", "used-after-release", |program, wrong| {
        let queries = program.queries();
        program.list("EndQuery", &[queries.into(), 2, 0]);
        late(program, wrong, queries)
    }),
    ("a list runs with a command signature that is gone", "used-after-release", |program, wrong| {
        let (commands, arguments) = (program.command_signature(), program.buffer(In::Upload));
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[]);
        program.set_compute(signature, pipeline);
        program.list("ExecuteIndirect", &[commands.into(), 1, arguments.into(), 0, 0, 0]);
        late(program, wrong, commands)
    }),
    ("a list runs with vertices of a build that are gone", "used-after-release", |program, wrong| {
        let (vertices, scratch, structure) = (program.buffer(In::Upload), program.scratch(), program.structure());
        program.bottom(structure, scratch, Program::address(vertices));
        late(program, wrong, vertices)
    }),
    ("a render pass resolves into what is gone", "used-after-release", |program, wrong| {
        let (target, to) = (program.texture(TARGET), program.texture(0x1000));
        let view = program.rtv(target);
        program.pass(view, target, to);
        late(program, wrong, to)
    }),
    ("a root view of a buffer that is gone", "stale-address", |program, wrong| {
        let buffer = program.buffer(In::Upload);
        if wrong {
            program.release(buffer);
        }
        let call = program.list("SetComputeRootConstantBufferView", &[0, Program::address(buffer)]);
        program.run();
        call
    }),
    ("vertices where nothing ever lay", "stale-address", |program, wrong| {
        let buffer = program.buffer(In::Upload);
        let address = if wrong { 0xdead_0000 } else { Program::address(buffer) };
        let view = D3D12_VERTEX_BUFFER_VIEW { BufferLocation: address, SizeInBytes: 64, StrideInBytes: 8 };
        let call = program.list("IASetVertexBuffers", &[0, 1, &raw const view as u64]);
        program.run();
        call
    }),
    ("a view is written to a heap that is gone", "stale-handle", |program, wrong| {
        let (texture, heap) = (program.texture(PIXEL), program.views());
        if wrong {
            program.release(heap);
        }
        let words = [texture.into(), 0, Program::cpu(heap, 0)];
        program.script.call(DEVICE, method("ID3D12Device", "CreateShaderResourceView"), &words, 0)
    }),
    ("a draw with vertices that are gone", "stale-address", |program, wrong| {
        let target = program.texture(TARGET);
        let view = program.rtv(target);
        let (signature, vertices) = (program.signature(false), program.buffer(In::Upload));
        let pipeline = program.graphics(signature);
        let view_of_vertices =
            D3D12_VERTEX_BUFFER_VIEW { BufferLocation: Program::address(vertices), SizeInBytes: 64, StrideInBytes: 8 };
        program.list("SetGraphicsRootSignature", &[signature.into()]);
        program.list("SetPipelineState", &[pipeline.into()]);
        program.list("OMSetRenderTargets", &[1, &raw const view as u64, 0, 0]);
        program.list("IASetVertexBuffers", &[0, 1, &raw const view_of_vertices as u64]);
        program.list("IASetPrimitiveTopology", &[4]);
        if wrong {
            program.release(vertices);
        }
        let call = program.list("DrawInstanced", &[3, 1, 0, 0]);
        program.run();
        call
    }),
    ("a bottom level of vertices that are gone", "stale-address", |program, wrong| {
        let (vertices, scratch, structure) = (program.buffer(In::Upload), program.scratch(), program.structure());
        if wrong {
            program.release(vertices);
        }
        let call = program.bottom(structure, scratch, Program::address(vertices));
        program.run();
        call
    }),
    ("a top level of instances that are gone", "stale-address", |program, wrong| {
        let (instances, scratch, structure) = (program.buffer(In::Upload), program.scratch(), program.structure());
        if wrong {
            program.release(instances);
        }
        let mut desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: Program::address(structure),
            ScratchAccelerationStructureData: Program::address(scratch),
            ..Default::default()
        };
        desc.Inputs.NumDescs = 2;
        desc.Inputs.Anonymous.InstanceDescs = Program::address(instances);
        let call = program.build_of(&desc, &[]);
        program.run();
        call
    }),
    ("information of a build goes to an address without a resource", "stale-address", |program, wrong| {
        let (answer, scratch, structure) = (program.scratch(), program.scratch(), program.structure());
        let place = if wrong { 0xdead_0000 } else { Program::address(answer) };
        let information =
            D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC { DestBuffer: place, ..Default::default() };
        let desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: Program::address(structure),
            ScratchAccelerationStructureData: Program::address(scratch),
            ..Default::default()
        };
        let call = program.build_of(&desc, &[information]);
        program.run();
        call
    }),
    ("the size of a structure that is gone", "stale-address", |program, wrong| {
        let (answer, structure) = (program.scratch(), program.structure());
        if wrong {
            program.release(structure);
        }
        let call = program.ask_structure(Program::address(answer), Program::address(structure));
        program.run();
        call
    }),
    ("rays by a shader table that is gone", "stale-address", |program, wrong| {
        let records = program.buffer(In::Upload);
        program.state_object();
        if wrong {
            program.release(records);
        }
        let call = program.rays(Program::address(records));
        program.run();
        call
    }),
    ("a render pass to a target in a heap that is gone", "stale-handle", |program, wrong| {
        let target = program.texture(TARGET);
        let view = program.rtv(target);
        if wrong {
            // The heap is the object made last.
            let heap = program.id() - 1;
            program.release(heap);
        }
        let call = program.pass(view, 0, 0);
        program.run();
        call
    }),
    ("an allocator is reset under the GPU", "allocator-reset", |program, wrong| {
        program.close();
        program.execute();
        if !wrong {
            program.finish();
        }
        program.script.call(ALLOCATOR, method("ID3D12CommandAllocator", "Reset"), &[], 0)
    }),
    ("an allocator is reset under its list", "allocator-reset", |program, wrong| {
        if !wrong {
            program.close();
        }
        program.script.call(ALLOCATOR, method("ID3D12CommandAllocator", "Reset"), &[], 0)
    }),
    ("an open list is submitted", "list-open", |program, wrong| {
        if !wrong {
            program.close();
        }
        program.execute()
    }),
    ("a table in a heap that is not set", "table-heap", |program, wrong| {
        let (texture, heap, other) = (program.texture(NON_PIXEL), program.views(), program.views());
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[T0]);
        program.srv(texture, heap, 0);
        program.set_heap(if wrong { other } else { heap });
        program.set_compute(signature, pipeline);
        program.table(heap, 0);
        let call = program.dispatch();
        program.run();
        call
    }),
    ("a table that begins at the heap's end", "table-end", |program, wrong| {
        let (texture, heap) = (program.texture(NON_PIXEL), program.views());
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[T0]);
        program.srv(texture, heap, 7);
        program.set_heap(heap);
        program.set_compute(signature, pipeline);
        program.table(heap, if wrong { 8 } else { 7 });
        let call = program.dispatch();
        program.run();
        call
    }),
    ("a descriptor that was never written", "descriptor-unwritten", |program, wrong| {
        descriptor(program, |program, heap| {
            if !wrong {
                let texture = program.texture(NON_PIXEL);
                program.srv(texture, heap, 0);
            }
        })
    }),
    ("a descriptor of another type", "descriptor-type", |program, wrong| {
        descriptor(program, |program, heap| {
            let texture = program.texture(if wrong { UNORDERED } else { NON_PIXEL });
            if wrong { program.uav(texture, heap, 0) } else { program.srv(texture, heap, 0) }
        })
    }),
    ("a descriptor of what is gone", "descriptor-released", |program, wrong| {
        descriptor(program, |program, heap| {
            let texture = program.texture(NON_PIXEL);
            program.srv(texture, heap, 0);
            if wrong {
                program.release(texture);
            }
        })
    }),
    ("a placed target is drawn to first", "uninitialised", |program, wrong| {
        let target = placed(program, 0);
        let view = program.rtv(target);
        if !wrong {
            program.clear(view);
        }
        let call = program.draw(view, "");
        program.run();
        call
    }),
    ("placed depth is copied before a render pass clears it", "uninitialised", |program, wrong| {
        let (depth, view) = program.placed_depth();
        let readback = program.buffer(In::Readback);
        program.depth_pass(view, !wrong);
        program.transition(depth, 0x10, COPY_SOURCE);
        let call = program.copy(readback, depth);
        program.run();
        call
    }),
    ("a render pass clears depth that is only read", "state-use", |program, wrong| {
        let (depth, view) = program.placed_depth();
        if wrong {
            program.depth_pass(view, true);
            program.transition(depth, 0x10, COPY_SOURCE);
        }
        let call = program.depth_pass(view, true);
        program.run();
        call
    }),
    ("a target is used again after an aliasing barrier", "uninitialised", |program, wrong| {
        let (heap, first, second) = (program.id(), program.id(), program.id());
        program.script.heap(DEVICE, heap, 1 << 20);
        for id in [first, second] {
            place(program, heap, id);
        }
        let (one, other) = (program.rtv(first), program.rtv(second));
        program.clear(one);
        program.alias(first, second);
        program.clear(other);
        program.alias(second, first);
        if !wrong {
            program.clear(one);
        }
        let call = program.draw(one, "");
        program.run();
        call
    }),
    ("a texture is read after another had its memory", "uninitialised", |program, wrong| {
        let (heap, first, second) = (program.id(), program.id(), program.id());
        let from = program.texture(COPY_SOURCE);
        let to = program.texture(COPY_DEST);
        program.script.heap(DEVICE, heap, 1 << 20);
        for id in [first, second] {
            place_as(program, heap, id, D3D12_RESOURCE_FLAGS::NONE, COPY_DEST);
        }
        program.alias(0, first);
        program.copy(first, from);
        program.alias(first, second);
        program.copy(second, from);
        program.alias(second, first);
        if !wrong {
            program.copy(first, from);
        }
        program.transition(first, COPY_DEST, COPY_SOURCE);
        let call = program.copy(to, first);
        program.run();
        call
    }),
    ("a readback buffer is read at once", "readback-early", |program, wrong| {
        let (buffer, readback) = (program.buffer(In::Upload), program.buffer(In::Readback));
        program.copy(readback, buffer);
        program.close();
        program.execute();
        if !wrong {
            program.finish();
        }
        let mut place = 0u64;
        program.script.call(readback, method("ID3D12Resource", "Map"), &[0, 0, &raw mut place as u64], 0);
        program.script.call(readback, method("ID3D12Resource", "Unmap"), &[0, 0], 0)
    }),
    ("a part of a readback buffer is read while it is written", "readback-early", |program, wrong| {
        let (buffer, readback) = (program.buffer(In::Upload), program.buffer(In::Readback));
        for part in 0..2u64 {
            program.list("CopyBufferRegion", &[readback.into(), part * 8, buffer.into(), 0, 8]);
            program.close();
            program.execute();
            if part == 0 {
                program.finish();
                program.reset();
            }
        }
        // The first part is done, and nobody waited for the second.
        let first = if wrong { 8 } else { 0 };
        let (range, mut place) = (D3D12_RANGE { Begin: first, End: first + 8 }, 0u64);
        let arguments = [0, &raw const range as u64, &raw mut place as u64];
        program.script.call(readback, method("ID3D12Resource", "Map"), &arguments, 0);
        program.script.call(readback, method("ID3D12Resource", "Unmap"), &[0, 0], 0)
    }),
    ("a dispatch without a pipeline", "no-pipeline", |program, wrong| {
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[]);
        program.list("SetComputeRootSignature", &[signature.into()]);
        if !wrong {
            program.list("SetPipelineState", &[pipeline.into()]);
        }
        let call = program.dispatch();
        program.run();
        call
    }),
    ("another root signature than the pipeline's", "root-signature", |program, wrong| {
        let (signature, other) = (program.signature(false), program.signature(wrong));
        let pipeline = program.compute(signature, &[]);
        program.set_compute(other, pipeline);
        let call = program.dispatch();
        program.run();
        call
    }),
    ("a root parameter that nothing set", "root-arguments", |program, wrong| {
        let buffer = program.buffer(In::Default);
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[U0]);
        program.set_compute(signature, pipeline);
        if !wrong {
            program.list("SetComputeRootUnorderedAccessView", &[1, Program::address(buffer)]);
        }
        let call = program.dispatch();
        program.run();
        call
    }),
    ("a vertex buffer is missing", "input-buffers", |program, wrong| {
        drawn(program, if wrong { "vertices" } else { "" })
    }),
    ("no topology", "topology", |program, wrong| drawn(program, if wrong { "topology" } else { "" })),
    ("an event without an end", "events", |program, wrong| {
        let call = program.list("BeginEvent", &[1, c"frame".as_ptr() as u64, 6]);
        if !wrong {
            program.list("EndEvent", &[]);
        }
        program.run();
        call
    }),
];

/// A dispatch of a shader that reads `t0`, which `write` puts into slot 0 of a heap.
fn descriptor(program: &mut Program, write: impl FnOnce(&mut Program, u32)) -> u64 {
    let heap = program.views();
    let signature = program.signature(false);
    let pipeline = program.compute(signature, &[T0]);
    write(program, heap);
    program.set_heap(heap);
    program.set_compute(signature, pipeline);
    program.table(heap, 0);
    let call = program.dispatch();
    program.run();
    call
}

/// The list waits for another queue's signal, and the object is released before that.
fn waiting(program: &mut Program, wrong: bool, object: u32) -> u64 {
    let fence = program.id();
    program.fence_of(fence);
    program.close();
    program.wait(QUEUE, fence, 1);
    program.execute();
    let mut released = 0;
    if wrong {
        released = program.release(object);
    }
    program.script.call(fence, method("ID3D12Fence", "Signal"), &[1], 0);
    program.finish();
    if !wrong {
        released = program.release(object);
    }
    released
}

/// The object is released before the list runs.
fn late(program: &mut Program, wrong: bool, object: u32) -> u64 {
    program.close();
    if wrong {
        program.release(object);
    }
    program.execute()
}

/// A draw to a target, without something.
fn drawn(program: &mut Program, without: &str) -> u64 {
    let target = program.texture(TARGET);
    let view = program.rtv(target);
    let call = program.draw(view, without);
    program.run();
    call
}

fn place(program: &mut Program, heap: u32, id: u32) {
    place_as(program, heap, id, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET, TARGET);
}

/// At the beginning of the heap.
fn place_as(program: &mut Program, heap: u32, id: u32, flags: D3D12_RESOURCE_FLAGS, state: u32) {
    let desc = texture(flags);
    let words = [u64::from(heap), 0, &raw const desc as u64, u64::from(state), 0];
    let create = method("ID3D12Device", "CreatePlacedResource");
    program.script.create(DEVICE, create, &words, interface("ID3D12Resource"), id);
}

fn placed(program: &mut Program, _offset: u64) -> u32 {
    let (heap, id) = (program.id(), program.id());
    program.script.heap(DEVICE, heap, 1 << 20);
    place(program, heap, id);
    id
}

#[test]
fn each_fault_is_found_where_it_is_and_its_twin_is_clean() {
    let mut wrong = Vec::new();
    for (name, rule, build) in FAULTS {
        let mut program = Program::new();
        let call = build(&mut program, true);
        let found: Vec<_> = program.lint().into_iter().map(|found| (found.rule.name, found.call)).collect();
        if found != [(*rule, call)] {
            wrong.push(format!("{name}: expected {rule} at {call}, found {found:?}"));
        }
        let named = found == [(*rule, call)];
        let mut program = Program::new();
        build(&mut program, false);
        let found: Vec<_> = program.lint().into_iter().map(|found| (found.rule.name, found.call, found.text)).collect();
        if !found.is_empty() {
            wrong.push(format!("{name}, correct: found {found:?}"));
        }
        // A row of docs/faults.md (`cargo xtask faults`).
        let yes = if named { "yes" } else { "no" };
        println!("| {name} | `lint`: {rule} | {yes} | {yes} | {} |", found.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_fault() {
    let seeded: BTreeSet<_> = FAULTS.iter().map(|(_, rule, _)| *rule).collect();
    let rules: BTreeSet<_> = reprise_lint::rules().iter().map(|rule| rule.name).collect();
    assert_eq!(seeded, rules);
}

#[test]
fn the_same_mistake_again_is_counted() {
    let mut program = Program::new();
    let texture = program.texture(TARGET);
    for _ in 0..5 {
        program.transition(texture, PIXEL, COPY_SOURCE);
        program.transition(texture, COPY_SOURCE, TARGET);
    }
    program.run();
    let found = program.lint();
    assert_eq!(found.iter().map(|found| (found.rule.name, found.times)).collect::<Vec<_>>(), [("state-before", 5)]);
}
