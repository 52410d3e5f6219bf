//! Checks of data that cannot tell.

use super::load::Load;
use super::rule::{Check, Found, Rule, found};
#[cfg(test)]
use super::testing::{changed, device, sequential, split, writing};
use super::text::many;
use super::words::Words;
use super::workers::begin_together;
use crate::finding::{Evidence, Severity, Unit};
use crate::shape::Order;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "verify-repeats",
        severity: Severity::Warn,
        covers: &[],
        about: "a check of blocks that may be written several times",
        check: Check::Each(repeats),
        #[cfg(test)]
        fires: || vec![changed(checked(writing(device())), |l| l.workload.shape.order = Order::Free)],
        #[cfg(test)]
        silent: || vec![checked(writing(device()))],
    },
    Rule {
        name: "verify-shared-file",
        severity: Severity::Warn,
        covers: &["same-blocks", "overlapping-clones"],
        about: "a check where workers write over each other",
        check: Check::Each(shared_file),
        #[cfg(test)]
        fires: || vec![checked(split(&sequential(writing(device())), 4, |_| (0, 1 << 40)))],
        #[cfg(test)]
        silent: || vec![checked(split(&sequential(writing(device())), 4, |worker| (worker << 35, 1 << 35)))],
    },
];

#[cfg(test)]
fn checked(load: Load) -> Load {
    changed(load, |l| l.workload.shape.data.checked = true)
}

fn is_free(order: &Order) -> bool {
    matches!(order, Order::Free | Order::Repeated { free: true, .. })
}

fn repeats(load: &Load, words: &dyn Words) -> Option<Found> {
    let is = load.checks_data() && load.writes() && load.is_random() && is_free(&load.workload.shape.order);
    let option = words.repeating_blocks();
    let title = match load.depth() {
        1 => format!("{option} leaves blocks out and writes others several times: some blocks are never verified"),
        depth => {
            format!("{option} lets a block be written several times, with {depth} writes under way at once: which came last is not known")
        }
    };
    let figures = || vec![Evidence::number("depth", load.depth() as f64, Unit::Count)];
    is.then(|| found(title, figures(), format!("leave out {option}")))
}

fn shared_file(load: &Load, words: &dyn Words) -> Option<Found> {
    let workers = load.worker_count();
    let title =
        format!("{} write the same blocks of the same file and verify them: each finds what another wrote", many(workers, words.worker()));
    let figures = || vec![Evidence::number("workers", workers as f64, Unit::Count).against(1.0)];
    (load.checks_data() && load.writes() && begin_together(load)).then(|| found(title, figures(), words.own_parts(workers)))
}
