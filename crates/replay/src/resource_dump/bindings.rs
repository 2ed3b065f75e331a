//! Names of the resources that a draw or dispatch uses: render targets, depth, vertex, index and stream-output buffers, root
//! descriptors, and entries of descriptor tables.
//!
//! The timeline states what is bound. Descriptors that a shader takes straight from the heap (shader model 6.6) are not found.
//! Invariant: nothing is guessed. A binding that no call set is absent.

use reprise_d3d12::types::D3D12_CONSTANT_BUFFER_VIEW_DESC;
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::State;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings::{self, Register};
use reprise_timeline::state::descriptors::ViewKind;
use reprise_timeline::state::lists::{Action, Bound, RootArgument, RootView, Roots, Target};

/// The largest constant buffer that a shader sees, in bytes.
const CONSTANTS: u64 = 64 << 10;
/// Descriptors that are looked at in one range of a table, which may have no end.
const MOST: usize = 64;

/// One binding: its slot in words, the resource, and offset and size in bytes within a buffer.
pub(super) type Binding = (String, u32, Option<(u64, u64)>);

/// Everything that a command uses, which stands in a list where `bound` is set. `signature` reads a root signature.
pub(super) fn all(
    state: &State,
    bound: &Bound,
    action: Action,
    mut signature: impl FnMut(u32) -> Option<RootSignature>,
) -> Vec<Binding> {
    let mut found = Found { state, all: Vec::new() };
    // What commands of a signature do is not told apart here.
    let indirect = action == Action::Indirect;
    if action.draws() || indirect {
        found.targets(bound);
        found.buffers(bound);
        found.roots(&bound.graphics, &mut signature);
    }
    if !action.draws() {
        found.roots(&bound.compute, &mut signature);
    }
    found.all
}

struct Found<'s> {
    state: &'s State,
    all: Vec<Binding>,
}

impl Found<'_> {
    fn targets(&mut self, bound: &Bound) {
        let Some(targets) = bound.targets.as_ref().map(|targets| &targets.value) else { return };
        let resource = |target: &Target| target.descriptor.as_ref().map(|it| it.view.resource).filter(|&id| id != 0);
        let colours = targets.colours.iter().enumerate();
        self.all.extend(colours.filter_map(|(slot, colour)| Some((format!("target{slot}"), resource(colour)?, None))));
        let depth = targets.depth.as_ref().and_then(resource);
        self.all.extend(depth.map(|depth| ("depth".to_owned(), depth, None)));
    }

    fn buffers(&mut self, bound: &Bound) {
        for (slot, view) in bound.vertices.iter().enumerate() {
            if let Some(view) = view.as_ref().and_then(|view| view.value) {
                self.buffer(format!("vertices{slot}"), view.address, view.size.into());
            }
        }
        if let Some(view) = bound.index.as_ref().and_then(|view| view.value) {
            self.buffer("indices0".to_owned(), view.address, view.size.into());
        }
        for (slot, view) in bound.stream_output.iter().enumerate() {
            if let Some(view) = view.as_ref().and_then(|view| view.value) {
                self.buffer(format!("streamout{slot}"), view.address, view.size);
            }
        }
    }

    fn roots(&mut self, roots: &Roots, signature: &mut impl FnMut(u32) -> Option<RootSignature>) {
        let arguments = || (0u32..).zip(&roots.arguments).filter_map(|(at, set)| Some((at, &set.as_ref()?.value)));
        for (kind, name, size) in [
            (RootView::Constants, "rootcbv", CONSTANTS),
            (RootView::Read, "rootsrv", u64::MAX),
            (RootView::Write, "rootuav", u64::MAX),
        ] {
            for (parameter, argument) in arguments() {
                if let RootArgument::View(view, address) = argument
                    && *view == kind
                {
                    self.buffer(format!("{name}{parameter}"), *address, size);
                }
            }
        }
        let has_tables = arguments().any(|(_, argument)| matches!(argument, RootArgument::Table(_)));
        let signature = roots.signature.filter(|_| has_tables).and_then(|set| signature(set.value));
        let Some(signature) = signature else { return };
        for binding in bindings::bindings(self.state, roots, &signature) {
            let bindings::Bound::Table { slot: Some(table), ranges, .. } = binding.content else { continue };
            let count = self.state.descriptors.heap(table.heap).map_or(0, |heap| heap.count);
            for range in ranges.iter().filter(|range| range.register.kind != Kind::Sampler) {
                range.slots(count).take(MOST).for_each(|(register, slot)| self.slot(register, slot));
            }
        }
    }

    /// A buffer by its address.
    fn buffer(&mut self, name: String, address: u64, size: u64) {
        if address != 0
            && let Some(found) = self.state.addresses.resource(address)
        {
            self.all.push((name, found.resource, Some((found.offset, size))));
        }
    }

    /// A descriptor of a table. One resource may stand in many: it is named once.
    fn slot(&mut self, register: Register, slot: Slot) {
        let Some(view) = self.state.descriptors.get(slot).map(|descriptor| &descriptor.view) else { return };
        let (resource, bytes) = if view.kind == ViewKind::Constants {
            let Some(desc) = view.desc::<D3D12_CONSTANT_BUFFER_VIEW_DESC>() else { return };
            let Some(found) = self.state.addresses.resource(desc.BufferLocation).filter(|_| desc.BufferLocation != 0)
            else {
                return;
            };
            (found.resource, Some((found.offset, desc.SizeInBytes.into())))
        } else {
            (view.resource, None)
        };
        if resource != 0 && !self.all.iter().any(|other| (other.1, other.2) == (resource, bytes)) {
            self.all.push((in_words(register), resource, bytes));
        }
    }
}

/// As in `t3` or `u0_space2`.
fn in_words(register: Register) -> String {
    let kind = match register.kind {
        Kind::Srv => 't',
        Kind::Uav => 'u',
        Kind::Cbv => 'b',
        Kind::Sampler => 's',
    };
    let space = if register.space == 0 { String::new() } else { format!("_space{}", register.space) };
    format!("{kind}{}{space}", register.number)
}
