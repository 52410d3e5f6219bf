//! Lines before the first job: a line for each section, the version, how much is started, and which files had to be made.

use crate::request::FioRequest;
use crate::subjob::Subjob;
use ioproof_core::text::visible;
use ioproof_fio::jobs::FioJob;
use ioproof_fio::print::size;
use ioproof_fio::results::Units;
use ioproof_fio::settings::Blocks;
use ioproof_fio::values::{BlockSplit, Mode};

/// Bytes of an I/O, the least and the most.
type HeaderSizes = (u64, u64);

/// Warning of fio on each clone whose engine cannot keep as many I/Os outstanding as were asked for.
const KEEPS_ONE: &str = "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1\n";

// A process of fio that writes to a file never gets that far.
fn keeps_one(request: &FioRequest, job: &FioJob) -> bool {
    let said = job.settings.start.thread || request.line.general.output.is_none();
    said && job.settings.submission.depth > 1 && job.settings.engine.name.is_synchronous()
}

/// The lines, in fio's words, by which scripts tell one job from the next.
pub fn header(request: &FioRequest, clones: &[Subjob]) -> String {
    let mut lines: String = request.jobs.iter().enumerate().filter_map(|(number, job)| section(request, number, job)).collect();
    lines.push_str(&format!("{}\n{}\n", ioproof_fio::print::FIO_VERSION, starting(request, clones)));
    lines.extend(clones.iter().filter_map(laid_out));
    lines.extend(clones.iter().filter(|clone| keeps_one(request, request.job(clone))).map(|_| KEEPS_ONE));
    lines
}

fn section(request: &FioRequest, number: usize, job: &FioJob) -> Option<String> {
    let instance = request.schedule.clones.iter().find(|instance| instance.job == number)?;
    let settings = &job.settings;
    let [read, write, trim] = sizes(&settings.blocks).map(|range| range_text(range, settings.units()));
    let (engine, depth) = (settings.engine.name.word(), settings.submission.depth);
    let more = if settings.start.clones > 1 { "...\n" } else { "" };
    let (name, group, rw) = (visible(&job.name), instance.group, word(settings.access.rw.mode, settings.access.rw.random));
    Some(format!("{name}: (g={group}): rw={rw}, bs=(R) {read}, (W) {write}, (T) {trim}, ioengine={engine}, iodepth={depth}\n{more}"))
}

/// The word of `rw` that is shown, whichever of its names was typed.
fn word(mode: Mode, random: bool) -> &'static str {
    match (mode, random) {
        (Mode::Read, false) => "read",
        (Mode::Read, true) => "randread",
        (Mode::Write, false) => "write",
        (Mode::Write, true) => "randwrite",
        (Mode::Trim, false) => "trim",
        (Mode::Trim, true) => "randtrim",
        (Mode::ReadWrite, false) => "rw",
        (Mode::ReadWrite, true) => "randrw",
        (Mode::TrimWrite, false) => "trimwrite",
        (Mode::TrimWrite, true) => "randtrimwrite",
    }
}

fn sizes(blocks: &Blocks) -> [HeaderSizes; 3] {
    let Blocks { size, range, splits, .. } = blocks;
    let of = |size: u64, range: Option<HeaderSizes>, splits: &[BlockSplit]| {
        let all = || splits.iter().map(|split| split.bytes);
        let listed = all().min().zip(all().max());
        listed.or(range).unwrap_or((size, size))
    };
    [of(size.read, range.read, &splits.read), of(size.write, range.write, &splits.write), of(size.trim, range.trim, &splits.trim)]
}

fn range_text((least, most): HeaderSizes, units: Units) -> String {
    format!("{}-{}", size(least, units), size(most, units))
}

/// fio makes processes unless `thread` is given. Clones are threads here in any case, but the line is what people's scripts know.
fn starting(request: &FioRequest, clones: &[Subjob]) -> String {
    let threads = clones.iter().filter(|clone| request.job(clone).settings.start.thread).count();
    let named = |count: usize, one: &str, many: &str| (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }));
    let both = [named(threads, "thread", "threads"), named(clones.len() - threads, "process", "processes")];
    format!("Starting {}", both.into_iter().flatten().collect::<Vec<_>>().join(" and "))
}

fn laid_out(clone: &Subjob) -> Option<String> {
    let mib = clone.laid_out.bytes >> 20;
    let name = &clone.instance.name;
    match clone.laid_out.files {
        0 => None,
        1 => Some(format!("{name}: Laying out IO file (1 file / {mib}MiB)\n")),
        files => Some(format!("{name}: Laying out IO files ({files} files / total {mib}MiB)\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What fio 3.33 prints of `bs`.
    #[test]
    fn sizes_as_fio_shows_them() {
        let of = |bytes: u64| range_text((bytes, bytes), Units::default());
        assert_eq!(of(5000), "5000B-5000B");
        assert_eq!(
            [512, 4096, 9999, 16 << 10, 512 << 10].map(|bytes| size(bytes, Units::default())),
            ["512B", "4096B", "9999B", "16.0KiB", "512KiB"]
        );
        assert_eq!([1 << 20, 4 << 20, 100 << 20].map(|bytes| size(bytes, Units::default())), ["1024KiB", "4096KiB", "100MiB"]);
        let thousands = Units { thousands: true, ..Units::default() };
        assert_eq!((size(1 << 20, thousands), size(4000, thousands)), ("1049kB".into(), "4000B".into()));
        let three = Units { digits: 3, ..Units::default() };
        assert_eq!([4096, 9999, 1 << 20, 100 << 10].map(|bytes| size(bytes, three)), ["4.0KiB", "9.8KiB", "1.0MiB", "100KiB"]);
    }
}
