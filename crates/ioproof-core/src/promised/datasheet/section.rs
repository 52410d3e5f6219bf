//! One table of the file under reading: takes fields out of it one by one and tells the sink what is wrong with each.
//!
//! It knows TOML and places, not what the fields mean: `values` reads single values, `schema` says which fields there are.

use super::problem::{Fault, Sink, suggest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) type Read<T> = fn(&DeValue<'_>) -> Result<T, Fault>;

/// A table and the way to it.
pub(super) struct DatasheetSection<'t, 'i> {
    table: &'t DeTable<'i>,
    span: Range<usize>,
    /// `claim[2].`, or empty for the whole file.
    prefix: String,
}

impl<'t, 'i> DatasheetSection<'t, 'i> {
    /// The whole file; fields that are not among `known` are problems.
    pub fn root(document: &'t Spanned<DeTable<'i>>, known: &[&str], sink: &mut Sink) -> Self {
        DatasheetSection { table: document.get_ref(), span: 0..0, prefix: String::new() }.checked(known, sink)
    }

    fn checked(self, known: &[&str], sink: &mut Sink) -> Self {
        for key in self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let hint = suggest(name, known).unwrap_or_else(|| format!("known: {}", known.join(", ")));
            sink.add(key.span().start, self.field(name), Fault::new("unknown field").hint(hint));
        }
        self
    }

    /// The field's full name: `claim[2].unit`.
    pub fn field(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// A problem with a field of this table, at its value or, where it is missing, at the table's start.
    pub fn fault(&self, sink: &mut Sink, key: &str, fault: Fault) {
        let at = self.get(key).map_or(self.span.start, |value| value.span().start);
        sink.add(at, self.field(key), fault);
    }

    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.table.get(key)
    }

    /// A field that must be there.
    pub fn required<T>(&self, sink: &mut Sink, key: &str, read: Read<T>) -> Option<T> {
        if self.get(key).is_none() {
            self.fault(sink, key, Fault::new("missing"));
        }
        self.optional(sink, key, read)
    }

    /// A field that may be left out; `None` also where it could not be read, which the sink then knows.
    pub fn optional<T>(&self, sink: &mut Sink, key: &str, read: Read<T>) -> Option<T> {
        match read(self.get(key)?.get_ref()) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.fault(sink, key, fault);
                None
            }
        }
    }

    /// A list of values; left out it is empty. Each comes with its place in the list.
    pub fn list<T>(&self, sink: &mut Sink, key: &str, read: Read<T>) -> Vec<(usize, T)> {
        let mut values = Vec::new();
        for (index, item) in self.items(sink, key, |found| expected("a list", found)) {
            match read(item.get_ref()) {
                Ok(value) => values.push((index, value)),
                Err(fault) => sink.add(item.span().start, format!("{}[{index}]", self.field(key)), fault),
            }
        }
        values
    }

    pub fn list_fault(&self, sink: &mut Sink, key: &str, index: usize, fault: Fault) {
        let item = self.get(key).and_then(|list| list.get_ref().as_array()).and_then(|items| items.get(index));
        let at = item.map_or(self.span.start, |item| item.span().start);
        sink.add(at, format!("{}[{index}]", self.field(key)), fault);
    }

    /// The tables under `[[key]]`, each with its unknown fields told.
    pub fn tables(&self, sink: &mut Sink, key: &str, known: &[&str]) -> Vec<DatasheetSection<'t, 'i>> {
        let mut tables = Vec::new();
        for (index, item) in self.items(sink, key, |found| expected("a list of tables", found).hint(format!("write [[{key}]] above each")))
        {
            let name = format!("{}[{index}]", self.field(key));
            match item.get_ref() {
                DeValue::Table(table) => {
                    tables.push(DatasheetSection { table, span: item.span(), prefix: format!("{name}.") }.checked(known, sink))
                }
                other => sink.add(item.span().start, name, expected("a table", other)),
            }
        }
        tables
    }

    fn items(&self, sink: &mut Sink, key: &str, no_list: impl Fn(&DeValue) -> Fault) -> Vec<(usize, &'t Spanned<DeValue<'i>>)> {
        match self.get(key).map(Spanned::get_ref) {
            None => Vec::new(),
            Some(DeValue::Array(items)) => items.iter().enumerate().collect(),
            Some(other) => {
                self.fault(sink, key, no_list(other));
                Vec::new()
            }
        }
    }
}

/// A value of the wrong kind.
pub(super) fn expected(what: &str, found: &DeValue) -> Fault {
    Fault::new(format!("must be {what}, not a TOML {}", found.type_str()))
}
