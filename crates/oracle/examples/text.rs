//! Prints the text of a seed.
fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    print!("{}", reprise_oracle::hlsl(&reprise_oracle::generate(seed)));
}
