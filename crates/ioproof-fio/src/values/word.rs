//! One word of several, and the name that was probably meant.

/// One of `words`: its number in the list. Letters are compared as they are; fio takes no other case and no blank before it.
pub fn word(text: &str, words: &[&str]) -> Result<usize, String> {
    words.iter().position(|word| *word == text).ok_or_else(|| {
        let meant = nearest(text.trim(), words.iter().copied()).map(|word| format!("; {word} is perhaps meant")).unwrap_or_default();
        let blank = if text.starts_with(char::is_whitespace) { " (without the blank before it)" } else { "" };
        format!("\"{}\" is none of {}{meant}{blank}", text.trim(), words.join(", "))
    })
}

/// The name nearest to `text` among `names`, if one is near enough to be meant: at most a third of its letters differ.
pub fn nearest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.chars().count() > 64 {
        return None;
    }
    let typed = plain(text);
    names
        .into_iter()
        .map(|name| (distance(&typed, &plain(name)), name))
        .filter(|(apart, name)| *apart <= name.chars().count().div_ceil(3).min(4))
        .min_by_key(|(apart, _)| *apart)
        .map(|(_, name)| name)
}

fn plain(text: &str) -> Vec<char> {
    text.to_lowercase().replace('-', "_").chars().collect()
}

/// Letters to put in, leave out, exchange for others, or swap with their neighbour, to make `b` of `a`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, right) in b.iter().enumerate() {
            let changed = above[j] + usize::from(left != right);
            let least = changed.min(above[j + 1] + 1).min(row[j] + 1);
            let swapped = i > 0 && j > 0 && a[i - 1] == *right && *left == b[j - 1];
            row.push(if swapped { least.min(before[j - 1] + 1) } else { least });
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_of_several() {
        let words = ["read", "write", "randread"];
        assert_eq!(word("write", &words), Ok(1));
        assert!(word("raed", &words).is_err_and(|error| error.contains("; read is perhaps meant")));
        assert!(word("READ", &words).is_err_and(|error| error.contains("; read is perhaps meant")));
        assert!(word(" read", &words).is_err_and(|error| error.contains("blank")));
    }

    #[test]
    fn nearest_names() {
        let names = ["blocksize", "bs", "iodepth", "numjobs", "group_reporting"];
        assert_eq!(nearest("io_depth", names), Some("iodepth"));
        assert_eq!(nearest("numjob", names), Some("numjobs"));
        assert_eq!(nearest("GROUP-REPORTING", names), Some("group_reporting"));
        assert_eq!(nearest("blcoksize", names), Some("blocksize"));
        assert_eq!(nearest("unheard", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn distances() {
        let apart = |a: &str, b: &str| distance(&plain(a), &plain(b));
        assert_eq!([apart("", "abc"), apart("abc", ""), apart("abcd", "abdc"), apart("kitten", "sitting")], [3, 3, 1, 3]);
    }
}
