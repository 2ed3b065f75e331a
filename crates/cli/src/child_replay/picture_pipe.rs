//! The messages that a child replay writes into its pipe: pictures, read-backs, the end.
//!
//! Two replays that are compared run in processes of their own. So a library that crashes ends only its own replay, and two
//! libraries may export the same names.
//!
//! All numbers are little-endian. A message is a head and bytes. The head is `frame` u64, `width`, `height`, `format` and 0 as
//! u32, `bytes` u64. `frame` tells the kind of message: 0 is the end, whose bytes are the runtime's name, and in a line of its own the adapter and driver, where they are known; `u64::MAX` is a
//! read-back of the program, whose bytes are its numbers; any other number is a picture. A child sends read-backs only
//! where the parent asked for them.
//!
//! Invariant: a reader allocates at most [`LARGEST`] bytes for one message.

use reprise_replay::{Picture, Read};
use std::io::{self, Read as _, Write};

/// No picture of a swap chain is larger.
const LARGEST: u64 = 1 << 30;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// The picture of a frame; frames count from 1.
    Picture(u64, Picture),
    /// The program reads back what the GPU wrote.
    Read(Read),
    /// The replay is over, and ran on this runtime, adapter and driver.
    End { runtime: String, device: String },
}

/// In the place of a frame's number.
const READ: u64 = u64::MAX;

/// Tells what the program reads back.
///
/// # Errors
/// As [`send`].
pub(crate) fn send_read(writer: &mut impl Write, read: &Read) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(104);
    [read.call, read.frame, read.resource.into(), read.offset].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend(read.hash.to_le_bytes());
    bytes.extend(u64::from(read.differs).to_le_bytes());
    for part in [read.answers, read.values] {
        bytes.extend(u64::from(part.is_some()).to_le_bytes());
        bytes.extend(part.unwrap_or(0).to_le_bytes());
    }
    head(writer, READ, [0; 3], &bytes)
}

fn read_of(bytes: &[u8]) -> Option<Read> {
    let word = |index: usize| bytes.get(8 * index..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    let hash = |at: usize| Some(u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let part = |at: usize| hash(8 * at + 8).filter(|_| word(at).is_some_and(|is_there| is_there != 0));
    Some(Read {
        call: word(0)?,
        frame: word(1)?,
        resource: word(2)? as u32,
        offset: word(3)?,
        hash: hash(32)?,
        differs: word(6)? != 0,
        answers: part(7),
        values: part(10),
    })
}

/// Sends the picture of a frame.
///
/// # Errors
/// When nobody reads any more.
pub(crate) fn send(writer: &mut impl Write, frame: u64, picture: &Picture) -> io::Result<()> {
    head(writer, frame, [picture.width, picture.height, picture.format], &picture.bytes)
}

/// Says that there are no more.
///
/// # Errors
/// As [`send`].
pub(crate) fn end(writer: &mut impl Write, runtime: &str, device: &str) -> io::Result<()> {
    head(writer, 0, [0; 3], format!("{runtime}\n{device}").as_bytes())
}

fn head(writer: &mut impl Write, frame: u64, numbers: [u32; 3], bytes: &[u8]) -> io::Result<()> {
    let mut head = frame.to_le_bytes().to_vec();
    numbers.iter().chain([&0]).for_each(|number| head.extend(number.to_le_bytes()));
    head.extend((bytes.len() as u64).to_le_bytes());
    writer.write_all(&head)?;
    writer.write_all(bytes)
}

/// Receives what was sent; an end of the stream before [`Message::End`] is an error, as the sender died.
///
/// # Errors
/// When the stream ends or is not what [`send`] writes.
pub(crate) fn receive(reader: &mut impl io::Read) -> io::Result<Message> {
    let mut head = [0; 32];
    reader.read_exact(&mut head)?;
    let word = |at: usize| head[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let (frame, length) = (long(0), long(24));
    if length > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a picture of {length} bytes")));
    }
    let mut bytes = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(match frame {
        READ => Message::Read(read_of(&bytes).ok_or(io::ErrorKind::InvalidData)?),
        0 => {
            let text = String::from_utf8_lossy(&bytes);
            let (runtime, device) = text.split_once('\n').unwrap_or((&text, ""));
            Message::End { runtime: runtime.to_owned(), device: device.to_owned() }
        }
        _ => Message::Picture(frame, Picture { width: word(8), height: word(12), format: word(16), bytes }),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_arrives_and_what_is_cut_is_an_error() {
        let picture = Picture { width: 2, height: 1, format: 28, bytes: (0..8).collect() };
        let mut stream = Vec::new();
        send(&mut stream, 9, &picture).unwrap();
        let (hash, values) = (3 << 100, Some(5 << 90));
        let read = Read { call: 7, frame: 2, resource: 5, offset: 64, hash, answers: None, values, differs: true };
        send_read(&mut stream, &read).unwrap();
        end(&mut stream, "ours", "llvmpipe").unwrap();
        let mut reader = stream.as_slice();
        assert_eq!(receive(&mut reader).unwrap(), Message::Picture(9, picture));
        assert_eq!(receive(&mut reader).unwrap(), Message::Read(read));
        assert_eq!(
            receive(&mut reader).unwrap(),
            Message::End { runtime: "ours".to_owned(), device: "llvmpipe".to_owned() }
        );
        for cut in [0, 31, 39] {
            assert!(receive(&mut &stream[..cut]).is_err(), "{cut}");
        }
        stream[24..32].fill(0xff);
        assert!(receive(&mut stream.as_slice()).is_err());
    }
}
