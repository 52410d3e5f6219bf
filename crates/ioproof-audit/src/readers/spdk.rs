//! `spdk_nvme_perf`: a row for each core, a row of totals, and with `-L` a summary of percentiles. `-q` is the depth of each core.

use super::{Context, Direction, Kind, Latency, Load, Measured, Number, Order, Output, Quotable, Side, Statement, after, figure};

/// Most rows before the totals: one for each core and drive.
const ROWS_MAX: usize = 600;
const MIB: f64 = (1u64 << 20) as f64;

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = bare(&context.line().text);
    let is_start = first.starts_with("Device Information") && first.contains("IOPS")
        || first == "Latency(us)"
        || first.starts_with("Initializing NVMe Controllers")
        || context.command_of("spdk_nvme_perf").is_some() && (first.starts_with("EAL:") || first.starts_with("TELEMETRY:"));
    if !is_start {
        return None;
    }
    let mut table = SpdkTable::default();
    let (mut end, mut unknown) = (context.at, Vec::new());
    for (at, line) in context.block(100_000) {
        if table.total.is_none() && at > context.at + ROWS_MAX {
            break;
        }
        let is_again = at > context.at && table.total.is_some() && bare(&line.text).starts_with("Device Information");
        if is_again || table.total.is_some() && bare(&line.text) == "Latency(us)" {
            break;
        }
        if table.line(line.number, bare(&line.text)) {
            end = at + 1;
        } else if table.total.is_some() && !line.text.trim().is_empty() {
            break;
        } else if !line.text.trim().is_empty() && line.is_code {
            unknown.push(at);
        }
    }
    unknown.retain(|at| *at < end);
    // A table without totals is taken too, so that no line is read twice.
    (end > context.at).then(|| Output { measured: table.finish(context).into_iter().collect(), end, unknown, ..Output::default() })
}

/// The text without the comment signs of a script.
fn bare(text: &str) -> &str {
    text.trim().trim_start_matches('#').trim()
}

#[derive(Default)]
struct SpdkTable {
    first: u32,
    last: u32,
    rows: Vec<Row>,
    total: Option<Row>,
    percentiles: Vec<(f64, Number)>,
    in_percentiles: bool,
}

struct Row {
    line: u32,
    numbers: Vec<Number>,
}

impl SpdkTable {
    fn line(&mut self, number: u32, text: &str) -> bool {
        if self.first == 0 {
            self.first = number;
        }
        let known = self.row(number, text) || self.percentile(text) || is_words(text);
        if known {
            self.last = number;
        }
        known
    }

    fn row(&mut self, line: u32, text: &str) -> bool {
        let is_total = text.starts_with("Total") && text.contains(':');
        let is_bus = ["PCIE", "TCP", "RDMA"].iter().any(|bus| text.starts_with(bus));
        let is_core = text.contains("from core") || is_bus && text.contains("):");
        if !is_total && !is_core {
            return false;
        }
        let Some((_, tail)) = text.rsplit_once(':') else { return false };
        let numbers: Vec<Number> = tail.split_whitespace().filter_map(figure).collect();
        if numbers.len() < 2 {
            return text.contains("lcore");
        }
        let row = Row { line, numbers };
        if is_total {
            self.total = Some(row)
        } else {
            self.rows.push(row)
        }
        true
    }

    fn percentile(&mut self, text: &str) -> bool {
        if text.starts_with("Summary latency data") || text.starts_with("Latency histogram") {
            self.in_percentiles = self.percentiles.is_empty() && text.starts_with("Summary");
            return true;
        }
        let Some((share, value)) = text.split_once("% :") else {
            return self.total.is_some() && (text.contains("us: ") || text.starts_with("Range in us"));
        };
        if self.in_percentiles
            && let (Ok(share), Some(value)) = (share.trim().parse(), figure(value))
        {
            self.percentiles.push((share, value.times(1e3)));
        }
        true
    }

    fn finish(mut self, context: &Context) -> Option<Measured> {
        let alone = if self.rows.len() == 1 { self.rows.first() } else { None };
        let all = self.total.as_ref().or(alone)?;
        let column = |at: usize, unit: f64| all.numbers.get(at).map(|number| number.times(unit));
        let command = context.command_of("spdk_nvme_perf");
        let word = command.and_then(|command| command.option(&["-w", "--io-pattern"])).unwrap_or_default().to_owned();
        let direction = match word.as_str() {
            "read" | "randread" => Direction::Read,
            "write" | "randwrite" => Direction::Write,
            _ => Direction::All,
        };
        let order = match word.as_str() {
            "" => None,
            word if word.starts_with("rand") => Some(Order::Random),
            _ => Some(Order::Sequential),
        };
        let cores = self.rows.len().max(1) as u64;
        let number = |names: &[&str]| command.and_then(|command| command.option(names)).and_then(|text| text.parse().ok());
        let load = Load {
            word,
            order,
            block_bytes: number(&["-o", "--io-size"]).or_else(|| block(&all.numbers)),
            depth: number(&["-q", "--io-depth"]).or_else(|| depth(all, cores)),
            workers: Some(cores),
            engine: Some("spdk".into()),
            direct: Some(true),
            ..Load::default()
        };
        let percentiles = std::mem::take(&mut self.percentiles);
        let latency = Latency { line: all.line, mean: column(2, 1e3), min: column(3, 1e3), max: column(4, 1e3), percentiles };
        let side = Side { direction, line: all.line, iops: column(0, 1.0), bytes_per_s: column(1, MIB), latency, ..Side::default() };
        let quotable = self.rows.iter().flat_map(|row| {
            let kinds = [(0, Kind::Iops, 1.0), (1, Kind::BytesPerSecond, MIB), (2, Kind::Nanoseconds, 1e3)];
            kinds
                .into_iter()
                .filter_map(|(at, kind, unit)| Some(Quotable { line: row.line, kind, number: row.numbers.get(at)?.times(unit) }))
        });
        Some(Measured {
            tool: "spdk_nvme_perf",
            first: self.first,
            last: self.last,
            target: command.and_then(|command| command.option(&["-r"])).map(address).unwrap_or_default(),
            load,
            quotable: quotable.collect(),
            statements: sum(&self.rows, self.total.as_ref()),
            sides: vec![side],
            seconds: number(&["-t", "--time"]).map(|seconds| Number { value: seconds as f64, step: 1.0 }),
            ..Measured::default()
        })
    }
}

/// The rate of the total is the sum over the cores.
fn sum(rows: &[Row], total: Option<&Row>) -> Vec<Statement> {
    let Some(printed) = total.and_then(|total| total.numbers.first()) else { return Vec::new() };
    let terms: Vec<f64> = rows.iter().filter_map(|row| row.numbers.first().map(|number| number.value)).collect();
    if terms.is_empty() {
        return Vec::new();
    }
    let words = terms.iter().map(|term| format!("{term:.2}")).collect::<Vec<_>>().join(" + ");
    vec![Statement { line: total.map_or(0, |total| total.line), words, printed: *printed, computed: terms.iter().sum(), slack: 0.001 }]
}

/// More sectors of 512 bytes are no I/O: 1 GiB.
const MOST_SECTORS: f64 = 2_097_152.0;

/// MiB/s by IOPS, where they give a whole number of sectors.
fn block(numbers: &[Number]) -> Option<u64> {
    let (iops, rate) = (numbers.first()?.value, numbers.get(1)?.value * MIB);
    let sectors = (rate / iops / 512.0).round();
    ((1.0..=MOST_SECTORS).contains(&sectors) && (rate / iops / 512.0 / sectors - 1.0).abs() < 0.01).then(|| sectors as u64 * 512)
}

/// The depth of each core by Little's law, where it is near a whole number.
fn depth(row: &Row, cores: u64) -> Option<u64> {
    let outstanding = row.numbers.first()?.value * row.numbers.get(2)?.value / 1e6 / cores as f64;
    let whole = outstanding.round();
    (whole >= 1.0 && (outstanding / whole - 1.0).abs() < 0.02).then_some(whole as u64)
}

fn address(text: &str) -> String {
    text.split_once("traddr:").map_or(text, |(_, address)| address).split_whitespace().next().unwrap_or_default().to_owned()
}

fn is_words(text: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: [&str; 17] = [
        "controller IO queue", "Controller IO queue", "Consider using", "Device Information", "Latency(us)", "====", "----", "Initializ",
        "Attach", "Associating", "EAL:", "TELEMETRY", "[ DPDK", "Starting SPDK", "Latency histogram", "Core", "NVMe I/O",
    ];
    STARTS.iter().any(|start| text.starts_with(start)) || after(text, "qpair failed").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(iops: &str, mib_per_s: &str) -> Option<u64> {
        block(&[iops, mib_per_s].map(|text| figure(text).unwrap()))
    }

    #[test]
    fn a_block_is_of_a_size_that_an_io_can_have() {
        assert_eq!(block_of("102400.00", "400.00"), Some(4096));
        assert_eq!(block_of("0.000001", "99999999999999999"), None);
        assert_eq!(block_of("0", "0"), None);
    }

    #[test]
    fn a_depth_by_the_law_does_not_prove_the_law() {
        let table = "Device Information : IOPS MiB/s Average min max\n\
                     PCIE (0000:04:00.0) NSID 1 from core 0: 100000.00 390.63 320.00 10.00 900.00\n\
                     Total : 100000.00 390.63 320.00 10.00 900.00\n";
        let is_held =
            |text: &str| crate::audit(&[crate::Reading::new("a", text.as_bytes())]).sound.iter().any(|held| held.text.contains("Little"));
        assert!(is_held(&format!("$ spdk_nvme_perf -q 32 -o 4096 -w randread -t 60\n{table}")));
        assert!(!is_held(table));
    }
}
