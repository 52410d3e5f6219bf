//! Colours of text: those that the user wants and the terminal has.

use std::io::{IsTerminal, stdout};
use std::sync::{Mutex, PoisonError};

/// When text has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    Auto,
    Always,
    Never,
}

static COLORS: Mutex<Colors> = Mutex::new(Colors::Auto);

/// Sets what the user asked for (`--color`).
pub fn set_colors(colors: Colors) {
    *COLORS.lock().unwrap_or_else(PoisonError::into_inner) = colors;
}

/// True where text on this standard output has colours.
pub fn is_colored() -> bool {
    let colors = *COLORS.lock().unwrap_or_else(PoisonError::into_inner);
    colors == Colors::Always || (stdout().is_terminal() || is_set("CLICOLOR_FORCE")) && has_colors()
}

/// False where the user wants no colours (`--color never`, NO_COLOR of <https://no-color.org>, CLICOLOR=0 of <https://bixense.com/clicolors>) or the terminal
/// has none (TERM=dumb).
pub fn has_colors() -> bool {
    let says = |name: &str, value: &str| std::env::var_os(name).is_some_and(|set| set == value);
    match *COLORS.lock().unwrap_or_else(PoisonError::into_inner) {
        Colors::Always => true,
        Colors::Never => false,
        Colors::Auto => {
            std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && !says("CLICOLOR", "0") && !says("TERM", "dumb")
        }
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value != "0" && !value.is_empty())
}
