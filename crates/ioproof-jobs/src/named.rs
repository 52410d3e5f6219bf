//! Names in a sentence: the first few, and how many more there are.

const MOST: usize = 8;

/// `a, b and 3 more`.
pub fn named<S: AsRef<str>>(all: &[S]) -> String {
    let named = all.iter().take(MOST).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MOST) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_few_are_named() {
        let all: Vec<String> = (1..=10).map(|n| n.to_string()).collect();
        assert_eq!([named(&all[..8]), named(&all)], ["1, 2, 3, 4, 5, 6, 7, 8", "1, 2, 3, 4, 5, 6, 7, 8 and 2 more"]);
    }
}
