//! A drawing that needs no other program: the functions below one another, each laid out in layers.

use super::layout::{Input, Layout, Point, Room, Route, layout};
use super::{edge_colour, escape_xml, kind_name, loc_style, span_of};
use crate::cfa::{Edge, LocId, LocKind, Loops, Order};
use crate::program::{FnId, Program};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// Width of a character of the monospaced fonts below, for each unit of font size.
const CHAR: f64 = 0.61;
const LABEL_SIZE: f64 = 11.0;
const LABEL_CHARS: usize = 48;
const NODE_HEIGHT: f64 = 32.0;
const MARGIN: f64 = 20.0;
const TITLE: f64 = 30.0;
const SELF_LOOP: f64 = 26.0;

const HEADER: &str = r##"<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 z" fill="#57606a"/></marker></defs>
<style>
text { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; text-anchor: middle; fill: #24292f }
.title { font-size: 14px; font-weight: bold; text-anchor: start }
.id { font-size: 12px }
.line { font-size: 8px; fill: #57606a }
.op { font-size: 11px }
.edge { fill: none; stroke-width: 1.2; marker-end: url(#arrow) }
.cluster { fill: #f6f8fa; stroke: #d0d7de }
.back { fill: #f6f8fa; fill-opacity: 0.9 }
</style>
"##;

/// The automata as an SVG drawing. Entries are green, errors red, loop heads blue with a double border; every location
/// shows its line, the tooltips have the whole text.
pub fn svg(program: &Program) -> String {
    let (order, loops) = (Order::of(program), Loops::of(program));
    let mut parts = Vec::new();
    let (mut width, mut y) = (0.0f64, MARGIN);
    for (id, function) in program.functions.iter_enumerated() {
        if function.body.is_none() {
            continue;
        }
        let drawing = Drawing::new(program, &order, &loops, id);
        let title = CHAR * 14.0 * function.name.chars().count() as f64;
        let inner = drawing.layout.width.max(title);
        let height = drawing.layout.height + TITLE + MARGIN;
        let mut part = String::new();
        _ = writeln!(
            part,
            r#"<g transform="translate({MARGIN:.0} {y:.1})"><rect class="cluster" width="{:.1}" height="{height:.1}" rx="8"/><text class="title" x="12" y="20">{}</text>"#,
            inner + 2.0 * MARGIN,
            escape_xml(&function.name),
        );
        _ = writeln!(part, r#"<g transform="translate({MARGIN:.0} {TITLE:.0})">"#);
        drawing.draw(&mut part);
        part.push_str("</g></g>\n");
        parts.push(part);
        width = width.max(inner + 4.0 * MARGIN);
        y += height + MARGIN;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\" viewBox=\"0 0 {width:.0} \
         {y:.0}\">\n{HEADER}<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
        parts.concat()
    )
}

/// The drawing of one function: its reachable locations, and those that stand for something although no path leads
/// there (an exit, an error).
struct Drawing<'a> {
    program: &'a Program,
    loops: &'a Loops,
    locs: Vec<LocId>,
    edges: Vec<(&'a Edge, String)>,
    layout: Layout,
}

impl<'a> Drawing<'a> {
    fn new(program: &'a Program, order: &Order, loops: &'a Loops, function: FnId) -> Drawing<'a> {
        let cfa = &program.cfa;
        let mut locs = order.locations(function).to_vec();
        let exit = program.functions[function].body.map(|b| b.exit);
        let errors = program.checks.iter().map(|c| c.loc).filter(|&l| cfa.locs[l].function == function);
        locs.extend(exit.into_iter().chain(errors).filter(|&l| !order.is_reachable(l)));

        let mut rooms: Vec<Room> = locs.iter().map(|&l| node_room(program, l)).collect();
        let mut edges = Vec::new();
        let mut ends = Vec::new();
        for (number, &loc) in order.locations(function).iter().enumerate() {
            for (_, edge) in cfa.successors(loc) {
                let text = shorten(&program.show_op(&edge.op));
                let half = width_of(&text) / 2.0;
                let height = if text.is_empty() { 0.0 } else { LABEL_SIZE + 4.0 };
                let to = order.number(edge.to).unwrap_or(0);
                if to == number as u32 {
                    rooms[number].right += SELF_LOOP + 2.0 * half;
                }
                ends.push((number as u32, to, Room { left: half, right: half, height }));
                edges.push((edge, text));
            }
        }
        let layout = layout(&Input { nodes: &rooms, edges: &ends });
        Drawing { program, loops, locs, edges, layout }
    }

    fn draw(&self, out: &mut String) {
        // Lines first, then labels and nodes on top of them.
        let numbers: FxHashMap<LocId, usize> = self.locs.iter().enumerate().map(|(i, &l)| (l, i)).collect();
        let mut self_loops: FxHashMap<LocId, f64> = Default::default();
        let mut labels = String::new();
        let end = |loc: LocId| {
            let number = numbers[&loc];
            End { at: self.layout.nodes[number], half: self.half(loc), free: self.layout.free[number] }
        };
        for ((edge, text), route) in self.edges.iter().zip(&self.layout.edges) {
            let (from, colour, width) = (end(edge.from), edge_colour(&edge.op), width_of(text));
            let (path, label) = if edge.from == edge.to {
                let used = self_loops.entry(edge.from).or_default();
                let (right, y) = (from.at.0 + from.half, from.at.1);
                let x = right + *used;
                *used += SELF_LOOP + width;
                let mut path = Path::start((right, y + 6.0));
                path.curve((x + 22.0, y + 20.0), (x + 22.0, y - 20.0), (right, y - 6.0));
                (path.text, Some((x + 20.0 + width / 2.0, y)))
            } else {
                (line(route, from, end(edge.to)), route.label)
            };
            let full = escape_xml(&self.program.show_op(&edge.op));
            let place = escape_xml(&self.program.sources.display(edge.span));
            _ = writeln!(
                out,
                r#"<path class="edge" stroke="{colour}" d="{path}"><title>{full} ({place})</title></path>"#
            );
            if let Some((x, y)) = label.filter(|_| !text.is_empty()) {
                _ = writeln!(
                    labels,
                    r#"<rect class="back" x="{:.1}" y="{:.1}" width="{width:.1}" height="{:.1}"/><text class="op" x="{x:.1}" y="{:.1}">{}<title>{full} ({place})</title></text>"#,
                    x - width / 2.0,
                    y - LABEL_SIZE / 2.0 - 2.0,
                    LABEL_SIZE + 4.0,
                    y + LABEL_SIZE * 0.35,
                    escape_xml(text),
                );
            }
        }
        out.push_str(&labels);
        for (&loc, &at) in self.locs.iter().zip(&self.layout.nodes) {
            self.node(out, loc, at);
        }
    }

    fn half(&self, loc: LocId) -> f64 {
        node_room(self.program, loc).left
    }

    fn node(&self, out: &mut String, loc: LocId, (x, y): Point) {
        let kind = self.program.cfa.locs[loc].kind;
        let head = self.loops.is_head(loc);
        let style = loc_style(kind, head);
        let half = self.half(loc);
        let place = self.program.sources.place(span_of(self.program, loc));
        let mut title =
            format!("{} location {}, {}:{}", kind_name(kind), loc.index(), place.file.display(), place.line);
        if head {
            title += ", loop head";
        }
        if let LocKind::Error(check) = kind {
            title += &format!(": {}", self.program.checks[check].message);
        }
        let rect = |inset: f64, width: f64, fill: &str| {
            format!(
                r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{:.1}" fill="{fill}" stroke="{}" stroke-width="{width}"/>"#,
                x - half + inset,
                y - NODE_HEIGHT / 2.0 + inset,
                2.0 * (half - inset),
                NODE_HEIGHT - 2.0 * inset,
                12.0 - inset,
                style.stroke,
            )
        };
        let text = if kind == LocKind::End { r##" style="fill:#ffffff""## } else { "" };
        _ = write!(out, "<g><title>{}</title>{}", escape_xml(&title), rect(0.0, 1.5, style.fill));
        if head {
            out.push_str(&rect(3.0, 1.0, "none"));
        }
        _ = writeln!(
            out,
            r#"<text class="id" x="{x:.1}" y="{:.1}"{text}>{}</text><text class="line" x="{x:.1}" y="{:.1}"{text}>line {}</text></g>"#,
            y + 1.0,
            loc.index(),
            y + 10.0,
            place.line,
        );
    }
}

fn node_room(program: &Program, loc: LocId) -> Room {
    let line = program.sources.place(span_of(program, loc)).line;
    let digits = |n: usize| n.checked_ilog10().unwrap_or(0) as f64 + 1.0;
    let half =
        (CHAR * 12.0 * digits(loc.index())).max(CHAR * 8.0 * (5.0 + digits(line as usize))) / 2.0 + 8.0;
    Room { left: half, right: half, height: NODE_HEIGHT }
}

/// An end of an edge: the node's centre, half its width, and how far it is empty beside it.
#[derive(Clone, Copy)]
struct End {
    at: Point,
    half: f64,
    free: (f64, f64),
}

impl End {
    /// Where an edge that leads upwards leaves or meets the node, and whether that is at a side: at the side of the
    /// next bend if nothing is in between, else at the top or bottom (`vertical` away from the centre).
    fn port(&self, bend: Point, vertical: f64) -> (bool, Point) {
        let (dx, side) = ((bend.0 - self.at.0).abs(), (bend.0 - self.at.0).signum());
        if dx > self.half + 6.0 && self.free.0 <= bend.0 && bend.0 <= self.free.1 {
            (true, (self.at.0 + side * self.half, self.at.1))
        } else {
            (false, (self.at.0 + side * dx.min(self.half - 9.0), self.at.1 + vertical))
        }
    }
}

/// Down from the bottom of a node to the top of the next, or up.
fn line(route: &Route, from: End, to: End) -> String {
    let height = NODE_HEIGHT / 2.0;
    if !route.up {
        let mut path = Path::start((from.at.0, from.at.1 + height));
        for &bend in &route.bends {
            path.vertical(bend);
        }
        path.vertical((to.at.0, to.at.1 - height));
        return path.text;
    }
    let first = route.bends.first().copied().unwrap_or(to.at);
    let last = route.bends.last().copied().unwrap_or(from.at);
    let (sideways, start) = from.port(first, -height);
    let mut path = Path::start(start);
    for (i, &bend) in route.bends.iter().enumerate() {
        if i == 0 && sideways {
            path.curve((bend.0, start.1), (bend.0, (start.1 + bend.1) / 2.0), bend);
        } else {
            path.vertical(bend);
        }
    }
    let (sideways, end) = to.port(last, height);
    if sideways {
        path.curve((last.0, (last.1 + end.1) / 2.0), (last.0, end.1), end);
    } else {
        path.vertical(end);
    }
    path.text
}

/// An SVG path of cubic curves.
struct Path {
    text: String,
    at: Point,
}

impl Path {
    fn start(at: Point) -> Path {
        Path { text: format!("M{:.1} {:.1}", at.0, at.1), at }
    }

    fn curve(&mut self, a: Point, b: Point, to: Point) {
        _ = write!(self.text, " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", a.0, a.1, b.0, b.1, to.0, to.1);
        self.at = to;
    }

    /// To a point, leaving and arriving vertically.
    fn vertical(&mut self, to: Point) {
        let middle = (self.at.1 + to.1) / 2.0;
        self.curve((self.at.0, middle), (to.0, middle), to);
    }
}

/// The width of a label.
fn width_of(text: &str) -> f64 {
    CHAR * LABEL_SIZE * text.chars().count() as f64
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= LABEL_CHARS {
        return text.into();
    }
    text.chars().take(LABEL_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;

    /// Tags are balanced and no text has a bare `<` or `&`.
    fn well_formed(xml: &str) -> bool {
        let mut open: Vec<&str> = Vec::new();
        for part in xml.split('<').skip(1) {
            let Some((tag, text)) = part.split_once('>') else { return false };
            if text
                .split('&')
                .skip(1)
                .any(|e| !["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|x| e.starts_with(x)))
            {
                return false;
            }
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
            if tag.starts_with('/') {
                if open.pop() != Some(name) {
                    return false;
                }
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        open.is_empty()
    }

    #[test]
    fn every_location_and_edge_is_drawn() {
        let s = sample(
            "fn main(): 1->2 x = 0; 2->3 [x < 3]; 3->2 x = x + 1; 2->error [x > 3]; 3->3; 2->exit f(x)\n\
             fn f(n): 1->1 [n > 0]",
        );
        let text = svg(&s.program);
        assert!(well_formed(&text), "{text}");
        assert_eq!(text.matches("class=\"edge\"").count(), 7);
        assert_eq!(text.matches("class=\"id\"").count(), 7);
        assert_eq!(text.matches("loop head").count(), 3);
        assert!(text.contains("[x &lt; 3]") && text.contains("error is reached"));
    }

    #[test]
    fn an_empty_program_is_a_drawing_too() {
        assert!(well_formed(&svg(&sample("fn main(): 1->exit").program)));
    }

    #[test]
    fn long_labels_are_cut_between_characters() {
        assert_eq!(shorten("short"), "short");
        let cut = shorten(&"é".repeat(100));
        assert_eq!(cut.chars().count(), LABEL_CHARS);
        assert!(cut.ends_with('…'));
    }
}
