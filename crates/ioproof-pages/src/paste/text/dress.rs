//! Takes off what a mailer, a program or a log put around every line of a text: the soft line ends of quoted-printable, quotation marks of strings, names of writers, the `+` of a diff,
//! time stamps.
//!
//! Each is taken off only where most lines have it, so that a single line that looks alike stays as it is. The number of a line stays that of the file.

use super::literals::unpacked;
use std::borrow::Cow;

type NumberedLine<'a> = (usize, Cow<'a, str>);

/// Least lines that must have a dress.
const LINES_MIN: usize = 3;

pub(super) fn undressed(text: &str) -> Vec<NumberedLine<'_>> {
    let mut lines: Vec<NumberedLine> =
        text.split('\n').enumerate().map(|(at, line)| (at + 1, Cow::Borrowed(line.strip_suffix('\r').unwrap_or(line)))).collect();
    if is_encoded(&lines) {
        lines = decoded(&lines);
    }
    lines = unpacked(lines);
    // A prefix may stand before another: `smart.txt:12:`.
    for _ in 0..2 {
        if let Some(prefix) = common_prefix(&lines) {
            strip(&mut lines, |line| Some(without_prefix(line, &prefix)?.to_owned()));
        }
        if are_numbered(&lines) {
            strip(&mut lines, |line| Some(after_number(line)?.1.to_owned()));
        }
    }
    if share(&lines, is_string) >= 0.6 && !lines.iter().any(|(_, line)| line.trim_start().starts_with('{')) {
        strip(&mut lines, |line| string(line).map(str::to_owned));
    }
    if share(&lines, |line| cited(line).is_some()) >= 0.3 {
        strip(&mut lines, |line| cited(line).map(str::to_owned));
    }
    if share(&lines, |line| line.starts_with('+')) >= 0.8 {
        strip(&mut lines, |line| line.strip_prefix('+').map(str::to_owned));
    }
    if share(&lines, |line| after_stamp(line).is_some()) >= 0.5 {
        strip(&mut lines, |line| after_stamp(line).map(str::to_owned));
    }
    lines
}

/// Share of the lines from which on a prefix is of all of them.
const NEARLY_ALL: f64 = 0.9;

/// The mark before nearly every line: a comment sign, an item of a list, `<name>`, the name of a file.
fn common_prefix(lines: &[NumberedLine]) -> Option<String> {
    const BYTES_MAX: usize = 40;
    const MARKS: [&str; 6] = ["#", "//", ";", "*", "-", "%"];
    let first = lines.iter().map(|(_, line)| line.trim_start()).find(|line| !line.is_empty())?;
    let end = first.find([' ', '\t']).unwrap_or(first.len());
    let file = first[..end].find(':').map(|colon| &first[..=colon]).filter(|name| name.contains(['.', '/']));
    let is_mark = |word: &&str| MARKS.contains(word) || word.starts_with('<') && word.ends_with('>');
    let prefix = file.or(Some(&first[..end]).filter(is_mark))?;
    let is_common = prefix.len() <= BYTES_MAX && share(lines, |line| without_prefix(line, prefix).is_some()) >= NEARLY_ALL;
    is_common.then(|| prefix.to_owned())
}

fn without_prefix<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(prefix)?;
    // `#` is not the beginning of `##`.
    (prefix.ends_with(':') || rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

/// True for lines that a program numbered: `12: text`, `12. text`, `12<tab>text`.
fn are_numbered(lines: &[NumberedLine]) -> bool {
    let numbers: Vec<usize> = lines.iter().filter_map(|(_, line)| Some(after_number(line)?.0)).collect();
    let in_order = numbers.windows(2).filter(|pair| pair[1] > pair[0] && pair[1] - pair[0] <= 3).count();
    share(lines, |line| after_number(line).is_some()) >= NEARLY_ALL && in_order as f64 >= NEARLY_ALL * (numbers.len() - 1) as f64
}

fn after_number(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let rest = line[digits..].strip_prefix([':', '.', '\t', '|']).or(Some("").filter(|_| digits == line.len()))?;
    Some((line[..digits].parse().ok()?, rest))
}

/// Share of the lines that are not empty; 0 where few are.
fn share(lines: &[NumberedLine], has: impl Fn(&str) -> bool) -> f64 {
    let all = lines.iter().filter(|(_, line)| !line.trim().is_empty()).count();
    let dressed = lines.iter().filter(|(_, line)| has(line)).count();
    if dressed < LINES_MIN { 0.0 } else { dressed as f64 / all as f64 }
}

fn strip(lines: &mut [NumberedLine], stripped: impl Fn(&str) -> Option<String>) {
    for (_, line) in lines {
        if let Some(plain) = stripped(line) {
            *line = Cow::Owned(plain);
        }
    }
}

/// True for quoted-printable: several soft line ends, or one beside codes of its own signs: `=3D`, and `=20` at a line's end.
fn is_encoded(lines: &[NumberedLine]) -> bool {
    let count = |is: fn(&str) -> bool| lines.iter().filter(|(_, line)| is(line)).take(LINES_MIN).count();
    let soft = count(has_soft_end);
    soft >= LINES_MIN || soft > 0 && soft + count(|line| line.contains("=3D") || line.ends_with("=20")) >= LINES_MIN
}

/// `... Always       =`: a line end of quoted-printable that is none of the text (RFC 2045, clause 6.7).
fn has_soft_end(line: &str) -> bool {
    line.len() > 20 && line.strip_suffix('=').is_some_and(|rest| !rest.ends_with('='))
}

/// Lines with their codes as bytes. A character may be cut by a soft end, and a coded line end (`=0A=`) ends a line.
fn decoded<'a>(lines: &[NumberedLine<'a>]) -> Vec<NumberedLine<'a>> {
    let mut found: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in lines {
        let (own, soft) = line.strip_suffix('=').filter(|rest| !rest.ends_with('=')).map_or((&**line, false), |rest| (rest, true));
        // The quotation mark of the second part is no part of the line.
        let own = if goes_on { own.trim_start_matches(['>', '|']) } else { own };
        match found.last_mut().filter(|_| goes_on) {
            Some((first, before)) if before.is_empty() => *first = *number,
            Some(_) => {}
            None => found.push((*number, Vec::new())),
        }
        for (at, part) in plain_bytes(own).split(|byte| *byte == b'\n').enumerate() {
            if at > 0 {
                found.push((*number, Vec::new()));
            }
            found.iter_mut().last().into_iter().for_each(|(_, line)| line.extend(part));
        }
        goes_on = soft;
    }
    found.into_iter().map(|(number, bytes)| (number, Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))).collect()
}

/// The bytes of a line, each code of two hexadecimal digits (`=3D`) being one.
fn plain_bytes(line: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code =
            after.get(..2).filter(|_| *first == b'=').and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes
}

fn is_string(line: &str) -> bool {
    string(line).is_some()
}

/// The text of `"text",` or `'text\n'`.
fn string(line: &str) -> Option<&str> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let inner = line[1..].trim_end_matches([',', ';', '+', ' ']).strip_suffix(mark)?;
    let plain = inner.strip_suffix("\\n").unwrap_or(inner);
    (!plain.contains("\": ")).then_some(plain)
}

/// The text of `Jo> text`, where a mailer quotes with the writer's name.
fn cited(line: &str) -> Option<&str> {
    const NAME_BYTES_MAX: usize = 20;
    let (name, rest) = line.split_once('>')?;
    let is_name = (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then_some(rest)
}

/// Rest of a line after the time stamp of a log: `2023-05-01T12:00:00Z x`, `[2023-05-01 12:00:00] x`, `May  1 12:00:00 host smartd[1]: x`.
fn after_stamp(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let bare = line.strip_prefix('[').unwrap_or(line);
    let shape = |text: &str, shape: &str| {
        text.len() >= shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(own, wanted)| if wanted == b'0' { own.is_ascii_digit() } else { wanted == b'?' || own == wanted })
    };
    if shape(bare, "0000-00-00?00:00:00") {
        let rest = bare.get(19..)?;
        let end = rest.find([' ', ']', '\t']).unwrap_or(rest.len());
        return Some(rest[end..].trim_start_matches([']', ' ', ':']));
    }
    if shape(bare, "00:00:00") {
        let end = bare.find([' ', '\t']).unwrap_or(bare.len());
        return Some(bare[end..].trim_start());
    }
    // `[   12.345678] x` and `[Mon May  2 03:36:24 2022] x`, as dmesg prints them.
    if let Some((_, rest)) = bare.split_once(']').filter(|(clock, _)| bare.len() < line.len() && is_clock(clock)) {
        return Some(rest.trim_start());
    }
    let (month, day) = line.split_at_checked(3)?;
    let is_month = month.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_syslog = is_month && (shape(day, " 00 00:00:00 ") || shape(day, "  0 00:00:00 "));
    let rest = day.get(13..).filter(|_| is_syslog)?;
    Some(rest.split_once(": ").map_or("", |(_, said)| said))
}

/// Seconds since something, or a date with its clock.
fn is_clock(text: &str) -> bool {
    const DATE_BYTES: usize = 24;
    let is_date = text.len() == DATE_BYTES && [13, 16].iter().all(|at| text.as_bytes()[*at] == b':');
    is_date || text.contains('.') && text.trim_start().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<(usize, String)> {
        undressed(text).into_iter().map(|(number, line)| (number, line.into_owned())).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        plain(text).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn quoted_printable_is_decoded_where_several_lines_end_softly() {
        let row = |id: u32| format!("{id} Reallocated_Sector_Ct   0x0033   100   Always      =\n -       {id}\n");
        let mail = format!("=3D=3D=3D START =C2=A0\n{}{}{}", row(5), row(6), row(7));
        let read = plain(&mail);
        assert_eq!(read[0], (1, "=== START \u{a0}".to_owned()));
        assert_eq!(read[1], (2, "5 Reallocated_Sector_Ct   0x0033   100   Always       -       5".to_owned()));
        assert_eq!(read[3].0, 6);
        let cut = texts(&format!("a=20b=0A=\nc =C2=\n=A0 d\n{}{}{}", row(5), row(6), row(7)));
        assert_eq!(cut[..2], ["a b", "c \u{a0} d"]);
        assert_eq!(texts(&format!("Model: M   =20\nsize with M =3D 1000\n{}", row(5)))[..2], ["Model: M    ", "size with M = 1000"]);
        let once = row(5);
        assert_eq!(texts(&once)[0], once.lines().next().unwrap_or_default(), "one such line is no encoding");
    }

    #[test]
    fn strings_lists_and_escaped_line_ends_are_lines() {
        let wanted = ["smartctl 7.2 [x]", "a: 1", "b: 2", "c: 3"];
        assert_eq!(texts("\"smartctl 7.2 [x]\",\n'a: 1\\n',\n\"b: 2\"\n\"c: 3\","), wanted);
        assert_eq!(texts("['smartctl 7.2 [x]', 'a: 1', 'b: 2', 'c: 3']"), wanted);
        assert_eq!(texts("\"smartctl 7.2 [x]\\na: 1\\nb: 2\\nc: 3\""), wanted);
        assert!(plain("['a', 'b', 'c', 'd']").iter().all(|(number, _)| *number == 1));
        let json = "{\n\"argv\": [\n\"smartctl\",\n\"-a\",\n\"-j\",\n\"x\"\n]}";
        assert_eq!(texts(json).join("\n"), json);
    }

    #[test]
    fn a_mark_or_a_number_before_every_line_goes() {
        assert_eq!(texts("# a: 1\n#\n# # 1  b\n# c"), [" a: 1", "", " # 1  b", " c"]);
        assert_eq!(texts("// a\n// b\n// c"), [" a", " b", " c"]);
        assert_eq!(texts("x.txt:1:a\nx.txt:2:  b\nx.txt:3:c"), ["a", "  b", "c"]);
        assert_eq!(texts("     1\ta\n     2\tb\n     3\tc"), ["a", "b", "c"]);
        for text in [
            "5 a\n9 b\n12 c",
            "1. a\n5. b\n197. c",
            "a: 1\na: 2\na: 3",
            "# a\nb\n# c\nd",
            "Device: /dev/a, x\nDevice: /dev/a, y\nDevice: /dev/a, z",
        ] {
            assert_eq!(texts(text).join("\n"), text);
        }
    }

    #[test]
    fn stamps_and_marks_of_a_diff_go_where_most_lines_have_them() {
        assert_eq!(texts("+a\n+b\n+c"), ["a", "b", "c"]);
        assert_eq!(texts("+a\nb\nc\n+d\n+e"), ["+a", "b", "c", "+d", "+e"]);
        assert_eq!(texts("Jo> a: 1\nJo>   b\nyes\nJo> c"), [" a: 1", "   b", "yes", " c"]);
        assert_eq!(texts("2023-05-01T12:00:00Z a\n[2023-05-01 12:00:01] b: 1\nMay  1 12:00:02 nas smartd[9]: c"), ["a", "b: 1", "c"]);
        assert_eq!(texts("12:00:01 a\n12:00:01 b: 1\n[   12.345678] c"), ["a", "b: 1", "c"]);
        assert_eq!(texts("2023-05-01 12:00:00 a\nb\nc"), ["2023-05-01 12:00:00 a", "b", "c"]);
    }
}
