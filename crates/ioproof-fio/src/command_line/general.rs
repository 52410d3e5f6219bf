//! fio's general flags: every one of fio 3.33, what is done with it, and why not more.

use crate::settings::settings;
use crate::values::{self, TimeUnit, ValueContext};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Value,
    Optional,
    Nothing,
}

/// Whose option it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OptionOwner<'a> {
    General(&'static Flag),
    Own(&'static str),
    Job(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    pub name: &'static str,
    pub letter: Option<char>,
    pub takes: Takes,
    pub treatment: FlagTreatment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagTreatment {
    Honoured,
    WithoutEffect(&'static str),
    Refused(&'static str),
}

use FlagTreatment::{Honoured, Refused, WithoutEffect};
use Takes::{Nothing, Optional, Value};

const REMOTE: &str = "ioproof runs on one machine and talks to no other";
const TRIGGER: &str = "ioproof runs no commands in the middle of a measurement";
const SELF_TEST: &str = "it measures fio itself; see ioproof self-test";

const fn flag(name: &'static str, letter: Option<char>, takes: Takes, treatment: FlagTreatment) -> Flag {
    Flag { name, letter, takes, treatment }
}

pub const FLAGS: [Flag; 39] = [
    flag("output", Some('o'), Value, Honoured),
    flag("output-format", Some('F'), Value, Honoured),
    flag("minimal", Some('m'), Nothing, Honoured),
    flag("append-terse", Some('f'), Nothing, Honoured),
    flag("terse-version", Some('V'), Value, Honoured),
    flag("bandwidth-log", Some('b'), Nothing, Honoured),
    flag("section", Some('x'), Value, Honoured),
    flag("showcmd", Some('s'), Nothing, Honoured),
    flag("parse-only", Some('P'), Nothing, Honoured),
    flag("readonly", Some('r'), Nothing, Honoured),
    flag("eta", Some('e'), Value, Honoured),
    flag("eta-interval", Some('O'), Value, Honoured),
    flag("eta-newline", Some('E'), Value, Honoured),
    flag("status-interval", Some('L'), Value, Honoured),
    flag("max-jobs", Some('j'), Value, Honoured),
    flag("warnings-fatal", Some('w'), Nothing, Honoured),
    flag("aux-path", Some('K'), Value, Honoured),
    flag("version", Some('v'), Nothing, Honoured),
    flag("help", Some('h'), Nothing, Honoured),
    flag("cmdhelp", Some('c'), Optional, Honoured),
    flag("enghelp", Some('i'), Optional, Honoured),
    flag("debug", Some('d'), Value, WithoutEffect("there are no debug messages of fio's kind")),
    flag("alloc-size", Some('a'), Value, WithoutEffect("there is no pool of shared memory to be sized")),
    flag(
        "idle-prof",
        Some('I'),
        Value,
        Refused("ioproof keeps no processor busy to see how idle it was; its record has the processor time of the run"),
    ),
    flag("inflate-log", Some('X'), Value, Refused("ioproof writes no compressed logs and reads none")),
    flag("latency-log", Some('l'), Value, Refused("fio has dropped it; write_lat_log is the option of a job for it")),
    flag("profile", Some('p'), Value, Refused("ioproof has no built-in profiles of fio")),
    flag("merge-blktrace-only", Some('A'), Nothing, Refused("ioproof merges no block traces")),
    flag("cpuclock-test", Some('T'), Nothing, Refused(SELF_TEST)),
    flag("crctest", Some('G'), Optional, Refused(SELF_TEST)),
    flag("memcpytest", Some('M'), Optional, Refused(SELF_TEST)),
    flag("server", Some('S'), Optional, Refused(REMOTE)),
    flag("daemonize", Some('D'), Value, Refused(REMOTE)),
    flag("client", Some('C'), Value, Refused(REMOTE)),
    flag("remote-config", Some('R'), Value, Refused(REMOTE)),
    flag("trigger-file", Some('W'), Value, Refused(TRIGGER)),
    flag("trigger-timeout", Some('B'), Value, Refused(TRIGGER)),
    flag("trigger", Some('H'), Value, Refused(TRIGGER)),
    flag("trigger-remote", Some('J'), Value, Refused(TRIGGER)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Normal,
    Json,
    JsonPlus,
    Terse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Eta {
    #[default]
    Auto,
    Always,
    Never,
}

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct General {
        pub output: Option<String> = None,
        /// `--output-format`, `--minimal`, `--append-terse`: each once, in the order typed.
        pub formats: Vec<OutputFormat> = vec![OutputFormat::Normal],
        pub terse_version: u8 = 3,
        pub bandwidth_log: bool = false,
        /// `--section`: only these sections of files are run; empty: all.
        pub sections: Vec<String> = Vec::new(),
        pub showcmd: bool = false,
        pub parse_only: bool = false,
        pub readonly: bool = false,
        pub eta: Eta = Eta::Auto,
        pub eta_interval_ms: u64 = 1000,
        pub eta_newline_ms: Option<u64> = None,
        pub status_interval_ms: Option<u64> = None,
        pub max_jobs: Option<u32> = None,
        pub warnings_fatal: bool = false,
        pub aux_path: Option<String> = None,
        pub version: bool = false,
        pub help: bool = false,
        pub cmdhelp: Option<Option<String>> = None,
        pub enghelp: Option<Option<String>> = None,
        pub notes: Vec<String> = Vec::new(),
    }
}

impl General {
    pub(super) fn set(&mut self, flag: &Flag, value: Option<&str>) -> Result<(), String> {
        match flag.treatment {
            Refused(why) => Err(format!("not supported: {why}")),
            WithoutEffect(why) => {
                self.notes.push(format!("--{} is without effect: {why}", flag.name));
                Ok(())
            }
            Honoured => match value {
                Some(text) if flag.takes == Value => self.set_value(flag.name, text),
                text => {
                    self.set_bare(flag.name, text);
                    Ok(())
                }
            },
        }
    }

    fn set_bare(&mut self, name: &str, text: Option<&str>) {
        match name {
            "minimal" => self.formats = vec![OutputFormat::Terse],
            "append-terse" if !self.formats.contains(&OutputFormat::Terse) => self.formats.push(OutputFormat::Terse),
            "bandwidth-log" => self.bandwidth_log = true,
            "showcmd" => self.showcmd = true,
            "parse-only" => self.parse_only = true,
            "readonly" => self.readonly = true,
            "warnings-fatal" => self.warnings_fatal = true,
            "version" => self.version = true,
            "help" => self.help = true,
            "cmdhelp" => self.cmdhelp = Some(text.map(str::to_owned)),
            "enghelp" => self.enghelp = Some(text.map(str::to_owned)),
            _ => {}
        }
    }

    fn set_value(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "output" => self.output = Some(text.to_owned()),
            "aux-path" => self.aux_path = Some(text.to_owned()),
            "section" if text == "global" => return Err("global is no job; name the section of one".to_owned()),
            "section" => self.sections.push(text.to_owned()),
            "output-format" => self.formats = formats(text)?,
            "terse-version" => self.terse_version = number(text, 2, 5)?,
            "max-jobs" => self.max_jobs = Some(number(text, 1, u32::MAX)?),
            "eta" => self.eta = [Eta::Auto, Eta::Always, Eta::Never][values::word(text, &["auto", "always", "never"])?],
            "eta-interval" => self.eta_interval_ms = milliseconds(text, 250)?,
            "eta-newline" => self.eta_newline_ms = Some(milliseconds(text, 1)?),
            _ => self.status_interval_ms = Some(milliseconds(text, 1)?),
        }
        Ok(())
    }
}

fn formats(text: &str) -> Result<Vec<OutputFormat>, String> {
    let all = [OutputFormat::Normal, OutputFormat::Json, OutputFormat::JsonPlus, OutputFormat::Terse];
    let mut found = Vec::new();
    for name in text.split(',') {
        let format = all[values::word(name, &["normal", "json", "json+", "terse"])?];
        if !found.contains(&format) {
            found.push(format);
        }
    }
    Ok(found)
}

fn number<T: std::str::FromStr + PartialOrd + std::fmt::Display>(text: &str, least: T, most: T) -> Result<T, String> {
    let found = text.parse().ok().filter(|number| (&least..=&most).contains(&number));
    found.ok_or_else(|| format!("a number from {least} to {most} is expected, and \"{text}\" is none"))
}

fn milliseconds(text: &str, least: u64) -> Result<u64, String> {
    let ms = values::duration_ns(text, TimeUnit::Seconds, &ValueContext::default())? / 1_000_000;
    if ms < least { Err(format!("at least {least} ms are expected, and \"{text}\" is less")) } else { Ok(ms) }
}
