//! The page of the book that lists all tuning values is made of the code.

use expect_test::expect_file;
use tour_core::heuristics::Heuristics;

const BEGINNING: &str = "# Tuning values

The engine has numbers that were chosen because they seem to work: how long a search goes on, how many values of a variable
it tells apart, when it asks somebody else. None of them changes what is true, only what is found and how soon; and none
reaches the code that checks proofs. Here is each with what it decides and what was measured. *Not yet* means that nobody
has compared it with other values.

`cargo tour check --set AREA.FIELD=VALUE` changes one. To measure one again, on tasks of your choice:

```console
cargo run --release -p tour-verify-core --example heuristics -- --root SVB/c --set core.txt --every 4 --limit 10 \\
    --vary abstraction.max_values --runs runs.jsonl
```

It runs every task with half the value, with the value and with twice the value, and prints what was solved and what it
took. Look at the steps of the solver first: they hang less on the machine than time does. Values of `fault` are no matter
of solved tasks. The page is made of the code by a test.
";

fn page() -> String {
    let heuristics = Heuristics::default();
    let mut page = BEGINNING.to_owned();
    let mut last = "";
    for field in Heuristics::fields() {
        let (area, name) = field.name.rsplit_once('.').expect("an area and a name");
        if area != last {
            page += &format!("\n## {area}\n\n| field | value | decides | measured |\n|---|--:|---|---|\n");
            last = area;
        }
        let value = heuristics.get(field.name).expect("a value");
        page += &format!("| `{name}` | {value} | {} | {} |\n", field.decides.trim(), field.measured);
    }
    page
}

#[test]
fn the_book_lists_all_tuning_values() {
    expect_file!["../../docs/src/heuristics.md"].assert_eq(&page());
}
