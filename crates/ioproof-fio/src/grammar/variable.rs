//! `${NAME}` in a value: the variable of the environment, or nothing if it is unset.
//!
//! A value is not looked through again once it is put in, so a variable cannot name another. An unfinished `${` stays as it is.

use super::section::Loader;
use crate::complaint::SourcePlace;
use crate::limits::LINE_BYTES;

/// The value that stands at `place` with its variables replaced.
///
/// # Errors
/// When it becomes longer than any line may be.
pub(super) fn replace(value: &str, place: &SourcePlace, loader: &dyn Loader) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, name, after)) = first(rest) {
        out.push_str(before);
        match loader.variable(name) {
            Some(text) => out.push_str(&text),
            None => loader.unset(name, place),
        }
        if out.len() > LINE_BYTES {
            return Err(format!("with its variables replaced the value is longer than {} KiB", LINE_BYTES >> 10));
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn first(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[derive(Default)]
    struct Three {
        unset: RefCell<Vec<(String, u32)>>,
    }

    impl Loader for Three {
        fn variable(&self, name: &str) -> Option<String> {
            match name {
                "EMPTY" => Some(String::new()),
                "FOO" => Some("4k".to_owned()),
                "BAR" => Some("x y".to_owned()),
                "ABOUT" => Some("${FOO}#".to_owned()),
                _ => None,
            }
        }

        fn unset(&self, name: &str, place: &SourcePlace) {
            self.unset.borrow_mut().push((name.to_owned(), place.line));
        }
    }

    #[test]
    fn as_fio_replaces() {
        #[rustfmt::skip]
        let rows = [
            ("${FOO}", "4k"), ("a${FOO}b${BAR}c${NOPE}d", "a4kbx ycd"), ("${NOPE}", ""), ("x${}", "x"), ("${FOO", "${FOO"),
            ("${ABOUT}", "${FOO}#"), ("${${X}}", "}"), ("\\${FOO}", "\\4k"), ("$FOO", "$FOO"), ("${HOME:-x}", ""),
        ];
        for (typed, meant) in rows {
            assert_eq!(replace(typed, &SourcePlace::new("j", 1), &Three::default()).as_deref(), Ok(meant), "{typed}");
        }
    }

    #[test]
    fn a_value_that_grows_without_end_is_refused() {
        let long = "${BAR}".repeat(100_000);
        assert!(replace(&long, &SourcePlace::new("j", 1), &Three::default()).is_err_and(|error| error.contains("256 KiB")));
    }

    #[test]
    fn what_is_unset_is_told_with_its_line() {
        let three = Three::default();
        assert_eq!(replace("${FOO}${NOPE}${EMPTY}${X}", &SourcePlace::new("j", 7), &three).as_deref(), Ok("4k"));
        assert_eq!(three.unset.take(), [("NOPE".to_owned(), 7), ("X".to_owned(), 7)]);
    }
}
