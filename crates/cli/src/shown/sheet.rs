//! Where small pictures go: a file each in a folder, one sheet, or an animated PNG.

use crate::shown::file::write_bytes;
use crate::shown::is_folder;
use anyhow::{Error, Result, bail};
use reprise_picture::{Tile, sheet, write_animation};
use std::path::PathBuf;

/// How long a picture of an animation is seen, in thousandths of a second.
const SEEN: u16 = 250;

/// Pictures on their way to files.
#[derive(Debug)]
pub(crate) struct Written {
    output: PathBuf,
    kind: Kind,
    tiles: Vec<Tile>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Sheet,
    Animation,
    Folder,
}

impl Written {
    /// The ending of the name says what is written.
    ///
    /// # Errors
    /// It is that of a format which is not written here.
    pub(crate) fn new(output: PathBuf) -> Result<Written> {
        let ending = output.extension().map(|ending| ending.to_ascii_lowercase());
        let kind = match ending.as_ref().and_then(|ending| ending.to_str()) {
            _ if is_folder(&output) => Kind::Folder,
            Some("png") => Kind::Sheet,
            Some("apng") => Kind::Animation,
            Some(
                "jpg" | "jpeg" | "gif" | "webp" | "avif" | "bmp" | "tga" | "tif" | "tiff" | "exr" | "dds" | "svg"
                | "mp4" | "pdf",
            ) => {
                bail!(
                    "{}: a sheet is a .png, an animation an .apng, and the name of a folder ends with /",
                    output.display()
                )
            }
            _ => Kind::Folder,
        };
        Ok(Written { output, kind, tiles: Vec::new() })
    }

    /// Takes a picture; gives its own file where it has one, whose name begins like this.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add(&mut self, tile: Tile, name: &str) -> Result<Option<String>, String> {
        if self.kind != Kind::Folder {
            self.tiles.push(tile);
            return Ok(None);
        }
        let path = self.output.join(format!("{name}.png"));
        let mut bytes = Vec::new();
        tile.image.write_png(&mut bytes)?;
        write_bytes(&path, &bytes).map_err(|error| format!("{error:#}"))?;
        Ok(Some(path.display().to_string()))
    }

    /// Writes what holds all pictures, and gives its name.
    ///
    /// # Errors
    /// There are too many for a sheet, or the file cannot be written.
    pub(crate) fn finish(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        match self.kind {
            Kind::Folder => return Ok(None),
            Kind::Sheet => sheet(&self.tiles).map_err(Error::msg)?.write_png(&mut bytes).map_err(Error::msg)?,
            Kind::Animation => write_animation(&self.tiles, SEEN, &mut bytes).map_err(Error::msg)?,
        }
        write_bytes(&self.output, &bytes)?;
        Ok(Some(self.place()))
    }

    /// As the user named it.
    pub(crate) fn place(&self) -> String {
        self.output.display().to_string()
    }
}
