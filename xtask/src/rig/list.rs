//! The lists in `rig/guest` that say what the guest is made of: one entry a line, remarks behind `#`.
//!
//! `parts` and `modules` read theirs with it.

/// The lines of a list without remarks and blanks.
pub fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or(line).trim()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_no_entries() {
        assert_eq!(entries("# all\n a # this\n\nboot b\n").collect::<Vec<_>>(), ["a", "boot b"]);
    }
}
