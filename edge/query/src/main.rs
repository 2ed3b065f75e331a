//! The program `reprise-query`, called as `reprise query`.

fn main() {}
