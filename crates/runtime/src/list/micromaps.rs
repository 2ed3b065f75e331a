//! Builds of opacity micromaps, copies of them, and what is told about those that are built.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info,
};
use reprise_gpu::encoder::MicromapCopy;
use reprise_gpu::memory::{Extent, Micromap};
use reprise_gpu::query::Pool;

use crate::list::recording::Recording;
use crate::micromap::ABSENT;
use crate::{Error, Result};

/// A word of an answer about micromaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// Known when the list is recorded.
    Known(u64),
    /// Known to the GPU.
    Asked(vk::QueryType),
}

/// The words of an answer, 64 bits each.
fn words(info: Info, extent: Extent) -> Result<Vec<Word>> {
    let compacted = Word::Asked(vk::QueryType::MICROMAP_COMPACTED_SIZE_EXT);
    Ok(match (info, extent) {
        (Info::COMPACTED_SIZE, _) | (Info::CURRENT_SIZE, Extent::Compact) => vec![compacted],
        (Info::CURRENT_SIZE, Extent::Bytes(bytes)) => vec![Word::Known(bytes)],
        (Info::CURRENT_SIZE, Extent::Unknown) => {
            return Err(Error::Unsupported(
                "current sizes of opacity micromaps that no list of this process has built",
            ));
        }
        // No micromap names an acceleration structure.
        (Info::SERIALIZATION, _) => {
            vec![Word::Asked(vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT), Word::Known(0)]
        }
        _ => return Err(Error::Unsupported("opacity micromaps in the form for tools")),
    })
}

impl Recording {
    /// Builds the micromaps that the inputs describe, which were read.
    pub(super) fn build_micromaps(&mut self, desc: &Build, questions: &[Question]) -> Result<()> {
        let device = self.encoder.device.clone();
        let at = desc.DestAccelerationStructureData;
        let extent = Extent::Bytes(self.inputs.sizes(&device).ResultDataMaxSizeInBytes);
        let inputs = self.inputs.micromaps.as_ref().ok_or(ABSENT)?;
        let to = device.memory.micromap_of(at, extent)?;
        self.encoder.build_micromaps(inputs, to, desc.ScratchAccelerationStructureData);
        questions.iter().try_for_each(|question| self.emit_each(question, &[at]))
    }

    /// Writes what is asked about structures some of which are micromaps, one answer after the other.
    pub(super) fn emit_each(&mut self, question: &Question, structures: &[u64]) -> Result<()> {
        let device = self.encoder.device.clone();
        let mut question = *question;
        for address in structures {
            match device.memory.micromaps().find(*address) {
                Some(micromap) => self.emit_micromap(&question, micromap)?,
                None => self.emit(&question, &[*address])?,
            }
            let words = if question.InfoType == Info::SERIALIZATION { 2 } else { 1 };
            question.DestBuffer += words * size_of::<u64>() as u64;
        }
        Ok(())
    }

    fn emit_micromap(&mut self, question: &Question, micromap: Micromap) -> Result<()> {
        let words = words(question.InfoType, micromap.extent)?;
        let device = self.encoder.device.clone();
        let place = self.encoder.addresses.find(question.DestBuffer);
        let bytes = 8 * words.len() as u64;
        let place = place.filter(|place| place.offset.is_multiple_of(8) && place.left >= bytes);
        let place = place
            .ok_or(Error::Call("post-build information for an address without a resource, or less than it needs"))?;
        for (word, offset) in words.iter().zip((place.offset..).step_by(8)) {
            match *word {
                Word::Known(value) => {
                    self.encoder.transfer();
                    // SAFETY: outside of rendering; the place has room for the word.
                    unsafe {
                        device.vk.cmd_update_buffer(self.encoder.buffer, place.buffer, offset, &value.to_le_bytes());
                    }
                }
                Word::Asked(kind) => {
                    let pool = Pool::new(&device.logical, kind, 1)?;
                    self.encoder.outside();
                    // SAFETY: a new pool, kept until the GPU is done.
                    unsafe { device.vk.cmd_reset_query_pool(self.encoder.buffer, pool.vk, 0, 1) };
                    self.encoder.ask_micromaps(&[micromap.vk], kind, pool.vk);
                    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
                    // SAFETY: the pool's only query was written; the place has room for the answer.
                    unsafe {
                        let (buffer, to) = (self.encoder.buffer, place.buffer);
                        device.vk.cmd_copy_query_pool_results(buffer, pool.vk, 0, 1, to, offset, 8, flags);
                    }
                    self.counting.kept.push(pool);
                }
            }
        }
        Ok(())
    }

    /// Copies the array of micromaps at an address. False: there is none, and nothing is copied. A serialised array is known at the address
    /// where this process recorded its serialisation, and nowhere else.
    pub(super) fn copy_micromaps(
        &mut self,
        device: &reprise_gpu::Device,
        to: u64,
        from: u64,
        mode: Mode,
    ) -> Result<bool> {
        let micromaps = device.memory.micromaps();
        let found = micromaps.find(from);
        let copy = match (mode, found) {
            (Mode::CLONE, Some(found)) => {
                MicromapCopy::Micromap(found.vk, device.memory.micromap_of(to, found.extent)?, false)
            }
            (Mode::COMPACT, Some(found)) => {
                MicromapCopy::Micromap(found.vk, device.memory.micromap_of(to, Extent::Compact)?, true)
            }
            (Mode::SERIALIZE, _) => {
                micromaps.serialise(to, found.is_some());
                match found {
                    Some(found) => MicromapCopy::Serialise(found.vk, to),
                    None => return Ok(false),
                }
            }
            (Mode::DESERIALIZE, _) if micromaps.is_serialised(from) => {
                MicromapCopy::Deserialise(from, device.memory.micromap_of(to, Extent::Unknown)?)
            }
            (Mode::CLONE | Mode::COMPACT | Mode::DESERIALIZE, _) => {
                micromaps.leave(to);
                return Ok(false);
            }
            (_, Some(_)) => return Err(Error::Unsupported("opacity micromaps in the form for tools")),
            (_, None) => return Ok(false),
        };
        self.encoder.copy_micromaps(copy);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every question has its words, of what the GPU knows or of what was known before.
    #[test]
    fn answers_are_of_one_word_or_two() {
        let compacted = Word::Asked(vk::QueryType::MICROMAP_COMPACTED_SIZE_EXT);
        let serialised = [Word::Asked(vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT), Word::Known(0)];
        for extent in [Extent::Bytes(512), Extent::Compact, Extent::Unknown] {
            assert_eq!(words(Info::COMPACTED_SIZE, extent).ok(), Some(vec![compacted]));
            assert_eq!(words(Info::SERIALIZATION, extent).ok(), Some(serialised.to_vec()));
            assert!(words(Info::TOOLS_VISUALIZATION, extent).is_err());
        }
        assert_eq!(words(Info::CURRENT_SIZE, Extent::Bytes(512)).ok(), Some(vec![Word::Known(512)]));
        assert_eq!(words(Info::CURRENT_SIZE, Extent::Compact).ok(), Some(vec![compacted]));
        assert!(words(Info::CURRENT_SIZE, Extent::Unknown).is_err());
    }
}
