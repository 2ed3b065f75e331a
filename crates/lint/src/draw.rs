//! What a draw or dispatch uses of the state that is bound, and whether all is bound that it needs.
//!
//! Invariant: a draw with the same bindings as the draw before adds nothing, and costs one look at what was set.

use crate::left::Left;
use crate::pipeline::{PIXEL, Pipeline, Want};
use crate::record::{Context, planes};
use crate::recording::{Recording, Table, Use, What};
use crate::role::Role;
use crate::rule::Severity;
use crate::rules::{draws, tables};
use crate::scene::{Place, Scene};
use crate::states::Access;
use crate::subresource::Subresources;
use crate::world::World;
use reprise_d3d12::types::{D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_ROOT_SIGNATURE_FLAGS};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{APPEND, Content, Kind};
use reprise_timeline::State;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings;
use reprise_timeline::state::lists::{Action, Bound, Pipeline as Run, RootArgument, RootView, Roots};
use reprise_trace::read::Trace;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// Pipelines and root signatures, read once.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pipelines: HashMap<u32, Option<Rc<Pipeline>>>,
    signatures: HashMap<u32, Option<Rc<RootSignature>>>,
    wants: HashMap<(u32, u32), Rc<[Want]>>,
}

impl Library {
    fn pipeline(&mut self, state: &State, trace: &Trace, id: u32) -> Option<Rc<Pipeline>> {
        let read = || state.objects.get(id).and_then(|object| Pipeline::read(object, trace)).map(Rc::new);
        self.pipelines.entry(id).or_insert_with(read).clone()
    }

    fn signature(&mut self, state: &State, trace: &Trace, id: u32) -> Option<Rc<RootSignature>> {
        let blob = |place| trace.blob_by_id(place).map_err(|error| error.to_string());
        let read = || bindings::root_signature(blob, state, id).ok().map(|(signature, _)| Rc::new(signature));
        self.signatures.entry(id).or_insert_with(read).clone()
    }

    fn wants(&mut self, state: &State, trace: &Trace, pipeline: u32, signature: u32) -> Option<Rc<[Want]>> {
        if let Some(wants) = self.wants.get(&(pipeline, signature)) {
            return Some(wants.clone());
        }
        let (own, placed) = (self.pipeline(state, trace, pipeline)?, self.signature(state, trace, signature)?);
        let wants: Rc<[Want]> = own.wants(&placed).into();
        self.wants.insert((pipeline, signature), wants.clone());
        Some(wants)
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        if self.pipelines.remove(&object).is_some() | self.signatures.remove(&object).is_some() {
            self.wants.retain(|(pipeline, signature), _| *pipeline != object && *signature != object);
        }
    }
}

/// A draw or dispatch to look at.
pub(crate) struct Drawing<'d, 's> {
    pub(crate) trace: &'d Trace,
    pub(crate) library: &'d mut Library,
    pub(crate) world: &'d World,
    pub(crate) left: &'d Left,
    pub(crate) recording: &'d mut Recording,
    pub(crate) scene: &'d mut Scene<'s>,
    pub(crate) place: Place,
}

/// What matters of what is bound, by the calls that set it.
fn fingerprint(bound: &Bound, action: Action) -> u64 {
    let mut hasher = DefaultHasher::new();
    fn call<T>(setting: &Option<reprise_timeline::state::lists::Setting<T>>) -> u64 {
        setting.as_ref().map_or(0, |setting| setting.call)
    }
    (action as u8, call(&bound.pipeline), call(&bound.heaps)).hash(&mut hasher);
    let roots = |roots: &Roots, hasher: &mut DefaultHasher| {
        call(&roots.signature).hash(hasher);
        for argument in roots.arguments.iter().flatten() {
            match &argument.value {
                // Words change from draw to draw and lead nowhere.
                RootArgument::Constants(_) => 1u64.hash(hasher),
                RootArgument::View(_, address) => address.hash(hasher),
                RootArgument::Table(handle) => handle.hash(hasher),
            }
        }
        roots.arguments.len().hash(hasher);
    };
    if matches!(action, Action::Dispatch) {
        roots(&bound.compute, &mut hasher);
    } else {
        roots(&bound.graphics, &mut hasher);
        (call(&bound.targets), call(&bound.index), call(&bound.topology)).hash(&mut hasher);
        bound.vertices.iter().for_each(|vertices| call(vertices).hash(&mut hasher));
        bound.stream_output.iter().for_each(|output| call(output).hash(&mut hasher));
    }
    hasher.finish()
}

impl Drawing<'_, '_> {
    /// A draw or dispatch with what it finds bound. `given` are the root parameters that a command signature sets.
    pub(crate) fn look(&mut self, action: Action, bound: &Bound, given: &[u32]) {
        let state = self.scene.state;
        let fingerprint = fingerprint(bound, action);
        let checked = [fingerprint, self.recording.generation(), given.len() as u64];
        if self.recording.checked == checked && !self.recording.keeps {
            return;
        }
        let dispatches = action == Action::Dispatch;
        let id = match bound.pipeline {
            Some(setting) => match setting.value {
                Run::State(id) if id != 0 => id,
                Run::State(_) => {
                    return draws::no_pipeline(self.scene, self.place, 0, dispatches);
                }
                // Programs and state objects say elsewhere what they need.
                Run::StateObject(_) | Run::Program { .. } => return self.possible(bound, dispatches),
            },
            None => return draws::no_pipeline(self.scene, self.place, 0, dispatches),
        };
        self.recording.needs.insert(id);
        let Some(pipeline) = self.library.pipeline(state, self.trace, id) else { return };
        if pipeline.compute != dispatches {
            return draws::no_pipeline(self.scene, self.place, id, dispatches);
        }
        let roots = if dispatches { &bound.compute } else { &bound.graphics };
        self.roots(id, &pipeline, bound, roots, given);
        if !dispatches {
            self.input(id, &pipeline, action, bound);
            self.output(&pipeline, bound);
        }
        self.recording.checked = [fingerprint, self.recording.generation(), given.len() as u64];
    }

    pub(crate) fn context(&mut self) -> Context<'_> {
        Context { state: self.scene.state, world: self.world, recording: self.recording }
    }

    /// A root signature.
    pub(crate) fn signature(&mut self, id: u32) -> Option<Rc<RootSignature>> {
        self.library.signature(self.scene.state, self.trace, id)
    }

    fn roots(&mut self, id: u32, pipeline: &Pipeline, bound: &Bound, roots: &Roots, given: &[u32]) {
        let state = self.scene.state;
        let pipeline_set = bound.pipeline.map_or(0, |setting| setting.call);
        let Some(set) = roots.signature.filter(|setting| setting.value != 0) else {
            // One without parameters needs none of the arguments; the API wants it all the same.
            return draws::signature(self.scene, self.place, (id, pipeline_set), pipeline.signature, None);
        };
        let wanted = pipeline.signature;
        if wanted != 0 && !state.lists.are_same(wanted, set.value) {
            let one = self.library.signature(state, self.trace, wanted);
            let other = self.library.signature(state, self.trace, set.value);
            if let (Some(one), Some(other)) = (one, other)
                && one != other
            {
                let set = Some((set.value, set.call));
                return draws::signature(self.scene, self.place, (id, pipeline_set), wanted, set);
            }
        }
        let Some(wants) = self.library.wants(state, self.trace, id, set.value) else { return };
        self.whole_heaps(set.value, bound);
        for want in wants.iter() {
            let argument = roots.arguments.get(want.parameter as usize).and_then(Option::as_ref);
            let Some(argument) = argument else {
                if !given.contains(&want.parameter) {
                    draws::argument(self.scene, self.place, id, (set.value, set.call), want);
                }
                continue;
            };
            match (&argument.value, want.offset) {
                (RootArgument::View(_, address), None) if !given.contains(&want.parameter) => {
                    self.view(want, *address, argument.call);
                }
                (RootArgument::Table(handle), Some(offset)) => {
                    self.table(want, *handle, offset, argument.call, bound);
                }
                _ => {}
            }
        }
    }

    /// What shaders that are not read may use, for those who want each use: all that root arguments lead to.
    pub(crate) fn possible(&mut self, bound: &Bound, compute: bool) {
        if !self.recording.keeps {
            return;
        }
        let (call, roots) = (self.place.call, if compute { &bound.compute } else { &bound.graphics });
        let Some(set) = roots.signature else { return };
        self.whole_heaps(set.value, bound);
        let signature = self.signature(set.value);
        for (parameter, argument) in roots.arguments.iter().enumerate() {
            match argument.as_ref().map(|argument| &argument.value) {
                Some(RootArgument::View(view, address)) => {
                    let (access, role) = match view {
                        RootView::Constants => (Access::Constants, Role::ConstantBuffer),
                        RootView::Read => (Access::NonPixel, Role::ShaderResource),
                        RootView::Write => (Access::Unordered, Role::UnorderedAccess),
                    };
                    let location = self.scene.state.addresses.resource(*address).filter(|_| *address != 0);
                    let Some(resource) = location.map(|location| location.resource) else { continue };
                    let severity = Severity::Hint;
                    let it = Use { resource, subresources: Subresources::All, access, bytes: None, severity };
                    self.recording.note(call, it, role);
                }
                Some(RootArgument::Table(handle)) => {
                    let content = signature.as_ref().and_then(|signature| signature.parameters.get(parameter));
                    let Some(Content::Table(ranges)) = content.map(|parameter| &parameter.content) else { continue };
                    let Some(first) = self.scene.state.addresses.gpu(*handle) else { continue };
                    let mut end = 0u32;
                    for range in ranges.iter().filter(|range| range.kind != Kind::Sampler) {
                        let offset = if range.offset == APPEND { end } else { range.offset };
                        end = offset.saturating_add(range.count);
                        let first = Slot { index: first.index.saturating_add(offset), ..first };
                        self.recording.push(call, What::Array(first, range.count));
                    }
                }
                _ => {}
            }
        }
    }

    /// Shaders that index heaps directly may use any descriptor of them.
    fn whole_heaps(&mut self, signature: u32, bound: &Bound) {
        const DIRECTLY_INDEXED: u32 = D3D12_ROOT_SIGNATURE_FLAGS::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED.0;
        if !self.recording.keeps
            || self.signature(signature).is_none_or(|signature| signature.flags & DIRECTLY_INDEXED == 0)
        {
            return;
        }
        for heap in bound.heaps.iter().flat_map(|heaps| heaps.value.iter()) {
            self.recording.push(self.place.call, What::Array(Slot { heap: *heap, index: 0 }, u32::MAX));
        }
    }

    /// A root descriptor, which call `set` set.
    fn view(&mut self, want: &Want, address: u64, set: u64) {
        let location = self.scene.state.addresses.resource(address).filter(|_| address != 0);
        let Some(location) = location else {
            return self.left.since(self.scene, self.place, "a root descriptor", address, set);
        };
        if !self.world.is_alone(location.resource) {
            let access = match want.kind {
                Kind::Cbv => Access::Constants,
                Kind::Uav => Access::Unordered,
                Kind::Srv | Kind::Sampler => Access::NonPixel,
            };
            return self.recording.push(self.place.call, What::Address(location.resource, access));
        }
        if want.kind == Kind::Srv && self.world.has_structures(location.resource) {
            let traced = Use::traced((location.resource, location.offset));
            return self.recording.push(self.place.call, What::Use(traced));
        }
        let (pixel, others) = (want.stages & PIXEL != 0, want.stages & !PIXEL != 0);
        let accesses = match want.kind {
            Kind::Cbv => [Some(Access::Constants), None],
            Kind::Uav => [Some(Access::Unordered), None],
            Kind::Srv => [pixel.then_some(Access::Pixel), others.then_some(Access::NonPixel)],
            Kind::Sampler => [None, None],
        };
        for access in accesses.into_iter().flatten() {
            let it = Use {
                resource: location.resource,
                subresources: Subresources::All,
                access,
                bytes: None,
                severity: Severity::Likely,
            };
            self.recording.push(self.place.call, What::Use(it));
        }
    }

    /// A register in a table.
    fn table(&mut self, want: &Want, handle: u64, offset: u32, set: u64, bound: &Bound) {
        let state = self.scene.state;
        let slot = state.addresses.gpu(handle);
        let heaps = bound.heaps.as_ref().map(|setting| (setting.value.as_slice(), setting.call));
        let Some(slot) = slot else {
            return tables::heap(self.scene, self.place, 0, want.parameter, set, heaps);
        };
        if !heaps.is_some_and(|(heaps, _)| heaps.contains(&slot.heap)) {
            return tables::heap(self.scene, self.place, slot.heap, want.parameter, set, heaps);
        }
        self.recording.needs.insert(slot.heap);
        let Some(heap) = state.descriptors.heap(slot.heap) else { return };
        let index = u64::from(slot.index) + u64::from(offset);
        // Of an array, only that some of its descriptors are used is known.
        if want.one_of_many {
            if index < u64::from(heap.count) && want.kind != Kind::Sampler {
                let first = Slot { heap: slot.heap, index: index as u32 };
                let count = want.count.min(heap.count - index as u32);
                self.recording.push(self.place.call, What::Array(first, count));
            }
            return;
        }
        if index >= u64::from(heap.count) {
            let register = (want.kind, want.register, want.space);
            return tables::end(
                self.scene,
                self.place,
                (slot.heap, heap.count),
                register,
                (want.parameter, index, set),
            );
        }
        let table = Table {
            slot: Slot { heap: slot.heap, index: index as u32 },
            kind: want.kind,
            register: want.register,
            space: want.space,
            parameter: want.parameter,
            pixel: want.stages & PIXEL != 0,
            others: want.stages & !PIXEL != 0,
        };
        self.recording.push(self.place.call, What::Table(table));
    }

    fn input(&mut self, id: u32, pipeline: &Pipeline, action: Action, bound: &Bound) {
        let call = self.place.call;
        if action == Action::DrawMesh {
            return;
        }
        if bound.topology.is_none_or(|topology| topology.value == 0) {
            draws::topology(self.scene, self.place, id);
        }
        for slot in (0..32).filter(|slot| pipeline.slots & 1 << slot != 0) {
            let set = bound.vertices.get(slot as usize).and_then(Option::as_ref);
            match set.and_then(|set| Some((set.value?.address, set.call))).filter(|(address, _)| *address != 0) {
                Some(vertices) => self.buffer(call, vertices, Access::Vertex, "a vertex buffer"),
                _ => draws::vertices(self.scene, self.place, id, slot),
            }
        }
        if action == Action::DrawIndexed {
            let index = bound.index.and_then(|set| Some((set.value?.address, set.call)));
            match index.filter(|(address, _)| *address != 0) {
                Some(index) => self.buffer(call, index, Access::Index, "the index buffer"),
                None => draws::indices(self.scene, self.place, id),
            }
        }
        for (output, set) in bound.streams() {
            self.buffer(call, (output.address, set), Access::StreamOut, "a buffer of stream output");
        }
    }

    /// The buffer at an address, which call `set` gave to the list.
    fn buffer(&mut self, call: u64, (address, set): (u64, u64), access: Access, what: &str) {
        let location = self.scene.state.addresses.resource(address).filter(|_| address != 0);
        match location.map(|location| location.resource) {
            Some(resource) if self.world.is_alone(resource) => {
                self.recording.uses(call, resource, Subresources::All, access);
            }
            Some(resource) => self.recording.push(call, What::Address(resource, access)),
            None => self.left.since(self.scene, self.place, what, address, set),
        }
    }

    fn output(&mut self, pipeline: &Pipeline, bound: &Bound) {
        let Some(targets) = &bound.targets else { return };
        let call = self.place.call;
        if pipeline.stages & PIXEL != 0 {
            for (slot, target) in targets.value.colours.iter().enumerate() {
                let Some(found) = target.descriptor.as_ref().filter(|_| pipeline.targets >> slot & 1 != 0) else {
                    continue;
                };
                if let Some((resource, subresources)) = self.context().viewed(&found.view) {
                    self.recording.uses(call, resource, subresources, Access::Target);
                }
            }
        }
        let Some(found) = targets.value.depth.as_ref().and_then(|target| target.descriptor.as_ref()) else { return };
        let Some((resource, all)) = self.context().viewed(&found.view) else { return };
        let Some(shape) = self.world.resources.get(&resource).map(|tracked| tracked.shape) else { return };
        let read_only = found.view.desc::<D3D12_DEPTH_STENCIL_VIEW_DESC>().map_or(0, |desc| desc.Flags.0);
        let depth = pipeline.depth;
        let sides = [
            (depth.test, depth.write && read_only & 1 == 0, true, shape.planes < 2),
            (depth.stencil && shape.planes > 1, depth.stencil_write && read_only & 2 == 0, false, true),
        ];
        for (used, writes, is_depth, is_stencil) in sides {
            if used {
                let access = if writes { Access::DepthWrite } else { Access::DepthRead };
                let subresources = planes(shape, &all, is_depth, is_stencil);
                self.recording.uses(call, resource, subresources, access);
            }
        }
    }
}
