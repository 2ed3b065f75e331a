//! What an operation that was measured ran.

use reprise_d3d12::operation::{Operation as Kindred, of_name};
use reprise_times::{Operation, Pipeline};

/// Whether a method runs shaders. Others are recorded with a pipeline, too, where one is set.
pub(super) fn runs(method: &str) -> bool {
    use Kindred::{Bundle, Dispatch, Draw, Graph, Indirect, Rays};
    of_name(method).is_some_and(|kind| matches!(kind, Draw | Dispatch | Rays | Graph | Indirect | Bundle))
}

/// What an operation ran.
pub(crate) fn ran(operation: &Operation) -> Option<Pipeline> {
    operation.pipeline.filter(|_| runs(&operation.method))
}
