//! `${NAME}` in a value: the variable of the environment, or nothing if it is unset.
//!
//! What is put in is not looked through again, so a variable cannot name another. An unfinished `${` stays as it is.

use super::Loader;

/// The value with its variables replaced.
pub(super) fn replace(value: &str, loader: &dyn Loader) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, name, after)) = first(rest) {
        out.push_str(before);
        out.push_str(&loader.variable(name).unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What stands before the first variable, its name, and what follows it.
fn first(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Three;

    impl Loader for Three {
        fn include(&self, _: &str, _: &str) -> Result<String, String> {
            Err("none".to_owned())
        }

        fn variable(&self, name: &str) -> Option<String> {
            match name {
                "FOO" => Some("4k".to_owned()),
                "BAR" => Some("x y".to_owned()),
                "ABOUT" => Some("${FOO}#".to_owned()),
                _ => None,
            }
        }
    }

    #[test]
    fn as_fio_replaces() {
        let rows = [
            ("${FOO}", "4k"),
            ("a${FOO}b${BAR}c${NOPE}d", "a4kbx ycd"),
            ("${NOPE}", ""),
            ("x${}", "x"),
            ("${FOO", "${FOO"),
            ("${ABOUT}", "${FOO}#"),
            ("${${X}}", "}"),
            ("\\${FOO}", "\\4k"),
            ("$FOO", "$FOO"),
            ("${HOME:-x}", ""),
        ];
        for (typed, meant) in rows {
            assert_eq!(replace(typed, &Three), meant, "{typed}");
        }
    }
}
