//! Commands before and after a job.

use super::kind::Kind;
use super::row::{Row, approximated, put_some};

const ASKED: &str = "commands are run only with --allow-exec, those before all jobs at the start and those after at the end, and what they print is dropped";

pub(super) const ROWS: &[Row] = &[
    approximated("exec_prerun", Kind::Text, ASKED, "A command of the shell before the job.", |s, v| {
        put_some(&mut s.hooks.before, v.owned())
    }),
    approximated("exec_postrun", Kind::Text, ASKED, "A command of the shell after the job.", |s, v| {
        put_some(&mut s.hooks.after, v.owned())
    }),
];
