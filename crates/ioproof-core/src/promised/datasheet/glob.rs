//! Model patterns: `*` is any text, `?` any one character; case does not matter and neither does how many blanks stand together.

/// No drive tells a longer model, and folding one for thousands of patterns takes seconds. Bytes.
const MODEL_BYTES_MAX: usize = 256;

/// True where the pattern describes the whole model.
pub fn matches(pattern: &str, model: &str) -> bool {
    if model.len() > MODEL_BYTES_MAX || differ_early(pattern, model) {
        return false;
    }
    let (pattern, model) = (normal(pattern), normal(model));
    let (mut p, mut m) = (0, 0);
    // Where to go on when a later part does not fit: after the last `*`, with one character more given to it.
    let mut retry: Option<(usize, usize)> = None;
    while m < model.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, m));
                p += 1;
            }
            Some(c) if *c == '?' || *c == model[m] => (p, m) = (p + 1, m + 1),
            _ => match retry {
                Some((after_star, taken)) => {
                    retry = Some((after_star, taken + 1));
                    (p, m) = (after_star, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Closeness with which a pattern describes a model: its characters without `*`.
pub(super) fn closeness(pattern: &str) -> usize {
    normal(pattern).iter().filter(|c| **c != '*').count()
}

/// True where the texts differ before the first blank or wildcard, as most pairs do. It saves folding thousands of patterns.
fn differ_early(a: &str, b: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // By index: every pair of hundreds of patterns is compared, and adapters take most of the time where nothing is optimised.
    for at in 0..a.len().min(b.len()) {
        let (x, y) = (a[at], b[at]);
        if !is_plain(x) || !is_plain(y) {
            return false;
        }
        if x != y && !x.eq_ignore_ascii_case(&y) {
            return true;
        }
    }
    false
}

fn normal(text: &str) -> Vec<char> {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().flat_map(char::to_lowercase).collect()
}

/// True where some model fits both patterns.
pub(super) fn overlap(a: &str, b: &str) -> bool {
    if differ_early(a, b) {
        return false;
    }
    let (a, b) = (normal(a), normal(b));
    let fits = |a: char, b: char| a == '?' || b == '?' || a == b;
    // Most pairs differ before the first `*`.
    let mut fixed = a.iter().zip(&b).take_while(|(x, y)| **x != '*' && **y != '*');
    if !fixed.all(|(x, y)| fits(*x, *y)) {
        return false;
    }
    // Row by row: whether the rest of `a` and the rest of `b` have a text in common.
    let mut below: Vec<bool> = (0..=b.len()).map(|j| b[j..].iter().all(|c| *c == '*')).collect();
    for i in (0..a.len()).rev() {
        let mut row = vec![a[i..].iter().all(|c| *c == '*'); b.len() + 1];
        for j in (0..b.len()).rev() {
            row[j] = match (a[i], b[j]) {
                ('*', _) | (_, '*') => below[j] || row[j + 1],
                (x, y) => fits(x, y) && below[j + 1],
            };
        }
        below = row;
    }
    below[0]
}

/// True where every model of `narrow` fits `wide`, and `narrow` wins: it has more characters of its own.
pub(super) fn is_part_of(narrow: &str, wide: &str) -> bool {
    closeness(narrow) > closeness(wide) && matches(wide, narrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_model_without_regard_to_case_and_blanks() {
        assert!(matches("INTEL SSDPEDMD*", "INTEL SSDPEDMD020T4"));
        assert!(matches("Samsung SSD 980 PRO*", "SAMSUNG  SSD 980 PRO 1TB   "));
        assert!(!matches("Samsung SSD 980 1TB", "Samsung SSD 980 PRO 1TB"));
        assert!(!matches("SSDPEDMD*", "INTEL SSDPEDMD020T4"));
        assert!(matches("*a*b?", "xxaxxabc"));
        assert!(!matches("a?", "a"));
        assert!(matches("", "") && matches("*", "") && !matches("", "a"));
    }

    #[test]
    fn patterns_that_share_a_model_are_known() {
        assert!(overlap("ACME *PRO", "ACME 9*") && overlap("a?c", "ab*") && overlap("A*", "a*") && overlap("*", ""));
        assert!(!overlap("ACME 9*", "ACME 8*") && !overlap("*1TB", "*2TB") && !overlap("a?", "a"));
        assert!(is_part_of("Samsung SSD 970 EVO Plus*", "Samsung SSD 970 EVO*") && is_part_of("a?c*", "a*"));
        assert!(!is_part_of("a*", "a?c*") && !is_part_of("a*", "a*") && !is_part_of("ab?", "abc*"));
    }

    proptest! {
        #[test]
        fn what_fits_two_patterns_is_shared(a in "[*?ab]{0,6}", b in "[*?ab]{0,6}", model in "[ab]{0,6}") {
            prop_assert!(overlap(&a, &b) == overlap(&b, &a));
            prop_assert!(overlap(&a, &b) || !(matches(&a, &model) && matches(&b, &model)));
        }

        #[test]
        fn a_model_matches_itself_and_any_cut_of_it(model in "[A-Za-z0-9 ]{1,24}", at in 0usize..24) {
            let at = at.min(model.len());
            prop_assert!(matches(&model, &model));
            let cut = format!("{}*", &model[..at]);
            prop_assert!(matches(&cut, &model) || model[..at].ends_with(' '));
        }

        #[test]
        fn never_panics(pattern in "[*?ab ß]{0,20}", model in "[ab ß]{0,40}") {
            let _ = matches(&pattern, &model);
        }
    }
}
