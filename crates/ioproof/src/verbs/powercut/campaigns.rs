//! Campaigns that a witness has kept: in their order, by their names or the beginnings of them, and what the sessions of one were.

use super::unreached::unreached;
use anyhow::Result;
use ioproof_powercut::{Description, TargetId};
use ioproof_process::complaint::complaint;
use ioproof_witness::{CampaignId, Error, Key, Listed, fetch_beginnings, list};
use std::ops::ControlFlow;
use std::path::Path;

const DIGITS: usize = 32;
/// Most sessions of a campaign, from the last one on, that are looked through.
const SESSIONS_MAX: usize = 10_000;

pub fn all(witness: &str, key: &Key) -> Result<Vec<Listed>> {
    let mut campaigns = list(witness, key).map_err(|error| unreached(witness, &error))?;
    by_age(&mut campaigns);
    Ok(campaigns)
}

/// Campaigns from the oldest to the newest by their last sessions, whatever any clock said; those of which the witness does not know it come first, by its clock.
fn by_age(campaigns: &mut [Listed]) {
    campaigns.sort_by_key(|campaign| (campaign.order, campaign.last_wall_ns, campaign.campaign));
}

/// The one campaign whose name begins so.
///
/// # Errors
/// When that is no name, or the witness has none or several that begin so.
pub fn named<'a>(campaigns: &'a [Listed], text: &str) -> Result<&'a Listed> {
    const WAY_OUT: &str = "name all 32 digits of it, or enough of the first; ioproof powercut list --witness HOST shows them";
    let is_name = (1..=DIGITS).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_name {
        return Err(complaint(format!("`{text}` names no campaign"), WAY_OUT));
    }
    let beginning = text.to_ascii_lowercase();
    let fit: Vec<&Listed> = campaigns.iter().filter(|listed| listed.campaign.to_string().starts_with(&beginning)).collect();
    match fit[..] {
        [one] => Ok(one),
        [] => Err(complaint(format!("the witness has no such campaign: `{text}`"), WAY_OUT)),
        _ => Err(complaint(format!("the witness has {} campaigns that begin with `{text}`", fit.len()), WAY_OUT)),
    }
}

/// Gives the description with which each of a campaign's sessions began, from the last one on; none where its records cannot be read. `each` ends it early by breaking.
pub fn beginnings(
    witness: &str,
    key: &Key,
    campaign: CampaignId,
    mut each: impl FnMut(u32, Option<Vec<u8>>) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut left = SESSIONS_MAX;
    fetch_beginnings(witness, key, campaign, |session, description| {
        left -= 1;
        let go_on = each(session, description).is_continue() && left > 0;
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
}

/// The last session of a campaign that wrote, and its description.
pub fn description(witness: &str, key: &Key, campaign: CampaignId) -> Result<Option<(u32, Description)>, Error> {
    let mut found = None;
    beginnings(witness, key, campaign, |session, text| {
        found = serde_json::from_slice(&text.unwrap_or_default()).ok().map(|description| (session, description));
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// Says by what a target is not the one that was written; none where nothing speaks against it.
pub fn difference(written: &Description, now: &TargetId, is_directory: bool, was_off_alone: bool) -> Option<String> {
    match (is_directory, written.names.is_empty()) {
        (true, true) => Some("it is a directory, and blocks of a file or a drive were written".to_owned()),
        (false, false) => Some("it is no directory, and files in one were written".to_owned()),
        _ if was_off_alone => written.target.lasting().difference(now).or_else(|| unproven(&written.target.lasting(), now)),
        _ => written.target.difference(now),
    }
}

/// Says that nothing which lasts shows two targets to be one, and they are not called the same either; none where something does, or they are. Of a path that was given in part only
/// its last name can be held against the other.
fn unproven(then: &TargetId, now: &TargetId) -> Option<String> {
    let is_known = then.is_proven(now) || then.serial.is_some() && then.serial == now.serial;
    let [before, after] = [&then.given, &now.given].map(Path::new);
    let are_whole = before.is_absolute() && after.is_absolute();
    let is_named = if are_whole { before == after } else { before.file_name() == after.file_name() };
    let keeps = |target: &TargetId| target.identity.as_ref().is_some_and(|identity| identity.inode.is_some());
    match () {
        () if is_known => None,
        () if keeps(then) != keeps(now) => {
            Some("one of both lies on a filesystem that keeps its numbers of files, and the other does not".to_owned())
        }
        () => (!is_named).then(|| format!("nothing that lasts shows them to be one, and it was called {}", then.given)),
    }
}

/// Says by what a session would not be one more of the same kind: another target, other blocks, or other streams. A file that stands where the last one stood is the same target, since a drive that lies may have lost
/// the filesystem with it.
pub fn unlike(before: &Description, next: &Description) -> Option<String> {
    let stands_there = before.target.given == next.target.given && Path::new(&next.target.given).is_absolute();
    let drive = |target: &TargetId| TargetId { identity: target.identity.clone().filter(|_| !stands_there), ..target.clone() };
    let before_drive = Description { target: drive(&before.target), ..before.clone() };
    let other = difference(&before_drive, &drive(&next.target), !next.names.is_empty(), true);
    let target = || other.map(|text| format!("it wrote to {}, and {} is another: {text}", before.target.given, next.target.given));
    let is_same = before.block_bytes == next.block_bytes && before.streams == next.streams && before.names == next.names;
    target().or_else(|| {
        (!is_same).then(|| "it wrote other streams or blocks (--sync, --order, --writes-per-sync, --bs, --size, --names)".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::identity::Identity;
    use ioproof_powercut::{Names, NamesPlan, VERSION};

    fn listed(number: u8, order: u64, last_wall_ns: i64) -> Listed {
        let campaign = CampaignId([number; 16]);
        Listed { campaign, sessions: 1, first_wall_ns: 0, last_wall_ns, size_bytes: 0, is_live: false, order }
    }

    #[test]
    fn the_newest_campaign_comes_last_whatever_the_clock_of_the_witness_said() {
        let mut all = [listed(1, 7, 10), listed(2, 6, 9000), listed(3, 0, 99_999), listed(4, 0, 5)];
        by_age(&mut all);
        assert_eq!(all.map(|listed| listed.campaign.0[0]), [4, 3, 2, 1]);
    }

    #[test]
    fn a_campaign_is_named_by_as_much_as_tells_it_from_the_others() {
        let all = [listed(0x6f, 1, 0), listed(0x61, 2, 0), listed(0xab, 3, 0)];
        let found = |text: &str| named(&all, text).map(|listed| listed.campaign.0[0]).map_err(|error| error.to_string());
        assert_eq!([found("a"), found("6F"), found(&"61".repeat(16))], [Ok(0xab), Ok(0x6f), Ok(0x61)]);
        for (text, said) in [("6", "2 campaigns"), ("77", "no such campaign"), ("", "names no campaign"), ("6f1c...", "names no campaign")]
        {
            assert!(found(text).unwrap_err().contains(said), "{text}");
        }
        assert!(found(&"0".repeat(33)).unwrap_err().contains("names no campaign"));
    }

    fn of(given: &str, inode: u64) -> Description {
        let identity = Some(Identity { inode: Some(inode), ..Identity::default() });
        Description {
            version: VERSION,
            target: TargetId { given: given.into(), size_bytes: 1, serial: None, identity },
            boot_id: None,
            host: None,
            write_cache: None,
            power_cycles: None,
            block_bytes: 512,
            streams: Vec::new(),
            names: Vec::new(),
        }
    }

    #[test]
    fn where_nothing_lasts_a_target_is_known_by_its_name() {
        let without = |given: &str| {
            let of = of(given, 1);
            Description { target: TargetId { identity: Some(Identity::default()), ..of.target }, ..of }
        };
        let told = |then: &Description, now: Description| difference(then, &now.target, false, true);
        for (then, now) in [("one", "one"), ("one", "/mnt/one"), ("/mnt/one", "/mnt/one")] {
            assert_eq!(told(&without(then), without(now)), None, "{then} {now}");
        }
        for (then, now) in [("mnt/one", "other"), ("/mnt/one", "/srv/one")] {
            assert!(told(&without(then), without(now)).unwrap().contains(&format!("it was called {then}")));
        }
        assert!(told(&without("one"), of("one", 7)).unwrap().contains("keeps its numbers of files"));
    }

    #[test]
    fn one_more_session_is_of_the_same_target_and_the_same_streams() {
        assert_eq!(unlike(&of("cut", 1), &of("./cut", 1)), None);
        assert!(unlike(&of("cut", 1), &of("cut", 2)).unwrap().contains("inode"), "a name in two folders");
        assert_eq!(unlike(&of("/mnt/cut", 1), &of("/mnt/cut", 2)), None, "made anew after its filesystem was lost");
        assert!(unlike(&of("/mnt/cut", 1), &of("/mnt/other", 2)).unwrap().contains("it wrote to /mnt/cut, and /mnt/other is another"));
        assert!(unlike(&of("cut", 1), &Description { block_bytes: 4096, ..of("cut", 1) }).unwrap().contains("--bs"));
        let names = vec![NamesPlan { stream: 1, names: Names::Create }];
        assert!(unlike(&of("cut", 1), &Description { names, ..of("cut", 1) }).unwrap().contains("is a directory"));
    }
}
