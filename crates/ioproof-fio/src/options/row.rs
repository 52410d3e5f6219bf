//! A row of the table: one option, its treatment, and how it changes the settings.

use super::kind::ValueKind;
use super::value::OptionValue;
use crate::settings::JobSettings;
use crate::values::{ValueContext, keywords};

pub type SettingChange = fn(&mut JobSettings, &OptionValue<'_>) -> Result<(), String>;

#[derive(Debug, Clone, Copy)]
pub enum Set {
    By(SettingChange),
    Field(fn(&mut JobSettings) -> &mut bool),
    /// Nothing depends on the value, which differs from fio where it is not this one.
    Ignored(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub struct OptionRow {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub kind: ValueKind,
    pub treatment: OptionTreatment,
    pub help: &'static str,
    /// Of an approximated option: true for settings that differ from fio's behaviour; `None`: all but fio's default differ.
    pub otherwise: Option<fn(&JobSettings) -> bool>,
    /// Engines that know it; empty: all.
    pub engines: &'static [&'static str],
    pub set: Set,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionTreatment {
    Honoured,
    /// It is done in another way; what differs.
    Approximated(&'static str),
    /// Nothing is done; why nothing would differ.
    NoEffect(&'static str),
    Refused(&'static str),
}

impl OptionTreatment {
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

impl OptionRow {
    pub(super) const fn says(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    pub(super) const fn differs(mut self, text: &'static str) -> Self {
        self.treatment = OptionTreatment::Approximated(text);
        self
    }

    pub(super) const fn why(mut self, text: &'static str) -> Self {
        self.treatment = OptionTreatment::Refused(text);
        self
    }

    pub(super) const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(super) const fn for_engines(mut self, engines: &'static [&'static str]) -> Self {
        self.engines = engines;
        self
    }

    pub(super) const fn only_when(mut self, otherwise: fn(&JobSettings) -> bool) -> Self {
        self.otherwise = Some(otherwise);
        self
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    pub fn apply(&self, settings: &mut JobSettings, text: Option<&str>, context: &ValueContext) -> Result<(), String> {
        let text = text.map(|text| keywords(text, context)).transpose()?;
        let value = OptionValue::new(text.as_deref(), context);
        self.kind.check(&value)?;
        match self.set {
            Set::By(change) => {
                change(settings, &value).map_err(|error| if error.is_empty() { self.treatment.text().to_owned() } else { error })
            }
            Set::Field(field) => value.flag().map(|is_set| *field(settings) = is_set),
            Set::Ignored(_) => Ok(()),
        }
    }

    pub fn differs_with(&self, text: Option<&str>, context: &ValueContext) -> Option<&'static str> {
        let OptionTreatment::Approximated(differs) = self.treatment else { return None };
        let mut settings = JobSettings::default();
        self.apply(&mut settings, text, context).ok()?;
        let is_so = match (self.otherwise, self.set) {
            (Some(otherwise), _) => otherwise(&settings),
            (None, Set::Ignored(usual)) => {
                let text = text.map(|text| keywords(text, context)).transpose().ok()?;
                let number = |text| self.kind.number(&OptionValue::new(text, context));
                number(text.as_deref()) != number(Some(usual))
            }
            (None, _) => settings != JobSettings::default(),
        };
        is_so.then_some(differs)
    }
}

const fn row(name: &'static str, kind: ValueKind, treatment: OptionTreatment, set: Set) -> OptionRow {
    OptionRow { name, aliases: &[], kind, treatment, help: "", otherwise: None, engines: &[], set }
}

pub(super) const fn honoured(name: &'static str, kind: ValueKind, change: SettingChange) -> OptionRow {
    row(name, kind, OptionTreatment::Honoured, Set::By(change))
}

pub(super) const fn switch(name: &'static str, field: fn(&mut JobSettings) -> &mut bool) -> OptionRow {
    row(name, ValueKind::Bool, OptionTreatment::Honoured, Set::Field(field))
}

pub(super) const fn flag(name: &'static str, field: fn(&mut JobSettings) -> &mut bool) -> OptionRow {
    row(name, ValueKind::Flag, OptionTreatment::Honoured, Set::Field(field))
}

pub(super) const fn approximated(name: &'static str, kind: ValueKind, change: SettingChange) -> OptionRow {
    row(name, kind, OptionTreatment::Approximated(""), Set::By(change))
}

/// The same where the value changes nothing; `usual` is the one with which fio does the same.
pub(super) const fn ignored(name: &'static str, kind: ValueKind, usual: &'static str) -> OptionRow {
    row(name, kind, OptionTreatment::Approximated(""), Set::Ignored(usual))
}

pub(super) const fn no_effect(name: &'static str, kind: ValueKind, why: &'static str) -> OptionRow {
    row(name, kind, OptionTreatment::NoEffect(why), Set::Ignored(""))
}

/// An option that ends the run before it starts, whatever its value.
pub(super) const fn refused(name: &'static str, kind: ValueKind, why: &'static str) -> OptionRow {
    refused_with(name, kind, |_, _| Err(String::new())).why(why)
}

/// An option that ends the run before it starts, unless its value is fio's default, which asks for nothing.
pub(super) const fn refused_with(name: &'static str, kind: ValueKind, change: SettingChange) -> OptionRow {
    row(name, kind, OptionTreatment::Refused(""), Set::By(change))
}

/// An option that ends the run before it starts, unless its value is zero, `none` or so, which asks for nothing.
pub(super) const fn refused_unless_off(name: &'static str, kind: ValueKind, why: &'static str) -> OptionRow {
    refused_with(name, kind, |_, value| if value.is_off() { Ok(()) } else { Err(String::new()) }).why(why)
}

pub(super) fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

pub(super) fn put_some<T>(place: &mut Option<T>, value: Result<T, String>) -> Result<(), String> {
    put(place, value.map(Some))
}
