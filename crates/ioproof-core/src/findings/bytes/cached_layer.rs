//! A loop device on the way answers from the page cache, and counters of the drive below it cannot tell whose bytes reached it.
//!
//! The loop driver says by `loop/dio` whether it opens its file with `O_DIRECT` (`drivers/block/loop.c`). Without, reads may come from memory while somebody
//! else's reads make up the sum at the drive.

use crate::findings::prelude::*;

rule! {
    name: "cached-layer",
    about: "a loop device on the way to the drive goes through the page cache",
    check: Check::EachCounted(of_job),
    limit: RuleLimit::not_the_drive(Place::Memory, |_, _| "memory, or not: a loop device on the way goes through the page cache".into())
        .with(LimitConfidence::NotTold),
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let stacks = context.record.targets_of(measured.job).filter_map(|target| target.facts.stack.as_ref());
    let layer = stacks.flat_map(StackNode::nodes).find(|node| node.is_cached)?;
    let title = format!("{} goes through the page cache, so that nobody can tell which of these bytes reached the drive", layer.name);
    let mut figures = vec![Evidence::text("its file is read and written", "through the page cache")];
    figures.extend(layer.backing_file.as_ref().map(|file| Evidence::text("file behind it", file.clone())));
    let remedy = format!("losetup --direct-io=on /dev/{}, with its file on a drive and not in memory", layer.name);
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, &remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: on_a_loop(true), silent: on_a_loop(false) }

    fn on_a_loop(is_cached: bool) -> RunRecord {
        let node = StackNode { is_cached, under: vec![node("nvme0n1", 0)], ..node("loop0", 1) };
        record().with(|record| record.targets[0].facts.stack = Some(node))
    }
}
