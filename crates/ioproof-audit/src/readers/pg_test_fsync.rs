//! pg_test_fsync: a row for each way of making a write durable, in syncs per second and microseconds.

use super::{Context, Direction, Latency, Load, Measured, Number, Output, Side, figure};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if !(is_head(first) || starts_rows(context)) {
        return None;
    }
    let mut measured = Vec::new();
    let (mut section, mut seconds, mut end, mut unknown) = (String::new(), None, context.at, Vec::new());
    for (at, line) in context.block(80) {
        let text = line.text.trim();
        if text.ends_with("per test") && at > context.at && measured.is_empty() && seconds.is_some() {
            break;
        }
        if text.ends_with("per test") {
            seconds = figure(text).filter(|_| text.contains("second"));
        } else if let Some((name, rate)) = row(text) {
            let mean = text.split("ops/sec").nth(1).and_then(figure).map(|mean| mean.times(1e3)).filter(|mean| mean.value > 0.0);
            let latency = Latency { line: line.number, mean, ..Latency::default() };
            let direction = if is_unsynced(&section) || name == "write" { Direction::Write } else { Direction::Sync };
            let side = Side { direction, iops: Some(rate), latency, ..Side::default() };
            let load = Load { word: section.clone(), depth: Some(1), workers: Some(1), ..Load::default() };
            measured.push(Measured { seconds, ..Measured::row("pg_test_fsync", line.number, name, load, side) });
        } else if text.ends_with(':') && !text.ends_with("n/a") {
            text.trim_end_matches(':').clone_into(&mut section);
        } else if is_words(text) {
            if !text.is_empty() {
                end = at + 1;
            }
            continue;
        } else if line.is_code {
            unknown.push(at);
            continue;
        } else {
            break;
        }
        end = at + 1;
    }
    unknown.retain(|at| *at < end);
    (!measured.is_empty()).then_some(Output { measured, end, unknown, ..Output::default() })
}

fn is_words(text: &str) -> bool {
    const STARTS: [&str; 4] = ["(", "O_DIRECT", "different sizes", "on a "];
    let is_start = STARTS.iter().any(|start| text.starts_with(start));
    is_start || text.contains("n/a") || text.ends_with("default)") || matches!(text, "" | "..." | "[...]")
}

fn is_head(text: &str) -> bool {
    const STARTS: [&str; 3] =
        ["Compare file sync methods", "Compare open_sync with different", "Test if fsync on non-write file descriptor"];
    STARTS.iter().any(|start| text.starts_with(start)) || is_unsynced(text) || text.ends_with(" per test") && text.len() < 40
}

/// `Non-sync'ed 8kB writes:`, in 9.x with a large S.
fn is_unsynced(text: &str) -> bool {
    text.get(..12).is_some_and(|start| start.eq_ignore_ascii_case("Non-sync'ed "))
}

/// True for a row without the head above it. Methods that the platform does not have may come first.
fn starts_rows(context: &Context) -> bool {
    const REACH: usize = 5;
    let is_row = |text: &str| row(text).is_some_and(|(name, _)| is_method(name));
    let is_missing = |text: &str| text.split_once(' ').is_some_and(|(name, rest)| is_method(name) && rest.trim_start().starts_with("n/a"));
    let texts = || (0..REACH).map_while(|distance| context.text(distance)).map(str::trim);
    texts().next().is_some_and(|first| is_row(first) || is_missing(first)) && texts().find(|text| !is_missing(text)).is_some_and(is_row)
}

fn is_method(name: &str) -> bool {
    const NAMES: [&str; 5] = ["open_datasync", "fdatasync", "fsync", "fsync_writethrough", "open_sync"];
    NAMES.contains(&name) || matches!(name, "write, fsync, close" | "write, close, fsync") || name.contains("kB open_sync write")
}

fn row(text: &str) -> Option<(&str, Number)> {
    let (before, _) = text.split_once("ops/sec")?;
    let before = before.trim_end();
    let (name, number) = before.rsplit_once(' ')?;
    Some((name.trim(), figure(number)?))
}

#[cfg(test)]
mod tests {
    use crate::Reading;
    use crate::measured::Direction;

    #[test]
    fn a_write_that_is_not_synced_is_no_sync() {
        let text = "Compare file sync methods using one 8kB write:\n  fsync  160.824 ops/sec  6218 usecs/op\n\nNon-sync'ed 8kB writes:\n  \
                    write  3247872.414 ops/sec  0 usecs/op\n";
        let measured = Reading::new("a", text.as_bytes()).measured;
        let sides: Vec<_> = measured.iter().map(|of| (of.sides[0].direction, of.sides[0].latency.mean.is_some())).collect();
        assert_eq!(sides, [(Direction::Sync, true), (Direction::Write, false)]);
    }

    #[test]
    fn rows_without_their_head_are_read_up_to_the_words_below() {
        let names = |text: &str| Reading::new("a", text.as_bytes()).measured.iter().map(|of| of.name.clone()).collect::<Vec<_>>();
        let rows = "On the RAID:\n\n    open_datasync                     n/a\n    fdatasync          329.207 ops/sec    3038 \
        usecs/op\n    \
                    fsync              328.739 ops/sec    3042 usecs/op\n    fsync_writethrough            n/a\n\n\
                    Compare file sync methods using two 8kB writes:\n\
                    (in wal_sync_method preference order)\n    fdatasync   160.1 ops/sec   6246 usecs/op\n\
                    Non-Sync'ed 8kB writes:\n    write            76100.311 ops/sec      13 usecs/op\n\nThat is slow.\n";
        assert_eq!(names(rows), ["fdatasync", "fsync", "fdatasync", "write"]);
        let last = &Reading::new("a", rows.as_bytes()).measured[3];
        assert_eq!(last.sides[0].direction, Direction::Write);
        let words = "The table has ops/sec:\n\nfsync of all 300 ops/sec\nopen_datasync n/a\nand nothing else\n";
        assert_eq!(names(words), [""; 0], "no row of the tool");
    }
}
