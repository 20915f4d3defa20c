//! The HTML report in a real browser: every tab is opened, looked at and photographed. Pictures are left in
//! `target/tmp/report-*.png`.

use crate::browser::Browser;
use crate::support::Folder;
use serde_json::json;
use std::path::{Path, PathBuf};

const VIOLATED: &str = r#"extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
/* </script><script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2"> */
const char *text = "<b>&amp;</b>";
int unused(int a) {
    int t = a;
    return t + 1;
}
int twice(int n) {
    return n + n;
}
int main(void) {
    int i = 0;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) {
        return 1;
    }
    while (i < 3) {
        i = i + 1;
    }
    if (twice(n) == 42) {
        reach_error();
    }
    return 0;
}
"#;

const PROVED: &str = r#"extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned x = 0;
    unsigned y = 0;
    while (x < n) {
        x = x + 1;
        y = y + 1;
    }
    if (x != y) {
        reach_error();
    }
    return 0;
}
"#;

/// Runs `check` with a report, whatever the verdict.
fn report(folder: &Folder, args: &str) -> PathBuf {
    let run = folder.tour(&format!("check {args} --report r.html"));
    assert!(folder.path("r.html").exists(), "{run:#?}");
    folder.path("r.html")
}

fn picture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}.png"))
}

/// Opens a tab and returns its text.
fn tab(browser: &mut Browser, id: &str) -> String {
    browser.eval(&format!("document.querySelector('#tabs button[data-tab={id}]').click()"));
    browser.wait(&format!("document.getElementById('main').dataset.tab === '{id}'"));
    browser.text("document.getElementById('main').innerText")
}

#[test]
fn every_tab_of_a_violated_program_shows_what_it_should() {
    let folder = Folder::new().file("a <b>&.c", VIOLATED);
    let run = Folder::command(&folder, "check --analysis predicate --report r.html").arg("a <b>&.c").output();
    assert_eq!(run.expect("the binary runs").status.code(), Some(1));
    let Some(mut browser) = Browser::open(&folder.path("r.html")) else { return };
    let overview = tab(&mut browser, "overview");
    for part in ["UNSAFE", "a <b>&.c", "visited-lines", "considered-locations", "unused", "violated"] {
        assert!(overview.contains(part), "{part} in {overview}");
    }
    let bar = browser.eval("parseFloat(getComputedStyle(document.querySelector('.bar i')).width) / 16 / 14");
    assert!(bar.as_f64().is_some_and(|share| share > 0.5 && share < 0.95), "{bar}");
    browser.screenshot(&picture("overview"));
    let source = tab(&mut browser, "source");
    assert!(source.contains("<img src=x onerror=") && source.contains("twice(n) == 42"), "{source}");
    let colour = |line: u32| {
        format!(
            "getComputedStyle(document.querySelector('[data-line=\"{line}\"] td:last-child')).backgroundColor"
        )
    };
    assert_eq!(browser.text(&colour(1)), "rgba(0, 0, 0, 0)", "no statement");
    assert_eq!(browser.text(&colour(6)), "rgb(255, 216, 211)", "not visited");
    assert_ne!(browser.text(&colour(18)), "rgba(0, 0, 0, 0)", "visited");
    browser.screenshot(&picture("source"));
    browser.eval("tabs.source.view = 'visited-variables'; show('source')");
    assert_eq!(browser.eval("document.querySelectorAll('#code .v').length > 3"), json!(true));
    browser.screenshot(&picture("source-variables"));
    let cfa = tab(&mut browser, "cfa");
    assert!(cfa.contains("locations"), "{cfa}");
    assert_eq!(
        browser.eval("tabs.cfa.cy.nodes().length > 5 && tabs.cfa.cy.edges('[bold]').length > 3"),
        json!(true)
    );
    browser.eval("tabs.cfa.cy.edges()[0].emit('tap'); 0");
    assert!(browser.text("document.getElementById('cfa-info').innerText").contains("followed"));
    browser.screenshot(&picture("cfa"));
    tab(&mut browser, "arg");
    assert_eq!(browser.eval("tabs.arg.cy.nodes().length > 0"), json!(true));
    browser.eval("tabs.arg.cy.nodes()[0].emit('tap'); 0");
    assert!(browser.text("document.getElementById('arg-info').innerText").contains("state 0"));
    browser.screenshot(&picture("arg"));
    let path = tab(&mut browser, "path");
    assert!(path.contains("n = ") && path.contains("21"), "the input that fails: {path}");
    let last = browser.text("document.getElementById('step-counter').innerText");
    browser.press("ArrowLeft");
    assert_ne!(browser.text("document.getElementById('step-counter').innerText"), last);
    browser.press("Home");
    assert!(browser.text("document.getElementById('step-counter').innerText").starts_with("step 1 of"));
    browser.eval("document.getElementById('next').click()");
    assert!(browser.text("document.getElementById('step-counter').innerText").starts_with("step 2 of"));
    browser.press("End");
    browser.screenshot(&picture("path"));
    let coverage = tab(&mut browser, "coverage");
    assert!(coverage.contains("visited-lines") && coverage.contains("relevant-variables"), "{coverage}");
    assert_eq!(browser.eval("document.querySelectorAll('#plot canvas').length"), json!(1));
    browser.screenshot(&picture("coverage"));
    let statistics = tab(&mut browser, "statistics");
    assert!(statistics.contains("front-end-time"), "{statistics}");
    let log = tab(&mut browser, "log");
    assert!(log.contains("predicate:"), "{log}");
    assert_eq!(browser.eval("window.hacked === undefined"), json!(true));
    assert_eq!(browser.exceptions, [""; 0]);
}

#[test]
fn predicates_and_the_graph_of_a_proof_are_shown() {
    let folder = Folder::with(PROVED);
    let page = report(&folder, "a.c --analysis predicate --timeout 60s");
    let Some(mut browser) = Browser::open(&page) else { return };
    assert!(tab(&mut browser, "overview").contains("SAFE"));
    let predicates = tab(&mut browser, "predicates");
    assert!(predicates.contains("main, location"), "{predicates}");
    browser.screenshot(&picture("predicates"));
    tab(&mut browser, "arg");
    assert_eq!(browser.eval("tabs.arg.cy.edges('[dashed]').length > 0"), json!(true), "something is covered");
    browser.screenshot(&picture("arg-proof"));
    // Nothing is violated: there is no error path.
    assert_eq!(browser.eval("document.querySelector('#tabs button[data-tab=path]').disabled"), json!(true));
    assert_eq!(browser.exceptions, [""; 0]);
}

#[test]
fn suspects_and_the_closest_run_are_shown() {
    let folder = crate::explain::minmax();
    let page = report(&folder, "a.c");
    let Some(mut browser) = Browser::open(&page) else { return };
    let overview = tab(&mut browser, "overview");
    assert!(overview.contains("Suspects: lines that may be wrong"), "{overview}");
    let first = browser.text("document.querySelector('#suspects tbody tr').innerText");
    assert!(first.contains("a.c:10") && first.contains("most = input2"), "{first}");
    browser.screenshot(&picture("suspects"));
    tab(&mut browser, "source");
    let rank = browser.text("document.querySelector('[data-line=\"10\"] .rank').innerText");
    assert_eq!(rank, "suspect 1");
    browser.eval("tabs.source.view = 'suspects'; show('source')");
    browser.screenshot(&picture("source-suspects"));
    let path = tab(&mut browser, "path");
    assert!(path.contains("line 10, deleted: most = input2"), "{path}");
    let differing = "document.querySelectorAll('#closest tr.differs').length";
    assert_eq!(browser.eval(differing), json!(2), "the decision of line 9, and line 10");
    assert_eq!(browser.eval("document.querySelectorAll('#closest tbody tr').length > 5"), json!(true));
    // Another technique's run takes its place.
    browser.eval("(s => { s.value = 'pg'; s.dispatchEvent(new Event('change')); })(document.querySelector('section select'))");
    assert_eq!(browser.eval(&format!("{differing} > 0")), json!(true));
    browser.eval("document.getElementById('closest').scrollIntoView()");
    browser.screenshot(&picture("closest"));
    assert_eq!(browser.exceptions, [""; 0]);
}

#[test]
fn threads_are_columns_of_the_error_path() {
    let folder = Folder::with(
        "#include <pthread.h>
extern void reach_error(void);
int x = 0;
void *worker(void *arg) {
    int local = x;
    x = local + 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x != 2) {
        reach_error();
    }
    return 0;
}
",
    );
    let page = report(&folder, "a.c --threads 2");
    let Some(mut browser) = Browser::open(&page) else { return };
    assert!(tab(&mut browser, "overview").contains("UNSAFE"));
    tab(&mut browser, "path");
    let head = browser.text("document.querySelector('#steps thead').innerText");
    assert!(head.contains("0: main") && head.contains("1: worker") && head.contains("2: worker"), "{head}");
    // A step stands in the column of its thread: number and place come before the columns.
    let column = "[...document.querySelectorAll('#steps tbody tr')].map(row => [...row.cells].slice(2, 5)
        .findIndex(cell => cell.textContent.includes('local = x')))";
    let columns = browser.eval(&format!("{column}.filter(c => c >= 0).sort().join()"));
    assert_eq!(columns, json!("1,2"));
    browser.screenshot(&picture("threads"));
    tab(&mut browser, "source");
    assert_eq!(browser.eval("run.coverage.measures[0].value > 0.9"), json!(true), "all lines are visited");
    browser.screenshot(&picture("source-threads"));
    assert_eq!(browser.exceptions, [""; 0]);
}

#[test]
fn ten_thousand_locations_are_no_burden() {
    let ifs: String = (0..5200).map(|i| format!("    if (n == {i}) {{ x = x + {i}; }}\n")).collect();
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n    int n = __VERIFIER_nondet_int();\n    \
         int x = 0;\n{ifs}    return x;\n}}\n"
    );
    let folder = Folder::with(&text);
    let page = report(&folder, "a.c --analysis bmc --depth 0 --timeout 60s");
    let Some(mut browser) = Browser::open(&page) else { return };
    assert_eq!(browser.eval("run.automata.locations.length > 10000"), json!(true));
    let start = std::time::Instant::now();
    tab(&mut browser, "cfa");
    assert_eq!(browser.eval("tabs.cfa.cy.nodes().length > 10000"), json!(true));
    browser.screenshot(&picture("large-cfa"));
    tab(&mut browser, "source");
    browser.screenshot(&picture("large"));
    // Some seconds; much more if the layout were not linear.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    assert_eq!(browser.exceptions, [""; 0]);
}
