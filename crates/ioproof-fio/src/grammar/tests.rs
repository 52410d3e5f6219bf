//! Whole job files, with what fio 3.33 makes of them.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

struct IncludedFiles(BTreeMap<&'static str, &'static str>);

impl Loader for IncludedFiles {
    fn include(&self, name: &str, _: &str) -> Result<String, String> {
        self.0.get(name).map(|text| (*text).to_owned()).ok_or_else(|| format!("{name}: no such file"))
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "SIZE").then(|| "7m".to_owned())
    }
}

fn files(all: &[(&'static str, &'static str)]) -> IncludedFiles {
    IncludedFiles(all.iter().copied().collect())
}

fn shown(name: &str, text: &str, loader: &dyn Loader) -> Result<Vec<String>, Vec<String>> {
    let word = |typed: &TypedOption| match &typed.value {
        Some(value) => format!(" {}={value}", typed.key),
        None => format!(" {}", typed.key),
    };
    let section = |section: &JobSection| format!("{}:{}", section.name, section.options.iter().map(word).collect::<String>());
    parse(name, text, loader).map(|all| all.iter().map(section).collect()).map_err(|all| all.iter().map(ToString::to_string).collect())
}

#[test]
fn a_plain_file() {
    let text = "\u{feff}; head\n[global]\r\nioengine=libaio ; engine\r\n\n[a b]\nsize=${SIZE}\nstonewall\n[global]\nbs=8k\n[]\n[c]";
    let want = ["global: ioengine=libaio", "a b: size=7m stonewall", "global: bs=8k", ":", "c:"];
    assert_eq!(shown("j.fio", text, &files(&[])).unwrap(), want);
}

#[test]
fn places_are_those_of_the_lines() {
    let loader = files(&[("inc", "#\nbs=1k\n")]);
    let sections = parse("j.fio", "\n[a]\ninclude inc\nsize=1m\n", &loader).unwrap();
    let places: Vec<String> = sections[0].options.iter().map(|typed| typed.place.to_string()).collect();
    assert_eq!((sections[0].place.to_string().as_str(), places), ("j.fio:2", vec!["inc:2".to_owned(), "j.fio:4".to_owned()]));
}

#[test]
fn all_complaints_come_together() {
    let text = "bs=8k\n[x]y\nbs=4k\n=4\ninclude nope\nsize=1m\0\n";
    let problems = shown("j.fio", text, &files(&[])).unwrap_err();
    assert_eq!(
        problems.iter().map(|one| one[..8].to_owned()).collect::<Vec<_>>(),
        ["j.fio:1:", "j.fio:2:", "j.fio:4:", "j.fio:5:", "j.fio:6:"]
    );
    assert!(problems[0].contains("before the first section") && problems[0].contains("[global]"), "{}", problems[0]);
}

#[test]
fn an_included_file_is_sought_as_named_then_beside() {
    let both = files(&[("c", "bs=1k"), ("d/c", "bs=2k")]);
    assert_eq!(shown("d/j", "[j]\ninclude c", &both).unwrap(), ["j: bs=1k"]);
    let nested = files(&[("d/sub/b", "include c\nthread"), ("d/sub/c", "bs=2k")]);
    assert_eq!(shown("d/j", "[j]\ninclude sub/b\nloops=2", &nested).unwrap(), ["j: bs=2k thread loops=2"]);
    assert_eq!(shown("j", "[j]\ninclude sub/b", &nested).unwrap_err(), ["j:2: sub/b: no such file"]);
}

#[test]
fn an_included_file_has_neither_sections_nor_itself() {
    let loader = files(&[("sect", "[x]\nsize=2m"), ("self", "include self\n"), ("two", "include three"), ("three", "include two")]);
    assert!(shown("j", "[j]\ninclude sect", &loader).unwrap_err()[0].starts_with("sect:1: an included file has no sections"));
    assert_eq!(shown("j", "[j]\ninclude self", &loader).unwrap_err(), ["self:1: self includes itself"]);
    assert_eq!(shown("j", "[j]\ninclude two", &loader).unwrap_err(), ["three:1: two includes itself"]);
    assert!(shown("j", "include sect\n[j]", &loader).unwrap_err()[0].contains("before the first section"));
}

struct Endless;

impl Loader for Endless {
    fn include(&self, name: &str, _: &str) -> Result<String, String> {
        Ok(format!("include {name}a\ninclude {name}b\n"))
    }

    fn variable(&self, _: &str) -> Option<String> {
        Some("${X}".to_owned())
    }
}

#[test]
fn files_without_end_come_to_an_end() {
    let problems = parse("j", "[j]\ninclude x\nsize=${X}", &Endless).unwrap_err();
    assert!(problems.iter().all(|one| one.text.contains("too many files")));
}

#[test]
fn a_long_line_is_read_whole() {
    let text = format!("[j]\ndescription={}\nthread", "a".repeat(100_000));
    let sections = parse("j", &text, &files(&[])).unwrap();
    assert_eq!((sections[0].options[0].value.as_ref().map(String::len), sections[0].options.len()), (Some(100_000), 2));
}

const REAL: &str = "[global]\nioengine=libaio\nbs=4k,8k ; x\n[job one]\nrw=randread:8\nfilename=/dev/a\\:b:/dev/c\ninclude inc\nthread\n";

fn holds(text: &str) -> Result<(), TestCaseError> {
    let lines = text.split('\n').count();
    match parse("j", text, &files(&[("inc", "bs=1k")])) {
        Ok(sections) => prop_assert!(sections.len() <= lines),
        Err(problems) => {
            prop_assert!(!problems.is_empty());
            for problem in problems {
                prop_assert!(problem.place.is_some_and(|place| (1..=lines).contains(&(place.line as usize))));
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        holds(&text)?;
    }

    #[test]
    fn mutated_files_are_read_or_refused(at in 0..REAL.len(), put in "[\\[\\]=;#$\\{\\}\n\r\0a ]{0,4}", cut in 0usize..9) {
        let mut text = REAL.as_bytes().to_vec();
        let end = (at + cut).min(text.len());
        text.splice(at..end, put.bytes());
        holds(&String::from_utf8_lossy(&text))?;
    }
}

#[test]
fn a_file_that_is_no_job_file_ends_the_reading_at_its_line() {
    let wrong = |text: &str, loader: &dyn Loader| shown("j.fio", text, loader).unwrap_err();
    let none = files(&[]);
    let line = wrong(&format!("[a]\nfilename={}\nx\n", "n".repeat(1 << 20)), &none);
    assert!(line.len() == 1 && line[0].starts_with("j.fio:2: the line is longer than 256 KiB"), "{line:?}");
    let options = wrong(&format!("[a]\n{}", "bs=4k\n".repeat(200_000)), &none);
    assert!(options.len() == 1 && options[0].contains(":100002: there are more than 100000 options"), "{options:?}");
    assert_eq!(wrong(&"x\n".repeat(100_000), &none).len(), 1000);
    let part: &'static str = ";".repeat(1 << 20).leak();
    let lines: &'static str = format!("{}\n", &part[..1000]).repeat(1000).leak();
    let sum = wrong(&format!("[a]\n{}", "include part\n".repeat(50)), &files(&[("part", lines)]));
    assert!(sum.len() == 1 && sum[0].contains("more than 16 MiB of text"), "{sum:?}");
    let name = wrong(&format!("[{}]y\n", "n".repeat(60_000)), &none);
    assert!(name[0].len() < 200, "{name:?}");
}
