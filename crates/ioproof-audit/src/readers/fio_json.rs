//! fio's JSON. fio 2 counts `io_bytes` and `bw` in KiB; fio 3 has `io_kbytes` beside and `io_bytes` in bytes.

use super::{Context, Direction, Latency, Load, Measured, Number, Order, Output, Side};
use serde_json::{Map, Value};

/// Lines of the longest document that is read.
const LINES_MAX: usize = 200_000;

pub(super) fn read(context: &Context) -> Option<Output> {
    if !context.line().text.trim_start().starts_with('{') || is_inside(context) {
        return None;
    }
    // What is a document of fio names its version or its jobs within the first lines.
    let head: Vec<&str> = (0..40).filter_map(|distance| context.text(distance)).collect();
    if !head.iter().any(|line| line.contains("\"fio version\"") || line.contains("\"jobname\"")) {
        return None;
    }
    let (text, end) = object(context)?;
    let document: Value = serde_json::from_str(&text).ok()?;
    let version = document.get("fio version").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_old = version.strip_prefix("fio-").is_some_and(|rest| rest.starts_with(['1', '2']));
    let jobs = document.get("jobs")?.as_array()?;
    let globals = document.get("global options");
    let (first, last) = (context.line().number, context.number(end - 1));
    let find = |name: &str, from: u32| {
        let lines = context.document.lines.iter().filter(|line| line.number >= from && line.number <= last);
        lines.filter(|line| line.text.contains("\"jobname\"") && line.text.contains(&format!("\"{name}\""))).map(|line| line.number).next()
    };
    let mut from = first;
    let mut measured = Vec::new();
    for job in jobs.iter().filter_map(Value::as_object) {
        let name = text_of(job, "jobname").to_owned();
        let line = find(&name, from).unwrap_or(from).min(last);
        from = line.saturating_add(1);
        measured.push(Measured { first: line, last, version: Some(version.clone()), ..of_job(job, globals, name, line, is_old) });
    }
    (!measured.is_empty()).then_some(Output { measured, end, ..Output::default() })
}

/// True where the line before is of the same JSON, so that its beginning was looked at already.
fn is_inside(context: &Context) -> bool {
    let before = context.at.checked_sub(1).and_then(|at| context.document.lines.get(at)).map_or("", |line| line.text.trim());
    before != "}" && is_json(before)
}

/// True for a line as JSON has them.
fn is_json(text: &str) -> bool {
    text.starts_with(['{', '}', '[', ']', '"', ',', '-']) || text.starts_with(|c: char| c.is_ascii_digit())
}

/// The text of the object that begins here, and the line after it.
fn object(context: &Context) -> Option<(String, usize)> {
    let (mut depth, mut in_text, mut escaped) = (0_i64, false, false);
    let mut text = String::new();
    for (at, line) in context.document.lines.iter().enumerate().skip(context.at).take(LINES_MAX) {
        if !line.text.trim().is_empty() && !is_json(line.text.trim()) {
            return None;
        }
        for (index, c) in line.text.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if in_text => escaped = true,
                '"' => in_text = !in_text,
                '{' if !in_text => depth += 1,
                '}' if !in_text => depth -= 1,
                _ => {}
            }
            if depth == 0 && c == '}' && !in_text {
                text.push_str(&line.text[..=index]);
                return Some((text, at + 1));
            }
        }
        text.push_str(&line.text);
        text.push('\n');
    }
    None
}

fn text_of<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn of_job(job: &Map<String, Value>, globals: Option<&Value>, name: String, line: u32, is_old: bool) -> Measured {
    let option = |key: &str| {
        let own = job.get("job options").and_then(|options| options.get(key));
        own.or_else(|| globals.and_then(|options| options.get(key))).and_then(Value::as_str)
    };
    // Without options nothing tells the load but what was moved.
    let is_told = job.get("job options").or(globals).is_some();
    let word = option("rw").or_else(|| option("readwrite")).unwrap_or(if is_told { "read" } else { "" }).to_owned();
    let number = |key: &str| option(key).and_then(|text| text.parse().ok());
    let block_bytes = option("bs")
        .or_else(|| option("blocksize"))
        .map_or(is_told.then_some(4096), |text| ioproof_core::units::parse_size_bytes(text).ok());
    let sides = [("read", Direction::Read), ("write", Direction::Write), ("trim", Direction::Trim)];
    let sides: Vec<Side> = sides.iter().filter_map(|(key, direction)| side(job.get(*key)?, *direction, line, is_old)).collect();
    let seconds = job.get("read").into_iter().chain(job.get("write")).filter_map(|side| side.get("runtime")?.as_f64()).fold(0.0, f64::max);
    let cpu = |key: &str| job.get(key).and_then(Value::as_f64);
    let order = if word.starts_with("rand") { Order::Random } else { Order::Sequential };
    let mut load = Load {
        order: Some(order).filter(|_| is_told),
        word,
        block_bytes,
        depth: number("iodepth").or(is_told.then_some(1)),
        workers: number("numjobs").or(is_told.then_some(1)),
        engine: option("ioengine").map(str::to_owned),
        direct: option("direct").map(|direct| direct == "1"),
        depth_asked: None,
    };
    load.settle_depth();
    Measured {
        tool: "fio",
        options: options(job, globals, &name),
        name,
        target: option("filename").or_else(|| option("directory")).unwrap_or_default().to_owned(),
        load,
        sides,
        seconds: (seconds > 0.0).then_some(Number { value: seconds / 1e3, step: 1e-3 }),
        cpu_percent: cpu("usr_cpu").zip(cpu("sys_cpu")),
        ..Measured::default()
    }
}

/// The options of a job as arguments, those of all jobs first.
fn options(job: &Map<String, Value>, globals: Option<&Value>, name: &str) -> Vec<String> {
    let argument = |(key, value): (&String, &Value)| {
        let value = value.as_str()?;
        (key != "name").then(|| if value.is_empty() { format!("--{key}") } else { format!("--{key}={value}") })
    };
    let of = |options: Option<&Value>| options.and_then(Value::as_object).into_iter().flatten().filter_map(argument).collect::<Vec<_>>();
    let (all, own) = (of(globals), of(job.get("job options")));
    if all.is_empty() && own.is_empty() {
        return Vec::new();
    }
    [all, vec![format!("--name={name}")], own].concat()
}

fn side(value: &Value, direction: Direction, line: u32, is_old: bool) -> Option<Side> {
    let number = |key: &str| value.get(key).and_then(Value::as_f64);
    let ios = number("total_ios").map(|ios| ios as u64);
    let moved = number("io_bytes").map(|bytes| bytes * if is_old { 1024.0 } else { 1.0 });
    if moved.unwrap_or(0.0) == 0.0 && ios.unwrap_or(0) == 0 {
        return None;
    }
    let rate = number("bw_bytes").map(|rate| Number { value: rate, step: 1.0 });
    let rate = rate.or_else(|| number("bw").map(|rate| Number { value: rate * 1024.0, step: 1024.0 }));
    let iops = number("iops").map(|iops| Number { value: iops, step: 1e-6 });
    let (latency, unit) = match (value.get("lat_ns").or_else(|| value.get("clat_ns")), value.get("lat").or_else(|| value.get("clat"))) {
        (Some(latency), _) => (Some(latency), 1.0),
        (None, latency) => (latency, 1e3),
    };
    let of =
        |key: &str| latency.and_then(|latency| latency.get(key)?.as_f64()).map(|value| Number { value: value * unit, step: unit * 0.01 });
    let (clat, clat_unit) = if value.get("clat_ns").is_some() { (value.get("clat_ns"), 1.0) } else { (value.get("clat"), 1e3) };
    let percentiles = clat.and_then(|clat| clat.get("percentile")?.as_object());
    let percentiles = percentiles.into_iter().flatten().filter_map(|(share, value)| Some((share.parse().ok()?, value.as_f64()?)));
    let percentiles = percentiles.map(|(share, value): (f64, f64)| (share, Number { value: value * clat_unit, step: clat_unit })).collect();
    let submit = value.get("slat_ns").map(|slat| (slat, 1.0)).or_else(|| value.get("slat").map(|slat| (slat, 1e3)));
    let submit = |key: &str| {
        submit.and_then(|(slat, unit)| Some(Number::exact(slat.get(key)?.as_f64()? * unit))).filter(|submit| submit.value > 0.0)
    };
    Some(Side {
        direction,
        line,
        iops,
        bytes_per_s: rate,
        ios,
        seconds: number("runtime").filter(|ms| *ms > 0.0).map(|ms| Number { value: ms / 1e3, step: 1e-3 }),
        bytes: moved.map(|bytes| Number { value: bytes, step: if is_old { 1024.0 } else { 1.0 } }),
        latency: Latency { line, mean: of("mean"), min: of("min"), max: of("max"), percentiles },
        submit_mean_ns: submit("mean"),
        submit_max_ns: submit("max"),
    })
}
