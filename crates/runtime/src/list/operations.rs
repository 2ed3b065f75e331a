//! The records of a list's draws and dispatches, and notes of what was bound.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use ash::vk;
use reprise_com::Ref;
use reprise_dxbc::registers::Registers;
use reprise_dxbc::root_signature::{Content, Parameter};
use reprise_gpu::descriptor::checks::{Checks, Chunk, Occupant, RECORDS};
use reprise_gpu::memory::Nowhere;
use reprise_shader::Stage;
use reprise_shader::checks::layout::{BEFORE, Fault, Kind, RECORD_WORDS, faults, types, word};

use crate::Result;
use crate::checks::{Finding, Heap, Register, Root, Unread, call, heap, register, report, watch};
use crate::pipeline::Declared;
use crate::root::{Argument, RootSignature};

/// Words before those of a record.
const FIRST: usize = BEFORE / 4;

/// What a draw or dispatch has bound.
#[derive(Debug, Default)]
pub(super) struct Bound<'a> {
    /// The root signature.
    pub(super) root: Option<&'a Ref<RootSignature>>,
    /// Root arguments, as the root signature lays them out.
    pub(super) words: &'a [u32],
    /// What stands for addresses that lead nowhere.
    pub(super) nowhere: Nowhere,
    /// Address of the facts about the heaps of views and samplers, and the heaps.
    pub(super) heaps: [(u64, Heap); 2],
    /// Whether root arguments are those of compute.
    pub(super) compute: bool,
    /// Registers that the shaders are made for.
    pub(super) registers: &'a [Declared],
}

/// What was bound where a record was begun.
#[derive(Debug)]
struct Note {
    operation: u32,
    method: &'static str,
    call: u64,
    root: Option<Ref<RootSignature>>,
    /// By root parameter: the word behind the addresses, where the table begins, the number of its heap or 0.
    tables: Vec<(u32, u32, u32, u32)>,
    /// Root descriptors that the shaders are made for.
    roots: Vec<Rooted>,
    heaps: [Heap; 2],
    /// Kinds of faults that were read, one bit each.
    told: AtomicU32,
}

/// A root descriptor of a draw or dispatch.
#[derive(Debug)]
struct Rooted {
    parameter: u32,
    address: u64,
    stage: Stage,
    shader: u64,
    register: Register,
    /// What was at the address when the operation was recorded.
    occupant: Occupant,
}

/// Records with their notes.
#[derive(Debug)]
struct Page {
    chunk: Chunk,
    notes: Vec<Note>,
}

/// Operations of a list that is recorded.
#[derive(Debug)]
pub(super) struct Operations {
    checks: Arc<Checks>,
    pages: Vec<Page>,
    operation: u32,
    method: &'static str,
    /// Of graphics and of compute, by root parameter: the number of the heap that its table is of; 0 is not known.
    tables: [Vec<u32>; 2],
}

/// What a closed list has recorded. It reads its records for the last time when it goes.
#[derive(Debug)]
pub(super) struct Lease {
    checks: Arc<Checks>,
    pages: Vec<Page>,
    list: u64,
    name: Option<String>,
}

impl Operations {
    /// None yet.
    pub(super) fn new(checks: &Arc<Checks>) -> Operations {
        Operations { checks: checks.clone(), pages: Vec::new(), operation: 0, method: "", tables: Default::default() }
    }

    /// The list begins anew.
    pub(super) fn restart(&mut self) {
        self.pages.clear();
        (self.operation, self.method) = (0, "");
        self.tables = Default::default();
    }

    /// A call of the list is an operation.
    pub(super) fn begin(&mut self, method: &'static str) {
        self.operation += 1;
        self.method = method;
    }

    /// A table is set, of the heap with this number.
    pub(super) fn set_table(&mut self, compute: bool, parameter: u32, heap: u32) {
        let tables = &mut self.tables[usize::from(compute)];
        let at = parameter as usize;
        if at < 64 {
            tables.resize(tables.len().max(at + 1), 0);
            tables[at] = heap;
        }
    }

    /// Which heaps tables are of is not known any more.
    pub(super) fn forget_tables(&mut self, compute: bool) {
        self.tables[usize::from(compute)].clear();
    }

    /// A draw or dispatch: its record's set, and the offset that it is bound with.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn record(&mut self, bound: &Bound<'_>) -> Result<(vk::DescriptorSet, u32)> {
        if self.pages.last().is_none_or(|page| page.notes.len() >= RECORDS as usize) {
            self.pages.push(Page { chunk: self.checks.chunk()?, notes: Vec::new() });
        }
        let note = self.note(bound);
        let live = self.checks.live();
        let Some(page) = self.pages.last_mut() else { return Ok((vk::DescriptorSet::null(), 0)) };
        let number = page.notes.len() as u32;
        let words = page.chunk.words(number);
        let put = |at: u32, value: u64| {
            for (at, half) in [(at, value as u32), (at + 1, (value >> 32) as u32)] {
                if let Some(word) = words.get(FIRST + at as usize) {
                    word.store(half, Ordering::Relaxed);
                }
            }
        };
        put(word::VIEWS, bound.heaps[0].0);
        put(word::SAMPLERS, bound.heaps[1].0);
        put(word::LIVE, live);
        put(word::OTHERS, note.others());
        page.notes.push(note);
        Ok((page.chunk.set, number * reprise_gpu::descriptor::checks::RECORD as u32))
    }

    fn note(&self, bound: &Bound<'_>) -> Note {
        let known = &self.tables[usize::from(bound.compute)];
        let (mut tables, mut roots) = (Vec::new(), Vec::new());
        if let Some(root) = bound.root {
            let behind = root.push.addresses * 2;
            for (parameter, argument) in root.push.arguments.iter().enumerate() {
                if let Argument::Address { word, .. } = argument {
                    let half = |at: u32| u64::from(bound.words.get(at as usize).copied().unwrap_or(0));
                    let address = half(*word) | half(word + 1) << 32;
                    let leads = address != 0 && ![bound.nowhere.read, bound.nowhere.written].contains(&address);
                    let found = root.signature.parameters.get(parameter).filter(|_| leads);
                    // Null is allowed where no shader comes to it.
                    if let Some((stage, shader, register)) =
                        found.and_then(|parameter| declared(parameter, bound.registers))
                    {
                        let occupant = self.checks.at(address);
                        roots.push(Rooted { parameter: parameter as u32, address, stage, shader, register, occupant });
                    }
                }
                if let Argument::Table { word, .. } = argument {
                    let start = bound.words.get(*word as usize).copied().unwrap_or(0);
                    let heap = known.get(parameter).copied().unwrap_or(0);
                    tables.push((parameter as u32, word - behind, start, heap));
                }
            }
        }
        Note {
            operation: self.operation,
            method: self.method,
            call: call(),
            root: bound.root.cloned(),
            tables,
            roots,
            heaps: bound.heaps.map(|(_, heap)| heap),
            told: AtomicU32::new(0),
        }
    }

    /// The list is closed; `None` where nothing was recorded.
    pub(super) fn finish(&mut self, name: Option<String>) -> Option<Arc<Lease>> {
        static LISTS: AtomicU64 = AtomicU64::new(1);
        let pages = core::mem::take(&mut self.pages);
        if pages.is_empty() {
            return None;
        }
        let list = LISTS.fetch_add(1, Ordering::Relaxed);
        let lease = Arc::new(Lease { checks: self.checks.clone(), pages, list, name });
        let unread: Weak<Lease> = Arc::downgrade(&lease);
        watch(unread);
        Some(lease)
    }
}

impl Note {
    /// The parameter's arguments in the root signature, by the word of its table.
    fn table(&self, word: u32) -> Option<(u32, u32, u32)> {
        let found = self.tables.iter().find(|(_, known, ..)| *known == word)?;
        Some((found.0, found.2, found.3))
    }

    /// Words of tables that are of other heaps than those that are set, one bit each.
    fn others(&self) -> u64 {
        let samplers = |parameter: u32| {
            self.root.as_ref().is_some_and(|root| {
                matches!(root.push.arguments.get(parameter as usize), Some(Argument::Table { samplers: true, .. }))
            })
        };
        let other = |(parameter, word, _, heap): &(u32, u32, u32, u32)| {
            let set = self.heaps[usize::from(samplers(*parameter))].number;
            (*heap != 0 && *heap != set && *word < 64).then(|| 1u64 << word)
        };
        self.tables.iter().filter_map(other).fold(0, |bits, bit| bits | bit)
    }

    /// What is wrong with a root descriptor, now that the list is to run.
    fn rooted(&self, it: &Rooted, lease: &Lease) -> Option<Finding> {
        let (cookie, was) = match it.occupant {
            Occupant::Live(cookie) if lease.checks.is_alive(cookie) => return None,
            // Recorded before the release, or before anything was there.
            _ => match lease.checks.at(it.address) {
                Occupant::Live(_) | Occupant::Shared if !matches!(it.occupant, Occupant::Live(_)) => return None,
                Occupant::Released(cookie, start, end) => (cookie, Some((start, end - start))),
                Occupant::Live(_) | Occupant::Shared | Occupant::Nothing => match it.occupant {
                    Occupant::Live(cookie) => (cookie, None),
                    _ => (0, None),
                },
            },
        };
        let fault = Fault {
            kind: Kind::Root,
            index: 0,
            wanted: 0,
            cookie,
            found: 0,
            site: it.parameter,
            table: None,
            count: 0,
            written: 0,
            shader: it.shader,
            stage: Some(it.stage),
        };
        let root = Some(Root { address: it.address, was });
        let released = lease.checks.released(cookie);
        let register = Some(it.register);
        Some(Finding { root, released, register, parameter: Some(it.parameter), ..self.finding(fault, lease) })
    }

    fn finding(&self, fault: Fault, lease: &Lease) -> Finding {
        let samplers = fault.wanted == types::SAMPLER;
        let table = fault.table.and_then(|word| self.table(word));
        let ranges = table.and_then(|(parameter, ..)| {
            match &self.root.as_ref()?.signature.parameters.get(parameter as usize)?.content {
                Content::Table(ranges) => Some(ranges),
                _ => None,
            }
        });
        let [made, copied] = lease.checks.writing(fault.written);
        let (parameter, start, other) = match table {
            Some((parameter, start, heap)) => (Some(parameter), start, heap),
            None => (None, 0, 0),
        };
        Finding {
            fault,
            call: self.call,
            method: self.method,
            operation: self.operation,
            list: lease.list,
            name: lease.name.clone(),
            heap: self.heaps[usize::from(samplers)],
            other: heap(other),
            root: None,
            parameter,
            start,
            register: ranges.and_then(|ranges| register(ranges, start, fault.index, fault.wanted)),
            made: made.into(),
            copied: copied.into(),
            released: match fault.kind {
                Kind::Gone => lease.checks.released(fault.cookie),
                _ => 0,
            },
        }
    }
}

/// The register of a root descriptor, if a shader is made for it, and that shader's stage.
fn declared(parameter: &Parameter, registers: &[Declared]) -> Option<(Stage, u64, Register)> {
    let Content::Descriptor(root) = &parameter.content else { return None };
    let is = |it: &&Declared| {
        let Registers { kind, space, first, last } = it.registers;
        let here = kind == root.kind && space == root.space && (first..=last).contains(&root.register);
        here && is_visible(parameter.visibility, it.stage)
    };
    let found = registers.iter().find(is)?;
    Some((found.stage, found.shader, Register::of(root.kind, root.register, root.space)))
}

/// Whether a stage sees a root parameter of this `D3D12_SHADER_VISIBILITY`.
fn is_visible(visibility: u32, stage: Stage) -> bool {
    let number = match stage {
        Stage::Vertex => 1,
        Stage::Hull => 2,
        Stage::Domain => 3,
        Stage::Geometry => 4,
        Stage::Pixel => 5,
        Stage::Amplification => 6,
        Stage::Mesh => 7,
        _ => 0,
    };
    visibility == 0 || visibility == number
}

impl Lease {
    /// The list is given to a queue: root descriptors must lead to buffers that live.
    pub(crate) fn submit(&self) {
        let mut findings = Vec::new();
        for note in self.pages.iter().flat_map(|page| &page.notes) {
            let bit = 1 << Kind::Root as u32;
            if let Some(found) = note.roots.iter().find_map(|it| note.rooted(it, self))
                && note.told.fetch_or(bit, Ordering::Relaxed) & bit == 0
            {
                findings.push(found);
            }
        }
        report(findings);
    }
}

impl Unread for Lease {
    fn read(&self) {
        let mut findings = Vec::new();
        for page in &self.pages {
            for (number, note) in (0u32..).zip(&page.notes) {
                let words = page.chunk.words(number);
                let words = words.get(FIRST..FIRST + RECORD_WORDS).unwrap_or_default();
                // A shader claims a fault's words before it writes them, so a claim alone is no fault yet.
                let words: Vec<u32> = words.iter().map(|word| word.load(Ordering::Acquire)).collect();
                for fault in faults(&words) {
                    let bit = 1 << fault.kind as u32;
                    if note.told.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
                        findings.push(note.finding(fault, self));
                    }
                }
            }
        }
        report(findings);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.read();
    }
}
