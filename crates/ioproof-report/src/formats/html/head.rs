//! The head of the page: what the drive does in a sentence, the verdict, the reasons, where to find what, and the run in short.

use super::{badge, element, escape};
use crate::view::{Banner, View};
use ioproof_core::verdict::Verdict;

pub(super) fn head(view: &View) -> String {
    let lead = &view.lead;
    let mut text = String::from("<header>\n<p class=\"kicker\">ioproof: what this drive really does</p>\n");
    text += &format!("{}\n", element("h1", "", &view.heading));
    text += &view.banners.iter().filter(|banner| banner.grave).map(banner).collect::<String>();
    text += &format!("{}\n", element("p", "speed", &lead.speed));
    text += &format!("{}\n{}", element("p", "verdict", &lead.verdict), tally(view));
    let why: String = lead.why.iter().map(|reason| element("li", "", reason)).collect();
    if !why.is_empty() {
        text += &format!("<ul class=\"because\" aria-label=\"Why\">{why}</ul>\n");
    }
    text += &view.banners.iter().filter(|banner| !banner.grave).map(banner).collect::<String>();
    text + "</header>\n"
}

fn banner(banner: &Banner) -> String {
    let (class, label) = if banner.grave { ("banner grave", "Warning") } else { ("banner", "Note") };
    format!("<p class=\"{class}\"><strong>{label}:</strong> {}</p>\n", escape(&banner.text))
}

fn tally(view: &View) -> String {
    let count = |(verdict, n): (Verdict, usize)| format!("<li><span class=\"count\">{n}</span> {}</li>", badge(verdict));
    let counts: String = view.tally().into_iter().map(count).collect();
    if counts.is_empty() { counts } else { format!("<ul class=\"tally\">{counts}</ul>\n") }
}

/// Target, drive, host and run in short.
pub(super) fn brief(view: &View) -> String {
    let run = format!("{}, started {}, {}", view.run_id, view.started_at, view.status);
    let exit = format!("{}, {}", view.exit_status, view.exit_meaning());
    let lines = view.brief.iter().map(|(label, value)| (*label, value)).chain([("run", &run), ("exit status", &exit)]);
    let lines: String = lines.map(|(label, value)| format!("<div><dt>{label}</dt>{}</div>\n", element("dd", "", value))).collect();
    format!("<dl class=\"brief\">\n{lines}</dl>\n")
}

/// Links to the sections of what was written, by their headings.
pub(super) fn contents(body: &str) -> String {
    let heading = |part: &str| {
        let (id, rest) = part.split_once("\">")?;
        let (title, _) = rest.split_once("</h2>")?;
        Some(format!("<li><a href=\"#{id}\">{title}</a></li>"))
    };
    let links: String = body.split("<h2 id=\"").skip(1).filter_map(heading).collect();
    format!("<nav aria-label=\"Contents\"><ul>{links}</ul></nav>\n")
}
