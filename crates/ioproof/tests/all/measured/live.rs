//! The live view in a real pseudo-terminal: sizes, keys, signals, no colours, a terminal that is gone or that nobody reads. What the pictures look like is
//! tested beside `frame`.

mod pty;

use crate::common::{MIB, Sandbox, wait_until};
use pty::{Seen, Terminal};
use std::time::{Duration, Instant};

const LONG: [&str; 9] = ["verify", "--live", "--size", "16MiB", "--rw", "randread", "--time", "10m", "--runs=500"];

const KEYS: &str = "q or Ctrl-C ends the run";

/// Begins a run that ends by hand only, and waits for its figures.
fn long(sandbox: &Sandbox, size: (u16, u16), environment: &[(&str, &str)]) -> Terminal {
    let mut terminal = Terminal::start(sandbox, &LONG, size, environment);
    terminal.wait_until("no figures come", |seen| seen.shows("read now") || size.0 < 40 && seen.shows("rando"));
    terminal
}

/// The run has ended early, with its report, and the terminal is as it was.
#[track_caller]
fn ended_early(sandbox: &Sandbox, terminal: &mut Terminal) {
    assert_eq!(terminal.end(), Some(3));
    terminal.is_as_before();
    // Where a line ends depends on the width.
    let text = Seen::of(&terminal.written).text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("exit status 3, something could not be told: interrupted") && text.contains("stored in "), "{text}");
    assert_eq!(sandbox.runs().len(), 1);
}

#[test]
fn it_shows_what_is_measured_and_the_usual_summary_follows() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let verify = ["verify", "data", "--live", "--rw", "randread", "--depth", "2", "--workers", "1", "--time", "3s", "--runs", "2"];
    let mut terminal = Terminal::start(&sandbox, &verify, (100, 30), &[]);
    let shown =
        ["ioproof verify data", "random read 4 KiB (queue depth 2), run ", "why: ", "p99.9", "in flight ", " of 2", "IOPS over the run"];
    terminal.wait_until("it does not show all", |seen| shown.iter().all(|text| seen.shows(text)) && seen.shows(KEYS));
    let status = terminal.end();
    terminal.is_as_before();
    let text = Seen::of(&terminal.written).text;
    assert!(matches!(status, Some(0 | 3)) && text.contains("random read 4 KiB") && text.contains("stored in "), "{status:?} {text}");
    assert!(text.contains("verifying 4 MiB of data"), "what was said before it stays: {text}");
}

#[test]
fn it_follows_the_size_of_the_window_and_q_ends_the_run() {
    let sandbox = Sandbox::new();
    let mut terminal = long(&sandbox, (80, 24), &[]);
    for (width, height) in [(40, 10), (5, 3), (1, 1), (132, 43)] {
        terminal.resize(width, height);
        let end: String = KEYS.chars().take(usize::from(width)).collect();
        let fits = move |seen: &Seen| {
            let narrow = seen.picture.iter().all(|line| line.trim_end().chars().count() <= usize::from(width));
            narrow && seen.picture.len() == usize::from(height) && seen.picture.last().is_some_and(|line| line.starts_with(end.trim_end()))
        };
        terminal.wait_until("it does not fit", fits);
    }
    terminal.press(b"q");
    ended_early(&sandbox, &mut terminal);
}

#[test]
fn ctrl_c_ends_the_run_and_other_keys_do_not() {
    let sandbox = Sandbox::new();
    let mut terminal = long(&sandbox, (80, 24), &[]);
    // Ctrl-Z, Ctrl-S and a key without a meaning; it goes on and draws.
    terminal.press(b"\x1a\x13x");
    terminal.resize(90, 24);
    terminal.wait_until("it does not go on", |seen| seen.shows("read now") && seen.picture.iter().any(|line| line.chars().count() > 80));
    terminal.press(&[3]);
    ended_early(&sandbox, &mut terminal);
}

#[test]
fn a_signal_ends_the_run_in_the_smallest_window_too() {
    let sandbox = Sandbox::new();
    let mut terminal = long(&sandbox, (5, 3), &[]);
    let pid = terminal.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    ended_early(&sandbox, &mut terminal);
}

#[test]
fn a_second_ctrl_c_ends_a_hung_run_at_once_and_leaves_a_usable_terminal() {
    let sandbox = Sandbox::new();
    let hung = [&LONG[..], &["--faults", "hang_at=200", "--io-timeout", "20m"]].concat();
    let mut terminal = Terminal::start(&sandbox, &hung, (80, 24), &[]);
    terminal.wait_until("nothing is measured", |seen| seen.shows("run 1"));
    terminal.press(&[3]);
    terminal.wait_until("the picture stays", |seen| !seen.is_alternate);
    // Signals within half a second of the first are one wish.
    std::thread::sleep(std::time::Duration::from_millis(600));
    terminal.press(&[3]);
    assert_eq!(terminal.end(), Some(3));
    terminal.is_as_before();
}

#[test]
fn colours_are_left_out_where_nobody_wants_them() {
    for (environment, colored) in [(&[][..], true), (&[("NO_COLOR", "1")][..], false)] {
        let sandbox = Sandbox::new();
        let mut terminal = long(&sandbox, (80, 24), environment);
        let picture = String::from_utf8_lossy(&terminal.written).into_owned();
        let codes: Vec<&str> = picture.split("\x1b[").filter_map(|piece| piece.split_once('m')).map(|(codes, _)| codes).collect();
        let codes = codes.into_iter().filter(|codes| codes.chars().all(|c| c.is_ascii_digit() || c == ';'));
        let found =
            codes.flat_map(|codes| codes.split(';')).any(|code| code.len() == 2 && ["3", "4", "9"].iter().any(|n| code.starts_with(n)));
        assert_eq!(found, colored);
        terminal.press(b"q");
        ended_early(&sandbox, &mut terminal);
    }
}

#[test]
fn job_files_have_it_too() {
    let sandbox = Sandbox::new();
    let run = ["run", "--live", "--name=a", "--ioengine=null", "--rw=randrw", "--size=64m", "--time_based", "--runtime=2"];
    let mut terminal = Terminal::start(&sandbox, &run, (100, 30), &[]);
    terminal.wait_until("it does not show the job", |seen| seen.shows("read now") && seen.shows("write now") && seen.shows("left of this"));
    assert_eq!(terminal.end(), Some(0));
    terminal.is_as_before();
    assert!(Seen::of(&terminal.written).text.contains("a: (groupid=0, jobs=1)"));
}

#[test]
fn a_terminal_that_goes_ends_the_run_unless_hangups_are_ignored() {
    let sandbox = Sandbox::new();
    let mut child = long(&sandbox, (80, 24), &[]).close();
    assert_eq!(child.wait().unwrap().code(), Some(3), "SIGHUP ends it with its report");
    let (sandbox, short) = (Sandbox::new(), ["verify", "--live", "--size", "16MiB", "--rw", "randread", "--time", "6s", "--runs", "3"]);
    let mut terminal = Terminal::start_after("trap '' HUP; ", &sandbox, &short, (80, 24), &[]);
    terminal.wait_until("no figures come", |seen| seen.shows("read now"));
    terminal.close().wait().unwrap();
    let listed = sandbox.run(&["runs", "list", "--json"]).json();
    assert_eq!(listed["runs"][0]["status"]["state"], "complete", "{listed}");
}

#[test]
fn a_terminal_that_nobody_reads_does_not_hold_up_the_run() {
    let sandbox = Sandbox::new();
    let short = ["verify", "--live", "--size", "16MiB", "--rw", "randread", "--time", "6s", "--runs", "3"];
    let mut terminal = Terminal::start(&sandbox, &short, (120, 50), &[]);
    wait_until_judged(&sandbox);
    assert!(matches!(terminal.end(), Some(0 | 3)));
    terminal.is_as_before();
}

/// Waits until the run has been judged, which is after its picture has gone.
#[track_caller]
fn wait_until_judged(sandbox: &Sandbox) {
    let judgement = |id: &String| sandbox.state().join("ioproof/runs").join(id).join("judgement.json");
    wait_until("a judgement, whatever the terminal does", || sandbox.runs().first().is_some_and(|id| judgement(id).is_file()));
}

#[test]
fn a_terminal_that_was_stopped_is_let_go_on_when_the_picture_goes() {
    let sandbox = Sandbox::new();
    let mut terminal = long(&sandbox, (80, 24), &[]);
    terminal.stop();
    terminal.press(b"q");
    ended_early(&sandbox, &mut terminal);
}

#[test]
fn a_terminal_that_takes_nothing_when_the_picture_goes_is_as_before_when_it_takes_something_again() {
    let sandbox = Sandbox::new();
    let mut terminal = long(&sandbox, (80, 24), &[]);
    terminal.press(b"q");
    // As often as it is let go on, it is stopped again, for longer than anybody waits.
    let began = Instant::now();
    while sandbox.runs().is_empty() || began.elapsed() < Duration::from_secs(3) {
        terminal.stop();
    }
    wait_until_judged(&sandbox);
    terminal.let_go_on();
    ended_early(&sandbox, &mut terminal);
}

#[test]
fn without_a_terminal_it_is_an_error_before_the_run() {
    let sandbox = Sandbox::new();
    for args in [&["verify", "--live"][..], &["sweep", "--live"], &["run", "--live", "--name=a", "--rw=read", "--size=1m"]] {
        sandbox.run(args).refuses(&["--live needs a terminal", "hint: leave out --live"]);
    }
    for kind in ["dumb", ""] {
        let mut terminal = Terminal::start(&sandbox, &["verify", "--live"], (80, 24), &[("TERM", kind)]);
        assert_eq!(terminal.end(), Some(2));
        let seen = Seen::of(&terminal.written);
        assert!(seen.text.contains("a terminal that can be drawn on") && seen.picture.is_empty(), "{seen:#?}");
    }
    assert!(sandbox.runs().is_empty() && sandbox.left_behind().is_empty());
}
