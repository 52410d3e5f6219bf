//! fio 2.x and 3.x as text for people. fio 2 prints KiB as "KB"; fio 3 prints both units.

use super::{
    Comma, Context, Direction, Kind, Load, Measured, Number, Order, Output, Quotable, Side, Statement, after, between, binary, bytes,
    leading, thousands, time_unit,
};
use std::collections::HashMap;

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if !(is_header(first) || is_job(first) || is_version(first) || is_side(first) || first.starts_with("Run status group")) {
        return None;
    }
    let mut text = FioText { target: target(context), ..FioText::default() };
    let (mut end, mut gap, mut unknown) = (context.at, 0, Vec::new());
    for (at, line) in context.block(1_000_000) {
        if text.line(line.number, &line.text) {
            end = at + 1;
            gap = 0;
        } else if line.text.trim().is_empty() || line.text.trim() == "..." || line.text.trim() == "[...]" {
            gap += 1;
        } else if line.is_code && gap < 3 {
            unknown.push(at);
            gap = 0;
        } else {
            break;
        }
    }
    text.finish();
    unknown.retain(|at| *at < end);
    // Headers without a job are taken too, so that no line is read twice.
    (end > context.at).then_some(Output { measured: text.all, end, unknown, ..Output::default() })
}

fn target(context: &Context) -> String {
    let command = context.command_of("fio");
    command.and_then(|command| command.option(&["--filename", "-filename", "--directory"])).unwrap_or_default().to_owned()
}

fn is_header(text: &str) -> bool {
    text.contains(": (g=") && text.contains("rw=")
}

fn is_job(text: &str) -> bool {
    text.contains(": (groupid=") && text.contains("jobs=") && text.contains("err=")
}

/// The line of rates of a job, as people paste it alone.
fn is_side(text: &str) -> bool {
    let Some((word, rest)) = text.split_once(':') else { return false };
    matches!(word.trim(), "read" | "write")
        && (rest.contains("iops=") && rest.contains("runt=") || rest.contains("IOPS=") && rest.contains("BW="))
}

fn is_version(text: &str) -> bool {
    text.strip_prefix("fio-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains(' '))
        || text
            .strip_prefix("fio ")
            .is_some_and(|rest| rest.len() < 12 && rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('.'))
}

#[derive(Default)]
struct FioText {
    target: String,
    version: Option<String>,
    headers: HashMap<String, Load>,
    /// A header that goes on in the next line.
    open_header: Option<String>,
    all: Vec<Measured>,
    /// True between a job's line and the summary of groups.
    in_job: bool,
    /// Unit of the percentiles that follow, nanoseconds.
    percentile_ns: Option<f64>,
    in_disks: bool,
}

impl FioText {
    /// Takes a line; false for one that is none of fio's.
    fn line(&mut self, number: u32, raw: &str) -> bool {
        let text = raw.trim();
        if is_header(text) {
            return self.header(text);
        }
        if self.open_header.is_some() && text.contains("iodepth=") && !text.contains("rw=") {
            return self.header_rest(text);
        }
        if is_job(text) {
            return self.job(number, text);
        }
        if !self.in_job && is_side(text) {
            self.all.push(Measured {
                tool: "fio",
                first: number,
                target: self.target.clone(),
                version: self.version.clone(),
                ..Measured::default()
            });
            self.in_job = true;
        }
        if is_version(text) {
            self.version = Some(text[4..].to_owned());
            return true;
        }
        if text.starts_with("Run status") || text.starts_with("All clients") {
            self.in_job = false;
            return true;
        }
        if text.starts_with("Disk stats") {
            self.in_disks = true;
            return true;
        }
        if !self.in_job {
            return self.outside(number, text);
        }
        let known = self.of_job(number, text);
        if known && let Some(job) = self.all.last_mut() {
            job.last = number;
        }
        known
    }

    fn header(&mut self, text: &str) -> bool {
        let name = text.split(": (g=").next().unwrap_or_default().trim_start_matches("...").to_owned();
        let word = between(text, "rw=", ",").unwrap_or_default().trim().to_owned();
        let blocks = text.split("bs=").nth(1).unwrap_or_default();
        let engine = between(text, "ioengine=", ",").map(str::to_owned);
        let depth = after(text, "iodepth=").map(Number::whole);
        let order = order(&word);
        let block_bytes = block(blocks, &word);
        self.open_header = engine.is_none().then(|| name.clone());
        self.headers.insert(name, Load { word, order, block_bytes, depth, engine, ..Load::default() });
        true
    }

    /// The end of a header that mail has wrapped.
    fn header_rest(&mut self, text: &str) -> bool {
        let Some(load) = self.open_header.take().and_then(|name| self.headers.get_mut(&name)) else { return false };
        load.engine = text.split("ioengine=").nth(1).and_then(|rest| rest.split(',').next()).map(str::to_owned);
        load.depth = after(text, "iodepth=").map(Number::whole);
        true
    }

    fn job(&mut self, number: u32, text: &str) -> bool {
        let name = text.split(": (groupid=").next().unwrap_or_default().to_owned();
        let mut load = self.headers.get(&name).cloned().unwrap_or_default();
        load.workers = after(text, "jobs=").map(Number::whole);
        let pid = after(text, " pid=").map(Number::whole);
        let ended = text.split(" pid=").nth(1).and_then(|rest| rest.split_once(": ")).map(|(_, time)| time.trim().to_owned());
        let version = self.version.clone();
        self.all.push(Measured {
            tool: "fio",
            first: number,
            last: number,
            name,
            target: self.target.clone(),
            load,
            pid,
            ended,
            version,
            ..Measured::default()
        });
        self.in_job = true;
        self.percentile_ns = None;
        self.in_disks = false;
        true
    }

    /// Lines before the first job, of groups and of disks.
    fn outside(&mut self, number: u32, text: &str) -> bool {
        if let Some(rest) = ["READ:", "WRITE:", "TRIM:", "MIXED:"].iter().find_map(|word| text.strip_prefix(word)) {
            self.group(number, text, rest);
            return true;
        }
        let is_disk = self.in_disks && ["ios=", "merge=", "util="].iter().any(|key| text.contains(key));
        let is_words = ["Starting ", "Jobs: ", "fio: ", "note: both iodepth"].iter().any(|start| text.starts_with(start));
        is_disk || is_words || text.contains("Laying out IO file") || text == "..."
    }

    /// The rate of a group, which is the sum of its jobs'.
    fn group(&mut self, line: u32, text: &str, rest: &str) {
        let kilo = 1024.0;
        let rate = rest.split("aggrb=").nth(1).or_else(|| rest.split("bw=").nth(1)).or_else(|| rest.split("BW=").nth(1));
        let Some((printed, _)) = rate.and_then(|rate| bytes(rate, kilo, Comma::Groups)) else { return };
        let direction = direction(text);
        let Some(last) = self.all.last_mut() else {
            // The sum of the group is all that was pasted.
            let side = Side { direction, bytes_per_s: Some(printed), ..Side::default() };
            self.all.push(Measured::row("fio", line, "", Load::default(), side));
            return;
        };
        if last.name.is_empty() && last.sides.iter().all(|side| side.iops.is_none()) {
            last.last = line;
            last.sides.push(Side { direction, line, bytes_per_s: Some(printed), ..Side::default() });
            return;
        }
        last.quotable.push(Quotable { line, kind: Kind::BytesPerSecond, number: printed });
        if let Some((io, _)) = rest.split("io=").nth(1).and_then(|io| bytes(io, kilo, Comma::Groups)) {
            last.quotable.push(Quotable { line, kind: Kind::Bytes, number: io });
        }
        // Of one job alone the group says the same again, unless the job was shown before its end.
        let time = rest.split("run=").nth(1).or_else(|| rest.split("maxt=").nth(1)).and_then(|text| leading(text, Comma::Groups));
        let is_whole = time.zip(last.seconds).is_none_or(|((time, _), seconds)| (time.value / seconds.value / 1e3 - 1.0).abs() < 0.05);
        let side = last.side(direction).filter(|_| is_whole).and_then(|side| side.bytes_per_s);
        if let (Some(own), [_]) = (side, self.all.as_slice()) {
            let words = format!("the job's own rate is {}", ioproof_core::units::throughput(own.value));
            let slack = 0.01 + (own.step + printed.step) / own.value.max(1.0);
            self.all[0].statements.push(Statement { line, words, printed, computed: own.value, slack });
        }
    }

    fn of_job(&mut self, number: u32, text: &str) -> bool {
        let Some(job) = self.all.last_mut() else { return false };
        if let Some((word, rest)) = text.split_once(':').filter(|(word, _)| matches!(word.trim(), "read" | "write" | "trim" | "mixed")) {
            let mut side = side(number, direction(word), rest);
            side.seconds = run_time(rest);
            job.seconds = side.seconds.or(job.seconds);
            job.sides.push(side);
            return true;
        }
        if let Some(rest) = text.strip_prefix("cpu") {
            if let (Some(user), Some(system)) = (after(rest, "usr="), after(rest, "sys=")) {
                job.cpu_percent = Some((user.value, system.value));
                job.quotable.extend([user, system].map(|number_| Quotable { line: number, kind: Kind::Percent, number: number_ }));
            }
            return rest.contains("usr=");
        }
        if text.starts_with("IO depths") {
            job.depth_shares = depths(text);
            return true;
        }
        if text.starts_with("issued") {
            issued(job, text);
            return true;
        }
        if text.starts_with("fsync/fdatasync") {
            job.sides.push(Side { direction: Direction::Sync, line: number, ..Side::default() });
            return true;
        }
        self.latency(number, text) || is_more(text)
    }

    fn latency(&mut self, number: u32, text: &str) -> bool {
        let Some(job) = self.all.last_mut() else { return false };
        if text.starts_with('|') && text.contains("th=[") {
            if let (Some(unit), Some(side)) = (self.percentile_ns, job.sides.last_mut()) {
                percentiles(text, unit, &mut side.latency.percentiles);
            }
            return true;
        }
        let Some((name, rest)) = text.split_once('(') else { return false };
        let Some((unit, rest)) = rest.split_once(')') else { return false };
        let name = name.trim();
        if name.ends_with("percentiles") {
            // Percentiles of whole latency come beside those of completion only where they are asked for.
            self.percentile_ns = time_unit(unit);
            return true;
        }
        let Some(side) = job.sides.last_mut() else { return false };
        match (name, time_unit(unit)) {
            ("slat", Some(unit)) => {
                side.submit_mean_ns = after(rest, "avg=").map(|mean| mean.times(unit));
                side.submit_max_ns = after(rest, "max=").map(|max| max.times(unit));
                true
            }
            ("clat" | "lat" | "sync", Some(unit)) if rest.contains("avg=") => {
                let latency = &mut side.latency;
                latency.line = number;
                latency.min = after(rest, "min=").map(|min| min.times(unit)).or(latency.min);
                latency.max = after(rest, "max=").map(|max| max.times(unit)).or(latency.max);
                latency.mean = after(rest, "avg=").map(|mean| mean.times(unit)).or(latency.mean);
                for key in ["avg=", "min=", "max="] {
                    let quoted =
                        after(rest, key).map(|number_| Quotable { line: number, kind: Kind::Nanoseconds, number: number_.times(unit) });
                    job.quotable.extend(quoted);
                }
                true
            }
            ("clat" | "lat", Some(_)) => true,
            _ => name == "bw",
        }
    }

    fn finish(&mut self) {
        self.all.iter_mut().for_each(|job| job.load.settle_depth());
    }
}

fn is_more(text: &str) -> bool {
    const STARTS: [&str; 12] =
        ["submit", "complete", "latency   :", "bw (", "iops ", "lat (", "rwts:", "errors", "steadystate", "job     :", "zoned", "Laying"];
    STARTS.iter().any(|start| text.starts_with(start)) || text.starts_with("Jobs: ") || text.starts_with("fio: ")
}

fn order(word: &str) -> Option<Order> {
    match word {
        "read" | "write" | "rw" | "readwrite" | "trim" | "trimwrite" => Some(Order::Sequential),
        _ if word.starts_with("rand") => Some(Order::Random),
        _ => None,
    }
}

fn direction(word: &str) -> Direction {
    match word.trim().trim_end_matches(':').to_ascii_lowercase().as_str() {
        "read" => Direction::Read,
        "write" => Direction::Write,
        "trim" => Direction::Trim,
        word if word.starts_with("read") => Direction::Read,
        word if word.starts_with("write") => Direction::Write,
        _ => Direction::All,
    }
}

/// The block size of a header: `4K-4K/4K-4K`, `(R) 4096B-4096B, (W) 4096B-4096B`; `None` for a range, or where reads and writes differ.
fn block(text: &str, word: &str) -> Option<u64> {
    let part = match text.find("(W) ") {
        Some(at) if word.ends_with("write") && !word.contains("trim") => &text[at + 4..],
        _ => text.trim_start_matches("(R) "),
    };
    let part = part.split([',', '/', ' ']).next()?;
    let (least, most) = part.split_once('-').unwrap_or((part, part));
    let size = |text: &str| binary(text).map(Number::whole).or_else(|| text.parse().ok());
    size(least).filter(|least| size(most) == Some(*least))
}

fn side(line: u32, direction: Direction, rest: &str) -> Side {
    let mut side = Side { direction, line, ..Side::default() };
    if let Some(rate) = rest.split("IOPS=").nth(1) {
        side.iops = leading(rate, Comma::Groups).map(|(number, rest)| number.times(thousands(rest)));
        side.bytes_per_s = rest.split("BW=").nth(1).and_then(binary);
        // (5601MiB/60001msec) is the last pair.
        let moved = rest.rsplit('(').next().filter(|pair| pair.contains("msec"));
        side.bytes = moved.and_then(binary);
    } else {
        let of = |key: &str| rest.split(key).nth(1).and_then(binary);
        side.iops = after(rest, "iops=");
        side.bytes_per_s = of("bw=");
        side.bytes = of("io=");
    }
    side
}

fn run_time(rest: &str) -> Option<Number> {
    let text = match rest.split("runt=").nth(1) {
        Some(text) => text,
        None => rest.rsplit('(').next()?.split_once('/')?.1,
    };
    let (number, unit) = leading(text, Comma::Groups)?;
    let unit = unit.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next()?;
    Some(number.times(time_unit(unit)? / 1e9))
}

fn percentiles(text: &str, unit: f64, into: &mut Vec<(f64, Number)>) {
    for entry in text.split("th=[").collect::<Vec<_>>().windows(2) {
        let share = entry[0].rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next().and_then(|share| share.parse().ok());
        let value = leading(entry[1], Comma::Groups);
        if let (Some(share), Some((value, rest))) = (share, value) {
            into.push((share, value.times(unit * thousands(rest.trim_end_matches(|c| c != 'K' && c != 'k')))));
        }
    }
}

fn depths(text: &str) -> Vec<(u32, f64)> {
    let Some((_, rest)) = text.split_once(':') else { return Vec::new() };
    let entry = |entry: &str| {
        let (depth, share) = entry.trim().trim_start_matches(">=").split_once('=')?;
        Some((depth.parse().ok()?, leading(share, Comma::Groups)?.0.value))
    };
    rest.split(',').filter_map(entry).collect()
}

fn issued(job: &mut Measured, text: &str) {
    let Some(rest) = text.split("total=").nth(1) else { return };
    let list = rest.split_whitespace().next().unwrap_or_default();
    let counts: Vec<u64> = list.split(['/', ',']).filter_map(|count| count.trim_start_matches(['r', 'w', 'd', '=']).parse().ok()).collect();
    for (direction, count) in [Direction::Read, Direction::Write, Direction::Trim, Direction::Sync].into_iter().zip(counts) {
        job.sides.iter_mut().filter(|side| side.direction == direction).for_each(|side| side.ios = Some(count));
    }
}
