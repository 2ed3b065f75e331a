//! `ID3DBlob`: bytes with a count.
