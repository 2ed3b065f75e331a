//! Native arguments to wire bytes and back, driven by the model.
