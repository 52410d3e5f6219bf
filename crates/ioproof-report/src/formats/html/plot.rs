//! A chart as SVG: panels above each other on one horizontal axis, with lines, bands, levels and the cells of a heat map.
//!
//! Everything is placed by shares of the axes, 0 to 1. Each line carries the text of its values (`data-v`), which `script.js` shows under the pointer; without
//! script the line, its axes and the description say it. Colours come from classes in `style.css`, so that a chart follows light, dark and paper.

use super::escape;
use std::fmt::Write;

/// Width of a chart in its own units, and of the margins beside the plot.
pub(super) const WIDTH: f64 = 340.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
/// Room above each panel for the name of its axis, and below the last one for labels.
const TOP: f64 = 25.0;
const BOTTOM: f64 = 32.0;
/// Classes of lines; each has a colour and a pattern of its own.
pub(super) const LOOKS: usize = 8;

/// A labelled mark on an axis.
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// One point with its value in words.
pub(super) struct Point {
    pub x: f64,
    /// The end of a level piece that begins at `x`.
    pub to: Option<f64>,
    pub y: f64,
    pub text: String,
    /// True where it is not joined to the one before it.
    pub begins: bool,
}

pub(super) struct Line {
    pub name: String,
    /// Position among the looks.
    pub look: usize,
    pub points: Vec<Point>,
    /// Position from which on it is drawn pale.
    pub pale_from: Option<usize>,
    /// Names of the points along the axis, where it is not an even scale.
    pub labels: Vec<String>,
}

/// Something drawn below the lines.
pub(super) enum Mark {
    /// Over the whole height of the panel, with a class.
    Band(f64, f64, &'static str),
    /// Across the panel, with a word.
    Level(f64, String),
    /// Cells of a heat map: left, right, bottom, top, and a level from 1 to 5.
    Heat(Vec<([f64; 4], u8)>),
}

pub(super) struct Panel {
    pub name: String,
    pub height: f64,
    pub ticks: Vec<Tick>,
    pub marks: Vec<Mark>,
    pub lines: Vec<Line>,
}

pub(super) struct Plot {
    /// Unique on the page.
    pub id: String,
    pub title: String,
    pub description: String,
    pub x_name: String,
    pub x_ticks: Vec<Tick>,
    /// Length and unit of an even horizontal axis that begins at zero.
    pub x_span: Option<(f64, &'static str)>,
    pub panels: Vec<Panel>,
}

/// The part of the drawing that a panel takes.
struct Area {
    top: f64,
    height: f64,
}

fn clamp(share: f64) -> f64 {
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

fn across(x: f64) -> f64 {
    LEFT + clamp(x) * (WIDTH - LEFT - RIGHT)
}

impl Area {
    fn up(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - clamp(y))
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

impl Plot {
    /// One panel or several above each other, on an axis with a name and marks.
    pub(super) fn new(id: String, title: String, description: String, (x_name, x_ticks): (&str, Vec<Tick>), panels: Vec<Panel>) -> Self {
        Self { id, title, description, x_name: x_name.to_owned(), x_ticks, x_span: None, panels }
    }

    /// The drawing with its legend, under a caption.
    pub(super) fn figure(&self, title: &str, aside: &str) -> String {
        let caption = format!("<strong>{}</strong> <span>{}</span>", escape(title), escape(aside));
        format!("<figure><figcaption>{caption}</figcaption>{}{}</figure>\n", self.svg(), self.legend())
    }

    fn svg(&self) -> String {
        let mut top = 0.0;
        let mut body = String::new();
        for panel in &self.panels {
            let area = Area { top: top + TOP, height: panel.height };
            body += &self.panel(panel, &area);
            top = area.bottom();
        }
        let x_labels = self.x_labels(top);
        let span = self.x_span.map_or_else(String::new, |(span, unit)| format!(" data-span=\"{span:.3}\" data-unit=\"{unit}\""));
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\"{span}>\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>{body}{x_labels}</svg>",
            top + BOTTOM,
            escape(&self.title),
            escape(&self.description),
            id = self.id,
        )
    }

    fn panel(&self, panel: &Panel, area: &Area) -> String {
        let marks: String = panel.marks.iter().map(|mark| mark.svg(area)).collect();
        let lines: String = panel.lines.iter().map(|line| line.svg(area)).collect();
        let (left, right, bottom) = (LEFT, WIDTH - RIGHT, area.bottom());
        let name = format!("<text class=\"name\" x=\"2\" y=\"{:.1}\">{}</text>", area.top - 8.0, escape(&panel.name));
        let axis = format!("<path class=\"axis\" d=\"M{left} {bottom:.1}H{right}\"/>");
        format!("{name}{}{marks}{axis}{lines}", self.grid(panel, area))
    }

    fn grid(&self, panel: &Panel, area: &Area) -> String {
        let mut lines = String::new();
        let mut labels = String::new();
        for tick in &panel.ticks {
            let y = area.up(tick.at);
            let _ = write!(lines, "M{LEFT} {y:.1}H{}", WIDTH - RIGHT);
            let _ = write!(labels, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", LEFT - 5.0, y + 3.5, escape(&tick.label));
        }
        for tick in &self.x_ticks {
            let _ = write!(lines, "M{:.1} {:.1}V{:.1}", across(tick.at), area.top, area.bottom());
        }
        format!("<path class=\"grid\" d=\"{lines}\"/>{labels}")
    }

    fn x_labels(&self, bottom: f64) -> String {
        let label = |tick: &Tick| {
            let at = across(tick.at);
            format!("<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>", bottom + 13.0, escape(&tick.label))
        };
        let labels: String = self.x_ticks.iter().map(label).collect();
        let (x, y) = (WIDTH - RIGHT, bottom + 26.0);
        format!("{labels}<text class=\"name\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", escape(&self.x_name))
    }

    /// A key for each look that has a name, where there are several.
    fn legend(&self) -> String {
        let mut known: Vec<(usize, &str)> = Vec::new();
        for line in self.panels.iter().flat_map(|panel| &panel.lines).filter(|line| !line.name.is_empty()) {
            if !known.contains(&(line.look, line.name.as_str())) {
                known.push((line.look, &line.name));
            }
        }
        if known.len() < 2 {
            return String::new();
        }
        let key = |(look, name): &(usize, &str)| {
            let line = format!("<path class=\"line l{}\" d=\"M0 4H22\"/>", look % LOOKS);
            format!("<li><svg viewBox=\"0 0 22 8\" width=\"22\" height=\"8\" aria-hidden=\"true\">{line}</svg> {}</li>", escape(name))
        };
        format!("<ul class=\"legend\">{}</ul>", known.iter().map(key).collect::<String>())
    }
}

impl Mark {
    fn svg(&self, area: &Area) -> String {
        match self {
            Mark::Band(from, to, class) => {
                let (left, right) = (across(*from), across(*to));
                let (top, height) = (area.top, area.height);
                format!("<path class=\"{class}\" d=\"M{left:.1} {top:.1}H{right:.1}v{height:.1}H{left:.1}z\"/>")
            }
            Mark::Level(at, label) => {
                let (y, right) = (area.up(*at), WIDTH - RIGHT);
                let text =
                    format!("<text class=\"claim-label\" x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", y - 4.0, escape(label));
                format!("<path class=\"claim\" d=\"M{LEFT} {y:.1}H{right}\"/>{text}")
            }
            Mark::Heat(cells) => (1..=5).map(|level| heat(cells, level, area)).collect(),
        }
    }
}

/// All cells of one level as one path.
fn heat(cells: &[([f64; 4], u8)], level: u8, area: &Area) -> String {
    let mut data = String::new();
    for ([left, right, bottom, top], _) in cells.iter().filter(|(_, of)| *of == level) {
        let (x, y) = (across(*left), area.up(*top));
        let (width, height) = (across(*right) - x, area.up(*bottom) - y);
        let _ = write!(data, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    }
    if data.is_empty() { data } else { format!("<path class=\"heat h{level}\" d=\"{data}\"/>") }
}

impl Line {
    pub(super) fn new(name: String, look: usize, points: Vec<Point>) -> Self {
        Self { name, look, points, pale_from: None, labels: Vec::new() }
    }

    fn svg(&self, area: &Area) -> String {
        match self.pale_from.filter(|from| *from < self.points.len()) {
            None => self.piece(0, self.points.len(), "", area),
            Some(0) => self.piece(0, self.points.len(), " faint", area),
            Some(from) => self.piece(0, from + 1, "", area) + &self.piece(from, self.points.len(), " faint", area),
        }
    }

    fn piece(&self, from: usize, to: usize, class: &str, area: &Area) -> String {
        let points = &self.points[from..to];
        if points.is_empty() {
            return String::new();
        }
        let mut data = String::new();
        for (n, point) in points.iter().enumerate() {
            let letter = if n == 0 || point.begins { 'M' } else { 'L' };
            let _ = write!(data, "{letter}{:.1} {:.1}", across(point.x), area.up(point.y));
            if let Some(to) = point.to {
                let _ = write!(data, "H{:.1}", across(to));
            }
        }
        let values: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
        let labels = self.labels.get(from..to).map_or_else(String::new, |labels| format!(" data-l=\"{}\"", escape(&labels.join("|"))));
        format!(
            "<path class=\"line l{}{class}\" d=\"{data}\" data-n=\"{}\" data-v=\"{}\"{labels}/>",
            self.look % LOOKS,
            escape(&self.name),
            escape(&values.join("|")),
        )
    }
}

/// Lines of each of the charts that so many need with at most so many in each, about as many in each.
pub(super) fn even(lines: usize, most: usize) -> usize {
    lines.div_ceil(lines.div_ceil(most).max(1)).max(1)
}

/// Round steps from 0 that reach `top`: 1, 2 or 5 times a power of ten, about four of them.
pub(super) fn round_steps(top: f64) -> Vec<f64> {
    if !top.is_finite() || top <= 0.0 {
        return vec![0.0, 1.0];
    }
    let power = 10f64.powf((top / 4.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| step * 4.0 >= top * 0.999).unwrap_or(top);
    (0..=((top / step).ceil() as u32).min(8)).map(|n| f64::from(n) * step).collect()
}

/// Decades that hold all of these nanoseconds, as an axis.
pub(super) struct Decades {
    low: f64,
    high: f64,
}

impl Decades {
    pub(super) fn of(values_ns: impl Iterator<Item = f64>) -> Option<Self> {
        let logs = values_ns.filter(|ns| ns.is_finite()).map(|ns| ns.max(1.0).log10());
        let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
        let (low, high) = (low.floor(), high.ceil());
        low.is_finite().then(|| Self { low, high: high.max(low + 1.0) })
    }

    pub(super) fn up(&self, ns: f64) -> f64 {
        (ns.max(1.0).log10() - self.low) / (self.high - self.low)
    }

    pub(super) fn ticks(&self) -> Vec<Tick> {
        let decades = (self.low as i32)..=(self.high as i32);
        let tick = |decade| Tick { at: self.up(10f64.powi(decade)), label: ioproof_core::units::latency(10f64.powi(decade)) };
        decades.map(tick).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_reach_the_top() {
        assert_eq!(round_steps(450.0), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(round_steps(4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(round_steps(0.0), [0.0, 1.0]);
        assert_eq!(round_steps(f64::NAN), [0.0, 1.0]);
    }

    #[test]
    fn what_is_no_number_stays_in_the_plot() {
        let area = Area { top: 20.0, height: 100.0 };
        assert_eq!((across(f64::NAN), area.up(f64::INFINITY)), (LEFT, 120.0));
        assert!(Decades::of([f64::NAN].into_iter()).is_none());
    }

    #[test]
    fn each_point_has_its_value_and_a_pale_end_begins_where_the_line_stops() {
        let point = |x: f64| Point { x, to: None, y: x, text: format!("{x}"), begins: false };
        let line = Line {
            name: "a|\"b\"".into(),
            look: 9,
            points: [0.0, 0.5, 1.0].map(point).into(),
            pale_from: Some(1),
            labels: ["1", "2", "4"].map(String::from).into(),
        };
        let svg = line.svg(&Area { top: 0.0, height: 100.0 });
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(
            svg.contains("class=\"line l1\" d=\"M52.0 100.0L190.0 50.0\" data-n=\"a|&quot;b&quot;\" data-v=\"0|0.5\" data-l=\"1|2\""),
            "{svg}"
        );
        assert!(svg.contains("faint\" d=\"M190.0 50.0L328.0 0.0\"") && svg.contains("data-v=\"0.5|1\" data-l=\"2|4\""), "{svg}");
    }
}
