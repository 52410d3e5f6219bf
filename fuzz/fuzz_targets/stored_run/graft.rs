//! A field of one record in the place of the field of that name in another.

use crate::random::Random;
use crate::tree;
use ioproof_core::record::RunRecord;
use serde_json::Value;

/// Writes `one` with a field of `other` into `out`; returns its length.
pub fn cross_over(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let grafted = graft(one, other, &mut Random::new(seed)).filter(|bytes| bytes.len() <= out.len());
    let bytes = grafted.as_deref().unwrap_or(&one[..one.len().min(out.len())]);
    out[..bytes.len()].copy_from_slice(bytes);
    bytes.len()
}

fn graft(one: &[u8], other: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut one: Value = serde_json::from_slice(one).ok()?;
    let other: Value = serde_json::from_slice(other).ok()?;
    let number = random.below(tree::count(&one));
    let (value, name) = tree::node(&mut one, &mut number.clone(), "")?;
    let mut alike = Vec::new();
    tree::named(&other, &name, "", &mut alike);
    *value = (**alike.get(random.below(alike.len().max(1)))?).clone();
    serde_json::to_vec(&one).ok().filter(|bytes| serde_json::from_slice::<RunRecord>(bytes).is_ok())
}
