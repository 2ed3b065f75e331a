//! As much of the X11 protocol as it takes to find windows and to ask them to close.
//!
//! Spoken over the local socket, little-endian, without events, so that every answer is a reply or an error. Facts: "X
//! Window System Protocol", version 11.

use anyhow::{Context, Result, bail, ensure};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const INTERN_ATOM: u8 = 16;
const QUERY_TREE: u8 = 15;
const SEND_EVENT: u8 = 25;
const GET_INPUT_FOCUS: u8 = 43;
const GET_IMAGE: u8 = 73;
const GET_GEOMETRY: u8 = 14;
const GET_WINDOW_ATTRIBUTES: u8 = 3;
const KEY_PRESS: u8 = 2;
const CLIENT_MESSAGE: u8 = 33;
/// Bytes of a reply, an error and an event, before what a reply's length adds.
const ANSWER: usize = 32;
/// Error: there is no such window (any more).
const BAD_WINDOW: u8 = 3;
/// Map state: it and all around it are mapped.
const VIEWABLE: u8 = 2;

/// A client of one X server.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    root: u32,
}

impl Connection {
    pub(crate) fn open(display: u32) -> Result<Connection> {
        let path = format!("/tmp/.X11-unix/X{display}");
        let mut stream = UnixStream::connect(&path).with_context(|| format!("cannot connect to {path}"))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        // Byte order, protocol 11.0, no authorization.
        stream.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        let mut head = [0; 8];
        stream.read_exact(&mut head)?;
        let mut body = vec![0; usize::from(u16::from_le_bytes([head[6], head[7]])) * 4];
        stream.read_exact(&mut body)?;
        ensure!(head[0] == 1, "the X server on display :{display} refuses the connection");
        // The fixed part, the vendor's name padded to 4, 8 bytes for each pixmap format, then the first screen: its root.
        let vendor = usize::from(u16_at(&body, 16)?).next_multiple_of(4);
        let formats = usize::from(*body.get(21).context("short X setup")?) * 8;
        let root = u32_at(&body, 32 + vendor + formats)?;
        Ok(Connection { stream, root })
    }

    /// The children of the root window that are shown. A window that its client has made and not yet shown has no picture, and
    /// may not be ready to be asked for anything.
    pub(crate) fn windows(&mut self) -> Result<Vec<u32>> {
        let mut request = vec![QUERY_TREE, 0, 2, 0];
        request.extend(self.root.to_le_bytes());
        let reply = self.ask(&request)?;
        let all = (0..usize::from(u16_at(&reply, 16)?)).map(|index| u32_at(&reply, ANSWER + index * 4));
        let all = all.collect::<Result<Vec<u32>>>()?;
        let mut shown = Vec::new();
        for window in all {
            if self.is_shown(window)? {
                shown.push(window);
            }
        }
        Ok(shown)
    }

    fn is_shown(&mut self, window: u32) -> Result<bool> {
        let mut request = vec![GET_WINDOW_ATTRIBUTES, 0, 2, 0];
        request.extend(window.to_le_bytes());
        match self.try_ask(&request)? {
            Ok(reply) => Ok(*reply.get(26).context("short answer from the X server")? == VIEWABLE),
            // It went away meanwhile.
            Err((GET_WINDOW_ATTRIBUTES, BAD_WINDOW)) => Ok(false),
            Err((request, error)) => bail!("the X server answers request {request} with error {error}"),
        }
    }

    /// Sends `WM_DELETE_WINDOW` to the window's client.
    pub(crate) fn close(&mut self, window: u32) -> Result<()> {
        let protocols = self.atom("WM_PROTOCOLS")?;
        let delete = self.atom("WM_DELETE_WINDOW")?;
        // No propagation, no event mask: the event goes to the client that made the window.
        let mut request = vec![SEND_EVENT, 0, 11, 0];
        request.extend(window.to_le_bytes());
        request.extend(0u32.to_le_bytes());
        request.extend([CLIENT_MESSAGE, 32, 0, 0]);
        for word in [window, protocols, delete, 0, 0, 0, 0] {
            request.extend(word.to_le_bytes());
        }
        Ok(self.stream.write_all(&request)?)
    }

    /// Width and height of a window, and its pixels: four bytes each, blue first, rows top first.
    pub(crate) fn image(&mut self, window: u32) -> Result<(u16, u16, Vec<u8>)> {
        let mut request = vec![GET_GEOMETRY, 0, 2, 0];
        request.extend(window.to_le_bytes());
        let geometry = self.ask(&request)?;
        let (width, height) = (u16_at(&geometry, 16)?, u16_at(&geometry, 18)?);
        // As pixmaps of all planes.
        let mut request = vec![GET_IMAGE, 2, 5, 0];
        request.extend(window.to_le_bytes());
        for side in [0, 0, width, height] {
            request.extend(side.to_le_bytes());
        }
        request.extend(u32::MAX.to_le_bytes());
        let reply = self.ask(&request)?;
        let pixels = reply.get(ANSWER..ANSWER + usize::from(width) * usize::from(height) * 4);
        Ok((width, height, pixels.context("short picture from the X server")?.to_vec()))
    }

    /// Tells the window's client that a key is pressed in it, by the key's number.
    pub(crate) fn press(&mut self, window: u32, key: u8) -> Result<()> {
        // No propagation, no event mask: the event goes to the client that made the window.
        let mut request = vec![SEND_EVENT, 0, 11, 0];
        request.extend(window.to_le_bytes());
        request.extend(0u32.to_le_bytes());
        request.extend([KEY_PRESS, key, 0, 0]);
        for word in [0, self.root, window, 0, 0, 0, 0] {
            request.extend(word.to_le_bytes());
        }
        Ok(self.stream.write_all(&request)?)
    }

    /// Returns when the server has handled everything sent before.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.ask(&[GET_INPUT_FOCUS, 0, 1, 0]).map(|_| ())
    }

    fn atom(&mut self, name: &str) -> Result<u32> {
        let padded = name.len().next_multiple_of(4);
        let mut request = vec![INTERN_ATOM, 0];
        request.extend(u16::try_from(2 + padded / 4)?.to_le_bytes());
        request.extend(u16::try_from(name.len())?.to_le_bytes());
        request.extend([0, 0]);
        request.extend(name.as_bytes());
        request.resize(8 + padded, 0);
        u32_at(&self.ask(&request)?, 8)
    }

    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        match self.try_ask(request)? {
            Ok(reply) => Ok(reply),
            Err((request, error)) => bail!("the X server answers request {request} with error {error}"),
        }
    }

    /// The reply, or which request failed and the number of its error.
    fn try_ask(&mut self, request: &[u8]) -> Result<Result<Vec<u8>, (u8, u8)>> {
        self.stream.write_all(request)?;
        loop {
            let mut answer = vec![0; ANSWER];
            self.stream.read_exact(&mut answer).context("the X server does not answer")?;
            match answer[0] {
                0 if answer[10] == SEND_EVENT => continue, // The window went away before it could be asked to.
                0 => return Ok(Err((answer[10], answer[1]))),
                1 => {
                    let more = usize::try_from(u32_at(&answer, 4)?)? * 4;
                    answer.resize(ANSWER + more, 0);
                    self.stream.read_exact(&mut answer[ANSWER..])?;
                    return Ok(Ok(answer));
                }
                _ => {} // An event that every client gets, such as a changed keyboard mapping.
            }
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let bytes = bytes.get(at..at + 2).context("short answer from the X server")?;
    Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let bytes = bytes.get(at..at + 4).context("short answer from the X server")?;
    Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}
