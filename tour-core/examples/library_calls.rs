//! How many calls of the C library in real code are modelled.
//!
//! ```console
//! tests/library-calls | cargo run --release -p tour-verify-core --example library_calls
//! ```
//!
//! Reads lines `CRATE SYMBOL CALLS` and prints, for each crate and in all, how many calls are of functions that have a
//! body or a row in the table of the library. What that is, is found by calling the function in a program of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use tour_core::LoadOptions;
use tour_core::front::Input;
use tour_core::program::{DataModel, Op};

/// The functions of the library, with a letter for the result and each parameter.
const NAMES: &str = include_str!("../c/lib/names.txt");

const HEADERS: &str = "arpa/inet assert ctype dirent dlfcn errno fcntl fenv inttypes locale malloc math poll pthread pwd sched semaphore \
    setjmp signal stdio stdlib string strings sys/mman sys/ioctl sys/prctl sys/random sys/resource sys/select sys/socket \
    sys/stat sys/statfs sys/syscall sys/time sys/types sys/uio sys/utsname sys/wait time unistd utime wchar wctype";

/// The function that programs call by another name when they are compiled.
fn source_name(symbol: &str) -> String {
    let plain = symbol.strip_prefix("__").and_then(|name| name.strip_suffix("_chk"));
    let plain =
        plain.or_else(|| symbol.strip_prefix("__isoc99_")).or_else(|| symbol.strip_prefix("__isoc23_"));
    plain.unwrap_or(symbol).to_owned()
}

/// Whether a call of a function of the library has an effect that is known. `None` if the name is none of the library's.
fn is_modelled(name: &str, shapes: &BTreeMap<&str, &str>) -> Option<bool> {
    let shape = shapes.get(name)?;
    let format = name.contains("printf") || name.contains("scanf");
    let argument = |letter: char| match letter {
        'f' => "0.0",
        'p' if format => "\"\"",
        _ => "0",
    };
    let arguments: Vec<&str> = shape.chars().skip(1).filter(|letter| *letter != '.').map(argument).collect();
    let headers: String = HEADERS.split_whitespace().map(|h| format!("#include <{h}.h>\n")).collect();
    let text = format!(
        "#define _GNU_SOURCE\n{headers}int main(void) {{ {name}({}); return 0; }}\n",
        arguments.join(", ")
    );
    // What can't be called so is not taken for modelled.
    let Ok(program) = tour_core::load(&[Input::text("call.c", &text)], &LoadOptions::new(DataModel::Lp64))
    else {
        return Some(false);
    };
    let quoted = format!("`{name}`");
    let unsupported = program.cfa.edges.iter().any(|edge| match &edge.op {
        Op::Unsupported(unsupported) => unsupported.message.contains(&quoted),
        _ => false,
    });
    Some(!unsupported)
}

fn main() {
    let shapes: BTreeMap<&str, &str> = NAMES.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut known: BTreeMap<String, Option<bool>> = BTreeMap::new();
    let mut crates: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut missing: BTreeMap<String, u64> = BTreeMap::new();
    let mut functions = BTreeSet::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut words = line.split_whitespace();
        let (Some(krate), Some(symbol), Some(calls)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Ok(calls) = calls.parse::<u64>() else { continue };
        let name = source_name(symbol);
        let modelled = *known.entry(name.clone()).or_insert_with(|| is_modelled(&name, &shapes));
        let Some(modelled) = modelled else { continue };
        let (all, covered) = crates.entry(krate.to_owned()).or_default();
        *all += calls;
        if modelled {
            *covered += calls;
        } else {
            *missing.entry(name.clone()).or_default() += calls;
        }
        functions.insert(name);
    }
    println!("{:20} {:>7} {:>9}", "crate", "calls", "modelled");
    let (mut calls, mut modelled) = (0, 0);
    for (krate, (all, covered)) in &crates {
        println!("{krate:20} {all:7} {covered:9}");
        calls += all;
        modelled += covered;
    }
    let share = modelled as f64 * 100.0 / f64::max(calls as f64, 1.0);
    println!("{:20} {calls:7} {modelled:9}  {share:.1} % ({} functions)", "all", functions.len());
    let mut missing: Vec<(u64, String)> = missing.into_iter().map(|(name, calls)| (calls, name)).collect();
    missing.sort_by(|a, b| b.cmp(a));
    let named: Vec<String> = missing.iter().map(|(calls, name)| format!("{name} {calls}")).collect();
    println!("not modelled: {}", named.join(", "));
}
