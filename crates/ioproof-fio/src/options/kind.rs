//! Kinds of values: what stands after `=`, for the help and for refusing what no option of this kind can mean.

use super::value::OptionValue;
use crate::command_line::Takes;
use crate::values::TimeUnit;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueKind {
    Flag,
    Bool,
    Whole(i64, i64),
    Wholes(i64, i64),
    Size(u64),
    Sizes(u64),
    Amount,
    Range,
    Ranges,
    /// A time; its unit where none is given.
    Time(TimeUnit),
    Times(TimeUnit),
    TimeRange(TimeUnit),
    Number(f64, f64),
    /// Decimal fractions between colons, at most so many, from, to.
    Numbers(usize, f64, f64),
    Word(&'static [&'static str]),
    Text,
    OptionalText,
    Files,
    Cpus,
    CpuMask,
    Pattern,
    Form(&'static str),
}

pub(super) const MOST: i64 = u32::MAX as i64;

pub(super) const COUNT: ValueKind = ValueKind::Whole(0, MOST);

impl ValueKind {
    pub fn takes(self) -> Takes {
        if self == Self::Flag { Takes::Optional } else { Takes::Value }
    }

    pub fn is_size(self) -> bool {
        matches!(self, Self::Size(_) | Self::Sizes(_) | Self::Amount | Self::Range | Self::Ranges | Self::Form(_))
    }

    pub fn is_time(self) -> bool {
        matches!(self, Self::Time(_) | Self::Times(_) | Self::TimeRange(_))
    }

    pub fn describe(self) -> String {
        let one = |unit: TimeUnit| format!("time ({})", unit_word(unit));
        match self {
            Self::Flag => "nothing, 0 or 1".into(),
            Self::Bool => "0 or 1".into(),
            Self::Whole(0, MOST) => "number".into(),
            Self::Whole(least, MOST) => format!("number from {least}"),
            Self::Whole(least, most) => format!("{least} to {most}"),
            Self::Wholes(least, MOST) => format!("{}, up to three", Self::Whole(least, MOST).describe()),
            Self::Wholes(least, most) => format!("{least} to {most}, up to three"),
            Self::Size(_) => "size".into(),
            Self::Sizes(_) => "size, up to three".into(),
            Self::Amount => "size or percent".into(),
            Self::Range => "size or range".into(),
            Self::Ranges => "range, up to three".into(),
            Self::Time(unit) => one(unit),
            Self::Times(unit) => format!("{}, up to three", one(unit)),
            Self::TimeRange(unit) => format!("{} or range", one(unit)),
            Self::Number(least, most) => format!("{least} to {most}"),
            Self::Numbers(most, ..) => format!("up to {most} numbers between colons"),
            Self::Word(words) => words.join(", "),
            Self::Text => "text".into(),
            Self::OptionalText => "text or nothing".into(),
            Self::Files => "names between colons".into(),
            Self::Cpus => "list of CPUs".into(),
            Self::CpuMask => "mask of CPUs".into(),
            Self::Pattern => "pattern".into(),
            Self::Form(form) => form.into(),
        }
    }

    /// The number that a value means; of words its place in the list.
    pub(super) fn number(self, value: &OptionValue<'_>) -> Option<i128> {
        match self {
            Self::Flag | Self::Bool => value.flag().map(i128::from).ok(),
            Self::Whole(..) => value.whole().map(i128::from).ok(),
            Self::Time(unit) => value.time_ns(unit).map(i128::from).ok(),
            Self::Word(words) => words.iter().position(|word| value.text() == Ok(word)).map(|at| at as i128),
            _ => None,
        }
    }

    pub(super) fn check(self, value: &OptionValue<'_>) -> Result<(), String> {
        match self {
            Self::Flag => value.flag().map(drop),
            Self::Bool => value.bool().map(drop),
            Self::Whole(least, most) => in_range(value.whole()?, least, most),
            Self::Wholes(least, most) => value.each(|text, context| {
                let number = crate::values::integer(text, context)?;
                in_range(number, least, most)
            }),
            Self::Size(least) => in_range(value.size()?, least, u64::MAX),
            Self::Sizes(least) => value.each(|text, context| in_range(crate::values::size(text, context)?, least, u64::MAX)),
            Self::Amount => value.amount().map(drop),
            Self::Range => value.range().map(drop),
            Self::Ranges => value.ranges().map(drop),
            Self::Time(unit) => value.time_ns(unit).map(drop),
            Self::Times(unit) => value.times_ns(unit).map(drop),
            Self::TimeRange(unit) => value.time_range_ns(unit).map(drop),
            Self::Number(least, most) => in_range(value.number()?, least, most),
            Self::Numbers(count, least, most) => value.numbers(count)?.into_iter().try_for_each(|number| in_range(number, least, most)),
            Self::Word(words) => crate::values::word(value.text()?, words).map(drop),
            Self::OptionalText => Ok(()),
            Self::Text | Self::Form(_) => value.text().map(drop),
            Self::Files => value.files().map(drop),
            Self::Cpus => value.cpus().map(drop),
            Self::CpuMask => value.cpu_mask().map(drop),
            Self::Pattern => value.pattern().map(drop),
        }
    }
}

fn in_range<T: PartialOrd + std::fmt::Display>(number: T, least: T, most: T) -> Result<(), String> {
    if number < least {
        return Err(format!("{number} is too small, {least} is the least"));
    }
    if number > most {
        return Err(format!("{number} is too large, {most} is the most"));
    }
    Ok(())
}

fn unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Nanoseconds => "ns",
        TimeUnit::Microseconds => "us",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Seconds => "s",
    }
}
