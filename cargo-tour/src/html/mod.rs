//! The HTML report: one file that needs nothing else, neither network nor server.
//!
//! | file | what |
//! |---|---|
//! | `page.html`, `style.css` | the page |
//! | `app.js` | runs, tabs, tables |
//! | `source.js` | source with colours |
//! | `graph.js` | automata and the abstract reachability graph |
//! | `path.js` | the error path, coverage over time |
//! | `assets` | libraries for graphs and plots, with their licences; `refresh.sh` fetches them again |
//!
//! The data stand in the page as JSON in which `<`, `>` and `&` are escaped, so that no text of a program can end the
//! script; the scripts put all text into the page as text.

use tour::report::record::Record;
use tour::visible::show;

const PAGE: &str = include_str!("page.html");

const STYLES: [&str; 2] = [include_str!("assets/uPlot.min.css"), include_str!("style.css")];

const SCRIPTS: [&str; 7] = [
    include_str!("assets/cytoscape.min.js"),
    include_str!("assets/cytoscape-dagre.min.js"),
    include_str!("assets/uPlot.iife.min.js"),
    include_str!("app.js"),
    include_str!("source.js"),
    include_str!("graph.js"),
    include_str!("path.js"),
];

/// The licences of the libraries in the page.
const LICENSES: [(&str, &str); 4] = [
    ("cytoscape", include_str!("assets/LICENSE-cytoscape")),
    ("cytoscape-dagre", include_str!("assets/LICENSE-cytoscape-dagre")),
    ("dagre", include_str!("assets/LICENSE-dagre")),
    ("uPlot", include_str!("assets/LICENSE-uplot")),
];

/// The page of these runs.
pub fn page(runs: &[Record]) -> String {
    let mut data = serde_json::json!({ "runs": runs });
    show(&mut data);
    let data = data.to_string();
    let mut scripts = String::new();
    for (name, text) in LICENSES {
        scripts.push_str(&format!("/*! {name}\n{}*/\n", text.replace("*/", "* /")));
    }
    for script in SCRIPTS {
        // Each is strict by itself, or not.
        scripts.push_str(script);
        scripts.push_str(";\n");
    }
    // One pass from left to right: what is put in is not looked at again.
    let mut out = String::with_capacity(PAGE.len() + data.len() + scripts.len());
    let parts = [("/*STYLE*/", STYLES.concat()), ("/*DATA*/", escape(&data)), ("/*SCRIPT*/", scripts)];
    let mut rest = PAGE;
    for (mark, text) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(&text);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// JSON that can stand in a script element, whatever its strings contain.
fn escape(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour::report::record::Source;
    use tour::visible::{visible, visible_in};

    const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u{2028}*/<!--";

    #[test]
    fn no_text_of_a_program_ends_a_script() {
        let source = Source { file: HOSTILE.into(), language: "c".into(), text: HOSTILE.repeat(2) };
        let record = Record { name: HOSTILE.into(), sources: vec![source], ..Record::default() };
        let hostile = page(std::slice::from_ref(&record));
        let harmless = page(&[Record::default()]);
        for mark in ["<script", "</script", "<img", "<!--", "alert(2)>"] {
            let count = |page: &str| page.matches(mark).count();
            assert_eq!(count(&hostile), count(&harmless), "{mark}");
        }
        // It is all there, as data.
        let json = hostile.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
        let back: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(back["runs"][0]["name"], *visible(HOSTILE));
        assert_eq!(serde_json::from_value::<Record>(back["runs"][0].clone()).unwrap(), visible_in(&record));
    }

    #[test]
    fn the_page_is_not_too_large_and_loads_nothing() {
        let page = page(&[Record::default()]);
        assert!(page.len() < 1_500_000, "{}", page.len());
        assert!(!page.contains(" src=\"http") && !page.contains("<link"), "it stands alone");
    }
}
