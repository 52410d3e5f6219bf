//! The value of an option, read in the way that its row asks for.

use crate::values::{self, Amount, BytePattern, PerDirection, TimeUnit, ValueContext};

#[derive(Debug, Clone, Copy)]
pub struct OptionValue<'a> {
    text: Option<&'a str>,
    pub context: &'a ValueContext,
}

impl<'a> OptionValue<'a> {
    pub fn new(text: Option<&'a str>, context: &'a ValueContext) -> Self {
        Self { text, context }
    }

    pub fn text(&self) -> Result<&'a str, String> {
        self.text.filter(|text| !text.is_empty()).ok_or_else(|| "a value is expected after `=`".to_owned())
    }

    pub fn optional_text(&self) -> Option<&'a str> {
        self.text.filter(|text| !text.is_empty())
    }

    pub fn owned(&self) -> Result<String, String> {
        self.text().map(str::to_owned)
    }

    pub fn is_off(&self) -> bool {
        self.text.is_some_and(|text| matches!(text.trim(), "0" | "none"))
    }

    /// Good if it is this word; else an error without a text, for which the row has one.
    pub(super) fn only(&self, word: &str) -> Result<(), String> {
        if self.text.is_some_and(|text| text.trim() == word) { Ok(()) } else { Err(String::new()) }
    }

    /// 0 or 1; a bare word is 1.
    pub fn flag(&self) -> Result<bool, String> {
        values::flag(self.text)
    }

    pub fn bool(&self) -> Result<bool, String> {
        values::boolean(self.text)
    }

    pub fn whole(&self) -> Result<i64, String> {
        values::integer(self.text()?, self.context)
    }

    pub fn whole_as<T: TryFrom<i64>>(&self) -> Result<T, String> {
        narrow(self.whole()?)
    }

    pub fn wholes<T: TryFrom<i64> + Clone>(&self) -> Result<PerDirection<Option<T>>, String> {
        values::per_direction(self.text()?, |text| narrow(values::integer(text, self.context)?))
    }

    pub(super) fn each(&self, check: impl Fn(&str, &ValueContext) -> Result<(), String>) -> Result<(), String> {
        values::per_direction(self.text()?, |text| check(text, self.context)).map(drop)
    }

    pub fn size(&self) -> Result<u64, String> {
        values::size(self.text()?, self.context)
    }

    pub fn sizes(&self) -> Result<PerDirection<Option<u64>>, String> {
        values::per_direction(self.text()?, |text| values::size(text, self.context))
    }

    pub fn amount(&self) -> Result<Amount, String> {
        values::amount(self.text()?, self.context)
    }

    pub fn range(&self) -> Result<(u64, u64), String> {
        let text = self.text()?;
        if text.contains(['-', ':', ',']) && !text.starts_with('(') {
            return values::range(&text.replacen(',', "-", 1), self.context);
        }
        values::size(text, self.context).map(|bytes| (bytes, bytes))
    }

    pub fn ranges(&self) -> Result<PerDirection<Option<(u64, u64)>>, String> {
        values::ranges_per_direction(self.text()?, |text| values::range(text, self.context))
    }

    pub fn time_ns(&self, unit: TimeUnit) -> Result<u64, String> {
        values::duration_ns(self.text()?, unit, self.context)
    }

    pub fn times_ns(&self, unit: TimeUnit) -> Result<PerDirection<Option<u64>>, String> {
        values::per_direction(self.text()?, |text| values::duration_ns(text, unit, self.context))
    }

    /// A time twice, or two between which one is drawn. Nanoseconds.
    pub fn time_range_ns(&self, unit: TimeUnit) -> Result<(u64, u64), String> {
        values::duration_range_ns(self.text()?, unit, self.context)
    }

    pub fn number(&self) -> Result<f64, String> {
        values::float(self.text()?)
    }

    pub fn numbers(&self, most: usize) -> Result<Vec<f64>, String> {
        values::floats(self.text()?, most)
    }

    pub fn files(&self) -> Result<Vec<String>, String> {
        values::files(self.text()?)
    }

    pub fn cpus(&self) -> Result<Vec<u32>, String> {
        values::cpus(self.text()?).and_then(|list| self.online(list))
    }

    pub fn cpu_mask(&self) -> Result<Vec<u32>, String> {
        values::cpu_mask(self.text()?, self.context).and_then(|list| self.online(list))
    }

    fn online(&self, cpus: Vec<u32>) -> Result<Vec<u32>, String> {
        self.context.online_cpus.map_or(Ok(()), |there| there.check(&cpus, "CPU")).map(|()| cpus)
    }

    /// Refuses a list of memory nodes with one that there is not.
    pub fn has_nodes(&self, list: &str) -> Result<(), String> {
        let nodes = values::cpus(list)?;
        self.context.online_nodes.map_or(Ok(()), |there| there.check(&nodes, "memory node"))
    }

    pub fn pattern(&self) -> Result<BytePattern, String> {
        values::pattern(self.text()?)
    }
}

fn narrow<T: TryFrom<i64>>(number: i64) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("{number} is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_size_is_a_range_too() {
        let context = ValueContext::default();
        let range = |text| OptionValue::new(Some(text), &context).range();
        assert_eq!(range("4k"), Ok((4096, 4096)));
        assert_eq!((range("8k-4k"), range("8k,4k")), (Ok((4096, 8192)), Ok((4096, 8192))));
        assert!(range("4k,8k,16k").is_err() && range("4k-8k,16k").is_err() && range("4k,").is_err());
        assert!(range("").is_err());
    }

    #[test]
    fn a_bare_word_is_a_flag_and_no_value() {
        let context = ValueContext::default();
        let bare = OptionValue::new(None, &context);
        assert_eq!(bare.flag(), Ok(true));
        assert!(bare.bool().is_err() && bare.text().is_err() && !bare.is_off());
        assert!(OptionValue::new(Some(""), &context).text().is_err(), "fio refuses `key=` too");
    }
}
