//! The order in which fio reads, runs and shows the options of a section: units, the others, those of the engine.

use crate::fio::grammar::Typed;
use crate::fio::options;

/// The options of a section of a file in fio's order.
pub(in crate::fio) fn in_file_order(options: &[Typed]) -> Vec<&Typed> {
    let is_unit = |typed: &&Typed| matches!(typed.key.as_str(), "kb_base" | "unit_base");
    let (mut units, others): (Vec<&Typed>, Vec<&Typed>) = options.iter().partition(is_unit);
    units.extend(others);
    engine_last(units)
}

/// The same options with those of the engine at the end, since the engine may be named after them.
pub(super) fn engine_last(options: Vec<&Typed>) -> Vec<&Typed> {
    let of_engine = |typed: &&Typed| options::find(&typed.key).is_some_and(|row| !row.engines.is_empty());
    let (last, mut ordered): (Vec<&Typed>, Vec<&Typed>) = options.into_iter().partition(of_engine);
    ordered.extend(last);
    ordered
}
