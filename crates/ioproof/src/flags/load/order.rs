//! `--distribution` and `--stride`: which blocks are preferred, and how far apart they are.

use super::number::{milli, milli_share};
use ioproof_core::shape::{Order, Zone};
use ioproof_core::units::parse_size_bytes;

const KNOWN: &str =
    "known: once (every block once a pass), free, zipf:1.2, pareto:0.2, normal:0.1, zoned:60/10:40/90 (I/O per cent/span per cent)";

/// Reads `--distribution`.
pub fn read(text: &str) -> Result<Order, String> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    match (name, rest) {
        ("once", None) => Ok(Order::Plain),
        ("free", None) => Ok(Order::Free),
        ("zipf", Some(theta)) => zipf(theta),
        ("pareto", Some(h)) => Ok(Order::Pareto { h_milli: milli_share(h, 999)?, center_ppm: None }),
        ("normal", Some(deviation)) => Ok(Order::Normal { deviation_milli: milli_share(deviation, 1000)?, center_ppm: None }),
        ("zoned", Some(zones)) => zoned(zones),
        _ => Err(KNOWN.into()),
    }
}

fn zipf(text: &str) -> Result<Order, String> {
    match milli(text)? {
        1000 => Err("zipf:1 has no closed form; write zipf:0.999 or zipf:1.001".into()),
        theta_milli @ 1..=9999 => Ok(Order::Zipf { theta_milli, center_ppm: None }),
        _ => Err(format!("`{text}` is not between 0.001 and 9.999")),
    }
}

fn zoned(text: &str) -> Result<Order, String> {
    let zones: Vec<Zone> = text.split(':').map(zone).collect::<Result<_, _>>()?;
    let sum = |share: fn(&Zone) -> u8| zones.iter().map(|z| u32::from(share(z))).sum::<u32>();
    match (sum(|z| z.access_percent), sum(|z| z.span_percent)) {
        (100, 100) => Ok(Order::Zoned { zones }),
        (access, span) => Err(format!("the zones get {access} % of the I/O and {span} % of the span; both must add up to 100 %")),
    }
}

/// `60/10`: so many per cent of the I/O go to so many per cent of the span. A zone may get no I/O, but must have a place.
fn zone(text: &str) -> Result<Zone, String> {
    let numbers = text.split_once('/').and_then(|(access, span)| Some((access.parse().ok()?, span.parse().ok()?)));
    match numbers {
        Some((access_percent, span_percent)) if span_percent > 0 => Ok(Zone { access_percent, span_percent }),
        _ => Err(format!("`{text}` is no zone; write zoned:60/10:40/90 for 60 % of the I/O on 10 % of the span, 40 % on the other 90 %")),
    }
}

/// Reads `--stride`.
pub fn stride(text: &str) -> Result<Order, String> {
    match parse_size_bytes(text).map_err(|e| e.to_string())? {
        0 => Err("a stride of 0 bytes".into()),
        stride_bytes if !stride_bytes.is_multiple_of(512) => Err(format!("`{text}` is no multiple of 512 B")),
        stride_bytes => Ok(Order::Strided { stride_bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions() {
        assert_eq!(read("once"), Ok(Order::Plain));
        assert_eq!(read("free"), Ok(Order::Free));
        assert_eq!(read("zipf:1.2"), Ok(Order::Zipf { theta_milli: 1200, center_ppm: None }));
        assert_eq!(read("zipf:0.001"), Ok(Order::Zipf { theta_milli: 1, center_ppm: None }));
        assert_eq!(read("pareto:0.2"), Ok(Order::Pareto { h_milli: 200, center_ppm: None }));
        assert_eq!(read("normal:10%"), Ok(Order::Normal { deviation_milli: 100, center_ppm: None }));
        let zones = vec![Zone { access_percent: 60, span_percent: 10 }, Zone { access_percent: 40, span_percent: 90 }];
        assert_eq!(read("zoned:60/10:40/90"), Ok(Order::Zoned { zones }));
        for bad in ["", "once:1", "zipf", "zipf:1", "zipf:0", "zipf:10", "zipf:x", "pareto:1", "pareto:0", "normal:1.5", "zoned", "zoned:"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn zones_cover_all_of_both() {
        for (bad, word) in
            [("60/10:40/80", "90 % of the span"), ("50/50:40/50", "90 % of the I/O"), ("100/0:0/100", "no zone"), ("60", "no zone")]
        {
            let error = read(&format!("zoned:{bad}")).unwrap_err();
            assert!(error.contains(word), "{bad}: {error}");
        }
        assert!(read("zoned:100/5:0/95").is_ok());
    }

    #[test]
    fn strides() {
        assert_eq!(stride("64KiB"), Ok(Order::Strided { stride_bytes: 65536 }));
        assert!(stride("0").is_err() && stride("100").is_err() && stride("x").is_err());
    }
}
