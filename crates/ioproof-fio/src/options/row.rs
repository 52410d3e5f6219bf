//! A row of the table: one option, its treatment, and how it changes the settings.

use super::kind::Kind;
use super::value::Value;
use crate::settings::Settings;
use crate::values::{Context, keywords};

pub type Change = fn(&mut Settings, &Value<'_>) -> Result<(), String>;

#[derive(Debug, Clone, Copy)]
pub enum Set {
    By(Change),
    Field(fn(&mut Settings) -> &mut bool),
    /// Nothing depends on the value, which differs from fio where it is not this one.
    Ignored(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub kind: Kind,
    pub treatment: Treatment,
    pub help: &'static str,
    /// Of an approximated option: true for settings that differ from fio's behaviour; `None`: all but fio's default differ.
    pub otherwise: Option<fn(&Settings) -> bool>,
    /// Engines that know it; empty: all.
    pub engines: &'static [&'static str],
    pub set: Set,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    Honoured,
    /// It is done in another way; what differs.
    Approximated(&'static str),
    /// Nothing is done; why nothing would differ.
    NoEffect(&'static str),
    Refused(&'static str),
}

impl Treatment {
    pub fn word(self) -> &'static str {
        match self {
            Self::Honoured => "honoured",
            Self::Approximated(_) => "approximated",
            Self::NoEffect(_) => "no effect",
            Self::Refused(_) => "refused",
        }
    }

    /// The difference or the reason; empty for an option that is honoured.
    pub fn text(self) -> &'static str {
        match self {
            Self::Honoured => "",
            Self::Approximated(text) | Self::NoEffect(text) | Self::Refused(text) => text,
        }
    }
}

impl Row {
    pub(super) const fn says(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    pub(super) const fn differs(mut self, text: &'static str) -> Self {
        self.treatment = Treatment::Approximated(text);
        self
    }

    pub(super) const fn why(mut self, text: &'static str) -> Self {
        self.treatment = Treatment::Refused(text);
        self
    }

    pub(super) const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(super) const fn of(mut self, engines: &'static [&'static str]) -> Self {
        self.engines = engines;
        self
    }

    pub(super) const fn only_when(mut self, otherwise: fn(&Settings) -> bool) -> Self {
        self.otherwise = Some(otherwise);
        self
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    pub fn apply(&self, settings: &mut Settings, text: Option<&str>, context: &Context) -> Result<(), String> {
        let text = text.map(|text| keywords(text, context)).transpose()?;
        let value = Value::new(text.as_deref(), context);
        self.kind.check(&value)?;
        match self.set {
            Set::By(change) => {
                change(settings, &value).map_err(|error| if error.is_empty() { self.treatment.text().to_owned() } else { error })
            }
            Set::Field(field) => value.flag().map(|is_set| *field(settings) = is_set),
            Set::Ignored(_) => Ok(()),
        }
    }

    pub fn differs_with(&self, text: Option<&str>, context: &Context) -> Option<&'static str> {
        let Treatment::Approximated(differs) = self.treatment else { return None };
        let mut settings = Settings::default();
        self.apply(&mut settings, text, context).ok()?;
        let is_so = match (self.otherwise, self.set) {
            (Some(otherwise), _) => otherwise(&settings),
            (None, Set::Ignored(usual)) => {
                let text = text.map(|text| keywords(text, context)).transpose().ok()?;
                let number = |text| self.kind.number(&Value::new(text, context));
                number(text.as_deref()) != number(Some(usual))
            }
            (None, _) => settings != Settings::default(),
        };
        is_so.then_some(differs)
    }
}

const fn row(name: &'static str, kind: Kind, treatment: Treatment, set: Set) -> Row {
    Row { name, aliases: &[], kind, treatment, help: "", otherwise: None, engines: &[], set }
}

pub(super) const fn honoured(name: &'static str, kind: Kind, change: Change) -> Row {
    row(name, kind, Treatment::Honoured, Set::By(change))
}

pub(super) const fn switch(name: &'static str, field: fn(&mut Settings) -> &mut bool) -> Row {
    row(name, Kind::Bool, Treatment::Honoured, Set::Field(field))
}

pub(super) const fn flag(name: &'static str, field: fn(&mut Settings) -> &mut bool) -> Row {
    row(name, Kind::Flag, Treatment::Honoured, Set::Field(field))
}

pub(super) const fn approximated(name: &'static str, kind: Kind, change: Change) -> Row {
    row(name, kind, Treatment::Approximated(""), Set::By(change))
}

/// The same where the value changes nothing; `usual` is the one with which fio does the same.
pub(super) const fn ignored(name: &'static str, kind: Kind, usual: &'static str) -> Row {
    row(name, kind, Treatment::Approximated(""), Set::Ignored(usual))
}

pub(super) const fn no_effect(name: &'static str, kind: Kind, why: &'static str) -> Row {
    row(name, kind, Treatment::NoEffect(why), Set::Ignored(""))
}

/// An option that ends the run before it starts, whatever its value.
pub(super) const fn refused(name: &'static str, kind: Kind, why: &'static str) -> Row {
    refused_with(name, kind, |_, _| Err(String::new())).why(why)
}

/// An option that ends the run before it starts, unless its value is fio's default, which asks for nothing.
pub(super) const fn refused_with(name: &'static str, kind: Kind, change: Change) -> Row {
    row(name, kind, Treatment::Refused(""), Set::By(change))
}

/// An option that ends the run before it starts, unless its value is zero, `none` or so, which asks for nothing.
pub(super) const fn refused_unless_off(name: &'static str, kind: Kind, why: &'static str) -> Row {
    refused_with(name, kind, |_, value| if value.is_off() { Ok(()) } else { Err(String::new()) }).why(why)
}

pub(super) fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

pub(super) fn put_some<T>(place: &mut Option<T>, value: Result<T, String>) -> Result<(), String> {
    put(place, value.map(Some))
}
