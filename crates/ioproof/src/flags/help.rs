//! The help of flags that several verbs have, with the defaults of each.

use clap::Arg;

/// Flags that the short help shows, with a line for each where the whole text has more; `--help` has all.
const COMMON: [(&str, &str); 21] = [
    ("target", "A directory, a file or a block device; without one, this directory"),
    ("size", "Size of the scratch file, or of the part to use: 4g, 100%"),
    ("time", "Time in all: 90s, 10m, 2h"),
    ("datasheet", "Judge by this datasheet (`ioproof datasheet list`)"),
    ("overwrite", "Allow writing to this file; its content is lost"),
    ("destroy", "Allow writing to this drive; its data is lost"),
    ("dry_run", "Show what would be run and written"),
    ("output", "Also write a report, by its ending: .html .md .json .xlsx"),
    ("json", "Print the result as JSON"),
    ("rw", "read, write, randread, randwrite, randrw:70 (70 % reads)"),
    ("bs", "Block sizes: 4k,64k"),
    ("depth", "Queue depths per worker: 1,32"),
    ("workers", "Workers: 1,4"),
    ("preset", ""),
    ("dirs", ""),
    ("db", "Databases: sqlite, postgres"),
    ("drives", ""),
    ("run", ""),
    ("all", ""),
    ("from", ""),
    ("word", ""),
];

/// The first examples of many, each of one line.
pub fn brief(examples: &str) -> String {
    let mut shown: Vec<&str> = examples.lines().skip(1).filter(|line| line.starts_with("  ioproof") && line.len() <= 106).collect();
    shown.truncate(1);
    format!("Examples:\n{}\n\n--help has all options and examples.", shown.join("\n"))
}

/// Shortens the help of common flags for `-h`, and leaves all others to `--help`.
pub fn short(arg: Arg) -> Arg {
    let Some((_, line)) = COMMON.iter().find(|(id, _)| *id == arg.get_id().as_str()) else { return arg.hide_short_help(true) };
    match arg.get_help().map(ToString::to_string) {
        Some(whole) if !line.is_empty() => {
            let default = whole.rfind("[default: ").map(|at| &whole[at..]).filter(|default| default.len() <= 16);
            let line = [*line, default.unwrap_or_default()].join("  ");
            arg.help(line.trim_end().to_owned()).long_help(whole)
        }
        _ => arg,
    }
}

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
