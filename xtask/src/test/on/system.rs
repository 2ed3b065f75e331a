//! The systems: releases of Debian, with what our programs need there.

use crate::debian::{Recipe, Root};
use anyhow::{Context, Result};
use reprise_testing::artifact;

/// A release of Debian.
pub(super) struct System {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    recipe: Recipe,
}

/// Installs what is wanted of the release itself.
macro_rules! install {
    ($from:literal) => {
        concat!(
            "apt-get update -qq && apt-get install -qq -y --no-install-recommends ",
            $from,
            " libvulkan1 mesa-vulkan-drivers vulkan-validationlayers && apt-get clean"
        )
    };
}

static SYSTEMS: [System; 4] = [
    System {
        name: "bookworm",
        about: "Debian 12 with Mesa of its backports",
        recipe: Recipe {
            suite: "bookworm",
            include: "",
            further: Some("bookworm-backports"),
            script: "apt-get update -qq && \
                apt-get install -qq -y --no-install-recommends libvulkan1 vulkan-validationlayers && \
                apt-get install -qq -y --no-install-recommends -t bookworm-backports mesa-vulkan-drivers && apt-get clean",
        },
    },
    System {
        name: "trixie",
        about: "Debian 13",
        recipe: Recipe { suite: "trixie", include: "", further: None, script: install!("") },
    },
    System {
        name: "trixie-backports",
        about: "Debian 13 with its backports",
        recipe: Recipe {
            suite: "trixie",
            include: "",
            further: Some("trixie-backports"),
            script: install!("-t trixie-backports"),
        },
    },
    System {
        name: "sid",
        about: "what becomes Debian 14",
        recipe: Recipe { suite: "sid", include: "", further: None, script: install!("") },
    },
];

impl System {
    pub(super) fn named(name: &str) -> Result<&'static System> {
        let names: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
        let found = SYSTEMS.iter().find(|system| system.name == name);
        found.with_context(|| format!("there is no system {name}: {}", names.join(", ")))
    }

    /// Its root, made if it is not there.
    pub(super) fn root(&self) -> Result<Root> {
        Root::made(&artifact::workspace().join("target/systems").join(self.name), &self.recipe)
    }
}

/// The versions of what programs meet there.
pub(super) fn versions(root: &Root) -> Result<String> {
    let said = root.run(
        "dpkg-query --show --showformat '${db:Status-Abbrev} ${Package} ${Version}\\n' \
         mesa-vulkan-drivers 'libllvm*' libvulkan1 vulkan-validationlayers libc6",
    )?;
    let installed = said.lines().filter_map(|line| line.strip_prefix("ii ")).map(str::trim);
    Ok(installed.collect::<Vec<_>>().join(", "))
}
