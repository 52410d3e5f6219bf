//! The account that runs the server. PostgreSQL refuses to be root, so root runs it as somebody else: the owner of the directory, or whom the user named.

use crate::error::DatabaseError;
use rustix::fs::{Gid, Uid, chown};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// An account that is not root's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherUser {
    pub(super) user: u32,
    pub(super) group: u32,
}

impl OtherUser {
    /// The account for a directory; none where the program itself is not root's and goes on as who it is.
    ///
    /// # Errors
    /// When nobody but root could run it, or the name is nobody's.
    pub fn choose(directory: &Path, named: Option<&str>) -> Result<Option<Self>, DatabaseError> {
        match (rustix::process::geteuid().is_root(), named) {
            (false, None) => Ok(None),
            (false, Some(name)) => {
                Err(DatabaseError::hinted(format!("only root can run a database as {name}"), "leave out --db-user: it runs as you"))
            }
            (true, Some(name)) => Self::named(name).map(Some),
            (true, None) => Self::owner(directory).map(Some),
        }
    }

    fn owner(directory: &Path) -> Result<Self, DatabaseError> {
        let of = std::fs::metadata(directory).map_err(|error| DatabaseError::new(format!("{}: {error}", directory.display())))?;
        if of.uid() == 0 {
            return Err(DatabaseError::hinted(
                format!("PostgreSQL refuses to run as root, and {} is root's", directory.display()),
                "name who is to run it: --db-user postgres; or run ioproof as a user other than root",
            ));
        }
        Ok(Self { user: of.uid(), group: of.gid() })
    }

    fn named(name: &str) -> Result<Self, DatabaseError> {
        let unknown = || DatabaseError::hinted(format!("--db-user {name}: there is no such user"), "postgres and nobody are usual ones");
        if name.starts_with('-') {
            return Err(unknown());
        }
        // It asks every source of accounts that the machine has (nsswitch.conf(5)).
        let ask = |what: &str| {
            let output = Command::new("id").args([what, name]).output().ok()?;
            String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok().filter(|_| output.status.success())
        };
        match (ask("-u"), ask("-g")) {
            (Some(0), _) => {
                Err(DatabaseError::hinted(format!("--db-user {name} is root, as whom PostgreSQL refuses to run"), "name another user"))
            }
            (Some(user), Some(group)) => Ok(Self { user, group }),
            _ => Err(unknown()),
        }
    }

    /// Gives it a folder of ours.
    pub(super) fn own(&self, folder: &Path) -> Result<(), DatabaseError> {
        let given = chown(folder, Some(Uid::from_raw(self.user)), Some(Gid::from_raw(self.group)));
        given.map_err(|error| DatabaseError::new(format!("{} cannot be given to user {}: {error}", folder.display(), self.user)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_runs_it_as_root() {
        let folder = tempfile::tempdir().unwrap();
        if rustix::process::geteuid().is_root() {
            assert!(OtherUser::choose(folder.path(), None).unwrap_err().hint.unwrap().contains("--db-user postgres"));
            assert!(OtherUser::choose(folder.path(), Some("root")).unwrap_err().text.contains("root"));
            assert!(OtherUser::choose(folder.path(), Some("no-such-user")).unwrap_err().text.contains("no such user"));
            assert!(OtherUser::choose(folder.path(), Some("-u")).unwrap_err().text.contains("no such user"));
            assert!(OtherUser::choose(folder.path(), Some("nobody")).unwrap().is_some_and(|account| account.user != 0));
            OtherUser { user: 65_534, group: 65_534 }.own(folder.path()).unwrap();
            assert_eq!(OtherUser::choose(folder.path(), None).unwrap(), Some(OtherUser { user: 65_534, group: 65_534 }));
        } else {
            assert_eq!(OtherUser::choose(folder.path(), None), Ok(None));
            assert!(OtherUser::choose(folder.path(), Some("nobody")).is_err());
        }
    }
}
