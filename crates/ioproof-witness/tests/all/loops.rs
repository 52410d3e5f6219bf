//! A witness whose disk is full. Needs root.

use crate::common::*;
use ioproof_witness::{Error, NotTaken, Reason, Settings};
use std::path::Path;
use std::process::Command;

struct SmallFolder(tempfile::TempDir);

impl SmallFolder {
    fn new(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", size, "none"]).arg(folder.path()).status().unwrap();
        assert!(mounted.success());
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallFolder {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_told_and_it_goes_on_when_there_is_room() {
    let (disk, campaign) = (SmallFolder::new("size=4m"), campaign());
    let mut server = serve(&disk.path().join("records"), Settings::default());
    let address = server.address().to_string();
    let client = connect(&address, campaign);
    acknowledge(&client, 1);
    assert!(client.wait_stored(1, LONG));
    let ballast = disk.path().join("ballast");
    let _ = std::fs::write(&ballast, vec![1; 4 << 20]);
    let mut sequence = 1;
    while client.acknowledge(&[write(sequence + 1)]) != Err(NotTaken::Full) {
        sequence += 1;
    }
    while client.progress().why.is_none_or(|why| !why.contains("No space left")) {
        std::thread::yield_now();
    }
    let progress = client.progress();
    assert!(progress.away.is_some() && progress.error.is_none() && progress.stored < sequence, "{progress:?}");
    // Others are refused as well, and what is there can be read.
    let seen = sequences(&address, campaign);
    assert!(seen.len() as u64 >= progress.stored && seen == (1..=seen.len() as u64).collect::<Vec<u64>>());
    let refused = ioproof_witness::Options { patience: std::time::Duration::from_secs(1), ..Default::default() };
    let other = ioproof_witness::WitnessClient::connect_with(&address, &key(), begin(crate::common::campaign()), &refused);
    assert!(matches!(other.err(), Some(Error::Refused { reason: Reason::Storage, .. } | Error::Away { .. })));
    std::fs::remove_file(&ballast).unwrap();
    // Sixteen MiB of the queue do not fit on the disk at once.
    assert!(client.wait_stored(progress.stored + 1, LONG));
    let stored = client.stored();
    drop(client);
    server.stop();
    drop(server);
    let server = serve(&disk.path().join("records"), Settings::default());
    let seen = sequences(&server.address().to_string(), campaign);
    assert!(seen.len() as u64 >= stored && seen == (1..=seen.len() as u64).collect::<Vec<u64>>());
}
