//! The value of `random_distribution`.

use super::context::ValueContext;
use super::per_direction::PerDirection;
use super::plain::float;
use super::size::size;
use super::splits::percent;
use super::word::nearest;

const THETA: f64 = 1.1;

const POWER: f64 = 0.2;

#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    Random,
    /// Zipf's law; `center` is a share of the target, 0 to 1.
    Zipf {
        /// Exponent, above 0 and not 1.
        theta: f64,
        /// Where the most wanted block lies; `None`: anywhere.
        center: Option<f64>,
    },
    Pareto {
        power: f64,
        center: Option<f64>,
    },
    Normal {
        /// Its deviation, percent of the target.
        deviation: f64,
        /// Its middle, a share of the target; `None`: 0.5.
        center: Option<f64>,
    },
    Zoned(Vec<DistributionZone>),
    ZonedAbs(Vec<ZoneAbs>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistributionZone {
    /// Share of the I/Os, percent; those of all zones make 100.
    pub access_percent: f64,
    /// Share of the target, percent; all together at most 100.
    pub size_percent: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZoneAbs {
    pub access_percent: f64,
    /// Size, bytes; 0 if none was written.
    pub bytes: u64,
}

/// The value of `random_distribution`. Zones may differ by direction, `zoned:60/10:40/90,,..`; where nothing stands for a direction, the one before it counts.
pub fn distribution(text: &str, context: &ValueContext) -> Result<PerDirection<Distribution>, String> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    match name {
        "random" => rest
            .map_or(Ok(()), |rest| Err(format!("random has nothing after it, and \"{rest}\" stands there")))
            .map(|()| PerDirection::all(Distribution::Random)),
        "zipf" => curve(rest, THETA).and_then(|(theta, center)| zipf(theta, center)).map(PerDirection::all),
        "pareto" => curve(rest, POWER).and_then(|(power, center)| pareto(power, center)).map(PerDirection::all),
        "normal" => curve(rest, 0.0).and_then(|(deviation, center)| normal(deviation, center)).map(PerDirection::all),
        "zoned" => by_direction(rest, |list| zones(list).map(Distribution::Zoned)),
        "zoned_abs" => by_direction(rest, |list| zones_abs(list, context).map(Distribution::ZonedAbs)),
        other => Err(unknown(other)),
    }
}

fn unknown(name: &str) -> String {
    let words = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"];
    let meant = nearest(name, words).map(|word| format!("; {word} is perhaps meant")).unwrap_or_default();
    format!("\"{name}\" is none of {}{meant}", words.join(", "))
}

fn curve(rest: Option<&str>, usual: f64) -> Result<(f64, Option<f64>), String> {
    let Some(rest) = rest else { return Ok((usual, None)) };
    if rest.contains('/') {
        return Err(format!("\"{rest}\": the centre stands after a colon, as in zipf:1.2:0.5; fio drops what follows a slash"));
    }
    let (number, center) = rest.split_once(':').map_or((rest, None), |(number, center)| (number, Some(center)));
    let center = center.map(float).transpose()?;
    match center {
        Some(share) if !(0.0..=1.0).contains(&share) => Err(format!("the centre is a share of the target from 0 to 1, not {share}")),
        _ => Ok((float(number)?, center)),
    }
}

fn zipf(theta: f64, center: Option<f64>) -> Result<Distribution, String> {
    if theta > 0.0 && theta != 1.0 {
        Ok(Distribution::Zipf { theta, center })
    } else {
        Err(format!("zipf takes a number above 0 other than 1, not {theta}"))
    }
}

fn pareto(power: f64, center: Option<f64>) -> Result<Distribution, String> {
    if power > 0.0 && power < 1.0 {
        Ok(Distribution::Pareto { power, center })
    } else {
        Err(format!("pareto takes a number between 0 and 1, not {power}"))
    }
}

fn normal(deviation: f64, center: Option<f64>) -> Result<Distribution, String> {
    let fits = (0.0..100.0).contains(&deviation);
    if fits {
        Ok(Distribution::Normal { deviation, center })
    } else {
        Err(format!("normal takes a deviation from 0 to below 100 percent, not {deviation}"))
    }
}

fn by_direction(rest: Option<&str>, one: impl Fn(&str) -> Result<Distribution, String>) -> Result<PerDirection<Distribution>, String> {
    let lists: Vec<&str> = rest.unwrap_or_default().split(',').collect();
    let (Some(first), true) = (lists.first().copied().filter(|list| !list.trim().is_empty()), lists.len() <= 3) else {
        return Err("up to three lists of zones are expected, such as zoned:60/10:30/20:10/70".to_owned());
    };
    let read = one(first)?;
    let after = |number: usize, before: &Distribution| match lists.get(number).map(|list| list.trim()).filter(|list| !list.is_empty()) {
        Some(list) => one(list),
        None => Ok(before.clone()),
    };
    let write = after(1, &read)?;
    let trim = after(2, &write)?;
    Ok(PerDirection { read, write, trim })
}

fn parts(list: &str) -> Result<Vec<(u32, &str)>, String> {
    let cut = |part| {
        let (access, size) = str::split_once(part, '/').unwrap_or((part, ""));
        percent(access, part)?.map(|access| (access, size.trim())).ok_or_else(|| format!("\"{part}\": a share of the I/Os is expected"))
    };
    let all: Vec<(u32, &str)> = list.split(':').map(cut).collect::<Result<_, String>>()?;
    match all.iter().map(|(access, _)| access).sum::<u32>() {
        100 => Ok(all),
        other => Err(format!("the shares of the I/Os make {other} percent in \"{list}\", and 100 are expected")),
    }
}

/// Zones by shares; those without a size divide what the others leave.
fn zones(list: &str) -> Result<Vec<DistributionZone>, String> {
    let all = parts(list)?;
    let sizes: Vec<Option<u32>> = all.iter().map(|(_, size)| percent(size, size)).collect::<Result<_, _>>()?;
    let given: u32 = sizes.iter().flatten().sum();
    let left =
        100_u32.checked_sub(given).ok_or_else(|| format!("the sizes make {given} percent in \"{list}\", and at most 100 are expected"))?;
    let without = u32::try_from(sizes.iter().filter(|size| size.is_none()).count()).unwrap_or(u32::MAX);
    let part = left.checked_div(without).unwrap_or(0);
    let zone = |((access, _), size): (&(u32, &str), Option<u32>)| DistributionZone {
        access_percent: f64::from(*access),
        size_percent: f64::from(size.unwrap_or(part)),
    };
    Ok(all.iter().zip(sizes).map(zone).collect())
}

fn zones_abs(list: &str, context: &ValueContext) -> Result<Vec<ZoneAbs>, String> {
    let bytes = |text: &str| if text.is_empty() { Ok(0) } else { size(text, context) };
    parts(list)?.into_iter().map(|(access, text)| Ok(ZoneAbs { access_percent: f64::from(access), bytes: bytes(text)? })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Distribution, String> {
        distribution(text, &ValueContext::default()).map(|all| all.read)
    }

    #[test]
    fn curves() {
        for (text, meant) in [
            ("random", Distribution::Random),
            ("zipf", Distribution::Zipf { theta: 1.1, center: None }),
            ("zipf:1.2", Distribution::Zipf { theta: 1.2, center: None }),
            ("zipf:1.2:0.5", Distribution::Zipf { theta: 1.2, center: Some(0.5) }),
            ("pareto", Distribution::Pareto { power: 0.2, center: None }),
            ("pareto:0.9:0.3", Distribution::Pareto { power: 0.9, center: Some(0.3) }),
            ("normal:50", Distribution::Normal { deviation: 50.0, center: None }),
        ] {
            assert_eq!(read(text), Ok(meant), "{text}");
        }
        #[rustfmt::skip]
        let cases = [
            "zipf:1", "zipf:x", "zipf:1.2x", "zipf:1.2/0.5", "zipf:1.2:2", "pareto:1.5", "normal:101", "gauss", "random:5", " zipf:1.2",
            "zipf:1.2,zipf:1.3",
        ];
        for text in cases {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read("Zipf").is_err_and(|error| error.contains("; zipf is perhaps meant")));
    }

    #[test]
    fn zones_by_share() {
        let zone = |(access, size): &(f64, f64)| DistributionZone { access_percent: *access, size_percent: *size };
        for (text, meant) in [
            ("zoned:60/10:30/20:8/30:2/40", vec![(60.0, 10.0), (30.0, 20.0), (8.0, 30.0), (2.0, 40.0)]),
            ("zoned:60:40", vec![(60.0, 50.0), (40.0, 50.0)]),
            ("zoned:50/90:50", vec![(50.0, 90.0), (50.0, 10.0)]),
            ("zoned:50/20:50/20", vec![(50.0, 20.0), (50.0, 20.0)]),
        ] {
            assert_eq!(read(text), Ok(Distribution::Zoned(meant.iter().map(zone).collect())), "{text}");
        }
        for text in
            ["zoned", "zoned:60/10", "zoned:60/10:50/90", "zoned:50/80:50/50", "zoned:50/50:/50", "zoned:60/20g:40/1g", "zoned:,50:50"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn zones_by_size_and_direction() {
        let zone = |access_percent, bytes| ZoneAbs { access_percent, bytes };
        assert_eq!(read("zoned_abs:60/20G:40"), Ok(Distribution::ZonedAbs(vec![zone(60.0, 20 << 30), zone(40.0, 0)])));
        let all = distribution("zoned:50:50,90/10:10,", &ValueContext::default());
        assert!(all.is_ok_and(|all| all.read != all.write && all.write == all.trim));
    }
}
