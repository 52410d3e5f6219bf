//! A command against the output below it: sizes, blocks, threads and modes that contradict each other.
//!
//! A command of fio is judged as its job file.

use crate::checks::{Command, Findings, Measured, Reading, binary_size, block_size};
use crate::command::size;

const NAME: &str = "not-this-command";
/// Lines between a command and its output at most.
const REACH: u32 = 40;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let mut last = None;
    for measured in &reading.measured {
        // A command stands for the first output below it; further ones may be of other settings that the words tell.
        let is_first = measured.command != last;
        last = measured.command;
        let Some(command) = reading.command_of(measured).filter(|command| is_first && !command.is_loop) else { continue };
        if measured.first.saturating_sub(command.line) > REACH {
            continue;
        }
        let (load, others) = differences(command, measured);
        let because = load.iter().chain(&others).cloned().collect::<Vec<_>>().join("; ");
        let place = reading.at(measured.first);
        if !load.is_empty() {
            let title = format!("this output is not of the command at line {}", command.line);
            findings.wrong(NAME, place, title, because);
        } else if !others.is_empty() {
            let title = format!("this output was made with other settings than the command at line {} has", command.line);
            findings.doubt(NAME, place, title, because).mend("show the command that was run");
        }
    }
}

/// Differences of the load itself, and of who issues it.
fn differences(command: &Command, measured: &Measured) -> (Vec<String>, Vec<String>) {
    match measured.tool {
        "sysbench" if command.has("run") => sysbench(command, measured),
        "dd" => (dd(command, measured).into_iter().collect(), Vec::new()),
        "ioping" => (block(command, measured).into_iter().collect(), Vec::new()),
        "pgbench" => (Vec::new(), pgbench(command, measured)),
        _ => (Vec::new(), Vec::new()),
    }
}

fn block(command: &Command, measured: &Measured) -> Option<String> {
    let (typed, printed) = (command.block_bytes()?, measured.load.block_bytes?);
    (typed != printed).then(|| format!("output blocks of {}, command {}", block_size(printed), block_size(typed)))
}

fn sysbench(command: &Command, measured: &Measured) -> (Vec<String>, Vec<String>) {
    const MODES: [(&str, &str); 6] = [
        ("seqwr", "sequential write"),
        ("seqrewr", "sequential rewrite"),
        ("seqrd", "sequential read"),
        ("rndrd", "random read"),
        ("rndwr", "random write"),
        ("rndrw", "random r/w"),
    ];
    // Files have whole blocks, and large sizes are rounded.
    const SLACK: f64 = 0.02;
    let (mut load, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let typed = command.option(&["--file-total-size"]).and_then(size);
    if let (Some(typed), Some(printed)) = (typed, measured.files_bytes.map(|files| files.value))
        && (printed / typed.max(1) as f64 - 1.0).abs() > SLACK
    {
        load.push(format!("output files of {}, command --file-total-size of {}", binary_size(printed as u64), binary_size(typed)));
    }
    load.extend(block(command, measured));
    let word = command.option(&["--file-test-mode"]).and_then(|mode| MODES.iter().find(|(typed, _)| *typed == mode));
    if let Some((mode, word)) = word.filter(|(_, word)| !measured.load.word.is_empty() && !measured.load.word.starts_with(word)) {
        load.push(format!("output {} test, command --file-test-mode={mode} ({word})", measured.load.word));
    }
    let threads = command.option(&["--threads", "--num-threads"]).and_then(|typed| typed.parse::<u64>().ok());
    if let (Some(typed), Some(printed)) = (threads, measured.load.workers)
        && typed != printed
    {
        others.push(format!("output {printed} threads, command {typed}"));
    }
    let asks = command.option(&["--file-extra-flags"]).is_some_and(|flags| flags.contains("direct"));
    if asks && measured.load.direct == Some(false) {
        others.push("output files opened without O_DIRECT, command --file-extra-flags=direct".to_owned());
    }
    (load, others)
}

/// More bytes than bs x count. Fewer are a drive's end, or a run that was stopped.
fn dd(command: &Command, measured: &Measured) -> Option<String> {
    let counts_bytes = |name: &str| command.option(&[name]).is_some_and(|flags| flags.contains("bytes"));
    if ["iflag", "oflag"].into_iter().any(counts_bytes) || command.text.contains("ibs=") {
        return None;
    }
    let (block, count) = (measured.load.block_bytes?, command.option(&["count"]).and_then(size)?);
    let (asked, moved) = (block.checked_mul(count)?, measured.sides.first()?.bytes?);
    (moved.value > asked as f64 * 1.01 + moved.step)
        .then(|| format!("output {} bytes, command {} x {count} = {asked}", moved.value, block_size(block)))
}

fn pgbench(command: &Command, measured: &Measured) -> Vec<String> {
    let number = |names: &[&str]| command.option(names).and_then(|typed| typed.parse::<u64>().ok());
    let mut all = Vec::new();
    if let (Some(typed), Some(printed)) = (number(&["-c", "--client"]), measured.load.workers)
        && typed != printed
    {
        all.push(format!("output {printed} clients, command {typed}"));
    }
    if let (Some(typed), Some(printed)) = (number(&["-T", "--time"]), measured.seconds.map(|seconds| seconds.value))
        && (printed - typed as f64).abs() > 1.0
    {
        all.push(format!("output {printed} s, command {typed} s"));
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::{Reading, Weight};

    fn said(text: &str) -> Vec<(Weight, String)> {
        let found = crate::audit(&[Reading::new("a", text.as_bytes())]).found;
        found.into_iter().filter(|found| found.check == super::NAME).map(|found| (found.weight, found.because)).collect()
    }

    fn sysbench(options: &str) -> String {
        format!(
            "$ sysbench fileio {options} run\nRunning the test with following options:\nNumber of threads: 4\n\n\
            Extra file open flags: (none)\n\
             128 files, 16MiB each\n2GiB total file size\nBlock size 16KiB\nUsing synchronous I/O mode\nDoing random read test\n\n\
             File operations:\n    reads/s:   800.00\n    writes/s:   0.00\n    fsyncs/s:   0.00\n"
        )
    }

    #[test]
    fn settings_of_a_command_are_held_against_its_output() {
        let fits = "--file-total-size=2G --file-block-size=16384 --threads=4 --file-test-mode=rndrd";
        assert_eq!(said(&sysbench(fits)), []);
        assert_eq!(said(&sysbench("--file-test-mode=rndrd --threads=$t --file-total-size=$size")), [], "variables");
        for (typed, wrong, weight, words) in [
            ("=2G", "=8G", Weight::Wrong, "output files of 2 GiB, command --file-total-size of 8 GiB"),
            ("=16384", "=4K", Weight::Wrong, "output blocks of 16 KiB, command 4 KiB"),
            ("=rndrd", "=rndrw", Weight::Wrong, "random read test"),
            ("s=4", "s=16", Weight::Doubt, "output 4 threads, command 16"),
            ("--file-test", "--file-extra-flags=direct --file-test", Weight::Doubt, "without O_DIRECT"),
        ] {
            let found = said(&sysbench(&fits.replace(typed, wrong)));
            assert!(found.len() == 1 && found[0].0 == weight && found[0].1.contains(words), "{wrong}: {found:?}");
        }
    }

    #[test]
    fn other_tools_have_their_sizes() {
        let dd = |count: u32| {
            format!(
                "$ dd if=/dev/zero of=x bs=1M count={count} oflag=direct\n4096+0 records in\n4096+0 records out\n\
                 4294967296 bytes (4.3 GB, 4.0 GiB) copied, 30.5 s, 141 MB/s\n"
            )
        };
        assert_eq!((said(&dd(1024)).len(), said(&dd(4096)).len(), said(&dd(9000)).len()), (1, 0, 0));
        let pgbench = |clients: u32| {
            format!(
                "$ pgbench -c {clients} -T 60 test\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\n\
                number of clients: 8\n\
                 number of threads: 1\nduration: 60 s\nnumber of transactions actually processed: 6000\n\
                 tps = 100.0 (without initial connection time)\n"
            )
        };
        assert_eq!((said(&pgbench(16)).len(), said(&pgbench(8)).len()), (1, 0));
    }
}
