//! Files that stand at the name already, beside those that are replaced as ours: the user's consent, and content that is to be continued.

use super::kind::Kind;
use super::{NewFile, OutputError, OutputFile, Seen, Standing};
use rustix::fs::OFlags;
use std::fs::File;

impl OutputFile {
    /// Tells what stands at the name, where the user allows that a file there is replaced whosever it is. Links, files with a second name, directories and
    /// devices are refused all the same.
    ///
    /// # Errors
    /// As [`Self::look`].
    pub fn look_with_consent(&self) -> Result<Standing, OutputError> {
        match self.folder.pin(&self.name) {
            Ok(pin) if Kind::of(&pin.stat) == Kind::Regular => match Seen::of(&pin.stat) {
                seen if seen.links == 1 => Ok(Standing::Replaceable(seen)),
                _ => Err(OutputError::SeveralNames(self.path.clone())),
            },
            _ => self.look(&|_| false),
        }
    }

    /// Begins new content that continues what was seen at the name.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when another file stands there by now; the system's answer otherwise.
    pub fn begin_after(&self, seen: &Seen) -> Result<NewFile<'_>, OutputError> {
        let pin = self.folder.pin(&self.name).map_err(|error| self.fail("read", error))?;
        if Seen::of(&pin.stat) != *seen {
            return Err(OutputError::Changed(self.path.clone()));
        }
        let mut old = pin.open(OFlags::RDONLY).map(File::from).map_err(|error| self.fail("read", error))?;
        let mut new = self.begin()?;
        std::io::copy(&mut old, &mut new).map_err(|error| self.fail("write", error))?;
        Ok(new)
    }
}
