//! Commands before and after a job.

use super::kind::Kind;
use super::row::{Row, approximated, put_some};

const ASKED: &str = "the command is run only where ioproof was started with --allow-exec, else the job is refused";

pub(super) const ROWS: &[Row] = &[
    approximated(
        "exec_prerun",
        Kind::Text,
        ASKED,
        "A command of the shell before the job; what it prints goes to NAME.prerun.txt.",
        |s, v| put_some(&mut s.hooks.before, v.owned()),
    ),
    approximated(
        "exec_postrun",
        Kind::Text,
        ASKED,
        "A command of the shell after the job; what it prints goes to NAME.postrun.txt.",
        |s, v| put_some(&mut s.hooks.after, v.owned()),
    ),
];
