//! Interface ids that the model does not have.

use reprise_d3d12::model::Guid;

/// A GUID from its usual spelling's parts.
pub const fn guid(data1: u32, data2: u16, data3: u16, data4: [u8; 8]) -> Guid {
    Guid { data1, data2, data3, data4 }
}

/// `WKPDID_D3DDebugObjectName`: what `SetName` is to graphics debuggers, in 8-bit text.
pub const DEBUG_OBJECT_NAME: Guid = guid(0x429b_8c22, 0x9188, 0x4b0c, [0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0x00]);
/// `WKPDID_D3DDebugObjectNameW`: what `SetName` stores, in UTF-16.
pub const DEBUG_OBJECT_NAME_W: Guid =
    guid(0x4cca_5fd8, 0x921f, 0x42c8, [0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41]);
