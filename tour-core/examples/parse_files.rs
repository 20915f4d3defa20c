//! Reads C files and says which of them the front end does not understand, and how long it took.
//!
//! `parse_files [--all] [--lp64] [--flag=F]... FILE...`; with `-`, the names of files come from standard input.

use std::time::Instant;
use tour_core::front::{FrontOptions, Input, parse_units};
use tour_core::program::DataModel;
use tour_core::source::SourceMap;

fn main() {
    let mut options = FrontOptions::new(DataModel::Ilp32);
    let mut files: Vec<String> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--all" => options.entries.clear(),
            "--lp64" => options.data_model = DataModel::Lp64,
            "-" => files.extend(std::io::stdin().lines().map_while(Result::ok)),
            flag if flag.starts_with("--flag=") => options.flags.push(flag["--flag=".len()..].into()),
            file => files.push(file.to_owned()),
        }
    }
    let (mut failed, mut bytes, mut pieces, mut needed) = (0, 0, 0, 0);
    let mut slowest = (0.0, String::new());
    let start = Instant::now();
    for file in &files {
        let mut sources = SourceMap::default();
        let begin = Instant::now();
        let result = parse_units(&[Input::file(file)], &options, &mut sources);
        let seconds = begin.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, file.clone());
        }
        bytes += sources.units().map(|(_, u)| u.text.len()).sum::<usize>();
        match result {
            Ok(units) => {
                pieces += units.iter().map(|u| u.pieces.len()).sum::<usize>();
                needed += units.iter().map(|u| u.items.len()).sum::<usize>();
            }
            Err(errors) => {
                failed += 1;
                for error in errors.iter().take(1) {
                    let place = error.labels.first().map(|l| sources.display(l.span)).unwrap_or_default();
                    println!(
                        "{file}: {}: {} [{}]",
                        place,
                        error.message,
                        error.help.as_deref().unwrap_or("")
                    );
                }
            }
        }
    }
    println!(
        "{} files, {failed} failed, {:.1} MB, {needed} items, {pieces} pieces, {:.1} s; slowest {:.2} s {}",
        files.len(),
        bytes as f64 / 1e6,
        start.elapsed().as_secs_f64(),
        slowest.0,
        slowest.1
    );
}
