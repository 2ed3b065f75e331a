//! Work graphs: programs of executable state objects.
//!
//! [`read`] takes down what a program describes, [`plan`] finds which nodes are in a graph and at which levels they have records, and
//! [`program`] makes Vulkan's pipelines. Invariant: a node's number is its place in [`plan::Plan::nodes`], in which the nodes of an array
//! follow each other, since shaders add the index in an array to the number of its first node.

pub mod plan;
pub mod program;
pub mod read;

pub use program::Graph;
