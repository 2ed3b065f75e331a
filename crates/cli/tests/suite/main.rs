//! The program `reprise` from outside: what people and scripts see of it.

#![allow(clippy::unwrap_used, missing_docs)]

mod addresses;
mod bench;
mod breadcrumbs;
mod breakpoint;
mod colour;
mod compression;
mod control;
mod convert;
mod damaged;
mod death;
mod demands;
mod descriptors;
mod diagnosis;
mod diff;
mod disassembly;
#[allow(dead_code, unreachable_pub)]
#[path = "../../../codec/tests/common/doctor.rs"]
mod doctor;
mod dumps;
mod extract;
mod faults;
mod features;
mod filters;
mod foreign;
mod harsh;
mod kills;
mod launch;
mod lint;
#[path = "../../../lint/tests/common/mod.rs"]
mod lint_program;
mod logging;
mod looped;
mod memory;
mod memory_bound;
mod no_numbers;
mod parts;
mod portable;
mod presented;
mod programs;
mod ray_tracing;
mod real;
mod recorded_crashes;
mod renderdoc;
mod replaced;
mod run;
mod stat;
mod state;
mod threads;
mod translate;
mod usage;
mod validated;
mod windowed;
mod windows;
mod wine;
