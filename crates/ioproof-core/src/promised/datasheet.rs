//! Datasheets: reading the claims file of a drive family, and finding the file that a drive belongs to.
//!
//! The format is described in `datasheets/README.md` and yields the types of `claim`; what may be wrong with a file is a
//! `Problem` with its line. Text goes in: which files there are beside the shipped ones is the caller's business, and whether a
//! claim was met is that of `judge`.

mod catalogue;
mod check;
mod glob;
mod link;
mod problem;
mod schema;
mod section;
mod shipped;
mod values;

pub use catalogue::{Catalogue, Matched, superseded, variant_of};
pub use glob::matches as matches_model;
pub use problem::Problem;

use crate::claim::Datasheet;
use problem::Sink;

/// Reads one datasheet file. `file_name` serves the messages, and its stem must equal the datasheet's `name`.
///
/// # Errors
/// Every problem of the file, in the order of its lines. Where the text is no TOML, those of its syntax only.
pub fn parse(file_name: &str, text: &str) -> Result<Datasheet, Vec<Problem>> {
    parse_beside(file_name, text, &Catalogue::default())
}

/// Reads one datasheet file that is to stand beside others: `parse`, and no model may fit its patterns and those of another family.
///
/// # Errors
/// As `parse`.
pub fn parse_beside(file_name: &str, text: &str, others: &Catalogue) -> Result<Datasheet, Vec<Problem>> {
    let mut sink = Sink::new(file_name, text);
    let (document, syntax) = toml::de::DeTable::parse_recoverable(text);
    for error in &syntax {
        sink.syntax(error);
    }
    let sheet = if syntax.is_empty() { schema::datasheet(&document, others, &mut sink) } else { None };
    match (sheet, sink.into_problems()) {
        (Some(sheet), problems) if problems.is_empty() => Ok(sheet),
        (_, problems) => Err(problems),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = r#"
name = "acme-one"
vendor = "Acme"
family = "One"
models = ["ACME ONE*"]
interface = "nvme"

[[variant]]
capacity = "2TB"

[[claim]]
metric = "latency"
value = 12.5
unit = "us"
qualifier = "typical"
pattern = "random"
mix = "70/30"
block_size = "4KiB"
statistic = "p99.9"
capacity = ["2TB"]
source = "the maker"
confidence = "high"
"#;

    #[test]
    fn values_are_stored_in_the_units_of_their_metric() {
        let sheet = parse("acme-one.toml", SMALL).unwrap();
        let claim = &sheet.claims[0];
        assert_eq!((claim.value, claim.read_percent, claim.block_bytes), (12_500.0, 70, 4096));
        assert_eq!(claim.capacities_bytes, [2_000_000_000_000]);
        assert_eq!(sheet.plp, None);
    }

    #[test]
    fn every_problem_is_told_in_the_order_of_lines() {
        let text = SMALL.replace("nvme", "nvm").replace("value = 12.5", "valeu = 12.5").replace("high", "sure");
        let problems = parse("acme-one.toml", &text).unwrap_err();
        let lines: Vec<_> = problems.iter().map(|p| p.line).collect();
        assert_eq!(lines, [6, 11, 13, 22], "{problems:?}");
    }

    #[test]
    fn a_file_without_toml_names_its_line() {
        let problems = parse("x.toml", "name = \"x\"\nvendor = = 3\n").unwrap_err();
        assert_eq!((problems[0].line, problems[0].field.as_str()), (2, ""));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}") {
            let _ = parse("x.toml", &text);
        }

        #[test]
        fn no_cut_or_changed_file_makes_it_panic(at in 0..SMALL.len(), with in "[\\[\\]=\"'#{}.a-z0-9\\n]{0,6}") {
            let text = format!("{}{with}{}", &SMALL[..at], &SMALL[(at + with.len()).min(SMALL.len())..]);
            if let Err(problems) = parse("acme-one.toml", &text) {
                prop_assert!(!problems.is_empty());
                prop_assert!(problems.iter().all(|p| p.line >= 1 && p.line <= text.lines().count() + 1));
            }
        }
    }
}
