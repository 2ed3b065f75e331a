//! A little work for the GPU once a second, and a line when it is done: silence means that nothing on the GPU ends.

use crate::buffer::Buffer;
use crate::failure::Failure;
use crate::list::List;
use crate::stage::Stage;
use std::io::Write;
use std::time::Duration;

/// Between two beats.
const BEAT: Duration = Duration::from_secs(1);
const SIZE: u64 = 4;

/// Beats until nobody listens.
///
/// # Errors
/// When the device is removed, or the library wrong.
pub(crate) fn run(stage: &Stage) -> Result<(), Failure> {
    let (from, to) = (Buffer::uploaded(&stage.device, &[1])?, Buffer::readback(&stage.device, SIZE)?);
    let mut list = List::direct(&stage.device)?;
    for beat in 1u64.. {
        list.copy_bytes(&to, 0, &from, 0, SIZE);
        stage.queue.run(&mut list)?;
        let mut output = std::io::stdout();
        if writeln!(output, "beat {beat}").and_then(|()| output.flush()).is_err() {
            break;
        }
        std::thread::sleep(BEAT);
    }
    Ok(())
}
