//! pgbench: transactions per second and their mean latency.

use super::{Comma, Context, Direction, Kind, Latency, Load, Measured, Number, Output, Quotable, Side, figure, label, leading, time_unit};

pub(super) fn read(context: &Context) -> Option<Output> {
    const STARTS: [&str; 6] = ["transaction type:", "starting vacuum", "pgbench (", "progress: ", "tps = ", "scaling factor:"];
    let text = context.line().text.trim();
    STARTS.iter().find(|start| text.starts_with(**start))?;
    let mut out = Measured { tool: "pgbench", first: context.line().number, ..Measured::default() };
    let mut side = Side { direction: Direction::Transaction, ..Side::default() };
    let mut end = context.at;
    for (at, line) in context.block(60) {
        let text = line.text.trim();
        let is_rate = text.starts_with("tps = ");
        if at > context.at
            && (text.is_empty()
                || side.iops.is_some() && text.starts_with("transaction type:")
                || text.starts_with("starting vacuum") && out.last > out.first)
        {
            break;
        }
        if is_rate {
            rate(line.number, text, &mut side, &mut out);
        } else if !setting(line.number, text, &mut side, &mut out) && !is_words(text) && (side.iops.is_some() || !line.is_code) {
            break;
        }
        end = at + 1;
        out.last = line.number;
    }
    side.iops?;
    out.load = Load { word: "transactions".into(), depth: Some(1), ..out.load };
    out.sides.push(side);
    Some(Output { measured: vec![out], end, ..Output::default() })
}

/// The first rate counts the connecting in; the one without it is what people quote.
fn rate(line: u32, text: &str, side: &mut Side, out: &mut Measured) {
    let Some(rate) = figure(&text["tps = ".len()..]) else { return };
    out.quotable.push(Quotable { line, kind: Kind::Iops, number: rate });
    if side.iops.is_none() || !text.contains("including") {
        (side.iops, side.line) = (Some(rate), line);
    }
}

fn setting(line: u32, text: &str, side: &mut Side, out: &mut Measured) -> bool {
    if let Some(rest) = label(text, "number of clients:") {
        out.load.workers = figure(rest).map(Number::whole);
    } else if let Some(rest) = label(text, "duration:") {
        out.seconds = figure(rest);
    } else if let Some(rest) = label(text, "number of transactions actually processed:") {
        side.ios = figure(rest).map(Number::whole);
    } else if let Some(rest) = label(text, "latency average") {
        let value = rest.trim_start_matches([':', '=', ' ']);
        if let Some((number, unit)) = leading(value, Comma::Groups) {
            let mean = time_unit(unit).map(|unit| number.times(unit));
            side.latency = Latency { line, mean, ..Latency::default() };
        }
    } else {
        return false;
    }
    true
}

fn is_words(text: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: [&str; 14] = [
        "starting vacuum", "progress:", "transaction type", "scaling factor", "query mode", "number of", "maximum number", "latency stddev",
        "initial connection", "connection time", "partition", "SQL script", "pgbench (", "random seed",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}
