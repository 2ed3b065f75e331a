//! The program `reprise-inspect`, called as `reprise inspect`.

fn main() {}
