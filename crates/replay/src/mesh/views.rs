//! View instances of replay's own pipelines.

use reprise_d3d12::types::{D3D12_VIEW_INSTANCE_LOCATION, D3D12_VIEW_INSTANCING_DESC, D3D12_VIEW_INSTANCING_FLAGS};

use crate::view_mask::MOST_VIEWS;

/// Where views are drawn to: nowhere, because nothing is rasterised. So slices and viewports are those that the shader names.
static NOWHERE: [D3D12_VIEW_INSTANCE_LOCATION; MOST_VIEWS] =
    [D3D12_VIEW_INSTANCE_LOCATION { ViewportArrayIndex: 0, RenderTargetArrayIndex: 0 }; MOST_VIEWS];

/// As many view instances, drawn nowhere, which the list's mask chooses among.
pub(super) fn masked(views: D3D12_VIEW_INSTANCING_DESC) -> D3D12_VIEW_INSTANCING_DESC {
    D3D12_VIEW_INSTANCING_DESC {
        ViewInstanceCount: views.ViewInstanceCount.min(NOWHERE.len() as u32),
        pViewInstanceLocations: NOWHERE.as_ptr(),
        Flags: D3D12_VIEW_INSTANCING_FLAGS::ENABLE_VIEW_INSTANCE_MASKING,
    }
}
