//! Lists of files.

/// Names between colons. `\:` is a colon of a name, blanks around the whole are dropped, and so are empty names.
pub fn files(text: &str) -> Result<Vec<String>, String> {
    let mut names = vec![String::new()];
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if_eq(&':').is_some() => push(&mut names, ':'),
            ':' => names.push(String::new()),
            other => push(&mut names, other),
        }
    }
    names.retain(|name| !name.is_empty());
    if names.is_empty() { Err("the name of a file is expected".to_owned()) } else { Ok(names) }
}

fn push(names: &mut [String], letter: char) {
    if let Some(name) = names.last_mut() {
        name.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_cuts_them() {
        #[rustfmt::skip]
        let cases = [
            ("a:b", vec!["a", "b"]), (r"a\:b:c", vec!["a:b", "c"]), (r"a\\:b", vec![r"a\:b"]), (r"F\:\x", vec![r"F:\x"]),
            (":a", vec!["a"]), ("a:", vec!["a"]), ("a::b", vec!["a", "b"]), (" a: b", vec!["a", " b"]),
            ("\"/tmp/x y\"", vec!["\"/tmp/x y\""]),
        ];
        for (text, names) in cases {
            assert_eq!(files(text), Ok(names.into_iter().map(str::to_owned).collect()), "{text}");
        }
        assert!(files("").is_err() && files("::").is_err());
    }
}
