//! Layers held against one another: how fast each is, what a commit costs, both as bars and as tables, and what it means.

use super::tables::{cell, table};
use super::{bars, element, escape, section};
use crate::view::{COST_COLUMNS, LAYERS_LEGEND, LayerView, LayersView, SPEED_COLUMNS};

pub(super) fn layers(view: &LayersView) -> String {
    let speed = one(view, "How fast each layer is", &SPEED_COLUMNS, |row| &row.speed);
    let cost = one(view, "What each commit costs", &COST_COLUMNS, |row| &row.cost);
    let (shares, costs) = (bars::shares(&view.shares), bars::costs(&view.costs));
    let left_out: String = view.left_out.iter().map(|text| element("p", "about", text) + "\n").collect();
    let says: String = view.sentences("html").iter().map(|text| element("li", "", text)).collect();
    section("Layers", &format!("{shares}{left_out}{speed}{costs}{cost}{}<ul>{says}</ul>\n", element("p", "", LAYERS_LEGEND)))
}

fn one(view: &LayersView, caption: &str, columns: &[&str], cells: fn(&LayerView) -> &[String]) -> String {
    let names: Vec<(&str, &str)> = std::iter::once(("layer", "")).chain(columns.iter().map(|name| (*name, "n"))).collect();
    let line = |row: &LayerView| {
        let name = row.name(view.has_targets);
        let figures: String = columns.iter().zip(cells(row)).map(|(name, text)| cell(name, "n", &escape(text))).collect();
        format!("<tr>{}{figures}</tr>\n", cell("layer", "", &escape(&name)))
    };
    let bodies: String = view.rows.iter().map(line).collect();
    table("plain", caption, &names, &format!("<tbody>\n{bodies}</tbody>\n"))
}
