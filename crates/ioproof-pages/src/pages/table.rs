//! The table by which a page of bytes becomes fields: one row a field, with its place, kind, unit and clause of the specification.
//!
//! Tables are constants, made with the functions below, and checked while they are compiled: a row that reaches beyond its page does not build. `decode` does the
//! work. Numbers are read in the byte order of the table, so NVMe (little) and SCSI (big) are told apart in one word.
//! Deliberately absent: anything that follows from two places of a page, such as a capacity in bytes; that is code next to the table.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    Little,
    Big,
}

#[derive(Debug, Clone, Copy)]
pub struct PageTable {
    pub name: &'static str,
    pub title: &'static str,
    pub document: &'static str,
    /// Where in it the layout stands: `clause 5.17.2.1`; a row may name another place.
    pub clause: &'static str,
    pub order: ByteOrder,
    /// Bytes of the layout as specified; no row reaches beyond.
    pub length: usize,
    /// Bytes that every such page has; a shorter one is cut, which is a problem. Less than `length` where older pages are shorter.
    pub least: usize,
    pub rows: &'static [FieldRow],
    pub groups: &'static [RepeatedGroup],
}

/// A structure that repeats, such as an LBA format. In the keys and titles of its rows `#` stands for the number.
#[derive(Debug, Clone, Copy)]
pub struct RepeatedGroup {
    pub at: usize,
    pub stride: usize,
    pub count: GroupCount,
    /// The number of the first: 0, or 1 where the specification counts from one.
    pub first: usize,
    /// Where it must hold for a structure to be in use; places count from the start of the structure.
    pub used: Option<PlaceCondition>,
    pub rows: &'static [FieldRow],
}

#[derive(Debug, Clone, Copy)]
pub enum GroupCount {
    Fixed(usize),
    /// The page says: the number at this place plus `plus`, and never more than `most`.
    Told {
        place: BytePlace,
        plus: usize,
        most: usize,
    },
    Sum {
        places: &'static [BytePlace],
        plus: usize,
        most: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BytePlace {
    pub at: usize,
    pub bytes: usize,
    /// Lowest bit and number of bits, counted in the number after its bytes were ordered; `None` is the whole.
    pub bits: Option<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
pub struct PlaceCondition {
    pub place: BytePlace,
    pub value: u128,
    /// True where it must be that value; false where it must not.
    pub equal: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    Unsigned,
    Signed,
    /// Temperature in Kelvin, given in degrees Celsius (less 273, as the tools do); 0 means that there is none, and no field is made.
    Kelvin,
    /// (number + `plus`) x `times` / `over`; with a fraction where it does not divide evenly.
    Scaled {
        plus: u64,
        times: u64,
        over: u64,
    },
    PowerOfTwo {
        times: u64,
    },
    Flag,
    NotFlag,
    /// The names of the bits that are set, as (bit, name); a set bit without a name is `bit N`.
    Bits(&'static [(u32, &'static str)]),
    /// The name of a value, as (value, name); a value without a name is `reserved (N)`.
    OneOf(&'static [(u128, &'static str)]),
    /// ASCII; blanks and zeros around it are removed, what cannot be printed becomes `?`. No field where nothing is left.
    Ascii,
    AsciiSwapped,
    /// Hexadecimal digits in the order of the bytes. No field where all bytes are zero.
    Hex,
    /// A version in three parts: major above bit 16, minor in bits 8-15, tertiary in bits 0-7: `1.4.0`.
    Version,
    /// The hexadecimal number with `0x`, in the table's byte order, padded to its width.
    HexNumber,
}

#[derive(Debug, Clone, Copy)]
pub struct FieldRow {
    pub key: &'static str,
    pub title: &'static str,
    pub place: BytePlace,
    pub kind: FieldKind,
    pub unit: &'static str,
    /// Where in the specification; empty is the table's clause.
    pub clause: &'static str,
    /// The number that means "not reported": no field is made.
    pub none: Option<u128>,
    pub when: Option<PlaceCondition>,
}

/// A table without rows; `least` is the whole `length`.
pub const fn table(
    order: ByteOrder,
    name: &'static str,
    title: &'static str,
    document: &'static str,
    clause: &'static str,
    length: usize,
) -> PageTable {
    PageTable { name, title, document, clause, order, length, least: length, rows: &[], groups: &[] }
}

pub const fn place(at: usize, bytes: usize) -> BytePlace {
    BytePlace { at, bytes, bits: None }
}

/// `count` bits from bit `low` of the one byte at `at`.
pub const fn bits(at: usize, low: u32, count: u32) -> BytePlace {
    BytePlace { at, bytes: 1, bits: Some((low, count)) }
}

pub const fn bit(at: usize, low: u32) -> BytePlace {
    bits(at, low, 1)
}

pub const fn is(place: BytePlace, value: u128) -> PlaceCondition {
    PlaceCondition { place, value, equal: true }
}

pub const fn is_not(place: BytePlace, value: u128) -> PlaceCondition {
    PlaceCondition { place, value, equal: false }
}

pub const fn row(key: &'static str, title: &'static str, place: BytePlace, kind: FieldKind) -> FieldRow {
    let unit = match kind {
        FieldKind::Kelvin => "celsius",
        _ => "",
    };
    FieldRow { key, title, place, kind, unit, clause: "", none: None, when: None }
}

impl BytePlace {
    pub const fn bits(self, low: u32, count: u32) -> Self {
        Self { bits: Some((low, count)), ..self }
    }

    const fn fits(self, length: usize) -> bool {
        let bits_fit = match self.bits {
            Some((low, count)) => self.bytes <= 16 && count > 0 && (low + count) as usize <= self.bytes * 8,
            None => true,
        };
        bits_fit && self.bytes > 0 && self.at + self.bytes <= length
    }
}

impl FieldRow {
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub const fn clause(self, clause: &'static str) -> Self {
        Self { clause, ..self }
    }

    /// No field where the number is `none`.
    pub const fn unless(self, none: u128) -> Self {
        Self { none: Some(none), ..self }
    }

    pub const fn when(self, when: PlaceCondition) -> Self {
        Self { when: Some(when), ..self }
    }

    const fn fits(&self, length: usize) -> bool {
        let is_text = matches!(self.kind, FieldKind::Ascii | FieldKind::AsciiSwapped | FieldKind::Hex);
        let when_fits = match self.when {
            Some(when) => when.place.fits(length),
            None => true,
        };
        when_fits && self.place.fits(length) && (is_text || self.place.bytes <= 16)
    }
}

impl RepeatedGroup {
    const fn fits(&self, length: usize) -> bool {
        let most = match self.count {
            GroupCount::Fixed(count) => count,
            GroupCount::Told { place, most, .. } => {
                assert!(place.fits(length), "the count of a group lies beyond the page");
                most
            }
            GroupCount::Sum { places, most, .. } => {
                let mut index = 0;
                while index < places.len() {
                    assert!(places[index].fits(length), "the count of a group lies beyond the page");
                    index += 1;
                }
                most
            }
        };
        rows_fit(self.rows, self.stride) && self.stride > 0 && self.at + self.stride * most <= length
    }
}

const fn rows_fit(rows: &[FieldRow], length: usize) -> bool {
    let mut index = 0;
    while index < rows.len() {
        if !rows[index].fits(length) {
            return false;
        }
        index += 1;
    }
    true
}

impl PageTable {
    /// The table itself, after it was seen that every row lies within its page. To be called in a constant, where a fault stops the compiler.
    ///
    /// # Panics
    /// Where a row or a group reaches beyond `length`.
    pub const fn checked(self) -> Self {
        assert!(self.least <= self.length, "the least length is greater than the length");
        assert!(rows_fit(self.rows, self.length), "a row reaches beyond its page");
        let mut index = 0;
        while index < self.groups.len() {
            assert!(self.groups[index].fits(self.length), "a group reaches beyond its page");
            index += 1;
        }
        self
    }
}
