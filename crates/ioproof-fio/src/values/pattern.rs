//! Patterns of bytes: `0xdeadbeef`, `"text"`, decimal numbers, `%o`, one after the other in any mixture.

const MOST: usize = 512;

const OFFSET: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BytePattern {
    pub bytes: Vec<u8>,
    /// Where in `bytes` the block's own offset (`%o`, eight bytes, little end first) goes.
    pub offsets: Vec<usize>,
}

/// A pattern. Whether `%o` may stand in it is the option's business (`verify_pattern` takes it, `buffer_pattern` does not).
pub fn pattern(text: &str) -> Result<BytePattern, String> {
    let mut made = BytePattern::default();
    let mut rest = text;
    while !rest.is_empty() {
        rest = piece(rest, &mut made)?;
        if made.bytes.len() > MOST {
            return Err(format!("a pattern has at most {MOST} bytes"));
        }
    }
    if made.bytes.is_empty() { Err("a pattern is expected, such as 0xdeadbeef, \"text\" or 255".to_owned()) } else { Ok(made) }
}

fn piece<'a>(text: &'a str, made: &mut BytePattern) -> Result<&'a str, String> {
    if let Some(rest) = text.strip_prefix('"') {
        let (quoted, rest) = rest.split_once('"').ok_or("the closing \" of the pattern is missing")?;
        made.bytes.extend_from_slice(quoted.as_bytes());
        return Ok(rest);
    }
    if let Some(rest) = text.strip_prefix("%o") {
        made.offsets.push(made.bytes.len());
        made.bytes.extend([0; OFFSET]);
        return Ok(rest);
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return hexadecimal(hex, &mut made.bytes);
    }
    if text.starts_with('\'') {
        return Err("a pattern from a file ('name') is not read; write its bytes as 0x..".to_owned());
    }
    decimal(text, &mut made.bytes)
}

/// Two digits a byte in the order as written; an odd one stands alone in the first byte.
fn hexadecimal<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Result<&'a str, String> {
    let end = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
    // In 0xde0xad the second 0 begins a number.
    let next =
        text.get(end..).is_some_and(|rest| rest.starts_with(['x', 'X'])) && text.get(..end).is_some_and(|digits| digits.ends_with('0'));
    let (digits, rest) = text.split_at(end - usize::from(next));
    if digits.is_empty() {
        return Err("hexadecimal digits are expected after 0x".to_owned());
    }
    let padded = format!("{}{digits}", if digits.len() % 2 == 1 { "0" } else { "" });
    let pairs = padded.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    bytes.extend(pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()));
    Ok(rest)
}

/// A number of 32 bits, little end first, without the bytes of zero at its end.
fn decimal<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Result<&'a str, String> {
    let body = text.trim_start();
    let unsigned = body.strip_prefix(['-', '+']).unwrap_or(body);
    let end = body.len() - unsigned.len() + unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    // In -120xdeadface the 0 begins the next number.
    let next = body[end..].starts_with(['x', 'X']) && body[..end].len() > 1 && body[..end].ends_with('0');
    let (digits, rest) = body.split_at(end - usize::from(next));
    let number: i32 =
        digits.parse().map_err(|_| format!("\"{body}\" is no pattern; 0x.., \"text\", a number of 32 bits or %o is expected"))?;
    let all = number.to_le_bytes();
    let used = all.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
    bytes.extend(all.iter().take(used));
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Option<String> {
        pattern(text).ok().map(|made| made.bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    #[test]
    fn as_fio_makes_them() {
        #[rustfmt::skip]
        let cases = [
            ("0xdeadbeef", "deadbeef"), ("\"text\"", "74657874"), ("255", "ff"), ("256", "0001"), ("65536", "000001"), ("0", "00"),
            ("-1", "ffffffff"), ("-129", "7fffffff"), ("2147483647", "ffffff7f"),
            ("\"abcd\"-12\"efgh\"0xde", "61626364f4ffffff65666768de"), ("0x1", "01"), ("0x123", "0123"), ("0xDE0Xad", "dead"),
            ("0xde0xad", "dead"), ("0x0001", "0001"), ("1 2", "0102"), ("\"a\"0x0", "6100"), ("12\"x\"", "0c78"), ("010", "0a"),
            ("\"%o\"", "256f"), ("\"abcd\"-120xdeadface", "61626364f4ffffffdeadface"),
        ];
        for (text, bytes) in cases {
            assert_eq!(hex(text).as_deref(), Some(bytes), "{text}");
        }
        for text in ["", "\"\"", "abc", "\"a", "0x", "1,2", "2147483648", "-0x1", "0xff 0x11", "0xfg", "%x", "'file'"] {
            assert_eq!(hex(text), None, "{text}");
        }
        assert!(pattern(&format!("0x{}", "ab".repeat(513))).is_err() && pattern(&format!("0x{}", "ab".repeat(512))).is_ok());
    }

    #[test]
    fn offsets() {
        let made = pattern("0xff%o\"a\"%o").unwrap_or_default();
        assert_eq!((made.bytes.len(), made.offsets), (18, vec![1, 10]));
    }
}
