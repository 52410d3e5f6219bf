//! The files of `pages/DRIVE`: one an answer, named after the command that it answers, so that a replay finds it by the command that it is about to send.
//!
//! `05-get-log-page-02h.bin` holds the bytes as they came (of Get Features first the 32 bits of the completion, of SMART RETURN STATUS the sense data);
//! `06-get-log-page-03h.json` is a page without bytes: a command that was refused, or what smartctl said.

use ioproof_pages::field::Page;

#[derive(Debug, Clone, PartialEq)]
pub enum AnswerContent {
    Bytes(Vec<u8>),
    Told(Page),
}

/// The sources of pages that come from a drive end with this and the node.
const OF: &str = " of /dev/";
const SMARTCTL: &str = "smartctl";

/// The command and the node in the source of a page; `None` where the page is not an answer.
pub fn asked(source: &str) -> Option<(&str, &str)> {
    let at = source.rfind(OF)?;
    Some((&source[..at], &source[at + OF.len() - "/dev/".len()..]))
}

pub fn node(pages: &[Page]) -> Option<String> {
    pages.iter().find_map(|page| Some(asked(&page.source)?.1.to_owned()))
}

/// A command as part of a file's name. How much was asked for is left out, since a later ioproof may ask for more.
pub fn slug(command: &str) -> String {
    let command = command.strip_suffix(" bytes").and_then(|text| text.rsplit_once(", ")).map_or(command, |(text, _)| text);
    let words = command.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// The slug in a file's name, and its end.
pub fn parts(file: &str) -> Option<(&str, &str)> {
    let (name, end) = file.rsplit_once('.')?;
    let (number, slug) = name.split_once('-')?;
    (!slug.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some((slug, end))
}

pub fn files(pages: &[Page]) -> Vec<(String, AnswerContent)> {
    let answers = pages.iter().enumerate().filter_map(|(at, page)| Some((at, page, key(page)?)));
    answers.filter(|(_, page, slug)| is_whole(pages, page, slug)).filter_map(|(at, page, slug)| file(at, page, &slug)).collect()
}

fn key(page: &Page) -> Option<String> {
    if page.name == SMARTCTL { Some(SMARTCTL.to_owned()) } else { asked(&page.source).map(|(command, _)| slug(command)) }
}

/// A page that was made of a part of another's answer bears the same source, and the whole is the longer; a replay makes the part again.
fn is_whole(pages: &[Page], page: &Page, slug: &str) -> bool {
    let same = pages.iter().filter(|other| key(other).as_deref() == Some(slug));
    !same.into_iter().any(|other| other.raw.len() > page.raw.len())
}

fn file(at: usize, page: &Page, slug: &str) -> Option<(String, AnswerContent)> {
    let (end, content) =
        if page.raw.is_empty() { ("json", AnswerContent::Told(page.clone())) } else { ("bin", AnswerContent::Bytes(bytes_of(&page.raw)?)) };
    Some((format!("{at:02}-{slug}.{end}"), content))
}

/// Bytes of hexadecimal digits.
pub fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

/// Hexadecimal digits of bytes.
pub fn digits_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, source: &str, raw: &str) -> Page {
        Page { name: name.into(), source: source.into(), raw: raw.into(), ..Page::default() }
    }

    #[test]
    fn digits_become_bytes() {
        assert_eq!(bytes_of("00ff7a"), Some(vec![0, 255, 0x7a]));
        assert_eq!([bytes_of("0"), bytes_of("zz"), bytes_of("é0")], [None, None, None]);
        assert_eq!(bytes_of(""), Some(vec![]));
        assert_eq!(digits_of(&[0, 255, 0x7a]), "00ff7a");
    }

    #[test]
    fn commands_name_files() {
        assert_eq!(slug("Get Log Page 02h, 512 bytes"), "get-log-page-02h");
        assert_eq!(slug("Identify CNS 00h, namespace 1"), "identify-cns-00h-namespace-1");
        assert_eq!(slug("MODE SENSE (10), mode page 08h"), "mode-sense-10-mode-page-08h");
        assert_eq!(parts("05-get-log-page-02h.bin"), Some(("get-log-page-02h", "bin")));
        assert_eq!([parts("x-y.bin"), parts("05-.bin"), parts("05"), parts("")], [None; 4]);
    }

    #[test]
    fn only_answers_become_files_and_a_part_of_one_does_not() {
        let pages = [
            page("kernel", "sysfs and procfs", ""),
            page("identify-device", "INQUIRY, VPD page 89h of /dev/sda", "01"),
            page("vpd-89", "INQUIRY, VPD page 89h of /dev/sda", "0001"),
            page("smartctl", "smartctl --json --attributes /dev/sda", ""),
            page("log-00", "LOG SENSE, log page 00h of /dev/sda", ""),
        ];
        let files = files(&pages);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["02-inquiry-vpd-page-89h.bin", "03-smartctl.json", "04-log-sense-log-page-00h.json"]);
        assert_eq!(files[0].1, AnswerContent::Bytes(vec![0, 1]));
        assert_eq!(node(&pages).as_deref(), Some("/dev/sda"));
    }
}
