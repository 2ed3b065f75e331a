//! What tests ask of an X server: which windows are shown, to close them, to press keys in them, and for pictures.

use anyhow::{Context, Result};
use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::ErrorKind;
use x11rb::protocol::xproto::{
    CLIENT_MESSAGE_EVENT, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, KEY_PRESS_EVENT, KeyButMask,
    KeyPressEvent, MapState,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// A client of one X server.
#[derive(Debug)]
pub(crate) struct Connection {
    server: RustConnection,
    root: u32,
}

impl Connection {
    /// Connects to a display by its number.
    ///
    /// # Errors
    /// When nothing listens there, or the server refuses.
    pub(crate) fn open(display: u32) -> Result<Connection> {
        let (server, screen) = RustConnection::connect(Some(&format!(":{display}")))
            .with_context(|| format!("cannot connect to display :{display}"))?;
        let root = server.setup().roots.get(screen).context("the X server has no screen")?.root;
        Ok(Connection { server, root })
    }

    /// The children of the root window that are shown. A window that its client has made and not yet shown has no picture, and
    /// may not be ready to be asked for anything.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub(crate) fn windows(&self) -> Result<Vec<u32>> {
        let all = self.server.query_tree(self.root)?.reply()?.children;
        let mut shown = Vec::new();
        for window in all {
            match self.server.get_window_attributes(window)?.reply() {
                Ok(attributes) if attributes.map_state == MapState::VIEWABLE => shown.push(window),
                Ok(_) => {}
                // The window has gone since the list was made.
                Err(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Window => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(shown)
    }

    /// Sends `WM_DELETE_WINDOW` to the window's client.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub(crate) fn close(&self, window: u32) -> Result<()> {
        let protocols = self.atom("WM_PROTOCOLS")?;
        let delete = self.atom("WM_DELETE_WINDOW")?;
        let message = ClientMessageEvent {
            response_type: CLIENT_MESSAGE_EVENT,
            format: 32,
            sequence: 0,
            window,
            type_: protocols,
            data: [delete, 0, 0, 0, 0].into(),
        };
        // No propagation, no event mask: the event goes to the client that made the window.
        self.server.send_event(false, window, EventMask::NO_EVENT, message)?.ignore_error();
        Ok(())
    }

    /// Width and height of a window, and its pixels: four bytes each, blue first, rows top first.
    ///
    /// # Errors
    /// When the window has gone, or the server cannot be talked to.
    pub(crate) fn image(&self, window: u32) -> Result<(u16, u16, Vec<u8>)> {
        let geometry = self.server.get_geometry(window)?.reply()?;
        let (width, height) = (geometry.width, geometry.height);
        let image = self.server.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width, height, u32::MAX)?.reply()?;
        let pixels = image.data.get(..usize::from(width) * usize::from(height) * 4);
        Ok((width, height, pixels.context("short picture from the X server")?.to_vec()))
    }

    /// [`Connection::image`] of the root window, with everything that stands on it.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub(crate) fn screen(&self) -> Result<(u16, u16, Vec<u8>)> {
        self.image(self.root)
    }

    /// Tells the window's client that a key is pressed in it, by the key's number.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub(crate) fn press(&self, window: u32, key: u8) -> Result<()> {
        let event = KeyPressEvent {
            response_type: KEY_PRESS_EVENT,
            detail: key,
            sequence: 0,
            time: x11rb::CURRENT_TIME,
            root: self.root,
            event: window,
            child: x11rb::NONE,
            root_x: 0,
            root_y: 0,
            event_x: 0,
            event_y: 0,
            state: KeyButMask::default(),
            same_screen: false,
        };
        self.server.send_event(false, window, EventMask::NO_EVENT, event)?.ignore_error();
        Ok(())
    }

    /// Returns when the server has handled everything sent before.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub(crate) fn sync(&self) -> Result<()> {
        Ok(self.server.sync()?)
    }

    fn atom(&self, name: &str) -> Result<u32> {
        Ok(self.server.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }
}
