//! Description of a session, as the witness keeps it: what is written where, and on which target, so that a check knows it again.

use crate::names::NamesPlan;
use ioproof_core::identity::Identity;
use ioproof_core::job::Span;
use serde::{Deserialize, Serialize};

/// Everything that a check needs to know beside the acknowledgements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// 2; 1 has neither trims nor several writes behind one sync.
    pub version: u32,
    /// The target.
    pub target: TargetId,
    /// The start of the machine that wrote (`boot_id`, random(4)).
    pub boot_id: Option<String>,
    /// Name of the machine that wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `write back` or `write through`, as the kernel took the drive: with the latter it sends no flush.
    #[serde(default)]
    pub write_cache: Option<String>,
    /// Power cycles that the drives count together; none where one of them tells none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_cycles: Option<u64>,
    /// Size of every block. Bytes.
    pub block_bytes: u32,
    /// The streams of blocks, each on a part of its own.
    pub streams: Vec<StreamPlan>,
    /// The streams of operations on names, each in a folder of its own below the target.
    #[serde(default)]
    pub names: Vec<NamesPlan>,
}

/// Marks by which the target is known again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetId {
    /// As it was typed.
    pub given: String,
    /// Its size. Bytes.
    pub size_bytes: u64,
    /// Serial number of the drive, where there is one.
    #[serde(default)]
    pub serial: Option<String>,
    /// Further marks of it.
    #[serde(default)]
    pub identity: Option<Identity>,
}

/// The newest version of a description.
pub const VERSION: u32 = 2;

/// One stream: a writer that has each group of blocks durable before it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamPlan {
    /// Its number.
    pub stream: u32,
    /// Order of its blocks.
    pub order: Order,
    /// The way in which a block is made durable.
    pub sync: How,
    /// Blocks of a group, which are written before they are synced together. Of no effect where each write is durable by itself.
    #[serde(default = "one")]
    pub writes_per_sync: u32,
    /// The part of the target that is its own.
    pub span: Span,
}

/// Order in which blocks are written, over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One behind the other.
    Sequential,
    /// Any.
    Random,
    /// Runs of one group anywhere, which are written, synced, trimmed and synced again.
    Trim,
}

fn one() -> u32 {
    1
}

/// The call after which a block is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// fdatasync(2) after the write.
    Fdatasync,
    /// fsync(2) after the write.
    Fsync,
    /// The write itself, as with O_DSYNC; FUA where the drive has it.
    Dsync,
    /// The write itself, as with O_SYNC.
    Sync,
}

impl How {
    /// True where a call behind the writes makes them durable, and not the writes themselves.
    #[must_use]
    pub fn is_flush(self) -> bool {
        matches!(self, Self::Fdatasync | Self::Fsync)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fdatasync => "fdatasync",
            Self::Fsync => "fsync",
            Self::Dsync => "O_DSYNC",
            Self::Sync => "O_SYNC",
        }
    }
}

impl Order {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Sequential, Self::Random, Self::Trim];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
            Self::Trim => "trim",
        }
    }
}

impl StreamPlan {
    /// Blocks that are acknowledged together.
    #[must_use]
    pub fn writes_at_once(&self) -> u64 {
        if self.sync.is_flush() { u64::from(self.writes_per_sync.max(1)) } else { 1 }
    }

    /// The group of a step, from 1. Of runs that are trimmed the writes and the trims are of one.
    #[must_use]
    pub fn group(&self, sequence: u64) -> u64 {
        let steps = if self.order == Order::Trim { 2 * self.writes_at_once() } else { self.writes_at_once() };
        sequence.div_ceil(steps)
    }
}

impl TargetId {
    /// True where both are one beyond doubt: a mark that nothing else bears is the same, and nothing speaks against it.
    #[must_use]
    pub fn is_proven(&self, now: &Self) -> bool {
        let identities = self.identity.as_ref().zip(now.identity.as_ref());
        self.difference(now).is_none() && identities.is_some_and(|(then, now)| then.is_proven(now))
    }

    /// Leaves out the numbers that the kernel gives to a drive anew when it alone was switched off and on.
    #[must_use]
    pub fn lasting(&self) -> Self {
        Self { identity: self.identity.as_ref().map(Identity::lasting), ..self.clone() }
    }

    /// Says by what another target bears the name of this one; none where nothing speaks against their being one.
    #[must_use]
    pub fn difference(&self, now: &Self) -> Option<String> {
        let serials = self.serial.as_ref().zip(now.serial.as_ref()).filter(|(then, now)| then != now);
        match serials {
            Some((then, now)) => Some(format!("its serial number is {now}, and was {then}")),
            None if self.size_bytes != now.size_bytes => Some(format!("it has {} bytes, and had {}", now.size_bytes, self.size_bytes)),
            None => self.identity.as_ref()?.difference(now.identity.as_ref()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_counted_by_their_steps_and_an_old_plan_has_groups_of_one() {
        let plan =
            |order, sync| StreamPlan { stream: 1, order, sync, writes_per_sync: 8, span: Span { offset_bytes: 0, length_bytes: 1 << 20 } };
        let groups = |plan: StreamPlan| [1, 8, 9, 16, 17].map(|sequence| plan.group(sequence));
        assert_eq!(groups(plan(Order::Random, How::Fsync)), [1, 1, 2, 2, 3]);
        assert_eq!(groups(plan(Order::Trim, How::Fsync)), [1, 1, 1, 1, 2]);
        assert_eq!(groups(plan(Order::Random, How::Dsync)), [1, 8, 9, 16, 17]);
        let old = r#"{"stream":1,"order":"random","sync":"fsync","span":{"offset_bytes":0,"length_bytes":512}}"#;
        assert_eq!(serde_json::from_str::<StreamPlan>(old).unwrap().group(7), 7);
    }

    #[test]
    fn a_description_comes_back_and_another_target_is_told() {
        let target = TargetId { given: "/dev/sda".into(), size_bytes: 1 << 30, serial: Some("A".into()), identity: None };
        let span = Span { offset_bytes: 0, length_bytes: 1 << 20 };
        let streams = vec![StreamPlan { stream: 1, order: Order::Random, sync: How::Dsync, writes_per_sync: 1, span }];
        let description = Description {
            version: VERSION,
            target: target.clone(),
            boot_id: None,
            host: None,
            write_cache: None,
            power_cycles: None,
            block_bytes: 4096,
            streams,
            names: vec![],
        };
        let text = serde_json::to_string(&description).unwrap();
        assert_eq!(serde_json::from_str::<Description>(&text).unwrap(), description);
        assert_eq!(target.difference(&target), None);
        assert!(target.difference(&TargetId { serial: Some("B".into()), ..target.clone() }).unwrap().contains("serial number is B"));
        let numbered = |diskseq| {
            let identity = Identity { boot_id: Some("a".into()), diskseq: Some(diskseq), ..Identity::default() };
            TargetId { serial: None, identity: Some(identity), ..target.clone() }
        };
        assert!(numbered(5).difference(&numbered(7)).unwrap().contains("diskseq"));
        assert_eq!(numbered(5).lasting().difference(&numbered(7)), None, "the drive alone was off");
        assert!(target.difference(&TargetId { size_bytes: 1, serial: None, ..target.clone() }).unwrap().contains("1 bytes"));
    }
}
