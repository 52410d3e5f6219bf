//! A row of the table: one option, what becomes of it, and how it changes the settings.

use super::kind::Kind;
use super::value::Value;
use crate::settings::Settings;

/// Changes the settings, or says why it cannot.
pub type Set = fn(&mut Settings, &Value<'_>) -> Result<(), String>;

/// One option.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// fio's name.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// The kind of value after `=`.
    pub kind: Kind,
    /// Its treatment.
    pub treatment: Treatment,
    /// Its meaning, with unit and default: a sentence.
    pub help: &'static str,
    /// Of an approximated option: true for settings that differ from fio's behaviour; `None`: all but fio's default differ.
    pub otherwise: Option<fn(&Settings) -> bool>,
    /// Engines that know it; empty: all.
    pub engines: &'static [&'static str],
    /// Changes the settings. Of a refused option: fails unless the value asks for nothing.
    pub set: Set,
}

/// Treatment of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It means what it means in fio.
    Honoured,
    /// It is done in another way; what differs.
    Approximated(&'static str),
    /// Nothing is done; why nothing would differ.
    NoEffect(&'static str),
    /// A job that uses it is not run; why, and what to use instead.
    Refused(&'static str),
}

impl Treatment {
    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Honoured => "honoured",
            Self::Approximated(_) => "approximated",
            Self::NoEffect(_) => "no effect",
            Self::Refused(_) => "refused",
        }
    }

    /// The difference or the reason; empty for an option that is honoured.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Honoured => "",
            Self::Approximated(text) | Self::NoEffect(text) | Self::Refused(text) => text,
        }
    }
}

impl Row {
    /// The same with other names.
    pub(super) const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// The same, known to these engines only.
    pub(super) const fn of(mut self, engines: &'static [&'static str]) -> Self {
        self.engines = engines;
        self
    }

    /// The same, which differs from fio only with such settings.
    pub(super) const fn only_when(mut self, otherwise: fn(&Settings) -> bool) -> Self {
        self.otherwise = Some(otherwise);
        self
    }

    /// Its name and its other names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

const fn row(name: &'static str, kind: Kind, treatment: Treatment, help: &'static str, set: Set) -> Row {
    Row { name, aliases: &[], kind, treatment, help, otherwise: None, engines: &[], set }
}

/// An option that means what it means in fio.
pub(super) const fn honoured(name: &'static str, kind: Kind, help: &'static str, set: Set) -> Row {
    row(name, kind, Treatment::Honoured, help, set)
}

/// An option that is done in another way.
pub(super) const fn approximated(name: &'static str, kind: Kind, differs: &'static str, help: &'static str, set: Set) -> Row {
    row(name, kind, Treatment::Approximated(differs), help, set)
}

/// An option for which nothing is done.
pub(super) const fn no_effect(name: &'static str, kind: Kind, why: &'static str, help: &'static str) -> Row {
    row(name, kind, Treatment::NoEffect(why), help, |_, _| Ok(()))
}

/// An option that ends the run before it starts, whatever its value.
pub(super) const fn refused(name: &'static str, kind: Kind, why: &'static str, help: &'static str) -> Row {
    row(name, kind, Treatment::Refused(why), help, |_, _| Err(String::new()))
}

/// An option that ends the run before it starts, unless its value is fio's default, which asks for nothing.
pub(super) const fn refused_with(name: &'static str, kind: Kind, why: &'static str, help: &'static str, set: Set) -> Row {
    row(name, kind, Treatment::Refused(why), help, set)
}

/// An option that ends the run before it starts, unless its value is zero, `none` or so, which asks for nothing.
pub(super) const fn refused_unless_off(name: &'static str, kind: Kind, why: &'static str, help: &'static str) -> Row {
    row(name, kind, Treatment::Refused(why), help, |_, value| if value.is_off() { Ok(()) } else { Err(String::new()) })
}

/// Puts a value in its place.
pub(super) fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

/// Puts a value in its place that may be absent.
pub(super) fn put_some<T>(place: &mut Option<T>, value: Result<T, String>) -> Result<(), String> {
    *place = Some(value?);
    Ok(())
}
