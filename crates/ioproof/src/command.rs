//! The command line: which verb is meant, help, and what cannot be understood.

use crate::verbs::Verb;
use clap::Parser;
use clap::builder::{PossibleValuesParser, Styles, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use ioproof_core::text::visible;
use ioproof_database::postgres::without_password;
use ioproof_process::colors::Colors;
use ioproof_process::{colors, messages, output};
use std::ffi::OsString;

/// Proves what a drive really does.
#[derive(Debug, Parser)]
#[command(name = "ioproof", version, about, after_help = EXAMPLES, disable_help_subcommand = true, styles = Styles::styled())]
struct Cli {
    /// Colours in text: auto, always, never
    #[arg(
        long,
        global = true,
        value_name = "WHEN", value_parser = colors(),
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true
    )]
    color: Colors,
    /// Nothing on standard error but errors
    #[arg(long, global = true, hide_short_help = true)]
    quiet: bool,
    #[command(subcommand)]
    verb: Verb,
}

fn colors() -> impl TypedValueParser<Value = Colors> {
    PossibleValuesParser::new(["auto", "always", "never"]).map(|when| match when.as_str() {
        "always" => Colors::Always,
        "never" => Colors::Never,
        _ => Colors::Auto,
    })
}

/// Printed where nothing was typed.
const BARE: &str = "ioproof proves what a drive really does.

  ioproof verify [TARGET]     measure a drive, a file or this directory; about a minute, no root
  ioproof list                the drives of this machine
  ioproof run JOB.fio         fio's job files and options
  ioproof compare A B         two stored runs: better, worse, or cannot tell

`ioproof --help` lists all verbs, `ioproof VERB -h` the options of one.
";

const EXAMPLES: &str = "Examples:
  ioproof verify                          measure the drive under this directory with a scratch file, in a minute
  ioproof verify /dev/nvme0n1             the same on a whole drive, only reading
  ioproof verify /dev/nvme0n1 --destroy S4YPNE0N800120 --time 30m
                                          reading and writing: ALL DATA ON THE DRIVE IS LOST
  ioproof sweep /dev/nvme0n1              what it does at every queue depth, and where more only queues
  ioproof sync /mnt/data                  what fsync, fdatasync and O_DSYNC cost on it
  ioproof layers --dir /mnt/data          what a database makes of what its filesystem can do
  ioproof list                            the drives of this machine
  ioproof identify /dev/nvme0             everything known about one of them
  ioproof runs list                       what was measured so far
  ioproof report last -o report.html      the last run as a page

Exit status: 1 a claim is missed, or data was lost (--check); 3 a claim cannot be told, a figure is not the drive's, or the run was interrupted or not steady;
2 nothing could be judged (usage, permission, an error of ours); else 0.
Sizes: 4k = 4KiB = 4096 bytes, 4kB = 4000 bytes. Times: 90s, 1m30s.
Data goes to standard output, messages to standard error (--quiet: errors alone). Colours: --color, NO_COLOR, CLICOLOR.";

/// Reads the command line, and sets what holds for the whole program: colours, and what standard error is for.
///
/// # Errors
/// clap's own, which also carries help and version.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Verb, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    if args.len() < 2 {
        return Err(clap::Error::raw(clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, BARE));
    }
    if args.len() == 3 && args[1..].iter().all(|word| ["--version", "-V", "version", "--verbose"].iter().any(|known| word == known)) {
        return Err(clap::Error::raw(clap::error::ErrorKind::DisplayVersion, build()));
    }
    let cli = Cli::try_parse_from(as_flags(args))?;
    colors::set_colors(cli.color);
    messages::set_quiet(cli.quiet);
    Ok(cli.verb)
}

/// This build, for `--version --verbose`.
fn build() -> String {
    let commit = option_env!("IOPROOF_COMMIT").filter(|commit| !commit.is_empty()).unwrap_or("not said (no package)");
    let parquet = if cfg!(feature = "parquet") { "with Parquet" } else { "without Parquet" };
    let (version, licence) = (env!("CARGO_PKG_VERSION"), env!("CARGO_PKG_LICENSE"));
    format!("ioproof {version}\ncommit: {commit}\nbuilt for: {}, {parquet}\nlicence: {licence}\n", std::env::consts::ARCH)
}

/// `help`, `help VERB`, `version` and `-v`, as people type them, in the way that clap reads.
fn as_flags(mut args: Vec<OsString>) -> Vec<OsString> {
    match args[1].to_str() {
        Some("version" | "-v") => args[1] = "--version".into(),
        Some("help") => {
            args.remove(1);
            args.push("--help".into());
        }
        _ => {}
    }
    args
}

/// Prints help or the version on standard output, or what is wrong with a command line on standard error, where words that would do something to a terminal are
/// shown.
pub fn print(error: &clap::Error) -> anyhow::Result<()> {
    let text = error.render().to_string();
    if !error.use_stderr() {
        let is_colored = colors::is_colored();
        return output::print(&if is_colored { error.render().ansi().to_string() } else { text });
    }
    let shown: String = text.lines().map(|line| without_password(&visible(line)) + "\n").collect();
    let of_fio = of_fio(error);
    // What sounds alike would mislead.
    for line in shown.lines().filter(|line| of_fio.is_none() || !line.trim_start().starts_with("tip: ")) {
        line.strip_prefix("error: ").map_or_else(|| messages::say(line), messages::error);
    }
    of_fio.into_iter().for_each(|instead| messages::hint(&format!("{instead}; `ioproof run` takes fio's options as they are")));
    Ok(())
}

/// The way in which a measuring verb says what an option of fio does, where such an option was typed.
fn of_fio(error: &clap::Error) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 6] = [
        ("--filename", "the target stands without an option: ioproof verify FILE"),
        ("--directory", "the directory stands without an option: ioproof verify DIRECTORY"),
        ("--direct", "O_DIRECT is the default, and --buffered goes through the page cache"),
        ("--time_based", "every run is: --time says for how long all of them take"),
        ("--name", "workloads have no names; `ioproof runs name` gives one to a run"),
        ("--group_reporting", "workers are always reported together"),
    ];
    let typed = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(typed)) => typed,
        _ => return None,
    };
    KNOWN.iter().find(|(option, _)| typed == option).map(|(_, instead)| *instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn habits_of_other_tools_are_understood() {
        let typed = |words: &str| parse(words.split(' ').map(OsString::from));
        let kind = |words: &str| typed(words).unwrap_err().kind();
        use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
        assert_eq!([kind("ioproof help"), kind("ioproof help verify")], [DisplayHelp; 2]);
        assert_eq!(kind("ioproof --version --verbose"), DisplayVersion);
        assert_eq!([kind("ioproof version"), kind("ioproof -v"), kind("ioproof -V")], [DisplayVersion; 3]);
        assert_eq!(kind("ioproof"), DisplayHelpOnMissingArgumentOrSubcommand);
        let fio =
            "ioproof verify --readwrite randread --blocksize 4k,1m --iodepth 8 --numjobs 2 --runtime 1m30s --ioengine libaio --size 2g";
        assert!(typed(fio).is_ok(), "{:?}", typed(fio));
        let hint = |words: &str| of_fio(&typed(words).unwrap_err());
        assert!(hint("ioproof verify --direct=1").unwrap().contains("default") && hint("ioproof verify --dirct").is_none());
    }

    #[test]
    fn short_help_fits_a_screen() {
        for verb in Cli::command().get_subcommands_mut() {
            let name = verb.get_name().to_owned();
            let lines = verb.clone().term_width(100).render_help().to_string().lines().count();
            assert!(lines <= 30, "{name}: {lines} lines");
        }
    }

    #[test]
    fn flags_of_verify_without_a_value_are_known_to_whoever_reads_a_command_again() {
        let verify = Cli::command().find_subcommand("verify").unwrap().clone();
        let without =
            verify.get_arguments().filter(|argument| !argument.get_action().takes_values()).filter_map(|argument| argument.get_long());
        let mut found: Vec<String> = without.map(|name| format!("--{name}")).collect();
        let mut known = ioproof_core::limited_by::SWITCHES.to_vec();
        found.sort();
        known.sort_unstable();
        assert_eq!(found, known);
    }

    #[test]
    fn help_has_the_defaults_of_its_verb_and_no_flag_that_it_refuses() {
        let help = |verb: &str| Cli::command().find_subcommand_mut(verb).unwrap().render_long_help().to_string();
        let flag = |help: &str, name: &str| {
            let lines: Vec<&str> = help.lines().skip_while(|line| !line.trim_start().starts_with(name)).collect();
            let more = lines.iter().skip(1).take_while(|line| !line.trim_start().starts_with('-') && !line.trim().is_empty());
            lines.iter().take(1).chain(more).map(|line| line.trim()).collect::<Vec<_>>().join(" ")
        };
        let (verify, sweep, sync) = (help("verify"), help("sweep"), help("sync"));
        for name in ["--interleave", "--latency-target <", "--check"] {
            let has = |help: &str| help.lines().any(|line| line.trim_start().starts_with(name));
            assert!(has(&verify) && !has(&sweep) && !has(&sync), "{name}");
        }
        assert!(flag(&sync, "--time").ends_with("[default: 60s for a scratch file, else 3m]"), "{}", flag(&sync, "--time"));
        for name in ["--depth", "--workers", "--bs", "--sync", "--write-to", "--files"] {
            assert!(flag(&sync, name).ends_with("[default: the preset's]"), "{}", flag(&sync, name));
        }
        assert_eq!(flag(&sync, "--backend").matches("[default: ").count(), 1, "{}", flag(&sync, "--backend"));
    }
}
