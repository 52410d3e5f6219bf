//! Findings of an audit: mistakes with their arithmetic, and figures that are sound.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// A number or a statement that others of the same text contradict.
    Wrong,
    /// The figure is of something else than it seems to be of.
    Doubt,
    /// Good to know.
    Note,
}

impl Weight {
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Doubt => "doubtful",
            Self::Note => "worth knowing",
        }
    }
}

/// A mistake.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    pub check: &'static str,
    pub weight: Weight,
    /// The file, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// One sentence without a full stop.
    pub title: String,
    /// The arithmetic, or the lines that disagree.
    pub because: String,
    /// The way to mend it; empty where the title says it.
    pub remedy: String,
}

/// A figure or statement that holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sound {
    pub check: &'static str,
    /// The file, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// One sentence without a full stop.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Findings {
    /// Mistakes.
    pub found: Vec<Found>,
    /// Figures that hold.
    pub sound: Vec<Sound>,
    /// True where the last finding was new, and not one that is there already.
    #[serde(skip)]
    is_new: bool,
}

/// Most findings that are kept; a text that has more is broken in one way.
pub const FOUND_MAX: usize = 2000;

impl Findings {
    pub(crate) fn wrong(
        &mut self,
        check: &'static str,
        place: (&str, u32),
        title: impl Into<String>,
        because: impl Into<String>,
    ) -> &mut Self {
        self.add(check, Weight::Wrong, place, title, because)
    }

    pub(crate) fn doubt(
        &mut self,
        check: &'static str,
        place: (&str, u32),
        title: impl Into<String>,
        because: impl Into<String>,
    ) -> &mut Self {
        self.add(check, Weight::Doubt, place, title, because)
    }

    pub(crate) fn note(
        &mut self,
        check: &'static str,
        place: (&str, u32),
        title: impl Into<String>,
        because: impl Into<String>,
    ) -> &mut Self {
        self.add(check, Weight::Note, place, title, because)
    }

    pub(crate) fn add(
        &mut self,
        check: &'static str,
        weight: Weight,
        (file, line): (&str, u32),
        title: impl Into<String>,
        because: impl Into<String>,
    ) -> &mut Self {
        let (title, because) = (title.into(), because.into());
        let is_known =
            self.found.iter().any(|other| (other.check, other.line, &other.title) == (check, line, &title) && other.file == file);
        self.is_new = self.found.len() < FOUND_MAX && !is_known;
        if self.is_new {
            self.found.push(Found { check, weight, file: file.to_owned(), line, title, because, remedy: String::new() });
        }
        self
    }

    /// Adds the remedy of the finding that was added last, where it was new.
    pub(crate) fn mend(&mut self, remedy: &str) {
        self.found.last_mut().filter(|_| self.is_new).into_iter().for_each(|last| remedy.clone_into(&mut last.remedy));
    }

    pub(crate) fn holds(&mut self, check: &'static str, (file, line): (&str, u32), text: String) {
        if self.sound.len() < FOUND_MAX {
            self.sound.push(Sound { check, file: file.to_owned(), line, text });
        }
    }
}
