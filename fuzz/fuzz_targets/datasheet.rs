//! Any text is either a datasheet or a list of problems that point into it; reading a datasheet never panics.

#![no_main]

use ioproof_core::datasheet::{Catalogue, parse, superseded};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match parse("fuzz.toml", text) {
    Ok(sheet) => {
        let capacity = sheet.variants.first().map(|variant| variant.capacity_bytes);
        let first = superseded(&sheet, 0, capacity);
        assert!(!first || sheet.claims.len() > 1, "a claim gives way to another one only");
        let catalogue = Catalogue::new([sheet]);
        let _ = catalogue.match_drive(text, capacity.unwrap_or(0));
    }
    Err(problems) => {
        assert!(!problems.is_empty(), "what is no datasheet has a problem");
        let lines = text.matches('\n').count() + 1;
        assert!(problems.iter().all(|p| (1..=lines).contains(&p.line)), "problems point into the text");
    }
});
