//! Any text is either pages of drives or an error that names a line; every field says where in the text it stands, and the drives are judged without a panic.

#![no_main]

use ioproof_pages::health::{Admission, HealthState, admit, judge};
use ioproof_pages::paste;
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

fuzz_target!(|text: &str| match paste::read(text) {
    Ok(pages) => {
        assert!(!pages.is_empty(), "what is read has pages");
        let lines = text.matches('\n').count() + 1;
        for page in &pages {
            let mut keys = HashSet::new();
            assert!(page.fields.iter().all(|field| keys.insert(&field.key)), "{} has a key twice", page.name);
            for field in &page.fields {
                let line = field.source.rsplit(' ').next().and_then(|line| line.parse::<usize>().ok());
                assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "{}", field.source);
            }
        }
        for drive in paste::drives(&pages) {
            let _ = paste::facts(&drive);
            assert_eq!(admit(&drive, Admission::Healthy).is_ok(), judge("", &drive).state == HealthState::Ok);
        }
    }
    Err(error) => assert!(error.to_string().starts_with("line "), "{error}"),
});
