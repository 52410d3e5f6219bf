//! Published outputs of many tools: each figure that is read, and everything that is said of it.

use ioproof_audit::measured::{Measured, Side};
use ioproof_audit::number::Number;
use ioproof_audit::{Reading, audit};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 2] = ["transcripts", "held-out"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audit").join(name)
}

fn files(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).expect("the folder is there").map(|entry| entry.expect("it can be listed").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ending| ending != "expected")).collect();
    files.sort();
    files
}

fn shown(name: &str, number: Option<Number>, unit: f64) -> String {
    number.map_or(String::new(), |number| {
        format!(" {name}={:.6}", number.value / unit).trim_end_matches('0').trim_end_matches('.').to_owned()
    })
}

fn side(side: &Side) -> String {
    let mut text = format!("    {}", side.direction.word());
    text.push_str(&shown("iops", side.iops, 1.0));
    text.push_str(&shown("MB/s", side.bytes_per_s, 1e6));
    text.push_str(&side.ios.map_or(String::new(), |ios| format!(" ios={ios}")));
    text.push_str(&shown("mean_us", side.latency.mean, 1e3));
    text.push_str(&shown("min_us", side.latency.min, 1e3));
    text.push_str(&shown("max_us", side.latency.max, 1e3));
    text.push_str(&shown("submit_us", side.submit_mean_ns, 1e3));
    for (share, value) in &side.latency.percentiles {
        text.push_str(&shown(&format!("p{share}_us"), Some(*value), 1e3));
    }
    text
}

fn output(measured: &Measured) -> String {
    let order = measured.load.order.map_or("", |order| order.word());
    let seconds = measured.seconds.map_or(String::new(), |seconds| format!(", {} s", seconds.value));
    let target = if measured.target.is_empty() { String::new() } else { format!(" on {}", measured.target) };
    format!("  {}-{} {} [{}] {order} {}{target}{seconds}", measured.first, measured.last, measured.tool, measured.name, measured.words())
}

fn read(path: &Path) -> String {
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let reading = Reading::new(&name, &std::fs::read(path).expect("it can be read"));
    let mut text = format!("{name}\n");
    for measured in &reading.measured {
        let _ = writeln!(text, "{}", output(measured));
        measured.sides.iter().for_each(|one| text.push_str(&(side(one) + "\n")));
    }
    let findings = audit(std::slice::from_ref(&reading));
    for found in &findings.found {
        let _ = writeln!(text, "  {:?} {} @{}: {}\n      {}", found.weight, found.check, found.line, found.title, found.because);
    }
    reading.unknown.iter().for_each(|line| text.push_str(&format!("  ? @{line}\n")));
    text.replace(['\u{202f}', '\u{2009}', '\u{a0}'], " ")
}

#[test]
fn every_figure_is_read_and_nobody_is_blamed_without_reason() {
    for name in FOLDERS {
        let text: String = files(name).iter().map(|path| read(path) + "\n").collect();
        let expected_file = folder(name).join("all.expected");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&expected_file, &text).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&expected_file).unwrap_or_default();
        let differs = text.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
        let line = |of: &str| differs.and_then(|at| of.lines().nth(at).map(str::to_owned));
        assert_eq!((differs, line(&text)), (None, line(&expected)), "{name}; UPDATE_GOLDEN=1 writes the file anew");
        assert_eq!(text.lines().count(), expected.lines().count(), "{name}; UPDATE_GOLDEN=1 writes the file anew");
    }
}

#[test]
fn nothing_is_called_wrong_in_outputs_that_are_right() {
    for path in FOLDERS.iter().flat_map(|name| files(name)) {
        let reading = Reading::new("a", &std::fs::read(&path).expect("it can be read"));
        let wrong: Vec<_> =
            audit(std::slice::from_ref(&reading)).found.into_iter().filter(|found| found.weight == ioproof_audit::Weight::Wrong).collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", path.display());
    }
}

#[test]
fn a_document_cut_anywhere_is_read_without_a_panic() {
    let files: Vec<PathBuf> = FOLDERS.iter().flat_map(|name| files(name)).chain(files("seeds")).collect();
    for path in files {
        let bytes = std::fs::read(&path).expect("it can be read");
        for part in [1, 4, 7] {
            let reading = Reading::new("a", &bytes[..bytes.len() * part / 8]);
            let _ = audit(std::slice::from_ref(&reading));
        }
        let windows: Vec<u8> = bytes.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect();
        let (one, other) = (Reading::new("a", &bytes), Reading::new("a", &windows));
        assert_eq!(one.measured, other.measured, "{} with line ends of Windows", path.display());
        let foreign: Vec<u8> = bytes.iter().enumerate().map(|(at, byte)| if at % 97 == 0 { 0xff } else { *byte }).collect();
        let _ = audit(&[Reading::new("a", &foreign)]);
    }
}

/// Beginnings of outputs that never come: a reader that looks at all that follows for each would not end.
#[rustfmt::skip]
const BEGINNINGS: [&str; 20] = [
    "a: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=1", "{\n\"jobname\" : 1,", "}\n{", "Latency(us)",
    "Initializing NVMe Controllers", "Extra file open flags: 0", "Operations performed: 1 Read, 1 Write, 1 Other = 3 Total",
    "starting vacuum...end.", "5 seconds per test", "verifying: 1.00%", "1+0 records in",
    "4 KiB <<< . (ext4 /dev/sda1): request=44 time=328.2 us", "Device r/s w/s %util", "OPERATION RESULT TYPE FIRST DONE LAST DONE",
    "WRITE Elapsed time : 1ms", "open_datasync n/a", "a,1G,1,2,3,4,5,6,7,8,9,10", "Timing cached reads: 12 MB in",
    "SEQ 1MiB (Q= 8, T= 1): 1 MB/s", "[a]\nrw=read",
];

#[test]
fn beginnings_without_an_end_are_read_once() {
    for line in BEGINNINGS {
        let text = format!("{line}\n").repeat(1_500);
        let reading = Reading::new("a", text.as_bytes());
        assert!(reading.document.lines.len() >= 1_500, "{line}");
    }
}

#[test]
fn words_without_end_are_held_in_bounds() {
    let output = "a: (groupid=0, jobs=1): err= 0: pid=1: Mon Mar 30 23:42:25 2015\n  read : io=10216MB, bw=348685KB/s, iops=87171, runt= 30002msec\n";
    let words = "The drive gives 84,647 IOPS, which is 34% of 250,000 and 3x 28,000 MB/s.\n\n";
    let text = format!("{}{}", output.repeat(100), words.repeat(500));
    let reading = Reading::new("a", text.as_bytes());
    assert_eq!(reading.measured.len(), 100);
    let findings = audit(&[reading]);
    assert!(findings.found.len() <= ioproof_audit::finding::FOUND_MAX);
}

#[test]
fn a_paragraph_without_sentences_is_read_once() {
    let text = "IOPS=10k, BW=3MB/s \u{fffd}( read: 4 ".repeat(5_000);
    let readings = [Reading::new("a", text.replace("4 ", "4\n").as_bytes())];
    assert!(readings[0].prose.paragraphs.iter().map(|paragraph| paragraph.figures.len()).sum::<usize>() <= 100_000);
    assert!(audit(&readings).found.is_empty());
}
