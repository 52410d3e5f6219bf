//! Model patterns: `*` is any text, `?` any one character; case does not matter and neither does how many blanks stand together.

/// True where the pattern describes the whole model.
#[must_use]
pub fn matches(pattern: &str, model: &str) -> bool {
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

fn normal(text: &str) -> Vec<char> {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().flat_map(char::to_lowercase).collect()
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

    proptest! {
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
