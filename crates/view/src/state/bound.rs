//! What a list has set, as a report: each number with what it stands for.

use super::report::{
    ArgumentReport, BoundReport, ContentReport, IndexReport, InputReport, OutputReport, PassReport, PipelineReport,
    PredicationReport, RangeReport, RootsReport, RunReport, Set, ShaderReport, SlotReport, StreamOutputReport,
    TargetReport, VertexReport,
};
use super::scene::{Scene, register};
use reprise_d3d12::model::MethodId;
use reprise_timeline::state::bindings::{self, Binding, Bound as Content, Range};
use reprise_timeline::state::lists::{Action, Bound, Pass, Pipeline, RootView, Roots, Setting, Target};
use reprise_timeline::state::programs::Identifier;
use reprise_trace::read::content_hash;
use std::sync::Arc;

/// Slots of one range that are shown.
const MOST_SLOTS: usize = 4096;

/// Which sides of a list's settings matter to a command.
#[derive(Clone, Copy)]
struct Sides {
    graphics: bool,
    compute: bool,
}

impl Sides {
    fn of(action: Option<Action>) -> Sides {
        match action {
            Some(action) if action.draws() => Sides { graphics: true, compute: false },
            Some(Action::Indirect) | None => Sides { graphics: true, compute: true },
            Some(_) => Sides { graphics: false, compute: true },
        }
    }
}

/// The name of an action in the format.
fn name(action: Action) -> &'static str {
    match action {
        Action::Draw => "draw",
        Action::DrawIndexed => "draw_indexed",
        Action::DrawMesh => "draw_mesh",
        Action::Dispatch => "dispatch",
        Action::DispatchRays => "dispatch_rays",
        Action::DispatchGraph => "dispatch_graph",
        Action::Indirect => "indirect",
    }
}

fn set<T, U>(setting: &Option<Setting<T>>, make: impl FnOnce(&T) -> U) -> Option<Set<U>> {
    setting.as_ref().map(|setting| Set { value: make(&setting.value), call: setting.call })
}

impl Scene<'_> {
    /// What is set, as far as it matters to an action; all of it where there is none.
    pub(super) fn bound(&self, bound: &Bound, action: Option<Action>, inherited: Option<RunReport>) -> BoundReport {
        let sides = Sides::of(action);
        BoundReport {
            action: action.map(name),
            inherited,
            pipeline: bound.pipeline.as_ref().map(|pipeline| self.set_pipeline(pipeline)),
            graphics: sides.graphics.then(|| self.roots(&bound.graphics)),
            compute: sides.compute.then(|| self.roots(&bound.compute)),
            descriptor_heaps: set(&bound.heaps, |heaps| heaps.iter().map(|heap| self.known(*heap)).collect()),
            output: sides.graphics.then(|| self.output(bound)),
            input: sides.graphics.then(|| self.input(bound)),
            predication: bound.predication.as_ref().and_then(|setting| {
                let predicate = setting.value.as_ref()?;
                let value = PredicationReport {
                    buffer: self.known(predicate.buffer),
                    offset: predicate.offset,
                    operation: self.name("D3D12_PREDICATION_OP", predicate.operation),
                };
                Some(Set { value, call: setting.call })
            }),
            protected_session: bound
                .protected_session
                .as_ref()
                .and_then(|setting| Some(Set { value: self.object(setting.value)?, call: setting.call })),
        }
    }

    fn set_pipeline(&self, pipeline: &Setting<Pipeline>) -> PipelineReport {
        match pipeline.value {
            Pipeline::State(id) => self.pipeline(id, "pipeline", pipeline.call),
            Pipeline::StateObject(id) => self.pipeline(id, "state_object", pipeline.call),
            Pipeline::Program { identifier, .. } => PipelineReport {
                object: None,
                kind: "program",
                call: pipeline.call,
                root_signature: None,
                shaders: self.shaders_of_program(&identifier),
            },
        }
    }

    /// Those of a generic program; none where the trace does not tell which one it is.
    fn shaders_of_program(&self, identifier: &Identifier) -> Vec<ShaderReport> {
        let program = self.state.programs.get(identifier);
        let shaders = program.and_then(|program| program.shaders(&mut |place| self.stored(place)));
        let report = |(stage, code): (&str, Arc<[u8]>)| ShaderReport {
            stage: stage.to_owned(),
            hash: Some(format!("{:032x}", content_hash(&code))),
            bytes: code.len() as u64,
        };
        shaders.unwrap_or_default().into_iter().map(report).collect()
    }

    /// A pipeline or state object, set by this call.
    pub(super) fn pipeline(&self, id: u32, kind: &'static str, call: u64) -> PipelineReport {
        let mut report =
            PipelineReport { object: self.object(id), kind, call, root_signature: None, shaders: Vec::new() };
        if let Some(object) = self.state.objects.get(id) {
            let creation = object.creation();
            if let Ok(arguments) = self.codec.decode_enter(MethodId(creation.method.0), creation.enter.bytes) {
                report.shaders = self.shaders(&arguments.members, creation.enter.blobs);
                report.root_signature =
                    super::object::root_signature_of(&arguments.members).and_then(|id| self.object(id));
            }
        }
        report
    }

    fn roots(&self, roots: &Roots) -> RootsReport {
        let signature = roots.signature.filter(|signature| signature.value != 0);
        let read = signature.map(|it| bindings::root_signature(|place| self.stored(place), self.state, it.value));
        let (bindings, error) = match read {
            Some(Ok((signature, _))) => (bindings::bindings(self.state, roots, &signature), None),
            Some(Err(error)) => (bindings::unsigned(self.state, roots), Some(error)),
            None => (bindings::unsigned(self.state, roots), None),
        };
        RootsReport {
            signature: signature.map(|setting| Set { value: self.known(setting.value), call: setting.call }),
            error,
            arguments: bindings.into_iter().map(|binding| self.argument(binding)).collect(),
        }
    }

    fn argument(&self, binding: Binding) -> ArgumentReport {
        let content = match binding.content {
            Content::Constants(at, words) => ContentReport::Constants { register: at.map(register), words },
            Content::View { register: at, view, address, .. } => ContentReport::Descriptor {
                register: at.map(register),
                view: match view {
                    RootView::Constants => "cbv",
                    RootView::Read => "srv",
                    RootView::Write => "uav",
                },
                location: address.and_then(|address| self.address(address)),
            },
            Content::Table { handle, slot, ranges } => ContentReport::Table {
                start: handle.map(|handle| self.handle(handle, slot)),
                ranges: ranges.iter().map(|range| self.range(range)).collect(),
            },
        };
        ArgumentReport {
            parameter: binding.parameter,
            call: binding.call,
            visibility: binding.visibility.map(|visibility| self.name("D3D12_SHADER_VISIBILITY", visibility)),
            content,
        }
    }

    fn range(&self, range: &Range) -> RangeReport {
        let heap = range.first.and_then(|first| self.state.descriptors.heap(first.heap));
        let mut slots = Vec::new();
        let mut more = 0;
        for (at, slot) in range.slots(heap.map_or(0, |heap| heap.count)) {
            let Some(descriptor) = heap.and_then(|heap| heap.get(slot.index)) else { continue };
            if slots.len() >= MOST_SLOTS {
                more += 1;
                continue;
            }
            let descriptor = self.descriptor(descriptor);
            slots.push(SlotReport { register: Some(register(at)), slot: slot.index, descriptor });
        }
        RangeReport {
            register: register(range.register),
            count: range.count,
            first: range.first.map(|first| first.index),
            slots,
            more,
        }
    }

    fn target(&self, target: &Target) -> TargetReport {
        TargetReport {
            handle: self.handle(target.handle, self.state.addresses.cpu(target.handle)),
            descriptor: target.descriptor.as_ref().map(|descriptor| self.descriptor(descriptor)),
        }
    }

    fn output(&self, bound: &Bound) -> OutputReport {
        let targets = bound.targets.as_ref();
        OutputReport {
            targets: targets.map(|setting| Set {
                value: setting.value.colours.iter().map(|target| self.target(target)).collect(),
                call: setting.call,
            }),
            depth: targets.and_then(|setting| setting.value.depth.as_ref()).map(|depth| self.target(depth)),
            render_pass: set(&bound.pass, |pass| self.pass(pass)),
            viewports: set(&bound.viewports, Vec::clone),
            scissors: set(&bound.scissors, Vec::clone),
            blend_factor: set(&bound.blend_factor, |factor| *factor),
            stencil_ref: set(&bound.stencil_ref, |stencil| *stencil),
            depth_bounds: set(&bound.depth_bounds, |bounds| *bounds),
            depth_bias: set(&bound.depth_bias, |bias| *bias),
            sample_positions: set(&bound.sample_positions, |positions| positions.positions.clone()),
            view_instances: set(&bound.view_instances, |mask| *mask),
            shading_rate: set(&bound.shading_rate, |(rate, combiners)| {
                let combiner = |value| self.name("D3D12_SHADING_RATE_COMBINER", value);
                (self.name("D3D12_SHADING_RATE", *rate), combiners.map(combiner))
            }),
            shading_rate_image: bound
                .shading_rate_image
                .as_ref()
                .and_then(|setting| Some(Set { value: self.object(setting.value)?, call: setting.call })),
            stream_output: slots(&bound.stream_output)
                .map(|(slot, buffer, call)| StreamOutputReport {
                    slot,
                    location: self.known_address(buffer.address),
                    bytes: buffer.size,
                    filled: self.known_address(buffer.filled),
                    call,
                })
                .collect(),
        }
    }

    fn pass(&self, pass: &Pass) -> PassReport {
        let access = |(begins, ends): (u32, u32)| {
            [
                self.name("D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE", begins),
                self.name("D3D12_RENDER_PASS_ENDING_ACCESS_TYPE", ends),
            ]
        };
        PassReport {
            flags: self.name("D3D12_RENDER_PASS_FLAGS", pass.flags),
            targets: pass.colours.iter().map(|colour| access(*colour)).collect(),
            depth: pass.depth.map(|depth| access(depth[0])),
            stencil: pass.depth.map(|depth| access(depth[1])),
        }
    }

    fn input(&self, bound: &Bound) -> InputReport {
        InputReport {
            topology: set(&bound.topology, |topology| self.name("D3D_PRIMITIVE_TOPOLOGY", *topology)),
            index: bound.index.and_then(|setting| {
                let buffer = setting.value?;
                Some(IndexReport {
                    location: self.known_address(buffer.address),
                    bytes: buffer.size,
                    format: self.name("DXGI_FORMAT", buffer.format),
                    call: setting.call,
                })
            }),
            vertices: slots(&bound.vertices)
                .map(|(slot, buffer, call)| VertexReport {
                    slot,
                    location: self.known_address(buffer.address),
                    bytes: buffer.size,
                    stride: buffer.stride,
                    call,
                })
                .collect(),
            strip_cut: set(&bound.strip_cut, |cut| self.name("D3D12_INDEX_BUFFER_STRIP_CUT_VALUE", *cut)),
        }
    }
}

/// The slots in which something is set that is not null.
fn slots<T>(slots: &[Option<Setting<Option<T>>>]) -> impl Iterator<Item = (u32, &T, u64)> {
    (0..).zip(slots).filter_map(|(slot, setting)| {
        let setting = setting.as_ref()?;
        Some((slot, setting.value.as_ref()?, setting.call))
    })
}
