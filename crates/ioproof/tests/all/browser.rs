//! A browser shows the page: Chromium draws it in both themes without a complaint, its charts answer, it fits a phone, and it prints.
//!
//! Questions to a page are asked by a script that the test adds to a copy of the page, so that the page itself bears nothing for tests.

use crate::common::Sandbox;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const STORED: [&str; 2] = ["20261121-031500-3f9a", "20261203-101500-7b21"];
/// Two clones of a mix, and a stream beside them.
const JOBS: &str = "[global]\nsize=4m\nruntime=1\ntime_based\nioengine=psync\ndirect=0\n[mix]\nrw=randrw\nbs=4k\nnumjobs=2\ngroup_reporting\n[stream]\nrw=read\nbs=64k\n";

/// Pages of all kinds of runs: stored ones of `verify` and of a job file, and a job file and a sweep that are run here.
fn pages(sandbox: &Sandbox) -> Vec<String> {
    let mut pages: Vec<String> = Vec::new();
    let mut page = |run: &str| {
        let name = format!("page-{}.html", pages.len());
        sandbox.succeeds(&["report", run, "-o", &name]);
        pages.push(name);
    };
    for run in STORED {
        page(&format!("{}/../../fixtures/runs/{run}", env!("CARGO_MANIFEST_DIR")));
    }
    std::fs::write(sandbox.work().join("jobs.fio"), JOBS).unwrap();
    sandbox.succeeds(&["run", "jobs.fio"]);
    let sweep =
        ["sweep", ".", "--rw", "randread", "--depth", "1,2", "--workers", "1,2", "--size", "4MiB", "--time", "4s", "-o", "sweep.html"];
    let said = sandbox.run(&sweep);
    assert!(said.status != 2, "{said:?}");
    let mut runs: Vec<_> = std::fs::read_dir(sandbox.state().join("ioproof/runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    runs.sort();
    page(runs[0].to_str().unwrap());
    pages.push("sweep.html".into());
    pages
}

fn chromium(folder: &Path, args: &[&str], page: &str) -> Output {
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let address = format!("file://{}", folder.join(page).display());
    let said = Command::new("chromium")
        .current_dir(folder)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", &profile])
        .args(args)
        .arg(&address)
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    let complaints = String::from_utf8_lossy(&said.stderr);
    assert!(!complaints.contains("CONSOLE"), "{page}: {complaints}");
    said
}

/// The answer of a script that ran at the end of a copy of the page, in a frame as wide as a phone where that is asked for.
fn ask(folder: &Path, page: &str, script: &str, on_a_phone: bool) -> Value {
    let markup = std::fs::read_to_string(folder.join(page)).unwrap();
    let said = "parent.postMessage(JSON.stringify(answer()), '*')";
    let copy = format!("{}<script>function answer() {{ {script} }}\naddEventListener('load', () => {said});</script></body></html>\n", {
        markup.strip_suffix("</body>\n</html>\n").unwrap()
    });
    std::fs::write(folder.join("copy.html"), copy).unwrap();
    let width = if on_a_phone { 360 } else { 1280 };
    let frame = format!(
        "<!DOCTYPE html><html><body><pre></pre><script>addEventListener('message', e => {{ document.querySelector('pre').textContent = e.data; }});</script>\
         <iframe src=\"copy.html\" width=\"{width}\" height=\"800\"></iframe></body></html>"
    );
    std::fs::write(folder.join("frame.html"), frame).unwrap();
    let dom = chromium(folder, &["--window-size=1400,1000", "--virtual-time-budget=4000", "--dump-dom"], "frame.html").stdout;
    let dom = String::from_utf8(dom).unwrap();
    let answer = dom.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>")).map(|(answer, _)| answer).unwrap_or_default();
    serde_json::from_str(&answer.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        .unwrap_or_else(|e| panic!("{page}: {e}: {dom}"))
}

fn screenshot(folder: &Path, page: &str, dark: bool) -> Vec<u8> {
    let theme = format!("--blink-settings=preferredColorScheme={}", if dark { 0 } else { 1 });
    chromium(folder, &[&theme, "--window-size=1280,1600", "--screenshot=shot.png"], page);
    std::fs::read(folder.join("shot.png")).unwrap()
}

/// Moves a pointer over every chart and every dot, and gives back the words that appear.
const POINT: &str = r#"
    const tip = document.querySelector(".tip");
    document.querySelectorAll("details").forEach(one => { one.open = true; });
    const over = (element, kind) => {
        tip.hidden = true;
        const box = element.getBoundingClientRect();
        element.dispatchEvent(new PointerEvent(kind, { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }));
        return tip.hidden ? "" : tip.textContent;
    };
    const key = element => {
        tip.hidden = true;
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", cancelable: true }));
        return tip.hidden ? "" : tip.textContent;
    };
    const plots = [...document.querySelectorAll("svg.plot")];
    return {
        plots: plots.map(plot => over(plot, "pointermove")),
        keys: plots.map(key),
        dots: [...document.querySelectorAll("[data-tip]")].map(dot => over(dot, "pointerenter")),
        links: [...document.querySelectorAll("nav a")].filter(link => !document.querySelector(link.getAttribute("href"))).length,
        first: document.querySelector("main svg.plot, main svg.dots").getBoundingClientRect().top,
    };
"#;

/// Everything that is wider than the window.
const WIDTH: &str = r#"
    document.querySelectorAll("details").forEach(one => { one.open = true; });
    const wide = [...document.querySelectorAll("body *")].filter(one => one.getBoundingClientRect().right > innerWidth + 1);
    const name = one => one.tagName + "." + one.getAttribute("class") + ": " + one.textContent.slice(0, 60);
    return { window: innerWidth, page: document.documentElement.scrollWidth, wide: wide.slice(0, 5).map(name) };
"#;

#[test]
fn a_browser_shows_every_page() {
    let sandbox = Sandbox::new();
    let folder = sandbox.work();
    for page in pages(&sandbox) {
        let (light, dark) = (screenshot(&folder, &page, false), screenshot(&folder, &page, true));
        assert!(light.starts_with(b"\x89PNG") && light.len() > 50_000, "{page}: {} bytes", light.len());
        assert!(light != dark, "{page} looks the same in the dark");

        let said = ask(&folder, &page, POINT, false);
        for kind in ["plots", "keys", "dots"] {
            for words in said[kind].as_array().unwrap() {
                let words = words.as_str().unwrap();
                assert!(
                    words.contains(|c: char| c.is_ascii_digit()) && !words.contains("undefined") && !words.contains("NaN"),
                    "{page}: {kind}: {words:?}"
                );
            }
        }
        assert!(!said["plots"].as_array().unwrap().is_empty(), "{page}: {said}");
        assert_eq!(said["links"], 0, "{page}: a link of the contents leads nowhere");
        assert!(said["first"].as_f64().unwrap() < 1200.0, "{page}: the first chart is not within a screen and a half: {}", said["first"]);

        let said = ask(&folder, &page, WIDTH, true);
        assert_eq!((&said["window"], &said["page"]), (&Value::from(360), &Value::from(360)), "{page}: {said}");

        chromium(&folder, &["--print-to-pdf=page.pdf", "--no-pdf-header-footer"], &page);
        let pdf = std::fs::read(folder.join("page.pdf")).unwrap();
        let leaves = String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count();
        assert!(pdf.starts_with(b"%PDF") && (2..60).contains(&leaves), "{page}: {leaves} pages");
    }
}
