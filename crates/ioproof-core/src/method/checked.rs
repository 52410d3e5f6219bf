//! Checks of data that cannot tell.

use super::described::derived::LoadKey;
use super::prelude::*;
use super::workers::begin_together;
use crate::job::Span;
use std::collections::HashMap;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "verify-repeats",
        severity: Severity::Warn,
        about: "a check of blocks that may be written several times",
        check: MethodCheck::Each(repeats),
        fires: vec![changed(checked(writing(device())), |l| l.workload.shape.order = Order::Free)],
        silent: vec![checked(writing(device()))],
    },
    rule! {
        name: "verify-shared-file",
        severity: Severity::Warn,
        covers: ["same-blocks", "overlapping-clones"],
        about: "a check where workers write over each other",
        check: MethodCheck::All(shared_files),
        fires: vec![checked(split(&sequential(writing(device())), 4, |_| (0, 1 << 40)))],
        silent: vec![checked(split(&sequential(writing(device())), 4, |worker| (worker << 35, 1 << 35)))],
    },
];

#[cfg(test)]
fn checked(load: Load) -> Load {
    changed(load, |l| l.workload.shape.data.checked = true)
}

fn is_free(order: &Order) -> bool {
    matches!(order, Order::Free | Order::Repeated { free: true, .. })
}

fn repeats(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is = load.checks_data() && load.writes() && load.is_random() && is_free(&load.workload.shape.order);
    let option = words.phrases().repeating_blocks;
    let title = match load.depth() {
        1 => format!("{option} leaves blocks out and writes others several times: some blocks are never verified"),
        depth => {
            format!("{option} lets a block be written several times, with {depth} writes under way at once: which came last is not known")
        }
    };
    let figures = || vec![Evidence::number("depth", load.depth() as f64, Unit::Count)];
    is.then(|| found(title, figures(), format!("leave out {option}")))
}

/// Loads whose own workers share their blocks, and those that share them with an earlier load at the same time.
fn shared_files(loads: &[Load], words: &dyn Words) -> Vec<(usize, MethodFinding)> {
    let mut written = WrittenSpans::default();
    let mut of = |(at, load)| {
        let other = written.earlier(load);
        written.add(load);
        Some((at, shared_file(load, words).or_else(|| Some(with_another(load, other?, words)))?))
    };
    loads.iter().enumerate().filter_map(&mut of).collect()
}

/// Loads that write, by stage and target, each with the part that it writes. Parts are looked up among those of the same target alone: a stage may hold
/// thousands of loads.
#[derive(Default)]
struct WrittenSpans<'a>(HashMap<(u32, LoadKey<'a>), Vec<(&'a Load, Span)>>);

impl<'a> WrittenSpans<'a> {
    fn add(&mut self, load: &'a Load) {
        for (path, span) in places_written(load) {
            self.0.entry(path).or_default().push((load, span));
        }
    }

    /// A load that was added and writes the same blocks, where one of both checks what it wrote.
    fn earlier(&self, load: &'a Load) -> Option<&'a Load> {
        let ends = |span: Span| span.offset_bytes.saturating_add(span.length_bytes);
        let meet = |one: Span, two: Span| one.offset_bytes < ends(two) && two.offset_bytes < ends(one);
        let is = |span: Span, (other, theirs): &&(&Load, Span)| meet(span, *theirs) && (load.checks_data() || other.checks_data());
        places_written(load).find_map(|(path, span)| self.0.get(&path)?.iter().find(|theirs| is(span, theirs))).map(|(other, _)| *other)
    }
}

/// Places that a load writes as soon as its stage begins, each with the stage.
fn places_written(load: &Load) -> impl Iterator<Item = ((u32, LoadKey<'_>), Span)> {
    let stage = load.start.stage.filter(|_| load.writes() && !load.start.waits);
    stage.into_iter().flat_map(|stage| load.places().map(move |(path, span)| ((stage, path), span)))
}

fn with_another(load: &Load, other: &Load, words: &dyn Words) -> MethodFinding {
    let title = format!("{} and {} write the same blocks at the same time: what one verifies another wrote", other.name, load.name);
    found(title, vec![Evidence::text("beside", other.name.clone())], words.alone(&load.name))
}

fn shared_file(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let workers = load.worker_count();
    let title = format!(
        "{} write the same blocks of the same file and verify them: each finds what another wrote",
        many(workers, words.phrases().worker)
    );
    let figures = || vec![Evidence::number("workers", workers as f64, Unit::Count).against(1.0)];
    (load.checks_data() && load.writes() && begin_together(load)).then(|| found(title, figures(), words.own_parts(workers)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::named;
    use super::*;
    use crate::method::Flags;

    fn beside(stages: [u32; 2], parts: [(u64, u64); 2], change: impl Fn(&mut Load)) -> usize {
        let of = |at: usize, name: &str| {
            let load = checked(split(&sequential(writing(device())), 1, |_| parts[at]));
            changed(named(load, name), |l| l.start.stage = Some(stages[at]))
        };
        let mut loads = [of(0, "x"), of(1, "y")];
        change(&mut loads[1]);
        shared_files(&loads, &Flags).len()
    }

    #[test]
    fn jobs_that_write_the_same_blocks_at_the_same_time_find_each_others_data() {
        let same = [(0, 1 << 30); 2];
        assert_eq!(beside([0, 0], same, |_| ()), 1);
        assert_eq!(beside([0, 0], [(0, 1 << 30), ((1 << 30) - 4096, 1 << 30)], |_| ()), 1, "in a part");
        assert_eq!(beside([0, 0], same, |l| l.workload.shape.data.checked = false), 1, "the other one checks");
        assert_eq!(beside([0, 1], same, |_| ()), 0, "one after the other");
        assert_eq!(beside([0, 0], [(0, 1 << 30), (1 << 30, 1 << 30)], |_| ()), 0, "each its part");
        assert_eq!(beside([0, 0], same, |l| l.start.waits = true), 0);
        assert_eq!(beside([0, 0], same, |l| l.targets[0].path = "/another".into()), 0);
        let by_two_names = |l: &mut Load| l.targets[0].path = "/another".into();
        let loads = |numbers: [u64; 2]| {
            let of = |at: usize| {
                changed(checked(split(&sequential(writing(device())), 1, |_| same[at])), |l| {
                    (l.start.stage, l.targets[0].identity) = (Some(0), Some((1, numbers[at])))
                })
            };
            [of(0), changed(of(1), by_two_names)]
        };
        assert_eq!([loads([7, 7]), loads([7, 8])].map(|loads| shared_files(&loads, &Flags).len()), [1, 0], "by two names");
        assert_eq!(beside([0, 0], same, |l| l.workload.read_percent = 100), 0);
    }
}
