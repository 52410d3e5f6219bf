//! Pages sorted by drive, never two drives in one.
//!
//! A page names its drive by serial number, else by the device (`nvme0`), else by the model. A page that names none belongs to the only drive of the text, else to an unknown one;
//! both are said in the page's problems, because a judgement may rest on it.

use crate::field::{Field, Page, Value};
use std::collections::HashMap;

const ASSUMED: &str = "names no drive and was taken to be of the only one in the text";
const EARLIER: &str = "is an earlier reading of the drive than the page before it";
/// More pages or drives than these are not compared with each other, since text that somebody made up may have any number.
const MOST: usize = 64;
const UNKNOWN: &str = "names no drive: whose it is cannot be told";
const SECOND: &str = "is the second of one command: whose it is cannot be told";

/// The pages sorted by drive, in the order in which the drives appear.
///
/// Two pages are about one drive where they name the same serial number and model, or the same device while neither serial number nor model differ. A page that names
/// nothing, such as a SMART log alone, belongs to the drive of the text where there is one only and it has no such page; else it stands by itself.
pub fn drives(pages: &[Page]) -> Vec<Vec<Page>> {
    let mut sorter = Sorter::default();
    let is_named = |page: &&(usize, &Page)| page.1.text("serial").is_some() || page.1.text("model").is_some() || device(page.1).is_some();
    let (named, nameless): (Vec<_>, Vec<_>) = pages.iter().enumerate().partition(|page| is_named(&page));
    // What names a device only may be of a drive that a later page names in full.
    let (full, by_device): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|(_, page)| page.text("serial").is_some() || page.text("model").is_some());
    full.into_iter().for_each(|(at, page)| sorter.full(at, page));
    by_device.into_iter().for_each(|(at, page)| sorter.by_device(at, page));
    nameless.into_iter().for_each(|(at, page)| sorter.nameless(at, page));
    sorter.sorted(pages)
}

#[derive(Debug, Default)]
struct SortedDrive<'a> {
    serial: Option<&'a str>,
    model: Option<&'a str>,
    device: Option<&'a str>,
    pages: Vec<usize>,
    known: Vec<&'a Page>,
}

#[derive(Debug, Default)]
struct Sorter<'a> {
    drives: Vec<SortedDrive<'a>>,
    serials: HashMap<&'a str, Vec<usize>>,
    devices: HashMap<&'a str, Vec<usize>>,
    models: HashMap<&'a str, Vec<usize>>,
    said: HashMap<usize, &'static str>,
}

impl<'a> Sorter<'a> {
    fn full(&mut self, at: usize, page: &'a Page) {
        let (serial, model, device) = (page.text("serial"), page.text("model"), device(page));
        let agrees = |known: &SortedDrive| agree(known.serial, serial) && agree_on_model(known.model, model);
        let by_serial = serial.and_then(|serial| only(self.serials.get(serial), |drive| agrees(&self.drives[drive])));
        let is_own = |drive: usize| agrees(&self.drives[drive]) && !is_printed_twice(&self.drives[drive], page);
        let by_device = || device.and_then(|device| only(self.devices.get(device), is_own));
        let names_model_only = serial.is_none() && device.is_none();
        let is_only = |drive: usize| !is_reading(page) || !self.drives[drive].known.iter().take(MOST).any(|known| is_reading(known));
        let by_model = || model.filter(|_| names_model_only).and_then(|model| only(self.models.get(model), is_only));
        let drive = by_serial.or_else(by_device).or_else(by_model);
        self.second(drive, at, page);
        self.add(drive, at, page);
    }

    fn by_device(&mut self, at: usize, page: &'a Page) {
        let device = device(page);
        let known = device.and_then(|device| self.devices.get(device));
        let own = only(known, |drive| !is_printed_twice(&self.drives[drive], page));
        // Several drives that bore this device's name are as good as none.
        let alone = (known.is_none_or(Vec::is_empty) && self.drives.len() == 1 && self.drives[0].device.is_none()).then_some(0);
        if own.is_none() && (alone.is_some() || known.is_some_and(|known| known.len() > 1)) {
            self.said.insert(at, if alone.is_some() { ASSUMED } else { UNKNOWN });
        }
        self.second(own, at, page);
        self.add(own.or(alone), at, page);
    }

    /// Says of a page that it has no name, where the device of its command is that of another page.
    fn second(&mut self, drive: Option<usize>, at: usize, page: &Page) {
        let known = device(page).and_then(|device| self.devices.get(device)).into_iter().flatten().take(MOST);
        if drive.is_none() && page.text("serial").is_none() && known.into_iter().any(|known| is_printed_twice(&self.drives[*known], page)) {
            self.said.insert(at, SECOND);
        }
    }

    fn nameless(&mut self, at: usize, page: &'a Page) {
        let is_other = |known: &&Page| known.name != page.name || !shares_a_fact(known, page);
        let is_free = self.drives.len() == 1 && self.drives[0].known.iter().take(MOST).all(is_other) && !self.is_before(at, page);
        if !is_free && !self.drives.is_empty() && says_nothing(page) {
            return;
        }
        if !self.drives.is_empty() {
            self.said.insert(at, if is_free { ASSUMED } else { UNKNOWN });
        }
        self.add(is_free.then_some(0), at, page);
    }

    /// True for a table of smartctl that stands before a command of smartctl about the only drive, whose output has none: in one output it comes after that,
    /// so these are two.
    fn is_before(&self, at: usize, page: &Page) -> bool {
        const TOOL: &str = "smartctl";
        let first = self.drives[0].pages.first().zip(self.drives[0].known.first());
        let is_later = |known: &Page| known.name.starts_with(TOOL) && !is_reading(known) && device(known).is_some();
        page.name.starts_with(TOOL) && first.is_some_and(|(first, known)| at < *first && is_later(known))
    }

    fn add(&mut self, drive: Option<usize>, at: usize, page: &'a Page) {
        let drive = drive.unwrap_or_else(|| {
            self.drives.push(SortedDrive::default());
            self.drives.len() - 1
        });
        let known = &mut self.drives[drive];
        known.pages.push(at);
        known.known.push(page);
        learn(&mut known.serial, page.text("serial"), &mut self.serials, drive);
        learn(&mut known.model, page.text("model"), &mut self.models, drive);
        // A drive may bear two names, `nvme0` here and `pass3` there.
        let device = device(page);
        known.device = known.device.or(device);
        device.into_iter().for_each(|device| {
            let drives = self.devices.entry(device).or_default();
            if !drives.contains(&drive) {
                drives.push(drive);
            }
        });
    }

    fn sorted(mut self, pages: &[Page]) -> Vec<Vec<Page>> {
        self.drives.iter_mut().for_each(|drive| drive.pages.sort_unstable());
        self.drives.sort_by_key(|drive| drive.pages.first().copied());
        let page = |at: &usize| {
            let mut page = pages[*at].clone();
            let said = self.said.get(at);
            page.fields.retain(|field| said != Some(&SECOND) || field.key != "device_name");
            page.problems.extend(said.map(|said| (*said).to_owned()));
            page
        };
        self.drives.iter().map(|drive| latest_first(drive.pages.iter().map(page).collect())).collect()
    }
}

/// True for a page of counters. Two of them that share no more than a model may be of two drives, of which neither must hide the other.
fn is_reading(page: &Page) -> bool {
    ["power_on_hours", "pending_sectors", "reallocated_sectors", "media_errors", "percentage_used_percent"]
        .iter()
        .any(|key| page.field(key).is_some())
}

/// True for rows of a table of which none counts anything that is judged, and none is at its threshold.
fn says_nothing(page: &Page) -> bool {
    let is_quiet = |field: &Field| field.key.starts_with("attribute_") || matches!(&field.value, Value::List(bad) if bad.is_empty());
    !page.fields.is_empty() && page.fields.iter().all(is_quiet)
}

/// True for counters below a command that printed counters already: a command prints them once, so these are of a drive that nothing names.
fn is_printed_twice(drive: &SortedDrive, page: &Page) -> bool {
    let command = |page: &Page| page.field("device_name").map(|field| field.source.clone());
    is_reading(page) && drive.known.iter().take(MOST).any(|known| is_reading(known) && command(known) == command(page))
}

/// True where both pages tell the same thing, as two readings do, and not two parts of one.
fn shares_a_fact(known: &Page, page: &Page) -> bool {
    let is_whose =
        |key: &str| matches!(key, "device_name" | "protocol" | "attributes_failing" | "attributes_failed" | "health_lines_unread");
    known.fields.is_empty() && page.fields.is_empty()
        || page.fields.iter().any(|field| !is_whose(&field.key) && known.field(&field.key).is_some())
}

/// Of two readings by one tool the one of more power-on hours comes first, since the first page that tells a fact counts.
fn latest_first(mut pages: Vec<Page>) -> Vec<Page> {
    for at in 1..pages.len().min(MOST) {
        let hours = pages[at].number("power_on_hours");
        let is_earlier =
            |page: &Page| page.name == pages[at].name && page.number("power_on_hours") < hours && page.number("power_on_hours").is_some();
        let Some(first) = pages[..at].iter().position(is_earlier) else { continue };
        pages.swap(first, at);
        pages[at].problems.retain(|problem| problem != EARLIER);
        pages[at].problems.push(EARLIER.to_owned());
    }
    pages
}

fn learn<'a>(known: &mut Option<&'a str>, own: Option<&'a str>, by: &mut HashMap<&'a str, Vec<usize>>, drive: usize) {
    if let (None, Some(own)) = (&known, own) {
        *known = Some(own);
        by.entry(own).or_default().push(drive);
    }
}

fn agree(known: Option<&str>, own: Option<&str>) -> bool {
    known.is_none_or(|known| own.is_none_or(|own| own == known))
}

/// SCSI has 16 characters for a name, so that the kernel cuts the names of other drives.
fn agree_on_model(known: Option<&str>, own: Option<&str>) -> bool {
    const FIELD_CHARS: usize = 16;
    // A blank at the end of the field is not printed.
    let is_cut = |short: &str, long: &str| {
        let rest = long.strip_prefix(short);
        match short.chars().count() {
            FIELD_CHARS => rest.is_some(),
            chars => chars + 1 == FIELD_CHARS && rest.is_some_and(|rest| rest.starts_with(' ')),
        }
    };
    agree(known, own) || known.zip(own).is_some_and(|(known, own)| is_cut(known, own) || is_cut(own, known))
}

/// The one drive of several of which this holds; none where there are more. Only the first few are looked at, since text that somebody made up may name any number alike.
fn only(drives: Option<&Vec<usize>>, holds: impl Fn(usize) -> bool) -> Option<usize> {
    let drives = drives.filter(|drives| drives.len() <= MOST)?;
    let mut fitting = drives.iter().copied().filter(|drive| holds(*drive));
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

/// The controller that a page's device belongs to: `nvme0` of `nvme0ns1`, `nvme0n1` and `nvme0n1p2`.
fn device(page: &Page) -> Option<&str> {
    let name = page.text("device_name")?;
    let unit = |rest: &str| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some(name.strip_prefix("nvme").map_or(name, |rest| &name[.."nvme".len() + unit(rest)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, text};

    fn page(name: &str, fields: &[(&str, &str)]) -> Page {
        let fields: Vec<(&str, Value)> = fields.iter().map(|(key, value)| (*key, text(value))).collect();
        Page { name: name.to_owned(), ..testing::page(&fields) }
    }

    fn sorted(pages: &[Page]) -> Vec<Vec<String>> {
        let told =
            |page: &Page| format!("{}{}", page.name, page.problems.first().map_or("", |said| if said == ASSUMED { "?" } else { "!" }));
        drives(pages).iter().map(|drive| drive.iter().map(told).collect()).collect()
    }

    #[test]
    fn two_drives_are_never_one() {
        let pages = [
            page("samsung", &[("serial", "S1"), ("model", "Samsung")]),
            page("wd", &[("serial", "W1"), ("model", "WD")]),
            page("log", &[]),
            page("again", &[("serial", "S1"), ("model", "Samsung"), ("device_name", "nvme3")]),
            page("by device", &[("device_name", "nvme3n1")]),
        ];
        assert_eq!(sorted(&pages), [vec!["samsung", "again", "by device"], vec!["wd"], vec!["log!"]]);
        let same_serial = [page("a", &[("serial", "0"), ("model", "A")]), page("b", &[("serial", "0"), ("model", "B")])];
        assert_eq!(sorted(&same_serial), [["a"], ["b"]]);
    }

    #[test]
    fn counters_of_one_model_may_be_of_two_drives() {
        let counters = |name| page(name, &[("model", "M"), ("power_on_hours", "1")]);
        assert_eq!(sorted(&[counters("a"), counters("b")]), [["a"], ["b"]]);
        assert_eq!(sorted(&[page("id", &[("model", "M"), ("serial", "S1")]), counters("log")]), [["id", "log"]]);
    }

    #[test]
    fn one_drive_takes_what_names_nobody_and_says_so() {
        let drive = page("id", &[("serial", "S1"), ("model", "Samsung")]);
        assert_eq!(sorted(&[page("log", &[]), drive.clone()]), [["log?", "id"]]);
        assert_eq!(sorted(&[drive.clone(), page("log", &[]), page("log", &[])]), [vec!["id", "log?"], vec!["log!"]]);
        assert_eq!(sorted(&[page("log", &[("device_name", "nvme0")]), drive.clone()]), [["log?", "id"]]);
        assert_eq!(
            sorted(&[drive, page("a", &[("device_name", "nvme0")]), page("b", &[("device_name", "nvme1")])]),
            [vec!["id", "a?"], vec!["b"]]
        );
        assert_eq!(sorted(&[page("log", &[]), page("ns", &[])]), [["log", "ns?"]]);
    }

    #[test]
    fn a_table_before_the_drive_is_named_is_of_another() {
        let (table, drive) =
            (page("smartctl-attributes", &[("pending_sectors", "1")]), page("smartctl", &[("model", "M"), ("device_name", "sdf")]));
        assert_eq!(sorted(&[table.clone(), drive.clone()]), [["smartctl-attributes!"], ["smartctl"]]);
        assert_eq!(sorted(&[drive, table]), [["smartctl", "smartctl-attributes?"]]);
    }

    #[test]
    fn a_row_that_says_nothing_of_health_is_no_drive() {
        let row = Page { name: "rows".into(), ..testing::page(&[("attributes_failing", Value::List(vec![]))]) };
        let [one, two] = ["1", "2"].map(|serial| page("id", &[("serial", serial)]));
        assert_eq!(sorted(&[one, two, row.clone()]), [["id"], ["id"]]);
        assert_eq!(sorted(&[row]), [["rows"]]);
    }

    #[test]
    fn a_device_that_two_drives_bore_names_neither() {
        let on = |serial: &'static str| page("id", &[("serial", serial), ("model", "M"), ("device_name", "nvme0")]);
        assert_eq!(sorted(&[on("1"), on("2"), page("log", &[("device_name", "nvme0")])]), [["id"], ["id"], ["log!"]]);
        let listed = page("list", &[("model", "M"), ("device_name", "nvme0")]);
        assert_eq!(sorted(&[listed, on("1")]), [["list", "id"]]);
    }

    #[test]
    fn any_number_of_drives_takes_little() {
        let serials: Vec<String> = (0..20_000).map(|serial| serial.to_string()).collect();
        let pages: Vec<Page> =
            serials.iter().map(|serial| page("id", &[("serial", serial), ("model", "M"), ("device_name", "nvme0")])).collect();
        assert_eq!(drives(&pages).len(), 20_000);
    }
}
