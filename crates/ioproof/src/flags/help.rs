//! The help of flags that several verbs have, with the defaults of each.

use clap::Arg;

/// Flags of `verify` that a run of many cells refuses.
const REFUSED: [&str; 4] = ["interleave", "more", "check", "latency_target"];

/// Hides a flag that a run of many cells refuses.
pub fn without_refused(arg: Arg) -> Arg {
    let is_refused = REFUSED.contains(&arg.get_id().as_str());
    if is_refused { arg.hide(true) } else { arg }
}

pub fn with_default(arg: Arg, default: &str) -> Arg {
    let Some(help) = arg.get_help().map(ToString::to_string) else { return arg };
    let about = help.split("[default: ").next().unwrap_or(&help).trim_end();
    arg.help(format!("{about}  [default: {default}]"))
}
