//! A root signature with all its arguments, and what else a new pipeline makes a list forget.

use reprise_d3d12::model::{MethodId, Role};
use reprise_d3d12::types::D3D12_STREAM_OUTPUT_BUFFER_VIEW;
use reprise_d3d12::{interface, method};
use reprise_timeline::state::lists::{Bound, RootArgument, RootView};

use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";

/// A call that is recorded: its method and its words.
struct Setting {
    method: MethodId,
    words: Vec<u64>,
    /// Where words of the call point to.
    constants: Vec<u32>,
}

/// The arguments of a list's root signature of draws, ready to be set again.
pub(crate) struct Arguments(Vec<Setting>);

impl Arguments {
    /// What is bound, in values of this replay.
    ///
    /// # Errors
    /// A value means nothing here.
    pub(crate) fn of(world: &mut World, bound: &Bound) -> Result<Self, String> {
        let mut all = Vec::new();
        for (parameter, argument) in bound.graphics.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            let number = parameter as u64;
            let wrong = |what: String| format!("root argument {parameter} of the draw: {what}");
            let mut set = |name, words| all.push(Setting { method: method(LIST, name), words, constants: Vec::new() });
            match &argument.value {
                RootArgument::Constants(words) => {
                    // What was never set stays so.
                    let mut first = 0;
                    for run in words.chunk_by(|one, other| one.is_some() == other.is_some()) {
                        let constants: Vec<u32> = run.iter().copied().flatten().collect();
                        if !constants.is_empty() {
                            let words = vec![number, constants.len() as u64, 0, first as u64];
                            all.push(Setting {
                                method: method(LIST, "SetGraphicsRoot32BitConstants"),
                                words,
                                constants,
                            });
                        }
                        first += run.len();
                    }
                }
                RootArgument::View(view, address) => {
                    let address = match *address {
                        0 => 0,
                        address => world.replayed_address(address).map_err(wrong)?,
                    };
                    let name = match view {
                        RootView::Constants => "SetGraphicsRootConstantBufferView",
                        RootView::Read => "SetGraphicsRootShaderResourceView",
                        RootView::Write => "SetGraphicsRootUnorderedAccessView",
                    };
                    set(name, vec![number, address]);
                }
                RootArgument::Table(handle) => {
                    let handle = match *handle {
                        0 => 0,
                        handle => world.replayed_number(Role::GpuDescriptor, handle).map_err(wrong)?,
                    };
                    set("SetGraphicsRootDescriptorTable", vec![number, handle]);
                }
            }
        }
        Ok(Self(all))
    }

    /// Sets a root signature and all arguments.
    pub(crate) fn set(&self, world: &World, list: u64, root: u64) {
        let runtime = &world.runtime;
        // SAFETY: the list is recording, the root signature is alive and has the parameters of the program's; values are those of this
        // replay, constants are ours.
        unsafe {
            runtime.call(list, method(LIST, "SetGraphicsRootSignature"), &[root]);
            for setting in &self.0 {
                let mut words = setting.words.clone();
                if !setting.constants.is_empty() {
                    words[2] = setting.constants.as_ptr() as u64;
                }
                runtime.call(list, setting.method, &words);
            }
        }
    }
}

/// What setting a pipeline takes back: the cut of strips, and the bias of depth.
pub(crate) struct Dynamic {
    list: u64,
    cut: Option<u32>,
    bias: Option<[f32; 3]>,
}

impl Dynamic {
    /// # Errors
    /// The list cannot set them here.
    pub(crate) fn of(world: &mut World, list: u32, bound: &Bound) -> Result<Self, String> {
        let (cut, bias) = (bound.strip_cut.map(|it| it.value), bound.depth_bias.map(|it| it.value));
        let class = match cut.is_some() || bias.is_some() {
            true => interface("ID3D12GraphicsCommandList9"),
            false => interface(LIST),
        };
        Ok(Self { list: world.pointer(list, class)?, cut, bias })
    }

    /// Sets them again, the bias only for the program's own pipeline.
    pub(crate) fn set(&self, world: &World, is_own: bool) {
        const CLASS: &str = "ID3D12GraphicsCommandList9";
        // SAFETY: the list is recording and has these methods.
        unsafe {
            if let Some(cut) = self.cut {
                world.runtime.call(self.list, method(CLASS, "IASetIndexBufferStripCutValue"), &[cut.into()]);
            }
            if let Some(bias) = self.bias.filter(|_| is_own) {
                let words = bias.map(|value| u64::from(value.to_bits()));
                world.runtime.call(self.list, method(CLASS, "RSSetDepthBias"), &words);
            }
        }
    }
}

/// The program's buffers of stream output, in values of this replay, up to the last one that is set.
///
/// # Errors
/// An address means nothing here.
pub(crate) fn targets(world: &mut World, bound: &Bound) -> Result<Vec<D3D12_STREAM_OUTPUT_BUFFER_VIEW>, String> {
    let mut views = vec![D3D12_STREAM_OUTPUT_BUFFER_VIEW::default(); bound.stream_output.len().max(1)];
    for (view, slot) in views.iter_mut().zip(&bound.stream_output) {
        let Some(set) = slot.as_ref().and_then(|slot| slot.value) else { continue };
        let mut place = |address: u64| match address {
            0 => Ok(0),
            address => world.replayed_address(address).map_err(|what| format!("a buffer of stream output: {what}")),
        };
        view.BufferLocation = place(set.address)?;
        view.SizeInBytes = set.size;
        view.BufferFilledSizeLocation = place(set.filled)?;
    }
    Ok(views)
}
