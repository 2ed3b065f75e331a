//! DirectStorage's decompression of GDeflate as bytes: the parameters and questions of its meta command. Knows no device.

pub mod layout;
pub mod question;
