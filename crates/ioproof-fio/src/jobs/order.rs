//! The order in which fio reads and shows the options of a section: units and two more, the others, names of files, and those of the engine.

use crate::grammar::TypedOption;
use crate::options;

pub(crate) fn in_file_order(options: &[TypedOption]) -> Vec<&TypedOption> {
    let mut ordered: Vec<&TypedOption> = options.iter().collect();
    ordered.sort_by_key(|typed| rank(typed));
    ordered
}

pub(super) fn engine_last(mut options: Vec<&TypedOption>) -> Vec<&TypedOption> {
    options.sort_by_key(|typed| is_of_engine(typed));
    options
}

fn rank(typed: &TypedOption) -> u8 {
    match typed.key.as_str() {
        "kb_base" | "unit_base" | "lockfile" | "cpus_allowed_policy" => 0,
        "filename" | "filename_format" => 2,
        _ if is_of_engine(typed) => 3,
        _ => 1,
    }
}

fn is_of_engine(typed: &TypedOption) -> bool {
    options::find(&typed.key).is_some_and(|row| !row.engines.is_empty())
}
