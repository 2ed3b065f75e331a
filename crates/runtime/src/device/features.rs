//! `CheckFeatureSupport`.
