//! Threads for a workbook. The crate that writes it begins one for each sheet, with a stack whose size the environment tells, and ends the program where it gets
//! none; so it is told before. Deliberately absent: threads of ours (`ioproof_target::threads`), which have neither trouble.

use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_report::Format;
use ioproof_target::threads::spawn_within;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

/// Sheets of a workbook, and one more.
const THREADS: usize = 6;
/// The variable from which the standard library takes the size of a stack, and sizes that do.
const VARIABLE: &str = "RUST_MIN_STACK";
const STACK_BYTES: RangeInclusive<usize> = 512 << 10..=64 << 20;

/// Makes sure that a report in this format can be written.
pub fn for_format(format: Format) -> Result<()> {
    if format == Format::Xlsx { for_a_workbook() } else { Ok(()) }
}

/// Makes sure that a workbook can be written.
///
/// # Errors
/// When the environment asks for stacks that cannot be, or as many threads are not to be had.
fn for_a_workbook() -> Result<()> {
    let asked = std::env::var(VARIABLE).unwrap_or_default();
    if !does(&asked) {
        let text = format!("{VARIABLE} is {asked}, and with stacks of that size no .xlsx can be written");
        return Err(complaint(text, format!("unset {VARIABLE}, or name another ending")));
    }
    let hint = "raise the limit on processes (ulimit -u) or on memory (ulimit -v), or name another ending";
    at_once(THREADS).map_err(|error| complaint(format!("no threads to write an .xlsx with: {error}"), hint))
}

/// True where the standard library makes stacks of a size that does. It takes its own where the variable has no number.
fn does(asked: &str) -> bool {
    asked.parse().map_or(true, |bytes: usize| STACK_BYTES.contains(&bytes))
}

/// Begins so many threads, which wait for one another, and ends them.
fn at_once(count: usize) -> std::io::Result<()> {
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        let held = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let begun: std::io::Result<Vec<_>> = (0..count).map(|_| spawn_within(scope, "workbook", || drop(gate.lock()))).collect();
        drop(held);
        begun.map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_that_cannot_be_are_told() {
        assert!(does("") && does("many") && does("2097152"));
        assert!(!does("1") && !does("99999999999999"));
    }

    #[test]
    fn threads_are_had_at_once() {
        at_once(THREADS).unwrap();
    }
}
