//! The search for the threads of a dispatch that write a texel.

use super::{Arguments, Given, MANY, Threads, modules};
use crate::debug::writers::{Writers, order, thread};
use crate::debug::{Key, Store, Watch, Written, told};
use crate::terminal::exit::{self, Failure};
use reprise_interpreter::{Fault, Lean, Opens, Task, run as run_group};
use reprise_replay::PixelPlace;

/// Looks for the threads of a call, as a submission runs it, that write a texel where the GPU left these bytes. `disturbed`: with a bit
/// of all that is read turned, for a control.
///
/// # Errors
/// The call's shader cannot be run, or the replay failed.
pub(in crate::command) fn writers(
    (given, disturbed): (Given<'_>, bool),
    (call, submission): (u64, u64),
    (place, sample): (&PixelPlace, u32),
    left: Option<&[u8]>,
) -> Result<Writers, Failure> {
    let arguments = Arguments { submission: Some(submission), ..Arguments::plain(given, call) };
    let failed = |what: &str| Failure::message(exit::FAILED, format!("call {call}: {what}"));
    let Threads::Dispatch(mut dispatch) = arguments.threads()? else {
        return Err(failed("mesh shaders are not looked through"));
    };
    arguments.resolve(&mut dispatch)?;
    if dispatch.rays.is_some() {
        return Err(failed("commands that trace rays are not looked through"));
    }
    let modules = modules(&dispatch)?;
    let wave = if modules.iter().any(|module| module.uses_waves()) { arguments.lanes()? } else { 32 };
    let key = Key { resource: place.resource, part: Some([place.mip, place.slice, place.plane, sample]) };
    let each: Vec<[u32; 3]> = dispatch.commands.iter().map(|command| command.groups()).collect();
    // Of a bundle all dispatches are there, and the call is one of them. Of an indirect call all commands are its own.
    let own = dispatch.indirect.is_none().then_some(dispatch.chosen);
    let is_own = |command: usize| own.is_none_or(|own| own == command);
    let product = |groups: &[u32; 3]| groups.iter().map(|count| u64::from(*count)).fold(1, u64::saturating_mul);
    let groups = each.iter().enumerate().filter(|(command, _)| is_own(*command)).map(|(_, groups)| product(groups));
    let groups = groups.fold(0, u64::saturating_add);
    let sizes: Vec<[u32; 3]> = modules.iter().map(|module| module.group().map(|count| count.max(1))).collect();
    let mut at = 0;
    let look = |store: &mut Store<'_>, opens: &mut Opens| -> Result<Writers, Fault> {
        let (mut found, mut ran, mut instructions) = (Writers::default(), 0, 0);
        let asked = order(&each, &sizes, [place.at.0, place.at.1, place.slice]);
        for (command, group) in asked.filter(|(command, _)| is_own(*command)) {
            // What is missing is fetched, and all begins anew.
            if store.is_incomplete() || instructions > MANY {
                break;
            }
            at = command;
            store.begin(command);
            store.begin_group();
            let task =
                Task { groups: each[command], group, wave, alone: true, budget: arguments.budget, ..Task::default() };
            instructions += run_group(&modules[command], task, store, opens)?.instructions;
            ran += 1;
            let Written { lanes, bytes, open } = store.take_writers();
            if !lanes.is_empty() {
                let threads = lanes.iter().map(|lane| thread(sizes[command], group, *lane)).collect();
                let same = left.map(|left| left == bytes);
                let number = own.is_none().then_some(command);
                found = Writers { threads, same, open, number, ..Writers::default() };
                if same != Some(false) {
                    break;
                }
            }
        }
        Ok(Writers { ran, groups, ..found })
    };
    let mut store = Store::new(&dispatch);
    store.disturbed = disturbed;
    store.watch = Some(Watch::new(key, place.at));
    let (found, _) = arguments.complete(&dispatch, &mut store, Lean::Nearest, look)?;
    found.map_err(|fault| failed(&told::fault(&modules[at], &fault)))
}
