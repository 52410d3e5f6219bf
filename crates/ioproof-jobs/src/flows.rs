//! Flows of fio's jobs (`flow`, `flow_id`, `flow_sleep`): the part of each clone in the I/Os of its flow.

use ioproof_engine::FlowShare;
use ioproof_fio::settings::StartSettings;
use std::collections::BTreeMap;

/// Most I/Os of a round where a number of the flow is below 0.
const MOST_A_ROUND: u64 = 1000;

/// All flows of a run, by `flow_id`.
pub struct Flows(BTreeMap<u32, Parts>);

#[derive(Default)]
struct Parts {
    share: FlowShare,
    weights: Vec<i32>,
}

impl Flows {
    pub fn of<'a>(starts: impl Iterator<Item = &'a StartSettings>) -> Self {
        let mut flows = BTreeMap::<u32, Parts>::new();
        for start in starts.filter(|start| start.flow_weight != 0) {
            flows.entry(start.flow_id).or_default().weights.push(start.flow_weight);
        }
        Self(flows)
    }

    /// The share of one clone; `None` where it is in no flow.
    pub fn share(&self, start: &StartSettings) -> Option<FlowShare> {
        let parts = self.0.get(&start.flow_id).filter(|_| start.flow_weight != 0)?;
        Some(parts.share.sharing(part(start.flow_weight, &parts.weights), start.flow_sleep_ns))
    }
}

/// I/Os of a clone in each round. Where a number of the flow is below 0, all are as in fio 3.5: what an I/O adds to a counter that stays near 0, so
/// that a clone with 8 starts an eighth of the I/Os of one with -1.
fn part(weight: i32, of_all: &[i32]) -> u32 {
    if of_all.iter().all(|weight| *weight >= 0) {
        return weight.unsigned_abs();
    }
    let multiple = of_all.iter().fold(1, |multiple, weight| least_common_multiple(multiple, u64::from(weight.unsigned_abs())));
    let ios = multiple.min(MOST_A_ROUND) / u64::from(weight.unsigned_abs());
    u32::try_from(ios.max(1)).unwrap_or(u32::MAX)
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor.max(1)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(weights: &[i32]) -> Vec<u32> {
        weights.iter().map(|weight| part(*weight, weights)).collect()
    }

    // `flow.fio` and `butterfly.fio` of fio 3.5 and of 3.33.
    #[test]
    fn numbers_below_0_divide_and_others_multiply() {
        assert_eq!((parts(&[1, 8]), parts(&[2, 2])), (vec![1, 8], vec![2, 2]));
        assert_eq!((parts(&[-8, 1]), parts(&[2, -2])), (vec![1, 8], vec![1, 1]));
        assert_eq!(parts(&[-2, 3, 3]), [3, 2, 2]);
        assert_eq!(parts(&[-1000, 999, 1]), [1, 1, 1000], "a round stays short");
    }
}
