//! The process that translates shaders of untrusted traces; see `reprise_shader::worker`.

fn main() -> std::io::Result<()> {
    reprise_shader::worker::serve()
}
