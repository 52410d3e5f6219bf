//! An errno in words.

pub(super) fn errno_text(errno: i32) -> String {
    if errno == 0 {
        return "Success".into();
    }
    let text = std::io::Error::from_raw_os_error(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_errno_in_words() {
        assert_eq!([0, 5, 28].map(super::errno_text), ["Success", "Input/output error", "No space left on device"]);
    }
}
