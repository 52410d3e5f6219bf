//! `sysbench fileio` of 0.4, 0.5, 1.0 and 1.1. All count in MiB: 0.4 prints "Mb", 1.0 "MiB/s".

use super::{
    Comma, Context, Direction, Kind, Latency, Measured, Number, Order, Output, Quotable, Side, Unfinished, after, binary, figure, label,
    leading, time_unit,
};

/// Most lines of an output: with a line a second an hour is longer than its head and results.
const LINES_MAX: usize = 4000;
const MIB: f64 = (1u64 << 20) as f64;

pub(super) fn read(context: &Context) -> Option<Output> {
    const STARTS: [&str; 4] = ["sysbench 0.", "sysbench 1.", "Operations performed:", "Extra file open flags:"];
    let head = context.line().text.trim();
    let is_start = STARTS.iter().any(|start| head.starts_with(start))
        || matches!(head, "Running the test with following options:" | "File operations:")
        || head.starts_with("FATAL: ") && is_fileio(context);
    if !is_start {
        return None;
    }
    let mut text = SysbenchText::default();
    let (mut end, mut gap, mut unknown) = (context.at, 0, Vec::new());
    for (at, line) in context.block(LINES_MAX) {
        let trimmed = line.text.trim();
        if at > context.at && (trimmed.starts_with("sysbench 0.") || trimmed.starts_with("sysbench 1.")) {
            break;
        }
        if text.line(line.number, trimmed) {
            end = at + 1;
            gap = 0;
        } else if trimmed.is_empty() {
            gap += 1;
        } else if line.is_code || gap < 2 && text.is_open {
            unknown.push(at);
            gap += 1;
        } else {
            break;
        }
    }
    unknown.retain(|at| *at < end);
    let first = context.line().number;
    let last = context.number(end.saturating_sub(1));
    let error = text.error.take();
    let is_run = text.out.load.block_bytes.is_some() || error.is_some() && is_fileio(context);
    let Some(mut measured) = text.finish().filter(|_| error.is_none()) else {
        // Making of files, or a beginning without an end: taken, so that no line is read twice.
        let unfinished = is_run.then_some(Unfinished { tool: "sysbench", first, last, error });
        return (end > context.at).then_some(Output { end, unfinished, ..Output::default() });
    };
    (measured.first, measured.last) = (first, last);
    if let Some(flags) = context.command_of("sysbench").and_then(|command| command.option(&["--file-extra-flags"])) {
        measured.load.direct = measured.load.direct.or(Some(flags.contains("direct")));
    }
    Some(Output { measured: vec![measured], end, unknown, ..Output::default() })
}

fn is_fileio(context: &Context) -> bool {
    context.command_of("sysbench").is_some_and(|command| command.text.contains("fileio"))
}

/// True for files that are opened with O_DIRECT. 0.4 prints the flags of the platform as a number, 0.5 to 1.0.12 the number of
/// its own choice.
fn is_direct(flags: &str) -> bool {
    const CHOICE: u64 = 3;
    const O_DIRECT: u64 = 0x4000;
    const O_DIRECT_ARM: u64 = 0x10000;
    flags.contains("direct") || flags.parse::<u64>().is_ok_and(|flags| flags == CHOICE || flags & (O_DIRECT | O_DIRECT_ARM) != 0)
}

#[derive(Default)]
struct SysbenchText {
    out: Measured,
    section: &'static str,
    is_open: bool,
    read: Side,
    write: Side,
    sync: Side,
    /// The line of an error that ended the run, and its text.
    error: Option<(u32, String)>,
}

impl SysbenchText {
    fn line(&mut self, line: u32, text: &str) -> bool {
        if text.starts_with("FATAL: ") {
            self.error.get_or_insert((line, text.to_owned()));
            return true;
        }
        self.head(text) || self.interval(text) || self.rate(line, text) || self.time(line, text) || is_words(text)
    }

    /// `[ 10s ] reads: 98.88 MiB/s writes: 0.00 MiB/s fsyncs: 0.00/s latency (ms,95%): 3.020`, in 0.5 `response time: 4.352ms (95%)`.
    fn interval(&mut self, text: &str) -> bool {
        let Some((_, rates)) = text.split_once(']').filter(|_| text.starts_with('[')) else { return false };
        let (Some(reads), Some(writes)) = (after(rates, "reads:"), after(rates, "writes:")) else { return false };
        self.out.intervals.push(reads.value + writes.value);
        true
    }

    fn head(&mut self, text: &str) -> bool {
        if let Some(rest) = label(text, "sysbench ") {
            self.out.version = rest.split([' ', ':']).next().map(str::to_owned);
            self.is_open = true;
        } else if let Some(rest) = label(text, "Number of threads:") {
            self.out.load.workers = rest.parse().ok();
        } else if let Some(rest) = label(text, "Block size ") {
            self.out.load.block_bytes = binary(rest).map(Number::whole);
        } else if let Some(rest) = label(text, "Doing ") {
            self.out.load.word = rest.trim_end_matches(" test").to_owned();
            self.out.load.order = Some(if rest.starts_with("random") { Order::Random } else { Order::Sequential });
        } else if let Some(rest) = label(text, "Using ") {
            self.out.load.engine = rest.strip_suffix(" I/O mode").map(str::to_owned);
        } else if let Some(flags) = label(text, "Extra file open flags:") {
            self.out.load.direct = Some(is_direct(flags));
        } else if text.ends_with("total file size") {
            self.out.files_bytes = binary(text);
            self.out.quotable.extend(self.out.files_bytes.map(|number| Quotable { line: 0, kind: Kind::Bytes, number }));
        } else {
            return false;
        }
        true
    }

    fn rate(&mut self, line: u32, text: &str) -> bool {
        let number = || text.rsplit_once(':').and_then(|(_, value)| figure(value));
        if let Some(section) = ["File operations", "Throughput", "General statistics", "Latency (ms)", "Threads fairness"]
            .iter()
            .find(|section| text.starts_with(**section))
        {
            self.section = section;
            return true;
        }
        let name = text.split(':').next().unwrap_or_default();
        let side = match name {
            "reads/s" | "read" | "read, MiB/s" => &mut self.read,
            "writes/s" | "write" | "written" | "written, MiB/s" => &mut self.write,
            _ => &mut self.sync,
        };
        match (self.section, name) {
            ("File operations", "reads/s" | "writes/s" | "fsyncs/s") => side.iops = number(),
            ("Throughput", "read" | "write" | "fsync") if text.contains("IOPS=") => {
                let printed = text.split("IOPS=").nth(1).and_then(|rest| leading(rest, Comma::Groups));
                side.iops = printed.map(|(iops, _)| iops);
                side.bytes_per_s = printed.and_then(|(_, rest)| binary(rest));
            }
            ("Throughput", "read, MiB/s" | "read" | "written, MiB/s" | "written") => {
                side.bytes_per_s = number().map(|rate| rate.times(MIB));
            }
            _ => return self.old(line, text),
        }
        side.line = line;
        true
    }

    /// 0.4 and 0.5: `Operations performed:  6000 Read, 4000 Write, 12800 Other = 22800 Total`, `Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (1.6Mb/sec)`.
    fn old(&mut self, line: u32, text: &str) -> bool {
        let count = |word: &str| {
            let before = text.split(word).next()?.trim_end();
            before.rsplit([' ', ',']).next()?.parse::<u64>().ok()
        };
        if text.starts_with("Operations performed:") {
            self.read.ios = count(" Read").or_else(|| count(" reads"));
            self.write.ios = count(" Write").or_else(|| count(" writes"));
            self.sync.ios = count(" Other").or_else(|| count(" Other"));
            (self.read.line, self.write.line, self.sync.line) = (line, line, line);
            return true;
        }
        if text.starts_with("Read ") && text.contains("Total transferred") {
            let part = |word: &str| text.split(word).nth(1).and_then(binary);
            (self.read.bytes, self.write.bytes) = (part("Read "), part("Written "));
            let rate = text.rsplit_once('(').and_then(|(_, rate)| binary(rate));
            self.out.quotable.extend(rate.map(|number| Quotable { line, kind: Kind::BytesPerSecond, number }));
            return true;
        }
        let executed = leading(text, Comma::Groups).filter(|(_, rest)| rest.trim_start().starts_with("Requests/sec executed"));
        self.out.quotable.extend(executed.map(|(number, _)| Quotable { line, kind: Kind::Iops, number }));
        executed.is_some()
    }

    fn time(&mut self, line: u32, text: &str) -> bool {
        let Some((name, value)) = text.split_once(':') else { return false };
        let Some((number, unit)) = leading(value, Comma::Groups) else { return false };
        let unit = unit.trim().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        // In 1.0 the section says that all of it is milliseconds.
        let ns = number.times(time_unit(unit).unwrap_or(1e6));
        let latency = &mut self.out_latency();
        match name.trim() {
            "total time" => self.out.seconds = Some(number),
            "min" => latency.min = Some(ns),
            "avg" => (latency.mean, latency.line) = (Some(ns), line),
            "max" => latency.max = Some(ns),
            "approx.  95 percentile" | "95th percentile" => latency.percentiles.push((95.0, ns)),
            "approx.  99 percentile" | "99th percentile" => latency.percentiles.push((99.0, ns)),
            "sum" | "total number of events" | "total time taken by event execution" => {}
            _ => return false,
        }
        true
    }

    fn out_latency(&mut self) -> &mut Latency {
        // Latencies are of all events; they are kept on the last side.
        if self.out.sides.is_empty() {
            self.out.sides.push(Side { direction: Direction::All, ..Side::default() });
        }
        &mut self.out.sides[0].latency
    }

    fn finish(mut self) -> Option<Measured> {
        let seconds = self.out.seconds.map(|seconds| seconds.value);
        let directions = [Direction::Read, Direction::Write, Direction::Sync];
        for (side, direction) in [&mut self.read, &mut self.write, &mut self.sync].into_iter().zip(directions) {
            side.direction = direction;
            if let (None, Some(ios), Some(seconds)) = (side.iops, side.ios, seconds.filter(|seconds| *seconds > 0.0)) {
                side.iops = Some(Number { value: ios as f64 / seconds, step: 0.01 });
            }
        }
        let sides = [self.read, self.write, self.sync].into_iter().filter(|side| {
            side.line > 0 && (side.iops.is_some_and(|iops| iops.value > 0.0) || side.bytes_per_s.is_some_and(|rate| rate.value > 0.0))
        });
        let mut latency = std::mem::take(&mut self.out.sides);
        self.out.sides = sides.collect();
        if self.out.sides.is_empty() {
            return None;
        }
        // The latency is of all operations together.
        self.out.sides.extend(latency.pop().map(|side| Side { line: side.latency.line, ..side }));
        self.out.tool = "sysbench";
        self.out.load.depth = Some(1).filter(|_| self.out.load.engine.as_deref() == Some("synchronous"));
        Some(self.out)
    }
}

fn is_words(text: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: [&str; 32] = [
        "Random number", "Time limit", "Running the test", "Initializing", "Extra file", "Threads started", "Number of", "Read/Write ratio",
        "Combined Random", "Periodic FSYNC", "Calling fsync", "WARNING:", "Done.", "Maintaining", "events (avg", "execution time (avg",
        "Threads fairness", "per-request statistics", "Per-request", "total number of", "response time", "Test execution", "percentile",
        "multi-threaded", "128 files", "128 Files", "creating", "Periodic", "Report intermediate", "Warm", "(last message repeated", "...",
    ];
    STARTS.iter().any(|start| text.starts_with(start)) || text.contains(" files, ") || text.ends_with("total file size")
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    #[test]
    fn an_output_without_its_first_line_keeps_its_workers() {
        let text = "Running the test with following options:\nNumber of threads: 3\nInitializing random number generator from current time\n\n\n\
                    Extra file open flags: (none)\n128 files, 16MiB each\n2GiB total file size\nBlock size 16KiB\nUsing synchronous I/O mode\n\
                    Doing random write test\n\nFile operations:\n    reads/s:   0.00\n    writes/s:  250.00\n    fsyncs/s:  2.50\n\n\
                    Throughput:\n    read, MiB/s:    0.00\n    written, MiB/s: 3.91\n";
        let measured = Reading::new("a", text.as_bytes()).measured;
        assert_eq!(measured.iter().map(|of| of.load.workers).collect::<Vec<_>>(), [Some(3)]);
    }

    const HEAD: &str = "Running the test with following options:\nNumber of threads: 2\n\nExtra file open flags: 0\n128 files, 16MiB each\n\
        2GiB total file size\nBlock size 16KiB\nUsing synchronous I/O mode\nDoing random read test\n\
        Initializing worker threads...\n\nThreads started!\n\n";

    #[test]
    fn results_of_one_one_have_their_rates_and_intervals() {
        let text = format!(
            "{HEAD}[ 1s ] reads: 98.88 MiB/s writes: 0.00 MiB/s fsyncs: 0.00/s latency (ms,95%): 3.020\n\
             [ 2s ] reads: 93.24 MiB/s writes: 1.00 MiB/s fsyncs: 0.00/s latency (ms,95%): 2.913\n\nThroughput:\n\
             read:  IOPS=6016.01 94.00 MiB/s (98.57 MB/s)\n         write: IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n         fsync: IOPS=0.00\n"
        );
        let measured = Reading::new("a", text.as_bytes()).measured;
        let [run] = &measured[..] else { panic!("{measured:#?}") };
        assert_eq!((run.total(), run.load.direct), ((Some(6016.01), Some(94.0 * super::MIB)), Some(false)));
        assert_eq!(run.intervals, [98.88, 94.24]);
    }

    #[test]
    fn a_run_without_results_is_kept_without_figures() {
        let read = |text: &str| {
            let reading = Reading::new("a", text.as_bytes());
            (reading.measured.len(), reading.unfinished.iter().map(|run| run.error.is_some()).collect::<Vec<_>>())
        };
        assert_eq!(read(HEAD), (0, vec![false]));
        let figures = "Operations performed:  12 reads, 0 writes, 0 Other = 12 Total\nGeneral statistics:\n    total time:    0.5s\n";
        let error = "FATAL: Failed to read file! file: 24 pos: 14516224 errno = 0 (Success)\n";
        assert_eq!(read(&format!("{HEAD}{error}{figures}")), (0, vec![true]), "figures after an error are none");
        assert_eq!(read(&format!("{HEAD}{figures}")), (1, vec![]));
        assert_eq!(read(&format!("$ sysbench fileio run\n{error}")), (0, vec![true]));
        assert_eq!(read(&format!("$ sysbench oltp run\n{error}")), (0, vec![]), "another test");
        assert_eq!(
            read("sysbench 1.0.20 (using system LuaJIT)\n\n1 files, 65536Kb each, 64Mb total\nCreating files for the test...\n"),
            (0, vec![])
        );
    }

    #[test]
    fn flags_of_the_platform_are_read_as_numbers() {
        for (flags, is_direct) in
            [("0", false), ("(none)", false), ("directio", true), ("16384", true), ("3", true), ("2", false), ("1052672", false)]
        {
            assert_eq!(super::is_direct(flags), is_direct, "{flags}");
        }
    }
}
