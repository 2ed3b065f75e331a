//! A fault, and all that is known about it.

use core::fmt;

use reprise_shader::checks::layout::{Fault, Kind, types};

use crate::checks::place::Register;

/// A heap that was bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// The number in its GPU handles; 0 where there was none.
    pub number: u32,
    /// Its descriptors.
    pub count: u32,
    /// The call that made it; 0 where no recording is played.
    pub call: u64,
    /// Whether it is one of samplers.
    pub samplers: bool,
}

/// A root descriptor whose address lies in no buffer that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The address.
    pub address: u64,
    /// First address and bytes of the buffer that lay there last.
    pub was: Option<(u64, u64)>,
}

/// Something wrong with a descriptor that a shader used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the shader wrote down.
    pub fault: Fault,
    /// The draw or dispatch by its call, where a recording is played; else 0.
    pub call: u64,
    /// Its method.
    pub method: &'static str,
    /// Its number among the operations of its list, from 1: draws, dispatches, copies, clears, resolves, builds, executed bundles and
    /// indirect commands.
    pub operation: u32,
    /// The list's number in the process.
    pub list: u64,
    /// The list's name.
    pub name: Option<String>,
    /// Of a root descriptor: its address, and what lay there, if anything did.
    pub root: Option<Root>,
    /// The heap that was set.
    pub heap: Heap,
    /// The heap of the table, where that is known; number 0 where it is not.
    pub other: Heap,
    /// The root parameter of the table; `None` where the heap is indexed directly, and for tables of local root signatures.
    pub parameter: Option<u32>,
    /// Where the table begins in the heap.
    pub start: u32,
    /// The register, where the root signature says.
    pub register: Option<Register>,
    /// The call that made the view which the slot holds, where a recording is played; else 0.
    pub made: u64,
    /// The call that copied it there last; 0 where none did.
    pub copied: u64,
    /// The call that released the resource, where a recording is played; else 0.
    pub released: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = &self.fault;
        match &self.name {
            Some(name) => write!(f, "list {} \"{name}\"", self.list)?,
            None => write!(f, "list {}", self.list)?,
        }
        write!(f, ", operation {} ({}), ", self.operation, self.method)?;
        match fault.stage {
            Some(stage) => write!(f, "{stage:?} shader {:016x}: ", fault.shader)?,
            None => write!(f, "shader {:016x}: ", fault.shader)?,
        }
        match (self.parameter, &self.register) {
            (Some(parameter), Some(register)) if self.root.is_some() => {
                return write!(f, "root parameter {parameter}, {register}: {}", self.wrong());
            }
            (Some(parameter), Some(register)) => write!(f, "root parameter {parameter}, {register}, ")?,
            (Some(parameter), None) => write!(f, "root parameter {parameter}, ")?,
            (None, _) => {}
        }
        write!(f, "index {} of heap {} of {}: {}", fault.index, self.heap.number, self.heap.count, self.wrong())
    }
}

impl Finding {
    /// What is wrong, in words.
    pub fn wrong(&self) -> String {
        let wanted = types::in_words(self.fault.wanted);
        match self.fault.kind {
            Kind::Index if self.heap.number == 0 => format!("no heap is set; wanted: {wanted}"),
            Kind::Index => format!("the heap ends at {}; wanted: {wanted}", self.heap.count),
            Kind::Unwritten => format!("no descriptor was ever written there; wanted: {wanted}"),
            Kind::Type => format!("wanted: {wanted}; found: {}", types::in_words(self.fault.found)),
            Kind::Gone => format!("the resource of the descriptor was released; wanted: {wanted}"),
            Kind::Root => match self.root {
                Some(Root { address, was: Some((start, bytes)) }) => format!(
                    "a buffer of {bytes} bytes that was released lay at the root descriptor's address {address:#x}, which is its byte {}",
                    address - start
                ),
                Some(Root { address, was: None }) => {
                    format!("the root descriptor's address {address:#x} lies in no buffer")
                }
                None => "the root descriptor's address lies in no buffer".to_owned(),
            },
            Kind::Heap => {
                let Heap { number, samplers, .. } = self.other;
                let what = if samplers { ", one of samplers" } else { "" };
                format!("the table is of heap {number}{what}, and heap {} is set; wanted: {wanted}", self.heap.number)
            }
        }
    }
}
