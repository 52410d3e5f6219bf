//! The PCI Express links on the way to a drive. Function 0 is the drive, 1 the port that it is plugged into; 2 and 3 are the ends of the next link up, and so on:
//! between 1 and 2 is the inside of a switch.

use super::{RuleInput, RuleOutput, Severity};
use ioproof_core::units::throughput;

const MOST_FUNCTIONS: u64 = 64;

type LinkLanes = (f64, u64);

fn key(number: u64, what: &str) -> String {
    format!("function_{number}_{what}")
}

fn functions(input: &RuleInput) -> u64 {
    input.number("pcie_functions").unwrap_or(0).min(MOST_FUNCTIONS)
}

fn address<'a>(input: &RuleInput<'a>, number: u64) -> &'a str {
    input.text(&key(number, "address")).unwrap_or("?")
}

fn current(input: &RuleInput, number: u64) -> Option<LinkLanes> {
    Some((input.real(&key(number, "link_speed_gt_per_s"))?, input.number(&key(number, "link_width"))?))
}

fn most(input: &RuleInput, number: u64) -> Option<LinkLanes> {
    Some((input.real(&key(number, "link_speed_max_gt_per_s"))?, input.number(&key(number, "link_width_max"))?))
}

/// Speed and width that both ends of the link above this function can do.
fn possible(input: &RuleInput, lower: u64) -> Option<LinkLanes> {
    let (own, partner) = (most(input, lower)?, most(input, lower + 1));
    Some(partner.map_or(own, |(speed, width)| (own.0.min(speed), own.1.min(width))))
}

fn title((speed, width): LinkLanes) -> String {
    format!("{speed:.1} GT/s x{width}")
}

pub(super) fn below_capability(input: &RuleInput) -> Vec<RuleOutput> {
    let of = |lower: u64| {
        let (now, could) = (current(input, lower)?, possible(input, lower)?);
        if now.0 >= could.0 && now.1 >= could.1 {
            return None;
        }
        let which = address(input, lower);
        let cure = if now.1 < could.1 {
            "lanes are lost or not wired: reseat it, or take another slot"
        } else {
            "look again under load, since an idle link may slow down"
        };
        let title = format!("the link of {which} runs at {}, and both ends can do {} ({cure})", title(now), title(could));
        let mend = (now.0 < could.0).then(|| retrain(input, lower, could.0)).flatten();
        input.found(Severity::Warn, title, &evidence_keys(lower).each_ref().map(String::as_str), mend)
    };
    (0..functions(input)).step_by(2).filter_map(of).collect()
}

fn evidence_keys(lower: u64) -> [String; 4] {
    [(lower, "link_speed_gt_per_s"), (lower, "link_width"), (lower, "capable_bytes_per_s"), (lower + 1, "capable_bytes_per_s")]
        .map(|(n, what)| key(n, what))
}

/// Sets the target speed of the upper end (Link Control 2) and retrains (bit 5 of Link Control; PCI Express Base Specification 6.0, chapter 7).
fn retrain(input: &RuleInput, lower: u64, speed_gt_per_s: f64) -> Option<String> {
    const GENERATIONS: [f64; 6] = [2.5, 5.0, 8.0, 16.0, 32.0, 64.0];
    let port = input.text(&key(lower + 1, "address"))?;
    let generation = GENERATIONS.iter().position(|speed| (speed - speed_gt_per_s).abs() < 0.1)? + 1;
    Some(format!("setpci -s {port} CAP_EXP+30.w={generation:04x}:000f && setpci -s {port} CAP_EXP+10.w=0020:0020"))
}

pub(super) fn narrow_bridge(input: &RuleInput) -> Option<RuleOutput> {
    let drive = input.number("function_0_capable_bytes_per_s")?;
    let capable = |number: u64| input.number(&key(number, "capable_bytes_per_s")).map(|bytes_per_s| (bytes_per_s, number));
    let (bridge, number) = (1..functions(input)).filter_map(capable).min().filter(|(bridge, _)| *bridge < drive)?;
    let (which, bridge, drive) = (address(input, number), throughput(bridge as f64), throughput(drive as f64));
    let title = format!("the bridge {which} carries {bridge} at most, and the drive could do {drive}: move the drive to a wider slot");
    let keys = [key(number, "capable_bytes_per_s"), key(0, "capable_bytes_per_s")];
    input.found(Severity::Warn, title, &keys.each_ref().map(String::as_str), None)
}

pub(super) fn errors(input: &RuleInput) -> Vec<RuleOutput> {
    const KINDS: [(&str, &str); 3] = [("aer_fatal", "fatal"), ("aer_nonfatal", "uncorrected"), ("aer_correctable", "corrected")];
    let of = |number: u64| {
        let counted: Vec<(String, String)> = KINDS
            .iter()
            .filter_map(|(what, name)| Some((key(number, what), input.number(&key(number, what)).filter(|n| *n > 0)?, name)))
            .map(|(key, count, name)| (key, format!("{count} {name}")))
            .collect();
        counted.first()?;
        let words: Vec<&str> = counted.iter().map(|(_, word)| word.as_str()).collect();
        let keys: Vec<&str> = counted.iter().map(|(key, _)| key.as_str()).collect();
        let which = address(input, number);
        let title = format!(
            "{which} counted errors on its link since boot ({}): what is sent again takes time; reseat the drive or change the cable",
            words.join(", ")
        );
        input.found(Severity::Warn, title, &keys, None)
    };
    (0..functions(input)).filter_map(of).collect()
}

/// A link that sleeps between I/Os wakes up within microseconds, which a queue of one sees.
pub(super) fn power(input: &RuleInput) -> Option<RuleOutput> {
    let allowed = |number: &u64| !input.list(&key(*number, "aspm")).is_empty() && input.flag(&key(*number, "emulated")) != Some(true);
    let sleepy: Vec<u64> = (0..functions(input)).filter(allowed).collect();
    sleepy.first()?;
    let names: Vec<&str> = sleepy.iter().map(|number| address(input, *number)).collect();
    let switch = |number: &u64| {
        let files: Vec<String> = input
            .list(&key(*number, "aspm"))
            .iter()
            .map(|state| format!("/sys/bus/pci/devices/{}/link/{state}", address(input, *number)))
            .collect();
        files.join(" ")
    };
    let mend = format!("echo 0 | tee {}", sleepy.iter().map(switch).collect::<Vec<_>>().join(" "));
    let keys: Vec<String> = sleepy.iter().map(|number| key(*number, "aspm")).chain(["aspm_policy".into()]).collect();
    let title = format!("the links of {} may save power: an I/O that wakes one up takes microseconds longer", names.join(" and "));
    input.found(Severity::Warn, title, &keys.iter().map(String::as_str).collect::<Vec<_>>(), Some(mend))
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{list, number, said, text};
    use crate::field::Value;
    use ioproof_core::finding::Finding;

    fn told(rule: &str, drive: (f64, u64, f64, u64, u64), port: (f64, u64, f64, u64, u64)) -> Vec<Finding> {
        let mut fields = vec![("pcie_functions".to_owned(), number(2))];
        for (n, name, (speed, width, speed_max, width_max, capable)) in [(0, "0000:01:00.0", drive), (1, "0000:00:01.0", port)] {
            fields.push((format!("function_{n}_address"), text(name)));
            fields.push((format!("function_{n}_link_speed_gt_per_s"), Value::Real(speed)));
            fields.push((format!("function_{n}_link_width"), number(width)));
            fields.push((format!("function_{n}_link_speed_max_gt_per_s"), Value::Real(speed_max)));
            fields.push((format!("function_{n}_link_width_max"), number(width_max)));
            fields.push((format!("function_{n}_capable_bytes_per_s"), number(capable)));
        }
        let fields: Vec<(&str, Value)> = fields.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        said(rule, &[], &fields)
    }

    #[test]
    fn a_link_below_what_both_ends_can() {
        let rule = "link-below-capability";
        let full = (8.0, 4, 8.0, 4, 4);
        assert!(told(rule, full, full).is_empty());
        assert!(told(rule, (8.0, 4, 16.0, 4, 8), full).is_empty(), "the port cannot do more");
        let slow = &told(rule, (2.5, 4, 8.0, 4, 4), (2.5, 4, 16.0, 16, 9))[0];
        assert!(slow.title.contains("runs at 2.5 GT/s x4, and both ends can do 8.0 GT/s x4"), "{}", slow.title);
        assert_eq!(slow.remedy, "setpci -s 0000:00:01.0 CAP_EXP+30.w=0003:000f && setpci -s 0000:00:01.0 CAP_EXP+10.w=0020:0020");
        let lost = &told(rule, (8.0, 2, 8.0, 4, 4), full)[0];
        assert!(lost.title.contains("lanes are lost") && lost.remedy.is_empty());
    }

    #[test]
    fn a_bridge_narrower_than_the_drive() {
        let drive = (8.0, 4, 16.0, 4, 7_300_000_000);
        assert!(told("narrow-bridge", drive, (8.0, 4, 16.0, 16, 29_000_000_000)).is_empty());
        let narrow = &told("narrow-bridge", drive, (8.0, 4, 8.0, 4, 3_660_000_000))[0];
        assert!(narrow.title.contains("0000:00:01.0 carries") && narrow.remedy.is_empty(), "{}", narrow.title);
    }

    #[test]
    fn errors_that_were_counted() {
        let of = |corrected, fatal| {
            let fields =
                [("pcie_functions", number(1)), ("function_0_aer_correctable", number(corrected)), ("function_0_aer_fatal", number(fatal))];
            said("link-errors", &[], &fields)
        };
        assert!(of(0, 0).is_empty());
        let told = &of(7, 1)[0];
        assert!(told.title.contains("(1 fatal, 7 corrected)") && told.evidence.len() == 2, "{told:?}");
    }

    #[test]
    fn links_that_may_sleep() {
        let of = |states: &[&str]| {
            said(
                "link-power",
                &[],
                &[("pcie_functions", number(1)), ("function_0_address", text("0000:01:00.0")), ("function_0_aspm", list(states))],
            )
        };
        assert!(of(&[]).is_empty());
        assert_eq!(of(&["l1_aspm"])[0].remedy, "echo 0 | tee /sys/bus/pci/devices/0000:01:00.0/link/l1_aspm");
    }
}
