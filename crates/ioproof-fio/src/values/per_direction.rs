//! One value for reads, one for writes, one for trims.
//!
//! One value is for all three; the second is for writes and, if nothing follows it, for trims too. A comma with nothing beside it keeps the default of
//! its direction, also behind a value: `bs=16k,` changes reads alone. `bs=4k-16k` and `bs=4k:16k` are no ranges: they are read as `4k,16k`.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerDirection<T> {
    pub read: T,
    pub write: T,
    pub trim: T,
}

impl<T: Clone> PerDirection<T> {
    pub fn all(value: T) -> Self {
        Self { read: value.clone(), write: value.clone(), trim: value }
    }
}

impl<T> PerDirection<Option<T>> {
    /// The values that were given, and those from before for the rest.
    pub fn over(self, before: PerDirection<T>) -> PerDirection<T> {
        PerDirection {
            read: self.read.unwrap_or(before.read),
            write: self.write.unwrap_or(before.write),
            trim: self.trim.unwrap_or(before.trim),
        }
    }
}

/// `read,write,trim`, each read by `one`; `None` keeps the default. For ranges see [`ranges_per_direction`].
pub fn per_direction<T: Clone>(text: &str, one: impl Fn(&str) -> Result<T, String>) -> Result<PerDirection<Option<T>>, String> {
    if text.contains(',') || text.trim_start().starts_with(['-', '(']) {
        return spread(text, one);
    }
    match text.split_once([':', '-']) {
        Some((read, rest)) => spread(&format!("{read},{rest}"), one),
        None => spread(text, one),
    }
}

/// `4k-16k,8k-32k`: a range a direction, each read by `one`.
pub fn ranges_per_direction<T: Clone>(text: &str, one: impl Fn(&str) -> Result<T, String>) -> Result<PerDirection<Option<T>>, String> {
    spread(text, one)
}

fn spread<T: Clone>(text: &str, one: impl Fn(&str) -> Result<T, String>) -> Result<PerDirection<Option<T>>, String> {
    let parts: Vec<Option<T>> = text.split(',').map(|part| given(part, &one)).collect::<Result<_, _>>()?;
    if parts.iter().all(Option::is_none) {
        return Err(format!("\"{text}\" has no value; up to three are expected, for reads, writes and trims"));
    }
    match parts.as_slice() {
        [all] => Ok(PerDirection::all(all.clone())),
        [read, write] => Ok(PerDirection { read: read.clone(), write: write.clone(), trim: write.clone() }),
        [read, write, trim] => Ok(PerDirection { read: read.clone(), write: write.clone(), trim: trim.clone() }),
        more => Err(format!("\"{text}\" has {} values; at most three are expected, for reads, writes and trims", more.len())),
    }
}

fn given<T>(part: &str, one: &impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if part.trim().is_empty() { Ok(None) } else { one(part).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::super::{ValueContext, range, size};
    use super::*;

    fn sizes(text: &str) -> Result<(u64, u64, u64), String> {
        let context = ValueContext::default();
        per_direction(text, |one| size(one, &context)).map(|all| all.over(PerDirection::all(1))).map(|all| (all.read, all.write, all.trim))
    }

    #[test]
    fn as_fio_spreads_them() {
        let (k4, k8, k16) = (4096, 8192, 16384);
        #[rustfmt::skip]
        let cases = [
            ("4k", (k4, k4, k4)), ("4k,8k", (k4, k8, k8)), ("4k,8k,16k", (k4, k8, k16)), (",8k", (1, k8, k8)), ("4k,", (k4, 1, 1)),
            (",,8k", (1, 1, k8)), ("4k,,16k", (k4, 1, k16)), (",8k,", (1, k8, 1)), ("4k,8k,", (k4, k8, 1)), ("4k-16k", (k4, k16, k16)),
            ("4k:16k", (k4, k16, k16)), ("(8k-4k)", (k4, k4, k4)), ("4kib,8ki", (4000, k8, k8)),
        ];
        for (text, all) in cases {
            assert_eq!(sizes(text), Ok(all), "{text}");
        }
        for text in ["", ",", ",,", "4k,8k,16k,32k", "4k, 8k", "4k/8k", "-4k"] {
            assert!(sizes(text).is_err(), "{text}: {:?}", sizes(text));
        }
    }

    #[test]
    fn ranges() {
        let context = ValueContext::default();
        let read = |text| ranges_per_direction(text, |one| range(one, &context));
        let (a, b) = (Some((4096, 16384)), Some((1024, 2048)));
        assert_eq!(read("4k-16k"), Ok(PerDirection { read: a, write: a, trim: a }));
        assert_eq!(read("4k:16k,1k:2k"), Ok(PerDirection { read: a, write: b, trim: b }));
        assert_eq!(read("4k-16k,"), Ok(PerDirection { read: a, write: None, trim: None }));
        assert_eq!(read(",1k-2k,"), Ok(PerDirection { read: None, write: b, trim: None }));
    }
}
