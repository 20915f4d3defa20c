//! The compiler as the judge of what we do not know.
//!
//! Where our own reading ends (a syntax that we do not take, an attribute in none of our lists), the user's compiler says
//! whether that is C. It is asked only then: a compiler that starts takes longer than all the rest of reading a file.

use super::preprocess::{Input, Preprocessor};
use super::{FrontOptions, token::Kind};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Who wrote the compiler, where that decides what a program means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum Family {
    Gcc,
    Clang,
}

/// The compiler takes all units for C.
pub fn accepts(inputs: &[Input], options: &FrontOptions) -> bool {
    let preprocessor = Preprocessor::new(options);
    inputs.iter().all(|input| preprocessor.accepts(input))
}

/// The attributes among `names` that the compiler knows; all of them if it can't be asked.
pub fn known_attributes<'n>(names: &[&'n str], preprocessor: &Preprocessor<'_>) -> FxHashSet<&'n str> {
    let mut question = String::new();
    for (i, name) in names.iter().enumerate() {
        let _ = writeln!(question, "#if __has_attribute({name})\nknown_{i}\n#endif");
    }
    match preprocessor.ask(&question) {
        Some(answer) => {
            let lines: FxHashSet<&str> = answer.lines().map(str::trim).collect();
            let known = |i: usize| lines.contains(format!("known_{i}").as_str());
            names.iter().enumerate().filter(|(i, _)| known(*i)).map(|(_, name)| *name).collect()
        }
        None => names.iter().copied().collect(),
    }
}

/// Who wrote the compiler; `None` if it can't be asked.
pub fn family(preprocessor: &Preprocessor<'_>) -> Option<Family> {
    let answer = preprocessor.ask("#ifdef __clang__\nclang\n#elif defined __GNUC__\ngcc\n#endif\n")?;
    answer.lines().find_map(|line| match line.trim() {
        "clang" => Some(Family::Clang),
        "gcc" => Some(Family::Gcc),
        _ => None,
    })
}

/// A bit-field of more bits than this has a type of its own in gcc, and the declared one in clang.
pub const WIDE_FIELD: u64 = 32;

/// Tokens declare a bit-field wider than `int`, in a structure.
pub fn has_wide_field<'t>(tokens: impl Iterator<Item = (Kind, &'t str)>) -> bool {
    let mut blocks = Vec::new();
    let (mut record, mut behind_colon) = (false, false);
    for (kind, text) in tokens {
        match kind {
            Kind::Struct | Kind::Union => record = true,
            Kind::LeftBrace => blocks.push(std::mem::take(&mut record)),
            Kind::RightBrace => {
                blocks.pop();
            }
            Kind::Semicolon | Kind::Comma | Kind::Assign | Kind::Star => record = false,
            Kind::Number if behind_colon && blocks.last() == Some(&true) => {
                let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
                if digits.parse::<u64>().is_ok_and(|width| width > WIDE_FIELD) {
                    return true;
                }
            }
            _ => {}
        }
        behind_colon = kind == Kind::Colon;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::scan::scan;
    use std::path::Path;
    use tour_ir::program::DataModel;

    #[test]
    fn the_compiler_knows_its_attributes() {
        let options = FrontOptions::new(DataModel::Lp64);
        let known = known_attributes(&["packed", "made_up_by_us", "cold"], &Preprocessor::new(&options));
        assert_eq!(known, ["packed", "cold"].into_iter().collect());
    }

    #[test]
    fn the_compiler_says_what_c_is() {
        let options = FrontOptions::new(DataModel::Lp64);
        let check = |text: &str, want: bool| {
            assert_eq!(accepts(&[Input::text("t.c", text)], &options), want, "{text}");
        };
        check("int f(void) { int g(void) { return 1; } return g(); }", family_is_gcc(&options));
        check("_Complex double z = 1.0;", true);
        check("int x = ;", false);
    }

    fn family_is_gcc(options: &FrontOptions) -> bool {
        family(&Preprocessor::new(options)) == Some(Family::Gcc)
    }

    #[test]
    fn wide_fields_are_seen() {
        let check = |text: &str, want: bool| {
            let found = scan(text, Path::new("t.i"));
            let tokens = found.tokens.iter().map(|token| (token.kind, token.text(text)));
            assert_eq!(has_wide_field(tokens), want, "{text}");
        };
        check("struct s { unsigned long a : 33; };", true);
        check("struct s { unsigned a : 32; };", false);
        check("int f(void) { struct s { int a : 3; } x; return y ? 1 : 50; }", false);
    }
}
