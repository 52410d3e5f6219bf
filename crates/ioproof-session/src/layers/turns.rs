//! Lengths of rounds, of which all turns of all layers fit into the time.

use super::request::LayersRequest;
use ioproof_core::plan::Plan;
use ioproof_core::units::duration;
use std::time::Duration;

const WARM_UP: u32 = 5;
/// Shortest and longest round with its warm-up: what is shorter is the start of clients, what is longer is no turn any more.
const ROUND: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

fn rounds(request: &LayersRequest) -> u32 {
    let layers = request.session.targets.len() * (1 + request.loads() + request.rounds_of_databases()) + request.rounds_of_drives();
    (layers as u32 * request.turns).max(1)
}

/// The time that all rounds take together, none shorter or longer than rounds may be.
pub fn all_time(request: &LayersRequest) -> Duration {
    round(request) * rounds(request)
}

fn round(request: &LayersRequest) -> Duration {
    (request.time / rounds(request)).clamp(ROUND.0, ROUND.1)
}

/// A sentence where the time that was asked for is shorter than that, or more than twice as long.
pub fn of_other_length(request: &LayersRequest) -> Option<String> {
    let (all, asked) = (all_time(request), duration(request.time));
    if round(request) == ROUND.1 && request.time > all * 2 {
        let most = duration(ROUND.1);
        return Some(format!(
            "of --time {asked}, {} rounds of {most} each, the longest, take {}; more --runs take more",
            rounds(request),
            duration(all)
        ));
    }
    (all > request.time).then(|| {
        format!(
            "--time {} is too short for {} rounds of at least {}, which take {}; fewer --runs are shorter",
            duration(request.time),
            rounds(request),
            duration(ROUND.0),
            duration(all)
        )
    })
}

/// The plan with rounds of which all turns of all layers fit into the time.
pub fn with_lengths(plan: Plan, request: &LayersRequest) -> Plan {
    let round = round(request);
    let ramp = round / WARM_UP;
    Plan { ramp_ns: ramp.as_nanos() as u64, measure_ns: (round - ramp).as_nanos() as u64, ..plan }
}
