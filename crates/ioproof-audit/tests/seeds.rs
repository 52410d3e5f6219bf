//! Four published documents with forty known mistakes: which of them are found, and everything else that is said of them.

use ioproof_audit::{Findings, Reading, audit};
use std::path::Path;

const FILES: [(&str, &str); 4] = [
    ("000", "cruncher-nvme-first.md"),
    ("001", "nvme-slower-than-ssd.md"),
    ("002", "cruncher-nvme-revised.md"),
    ("003", "daos-wal-spdk-perf.md"),
];

/// Number of the mistake, document, line, check, and figures that the finding has.
#[rustfmt::skip]
const MISTAKES: &[(u32, &str, u32, &str, &[&str])] = &[
    (1, "000", 201, "name-against-order", &["rw=read is sequential", "87 171", "75 945", "67 186"]),
    (2, "002", 392, "stale-output", &["67 186", "rw=read", "rw=randread", "pid 101028", "23.9 h before"]),
    (2, "002", 428, "random-claim", &["67,186", "73 401", "56 782"]),
    (3, "002", 431, "unlike-runs", &["107,092", "67,186", "1.594", "1.89"]),
    (4, "000", 226, "transcription", &["84,647", "87 171", "2.9 %"]),
    (5, "000", 265, "transcription", &["79,945", "75 945", "one digit", "17.8 %", "16.9 %"]),
    (6, "000", 267, "layer", &["/dev/nvd7"]),
    (7, "000", 164, "comparison", &["16 < 128"]),
    (7, "002", 161, "comparison", &["16 < 128"]),
    (8, "000", 164, "cut-not-rounded", &["28.52 %"]),
    (10, "000", 108, "tool-units", &["3726", "1907729 MiB"]),
    (10, "000", 202, "tool-units", &["348685", "357.1 MB/s"]),
    (10, "002", 151, "tool-units", &["626.2 MB/s", "597"]),
    (11, "000", 241, "not-this-job-file", &["ioengine=sync", "iodepth=32", "32 jobs"]),
    (12, "000", 265, "cpu-load", &["110 %"]),
    (12, "002", 292, "cpu-load", &["107 %"]),
    (12, "000", 201, "generator-saturated", &["4.0 CPUs"]),
    (13, "000", 136, "smaller-is-slower", &["24.6 %", "95 797", "126 968"]),
    (13, "002", 129, "repeats-differ", &["+58.0 %", "95 797", "151 373"]),
    (14, "000", 129, "one-block", &["LBA n x 2048", "44.3 µs"]),
    (15, "002", 429, "depth-for-claim", &["450,000", "133.5", "107 831"]),
    (16, "002", 136, "plateau", &["151 373", "152 631"]),
    (16, "002", 149, "knee", &["from 16 outstanding", "-2.0 %", "8.2 times"]),
    (17, "002", 470, "same-blocks", &["32 sequential clones"]),
    (17, "002", 464, "small-share", &["1.3 %"]),
    (18, "002", 464, "no-ramp", &["ramp_time=0"]),
    (18, "002", 185, "short-run", &["30 s"]),
    (19, "002", 604, "repeats-differ", &["-9.8 %", "107 092", "96 586"]),
    (19, "002", 151, "peak-within-noise", &["0.1 %"]),
    (20, "002", 395, "stall", &["1.14 s", "2 394"]),
    (20, "002", 361, "stall", &["1.73 s"]),
    (21, "002", 185, "sync-without-writes", &["end_fsync"]),
    (22, "002", 13, "not-measured", &["70/30", "8kb", "pgbench"]),
    (23, "001", 97, "above-link", &["10.0 times", "16.7 times", "10.02 GB/s"]),
    (24, "001", 88, "sysbench-size", &["100G", "2 GiB"]),
    (24, "001", 88, "sysbench-time", &["10 s"]),
    (25, "001", 91, "sysbench-syncs", &["128", "1 611", "206 193", "17 859"]),
    (25, "001", 122, "tables-disagree", &["11.55", "1.56"]),
    (26, "001", 96, "configured-ratio", &["8 cells", "1.500"]),
    (26, "001", 122, "configured-ratio", &["1.497", "1.504", "60:40"]),
    (27, "001", 118, "depth-of-one", &["iodepth=16", "psync"]),
    (27, "001", 118, "overwrites-filesystem", &["/dev/sdb"]),
    (27, "001", 121, "one-filename", &["/dev/sdb", "2 drives"]),
    (28, "001", 80, "sysbench-options", &["--test=", "--num-threads"]),
    (29, "001", 122, "effect", &["-28.6 %", "-88.3 %"]),
    (30, "001", 181, "power-loss", &["3/n", "970"]),
    (32, "003", 29, "spdk-sequential", &["sequential"]),
    (32, "003", 104, "same-blocks", &["LBA 0"]),
    (33, "003", 23, "fresh-drive", &["preconditioning"]),
    (33, "003", 29, "spdk-sequential", &["633 949", "2596.7 MB/s"]),
    (34, "003", 42, "stall", &["5 087", "49.6 ms", "percentiles"]),
    (34, "003", 30, "ascending-order", &["ascending"]),
    (35, "003", 44, "cut-not-rounded", &["9.76", "9.8"]),
    (36, "003", 64, "knee", &["+4.8 %", "15.3 times", "604 706"]),
    (37, "003", 104, "depth-per-core", &["2048"]),
    (38, "003", 29, "unsaid-path", &["e20005"]),
    (39, "003", 30, "bytes-written", &["1.04 TB", "27.2 %"]),
    (40, "000", 1, "machine-record", &["governor", "temperature"]),
    (40, "001", 1, "machine-record", &["governor"]),
    (40, "002", 1, "machine-record", &["governor"]),
    (40, "003", 1, "machine-record", &["7 of 7"]),
];

/// Mistakes that no general rule finds: names of a driver and of a product, and a sample of C.
const BEYOND: [u32; 2] = [9, 31];

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audit/seeds")
}

fn findings() -> Findings {
    let read = |(name, file): &(&str, &str)| Reading::new(name, &std::fs::read(folder().join(file)).expect("a seed"));
    audit(&FILES.iter().map(read).collect::<Vec<_>>())
}

/// Groups of digits are parted by a narrow blank, which nobody types.
fn typed(text: &str) -> String {
    text.replace(['\u{202f}', '\u{2009}', '\u{a0}'], " ")
}

#[test]
fn thirty_eight_of_forty_mistakes_are_found_with_their_line_and_figures() {
    let findings = findings();
    for (number, file, line, check, figures) in MISTAKES {
        let here: Vec<_> =
            findings.found.iter().filter(|found| (found.file.as_str(), found.line, found.check) == (*file, *line, *check)).collect();
        let has = |found: &&&ioproof_audit::Found| {
            figures.iter().all(|figure| typed(&format!("{} {}", found.title, found.because)).contains(figure))
        };
        assert!(here.iter().any(|found| has(&found)), "mistake {number}: {file}:{line} {check} {figures:?}: {here:#?}");
    }
    let mut numbers: Vec<u32> = MISTAKES.iter().map(|mistake| mistake.0).collect();
    numbers.dedup();
    assert_eq!(numbers, (1..=40).filter(|number| !BEYOND.contains(number)).collect::<Vec<_>>());
}

#[test]
fn nothing_else_is_said_of_them() {
    let findings = findings();
    let found = findings
        .found
        .iter()
        .map(|found| format!("{}:{} {:?} {}: {}\n    {}\n", found.file, found.line, found.weight, found.check, found.title, found.because));
    let sound = findings.sound.iter().map(|sound| format!("{}:{} Sound {}: {}\n", sound.file, sound.line, sound.check, sound.text));
    let text = typed(&found.chain(sound).collect::<String>());
    let file = folder().join("all.expected");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &text).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    for (line, (found, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}; UPDATE_GOLDEN=1 writes the file anew", line + 1);
    }
    assert_eq!(text.lines().count(), expected.lines().count(), "UPDATE_GOLDEN=1 writes the file anew");
}
