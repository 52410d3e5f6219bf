//! In which order or how often blocks are visited.

use super::decimal;
use crate::units::block_size;
use serde::{Deserialize, Serialize};

/// In which order or how often blocks are visited, beyond [`crate::workload::Pattern`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Sequential: one after the other. Random: every block once a pass.
    #[default]
    Plain,
    /// Sequential, with this distance between the starts of two I/Os. Bytes; a multiple of the block size.
    Strided {
        /// From one start to the next. Bytes.
        stride_bytes: u64,
    },
    /// Sequential with a gap after each I/O. Below 0 it goes backwards, and from the start to the end less the gap.
    Skipping {
        /// From the end of one I/O to the start of the next; bytes, a multiple of 512.
        skip_bytes: i64,
        /// The job is also over after so many passes of every target; 0: it is not.
        passes: u32,
        /// True where a pass goes on from the start when the gap leads past the end, and is over only where an I/O ended exactly there; else it is over when no
        /// further I/O has room. Backwards it always goes on.
        wraps: bool,
    },
    /// Random: so many I/Os one after the other, then a jump to a place that is drawn.
    Runs {
        /// I/Os in a row; at least 1.
        ios: u32,
        /// Map of the blocks that were visited, by which no place is drawn again before all were, where sizes differ.
        #[serde(default, skip_serializing_if = "VisitMap::is_none")]
        map: VisitMap,
    },
    /// Random: so many I/Os at the same place, then another one that is drawn.
    Repeated {
        /// I/Os at a place; at least 1.
        ios: u32,
        /// True where each place is drawn independently of those before; else every block comes once a pass.
        free: bool,
    },
    /// Random: each I/O jumps with this chance, and else follows the one before.
    PartlyRandom {
        /// Share of the I/Os that jump. Percent.
        random_percent: u8,
        /// Map of the blocks that were visited, by which no place is drawn again before all were, where sizes differ.
        #[serde(default, skip_serializing_if = "VisitMap::is_none")]
        map: VisitMap,
    },
    /// Random: each block alike at every draw, so that some come often and some never.
    Free,
    /// A log of recorded I/O says kind, place, size and time of each; sizes and shares of the workload sum that log up.
    Recorded,
    /// Random: the block of rank `r` is drawn in proportion to `1 / r^theta` (Gray et al., SIGMOD 1994). Ranks are scattered over the span.
    Zipf {
        /// Thousandths; 1 to 9999, but not 1000.
        theta_milli: u32,
        /// Where the block of the first rank lies, as a share of the span: millionths; `None`: anywhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        center_ppm: Option<u32>,
    },
    /// Random: self-similar; of all I/Os a share `1 - h` goes to a share `h` of the blocks, and so on within (Gray et al., SIGMOD 1994).
    Pareto {
        /// Thousandths; 1 to 999.
        h_milli: u32,
        /// Where the first block lies, as a share of the span: millionths; `None`: anywhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        center_ppm: Option<u32>,
    },
    /// Random: normally distributed about the middle of the span, or about another place.
    Normal {
        /// Standard deviation as a share of the span, in thousandths; 1 to 1000.
        deviation_milli: u32,
        /// The mean as a share of the span: millionths; `None`: the middle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        center_ppm: Option<u32>,
    },
    /// Random, of several sizes: every smallest block once a pass. An I/O begins at a block that is drawn, or at the next one that was not visited yet, and is cut
    /// short before one that was; this takes a map, a bit a block.
    Mapped {
        /// True where blocks may come with repetition instead if there is no memory for the map.
        optional: bool,
    },
    /// Random: each multiple of this distance from the start alike at every draw.
    Aligned {
        /// Bytes; a multiple of 512.
        bytes: u64,
    },
    /// Zones one after the other, and from the first again: sequential from the start of each, or random within it.
    InZones {
        /// Bytes of a zone.
        range_bytes: u64,
        /// Bytes of I/O in a zone before the next; more than a zone has begin again at its start.
        io_bytes: u64,
        /// Bytes between two zones.
        skip_bytes: u64,
    },
    /// Zones that are written one I/O after the other from their start, in turn or as they are drawn, and that begin again when they are full. Reads go where
    /// something was written.
    WritePointers(WrittenZones),
    /// Random: each zone gets a share of the I/Os.
    Zoned {
        /// From the start of the span; the shares of each kind add up to 100.
        zones: Vec<Zone>,
    },
}

/// Map of the blocks that were visited, a bit a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VisitMap {
    /// No map is kept.
    #[default]
    None,
    /// A map is kept.
    Needed,
    /// A map is kept where there is memory for it.
    Optional,
}

impl VisitMap {
    fn is_none(&self) -> bool {
        *self == Self::None
    }

    fn describe(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Needed => ", each place drawn once a pass",
            Self::Optional => ", each place drawn once a pass where memory allows",
        }
    }
}

/// Zones with a write pointer each, which are the load's own and not the drive's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrittenZones {
    /// From the start of a zone to that of the next. Bytes, a multiple of 512.
    pub zone_bytes: u64,
    /// Bytes of a zone that are written before it is full; a multiple of 512.
    pub capacity_bytes: u64,
    /// Sequential: bytes between two zones.
    pub skip_bytes: u64,
    /// Random: true where each zone is drawn alike at every draw; else as often as it has blocks.
    pub free: bool,
    /// Most zones that are begun and not full; 0: no limit.
    pub most_open: u32,
    /// Share of the span that has data from which on zones are reset before they are full. Parts per million.
    pub reset_above_ppm: u32,
    /// Every so many writes; 0: only full zones are reset.
    pub reset_every: u32,
}

impl WrittenZones {
    fn describe(&self) -> String {
        let [zone, capacity] = [self.zone_bytes, self.capacity_bytes].map(block_size);
        let mut words = vec![format!("at the write pointers of zones of {zone}")];
        words.extend((self.capacity_bytes < self.zone_bytes).then(|| format!("{capacity} of each")));
        words.extend((self.skip_bytes > 0).then(|| format!("{} apart", block_size(self.skip_bytes))));
        words.extend((self.most_open > 0).then(|| format!("at most {} open", self.most_open)));
        let above = || decimal(f64::from(self.reset_above_ppm) / 1e4);
        words.extend((self.reset_every > 0).then(|| format!("a reset every {} writes above {} % of data", self.reset_every, above())));
        words.join(", ")
    }
}

/// A part of the span with a share of the I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Zone {
    /// Share of the I/Os. Percent.
    pub access_percent: u8,
    /// Share of the span. Percent.
    pub span_percent: u8,
}

impl Order {
    /// The map that it takes where sizes differ.
    pub fn map(&self) -> VisitMap {
        match self {
            Self::Mapped { optional: true } => VisitMap::Optional,
            Self::Mapped { optional: false } => VisitMap::Needed,
            Self::Runs { map, .. } | Self::PartlyRandom { map, .. } => *map,
            _ => VisitMap::None,
        }
    }

    /// The same without a map: blocks come with repetition.
    #[must_use]
    #[inline]
    pub fn without_map(&self) -> Self {
        let map = VisitMap::None;
        match self {
            Self::Mapped { .. } => Self::Free,
            Self::Runs { ios, .. } => Self::Runs { ios: *ios, map },
            Self::PartlyRandom { random_percent, .. } => Self::PartlyRandom { random_percent: *random_percent, map },
            other => other.clone(),
        }
    }

    /// In a few words with its figures; `None` where it is plain.
    pub(super) fn describe(&self) -> Option<String> {
        let milli = |n: &u32| decimal(f64::from(*n) / 1e3);
        Some(match self {
            Self::Plain => return None,
            Self::Strided { stride_bytes } => format!("every {}", block_size(*stride_bytes)),
            Self::Skipping { skip_bytes, .. } => {
                format!("{} {} after each", block_size(skip_bytes.unsigned_abs()), if *skip_bytes < 0 { "back" } else { "left out" })
            }
            Self::Runs { ios, map } => format!("{ios} in a row{}", map.describe()),
            Self::PartlyRandom { random_percent, map } => format!("{random_percent} % random{}", map.describe()),
            Self::Free => "with repetition".into(),
            Self::Recorded => "recorded I/O replayed".into(),
            Self::Repeated { ios, free } => format!("{ios} at a place, places {}", if *free { "with repetition" } else { "once a pass" }),
            Self::Zipf { theta_milli, center_ppm } => format!("zipf {}{}", milli(theta_milli), about(*center_ppm)),
            Self::Pareto { h_milli, center_ppm } => format!("pareto {}{}", milli(h_milli), about(*center_ppm)),
            Self::Normal { deviation_milli, center_ppm } => format!("normal {}{}", milli(deviation_milli), about(*center_ppm)),
            Self::Mapped { optional } => {
                format!("each block once a pass, sizes cut to what is left{}", if *optional { ", where memory allows" } else { "" })
            }
            Self::Aligned { bytes } => format!("multiples of {}", block_size(*bytes)),
            Self::InZones { range_bytes, io_bytes, skip_bytes } => {
                let [range, io, skip] = [range_bytes, io_bytes, skip_bytes].map(|bytes| block_size(*bytes));
                format!("{io} in each zone of {range}, {skip} apart")
            }
            Self::WritePointers(zones) => zones.describe(),
            Self::Zoned { zones } => {
                let zones: Vec<_> = zones.iter().map(|z| format!("{}/{}", z.access_percent, z.span_percent)).collect();
                format!("zoned {}", zones.join(":"))
            }
        })
    }
}

fn about(center_ppm: Option<u32>) -> String {
    center_ppm.map(|ppm| format!(" about {} %", decimal(f64::from(ppm) / 1e4))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_records_do_not_have_is_absent() {
        let orders = [
            (r#"{"runs":{"ios":8}}"#, Order::Runs { ios: 8, map: VisitMap::None }),
            (r#"{"partly_random":{"random_percent":30}}"#, Order::PartlyRandom { random_percent: 30, map: VisitMap::None }),
            (r#"{"zipf":{"theta_milli":1200}}"#, Order::Zipf { theta_milli: 1200, center_ppm: None }),
            (r#"{"pareto":{"h_milli":200}}"#, Order::Pareto { h_milli: 200, center_ppm: None }),
            (r#"{"normal":{"deviation_milli":100}}"#, Order::Normal { deviation_milli: 100, center_ppm: None }),
        ];
        for (text, order) in orders {
            assert_eq!(serde_json::from_str::<Order>(text).unwrap(), order);
            assert_eq!(serde_json::to_string(&order).unwrap(), text);
        }
    }

    #[test]
    fn centres_and_repetitions_are_said() {
        let words = |order: Order| order.describe().unwrap_or_default();
        assert_eq!(words(Order::Zipf { theta_milli: 1200, center_ppm: Some(255_000) }), "zipf 1.2 about 25.5 %");
        assert_eq!(words(Order::Normal { deviation_milli: 100, center_ppm: Some(0) }), "normal 0.1 about 0 %");
        assert_eq!(words(Order::Repeated { ios: 4, free: false }), "4 at a place, places once a pass");
        assert_eq!(words(Order::Runs { ios: 8, map: VisitMap::Needed }), "8 in a row, each place drawn once a pass");
        assert_eq!(words(Order::Mapped { optional: false }), "each block once a pass, sizes cut to what is left");
        assert!(words(Order::Mapped { optional: true }).ends_with(", where memory allows"));
        let zones = WrittenZones {
            zone_bytes: 65536,
            capacity_bytes: 49152,
            skip_bytes: 0,
            free: true,
            most_open: 2,
            reset_above_ppm: 305_000,
            reset_every: 10,
        };
        assert_eq!(
            words(Order::WritePointers(zones)),
            "at the write pointers of zones of 64 KiB, 48 KiB of each, at most 2 open, a reset every 10 writes above 30.5 % of data"
        );
    }
}
