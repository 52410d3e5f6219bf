//! A page that is being filled with fields read from files of the kernel, each with its file as the source.
//!
//! `pcie_path`, `queue`, `interrupts` and `machine` write their pages with it.

use ioproof_core::facts::Fact;
use ioproof_pages::field::{Field, Page, Value};

/// Key, title and unit of a field; its value and source come from the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label {
    /// For programs, the unit last.
    pub(crate) key: &'static str,
    /// For people.
    pub(crate) title: &'static str,
    /// Unit of a number; empty where there is none.
    pub(crate) unit: &'static str,
}

impl Label {
    /// A field without a unit.
    pub(crate) const fn plain(key: &'static str, title: &'static str) -> Self {
        Self { key, title, unit: "" }
    }
}

/// The page so far.
#[derive(Debug)]
pub(crate) struct KernelPage(Page);

impl KernelPage {
    /// An empty page; `source` says where its files are.
    pub(crate) fn new(name: &str, source: impl Into<String>) -> Self {
        Self(Page { name: name.into(), source: source.into(), ..Page::default() })
    }

    /// Adds a field.
    pub(crate) fn put(&mut self, label: Label, value: Value, source: impl Into<String>) {
        self.put_named(label, label.key.into(), value, source);
    }

    /// Adds a field whose key has a number in it, as those of the second function of a path have.
    pub(crate) fn put_named(&mut self, label: Label, key: String, value: Value, source: impl Into<String>) {
        let unit = (!label.unit.is_empty()).then(|| label.unit.to_owned());
        self.0.fields.push(Field { key, title: label.title.into(), value, unit, source: source.into() });
    }

    /// Adds a text, where it was found.
    pub(crate) fn text(&mut self, label: Label, fact: Option<Fact<String>>) {
        if let Some(Fact { value, source }) = fact {
            self.put(label, Value::Text(value), source);
        }
    }

    /// Adds a whole number, where the file holds one; anything else in it is a problem of the page.
    pub(crate) fn number(&mut self, label: Label, fact: Option<Fact<String>>) {
        match fact.map(|Fact { value, source }| (value.parse(), value, source)) {
            Some((Ok(number), _, source)) => self.put(label, Value::Number(number), source),
            Some((Err(_), text, source)) => self.problem(format!("{source} holds `{text}`, which is no number")),
            None => {}
        }
    }

    /// Says what could not be read.
    pub(crate) fn problem(&mut self, problem: String) {
        self.0.problems.push(problem);
    }

    /// The page.
    pub(crate) fn done(self) -> Page {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_a_problem() {
        let mut page = KernelPage::new("queue", "/sys/block/sda/queue");
        let depth = Label { key: "nr_requests", title: "requests", unit: "requests" };
        page.number(depth, Some(Fact::new("64".into(), "/sys/a")));
        page.number(depth, Some(Fact::new("many".into(), "/sys/b")));
        page.number(depth, None);
        let page = page.done();
        assert_eq!((page.number("nr_requests"), page.fields.len()), (Some(64), 1));
        assert_eq!(page.fields[0].unit.as_deref(), Some("requests"));
        assert_eq!(page.problems, ["/sys/b holds `many`, which is no number"]);
    }
}
