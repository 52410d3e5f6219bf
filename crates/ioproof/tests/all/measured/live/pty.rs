//! A pseudo-terminal with the real program in it, and just enough of a terminal to know what a user sees: cursor positions, an emptied screen, the alternate
//! screen, text. Colours are left aside.

use crate::common::Sandbox;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Action, Termios, Winsize, tcflow, tcgetattr, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// The program on its terminal.
pub struct Terminal {
    master: File,
    /// Held open, so that the modes of the terminal can be asked for when the program has ended.
    slave: File,
    pub child: Child,
    /// The modes before the program began.
    pub before: Termios,
    /// All that it wrote.
    pub written: Vec<u8>,
}

impl Terminal {
    /// Starts the program in a session of its own, on a terminal of this size.
    pub fn start(sandbox: &Sandbox, args: &[&str], size: (u16, u16), environment: &[(&str, &str)]) -> Self {
        Self::start_after("", sandbox, args, size, environment)
    }

    /// The same after commands of a shell.
    pub fn start_after(
        commands: &str,
        sandbox: &Sandbox,
        args: &[&str],
        (width, height): (u16, u16),
        environment: &[(&str, &str)],
    ) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = File::from(rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap());
        let before = tcgetattr(&slave).unwrap();
        let mut command = Command::new("setsid");
        sandbox.prepare(&mut command);
        command
            // Hangups count whatever this test was started with, as under nohup(1).
            .args([
                "--ctty",
                "env",
                "--default-signal=HUP",
                "sh",
                "-c",
                &format!("{commands}exec \"$0\" \"$@\""),
                env!("CARGO_BIN_EXE_ioproof"),
            ])
            .args(args)
            .env("TERM", "xterm");
        command.envs(environment.iter().copied());
        command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
        let terminal = Self { master: File::from(master), slave, child: command.spawn().unwrap(), before, written: Vec::new() };
        terminal.resize(width, height);
        terminal
    }

    /// Gives the window another size, of which the kernel tells the program.
    pub fn resize(&self, width: u16, height: u16) {
        tcsetwinsize(&self.master, Winsize { ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &[u8]) {
        self.master.write_all(keys).unwrap();
    }

    /// Stops the output, as Ctrl-S does where the terminal listens to it.
    pub fn stop(&self) {
        tcflow(&self.slave, Action::OOff).unwrap();
    }

    /// Lets it go on, as Ctrl-Q does.
    pub fn let_go_on(&self) {
        tcflow(&self.slave, Action::OOn).unwrap();
    }

    /// Reads until what is seen is so.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, holds: impl Fn(&Seen) -> bool) {
        let began = Instant::now();
        while !holds(&Seen::of(&self.written)) {
            assert!(began.elapsed() < Duration::from_secs(120), "{what}: {:#?}", Seen::of(&self.written));
            self.read();
        }
    }

    /// Reads until the program has ended; gives its exit status.
    #[track_caller]
    pub fn end(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            assert!(began.elapsed() < Duration::from_secs(120), "it does not end");
            let status = self.child.try_wait().unwrap();
            // What it wrote last is read after its end.
            let more = self.read();
            if let Some(status) = status.filter(|_| !more) {
                return status.code();
            }
        }
    }

    /// Asserts that the terminal is as it was before the program began.
    #[track_caller]
    pub fn is_as_before(&self) {
        let now = tcgetattr(&self.slave).unwrap();
        let modes = |of: &Termios| (of.input_modes, of.output_modes, of.control_modes, of.local_modes, format!("{:?}", of.special_codes));
        assert_eq!(modes(&now), modes(&self.before));
        let seen = Seen::of(&self.written);
        assert!(!seen.is_alternate && seen.has_cursor, "{seen:#?}");
    }

    /// The terminal goes, as a window that is closed.
    pub fn close(self) -> Child {
        self.child
    }

    /// Reads what there is within a moment; false where there is nothing.
    fn read(&mut self) -> bool {
        const MOMENT: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        if poll(&mut [PollFd::new(&self.master, PollFlags::IN)], Some(&MOMENT)).unwrap() == 0 {
            return false;
        }
        let mut piece = [0; 4096];
        let count = self.master.read(&mut piece).unwrap();
        self.written.extend(&piece[..count]);
        count > 0
    }
}

/// A terminal as a user sees it.
#[derive(Debug, Default)]
pub struct Seen {
    /// Lines of the picture.
    pub picture: Vec<String>,
    /// Text that is written beside it, before and after.
    pub text: String,
    pub is_alternate: bool,
    pub has_cursor: bool,
    at: (usize, usize),
}

impl Seen {
    pub fn of(written: &[u8]) -> Self {
        let mut seen = Self { has_cursor: true, ..Self::default() };
        let text = String::from_utf8_lossy(written);
        let mut rest = text.as_ref();
        while let Some(first) = rest.chars().next() {
            rest = match rest.strip_prefix("\x1b[") {
                Some(sequence) => seen.sequence(sequence),
                None => {
                    seen.put(first);
                    &rest[first.len_utf8()..]
                }
            };
        }
        seen
    }

    /// True if a line of the picture has this in it.
    pub fn shows(&self, text: &str) -> bool {
        self.is_alternate && self.picture.iter().any(|line| line.contains(text))
    }

    /// Takes a control sequence from its beginning; gives what follows it.
    fn sequence<'a>(&mut self, sequence: &'a str) -> &'a str {
        let Some(end) = sequence.find(|c: char| c.is_ascii_alphabetic()) else { return "" };
        match &sequence[..=end] {
            "?1049h" => self.is_alternate = true,
            "?1049l" => self.is_alternate = false,
            "?25h" => self.has_cursor = true,
            "?25l" => self.has_cursor = false,
            "2J" => self.picture.clear(),
            place if place.ends_with('H') => {
                let mut numbers = place.trim_end_matches('H').split(';').map(|n| n.parse::<usize>().unwrap());
                self.at = (numbers.next().unwrap() - 1, numbers.next().unwrap() - 1);
            }
            _ => {}
        }
        &sequence[end + 1..]
    }

    fn put(&mut self, c: char) {
        if !self.is_alternate {
            return self.text.push(c);
        }
        let (row, column) = self.at;
        self.picture.resize(self.picture.len().max(row + 1), String::new());
        let mut line: Vec<char> = self.picture[row].chars().collect();
        line.resize(line.len().max(column + 1), ' ');
        line[column] = c;
        self.picture[row] = line.into_iter().collect();
        self.at = (row, column + 1);
    }
}
