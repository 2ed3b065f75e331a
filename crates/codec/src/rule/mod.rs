//! Rules: one file per family.
