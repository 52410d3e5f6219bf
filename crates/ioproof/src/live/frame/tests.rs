//! Screens as text.

use super::*;
use crate::live::meter::MeterFigures;
use crate::live::state::{FigurePeriod, FigureRow};
use crate::live::track::Track;

fn figures(iops: f64, scale: u64) -> MeterFigures {
    let percentiles_ns = [Some(84_000 * scale), Some(372_000 * scale), None];
    MeterFigures { iops, bytes_per_s: iops * 4096.0, mean_ns: Some(104e3 * scale as f64), percentiles_ns, max_ns: Some(5_970_000 * scale) }
}

fn track() -> Track {
    let mut track = Track::default();
    track.begin("rand mix70");
    (0..40).for_each(|n| track.push(10_000.0 + 500.0 * f64::from(n), Some(if n == 20 { 2_372_000 } else { 372_000 })));
    track
}

fn state() -> LiveState {
    let row = |direction, piece, figures| FigureRow { direction, piece, figures };
    let told = |severity, label, text: &str| LiveFinding { severity: Some(severity), label, text: text.to_owned() };
    LiveState {
        heading: "ioproof verify big.img".to_owned(),
        step: "random 70/30 mix 4 KiB (queue depth 4 x 32 = 128), run 3".to_owned(),
        why: "a claim of the datasheet is held against the median of its runs".to_owned(),
        elapsed: Duration::from_secs(23),
        left: Some(Duration::from_millis(37_400)),
        rows: vec![
            row("read", FigurePeriod::Now, figures(30_400.0, 1)),
            row("read", FigurePeriod::ThisRun, figures(29_800.0, 1)),
            row("write", FigurePeriod::Now, figures(13_100.0, 2)),
            row("write", FigurePeriod::ThisRun, figures(12_900.0, 2)),
        ],
        most_rows: 4,
        depth: Some((128, Some(127.26))),
        cpus: (Some(1.62), 2),
        temperatures: vec![("nvme0n1".to_owned(), 41.0)],
        track: track(),
        results: vec!["random read 4 KiB, queue depth 4 x 32 = 128: 30.4 kIOPS (median of 8 runs)".to_owned()],
        findings: vec![
            told(Severity::Block, "invalid", "seq read 128 KiB: most of it came from the page cache"),
            told(Severity::Warn, "doubt", "rand read 4 KiB: a hypervisor took 6.2 % of the CPU time away"),
        ],
        notes: vec!["so far: a note".to_owned()],
        ..LiveState::default()
    }
}

fn text(state: &LiveState, width: u16, height: u16) -> Vec<String> {
    let picture = draw(state, Rect::new(0, 0, width, height), true);
    let rows = picture.content().chunks(usize::from(width));
    rows.map(|row| row.iter().map(ratatui_core::buffer::Cell::symbol).collect::<String>().trim_end().to_owned()).collect()
}

#[track_caller]
fn shows(state: &LiveState, (width, height): (u16, u16), screen: &str) {
    let found = text(state, width, height).join("\n");
    assert_eq!(found, screen.trim_matches('\n'), "found:\n{found}");
}

#[test]
fn a_usual_window_shows_what_is_measured_and_why_figures_findings_and_what_was_measured() {
    shows(
        &state(),
        (80, 24),
        "
ioproof verify big.img                                     23 s, about 37 s left

random 70/30 mix 4 KiB (queue depth 4 x 32 = 128), run 3
why: a claim of the datasheet is held against the median of its runs

                     IOPS      MB/s     mean      p50      p99    p99.9      max
read now       30.4 kIOPS  125 MB/s   104 µs    84 µs   372 µs        -  5.97 ms
read this run  29.8 kIOPS  122 MB/s   104 µs    84 µs   372 µs        -  5.97 ms
write now      13.1 kIOPS 53.7 MB/s   208 µs   168 µs   744 µs        -  11.9 ms
write this run 12.9 kIOPS 52.8 MB/s   208 µs   168 µs   744 µs        -  11.9 ms
in flight 127.3 of 128   CPU of ioproof 1.62 of 2   before this: nvme0n1 41 °C
IOPS over the run, 0 to 29.5 kIOPS
            ▁▁▁▁▂▂▂▃▃▃▃▄▄▄▄▅▅▅▆▆▆▆▇▇▇▇██
▅▆▆▆▇▇▇▇████████████████████████████████
p99 over the run, 0 to 2.37 ms
                    █
▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃█▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃
findings so far
invalid seq read 128 KiB: most of it came from the page cache
doubt   rand read 4 KiB: a hypervisor took 6.2 % of the CPU time away
note    so far: a note
results so far
random read 4 KiB, queue depth 4 x 32 = 128: 30.4 kIOPS (median of 8 runs)
q or Ctrl-C ends the run; it reports what was measured
",
    );
}

#[test]
fn workloads_in_a_row_are_apart_and_bear_their_names() {
    let mut track = Track::default();
    for (name, iops) in [("seq read 128k-4x32", 7_000.0), ("rand read 4k-4x32", 80_000.0), ("rand write 4k-1x1", 14_000.0)] {
        track.begin(name);
        (0..12).for_each(|_| track.push(iops, Some(372_000)));
    }
    let row = FigureRow { direction: "read", piece: FigurePeriod::LastRun, figures: figures(80_000.0, 1) };
    let state = LiveState {
        rows: vec![row],
        before: Some("random read 4 KiB, queue depth 4 x 32 = 128".to_owned()),
        step: "random write 4 KiB (queue depth 1), run 1".to_owned(),
        track,
        temperatures: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        results: Vec::new(),
        ..state()
    };
    shows(
        &state,
        (80, 24),
        "
ioproof verify big.img                                     23 s, about 37 s left

random write 4 KiB (queue depth 1), run 1
why: a claim of the datasheet is held against the median of its runs

before: random read 4 KiB, queue depth 4 x 32 = 128
                     IOPS      MB/s     mean      p50      p99    p99.9      max
read before      80 kIOPS  328 MB/s   104 µs    84 µs   372 µs        -  5.97 ms



in flight 127.3 of 128   CPU of ioproof 1.62 of 2   temperature not told

IOPS over the run, 0 to 80 kIOPS
             ████████████
▁▁▁▁▁▁▁▁▁▁▁▁ ████████████ ▃▃▃▃▃▃▃▃▃▃▃▃
seq read     rand read    rand write
128k-4x32    4k-4x32      4k-1x1

p99 over the run, 0 to 372 µs
████████████ ████████████ ████████████
████████████ ████████████ ████████████

q or Ctrl-C ends the run; it reports what was measured
",
    );
}

#[test]
fn a_large_window_has_room_between_parts_and_for_charts() {
    shows(
        &state(),
        (110, 40),
        "
ioproof verify big.img                                                                   23 s, about 37 s left

random 70/30 mix 4 KiB (queue depth 4 x 32 = 128), run 3
why: a claim of the datasheet is held against the median of its runs

                     IOPS      MB/s     mean      p50      p99    p99.9      max
read now       30.4 kIOPS  125 MB/s   104 µs    84 µs   372 µs        -  5.97 ms
read this run  29.8 kIOPS  122 MB/s   104 µs    84 µs   372 µs        -  5.97 ms
write now      13.1 kIOPS 53.7 MB/s   208 µs   168 µs   744 µs        -  11.9 ms
write this run 12.9 kIOPS 52.8 MB/s   208 µs   168 µs   744 µs        -  11.9 ms

in flight 127.3 of 128   CPU of ioproof 1.62 of 2   before this: nvme0n1 41 °C

IOPS over the run, 0 to 29.5 kIOPS
                          ▁▁▂▃▃▄▄▅▅▆▆▇▇█
           ▁▁▂▂▃▄▄▅▅▆▆▇▇████████████████
▃▃▄▄▅▆▆▇▇███████████████████████████████
████████████████████████████████████████

p99 over the run, 0 to 2.37 ms
                    █
                    █
                    █
▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅█▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅

findings so far
invalid seq read 128 KiB: most of it came from the page cache
doubt   rand read 4 KiB: a hypervisor took 6.2 % of the CPU time away
note    so far: a note

results so far
random read 4 KiB, queue depth 4 x 32 = 128: 30.4 kIOPS (median of 8 runs)







q or Ctrl-C ends the run; it reports what was measured
",
    );
}

#[test]
fn a_small_window_keeps_what_matters_most() {
    shows(
        &state(),
        (40, 10),
        "
ioproof verify bi  23 s, about 37 s left
random 70/30 mix 4 KiB (queue depth 4 x
32 = 128), run 3
why: a claim of the datasheet is held
against the median of its runs
                     IOPS      p99
read now       30.4 kIOPS   372 µs
read this run  29.8 kIOPS   372 µs
write now      13.1 kIOPS   744 µs
q or Ctrl-C ends the run; it reports wha
",
    );
    shows(
        &state(),
        (5, 3),
        "
rando
70/30
q or",
    );
}

#[test]
fn before_anything_is_measured() {
    let state = LiveState {
        heading: "ioproof run a.fio".to_owned(),
        step: "writing 1 GiB".to_owned(),
        detail: "40 %, 500 MB/s".to_owned(),
        cpus: (None, 2),
        ..LiveState::default()
    };
    shows(
        &state,
        (60, 8),
        "
ioproof run a.fio                                        0 s

writing 1 GiB · 40 %, 500 MB/s

temperature not told


q or Ctrl-C ends the run; it reports what was measured
",
    );
}

#[test]
fn no_window_is_too_small_or_too_large() {
    for (width, height) in [(0, 0), (1, 1), (1, 24), (80, 1), (2, 2), (500, 500)] {
        let all = text(&state(), width.max(1), height);
        assert_eq!(all.len(), usize::from(height), "{width} x {height}");
    }
}

#[test]
fn without_colour_there_is_none() {
    let colors = |is_colored| {
        let picture = draw(&state(), Rect::new(0, 0, 80, 24), is_colored);
        picture.content().iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
    };
    assert!(colors(true) > 0 && colors(false) == 0);
}

#[test]
fn what_comes_from_outside_cannot_move_the_cursor() {
    let state = LiveState { step: "a\x1b[2Jb\nc".to_owned(), ..LiveState::default() };
    let picture = draw(&state, Rect::new(0, 0, 40, 6), true);
    assert!(picture.content().iter().all(|cell| !cell.symbol().contains(char::is_control)));
}
