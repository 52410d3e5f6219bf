//! The folder of a name.

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The folder in which a file of this name lies; `.` for a name alone.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Makes a folder of the state folder and those above it, where they are not there. Whatever the user's mask lets through, nobody else may put runs there.
///
/// # Errors
/// When the system refuses.
pub fn make_folders(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}
