//! Hexadecimal digits of a fixed number of bytes.

/// Two lower-case digits a byte.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that so many digits stand for; nothing else may be there, but upper case may.
pub(crate) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_as_they_were_written() {
        assert_eq!(digits(&[0, 0x7f, 0xab]), "007fab");
        assert_eq!(bytes("007FaB"), Some([0, 0x7f, 0xab]));
        for wrong in ["", "007fa", "007fab0", "007fax", "+07fab", "007fa\u{e9}", " 07fab"] {
            assert_eq!(bytes::<3>(wrong), None, "{wrong}");
        }
    }
}
