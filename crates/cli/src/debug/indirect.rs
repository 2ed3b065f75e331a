//! The commands of `ExecuteIndirect`: what its signature says of them, and what the GPU read.

use super::ray_tables::Rays;
use reprise_d3d12::types::{D3D12_INDIRECT_ARGUMENT_DESC, D3D12_INDIRECT_ARGUMENT_TYPE as Type};
use reprise_replay::DrawCounts;
use reprise_timeline::argument::{Argument, Damaged, ObjectId};
use reprise_timeline::state::lists::{Change, Given, IndexBuffer, VertexBuffer, strided};
use reprise_timeline::{Call, State, argument};

const SIGNATURE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
const MOST: Argument<u32> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "MaxCommandCount");
const ARGUMENTS: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pArgumentBuffer");
const OFFSET: Argument<u64> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "ArgumentBufferOffset");
const COUNT: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCountBuffer");
const COUNT_OFFSET: Argument<u64> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "CountBufferOffset");

/// Where commands are that the GPU reads, and what each of them is.
pub(crate) struct Indirect {
    /// The buffer of commands, and where they begin.
    pub(crate) commands: (u32, u64),
    /// The buffer of their number, and where that is.
    pub(crate) count: Option<(u32, u64)>,
    most: u32,
    stride: u64,
    arguments: Vec<D3D12_INDIRECT_ARGUMENT_DESC>,
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Dispatches so many groups.
    Groups([u32; 3]),
    Draw(DrawCounts),
    /// Draws so many groups of mesh shaders, or of amplification shaders.
    Meshes([u32; 3]),
    /// Dispatches rays.
    Rays(Rays),
}

impl Work {
    /// Whether it draws, and takes what is bound for draws.
    pub(super) fn draws(self) -> bool {
        !matches!(self, Work::Groups(_) | Work::Rays(_))
    }
}

/// A command that the GPU read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// What it sets first.
    pub(super) given: Vec<Given>,
    pub(super) work: Work,
}

/// The words of a command, one after the other.
struct Words<'b> {
    bytes: &'b [u8],
    at: u64,
}

impl Words<'_> {
    fn next(&mut self) -> Result<u32, String> {
        let from = usize::try_from(self.at).ok();
        let word = from.and_then(|from| self.bytes.get(from..)).and_then(|bytes| bytes.first_chunk::<4>());
        let word = word.ok_or("it lies beyond the end of its buffer")?;
        self.at += 4;
        Ok(u32::from_le_bytes(*word))
    }

    fn some<const N: usize>(&mut self) -> Result<[u32; N], String> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.next()?;
        }
        Ok(words)
    }

    fn bytes(&mut self, count: usize) -> Result<&[u8], String> {
        let from = usize::try_from(self.at).ok();
        let bytes = from.and_then(|from| self.bytes.get(from..)).and_then(|bytes| bytes.get(..count));
        self.at += count as u64;
        bytes.ok_or_else(|| "it lies beyond the end of its buffer".to_owned())
    }

    fn address(&mut self) -> Result<u64, String> {
        let [low, high] = self.some()?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }
}

impl Indirect {
    /// What an indirect call says of its commands.
    ///
    /// # Errors
    /// In words: the trace does not say it.
    pub(super) fn of(call: &Call<'_>, state: &State) -> Result<Indirect, String> {
        let damaged = |error: Damaged| error.to_string();
        let signature = SIGNATURE.of(call).map_err(damaged)?.0;
        let object = state.objects.get(signature);
        let object = object.ok_or_else(|| format!("command signature {signature} is gone"))?;
        let (stride, arguments) = strided(&object.creation()).ok_or("its command signature is damaged")?;
        let commands = (ARGUMENTS.of(call).map_err(damaged)?.0, OFFSET.of(call).map_err(damaged)?);
        let count = (COUNT.of(call).map_err(damaged)?.0, COUNT_OFFSET.of(call).map_err(damaged)?);
        let count = (count.0 != 0).then_some(count);
        let most = MOST.of(call).map_err(damaged)?;
        Ok(Indirect { commands, count, most, stride: stride.into(), arguments })
    }

    /// What its commands do at their end.
    pub(super) fn last(&self) -> Option<Type> {
        self.arguments.last().map(|last| last.Type)
    }

    /// How many commands the GPU reads, by the contents of the buffer of their number.
    ///
    /// # Errors
    /// In words: the number is not in the buffer.
    pub(super) fn many(&self, count: Option<&[u8]>) -> Result<u32, String> {
        match (self.count, count) {
            (Some((_, at)), Some(bytes)) => {
                let there = Words { bytes, at }
                    .next()
                    .map_err(|_| "the number of its commands lies beyond the end of its buffer")?;
                Ok(self.most.min(there))
            }
            _ => Ok(self.most),
        }
    }

    /// A command, by the contents of the buffer of commands.
    ///
    /// # Errors
    /// In words: it is not in the buffer, or is of a kind that is not supported.
    pub(super) fn command(&self, bytes: &[u8], number: u32) -> Result<Read, String> {
        let at = u64::from(number).checked_mul(self.stride).and_then(|behind| self.commands.1.checked_add(behind));
        let mut words = Words { bytes, at: at.ok_or("it lies beyond the end of its buffer")? };
        let (mut given, mut work) = (Vec::new(), None);
        for argument in &self.arguments {
            let set = match argument.Type {
                Type::DISPATCH => {
                    work = Some(Work::Groups(words.some()?));
                    continue;
                }
                Type::DRAW => {
                    let [vertices, instances, start, first_instance] = words.some()?;
                    work = Some(Work::Draw(DrawCounts { vertices, instances, start, base: None, first_instance }));
                    continue;
                }
                Type::DRAW_INDEXED => {
                    let [vertices, instances, start, base, first_instance] = words.some()?;
                    let base = Some(base as i32);
                    work = Some(Work::Draw(DrawCounts { vertices, instances, start, base, first_instance }));
                    continue;
                }
                Type::DISPATCH_MESH => {
                    work = Some(Work::Meshes(words.some()?));
                    continue;
                }
                Type::DISPATCH_RAYS => {
                    let rays = Rays::of_command(words.bytes(Rays::BYTES)?);
                    work = Some(Work::Rays(rays.ok_or("it lies beyond the end of its buffer")?));
                    continue;
                }
                other => match Change::of(argument) {
                    // The number of the command, which is nowhere in memory.
                    Some(Change::Constants(parameter, first, _)) if other == Type::INCREMENTING_CONSTANT => {
                        Given::Constants(parameter, first, vec![number])
                    }
                    Some(Change::Constants(parameter, first, count)) => {
                        let all = (0..count).map(|_| words.next()).collect::<Result<_, _>>()?;
                        Given::Constants(parameter, first, all)
                    }
                    Some(Change::View(parameter, view)) => Given::View(parameter, view, words.address()?),
                    Some(Change::Vertices(slot)) => {
                        let address = words.address()?;
                        let [size, stride] = words.some()?;
                        Given::Vertices(slot, VertexBuffer { address, size, stride })
                    }
                    Some(Change::Index) => {
                        let address = words.address()?;
                        let [size, format] = words.some()?;
                        Given::Index(IndexBuffer { address, size, format })
                    }
                    None => {
                        return Err(format!(
                            "it does what is not supported yet (D3D12_INDIRECT_ARGUMENT_TYPE {})",
                            other.0
                        ));
                    }
                },
            };
            given.push(set);
        }
        let work = work.ok_or("its signature neither draws nor dispatches")?;
        Ok(Read { given, work })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn indirect(kinds: &[Type]) -> Indirect {
        let argument = |kind: &Type| {
            let mut argument = D3D12_INDIRECT_ARGUMENT_DESC { Type: *kind, ..Default::default() };
            if *kind == Type::CONSTANT {
                argument.Anonymous.Constant.RootParameterIndex = 3;
                argument.Anonymous.Constant.DestOffsetIn32BitValues = 1;
                argument.Anonymous.Constant.Num32BitValuesToSet = 2;
            }
            argument
        };
        let arguments = kinds.iter().map(argument).collect();
        Indirect { commands: (1, 4), count: Some((2, 4)), most: 7, stride: 32, arguments }
    }

    #[test]
    fn a_command_is_what_its_signature_says_of_its_words() {
        let indirect = indirect(&[Type::CONSTANT, Type::VERTEX_BUFFER_VIEW, Type::DRAW]);
        // Four bytes before them, and another command.
        let words: Vec<u8> = [0u32; 9].into_iter().chain(1..=10).flat_map(u32::to_le_bytes).collect();
        let read = indirect.command(&words, 1).unwrap();
        let view = VertexBuffer { address: 3 | 4 << 32, size: 5, stride: 6 };
        assert_eq!(read.given, [Given::Constants(3, 1, vec![1, 2]), Given::Vertices(0, view)]);
        let counts = DrawCounts { vertices: 7, instances: 8, start: 9, base: None, first_instance: 10 };
        assert_eq!(read.work, Work::Draw(counts));
        // A word less, and an offset beyond everything.
        assert!(indirect.command(&words[..words.len() - 1], 1).unwrap_err().contains("beyond the end"));
        assert!(indirect.command(&words, u32::MAX).unwrap_err().contains("beyond the end"));
    }

    /// A `D3D12_DISPATCH_RAYS_DESC`: a range, three with strides, and the size.
    #[test]
    fn a_command_may_dispatch_rays() {
        let indirect = indirect(&[Type::DISPATCH_RAYS]);
        let mut words = vec![0u64; 13];
        (words[0], words[1]) = (0x1000, 32);
        (words[11], words[12]) = (16 | 4 << 32, 1);
        let bytes: Vec<u8> = [0; 4].into_iter().chain(words.into_iter().flat_map(u64::to_le_bytes)).collect();
        let Work::Rays(rays) = indirect.command(&bytes, 0).unwrap().work else { unreachable!() };
        assert_eq!(rays.size, [16, 4, 1]);
        assert_eq!(rays.place(reprise_interpreter::Table::RayGeneration, 0), Ok(Some((0x1000, 32))));
        assert!(indirect.command(&bytes[..bytes.len() - 1], 0).unwrap_err().contains("beyond the end"));
    }

    #[test]
    fn the_gpu_reads_no_more_commands_than_both_numbers_say() {
        let indirect = indirect(&[Type::DISPATCH]);
        let count = |count: u32| indirect.many(Some(&[[0; 4], count.to_le_bytes()].concat()));
        assert_eq!((count(3), count(9), indirect.many(None)), (Ok(3), Ok(7), Ok(7)));
        assert!(indirect.many(Some(&[0; 4])).unwrap_err().contains("the number of its commands"));
    }
}
