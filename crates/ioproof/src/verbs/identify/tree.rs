//! The devices below and above a device, as lines of a tree.

use crate::columns::wrapped;
use ioproof_core::facts::StackNode;
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_target::Holder;

/// The tree upwards, in lines of at most so many columns.
pub fn above_lines(above: &Holder, width: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    grow(above, "", "", width, &mut lines);
    lines
}

fn grow(above: &Holder, first: &str, rest: &str, width: Option<usize>, lines: &mut Vec<String>) {
    let label = above.label.as_ref().map_or(String::new(), |label| format!(" ({})", visible(label)));
    let uses: Vec<String> = above.uses.iter().map(|used| visible(&used.what)).collect();
    let uses = if uses.is_empty() { String::new() } else { format!(": {}", uses.join("; ")) };
    let said = format!("{}{label} {} {}{uses}", visible(&above.name), above.kind, decimal_size(above.size_bytes));
    // What goes on stands behind the trunk of what comes below.
    let trunk = format!("{rest}{}  ", if above.holders.is_empty() { "  " } else { "│ " });
    let room = width.map(|width| width.saturating_sub(trunk.chars().count()).max(20));
    for (number, line) in wrapped(&said, 0, room).into_iter().enumerate() {
        lines.push(if number == 0 { format!("{first}{line}") } else { format!("{trunk}{line}") });
    }
    for (at, upper) in above.holders.iter().enumerate() {
        let last = at + 1 == above.holders.len();
        let (branch, trunk) = if last { ("└─", "  ") } else { ("├─", "│ ") };
        grow(upper, &format!("{rest}{branch}"), &format!("{rest}{trunk}"), width, lines);
    }
}

pub fn under_lines(node: &StackNode) -> Vec<String> {
    let mut lines = Vec::new();
    sink(node, 0, &mut lines);
    lines
}

fn sink(node: &StackNode, depth: usize, lines: &mut Vec<String>) {
    let file = node.backing_file.as_ref().map_or(String::new(), |file| format!(" (file {})", visible(file)));
    let on = if depth == 0 { "" } else { "on " };
    lines.push(format!("{}{on}{}{file} {} {}", "  ".repeat(depth), visible(&node.name), node.kind, decimal_size(node.size_bytes)));
    for under in &node.under {
        sink(under, depth + 1, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_target::Use;

    #[test]
    fn branches_are_drawn() {
        let node = |name: &str, on_it| Holder {
            name: name.into(),
            kind: "disk",
            size_bytes: 1_000_000,
            label: None,
            uses: vec![],
            holders: on_it,
        };
        let mut deep = node("sda1", vec![node("dm-0", vec![])]);
        deep.uses.push(Use { kind: "mount", what: "ext4 at /a\nb".into(), source: "x".into() });
        let tree = node("sda", vec![deep, node("sda2", vec![])]);
        let lines = above_lines(&tree, None);
        assert_eq!(lines, ["sda disk 1 MB", "├─sda1 disk 1 MB: ext4 at /a\\nb", "│ └─dm-0 disk 1 MB", "└─sda2 disk 1 MB"]);
        let narrow = above_lines(&tree, Some(26));
        assert_eq!(narrow, ["sda disk 1 MB", "├─sda1 disk 1 MB: ext4", "│ │   at /a\\nb", "│ └─dm-0 disk 1 MB", "└─sda2 disk 1 MB"]);
    }
}
