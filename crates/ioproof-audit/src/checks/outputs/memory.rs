//! Reads of sysbench through the page cache: files below the memory of the machine, or a rate that no drive gives.

use crate::checks::{
    Comma, Direction, Figure, Findings, Kind, Measured, Number, Order, Reading, Weight, binary_size, bytes, figures, leading, show,
};

const NAME: &str = "cache-figure";
/// No flash drive answers a read within this time. Nanoseconds.
const FASTEST_NS: f64 = 5e3;
/// Few flash drives answer a random read within this time. Nanoseconds.
const FAST_NS: f64 = 60e3;
/// More than a link of the drives of today carries. Bytes a second.
const LINK: f64 = 16e9;
/// More than a SATA or SAS drive gives. Bytes a second.
const FAST: f64 = 1.5e9;
/// Random reads that take longer come from a drive. Nanoseconds.
const SLOW_NS: f64 = 1e6;
/// Less than this is a disk's rate. Bytes a second.
const SLOW: f64 = 250e6;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let runs = reading.measured.iter().filter(|measured| measured.tool == "sysbench" && measured.load.direct == Some(false));
    let runs: Vec<(&Measured, Rate)> = runs.filter_map(|measured| Some((measured, rate(measured)?))).collect();
    if runs.is_empty() {
        return;
    }
    let memory = memory(reading);
    for (measured, rate) in runs {
        let small = measured.files_bytes.zip(memory.as_ref()).filter(|(files, (_, memory))| files.value < memory.bytes);
        let small = small.filter(|_| !rate.is_slow && !is_dropped(reading, measured.first));
        if !rate.is_beyond && small.is_none() {
            continue;
        }
        let of = small.map_or(String::new(), |(files, (line, memory))| {
            format!("; files of {} < memory of {} (line {line})", binary_size(files.value as u64), memory.text)
        });
        let title = format!("{} without O_DIRECT: the page cache may have answered", rate.words);
        let weight = if rate.is_beyond || rate.is_fast { Weight::Doubt } else { Weight::Note };
        let because = format!("{}{of}; the files were opened without O_DIRECT", rate.arithmetic);
        findings.add(NAME, weight, reading.at(measured.first), title, because).mend("--file-extra-flags=direct");
    }
}

/// The speed of the reads of a run.
struct Rate {
    words: String,
    arithmetic: String,
    /// Faster than any drive.
    is_beyond: bool,
    /// Faster than most.
    is_fast: bool,
    /// Slower than any cache: a drive answered.
    is_slow: bool,
}

fn rate(measured: &Measured) -> Option<Rate> {
    let side = measured.side(Direction::Read)?;
    let workers = measured.load.workers.filter(|workers| *workers > 0)? as f64;
    if measured.load.engine.as_deref() != Some("synchronous") {
        return None;
    }
    if measured.load.order == Some(Order::Sequential) {
        let rate = side.bytes_per_s.map(|rate| rate.value).or(Some(side.iops?.value * measured.load.block_bytes? as f64))?;
        let words = format!("reads of {}", show::rate(rate));
        return Some(Rate { arithmetic: words.clone(), words, is_beyond: rate > LINK, is_fast: rate > FAST, is_slow: rate < SLOW });
    }
    let iops = side.iops.filter(|iops| iops.value > 0.0)?.value;
    let each = workers * 1e9 / iops;
    let words = format!("random reads of {} each", show::time(each));
    let arithmetic = format!("{workers} threads / {} reads/s = {}", show::whole(iops), show::time(each));
    // Writes and syncs take a part of the time.
    let is_slow = measured.side(Direction::Write).is_none() && each > SLOW_NS;
    Some(Rate { words, arithmetic, is_beyond: each < FASTEST_NS, is_fast: each < FAST_NS, is_slow })
}

fn is_dropped(reading: &Reading, line: u32) -> bool {
    reading.document.lines.iter().take_while(|own| own.number < line).any(|own| own.text.contains("drop_caches"))
}

struct Memory {
    bytes: f64,
    /// As written.
    text: String,
}

/// The smallest memory that the text tells, with its line: `MemTotal:`, `16 GB RAM`, the row of `free`.
fn memory(reading: &Reading) -> Option<(u32, Memory)> {
    const LINES_MAX: usize = 50_000;
    const LEAST: f64 = 256e6;
    let lines = reading.document.lines.iter().take(LINES_MAX);
    let told = lines.flat_map(|line| memory_of(&line.text).into_iter().map(move |memory| (line.number, memory)));
    told.filter(|(_, memory)| memory.bytes >= LEAST).min_by(|a, b| a.1.bytes.total_cmp(&b.1.bytes))
}

fn memory_of(text: &str) -> Option<Memory> {
    const BEFORE: [&str; 5] = ["ram:", "memory:", "ram", "ram of", "memory of"];
    const BEHIND: [&str; 8] = ["ram", "of ram", "memory", "of memory", "ddr", "dram", "ecc", "main memory"];
    let lower = text.to_ascii_lowercase();
    if !["ram", "mem", "ddr", "ecc"].iter().any(|word| lower.contains(word)) {
        return None;
    }
    let exact = |bytes: f64| Memory { bytes, text: binary_size(bytes as u64) };
    if let Some(rest) = lower.trim_start().strip_prefix("memtotal:") {
        return leading(rest, Comma::Groups).map(|(number, _)| exact(number.value * 1024.0));
    }
    if let Some(rest) = lower.trim_start().strip_prefix("mem:") {
        // free prints KiB, or a letter behind the number.
        let kib = |number: Number| Some(number.value * 1024.0).filter(|_| number.value > 1e5);
        let printed = bytes(rest, 1024.0, Comma::Decimal).map(|(number, _)| number.value);
        return printed.or_else(|| kib(leading(rest, Comma::Groups)?.0)).map(exact);
    }
    let sizes = figures(text).into_iter().filter(|figure| figure.kind == Kind::Bytes);
    let is_memory = |figure: &Figure| {
        let behind = lower.get(figure.at + figure.text.len()..).unwrap_or_default().trim_start();
        let before = lower.get(..figure.at).unwrap_or_default().trim_end();
        let begins = |word: &&str| behind.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()));
        let is_end = |word: &&str| before.strip_suffix(*word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()));
        BEHIND.iter().any(begins) || BEFORE.iter().any(is_end)
    };
    let told = sizes.filter(is_memory).map(|figure| Memory { bytes: figure.number.value, text: figure.text });
    told.min_by(|a, b| a.bytes.total_cmp(&b.bytes))
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    fn output(flags: &str, mode: &str, reads: f64) -> String {
        format!(
            "Number of threads: 4\n```\nRunning the test with following options:\nNumber of threads: 4\n\nExtra file open flags: {flags}\n\
             128 files, 16MiB each\n2GiB total file size\nBlock size 16KiB\nUsing synchronous I/O mode\nDoing {mode} read test\n\n\
             File operations:\n    reads/s:   {reads:.2}\n    writes/s:   0.00\n    fsyncs/s:   0.00\n\n\
             Throughput:\n    read, MiB/s:  {:.2}\n```\n",
            reads / 64.0
        )
    }

    fn said(text: &str) -> Vec<String> {
        let found = crate::audit(&[Reading::new("a", text.as_bytes())]).found;
        found.into_iter().filter(|found| found.check == super::NAME).map(|found| format!("{:?} {}", found.weight, found.because)).collect()
    }

    #[test]
    fn files_below_the_memory_are_named_where_reads_are_fast() {
        let memory = "The host has 16 GB RAM.\n\n";
        let fast = output("0", "random", 200_000.0);
        let because = said(&format!("{memory}{fast}"));
        assert!(
            because.len() == 1
                && because[0].starts_with("Doubt ")
                && because[0].contains("= 20 µs")
                && because[0].contains("16 GB (line 1)"),
            "{because:?}"
        );
        let slower = said(&format!("{memory}{}", output("0", "random", 20_000.0)));
        assert!(slower.len() == 1 && slower[0].starts_with("Note "), "{slower:?}");
        assert!(said(&fast).is_empty(), "no memory told");
        assert!(said(&format!("1 GB of RAM\n\n{fast}")).is_empty(), "files above the memory");
        assert!(said(&format!("{memory}{}", output("directio", "random", 200_000.0))).is_empty(), "O_DIRECT");
        assert!(said(&format!("{memory}{}", output("0", "random", 800.0))).is_empty(), "5 ms: a drive answered");
        assert!(said(&format!("{memory}echo 3 > /proc/sys/vm/drop_caches\n\n{fast}")).is_empty(), "the cache was empty");
        assert_eq!(said(&format!("{memory}{}", output("(none)", "sequential", 200_000.0))).len(), 1);
    }

    #[test]
    fn a_rate_that_no_drive_gives_needs_no_memory() {
        assert_eq!(said(&output("(none)", "random", 1_600_000.0)).len(), 1, "2.5 µs");
        assert!(said(&output("16384", "random", 1_600_000.0)).is_empty());
        assert!(said(&output("(none)", "sequential", 100_000.0)).is_empty(), "1.6 GB/s may be a drive's");
    }

    #[test]
    fn the_memory_is_told_in_several_ways() {
        for (text, bytes) in [
            ("MemTotal:       16384 kB", Some(16_777_216.0)),
            ("Mem:       16384000   1 2 3", Some(16_777_216_000.0)),
            ("Mem:           15Gi       1.2Gi", Some(15.0 * 1_073_741_824.0)),
            ("Mem:           15806 1 2", None),
            ("- 2x Xeon, 64 GB of RAM, 1 TB SSD", Some(64e9)),
            ("RAM: 32GB, a drive of 512 GB", Some(32e9)),
            ("We program 8 GB of data into the frame", None),
        ] {
            assert_eq!(super::memory_of(text).map(|memory| memory.bytes), bytes, "{text}");
        }
    }
}
