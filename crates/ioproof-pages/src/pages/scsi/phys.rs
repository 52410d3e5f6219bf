//! The phys of a SAS port (log page 18h): their link rates and errors (SPL-4, Protocol Specific Port log page for SAS).

use super::hex;
use crate::pages::{Field, Value, field};

const DESCRIPTOR: usize = 48;
const SAS: u8 = 6;

/// Negotiated logical link rates in Gb/s, from code 8.
const RATES: [f64; 5] = [1.5, 3.0, 6.0, 12.0, 22.5];

/// (offset, key, title) of the counters of a descriptor.
const COUNTERS: [(usize, &str, &str); 4] = [
    (32, "invalid_dwords", "invalid dwords"),
    (36, "disparity_errors", "running disparity errors"),
    (40, "dword_synchronization_losses", "losses of dword synchronization"),
    (44, "reset_problems", "phy reset problems"),
];

/// The fields of each phy, and the fastest rate of all as the link's. `body` follows the page's header.
pub(super) fn phys(body: &[u8]) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for found in ports(body).flat_map(descriptors).flat_map(phy) {
        // A drive numbers its phys through; one that does not is read once.
        if !fields.iter().any(|field| field.key == found.key) {
            fields.push(found);
        }
    }
    let rates = fields.iter().filter(|field| field.key.ends_with("_link_speed_gbit_per_s"));
    let fastest = rates.filter_map(|field| if let Value::Real(rate) = field.value { Some(rate) } else { None }).max_by(f64::total_cmp);
    fields.extend(fastest.map(|rate| speed("link_speed_gbit_per_s", "link speed", rate)));
    fields
}

fn ports(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let end = 4 + usize::from(*rest.get(3)?);
        let (own, after) = rest.split_at_checked(end)?;
        rest = after;
        // Byte 4: protocol; descriptors begin at byte 8.
        Some(if own.get(4).is_some_and(|protocol| protocol & 0xf == SAS) { own.get(8..).unwrap_or_default() } else { &[] })
    })
}

fn descriptors(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let end = 4 + usize::from(*rest.get(3)?);
        let (own, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(own)
    })
}

fn phy(own: &[u8]) -> Vec<Field> {
    let Some(own) = own.get(..DESCRIPTOR) else { return Vec::new() };
    let number = own[1];
    let key = |key: &str| format!("phy_{number}_{key}");
    let title = |title: &str| format!("phy {number}: {title}");
    let address = Value::Text(hex(&own[8..16]));
    let mut fields = vec![field(&key("sas_address"), &title("SAS address"), address, "", source())];
    fields.extend(rate(own[5] & 0xf).map(|rate| speed(&key("link_speed_gbit_per_s"), &title("link speed"), rate)));
    fields.extend(COUNTERS.iter().map(|(at, name, words)| {
        let count = u32::from_be_bytes([own[*at], own[at + 1], own[at + 2], own[at + 3]]);
        field(&key(name), &title(words), Value::Number(count.into()), "", source())
    }));
    fields
}

fn rate(code: u8) -> Option<f64> {
    RATES.get(usize::from(code.checked_sub(8)?)).copied()
}

fn speed(key: &str, title: &str, rate: f64) -> Field {
    field(key, title, Value::Real(rate), "gbit_per_s", source())
}

fn source() -> String {
    "Protocol Specific Port log page, SAS phy log descriptor (SAS Protocol Layer 4 (SPL-4))".to_owned()
}
