//! `cargo xtask manual --book`: the manual as pages for a browser, by mdBook.

use crate::setup::tool::MDBOOK;
use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::process::Command;

/// Makes `target/book`.
pub(super) fn build() -> Result<()> {
    let mut book = Command::new(MDBOOK.program()?);
    let status = book.arg("build").arg("book").current_dir(artifact::workspace()).status();
    ensure!(status.context("cannot run mdbook")?.success(), "the book cannot be made");
    println!("{}", artifact::workspace().join("target/book/index.html").display());
    Ok(())
}
