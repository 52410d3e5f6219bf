//! pg_test_fsync: a row for each way of making a write durable, in syncs per second and microseconds.

use super::{Context, Output};
use crate::measured::{Direction, Latency, Load, Measured, Side};
use crate::number::{Comma, leading};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if !(first.starts_with("Compare file sync methods") || first.ends_with(" per test") && first.len() < 40) {
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
            seconds = leading(text, Comma::Groups).map(|(seconds, _)| seconds).filter(|_| text.contains("second"));
        } else if let Some((name, rate)) = row(text) {
            let (mean, latency_line) = (text.split("ops/sec").nth(1).and_then(|rest| leading(rest, Comma::Groups)), line.number);
            let mean = mean.map(|(mean, _)| mean.times(1e3)).filter(|mean| mean.value > 0.0);
            let latency = Latency { line: latency_line, mean, ..Latency::default() };
            let direction = if section.starts_with("Non-sync") { Direction::Write } else { Direction::Sync };
            let side = Side { direction, line: line.number, iops: Some(rate), latency, ..Side::default() };
            let load = Load { word: section.clone(), depth: Some(1), workers: Some(1), ..Load::default() };
            measured.push(Measured {
                tool: "pg_test_fsync",
                first: line.number,
                last: line.number,
                name: name.to_owned(),
                load,
                sides: vec![side],
                seconds,
                ..Measured::default()
            });
        } else if text.ends_with(':') && !text.ends_with("n/a") {
            text.trim_end_matches(':').clone_into(&mut section);
        } else if text.is_empty()
            || text.starts_with('(')
            || text.starts_with("O_DIRECT")
            || text.contains("n/a")
            || text.ends_with("default)")
            || text.starts_with("different sizes")
            || text.starts_with("on a ")
        {
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
    (!measured.is_empty()).then_some(Output { measured, end, unknown })
}

fn row(text: &str) -> Option<(&str, crate::number::Number)> {
    let (before, _) = text.split_once("ops/sec")?;
    let before = before.trim_end();
    let (name, number) = before.rsplit_once(' ')?;
    Some((name.trim(), leading(number, Comma::Groups)?.0))
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
}
