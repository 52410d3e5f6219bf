//! Names of databases as they are typed: `sqlite`, `sqlite:rollback:normal`, `postgres`, `none`.

use anyhow::Result;
use ioproof_database::postgres::GIVEN_TITLE;
use ioproof_database::sqlite::{Journal, SqliteSettings, Synchronous};
use ioproof_process::complaint::complaint;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Db {
    Sqlite(SqliteSettings),
    Postgres,
    /// A server of PostgreSQL that was given by its address, which is no word of `--db`.
    Given,
    /// None at all.
    None,
}

impl Db {
    /// Size of its pages as it comes. Bytes.
    pub fn page_bytes(&self) -> u32 {
        if self.is_postgres() { 8192 } else { 4096 }
    }

    /// True of servers of PostgreSQL, ours or not.
    pub fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres | Self::Given)
    }

    pub fn title(&self) -> String {
        match self {
            Self::Sqlite(settings) => settings.title(),
            Self::Postgres => "PostgreSQL".to_owned(),
            Self::Given => GIVEN_TITLE.to_owned(),
            Self::None => "no database".to_owned(),
        }
    }
}

impl FromStr for Db {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            format!("`{text}` is no database: sqlite, sqlite:wal, sqlite:rollback (behind either :full, :normal or :off), postgres, none")
        };
        let mut words = text.split(':');
        match words.next() {
            Some("sqlite") => of_words(words).map(Self::Sqlite).ok_or_else(unknown),
            Some("postgres" | "postgresql") if words.next().is_none() => Ok(Self::Postgres),
            Some("none") if words.next().is_none() => Ok(Self::None),
            _ => Err(unknown()),
        }
    }
}

/// The settings of words, of which each kind is said once at most.
fn of_words<'t>(words: impl Iterator<Item = &'t str>) -> Option<SqliteSettings> {
    let (mut settings, mut said) = (SqliteSettings::default(), [false; 2]);
    for word in words {
        let kind = usize::from(!matches!(word, "wal" | "rollback"));
        if std::mem::replace(&mut said[kind], true) {
            return None;
        }
        settings = with(settings, word)?;
    }
    Some(settings)
}

fn with(settings: SqliteSettings, word: &str) -> Option<SqliteSettings> {
    Some(match word {
        "wal" => SqliteSettings { journal: Journal::Wal, ..settings },
        "rollback" => SqliteSettings { journal: Journal::Rollback, ..settings },
        "full" => SqliteSettings { synchronous: Synchronous::Full, ..settings },
        "normal" => SqliteSettings { synchronous: Synchronous::Normal, ..settings },
        "off" => SqliteSettings { synchronous: Synchronous::Off, ..settings },
        _ => return None,
    })
}

/// The databases of a list, each once.
///
/// # Errors
/// When `none` stands beside one.
pub fn each_once(typed: &[Db]) -> Result<Vec<Db>> {
    let mut all: Vec<Db> = Vec::new();
    for db in typed {
        if !all.contains(db) {
            all.push(*db);
        }
    }
    if all.contains(&Db::None) && all.len() > 1 {
        return Err(complaint("--db none stands beside a database", "leave out one or the other"));
    }
    all.retain(|db| *db != Db::None);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Db, String> {
        text.parse()
    }

    #[test]
    fn a_name_says_journal_and_syncs() {
        let title = |text: &str| read(text).unwrap().title();
        assert_eq!(title("sqlite"), "SQLite, WAL, synchronous FULL");
        assert_eq!(title("sqlite:rollback"), "SQLite, rollback journal, synchronous FULL");
        assert_eq!(title("sqlite:wal:normal"), "SQLite, WAL, synchronous NORMAL");
        assert_eq!(title("sqlite:off"), "SQLite, WAL, synchronous OFF");
        assert_eq!(read("postgresql").unwrap(), Db::Postgres);
        for wrong in ["", "sqlite:", "sqlite:fast", "sqlite:off:full", "sqlite:wal:rollback", "none:wal", "postgres:wal", "oracle"] {
            assert!(read(wrong).unwrap_err().contains("is no database"), "{wrong}");
        }
    }

    #[test]
    fn each_comes_once_and_none_stands_alone() {
        let all = |texts: &[&str]| each_once(&texts.iter().map(|text| read(text).unwrap()).collect::<Vec<_>>());
        assert_eq!(all(&["sqlite", "sqlite:wal:full", "sqlite:rollback"]).unwrap().len(), 2);
        assert_eq!(all(&["none"]).unwrap(), []);
        assert!(all(&["none", "sqlite"]).is_err());
    }
}
