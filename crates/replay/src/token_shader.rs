//! Shaders that replay writes itself: programs of tokens of shader model 5, which any runtime takes, and their signatures.
//!
//! Tokens are in the encoding of the driver kit's `d3d11TokenizedProgramFormat.hpp`.

/// Programs of `ps_5_0` and of `ds_5_0`.
pub(crate) const PIXEL: u32 = 0x0000_0050;
pub(crate) const DOMAIN: u32 = 0x0004_0050;

/// `refactoringAllowed`.
pub(crate) const GLOBAL_FLAGS: &[u32] = &[0x0100_086a];
pub(crate) const RETURN: &[u32] = &[0x0100_003e];

/// A program of these tokens: its kind, and how many there are.
pub(crate) fn program(kind: u32, parts: &[&[u32]]) -> Vec<u8> {
    let tokens = parts.concat();
    let head = [kind, tokens.len() as u32 + 2];
    head.iter().chain(&tokens).flat_map(|word| word.to_le_bytes()).collect()
}

/// A signature's part: rows, and behind them the names.
pub(crate) fn signature(rows: &[(&str, [u32; 5])]) -> Vec<u8> {
    const HEADER: usize = 8;
    const ROW: usize = 24;
    let mut part: Vec<u8> = [rows.len() as u32, HEADER as u32].iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut names = Vec::new();
    for (name, words) in rows {
        part.extend(((HEADER + ROW * rows.len() + names.len()) as u32).to_le_bytes());
        part.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        names.extend(name.as_bytes());
        names.push(0);
    }
    part.extend(names);
    part.resize(part.len().next_multiple_of(4), 0);
    part
}
