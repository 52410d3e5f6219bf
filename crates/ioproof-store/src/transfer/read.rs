//! An export as it is read: nothing is believed before its digest fits, and nothing is read that the head does not bound.

use anyhow::{Context, Result, bail};
use ioproof_core::export::{Contents, ExportError, MOST_HEAD_BYTES, read_head};
use ioproof_process::complaint::complaint;
use ioproof_process::digest::sha256;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

/// An export whose head is right and whose length is what the head says.
#[derive(Debug)]
pub struct Reader {
    file: File,
    contents: Contents,
    begins: Vec<u64>,
}

impl Reader {
    /// Reads the head of a regular file that is open at its beginning.
    ///
    /// # Errors
    /// When it is no export, is damaged, or is of a later format.
    pub fn of(file: File) -> Result<Self> {
        let mut bytes = Vec::new();
        (&file).take(MOST_HEAD_BYTES as u64).read_to_end(&mut bytes)?;
        let head = read_head(&bytes).map_err(told)?;
        if sha256(&[&bytes[..head.digested_bytes]]) != head.sha256 {
            return Err(damaged("its table does not fit its SHA-256"));
        }
        let (length_bytes, expected_bytes) = (file.metadata()?.len(), head.contents.size_bytes() + head.length_bytes as u64);
        if length_bytes != expected_bytes {
            return Err(damaged(&format!("it has {length_bytes} bytes and is to have {expected_bytes}")));
        }
        let mut at = head.length_bytes as u64;
        let begin = |size_bytes: u64| {
            at += size_bytes;
            at - size_bytes
        };
        let begins = head.contents.files.iter().map(|file| file.size_bytes).map(begin).collect();
        Ok(Self { file, contents: head.contents, begins })
    }

    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Reads the file at this place of the table.
    pub fn read(&self, at: usize) -> Result<Vec<u8>> {
        let (Some(file), Some(begin)) = (self.contents.files.get(at), self.begins.get(at)) else { bail!("it has no such file") };
        let mut bytes = vec![0; usize::try_from(file.size_bytes)?];
        self.file.read_exact_at(&mut bytes, *begin).with_context(|| format!("cannot read {} of it", file.name))?;
        if sha256(&[&bytes]) != file.sha256 {
            return Err(damaged(&format!("{} of it does not fit its SHA-256", file.name)));
        }
        Ok(bytes)
    }

    /// Reads all of it, and keeps nothing.
    ///
    /// # Errors
    /// When any file does not fit its digest.
    pub fn check(&self) -> Result<()> {
        (0..self.contents.files.len()).try_for_each(|at| self.read(at).map(drop))
    }
}

fn damaged(why: &str) -> anyhow::Error {
    complaint(why, "it is damaged or was changed: export the run again, and compare the copies")
}

fn told(error: ExportError) -> anyhow::Error {
    let hint = match error {
        ExportError::Foreign => "`ioproof runs export RUN` makes one",
        ExportError::Newer(_) => "use a newer ioproof",
        ExportError::Line { .. } | ExportError::Table(_) => "it is damaged or hostile: have the run exported again",
    };
    complaint(error.to_string(), hint)
}
