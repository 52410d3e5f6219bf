//! Arguments cut into options with their values, and files, as getopt_long_only(3) does it.

use super::general::{FLAGS, Flag, OptionOwner, Takes};
use super::own;
use crate::complaint::{Complaint, SourcePlace};
use crate::values::nearest;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ArgumentWord<'a> {
    Option(OptionOwner<'a>, Option<&'a str>),
    File(&'a str),
}

pub(super) fn cut<'a>(arguments: &'a [String], options: &'a [(&'a str, Takes)]) -> Vec<Result<ArgumentWord<'a>, Complaint>> {
    let mut cutter = Cutter { rest: arguments.iter(), options, words: Vec::new(), only_files: false };
    while let Some(argument) = cutter.rest.next() {
        cutter.argument(argument);
    }
    cutter.words
}

struct Cutter<'a> {
    rest: std::slice::Iter<'a, String>,
    options: &'a [(&'a str, Takes)],
    words: Vec<Result<ArgumentWord<'a>, Complaint>>,
    only_files: bool,
}

impl<'a> Cutter<'a> {
    fn argument(&mut self, argument: &'a str) {
        match argument.strip_prefix("--") {
            _ if self.only_files => self.words.push(Ok(ArgumentWord::File(argument))),
            Some("") => self.only_files = true,
            Some(long) => self.long(long),
            None => match argument.strip_prefix('-') {
                None | Some("") => self.words.push(Ok(ArgumentWord::File(argument))),
                Some(short) => self.single_dash(short),
            },
        }
    }

    /// `-bs=8k` is `--bs=8k`; `-o x`, `-ox` and `-mr` are single letters.
    fn single_dash(&mut self, word: &'a str) {
        let is_long = word.chars().nth(1).is_some() && self.find(name_of(word)).is_ok();
        match word.chars().next().and_then(by_letter) {
            Some(_) if !is_long => self.letters(word),
            _ => self.long(word),
        }
    }

    fn letters(&mut self, word: &'a str) {
        let mut letters = word.chars();
        while let Some(letter) = letters.next() {
            let attached = Some(letters.as_str()).filter(|rest| !rest.is_empty());
            match by_letter(letter) {
                Some(flag) if flag.takes == Takes::Nothing => self.words.push(Ok(ArgumentWord::Option(OptionOwner::General(flag), None))),
                Some(flag) => return self.option(flag.name, OptionOwner::General(flag), flag.takes, attached),
                None => return self.words.push(Err(complain(format!("-{letter} is no option")))),
            }
        }
    }

    fn long(&mut self, word: &'a str) {
        let value = word.split_once('=').map(|(_, value)| value);
        match self.find(name_of(word)) {
            Ok((name, kind, takes)) => self.option(name, kind, takes, value),
            Err(complaint) => self.words.push(Err(complaint)),
        }
    }

    fn option(&mut self, name: &str, kind: OptionOwner<'a>, takes: Takes, value: Option<&'a str>) {
        let value = match (takes, value) {
            (Takes::Value, None) => self.rest.next().map(String::as_str),
            (_, value) => value,
        };
        self.words.push(match (takes, value) {
            (Takes::Value, None) => Err(complain(format!("--{name} needs a value"))),
            (Takes::Nothing, Some(value)) => Err(complain(format!("--{name} takes no value, and \"{value}\" stands after it"))),
            (_, Some("")) => Err(complain(format!("--{name}= stands without its value"))),
            _ => Ok(ArgumentWord::Option(own::or_fio(kind, value), value)),
        });
    }

    /// The option of this name, or the only one that begins so. ioproof's own are to be written out, so that they make none of fio's ambiguous.
    fn find(&self, name: &str) -> Result<(&'a str, OptionOwner<'a>, Takes), Complaint> {
        let flags = FLAGS.iter().map(|flag| (flag.name, OptionOwner::General(flag), flag.takes));
        let jobs = self.options.iter().map(|(name, takes)| (*name, OptionOwner::Job(name), *takes));
        let own = own::OWN.iter().map(|(name, takes)| (*name, OptionOwner::Own(name), *takes));
        if let Some(exact) = own.chain(flags.clone()).chain(jobs.clone()).find(|(known, ..)| *known == name) {
            return Ok(exact);
        }
        let mut begun: Vec<_> = flags.chain(jobs).filter(|(known, ..)| !name.is_empty() && known.starts_with(name)).collect();
        match (begun.pop(), begun.len()) {
            (Some(only), 0) => Ok(only),
            (None, _) => Err(self.unknown(name)),
            (Some(last), _) => Err(ambiguous(name, begun.iter().chain([&last]).map(|(known, ..)| *known))),
        }
    }

    fn unknown(&self, name: &str) -> Complaint {
        let names = FLAGS.iter().map(|flag| flag.name).chain(own::OWN.iter().map(|(name, _)| *name));
        let complaint = complain(format!("--{name} is no option"));
        match nearest(name, names.chain(self.options.iter().map(|(name, _)| *name))) {
            Some(meant) => complaint.with_hint(format!("--{meant} is perhaps meant")),
            None => complaint,
        }
    }
}

fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

fn by_letter(letter: char) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.letter == Some(letter))
}

fn ambiguous<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Complaint {
    let all: Vec<String> = known.take(8).map(|known| format!("--{known}")).collect();
    complain(format!("--{name} is the beginning of more than one option: {}", all.join(", ")))
}

fn complain(text: String) -> Complaint {
    Complaint::at(&SourcePlace::command_line(), text)
}
