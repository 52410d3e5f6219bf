//! Looks at the places on the way of an I/O that no rule looks at: link, request queue, the devices themselves, and the load's own concurrency.

use crate::findings::bytes::foreign_io;
use crate::findings::limit::{QUEUEING, alone_ns};
use crate::findings::link_limit;
use crate::findings::prelude::*;
use crate::findings::time_at::{TimeAt, figure};

/// From this share of what it carries on, the link is what limits.
pub(crate) const LINK_FULL: f64 = 0.9;
/// Share of an I/O's time below which a place is not what limits.
const LITTLE: f64 = 0.1;

pub(crate) fn elsewhere(context: &Context, measured: &Measured) -> Vec<(Place, LimitCheck)> {
    let mut looks = vec![
        (Place::Link, link(context, measured)),
        (Place::RequestQueue, request_queue(context, measured)),
        (Place::Concurrency, concurrency(context, measured)),
    ];
    looks.extend(on_the_way(context, measured));
    looks
}

/// The figure that rules out whatever keeps this process from a CPU: of a queue that is kept full hardly any time of an I/O passes outside of the drive, and by
/// Little's law nothing else decides the rate then. None where that is not so, or where the drive is one that the CPUs of this machine make.
pub(crate) fn outside_of_the_drive(context: &Context, measured: &Measured) -> Option<Evidence> {
    let of_its_own = |kind| matches!(kind, DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi | DriveKind::Virtio | DriveKind::Mmc);
    let kept = measured.queue_in_use()?;
    // Somebody else's I/O would count for the drive's time too.
    let is_own = matches!(foreign_io::look(context, measured), LimitCheck::RuledOut(_));
    if kept < 1.0 - LITTLE || !is_own || !context.record.drives_of(measured.job).iter().all(|drive| of_its_own(drive.kind)) {
        return None;
    }
    let time = TimeAt::of(context, measured)?;
    let outside_ns = time.mean_ns() - time.parts().iter().find(|part| part.place == Place::Drive)?.ns;
    let outside = figure("time of an I/O outside of the drive", outside_ns);
    (outside_ns < LITTLE * time.mean_ns()).then(|| outside.against(LITTLE * time.mean_ns()))
}

/// True where counters tell where the time of an I/O passes.
pub(crate) fn tells_where(context: &Context, measured: &Measured) -> bool {
    TimeAt::of(context, measured).is_some()
}

/// False where the devices counted no less than the whole time of an I/O: that little passes elsewhere is likely then, and no figure shows it.
pub(crate) fn fits_its_counters(context: &Context, measured: &Measured) -> bool {
    TimeAt::of(context, measured).is_none_or(|time| !time.is_exceeded())
}

fn link(context: &Context, measured: &Measured) -> LimitCheck {
    let drives = context.record.drives_of(measured.job);
    let has_link = |kind| matches!(kind, DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi);
    if !drives.iter().any(|drive| drive.link.is_some() || has_link(drive.kind)) {
        return LimitCheck::Absent;
    }
    let used = || {
        let limit = link_limit(context, measured)?;
        let got = measured.estimate(Metric::Throughput, None)?.median;
        let figure = Evidence::number("throughput", got, Unit::BytesPerSecond).against(LINK_FULL * limit);
        (got < LINK_FULL * limit).then_some(figure)
    };
    LimitCheck::by(used())
}

fn request_queue(context: &Context, measured: &Measured) -> LimitCheck {
    let outstanding = measured.workload().outstanding();
    let drives = context.record.drives_of(measured.job);
    let fewest = drives.iter().filter_map(|drive| drive.nr_requests.as_ref()).min_by_key(|requests| requests.value);
    fewest.filter(|_| outstanding > 1).map_or(LimitCheck::Absent, |requests| {
        let figure = Evidence::number("I/Os outstanding", outstanding.into(), Unit::Count).against(requests.value.into());
        LimitCheck::by((requests.value >= outstanding).then(|| figure.read_at(requests.source.clone())))
    })
}

fn concurrency(context: &Context, measured: &Measured) -> LimitCheck {
    if measured.workload().is_unloaded() {
        return LimitCheck::Absent;
    }
    let times = alone_ns(context, measured).zip(measured.merged_latency().mean_ns()).map(|(alone, mean)| mean / alone);
    let figure = |times| Evidence::number("mean latency / that of one alone", times, Unit::Average).against(QUEUEING);
    LimitCheck::by(times.filter(|times| *times > QUEUEING).map(figure))
}

/// The devices and the way to them: a place where little of the time passes is ruled out. Where no times were counted, all are open.
fn on_the_way(context: &Context, measured: &Measured) -> Vec<(Place, LimitCheck)> {
    let Some(time) = TimeAt::of(context, measured) else {
        return vec![(Place::Path, LimitCheck::Open), (Place::Drive, LimitCheck::Open)];
    };
    let look = |share: f64, figure: Evidence| LimitCheck::by((share < LITTLE).then(|| figure.against(LITTLE * time.mean_ns())));
    time.parts().iter().map(|part| (part.place, look(part.ns / time.mean_ns(), part.evidence()))).collect()
}
