//! Sentences on what the curve of a series shows, and what was left out of it.

use super::{Axis, Cell, Series};
use crate::text::visible;
use crate::units::{iops, latency};

/// Says that the queue depth was made of threads.
fn threads(series: &Series) -> Option<String> {
    let most = series.cells.iter().filter_map(|cell| cell.threads).max()?;
    let backend = series.cells.iter().find_map(|cell| cell.workload.backend_name());
    let backend = backend.unwrap_or_else(|| "the backend".to_owned());
    Some(format!("queue depth made of threads, up to {most}: {backend} keeps one I/O outstanding in each"))
}

/// The limits that held cells back that is not the drive, each with its cells.
fn held_back(axis: Axis, series: &Series) -> Vec<String> {
    let mut limits: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in &series.cells {
        let Some(limit) = &cell.host_limit else { continue };
        let place = axis.place(&cell.workload);
        match limits.iter_mut().find(|(known, _)| *known == limit.as_str()) {
            Some((_, places)) => places.push(place),
            None => limits.push((limit, vec![place])),
        }
    }
    limits.into_iter().map(|(limit, places)| format!("host: {}, at {}", visible(limit), places.join(", "))).collect()
}

/// Says that the shape rests on cells of too few runs for an interval.
fn caveat(series: &Series) -> Option<String> {
    series.shape.as_ref()?;
    let runs = || series.cells.iter().map(|cell| cell.iops.runs);
    let without = series.cells.iter().filter(|cell| !cell.iops.is_interval()).count();
    let (fewest, all) = (runs().min()?, series.cells.len());
    let words = if fewest == 1 { "1 run".to_owned() } else { format!("{fewest} runs") };
    (without > 0).then(|| format!("uncertain: {without} of {all} cells have too few runs for an interval (down to {words}): another sweep may place these elsewhere; a longer --time gives more"))
}

/// Ends of an interval.
type Range = (f64, f64);

/// The cells that could be in the place of the named one, since its interval and theirs overlap; empty for none, and where it has too few runs for an interval.
fn doubtful(axis: Axis, cells: &[Cell], named: usize, range: impl Fn(&Cell) -> Range) -> String {
    let (low, high) = range(&cells[named]);
    let overlaps = |(of_low, of_high): Range| of_low <= high && low <= of_high;
    let others = cells.iter().enumerate().filter(|(at, cell)| *at != named && overlaps(range(cell)));
    let places: Vec<String> = others.map(|(_, cell)| axis.place(&cell.workload)).collect();
    if places.is_empty() || !cells[named].iops.is_interval() {
        return String::new();
    }
    format!("; uncertain: by their intervals it may as well be at {}", places.join(", "))
}

/// The shape of the curve in words, and what was left out.
pub(super) fn says(axis: Axis, series: &Series) -> Vec<String> {
    let mut says = Vec::new();
    if series.cells.first().is_some_and(Cell::is_of_program) {
        return says;
    }
    if let Some(shape) = &series.shape {
        let (floor, knee, ceiling) = (&series.cells[shape.floor], &series.cells[shape.knee], &series.cells[shape.ceiling]);
        let doubt = |named: usize, range: fn(&Cell) -> Range| doubtful(axis, &series.cells, named, range);
        let of_floor = doubt(shape.floor, |cell| (cell.latency_ns.low, cell.latency_ns.high));
        says.push(format!("floor: {} at {}{of_floor}", latency(floor.latency_ns.median), axis.place(&floor.workload)));
        let is_last = shape.knee + 1 == series.cells.len();
        let beyond = if is_last {
            "throughput for the latency is still the greatest there"
        } else {
            "beyond it latency grows faster than throughput"
        };
        let (rate, at, takes) = (iops(knee.iops.median), axis.place(&knee.workload), latency(knee.latency_ns.median));
        let of_knee =
            doubt(shape.knee, |cell| (cell.iops.low / cell.latency_ns.high.max(1.0), cell.iops.high / cell.latency_ns.low.max(1.0)));
        says.push(format!("knee: {rate} at {at}, with {takes}; {beyond}{of_knee}"));
        let still = if shape.ceiling + 1 == series.cells.len() && shape.full.is_none() { "; it still rises there" } else { "" };
        let of_ceiling = doubt(shape.ceiling, |cell| (cell.iops.low, cell.iops.high));
        says.push(format!("ceiling: {} at {}{still}{of_ceiling}", iops(ceiling.iops.median), axis.place(&ceiling.workload)));
        let about = if of_ceiling.is_empty() { "" } else { "about " };
        says.extend(shape.full.map(|full| {
            let cell = &series.cells[full];
            let from = format!("from {about}{} on more only queues", axis.place(&cell.workload));
            // Held against itself the ceiling is no news.
            let is_itself = full == shape.ceiling;
            if is_itself { from } else { format!("{from}: {} there cannot be told from the ceiling", iops(cell.iops.median)) }
        }));
    }
    says.extend(caveat(series));
    if series.shape.is_none() && axis != Axis::BlockSize && !series.cells.is_empty() {
        says.push("fewer than three cells, too few for a floor, a knee or a ceiling".into());
    }
    says.extend(threads(series));
    says.extend(held_back(axis, series));
    if !series.left_out.is_empty() {
        let places: Vec<String> = series.left_out.iter().map(|workload| axis.place(workload)).collect();
        says.push(format!(
            "not measured: {}; nothing more was to be expected there, or the run ended (--full measures all)",
            places.join(", ")
        ));
    }
    says
}
