//! What the interpreter asks of resources, and does to them.

use super::content::{RACED, ROUNDED};
use super::control::turned;
use super::texel::{components, decode, encode, is_encoded, is_stencil, mapped};
use super::{Key, Store};
use crate::debug::feedback::Map;
use crate::debug::region::{Region, Texture};
use crate::debug::sampler;
use crate::ours::Slots;
use reprise_interpreter::{
    Buffer, Descriptor, Handle, Open, Record, Resources, Scene, Size, Surface, Table, Texel, either,
};
use reprise_picture::{Kind, Layout};
use std::rc::Rc;

impl Resources for Store<'_> {
    fn record(&mut self, table: Table, index: u64) -> Result<Rc<Record>, String> {
        if let Some(known) = self.records.get(&(table, index)) {
            return known.clone();
        }
        let record = match self.read_record(table, index) {
            // The shaders run anew, once its bytes are here.
            Ok(None) => return Ok(Rc::default()),
            Ok(Some(record)) => Ok(Rc::new(record)),
            Err(why) => Err(why),
        };
        self.records.insert((table, index), record.clone());
        record
    }

    fn scene(&mut self, address: u64) -> Result<Rc<Scene>, String> {
        match self.scenes.get(&address) {
            Some(Ok(known)) if self.disturbed => {
                // Rays hit what they did not, and do not hit what they did.
                let mut other = (**known).clone();
                other.instances.iter_mut().for_each(|instance| instance.mask ^= 0xff);
                Ok(Rc::new(other))
            }
            Some(known) => known.clone(),
            None => {
                self.missing_scenes.insert(address);
                Ok(Rc::default())
            }
        }
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String> {
        if buffer == Buffer::Root {
            let command = self.invocation.command();
            let root = command.root.get(offset as usize..).unwrap_or_default();
            bytes.iter_mut().zip(root).for_each(|(to, from)| *to = *from);
            // Addresses and tables of another bit lead nowhere.
            let words = (offset..).step_by(4).zip(bytes.chunks_mut(4));
            words.filter(|(at, _)| command.is_constant(*at)).for_each(|(_, word)| self.disturb(word));
            return Ok(0);
        }
        if let Buffer::View(Descriptor { binding: Slots::ADDRESSES, set: Slots::HEAPS, .. }) = buffer {
            let address = self.counter(u32::try_from(offset / 8).unwrap_or(u32::MAX))?.to_le_bytes();
            let from = address.get(offset as usize % 8..).unwrap_or_default();
            bytes.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            return Ok(0);
        }
        let Some((resource, at, room)) = self.place(buffer, offset)? else { return Ok(0) };
        let by_address = buffer == Buffer::Address;
        let Some(content) = self.content(Key::buffer(resource)) else { return Ok(0) };
        let there = (content.bytes.len() as u64).saturating_sub(at);
        if by_address && there < bytes.len() as u64 {
            return Err(format!("address {offset:#x} is behind the end of buffer {resource}"));
        }
        // Words that lie within the view; those beyond it are 0.
        let count = room.min(there).min(bytes.len() as u64) as usize;
        let count = if count < bytes.len() { count / 4 * 4 } else { count };
        if count == 0 {
            return Ok(0);
        }
        let at = at as usize;
        bytes[..count].copy_from_slice(&content.bytes[at..at + count]);
        let open = content.open(at, count);
        self.last_read = Some((Key::buffer(resource), at as u64));
        self.disturb(bytes);
        Ok(open)
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8], open: Open) -> Result<(), String> {
        let Some((resource, at, room)) = self.place(buffer, offset)? else {
            return if buffer == Buffer::Root { Err("root arguments are not written".to_owned()) } else { Ok(()) };
        };
        let by_address = buffer == Buffer::Address;
        let by = (self.group, self.last_read.take() == Some((Key::buffer(resource), at)));
        let Some(content) = self.content(Key::buffer(resource)) else { return Ok(()) };
        let there = (content.bytes.len() as u64).saturating_sub(at);
        if by_address && there < bytes.len() as u64 {
            return Err(format!("address {offset:#x} is behind the end of buffer {resource}"));
        }
        let count = room.min(there).min(bytes.len() as u64) as usize;
        let count = if count < bytes.len() { count / 4 * 4 } else { count };
        if count != 0 {
            content.write(at as usize, &bytes[..count], open, by);
        }
        Ok(())
    }

    fn scattered(&mut self, buffer: Buffer, open: Open) {
        let place = match buffer {
            Buffer::Root | Buffer::Record => return,
            // Anywhere: every resource.
            Buffer::Address => {
                let all: Vec<u32> = self.contents.keys().map(|key| key.resource).collect();
                all.into_iter().for_each(|resource| self.scatter(resource, open));
                return;
            }
            Buffer::View(descriptor) => self.region(descriptor),
        };
        if let Ok(Region::Bytes { resource, .. }) = place {
            self.scatter(resource, open);
        }
    }

    fn scattered_texels(&mut self, view: &Handle, open: Open) {
        let region = self.region(view.descriptor);
        if let Ok(
            Region::Elements { resource, .. }
            | Region::Texture(Texture { resource, .. })
            | Region::Feedback(Map { resource, .. }),
        ) = region
        {
            self.scatter(resource, open);
        }
    }

    fn length(&mut self, buffer: Buffer) -> Result<u64, String> {
        match buffer {
            Buffer::View(descriptor) => match self.region(descriptor)? {
                Region::Bytes { bytes, .. } => Ok(bytes),
                Region::Null => Ok(0),
                other => Err(format!("{descriptor} is {other:?}, which the shader uses as a buffer of bytes")),
            },
            _ => Err("what has no view has no length".to_owned()),
        }
    }

    fn texel(&mut self, view: &Handle, at: Texel) -> Result<([u64; 4], Open), String> {
        let ((format, plane), mapping, key, from, open_count) = match self.region(view.descriptor)? {
            Region::Null => return Ok(([0; 4], 0)),
            Region::Feedback(map) => {
                // Of what was set before nobody asks.
                let texel = Self::feedback_texel(&map, view, at);
                let bits = texel.and_then(|texel| self.feedback.get(&texel)).copied().unwrap_or(0);
                return Ok(([bits.into(), 0, 0, 1], 0));
            }
            other @ Region::Bytes { .. } => {
                return Err(format!("{view} is {other:?}, which the shader uses as texels"));
            }
            Region::Elements { resource, offset, count, format } => {
                let layout = Layout::of(format, 0)?;
                let index = u64::try_from(at.at[0]).ok().filter(|index| *index < count);
                let beyond = components(layout, [0.0; 4]);
                let Some(index) = index else { return Ok((beyond, 0)) };
                let size = u64::from(layout.bytes());
                ((format, 0), None, Key::buffer(resource), offset.saturating_add(index.saturating_mul(size)), size)
            }
            Region::Texture(texture) => {
                let layout = Layout::of(texture.format, texture.plane)?;
                let beyond = components(layout, [0.0; 4]);
                let found = self.texel_of(&texture, view, at)?;
                let Some((key, x, y)) = found else { return Ok((mapped(beyond, texture.mapping, layout), 0)) };
                if matches!(layout, Layout::Blocks { .. }) {
                    let Some(content) = self.content(key) else { return Ok(([0; 4], 0)) };
                    let texels = content.blocks(texture.format, texture.plane)?;
                    let values = texels.at(x, y).ok_or("a texel is cut")?;
                    let mut texel = components(layout, values);
                    texel = texel.map(|word| if self.disturbed { turned(word) } else { word });
                    return Ok((mapped(texel, texture.mapping, layout), 0));
                }
                let Some(content) = self.content(key) else { return Ok(([0; 4], 0)) };
                let size = u64::from(layout.bytes());
                let from = (u64::from(y) * u64::from(content.size.0) + u64::from(x)) * size;
                ((texture.format, texture.plane), Some((texture.mapping, layout)), key, from, size)
            }
        };
        let Some(content) = self.content(key) else { return Ok(([0; 4], 0)) };
        let bytes = content.bytes.get(from as usize..).and_then(|all| all.get(..open_count as usize));
        let Some(bytes) = bytes else { return Ok((components(Layout::of(format, plane)?, [0.0; 4]), 0)) };
        let mut texel = decode(format, plane, bytes)?;
        // Stencils are the second component of views, in both formats that have them beside depth.
        if plane == 1 && is_stencil(format) {
            texel = [0, texel[0], 0, 1];
        }
        let open = content.open(from as usize, open_count as usize);
        self.last_read = Some((key, from));
        texel = texel.map(|word| if self.disturbed { turned(word) } else { word });
        Ok((mapping.map_or(texel, |(mapping, layout)| mapped(texel, mapping, layout)), open))
    }

    fn writer(&mut self, lane: u32) {
        self.lane = lane;
    }

    fn set_texel(&mut self, view: &Handle, at: Texel, components: [u64; 4], opens: [Open; 4]) -> Result<(), String> {
        let (format, place) = match self.region(view.descriptor)? {
            Region::Null => return Ok(()),
            Region::Feedback(map) => {
                if let Some(texel) = Self::feedback_texel(&map, view, at) {
                    self.set_feedback(&map, texel, components[0] as u32, opens[0]);
                }
                return Ok(());
            }
            Region::Elements { resource, offset, count, format } => {
                let index = u64::try_from(at.at[0]).ok().filter(|index| *index < count);
                let size = u64::from(Layout::of(format, 0)?.bytes());
                let place = |index: u64| (Key::buffer(resource), offset.saturating_add(index.saturating_mul(size)));
                (format, index.map(place))
            }
            Region::Texture(texture) => {
                let found = self.texel_of(&texture, view, at)?;
                let size = u64::from(Layout::of(texture.format, texture.plane)?.bytes());
                let offset = |columns: u32, x: u32, y: u32| (u64::from(y) * u64::from(columns) + u64::from(x)) * size;
                let place = found.and_then(|(key, x, y)| {
                    let columns = self.content(key)?.size.0;
                    Some((key, offset(columns, x, y)))
                });
                (texture.format, place)
            }
            other @ Region::Bytes { .. } => {
                return Err(format!("{view} is {other:?}, which the shader uses as texels"));
            }
        };
        let texel = encode(format, components)?;
        let (bytes, mut opens) = (texel.bytes, opens);
        for (open, _) in opens.iter_mut().zip(texel.is_rounded).filter(|(_, is_rounded)| *is_rounded) {
            *open = either(*open, ROUNDED);
        }
        let channels = match Layout::of(format, 0)? {
            Layout::Packed { channels, .. } => channels,
            _ => [(0, 0); 4],
        };
        let last = self.last_read.take();
        let group = self.group;
        if let (Some((key, from)), Some(watch)) = (place, &mut self.watch)
            && let Some(content) = self.contents.get(&key)
        {
            watch.written((key, from), bytes.len(), content.size.0, self.lane);
        }
        if let Some((key, from)) = place
            && let Some(content) = self.content(key)
        {
            let by = (group, last == Some((key, from)));
            for (index, byte) in (0u64..).zip(&bytes) {
                // What is open about a byte is open about one of the components in it.
                let bits = index as u32 * 8..index as u32 * 8 + 8;
                let own = channels.iter().zip(opens).filter(|((bit, width), _)| {
                    u32::from(*bit) < bits.end && u32::from(bit + width) > bits.start && *width != 0
                });
                let open = own.map(|(_, open)| open).fold(0, either);
                content.write((from + index) as usize, &[*byte], open, by);
            }
            let is_raced = content.written.range(from..from + bytes.len() as u64).any(|(_, open)| *open == RACED);
            content.texels.insert(from, (format, if is_raced { [RACED; 4] } else { opens }));
        }
        Ok(())
    }

    fn surface(&mut self, view: &Handle, descriptor: Descriptor) -> Result<Option<Surface>, String> {
        let texture = match self.region(view.descriptor)? {
            Region::Null => return Ok(None),
            Region::Texture(texture) => texture,
            other => return Err(format!("{view} is {other:?}, which the shader samples")),
        };
        let own = || self.local_samplers.get(descriptor.binding as usize);
        let known = if descriptor.set == Slots::LOCAL_SAMPLERS { own() } else { self.samplers.get(&descriptor) };
        let (sampler, border) = match known {
            Some(known) => *known,
            None => {
                let found = self.invocation.sampler(descriptor).map_err(|what| format!("{descriptor}: {what}"))?;
                self.samplers.insert(descriptor, found);
                found
            }
        };
        let layout = Layout::of(texture.format, texture.plane)?;
        let mapping = texture.mapping;
        let steps = sampler::steps(layout);
        let own = |from: u32| steps.get(from as usize).copied().flatten();
        Ok(Some(Surface {
            sampler,
            border: mapped(border.of(layout), mapping, layout),
            steps: mapping.map(own),
            srgb: self.encoded(view),
            integer: matches!(layout.kind(), Kind::Uint | Kind::Sint),
            least: texture.least - texture.mips.0 as f32,
        }))
    }

    fn encoded(&mut self, view: &Handle) -> [bool; 4] {
        match self.region(view.descriptor) {
            Ok(Region::Texture(texture)) if Layout::of(texture.format, texture.plane).is_ok_and(is_encoded) => {
                texture.mapping.map(|from| from < 3)
            }
            _ => [false; 4],
        }
    }

    fn resident(&mut self, view: &Handle, texel: Option<Texel>) -> Result<bool, String> {
        let region = self.region(view.descriptor)?;
        let resource = match region {
            // Of what is not there nothing is missing.
            Region::Null => return Ok(true),
            Region::Bytes { resource, .. } | Region::Elements { resource, .. } => resource,
            Region::Texture(texture) => texture.resource,
            Region::Feedback(map) => map.resource,
        };
        if !self.invocation.is_reserved(resource) {
            return Ok(true);
        }
        let known = self.invocation.tiles(resource);
        let (tiles, tiling) =
            known.ok_or_else(|| format!("which tiles of resource {resource} are in memory is not known"))?;
        let mapped = tiles.runs().map(|(_, run)| u64::from(run.count)).sum::<u64>();
        // All or none: it makes no odds where a texel lies.
        if mapped == 0 || mapped >= tiling.total().into() {
            return Ok(mapped != 0);
        }
        let Some(texel) = texel else {
            return Err(format!(
                "some tiles of resource {resource} are in memory: which of them a sampler reads is not supported yet"
            ));
        };
        let place = match region {
            Region::Elements { offset, count, format, resource: _ } => {
                let index = u64::try_from(texel.at[0]).ok().filter(|index| *index < count);
                let bytes = u64::from(Layout::of(format, 0)?.bytes());
                let byte = index.map(|index| offset.saturating_add(index.saturating_mul(bytes)));
                let far = |byte| {
                    format!(
                        "byte {byte} of reserved resource {resource} is beyond 4 GiB: which tile that is, is not supported"
                    )
                };
                byte.map(|byte| u32::try_from(byte).map_err(|_| far(byte))).transpose()?.map(|byte| (0, [byte, 0, 0]))
            }
            Region::Texture(texture) => {
                let made = self.invocation.made(resource)?;
                let levels = u32::from(made.MipLevels).max(1);
                self.texel_of(&texture, view, texel)?.map(|(key, x, y)| {
                    let [level, slice, ..] = key.part.unwrap_or_default();
                    match texture.depth_of(level) {
                        Some(_) => (level, [x, y, slice]),
                        None => (level + slice * levels, [x, y, 0]),
                    }
                })
            }
            _ => None,
        };
        // Beyond the view nothing is missing.
        let Some((subresource, at)) = place else { return Ok(true) };
        let Some((tiles, tiling)) = self.invocation.tiles(resource) else { return Ok(true) };
        Ok(tiling.tile(subresource, at).is_none_or(|tile| tiles.at(tile).is_some()))
    }

    fn size(&mut self, view: &Handle, level: u32) -> Result<Size, String> {
        match self.region(view.descriptor)? {
            Region::Null => Ok(Size::default()),
            Region::Feedback(map) => {
                let [width, height] = map.extent();
                Ok(Size { texels: [width, height, 1], slices: map.slices, levels: 1, samples: 1 })
            }
            Region::Elements { count, .. } => {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                Ok(Size { texels: [count, 1, 1], slices: 1, levels: 1, samples: 1 })
            }
            Region::Texture(texture) => {
                let made = self.invocation.made(texture.resource)?;
                let (levels, slices) = texture.counts(&made);
                if level >= levels {
                    return Ok(Size { levels, ..Size::default() });
                }
                let mip = texture.mips.0 + level;
                let mut texels = texture.size_of(mip);
                if let Some((_, depth)) = texture.depth_of(mip) {
                    texels[2] = depth;
                }
                Ok(Size { texels, slices, levels, samples: texture.samples })
            }
            other @ Region::Bytes { .. } => Err(format!("{view} is {other:?}, which the shader uses as texels")),
        }
    }
}
