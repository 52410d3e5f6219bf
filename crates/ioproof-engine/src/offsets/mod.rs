//! The sequence of offsets of a worker: one after the other, every block once per pass in random order, or drawn from a distribution.
//!
//! All sequences count in units of the workload's smallest block from the start of the worker's part, stay inside that part whatever the size of the I/O,
//! and allocate nothing once they are made. But one, that of I/Os which are cut to what was not visited yet, none keeps a map or a table of the span: a target of
//! any size costs the same memory.

mod ascending;
mod check;
mod in_zones;
mod jumping;
mod map;
mod mapped;
mod normal;
mod pareto;
mod part;
mod repeated;
mod scatter;
mod shuffle;
mod skipping;
mod spread;
#[cfg(test)]
mod tests;
mod write_pointers;
mod zipf;
mod zoned;

pub(crate) use check::{check, least_room_bytes};
pub(crate) use mapped::map_bytes;
#[cfg(test)]
pub(crate) use tests::spec_of;

use crate::random::Draws;
use ascending::Ascending;
use in_zones::InZones;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::shape::{Order, VisitMap};
use ioproof_core::workload::Pattern;
use jumping::{Jumping, Jumps};
use mapped::MappedPass;
use normal::Normal;
use pareto::Pareto;
use part::Part;
use repeated::Repeated;
use shuffle::Shuffle;
use skipping::Skipping;
use spread::SpreadPlaces;
use std::collections::TryReserveError;
use write_pointers::WritePointers;
use zipf::Zipf;
use zoned::Zoned;

/// Sets the seed of the scattering apart from those of the draws.
const SCATTER_SALT: u64 = 0x6a09_e667_f3bc_c908;

/// The sequence of byte offsets of one worker.
#[derive(Debug, Clone)]
pub(crate) enum Offsets {
    /// One after the other, with or without gaps.
    Ascending(Ascending),
    /// With gaps, forwards or backwards.
    Skipping(Skipping),
    /// Runs of I/Os in sequence, each beginning at a random place.
    Jumping(Box<Jumping>),
    /// Each place several times.
    Repeated(Box<Repeated>),
    /// Every block once per pass.
    Shuffled(Shuffle),
    /// The same where sizes differ.
    Mapped(Box<MappedPass>),
    /// Each block alike at every draw.
    Free(Part, Draws),
    /// A few blocks much more often than the others.
    Zipf(Part, Draws, SpreadPlaces, Zipf),
    /// A few blocks much more often than the others.
    Pareto(Part, Draws, SpreadPlaces, Pareto),
    /// About the middle, or another place.
    Normal(Part, Draws, Normal),
    /// Multiples of a distance.
    Aligned(Part, Draws, u64),
    /// Some in one zone, then some in the next.
    InZones(Box<InZones>),
    /// At the write pointer of the zone that is next or was drawn.
    WritePointers(Box<WritePointers>),
    /// Each zone with its share.
    Zoned(Part, Draws, Box<Zoned>),
}

impl Offsets {
    /// The sequence of worker number `worker` on its part of target `target`. The job must have passed [`check`]. `waits`: one that comes to every block is over
    /// after a pass, until another is begun.
    ///
    /// # Errors
    /// Where there is no memory for the map that it needs.
    pub(crate) fn new(spec: &JobSpec, worker: u32, target: usize, waits: bool) -> Result<Self, TryReserveError> {
        let part = Part::of(spec, worker, target);
        let once = waits || spec.until == Until::SpanCovered;
        let job_seed = spec.seed ^ ((target as u64) << 40);
        let seed = job_seed ^ (u64::from(worker) << 32);
        let random = Draws::new(seed);
        // All workers prefer the same blocks, else many of them together would prefer none.
        let spread = |center_ppm| SpreadPlaces::new(part.units, center_ppm, &mut Draws::new(job_seed ^ SCATTER_SALT));
        Ok(match (spec.workload.pattern, &spec.workload.shape.order) {
            (_, Order::Strided { stride_bytes }) => Self::Ascending(Ascending::new(part, *stride_bytes, once)),
            (Pattern::Sequential, Order::Skipping { skip_bytes, .. }) => {
                Self::Skipping(Skipping::new(part, part.end_with_rest(spec, worker, target), *skip_bytes))
            }
            (pattern, Order::InZones { range_bytes, io_bytes, skip_bytes }) => {
                let random = (pattern == Pattern::Random).then_some(random);
                Self::InZones(Box::new(InZones::new(part, (*range_bytes, *skip_bytes), *io_bytes, random)))
            }
            (pattern, Order::WritePointers(zones)) => {
                let places = (pattern == Pattern::Random).then(|| write_pointers::places(spec, part, seed, zones.free));
                Self::WritePointers(Box::new(WritePointers::new(part, *zones, places, spec.workload.largest_block_bytes())?))
            }
            // One that ends with its pass would leave out what lies before.
            (Pattern::Sequential, _) if spec.until == Until::SpanCovered => Self::Ascending(Ascending::new(part, 0, once)),
            (Pattern::Sequential, _) => Self::Ascending(Ascending::new(part, 0, once).beginning_at(part, spec.placement.begin_ppm)),
            (_, Order::Mapped { .. }) if is_mapped(spec) => Self::Mapped(Box::new(MappedPass::new(part, random)?)),
            // A pass in which each block comes once cannot be made of I/Os that cover one block now and two then, without a map of what was visited.
            (_, Order::Plain) if sizes_differ(spec) => Self::Free(part, random),
            (_, Order::Plain | Order::Mapped { .. }) => Self::Shuffled(Shuffle::new(part, seed, once)),
            (_, Order::Free | Order::Recorded | Order::Skipping { .. }) => Self::Free(part, random),
            (_, Order::Runs { ios, .. }) => Self::Jumping(Box::new(Jumping::new(part, random, Jumps::Every(*ios), is_mapped(spec))?)),
            (_, Order::PartlyRandom { random_percent, .. }) => {
                Self::Jumping(Box::new(Jumping::new(part, random, Jumps::Chance(*random_percent), is_mapped(spec))?))
            }
            (_, Order::Repeated { ios, free }) => {
                let free = *free || sizes_differ(spec);
                let places = if free { Self::Free(part, random) } else { Self::Shuffled(Shuffle::new(part, seed, once)) };
                Self::Repeated(Box::new(Repeated::new(places, part, *ios)))
            }
            (_, Order::Zipf { theta_milli, center_ppm }) => {
                Self::Zipf(part, random, spread(*center_ppm), Zipf::new(part.units, *theta_milli))
            }
            (_, Order::Pareto { h_milli, center_ppm }) => {
                Self::Pareto(part, random, spread(*center_ppm), Pareto::new(part.units, *h_milli))
            }
            (_, Order::Normal { deviation_milli, center_ppm }) => {
                Self::Normal(part, random, Normal::new(part.units, *deviation_milli, *center_ppm))
            }
            (_, Order::Aligned { bytes }) => Self::Aligned(part, random, *bytes),
            (_, Order::Zoned { zones }) => Self::Zoned(part, random, Box::new(Zoned::new(part, zones))),
        })
    }

    /// I/Os of the smallest size that the worker's part of the target has room for.
    pub(crate) fn blocks(spec: &JobSpec, worker: u32, target: usize) -> u64 {
        Part::of(spec, worker, target).places(spec.workload.smallest_block_bytes())
    }

    /// A pass begins at the start of the part, where the order has passes that end early.
    pub(crate) fn restart(&mut self) {
        if let Self::Skipping(skipping) = self {
            skipping.restart();
        }
    }

    /// Offset of an I/O of `bytes`; `None` when the job is to visit every block once and has, or when the worker's part is smaller than `bytes`.
    #[inline]
    pub(crate) fn next(&mut self, bytes: u32) -> Option<u64> {
        match self {
            Self::Ascending(ascending) => ascending.next(bytes),
            Self::Shuffled(shuffle) => shuffle.next(),
            _ => self.draw(bytes),
        }
    }

    /// Offset of an I/O and how many bytes it has: `bytes`, but fewer in a sequence that cuts I/Os short; one that does not fit in such a sequence, or before
    /// the end of an ascending one, is drawn again.
    #[inline]
    pub(crate) fn place(&mut self, bytes: u32, is_read: bool, again: impl FnMut() -> u32) -> Option<(u64, u32)> {
        match self {
            Self::WritePointers(zones) => zones.place(bytes, is_read),
            Self::Mapped(mapped) => mapped.next(bytes, again),
            Self::Jumping(jumping) => jumping.next(bytes, again),
            Self::Ascending(ascending) => {
                let bytes = ascending.fitting(bytes, again);
                ascending.next(bytes).map(|offset| (offset, bytes))
            }
            other => other.next(bytes).map(|offset| (offset, bytes)),
        }
    }

    /// Begins another pass of a sequence that waits for this at the end of each; tells whether it has begun.
    pub(crate) fn begin_pass(&mut self) -> bool {
        match self {
            Self::Mapped(mapped) => return mapped.begin_pass(),
            Self::Ascending(ascending) => ascending.begin_pass(),
            Self::Shuffled(shuffle) => shuffle.begin_pass(),
            _ => return false,
        }
        // These two begin whenever they are told to, since they are asked only when they are over.
        true
    }

    /// The next places of I/Os of `bytes`, as many as there is room for; fewer when the job has no more. Gives how many.
    #[inline]
    pub(crate) fn fill(&mut self, places: &mut [u64], bytes: u32) -> usize {
        match self {
            Self::Ascending(ascending) => fill(places, || ascending.next(bytes)),
            Self::Shuffled(shuffle) => shuffle.fill(places),
            _ => fill(places, || self.draw(bytes)),
        }
    }

    /// The sequences that draw each place, kept out of line so that the two others stay small in the loop.
    #[inline(never)]
    fn draw(&mut self, bytes: u32) -> Option<u64> {
        match self {
            Self::Ascending(_) | Self::Shuffled(_) => self.next(bytes),
            Self::Skipping(skipping) => skipping.next(bytes),
            Self::Mapped(_) | Self::Jumping(_) | Self::WritePointers(_) => self.place(bytes, false, || bytes).map(|(offset, _)| offset),
            Self::Repeated(repeated) => repeated.next(bytes),
            Self::Free(part, random) => {
                let index = random.below(part.places(bytes));
                part.at(index, bytes)
            }
            Self::Zipf(part, random, spread, zipf) => part.at(spread.of(zipf.rank(random)), bytes),
            Self::Pareto(part, random, spread, pareto) => part.at(spread.of(pareto.rank(random)), bytes),
            Self::Normal(part, random, normal) => part.at(normal.index(random), bytes),
            Self::Aligned(part, random, align) => part.at_multiple(random, *align, bytes),
            Self::InZones(zones) => zones.next(bytes),
            Self::Zoned(part, random, zoned) => part.at(zoned.index(random, bytes), bytes),
        }
    }
}

/// Fills the room that there is; gives how many.
#[inline]
fn fill(places: &mut [u64], mut next: impl FnMut() -> Option<u64>) -> usize {
    for (filled, place) in places.iter_mut().enumerate() {
        match next() {
            Some(offset) => *place = offset,
            None => return filled,
        }
    }
    places.len()
}

/// True where the job keeps a map of visited blocks.
fn is_mapped(spec: &JobSpec) -> bool {
    spec.workload.shape.order.map() != VisitMap::None && sizes_differ(spec)
}

/// True where the I/Os of the job differ in size.
fn sizes_differ(spec: &JobSpec) -> bool {
    spec.workload.smallest_block_bytes() != spec.workload.largest_block_bytes()
}
