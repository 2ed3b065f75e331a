//! The object behind `ID3D12StateObject`.

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use reprise_com::wide::Text;
use reprise_com::{Facet, Object, Ref};
use reprise_d3d12::types::D3D12_STATE_OBJECT_TYPE;
use reprise_dxbc::root_signature::StaticSampler;
use reprise_shader::Stage;
use reprise_shader::node::Node;
use reprise_state_object::association::{Settings, Subject};
use reprise_state_object::plan::{
    ADDITIONS, Description, EXTERNAL, Group, GroupKind, Inherited, Plan as Parts, Rename, Shader, give,
};
use reprise_state_object::{IDENTIFIER, RecordLayout};

use super::generic::{self, Export, Program};
use super::graph::Graph;
use super::graph::plan::Plan;
use super::graph::program::Given;
use super::graph::read::Described;
use super::handles::{Handles, Making};
use super::invalid;
use super::layout::{Layout, alike, same};
use super::piece::{Limits, Piece, Translated, translated};
use crate::device::{Child, Device};
use crate::environment::settings;
use crate::pipeline::shader::nodes;
use crate::root::RootSignature;
use crate::{Error, Result};

/// A description and the objects that it names by number.
#[derive(Debug, Default)]
pub struct Read {
    /// The description.
    pub description: Description,
    /// Root signatures; equal ones once.
    pub roots: Vec<Ref<RootSignature>>,
    /// What `description.inherited` is of, in the same order.
    pub parents: Vec<Ref<StateObject>>,
    /// Work graphs.
    pub graphs: Vec<Described>,
    /// Libraries, and what is wanted of them; their numbers are those in the description.
    pub libraries: Vec<(Arc<[u8]>, Vec<Rename>)>,
}

/// A place in a pipeline.
type Place = (Arc<Piece>, usize);

/// An export with an identifier.
#[derive(Debug)]
pub(super) struct Member {
    /// What it is.
    pub group: Group,
    /// What lies in its records.
    pub record: RecordLayout,
    /// Where it is as part of other pipelines.
    part: Option<Place>,
    /// Where its identifier is.
    named: Option<Place>,
}

/// The body of `ID3D12StateObject`.
#[derive(Debug)]
pub struct StateObject {
    pub(super) device: Child,
    /// A collection, a ray tracing pipeline or an executable.
    pub kind: D3D12_STATE_OBJECT_TYPE,
    flags: u32,
    shaders: Vec<(String, Shader)>,
    members: Vec<Member>,
    /// Places among the members by name.
    names: HashMap<String, usize>,
    roots: Vec<Ref<RootSignature>>,
    /// Of a ray tracing pipeline: one for all global root signatures that are alike.
    pub(super) wholes: Vec<Arc<Piece>>,
    /// Its pipelines keep what the driver says of them.
    pub(super) has_executables: bool,
    /// Bytes of stack that a dispatch has.
    stack: AtomicU64,
    /// With which a later process can have the same identifiers.
    pub(super) handles: Option<Handles>,
    /// Of an executable: its work graphs.
    pub graphs: Vec<Arc<Graph>>,
    /// Of an executable: its generic programs.
    programs: Vec<Arc<Program>>,
    /// Of an executable: shaders that programs of additions may name.
    exports: Vec<Export>,
    /// `ID3D12StateObjectProperties2`.
    pub(super) properties: Facet,
    /// `ID3D12WorkGraphProperties`.
    pub(super) graph_properties: Facet,
}

/// With `REPRISE_INFLATE` groups have other places than elsewhere, and so other identifiers, where drivers number them. Pure.
fn reorder<T>(groups: &mut [T], seed: Option<u64>) {
    if let (Some(seed), Some(others @ 1..)) = (seed, groups.len().checked_sub(1)) {
        groups.rotate_left(1 + (seed % others as u64) as usize);
    }
}

impl StateObject {
    /// Makes what was described. It grows from `grown`, which is the first that it inherits.
    ///
    /// # Errors
    /// What the API does not allow, a shader that cannot be translated, or Vulkan fails.
    pub fn new(
        device: &Object<Device>,
        kind: D3D12_STATE_OBJECT_TYPE,
        read: Read,
        grown: Option<&StateObject>,
        ([properties, graph_properties], mut handles): ([Facet; 2], Making),
    ) -> Result<StateObject> {
        let Read { description, roots, parents, .. } = read;
        let Parts { flags, shaders, mut groups } = Parts::new(description)?;
        reorder(&mut groups, settings().inflate);
        let whole = kind == D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE;
        let mut made = StateObject {
            device: Child::new(device),
            kind,
            flags,
            shaders: shaders.into_iter().collect(),
            members: Vec::with_capacity(groups.len()),
            names: groups.iter().zip(0..).map(|(group, at)| (group.name.clone(), at)).collect(),
            roots,
            wholes: Vec::new(),
            has_executables: device.executables.are_kept(),
            stack: AtomicU64::new(0),
            handles: None,
            graphs: Vec::new(),
            programs: Vec::new(),
            exports: Vec::new(),
            properties,
            graph_properties,
        };
        for group in groups {
            let record = RecordLayout::new(made.local(&group).map(|local| &local.signature));
            if !record.is_allowed() {
                return Err(invalid(format!("export {:?} has records of more than 4096 bytes", group.name)));
            }
            let origin = group.origin.and_then(|(parent, index)| Some(&parents.get(parent)?.members.get(index)?.part));
            made.members.push(Member { record, part: origin.cloned().flatten(), named: None, group });
        }
        match whole {
            true => made.link(device, &mut handles)?,
            false => made.collect(device, &mut handles)?,
        }
        made.handles = handles.finish();
        if let Some(grown) = grown {
            made.keeps_identifiers(grown)?;
        }
        made.stack = AtomicU64::new(made.default_stack());
        Ok(made)
    }

    /// Makes the programs of an executable. It has those of `grown`, which it grows from, too.
    ///
    /// # Errors
    /// What the API does not allow, a shader that cannot be translated, or Vulkan fails.
    pub fn executable(
        device: &Object<Device>,
        (read, programs): (Read, Vec<generic::Described>),
        grown: Option<&StateObject>,
        [properties, graph_properties]: [Facet; 2],
    ) -> Result<StateObject> {
        let Read { description, roots, parents, graphs, libraries } = read;
        if parents.len() > usize::from(grown.is_some()) {
            return Err(Error::Unsupported("executable state objects that take over collections"));
        }
        if grown.is_some() && !graphs.is_empty() {
            return Err(Error::Unsupported("work graphs in additions to executable state objects"));
        }
        let mut exports = generic::exports(&libraries, &description.associations, &roots)?;
        exports.extend(grown.into_iter().flat_map(|grown| grown.exports.iter().cloned()));
        if let Some(twice) = twice(exports.iter().map(|export| export.name.as_str())) {
            return Err(invalid(format!("two exports are called {twice:?}")));
        }
        let programs = programs.into_iter().map(|program| Program::new(device, program, &exports));
        let mut programs = programs.collect::<Result<Vec<_>>>()?;
        programs.extend(grown.into_iter().flat_map(|grown| grown.programs.iter().cloned()));
        let mut known = Vec::new();
        for (number, (blob, wanted)) in libraries.iter().enumerate().filter(|_| !graphs.is_empty()) {
            for (name, node) in nodes_of(blob, wanted)? {
                let subject = Subject { names: vec![&name, &node.plain, &node.entry], library: Some(number) };
                let settings = Settings::resolve(&description.associations, &[subject]);
                let root = |number: Option<usize>| number.and_then(|number| roots.get(number)).cloned();
                let given =
                    Given { blob: blob.clone(), global: root(settings.global), local: root(settings.local), node };
                known.push((name, given));
            }
        }
        let graphs = graphs.iter().map(|graph| make_graph(device, graph, &known));
        let mut graphs = graphs.collect::<Result<Vec<_>>>()?;
        graphs.extend(grown.into_iter().flat_map(|grown| grown.graphs.iter().cloned()));
        let names = graphs.iter().map(|graph| &graph.name).chain(programs.iter().map(|it| &it.name));
        let names: Vec<String> = names.map(Text::text).collect();
        if let Some(twice) = twice(names.iter().map(String::as_str)) {
            return Err(invalid(format!("two programs are called {twice:?}")));
        }
        Ok(StateObject {
            device: Child::new(device),
            kind: D3D12_STATE_OBJECT_TYPE::EXECUTABLE,
            flags: description.flags,
            shaders: Vec::new(),
            members: Vec::new(),
            names: HashMap::new(),
            roots,
            wholes: Vec::new(),
            has_executables: device.executables.are_kept(),
            stack: AtomicU64::new(0),
            handles: None,
            graphs,
            programs,
            exports,
            properties,
            graph_properties,
        })
    }

    /// The global root signature of an export.
    fn global(&self, group: &Group) -> Option<&Ref<RootSignature>> {
        group.settings.global.and_then(|global| self.roots.get(global))
    }

    /// The local root signature of an export.
    fn local(&self, group: &Group) -> Option<&Ref<RootSignature>> {
        group.settings.local.and_then(|local| self.roots.get(local))
    }

    /// Static samplers in the records of an export.
    fn samplers(&self, group: &Group) -> Option<&Vec<StaticSampler>> {
        self.local(group).map(|local| &local.signature.samplers).filter(|samplers| !samplers.is_empty())
    }

    /// What pipelines of some exports have in common.
    fn limits(&self, members: &[usize]) -> Result<Limits> {
        let mut limits = Limits::default();
        for (at, member) in members.iter().map(|index| &self.members[*index]).enumerate() {
            let settings = &member.group.settings;
            let sizes = settings.shader.unwrap_or_default();
            limits.payload = limits.payload.max(sizes.payload);
            limits.attributes = limits.attributes.max(sizes.attributes);
            let config = settings.pipeline.unwrap_or_default();
            if at != 0 && config != limits.config {
                let name = &member.group.name;
                return Err(invalid(format!("export {name:?} has another pipeline config than those before it")));
            }
            limits.config = config;
        }
        Ok(limits)
    }

    /// Exports by their global root signature; in whole pipelines by those that are alike, where those without one go with the first that have one.
    fn by_root(&self, whole: bool) -> Vec<(Option<usize>, Vec<usize>)> {
        let mut all: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
        let first = self.members.iter().find_map(|member| member.group.settings.global).filter(|_| whole);
        let object = |root: Option<usize>| root.and_then(|root| self.roots.get(root)).map(|root| &***root);
        for (index, member) in self.members.iter().enumerate() {
            let root = member.group.settings.global.or(first);
            match all.iter_mut().find(|(known, _)| *known == root || whole && alike(object(*known), object(root))) {
                Some((_, members)) => members.push(index),
                None => all.push((root, vec![index])),
            }
        }
        all
    }

    /// The global root signatures of exports, each once.
    fn globals(&self, members: &[usize]) -> Vec<Ref<RootSignature>> {
        let mut all: Vec<Ref<RootSignature>> = Vec::new();
        for root in members.iter().filter_map(|index| self.global(&self.members[*index].group)) {
            if !all.iter().any(|known| same(known, root)) {
                all.push(root.clone());
            }
        }
        all
    }

    /// Static samplers of exports, each list once, behind those that are there.
    fn locals(&self, members: &[usize], first: &[Vec<StaticSampler>]) -> Vec<Vec<StaticSampler>> {
        let mut locals = first.to_vec();
        for samplers in members.iter().filter_map(|index| self.samplers(&self.members[*index].group)) {
            if !locals.contains(samplers) {
                locals.push(samplers.clone());
            }
        }
        locals
    }

    /// Translates the shaders of an export. `None` for what waits for definitions from elsewhere.
    fn translate(&self, device: &Device, layout: &Layout, index: usize) -> Result<Option<Translated>> {
        let group = &self.members[index].group;
        let waits = self.flags & EXTERNAL != 0 && self.kind == D3D12_STATE_OBJECT_TYPE::COLLECTION;
        if waits && (group.settings.shader.is_none() || group.settings.pipeline.is_none()) {
            return Ok(None);
        }
        if waits && group.imports.iter().any(|import| import.shader.is_none()) {
            return Ok(None);
        }
        match translated(device, layout, (group, [self.global(group), self.local(group)])) {
            Ok(shaders) => Ok(Some(shaders)),
            // A register may be one of a root signature that is not here yet.
            Err(Error::Invalid(_)) if waits && (group.settings.local.is_none() || group.settings.global.is_none()) => {
                Ok(None)
            }
            Err(error) => {
                reprise_log::warning(format!("state object: export {:?}: {error}", group.name));
                Err(error)
            }
        }
    }

    /// Makes parts of the exports of a collection, as far as they are complete.
    fn collect(&mut self, device: &Object<Device>, handles: &mut Making) -> Result<()> {
        for member in &mut self.members {
            member.named.clone_from(&member.part);
        }
        for (root, members) in self.by_root(false) {
            let new: Vec<usize> = members.into_iter().filter(|index| self.members[*index].part.is_none()).collect();
            if new.is_empty() {
                continue;
            }
            let roots = root.and_then(|root| self.roots.get(root)).into_iter().cloned().collect();
            let layout = Arc::new(Layout::new(device, roots, &self.locals(&new, &[]))?);
            let mut shaders = Vec::new();
            for index in new {
                if let Some(found) = self.translate(device, &layout, index)? {
                    shaders.push((index, found));
                }
            }
            let complete: Vec<usize> = shaders.iter().map(|(index, _)| *index).collect();
            if complete.is_empty() {
                continue;
            }
            let limits = self.limits(&complete)?;
            self.part((device, handles), &layout, limits, shaders)?;
        }
        Ok(())
    }

    /// Makes a part of exports.
    fn part(
        &mut self,
        with: (&Object<Device>, &mut Making),
        layout: &Arc<Layout>,
        limits: Limits,
        shaders: Vec<(usize, Translated)>,
    ) -> Result<Arc<Piece>> {
        let (members, groups) = self.groups(shaders);
        let piece = Arc::new(Piece::new(with, layout, limits, &groups, Vec::new(), false)?);
        for (at, index) in members.into_iter().enumerate() {
            self.members[index].part = Some((piece.clone(), at));
            self.members[index].named = Some((piece.clone(), at));
        }
        Ok(piece)
    }

    fn groups(&self, shaders: Vec<(usize, Translated)>) -> (Vec<usize>, Vec<(&Group, Translated)>) {
        shaders.into_iter().map(|(index, shaders)| (index, (&self.members[index].group, shaders))).unzip()
    }

    /// Makes the pipelines of a state object that lists bind.
    fn link(&mut self, device: &Object<Device>, handles: &mut Making) -> Result<()> {
        let all: Vec<usize> = (0..self.members.len()).collect();
        let limits = self.limits(&all)?;
        for (_, members) in self.by_root(true) {
            let roots = self.globals(&members);
            let root = roots.first().map(|root| &***root);
            // Parts that fit are taken as they are; the others are made again.
            let known = members.iter().filter_map(|index| self.members[*index].part.as_ref());
            let known: Vec<&Arc<Piece>> = known.map(|(piece, _)| piece).filter(|it| it.limits == limits).collect();
            let base = known.iter().find(|piece| piece.layout.is_like(root));
            let first = base.map_or(&[][..], |piece| piece.layout.locals());
            let locals = self.locals(&members, first);
            let serves = |layout: &Layout| {
                layout.locals().len() == locals.len() && roots.iter().all(|root| layout.takes(Some(root)))
            };
            let layout = match base.filter(|piece| serves(&piece.layout)) {
                Some(piece) => piece.layout.clone(),
                None => Arc::new(Layout::new(device, roots.clone(), &locals)?),
            };
            let fits = |piece: &Piece| {
                piece.limits == limits && piece.layout.is_like(root) && piece.layout.locals() == &locals[..]
            };
            let mut parts: Vec<Arc<Piece>> = Vec::new();
            let mut shaders = Vec::new();
            for index in &members {
                match self.members[*index].part.as_ref().filter(|(piece, _)| fits(piece)) {
                    Some((piece, _)) if parts.iter().any(|part| Arc::ptr_eq(part, piece)) => {}
                    Some((piece, _)) => parts.push(piece.clone()),
                    None => {
                        self.members[*index].part = None;
                        let found = self.translate(device, &layout, *index)?;
                        shaders.push((*index, found.ok_or(Error::Fail("a shader that is not translated"))?));
                    }
                }
            }
            if self.flags & ADDITIONS != 0 && !shaders.is_empty() {
                parts.push(self.part((device, handles), &layout, limits, core::mem::take(&mut shaders))?);
            }
            let again = match device.caps.links_without_push_constants() {
                true => self.generation(device, &layout, &members, &shaders)?,
                false => None,
            };
            let (new, mut groups) = self.groups(shaders);
            groups.extend(again);
            let mut first = groups.len();
            let whole = Arc::new(Piece::new((device, handles), &layout, limits, &groups, parts.clone(), true)?);
            for (at, index) in new.iter().enumerate() {
                self.members[*index].named = Some((whole.clone(), at));
            }
            for part in &parts {
                for index in &members {
                    let member = &mut self.members[*index];
                    if let Some((_, at)) = member.part.as_ref().filter(|(piece, _)| Arc::ptr_eq(piece, part)) {
                        let in_part = part.identifiers.get(*at).is_some();
                        let place = if in_part { (part.clone(), *at) } else { (whole.clone(), first + at) };
                        member.named = Some(place);
                    }
                }
                first += part.stacks.len();
            }
            self.wholes.push(whole);
        }
        Ok(())
    }

    /// A ray generation shader that is in a part, once more; `None` if there is none, or one that is not in a part.
    fn generation(
        &self,
        device: &Device,
        layout: &Layout,
        members: &[usize],
        own: &[(usize, Translated)],
    ) -> Result<Option<(&Group, Translated)>> {
        let is = |index: &usize| {
            let imports = &self.members[*index].group.imports;
            imports.iter().any(|import| import.stage == Stage::RayGeneration)
        };
        if own.iter().any(|(index, _)| is(index)) {
            return Ok(None);
        }
        let Some(index) = members.iter().copied().find(is) else { return Ok(None) };
        let found = self.translate(device, layout, index)?;
        Ok(found.map(|shaders| (&self.members[index].group, shaders)))
    }

    /// Whether programs can go on with the identifiers that they have of a state object.
    fn keeps_identifiers(&self, grown: &StateObject) -> Result<()> {
        let changed = |member: &&Member| {
            let name = &member.group.name;
            self.identifier(name).map(|(bytes, _)| bytes) != grown.identifier(name).map(|(bytes, _)| bytes)
        };
        match grown.members.iter().find(changed) {
            None => Ok(()),
            Some(member) => {
                let name = &member.group.name;
                reprise_log::warning(format!("AddToStateObject: the identifier of {name:?} would be another"));
                Err(Error::Unsupported("additions that change the identifiers of shaders, on this device"))
            }
        }
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.members.get(*self.names.get(name)?)
    }

    /// An export's identifier, and what lies in its records; `None` for what has none or is not complete.
    pub fn identifier(&self, name: &str) -> Option<(&[u8; IDENTIFIER], &RecordLayout)> {
        let member = self.member(name)?;
        let (piece, at) = member.named.as_ref()?;
        Some((piece.identifiers.get(*at)?, &member.record))
    }

    /// What lies in the records that begin with an identifier.
    pub fn record(&self, identifier: &[u8; IDENTIFIER]) -> Option<&RecordLayout> {
        let is = |member: &&Member| {
            member.named.as_ref().and_then(|(piece, at)| piece.identifiers.get(*at)) == Some(identifier)
        };
        self.members.iter().find(is).map(|member| &member.record)
    }

    /// Bytes of stack that an export needs; of a hit group, the shader is named behind `::`.
    pub fn shader_stack(&self, name: &str) -> Option<u64> {
        let (group, shader) = name.split_once("::").map_or((name, None), |(group, shader)| (group, Some(shader)));
        let member = self.member(group)?;
        let (piece, at) = member.named.as_ref()?;
        let stacks = piece.stacks.get(*at)?;
        let has = |stage| member.group.imports.iter().any(|import| import.stage == stage);
        match (member.group.kind, shader) {
            (GroupKind::General, None) => Some(stacks[0]),
            (GroupKind::Triangles | GroupKind::Procedural, Some("closesthit")) if has(Stage::ClosestHit) => {
                Some(stacks[0])
            }
            (GroupKind::Triangles | GroupKind::Procedural, Some("anyhit")) if has(Stage::AnyHit) => Some(stacks[1]),
            (GroupKind::Procedural, Some("intersection")) => Some(stacks[2]),
            _ => None,
        }
    }

    /// What the API takes for a stack that no program has set (DXR specification, "Default pipeline stack size").
    fn default_stack(&self) -> u64 {
        let stacks = |member: &Member| member.named.as_ref().and_then(|(piece, at)| piece.stacks.get(*at)).copied();
        let most = |of: fn(&Group) -> bool, which: usize| {
            let all = self.members.iter().filter(|member| of(&member.group));
            all.filter_map(stacks).map(|stacks| stacks[which]).max().unwrap_or(0)
        };
        fn is(group: &Group, stage: Stage) -> bool {
            group.kind == GroupKind::General && group.imports.iter().any(|import| import.stage == stage)
        }
        let hit = |group: &Group| group.kind != GroupKind::General;
        let depth = self.settings().pipeline.unwrap_or_default().depth;
        default_stack(
            most(|group| is(group, Stage::RayGeneration), 0),
            most(hit, 0),
            most(|group| is(group, Stage::Miss), 0),
            most(hit, 2) + most(hit, 1),
            most(|group| is(group, Stage::Callable), 0),
            depth.into(),
        )
    }

    /// Bytes of stack that a dispatch has.
    pub fn stack(&self) -> u64 {
        self.stack.load(Ordering::Relaxed)
    }

    /// The program sets them.
    pub fn set_stack(&self, bytes: u64) {
        self.stack.store(bytes, Ordering::Relaxed);
    }

    /// The pipeline for a global root signature.
    pub fn whole(&self, root: Option<&RootSignature>) -> Option<&Arc<Piece>> {
        let takes = |root| self.wholes.iter().find(|piece| piece.layout.takes(root));
        takes(root).or_else(|| takes(None))
    }

    /// The global root signature of an export.
    pub fn root_of(&self, name: &str) -> Option<&Ref<RootSignature>> {
        let member = self.member(name)?;
        member.group.settings.global.and_then(|root| self.roots.get(root))
    }

    /// A work graph by its program's name, with its index.
    pub fn graph(&self, name: &str) -> Option<(u32, &Arc<Graph>)> {
        let wide: Vec<u16> = name.encode_utf16().collect();
        self.graphs.iter().zip(0..).find(|(graph, _)| graph.name.utf_16() == wide).map(|(graph, index)| (index, graph))
    }

    /// The identifier of a program by its name: of a work graph or a generic program.
    pub(super) fn program_identifier(&self, name: &str) -> Option<[u64; 4]> {
        let graph = self.graph(name).map(|(_, graph)| graph.identifier());
        graph.or_else(|| Some(self.program(name)?.identifier()))
    }

    /// The global root signature of a program by its name.
    pub(super) fn program_root(&self, name: &str) -> Option<&Ref<RootSignature>> {
        match self.graph(name) {
            Some((_, graph)) => graph.root(),
            None => self.program(name).map(|program| &program.pipeline.root),
        }
    }

    fn program(&self, name: &str) -> Option<&Arc<Program>> {
        self.programs.iter().find(|program| program.name.text() == name)
    }

    /// Whether others may grow from it.
    pub fn is_open(&self) -> bool {
        self.flags & ADDITIONS != 0
    }

    /// What its exports have in common, by the first of them.
    pub fn settings(&self) -> Settings {
        self.members.first().map(|member| member.group.settings).unwrap_or_default()
    }

    /// Root signatures by number.
    pub fn roots(&self) -> &[Ref<RootSignature>] {
        &self.roots
    }

    /// What another state object takes over: these exports, or all. `numbers` are the other's numbers of [`StateObject::roots`].
    ///
    /// # Errors
    /// There is no such export.
    pub fn give(&self, wanted: &[Rename], numbers: &[usize]) -> Result<Inherited> {
        let shaders = self.shaders.iter().map(|(name, shader)| (name, shader));
        let groups = self.members.iter().map(|member| (&member.group, member.part.is_some()));
        match give(shaders, groups, wanted, numbers) {
            (all, None) => Ok(all),
            (_, Some(missing)) => Err(missing.into()),
        }
    }
}

/// A name that comes twice.
fn twice<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut all = BTreeSet::new();
    names.find(|name| !all.insert(*name))
}

/// The nodes of a library that a program asks for, by the names of their exports.
fn nodes_of(blob: &[u8], wanted: &[Rename]) -> Result<Vec<(String, Node)>> {
    let all = nodes(blob)?;
    if wanted.is_empty() {
        return Ok(all.into_iter().map(|node| (node.plain.clone(), node)).collect());
    }
    let is = |node: &&Node, name: &str| node.plain == name || node.entry == name;
    // What is no node is another shader, or a subobject; whether it is there at all was looked at before.
    let each = wanted.iter().filter_map(|rename| {
        let mut node = all.iter().find(|node| is(node, &rename.from))?.clone();
        // A node without a name of its own is called as its export.
        if node.id.name == node.plain {
            node.id.name.clone_from(&rename.name);
        }
        Some((rename.name.clone(), node))
    });
    Ok(each.collect())
}

/// A graph of the nodes that are known.
fn make_graph(device: &Object<Device>, graph: &Described, known: &[(String, Given)]) -> Result<Arc<Graph>> {
    let mut given = Vec::new();
    let mut named = Vec::new();
    for explicit in &graph.nodes {
        let found = known.iter().find(|(name, _)| *name == explicit.shader);
        let (_, found) = found.ok_or_else(|| invalid(format!("node {:?} is no export", explicit.shader)))?;
        let mut found = found.clone();
        explicit.apply(&mut found.node)?;
        given.push(found);
        named.push(true);
    }
    for (_, other) in known.iter().filter(|(name, _)| graph.nodes.iter().all(|explicit| explicit.shader != *name)) {
        given.push(other.clone());
        named.push(false);
    }
    let nodes: Vec<Node> = given.iter().map(|given| given.node.clone()).collect();
    let plan = Plan::new(&nodes, &named, &graph.wanted);
    let plan = plan.map_err(|wrong| invalid(format!("work graph {:?}: {wrong}", graph.name)))?;
    Graph::new(device, &graph.name, &plan, &given)
}

/// Bytes of the stack of a pipeline whose shaders call each other as deep as it allows: ray generation, then hits or misses, within
/// which rays are traced again; callable shaders call one other.
fn default_stack(
    generation: u64,
    closest: u64,
    miss: u64,
    intersection_and_any: u64,
    callable: u64,
    depth: u64,
) -> u64 {
    let hit = closest.max(miss);
    let deepest = hit.max(intersection_and_any);
    generation + deepest * depth.min(1) + hit * depth.saturating_sub(1) + 2 * callable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_every_group_another_place() {
        for (count, seed) in [(2, 0), (2, 7), (3, 7), (5, 7), (5, u64::MAX)] {
            let mut groups: Vec<usize> = (0..count).collect();
            reorder(&mut groups, Some(seed));
            assert!(groups.iter().enumerate().all(|(place, group)| place != *group), "{groups:?}");
        }
        let mut alone = [1];
        reorder(&mut alone, Some(7));
        reorder::<u8>(&mut [], Some(7));
        let mut same = [1, 2];
        reorder(&mut same, None);
        assert_eq!((alone, same), ([1], [1, 2]));
    }

    /// Worked out by hand from the formula of the specification.
    #[test]
    fn a_stack_is_as_deep_as_the_recursion() {
        assert_eq!(default_stack(10, 20, 30, 5, 7, 0), 10 + 14);
        assert_eq!(default_stack(10, 20, 30, 5, 7, 1), 10 + 30 + 14);
        assert_eq!(default_stack(10, 20, 30, 50, 0, 1), 10 + 50);
        assert_eq!(default_stack(10, 20, 30, 50, 0, 3), 10 + 50 + 60);
    }
}
