//! Pages of the rules, as they stand in docs/rules. They are compiled in, so that `ioproof rules NAME` needs no file; the build script makes the table.

/// Every page, by the name of its rule.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rule_pages.rs"));

pub(super) fn page_of(name: &str) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == name).map(|(_, page)| *page)
}

#[cfg(test)]
mod tests;
