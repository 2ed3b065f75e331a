//! Native events: an `eventfd` number in a handle.
