//! Any bytes as a preprocessed unit: the front end gives trees or diagnostics, and the semantic analysis a program or
//! diagnostics; neither ever panics.
//!
//! Run with `cargo +nightly fuzz run front` from the top of the repository.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tour::front::{FrontOptions, Input, parse_units};
use tour::program::DataModel;
use tour::source::SourceMap;
use tour::{LoadOptions, load};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut options = FrontOptions::new(DataModel::Lp64);
    for entries in [vec!["main".to_owned()], Vec::new()] {
        options.entries = entries;
        let mut sources = SourceMap::default();
        if let Err(errors) = parse_units(&[Input::text("fuzz.i", &*text)], &options, &mut sources) {
            assert!(!errors.is_empty());
            for label in errors.iter().flat_map(|e| &e.labels) {
                sources.display(label.span);
            }
        }
    }
    if let Err(error) = load(&[Input::text("fuzz.i", &*text)], &LoadOptions::new(DataModel::Lp64)) {
        assert!(!error.diagnostics.is_empty());
    }
});
