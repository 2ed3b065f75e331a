//! Where root arguments lie in the block of push constants, and what registers mean by it.
//!
//! The block: first the addresses of root descriptors (8 bytes each), then root constants, then one word per table that has
//! ranges, each group in the order of the root signature. So it is never larger than what the root signature costs by the
//! API's rules, 64 words. Where a device has less room for push constants ([`PushLayout::fits`]), the block is a uniform buffer.

use reprise_dxbc::root_signature::{APPEND, Content, Kind};
use reprise_shader::{Binding, Class, Heaps, Interface, Place, Slot};

/// `D3D12_ROOT_SIGNATURE_FLAG_CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED`.
const DIRECT_RESOURCES: u32 = 0x400;
/// `D3D12_ROOT_SIGNATURE_FLAG_SAMPLER_HEAP_DIRECTLY_INDEXED`.
const DIRECT_SAMPLERS: u32 = 0x800;

/// Where the argument of a root parameter lies. Words count from the beginning of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A root descriptor: two words that hold its address.
    Address {
        /// The first of them.
        word: u32,
        /// Constant buffer, shader resource or unordered access.
        kind: Kind,
    },
    /// Root constants.
    Constants {
        /// The first of them.
        word: u32,
        /// How many.
        count: u32,
    },
    /// A descriptor table: a word that holds its index in the bound heap.
    Table {
        /// The word.
        word: u32,
        /// Whether it is a table of samplers, in the sampler heap.
        samplers: bool,
    },
    /// A table without ranges: what is set for it is ignored.
    Empty,
}

/// The block of push constants of a root signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushLayout {
    /// One per root parameter, in their order.
    pub arguments: Vec<Argument>,
    /// Number of addresses at the beginning.
    pub addresses: u32,
    /// First word of the tables, which are the last.
    pub tables: u32,
    /// Number of words in all.
    pub words: u32,
}

impl PushLayout {
    /// Lays out the arguments of a root signature that has passed its check.
    pub fn new(signature: &reprise_dxbc::RootSignature) -> PushLayout {
        let parameters = &signature.parameters;
        let count = |wanted: fn(&Content) -> u32| parameters.iter().map(|parameter| wanted(&parameter.content)).sum();
        let addresses: u32 = count(|content| u32::from(matches!(content, Content::Descriptor(_))));
        let constants: u32 = count(|content| match content {
            Content::Constants(constants) => constants.count,
            _ => 0,
        });
        let (mut address, mut constant) = (0, addresses * 2);
        let mut table = constant + constants;
        let mut arguments = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            arguments.push(match &parameter.content {
                Content::Descriptor(descriptor) => {
                    address += 2;
                    Argument::Address { word: address - 2, kind: descriptor.kind }
                }
                Content::Constants(constants) => {
                    constant += constants.count;
                    Argument::Constants { word: constant - constants.count, count: constants.count }
                }
                Content::Table(ranges) => match ranges.first() {
                    Some(first) => {
                        table += 1;
                        Argument::Table { word: table - 1, samplers: first.kind == Kind::Sampler }
                    }
                    None => Argument::Empty,
                },
            });
        }
        PushLayout { arguments, addresses, tables: addresses * 2 + constants, words: table }
    }

    /// Where addresses, constants and tables begin, and how many words they have.
    pub fn groups(&self) -> [(u32, u32); 3] {
        let constants = self.addresses * 2;
        [(0, constants), (constants, self.tables - constants), (self.tables, self.words - self.tables)]
    }

    /// Whether the block fits into push constants of `limit` bytes.
    pub fn fits(&self, limit: u32) -> bool {
        self.words <= limit / 4
    }
}

/// What a root signature says about registers. `samplers` is the set of its static samplers: binding `n` is the n-th.
/// `overflow` is the block's uniform buffer, where it is no push constants.
pub fn interface(
    signature: &reprise_dxbc::RootSignature,
    push: &PushLayout,
    heaps: Heaps,
    samplers: u32,
    overflow: Option<Slot>,
) -> Interface {
    // The translator counts words behind the addresses.
    let behind = push.addresses * 2;
    let mut bindings = Vec::new();
    for (parameter, argument) in signature.parameters.iter().zip(&push.arguments) {
        let binding = |kind: Kind, space: u32, register: u32, count: u32, place: Place| Binding {
            class: class(kind),
            space,
            register,
            count,
            visibility: parameter.visibility,
            place,
        };
        match (&parameter.content, argument) {
            (Content::Descriptor(root), Argument::Address { word, .. }) => {
                bindings.push(binding(root.kind, root.space, root.register, 1, Place::Address(word / 2)));
            }
            (Content::Constants(constants), Argument::Constants { word, .. }) => {
                let place = Place::Constants(word - behind);
                bindings.push(binding(Kind::Cbv, constants.space, constants.register, 1, place));
            }
            (Content::Table(ranges), Argument::Table { word, .. }) => {
                let mut end = 0u32;
                for range in ranges {
                    let offset = if range.offset == APPEND { end } else { range.offset };
                    end = offset.saturating_add(range.count);
                    let place = Place::Table { word: word - behind, offset };
                    bindings.push(binding(range.kind, range.space, range.register, range.count, place));
                }
            }
            // Tables without ranges; other pairs are not made.
            _ => {}
        }
    }
    for (index, sampler) in signature.samplers.iter().enumerate() {
        bindings.push(Binding {
            class: Class::Sampler,
            space: sampler.space,
            register: sampler.register,
            count: 1,
            visibility: sampler.visibility,
            place: Place::Fixed(Slot { set: samplers, binding: index as u32 }),
        });
    }
    Interface {
        root_descriptors: push.addresses,
        root_words: push.words - behind,
        overflow,
        bindings,
        heaps,
        direct_resources: signature.flags & DIRECT_RESOURCES != 0,
        direct_samplers: signature.flags & DIRECT_SAMPLERS != 0,
    }
}

fn class(kind: Kind) -> Class {
    match kind {
        Kind::Cbv => Class::Cbv,
        Kind::Srv => Class::Srv,
        Kind::Uav => Class::Uav,
        Kind::Sampler => Class::Sampler,
    }
}

#[cfg(test)]
mod tests;
