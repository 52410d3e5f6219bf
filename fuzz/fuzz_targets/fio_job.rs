//! Any text is either sections of a job file or complaints that name lines of it; no value in it makes a reader of values panic.

#![no_main]

use ioproof_fio::grammar::{Loader, parse};
use ioproof_fio::values::{self, TimeUnit, ValueContext};
use libfuzzer_sys::fuzz_target;

/// Every included file has the same text, and every variable is set.
struct Same<'a>(&'a str);

impl Loader for Same<'_> {
    fn include(&self, name: &str, _from: &str) -> Result<String, String> {
        if name.len() < 4 { Ok(self.0.to_owned()) } else { Err(format!("{name}: no such file")) }
    }

    fn variable(&self, name: &str) -> Option<String> {
        Some(name.to_owned())
    }
}

fuzz_target!(|text: &str| {
    let lines = text.split('\n').count();
    match parse("j", text, &Same("bs=1k\nthread\n")) {
        Ok(sections) => {
            assert!(sections.len() <= lines);
            sections.iter().flat_map(|section| &section.options).filter_map(|option| option.value.as_deref()).for_each(read_value);
        }
        Err(complaints) => {
            assert!(!complaints.is_empty());
            assert!(complaints.iter().all(|one| one.place.as_ref().is_some_and(|place| place.line >= 1)));
        }
    }
});

/// The value is read as every kind; each gives a value or a sentence.
fn read_value(text: &str) {
    let context = ValueContext::default();
    let _ = values::integer(text, &context);
    let _ = values::duration_range_ns(text, TimeUnit::Seconds, &context);
    let _ = values::ranges_per_direction(text, |one| values::range(one, &context));
    let _ = values::per_direction(text, |one| values::amount(one, &context));
    let _ = values::floats(text, 20);
    let _ = values::files(text);
    let _ = values::pattern(text);
    let _ = values::rw(text, &context);
    let _ = values::cpus(text);
    let _ = values::cpu_mask(text, &context);
    if let Ok(all) = values::splits(text, &context) {
        let whole = |list: &[values::BlockSplit]| list.is_empty() || list.iter().map(|split| split.percent).sum::<u32>() == 100;
        assert!([all.read, all.write, all.trim].iter().all(|list| whole(list)), "shares of {text} make 100");
    }
    let _ = values::distribution(text, &context);
}
