//! Command lines that were pasted along with what they printed.
//!
//! A command says which device the output is about, and that the output of the command before it is over.

use super::lines::PastedLine;

/// A command that somebody typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastedCommand {
    /// As typed, without prompt and `sudo`: `nvmecontrol identify nvme0`.
    pub line: String,
    /// The program's name without its folder; empty for none of ours.
    pub tool: &'static str,
    /// Device that it was asked about, `nvme0`, `sda`, `0000:5f:00.0`, and the line of the file that says so.
    pub device: Option<(String, usize)>,
}

const TOOLS: &[(&str, &str)] = &[
    ("nvmecontrol", "nvmecontrol"),
    ("camcontrol", "camcontrol"),
    ("smartctl", "smartctl"),
    ("hdparm", "hdparm"),
    ("nvme", "nvme"),
    ("esxcli", "esxcli"),
    ("sg_logs", "sg_logs"),
    ("lsblk", "lsblk"),
    ("wmic", "wmic"),
    ("spdk_nvme_identify", "spdk_nvme_identify"),
    ("identify", "spdk_nvme_identify"),
];

const PROMPT_CHARS_MAX: usize = 60;

/// The command on this line, if it is one. Commands of other programs count too: they end what came before.
pub fn command(line: &PastedLine) -> Option<PastedCommand> {
    if let Some(typed) = after_prompt(&line.text) {
        return Some(parse(typed, line.number));
    }
    // Without a prompt only what cannot be anything else; most lines begin with another letter than any tool.
    if line.text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() && !b"cdehilnstw".contains(&first)) {
        return None;
    }
    let typed = line.text.trim_start_matches(['*', '-', '`', '$', '#', ' ']).trim_end_matches('`');
    let is_sudo = typed.starts_with("sudo ");
    if !names_tool(typed) {
        return None;
    }
    let known = parse(typed, line.number);
    let has_arguments = known.line.split_whitespace().nth(1).is_some_and(is_argument);
    (!known.tool.is_empty() && known.tool != "spdk_nvme_identify" && (is_sudo || has_arguments)).then_some(known)
}

/// True where one of the known tools may be typed there: most lines are told apart by their first words alone.
fn names_tool(typed: &str) -> bool {
    !tool(program(typed)).is_empty()
}

fn program(typed: &str) -> &str {
    typed.split_whitespace().find(|word| !is_prefix(word)).unwrap_or_default()
}

fn is_prefix(word: &str) -> bool {
    matches!(word, "sudo" | "doas" | "time")
}

fn tool(program: &str) -> &'static str {
    let name = program.rsplit('/').next().unwrap_or_default();
    let in_folder = program.contains('/');
    TOOLS.iter().find(|(typed, _)| *typed == name && (name != "identify" || in_folder)).map_or("", |(_, tool)| *tool)
}

/// True for a first argument of a tool: an option or a verb. `smartctl 7.3 ...` is what smartctl prints about itself.
fn is_argument(word: &str) -> bool {
    const VERBS: [&str; 10] =
        ["diskdrive", "storage", "identify", "devlist", "logpage", "id-ctrl", "id-ns", "smart-log", "list", "get-feature"];
    word.starts_with('-') || word.starts_with("/dev/") || VERBS.contains(&word)
}

/// Text that was typed after a prompt: `# `, `root@host:~ # `, `[user@host dir]$ `, `truenas% `, `C:\> `; nothing after one that stands alone.
fn after_prompt(line: &str) -> Option<&str> {
    // ESXi ends its prompt, `[root@esx:~] `, with the bracket.
    let esxi = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).filter(|(before, _)| before.contains('@'));
    if let Some((_, typed)) = esxi.filter(|(_, typed)| names_tool(typed)) {
        return Some(typed);
    }
    if !line.as_bytes().iter().any(|byte| matches!(byte, b'#' | b'$' | b'%' | b'>')) {
        return None;
    }
    // The prompt of Windows has no blank behind it.
    let ends = |at: usize, c: char| line[at..].starts_with(' ') || line.len() == at || c == '>' && line[at..].starts_with("wmic ");
    let is_sign = |(at, c): &(usize, char)| matches!(c, '#' | '$' | '%' | '>') && ends(at + 1, *c);
    let (sign, c) = line.char_indices().find(is_sign)?;
    let (before, typed) = (&line[..sign], line[sign + 1..].trim_start());
    if before.len() > PROMPT_CHARS_MAX {
        return None;
    }
    if c == '>' {
        return Some(typed).filter(|typed| names_tool(typed));
    }
    // The heading of a table has wide blanks between its columns.
    let is_heading = typed.contains("    ") && !names_tool(typed);
    // A label of CrystalDiskInfo.
    let is_label = typed.starts_with("of Sectors :");
    let is_typed = !is_heading && !is_label && typed.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/' | '~'));
    let is_alone = typed.is_empty() && before.contains('@');
    (is_alone || is_typed && is_prompt(before, typed)).then_some(typed)
}

fn is_prompt(before: &str, typed: &str) -> bool {
    let ends_like_one = before.trim_end().ends_with(['~', '/', ']', ')', ':', '*']);
    let is_one_word = !before.contains(' ') && names_tool(typed);
    before.is_empty() || before.contains('@') || ends_like_one || is_one_word
}

fn parse(typed: &str, number: usize) -> PastedCommand {
    let line: Vec<&str> = typed.split_whitespace().skip_while(|word| is_prefix(word)).collect();
    let tool = tool(line.first().copied().unwrap_or_default());
    PastedCommand { device: device(&line).map(|device| (device, number)), line: line.join(" "), tool }
}

/// A path in `/dev`, an address on a bus, or the last word that looks like a device.
fn device(words: &[&str]) -> Option<String> {
    let arguments = words.get(1..).unwrap_or_default();
    // A variable of a loop names no drive.
    let path = arguments.iter().find_map(|word| word.strip_prefix("/dev/")).filter(|name| !name.contains(['$', '*', '{', '?', '[']));
    // ESXi's names hold more than letters and digits.
    let esxi =
        || arguments.iter().skip_while(|word| !matches!(**word, "-d" | "--device")).nth(1).filter(|_| words.first() == Some(&"esxcli"));
    let address = || arguments.iter().find_map(|word| word.trim_matches(['\'', '"']).strip_prefix("traddr:"));
    let named = || arguments.iter().rev().copied().find(|word| is_device_name(word));
    let behind = path.filter(|_| words.first().is_some_and(|program| tool(program) == "smartctl")).zip(behind_controller(arguments));
    if let Some((path, place)) = behind {
        return Some(format!("{path} {place}"));
    }
    path.or_else(|| esxi().copied()).or_else(address).or_else(named).map(str::to_owned)
}

/// `megaraid,13`: smartctl's `-d` names a drive behind a controller, whose device is that of all of them.
fn behind_controller<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let after = arguments.iter().position(|word| matches!(*word, "-d" | "--device")).and_then(|at| arguments.get(at + 1).copied());
    let joined = || arguments.iter().find_map(|word| word.strip_prefix("--device=").or_else(|| word.strip_prefix("-d")));
    // `sat,12` and the like tell how it is spoken to.
    let is_number = |number: &str| number.starts_with(|c: char| c.is_ascii_digit());
    let is_place = |place: &&str| place.split_once(',').is_some_and(|(kind, number)| kind != "sat" && is_number(number));
    after.or_else(joined).filter(is_place)
}

/// `nvme0ns1`, `da11`: letters first, a digit somewhere, nothing else.
fn is_device_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The device of a line that says nothing else, as loops over drives print before each: `sde`, `### /dev/sdf`, `=== Drive /dev/ada1 ===`.
pub(crate) fn heading(line: &PastedLine) -> Option<String> {
    let bare = line.text.trim_matches(|c: char| c.is_whitespace() || "#=-*:[]".contains(c));
    let (first, rest) = bare.split_once([' ', ':']).unwrap_or((bare, ""));
    let is_label = matches!(first.to_ascii_lowercase().as_str(), "device" | "drive" | "disk");
    let name = if is_label { rest.trim_matches(|c: char| c.is_whitespace() || c == ':') } else { bare };
    let plain = name.strip_prefix("/dev/").unwrap_or(name);
    let is_plain =
        !plain.is_empty() && plain.len() <= NAME_CHARS_MAX && plain.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    // An array of drives is none of them.
    let is_array = plain.starts_with("md");
    (is_plain && !is_array && (plain.len() < name.len() || is_disk(plain))).then(|| plain.to_owned())
}

const NAME_CHARS_MAX: usize = 16;

/// `sda`, `hdb`, `ada3`, `da11`, `nvme0`, `nvme0n1`.
pub(crate) fn is_disk(name: &str) -> bool {
    let rest = |start: &str| name.strip_prefix(start).filter(|rest| !rest.is_empty());
    let lettered = ["sd", "hd", "vd"]
        .iter()
        .filter_map(|start| rest(start))
        .any(|rest| rest.len() <= 3 && rest.bytes().all(|c| c.is_ascii_lowercase()));
    let numbered = |rest: &str| rest.bytes().all(|c| c.is_ascii_digit() || c == b'n') && rest.starts_with(|c: char| c.is_ascii_digit());
    lettered || ["ada", "da", "nvme", "nvd", "nda"].iter().filter_map(|start| rest(start)).any(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(text: &str) -> PastedLine {
        PastedLine { number: 7, text: text.to_owned(), after_gap: false }
    }

    #[track_caller]
    fn check(line: &str, tool: &str, device: Option<&str>) {
        let found = command(&numbered(line)).unwrap_or_else(|| panic!("{line}"));
        assert_eq!((found.tool, found.device), (tool, device.map(|device| (device.to_owned(), 7))), "{line}");
    }

    #[test]
    fn prompts_of_several_systems() {
        check("root@s4l-zfs:~/oberstet # nvmecontrol identify nvme0ns1", "nvmecontrol", Some("nvme0ns1"));
        check("root@s4l-zfs:~/oberstet # camcontrol identify da11", "camcontrol", Some("da11"));
        check("# spdk_nvme_identify -V -r 'trtype:PCIe traddr:e20005:04:00.0'", "spdk_nvme_identify", Some("e20005:04:00.0"));
        check(
            "[root@host spdk]# ./build/examples/identify -i 0 -r \"trtype:PCIe traddr:0000:5f:00.0\"",
            "spdk_nvme_identify",
            Some("0000:5f:00.0"),
        );
        check("truenas% sudo smartctl -x /dev/da1", "smartctl", Some("da1"));
        check("PS C:\\> smartctl -a /dev/sdb", "smartctl", Some("sdb"));
        check("/ # smartctl -x /dev/nvme2", "smartctl", Some("nvme2"));
        check("chazz@minerva:~$ sudo nvme id-ns -H /dev/nvme1 -n 1", "nvme", Some("nvme1"));
        check("$ sudo nvme smart-log /dev/nvme0 -o json", "nvme", Some("nvme0"));
        check("[root@esx:~] esxcli storage core device smart get -d naa.5000", "esxcli", Some("naa.5000"));
    }

    #[test]
    fn commands_without_a_prompt() {
        check("sudo nvme smart-log /dev/nvme0n1", "nvme", Some("nvme0n1"));
        check("* sudo nvme id-ctrl -H /dev/nvme0", "nvme", Some("nvme0"));
        check("smartctl -a -d megaraid,96 /dev/sda", "smartctl", Some("sda megaraid,96"));
        check("smartctl -i --device=cciss,2 /dev/sg1", "smartctl", Some("sg1 cciss,2"));
        check("smartctl -a -d sat,12 /dev/sda", "smartctl", Some("sda"));
        check("nvmecontrol devlist", "nvmecontrol", None);
        check("`nvme list`", "nvme", None);
    }

    #[test]
    fn other_commands_end_an_output() {
        check("root@host:~ # fio --filename=/dev/nvd7 control.fio", "", None);
        check("$ which nvmecontrol", "", None);
        check("root@s4l-zfs:~/oberstet #", "", None);
    }

    #[test]
    fn headings_of_a_loop_name_the_drive_and_variables_do_not() {
        let named = |text: &str| heading(&numbered(text));
        for (text, name) in [
            ("sde", "sde"),
            ("### /dev/sdf", "sdf"),
            ("=== Drive /dev/ada1 ===", "ada1"),
            ("/dev/sdaa:", "sdaa"),
            ("Device: /dev/nvme0n1", "nvme0n1"),
            ("--- nvme3 ---", "nvme3"),
        ] {
            assert_eq!(named(text).as_deref(), Some(name), "{text}");
        }
        #[rustfmt::skip]
        let cases = [
            "/dev/md3:", "/dev/sd$i", "sd$i", "device", "sda is broken", "sda: 12 C", "data", "---", "/dev/", "Device Model: sda", "sdabcd", "nvme",
            "da",
        ];
        for text in cases {
            assert_eq!(named(text), None, "{text}");
        }
        check("root@nas:~# for i in e f g; do smartctl -a /dev/sd$i; done", "", None);
        check("smartctl -a /dev/sd$i", "smartctl", None);
        check("# smartctl -a /dev/sd[abcd]", "smartctl", None);
    }

    #[test]
    fn what_tools_print_is_no_command() {
        for line in [
            "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)",
            "#  when        lba(hex)    [sk,asc,ascq]    reassign_status",
            "# 1  Short offline       Completed without error       00%        16         -",
            "ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE",
            "Available Spare: 100% and more",
            "available_spare : 100%",
            "Current Power State:         Power State #0",
            "LBA Format #00: Data Size:   512  Metadata Size:     0",
            "NVME Identify Controller:",
            "identify the drive",
            "nvme0: INTEL SSDPEDMD020T4",
            "Power Cycle Min/Max Temperature:     --/ 0 Celsius",
        ] {
            assert_eq!(command(&numbered(line)), None, "{line}");
        }
    }
}
