//! A window of an X server that shows pictures and hears keys.
//!
//! Pictures are sent to the server as bytes: any runtime's can be shown, on any server, also one without a GPU. Invariant: the
//! window shows the last picture, scaled to its size, whenever the program looks at its events.

use crate::window::Wish;
use anyhow::{Context, Result, bail, ensure};
use reprise_replay::Picture;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt, CreateGCAux, CreateWindowAux, EventMask, ImageFormat, ImageOrder, KeyPressEvent, PropMode,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// The window, closed when dropped.
pub(crate) struct Window {
    connection: RustConnection,
    window: u32,
    gc: u32,
    depth: u8,
    size: (u16, u16),
    /// `WM_DELETE_WINDOW`.
    delete: u32,
    /// The first key and how many symbols each has, and the symbols.
    keys: (u8, usize, Vec<u32>),
    shown: Option<Picture>,
}

/// Bits of a pixel that the server must take, so that no conversion is ours.
const PIXEL_BITS: u8 = 32;

impl Window {
    /// Whether there is a display at all.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn check() -> Result<()> {
        x11rb::connect(None).map(drop).context("--window: cannot reach an X server (is DISPLAY set?)")
    }

    /// Opens a window of this size at this place of the display that `DISPLAY` names.
    ///
    /// # Errors
    /// There is no such display, or it has no true colour of 8 bits a channel.
    pub(crate) fn open(title: &str, size: (u16, u16), origin: (i16, i16)) -> Result<Window> {
        let (connection, screen) = x11rb::connect(None).context("cannot reach an X server (is DISPLAY set?)")?;
        let setup = connection.setup();
        let screen = &setup.roots[screen];
        let depth = screen.root_depth;
        let format = setup.pixmap_formats.iter().find(|format| format.depth == depth);
        ensure!(
            format.is_some_and(|format| format.bits_per_pixel == PIXEL_BITS) && matches!(depth, 24 | 32),
            "the X server shows {depth} bits a pixel; pictures need 24"
        );
        ensure!(
            setup.image_byte_order == ImageOrder::LSB_FIRST,
            "the X server takes pictures of another byte order only"
        );
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let window = connection.generate_id()?;
        let events = EventMask::EXPOSURE | EventMask::KEY_PRESS | EventMask::STRUCTURE_NOTIFY;
        let aux = CreateWindowAux::new().event_mask(events).background_pixel(screen.black_pixel);
        let ((x, y), (width, height)) = (origin, size);
        let (root, visual) = (screen.root, screen.root_visual);
        connection.create_window(
            depth,
            window,
            root,
            x,
            y,
            width,
            height,
            0,
            WindowClass::INPUT_OUTPUT,
            visual,
            &aux,
        )?;
        connection.change_property8(
            PropMode::REPLACE,
            window,
            AtomEnum::WM_NAME,
            AtomEnum::STRING,
            title.as_bytes(),
        )?;
        let protocols = connection.intern_atom(false, b"WM_PROTOCOLS")?.reply()?.atom;
        let delete = connection.intern_atom(false, b"WM_DELETE_WINDOW")?.reply()?.atom;
        connection.change_property32(PropMode::REPLACE, window, protocols, AtomEnum::ATOM, &[delete])?;
        let gc = connection.generate_id()?;
        connection.create_gc(gc, window, &CreateGCAux::new())?;
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let keys = (first, usize::from(mapping.keysyms_per_keycode), mapping.keysyms);
        connection.map_window(window)?;
        connection.sync()?;
        Ok(Window { connection, window, gc, depth, size, delete, keys, shown: None })
    }

    /// Shows a picture from here on.
    ///
    /// # Errors
    /// Its format cannot be shown, or the server is gone.
    pub(crate) fn show(&mut self, picture: &Picture) -> Result<()> {
        self.shown = Some(picture.clone());
        self.draw()
    }

    fn draw(&self) -> Result<()> {
        let Some(picture) = &self.shown else { return Ok(()) };
        let (width, height) = self.size;
        let pixels = picture.for_screen(u32::from(width), u32::from(height)).map_err(anyhow::Error::msg)?;
        // The largest request has a header of its own.
        let row = usize::from(width) * 4;
        let rows =
            (self.connection.maximum_request_bytes().saturating_sub(64) / row.max(1)).clamp(1, usize::from(height));
        for (index, part) in pixels.chunks(rows * row).enumerate() {
            let (y, height) = ((index * rows) as i16, (part.len() / row) as u16);
            let (format, left_pad) = (ImageFormat::Z_PIXMAP, 0);
            let place = (self.window, self.gc);
            self.connection.put_image(format, place.0, place.1, width, height, 0, y, left_pad, self.depth, part)?;
        }
        // The server has it before the next frame is played, so that frames are not dropped.
        self.connection.sync()?;
        Ok(())
    }

    /// What the user wishes by now; `wait` until there is something.
    ///
    /// # Errors
    /// The server is gone.
    pub(crate) fn wish(&mut self, wait: bool) -> Result<Option<Wish>> {
        loop {
            let event = match wait {
                true => Some(self.connection.wait_for_event()?),
                false => self.connection.poll_for_event()?,
            };
            match event {
                None => return Ok(None),
                Some(Event::Expose(event)) if event.count == 0 => self.draw()?,
                Some(Event::ConfigureNotify(event)) => {
                    let size = (event.width.max(1), event.height.max(1));
                    if size != self.size {
                        self.size = size;
                        self.draw()?;
                    }
                }
                Some(Event::KeyPress(event)) => {
                    if let Some(wish) = self.wish_of(&event) {
                        return Ok(Some(wish));
                    }
                }
                Some(Event::ClientMessage(event)) if event.data.as_data32()[0] == self.delete => {
                    return Ok(Some(Wish::Quit));
                }
                Some(Event::DestroyNotify(_)) => bail!("the window was destroyed"),
                Some(_) => {}
            }
        }
    }

    fn wish_of(&self, event: &KeyPressEvent) -> Option<Wish> {
        const ESCAPE: u32 = 0xff1b;
        const RIGHT: u32 = 0xff53;
        let (first, each, symbols) = &self.keys;
        let at = usize::from(event.detail.checked_sub(*first)?) * each;
        let symbol = *symbols.get(at)?;
        Some(match (symbol, char::from_u32(symbol)) {
            (ESCAPE, _) | (_, Some('q')) => Wish::Quit,
            (RIGHT, _) | (_, Some('n')) => Wish::Step,
            (_, Some(' ' | 'p')) => Wish::Pause,
            _ => return None,
        })
    }
}
