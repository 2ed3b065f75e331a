//! A work graph on the device: a pipeline for each node, and what kernels know of nodes.
//!
//! Each node has a pipeline layout of its own: root arguments of the global root signature are a uniform buffer, because a node's push
//! constants are its own. Invariant: a graph never changes, and lists that dispatch it keep it.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ash::vk;
use reprise_com::wide::Text;
use reprise_com::{Object, Ref};
use reprise_gpu::descriptor::block_layout::BlockLayout;
use reprise_gpu::descriptor::static_samplers::StaticSamplers;
use reprise_gpu::encoder::graph;
use reprise_gpu::logical::Logical;
use reprise_gpu::memory::{CpuAccess, Slice};
use reprise_shader::node::{Launch, Node, Push, THREADS, constant};
use reprise_shader::{Interface, Link, Slot, Stage};

use super::plan::{Placed, Plan};
use crate::device::Device;
use crate::pipeline::compute;
use crate::pipeline::shader::{Module, translate};
use crate::root::{RootSignature, heaps, sampler_descriptions, set_layouts};
use crate::state_object::{invalid, record};
use crate::{Error, Result};

/// A node and what it is made of.
#[derive(Clone, Debug)]
pub struct Given {
    /// The node.
    pub node: Node,
    /// The library with its shader.
    pub blob: Arc<[u8]>,
    /// Its global root signature.
    pub global: Option<Ref<RootSignature>>,
    /// Its local root signature.
    pub local: Option<Ref<RootSignature>>,
}

/// A node on the device.
#[derive(Debug)]
pub struct Made {
    logical: Arc<Logical>,
    /// The node.
    pub node: Node,
    /// Its name, as the API gives it.
    pub name: Text,
    /// Its pipeline.
    pub pipeline: vk::Pipeline,
    /// Its pipeline layout.
    pub layout: vk::PipelineLayout,
    /// The set of the block of root arguments.
    pub block: u32,
    /// The global root signature.
    pub global: Option<Ref<RootSignature>>,
    /// Static samplers of the local root signature, and their set.
    pub samplers: Option<(u32, StaticSamplers)>,
    /// Descriptor sets that the shader names, one bit each.
    pub sets: u32,
    /// Held for the layout.
    #[allow(dead_code, reason = "held until dropped")]
    own_block: Option<BlockLayout>,
}

/// A work graph.
#[derive(Debug)]
pub struct Graph {
    /// The program's name, as the API gives it.
    pub name: Text,
    /// Its number among all that this process has made.
    pub number: u64,
    /// Nodes by number; `None` for those that are not there, and those that no level has.
    pub nodes: Vec<Option<Made>>,
    /// Entry points.
    pub entries: Vec<u32>,
    /// The nodes of each level.
    pub levels: Vec<Vec<Placed>>,
    /// What kernels know of nodes, and the nodes of entry points.
    pub data: Slice,
    /// Numbers of the nodes that are there, in the order of the API's indices.
    pub order: Vec<u32>,
}

/// What is in the graph, told by identifiers.
static GRAPHS: Mutex<BTreeMap<u64, Weak<Graph>>> = Mutex::new(BTreeMap::new());

/// The first of an identifier's words: "REPGRAPH".
const MARK: u64 = u64::from_le_bytes(*b"REPGRAPH");

/// Most bytes of a record. The API's limit is 32 KiB, but for entry points, which have none.
const RECORD: u32 = 64 << 10;

impl Graph {
    /// Makes a graph.
    ///
    /// # Errors
    /// A shader cannot be translated, or Vulkan fails.
    pub fn new(device: &Object<Device>, name: &str, plan: &Plan, given: &[Given]) -> Result<Arc<Graph>> {
        let mut used: Vec<u32> = plan.levels.iter().flatten().map(|placed| placed.node).collect();
        used.sort_unstable();
        used.dedup();
        let tables = tables(plan, given, &used);
        let mut nodes: Vec<Option<Made>> = Vec::new();
        nodes.resize_with(plan.nodes.len(), || None);
        for number in &used {
            let at = *number as usize;
            let Some(given) = plan.nodes[at].map(|at| &given[at]) else { continue };
            let made = Made::new(device, given, &plan.outputs[at], tables.get(number).copied());
            nodes[at] = Some(made.inspect_err(|error| {
                reprise_log::warning(format!(
                    "state object: node {:?}[{}]: {error}",
                    given.node.id.name, given.node.id.index
                ));
            })?);
        }
        let mut words: Vec<u32> = Vec::new();
        for (at, made) in nodes.iter().enumerate() {
            words
                .extend(made.as_ref().map(|made| kernel_node(&made.node, plan.shares[at])).unwrap_or_default().words());
        }
        words.extend(&plan.entries);
        let data = device.memory.buffer(CpuAccess::Upload, words.len() as u64 * 4)?;
        let place = data.mapped().ok_or(Error::Fail("upload memory that is not mapped"))?;
        // SAFETY: the slice has room for the words, and nothing else uses it.
        unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), place.as_ptr().cast::<u32>(), words.len()) };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (entries, levels) = (plan.entries.clone(), plan.levels.clone());
        let graph = Arc::new(Graph { name: name.into(), number, nodes, entries, levels, data, order: used });
        GRAPHS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::downgrade(&graph));
        Ok(graph)
    }

    /// Its identifier.
    pub fn identifier(&self) -> [u64; 4] {
        [MARK, self.number, 0, 0]
    }

    /// The graph of an identifier.
    pub fn of(identifier: [u64; 4]) -> Option<Arc<Graph>> {
        let [MARK, number, 0, 0] = identifier else { return None };
        GRAPHS.lock().unwrap_or_else(PoisonError::into_inner).get(&number)?.upgrade()
    }

    /// A node that is there.
    pub fn node(&self, number: u32) -> Option<&Made> {
        self.nodes.get(number as usize)?.as_ref()
    }

    /// The node of an entry point.
    pub fn entry(&self, index: u32) -> Option<&Made> {
        self.node(*self.entries.get(index as usize)?)
    }

    /// The root signature that its nodes have in common: that of the first which has one.
    pub fn root(&self) -> Option<&Ref<RootSignature>> {
        self.nodes.iter().flatten().find_map(|node| node.global.as_ref())
    }

    /// Least and most bytes of memory that a program gives it.
    pub fn sizes(&self) -> [u64; 2] {
        graph::Memory::sizes(self.nodes.len() as u32)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        GRAPHS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// Places in the table of local root arguments: nodes that have such arguments and name no place get those that are free.
fn tables(plan: &Plan, given: &[Given], used: &[u32]) -> BTreeMap<u32, u32> {
    let of = |number: &u32| plan.nodes[*number as usize].map(|at| &given[at]);
    let mut found: BTreeMap<u32, u32> =
        used.iter().filter_map(|number| Some((*number, of(number)?.node.table?))).collect();
    let mut free = 0;
    for number in used {
        if found.contains_key(number) || of(number).is_none_or(|given| given.local.is_none()) {
            continue;
        }
        while found.values().any(|place| *place == free) {
            free += 1;
        }
        found.insert(*number, free);
    }
    found
}

/// What kernels know of a node.
fn kernel_node(node: &Node, shares: Option<u32>) -> graph::Node {
    let groups = node.grid.iter().fold(1u32, |all, count| all.saturating_mul(*count));
    graph::Node {
        stride: node.stride,
        launch: node.launch as u32,
        tracked: node.tracked,
        narrow: node.field.narrow,
        dynamic: node.dynamic,
        components: node.field.components,
        records: match node.launch {
            Launch::Broadcasting => 1,
            Launch::Coalescing => node.coalesced,
            Launch::Thread => THREADS,
        },
        shares,
        field: node.field.offset,
        groups: if node.launch == Launch::Broadcasting { groups } else { 1 },
    }
}

impl Made {
    /// Bytes of a record, as the program has it.
    pub fn record(&self) -> u32 {
        self.node.stride - if self.node.tracked { 4 } else { 0 }
    }

    fn new(device: &Object<Device>, given: &Given, outputs: &[u32], table: Option<u32>) -> Result<Made> {
        if given.node.stride > RECORD {
            return Err(Error::Unsupported("nodes whose records have more than 64 KiB"));
        }
        let root = given.global.as_deref().map(|root| &**root);
        let mut sets = set_layouts(device, root);
        let own_block = match root.and_then(|root| root.block.as_ref()) {
            Some(_) => None,
            None => Some(BlockLayout::new(&device.logical, &device.bindings, sets.len() as u32)?),
        };
        sets.extend(own_block.as_ref().map(|block| block.layout));
        let block = sets.len() as u32 - 1;
        let local = given.local.as_ref().map(|local| &local.signature);
        let described = match local {
            Some(local) => sampler_descriptions(&local.samplers)?,
            None => Vec::new(),
        };
        let samplers = match described.is_empty() {
            true => None,
            false => {
                let samplers = StaticSamplers::new(&device.logical, &device.bindings, &described)?;
                sets.push(samplers.layout);
                Some((block + 1, samplers))
            }
        };
        if sets.len() > device.caps.limits.max_bound_descriptor_sets as usize {
            return Err(Error::Unsupported("nodes with so many sets: the device binds too few descriptor sets"));
        }
        let mut interface = match root {
            Some(root) => root.interface.clone(),
            None => Interface { heaps: heaps(&device.bindings), ..Interface::default() },
        };
        interface.overflow = Some(Slot { set: block, binding: 0 });
        let local = local.map(|local| record::local(local, block + 1, 0));
        let mut node = given.node.clone();
        node.table = table;
        let link = Link { entry: Some(node.entry.clone()), local, ..Link::default() };
        let spirv = translate(device, &given.blob, Stage::Compute, &interface, &link)?;
        let (wave, flags) = compute::waves(device, &spirv)?;
        if node.launch != Launch::Thread {
            compute::fits(device, &spirv)?;
        }
        let constants = Constants::new(&node, outputs);
        let module = Module::new(device, &spirv)?;
        let named = spirv.facts().sets;
        let entry =
            CString::new(spirv.entry).map_err(|_| invalid("an entry point with a zero in its name".to_owned()))?;
        let mut made = Made {
            logical: device.logical.clone(),
            name: node.id.name.as_str().into(),
            node,
            pipeline: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            block,
            global: given.global.clone(),
            samplers,
            sets: named,
            own_block,
        };
        let push = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(size_of::<Push>() as u32)];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&push);
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { device.vk.create_pipeline_layout(&info, None) };
        made.layout = device.check("vkCreatePipelineLayout", layout)?;
        let info = vk::SpecializationInfo::default().map_entries(&constants.places).data(&constants.data);
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .flags(flags)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module.module)
            .name(&entry)
            .specialization_info(&info);
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        if let Some(wave) = wave {
            size = size.required_subgroup_size(wave);
            stage = stage.push_next(&mut size);
        }
        let info =
            vk::ComputePipelineCreateInfo::default().flags(device.pipeline_flags()).stage(stage).layout(made.layout);
        let cache = reprise_gpu::cache::Cache::new(&device.pipelines, &[]);
        // SAFETY: the structures live until the call returns.
        let pipelines = unsafe { device.vk.create_compute_pipelines(cache.handle(), &[info], None) };
        let pipelines = device.check("vkCreateComputePipelines", pipelines.map_err(|(_, error)| error))?;
        made.pipeline = pipelines.first().copied().ok_or(Error::Fail("Vulkan made no pipeline"))?;
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: lists keep the graphs that they dispatch. Null handles are passed over.
        unsafe {
            self.logical.vk.destroy_pipeline(self.pipeline, None);
            self.logical.vk.destroy_pipeline_layout(self.layout, None);
        }
    }
}

/// Values of specialisation constants.
struct Constants {
    places: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Constants {
    fn new(node: &Node, outputs: &[u32]) -> Constants {
        let mut all = vec![(constant::ENTRY, 0), (constant::INDIRECT, 0)];
        match node.launch {
            Launch::Broadcasting => {
                all.extend([(constant::DYNAMIC, node.dynamic.into()), (constant::STATIC, 0)]);
                all.extend((constant::GRID..).zip(node.grid));
            }
            Launch::Thread => all.push((constant::THREADS, THREADS)),
            Launch::Coalescing => {}
        }
        all.extend(node.outputs.iter().map(|output| output.constant).zip(outputs.iter().copied()));
        let place = |(at, (id, _)): (usize, &(u32, u32))| vk::SpecializationMapEntry {
            constant_id: *id,
            offset: 4 * at as u32,
            size: 4,
        };
        Constants {
            places: all.iter().enumerate().map(place).collect(),
            data: all.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect(),
        }
    }
}
