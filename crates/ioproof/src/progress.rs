//! What is going on, on standard error: one line that is drawn over on a terminal, a line now and then elsewhere.

use ioproof_core::units;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Shows progress.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    drawn: bool,
    step: String,
    printed: Option<Instant>,
}

/// Off a terminal, where nothing can be drawn over, a step is printed no more often than this.
const QUIET: Duration = Duration::from_secs(10);

impl Progress {
    /// For this standard error.
    pub fn new() -> Self {
        Self { terminal: stderr().is_terminal(), drawn: false, step: String::new(), printed: None }
    }

    /// Says something that stays.
    pub fn say(&mut self, text: &str) {
        self.clear();
        eprintln!("{text}");
    }

    /// Names the step that begins; `left` is the time until all is done. Off a terminal it is printed now and then.
    pub fn step(&mut self, text: &str, left: Duration) {
        let text = format!("{text}, about {} left", units::duration(left));
        if self.terminal {
            self.draw(&text);
        } else if self.printed.is_none_or(|at| at.elapsed() >= QUIET) {
            eprintln!("{text}");
            self.printed = Some(Instant::now());
        }
        self.step = text;
    }

    /// Adds to the step what is measured just now; only on a terminal.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            let line = format!("{} · {text}", self.step);
            self.draw(&line);
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.drawn {
            let _ = write!(stderr(), "\r\x1b[K");
            self.drawn = false;
        }
    }

    fn draw(&mut self, line: &str) {
        // A terminal that does not know its width says 0.
        let width = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| usize::from(size.ws_col));
        let width = if width == 0 { 80 } else { width.max(20) };
        let line: String = line.chars().take(width - 1).collect();
        let _ = write!(stderr(), "\r\x1b[K{line}");
        let _ = stderr().flush();
        self.drawn = true;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
