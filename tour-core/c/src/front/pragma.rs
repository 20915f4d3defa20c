//! What a text says beside C: `#pragma`.
//!
//! Compilers ignore pragmas that they do not know. So the lists here are of those that gcc and clang act on: `pack`,
//! `weak` and `redefine_extname` are modelled, some only advise, and the rest is not modelled.

/// What the pragmas of a text say.
#[derive(Clone, Debug, Default)]
pub struct Directives {
    /// `pack` in force from an offset on, ascending.
    pub packs: Vec<(u32, Option<u64>)>,
    /// `redefine_extname old new`: the symbol of a name.
    pub renames: Vec<(String, String)>,
    /// `weak name` and `weak name = target`.
    pub weak: Vec<(String, Option<String>)>,
    /// What is not modelled: from, to, and why.
    pub unmodelled: Vec<(u32, u32, String)>,
    stack: Vec<(Option<String>, Option<u64>)>,
}

/// What compilers act on, after the name of the compiler, without changing what a program does.
const ADVICE: &[&str] = &[
    "abi_tag",
    "arc_cf_code_audited",
    "assume_nonnull",
    "dependency",
    "deprecated",
    "diagnostic",
    "error",
    "final",
    "header_unsafe",
    "ivdep",
    "loop",
    "max_tokens_here",
    "max_tokens_total",
    "module",
    "novector",
    "optimize",
    "poison",
    "pop_options",
    "push_options",
    "reset_options",
    "restrict_expansion",
    "system_header",
    "target",
    "unroll",
    "unsafe_buffer_usage",
    "visibility",
    "warning",
];

/// Options of `#pragma GCC optimize` and `target`, and of the attributes, that change results of floating arithmetic.
const FLOATING: &[&str] = &[
    "fast",
    "math",
    "associative",
    "reciprocal",
    "finite",
    "signed-zeros",
    "rounding",
    "wrapv",
    "trapv",
    // Products and sums that are rounded once, or with more digits.
    "fma",
    "arch=",
    "387",
    "no-sse",
];

/// An option of the optimiser changes what a program computes.
pub fn changes_results(options: &str) -> bool {
    FLOATING.iter().any(|option| options.contains(option))
}

impl Directives {
    /// Reads the text behind `#pragma`, which stands at `start..end`.
    pub fn read(&mut self, pragma: &str, start: u32, end: u32) {
        let mut words = pragma.split_whitespace();
        let first = words.next().unwrap_or("");
        let name_end = pragma.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(pragma.len());
        let (name, rest) = (&pragma[..name_end], pragma[name_end..].trim());
        let understood = match name {
            "pack" => self.pack(rest, end),
            "redefine_extname" => self.rename(rest),
            "weak" => self.weak(rest),
            "scalar_storage_order" => matches!(rest, "default" | "little-endian"),
            // Layouts of other systems, which clang knows here as well.
            "ms_struct" => matches!(rest, "off" | "reset"),
            "options" => !rest.starts_with("align"),
            "align" => !rest.starts_with('='),
            "float_control" | "fenv_access" | "fenv_round" => false,
            "STDC" => stdc(rest),
            "GCC" | "clang" => {
                let word = words.next().unwrap_or("");
                let word = word.split('(').next().unwrap_or("");
                let changes = matches!(word, "optimize" | "target") && changes_results(rest);
                ADVICE.contains(&word) && !changes
            }
            // `omp` and `acc` mean something only with the flags that ask for it.
            _ => true,
        };
        if !understood {
            let shown = if first == name { pragma } else { first };
            self.unmodelled.push((start, end, format!("`#pragma {}` is not modelled", shown.trim())));
        }
    }

    fn pack(&mut self, rest: &str, end: u32) -> bool {
        let Some(list) = rest.strip_prefix('(').and_then(|r| r.split(')').next()) else { return true };
        let arguments: Vec<&str> = list.split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
        let before = self.packs.last().and_then(|pack| pack.1);
        let number = |text: Option<&&str>| -> Result<Option<u64>, ()> {
            match text.map(|text| text.parse::<u64>()) {
                None => Ok(None),
                Some(Ok(n @ (1 | 2 | 4 | 8 | 16))) => Ok(Some(n)),
                Some(_) => Err(()),
            }
        };
        let now = match arguments.first().copied() {
            None => None,
            Some("show") => before,
            Some("push") => {
                let label = arguments.get(1).filter(|a| !a.starts_with(|c: char| c.is_ascii_digit()));
                let at = if label.is_some() { 2 } else { 1 };
                self.stack.push((label.map(|l| (*l).to_owned()), before));
                match number(arguments.get(at)) {
                    Ok(asked) => asked.or(before),
                    Err(()) => return false,
                }
            }
            Some("pop") if arguments.len() == 1 => self.stack.pop().and_then(|(_, pack)| pack),
            // A label or a number to go back to.
            Some("pop") => return false,
            Some("0") => None,
            Some(_) => match number(arguments.first()) {
                Ok(asked) => asked,
                Err(()) => return false,
            },
        };
        self.packs.push((end, now));
        true
    }

    fn rename(&mut self, rest: &str) -> bool {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [old, new] = words[..] else { return false };
        self.renames.push((old.to_owned(), new.to_owned()));
        true
    }

    fn weak(&mut self, rest: &str) -> bool {
        let (name, target) = match rest.split_once('=') {
            Some((name, target)) => (name.trim(), Some(target.trim().to_owned())),
            None => (rest, None),
        };
        if name.is_empty() || name.contains(char::is_whitespace) {
            return false;
        }
        self.weak.push((name.to_owned(), target));
        true
    }
}

/// `#pragma STDC …`: the floating environment and decimal constants are not modelled. Nothing is contracted unless the
/// processor has an instruction for it, which its flags tell.
fn stdc(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    matches!(
        (words.next(), words.next()),
        (Some("FP_CONTRACT" | "CX_LIMITED_RANGE"), _)
            | (Some("FENV_ACCESS" | "FLOAT_CONST_DECIMAL64"), Some("OFF" | "DEFAULT"))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Directives {
        let mut directives = Directives::default();
        for (i, line) in lines.iter().enumerate() {
            directives.read(line, i as u32, i as u32);
        }
        directives
    }

    #[test]
    fn packs_nest() {
        let check = |lines: &[&str], want: &[Option<u64>]| {
            let packs: Vec<_> = read(lines).packs.iter().map(|pack| pack.1).collect();
            assert_eq!(packs, want, "{lines:?}");
        };
        check(&["pack(push, 2)", "pack(1)", "pack(pop)", "pack()"], &[Some(2), Some(1), None, None]);
        check(&["pack (push,here,4)", "pack(push)", "pack(pop)"], &[Some(4), Some(4), Some(4)]);
    }

    #[test]
    fn what_changes_the_meaning_is_modelled_or_reported() {
        let check = |line: &str, understood: bool| {
            assert_eq!(read(&[line]).unmodelled.is_empty(), understood, "{line}");
        };
        check("once", true);
        check("GCC diagnostic ignored \"-Wall\"", true);
        check("clang loop vectorize(enable)", true);
        check("GCC optimize(\"O3\")", true);
        check("GCC optimize (\"fast-math\")", false);
        check("GCC pch_preprocess \"x\"", false);
        check("clang section bss=\"x\"", false);
        check("scalar_storage_order big-endian", false);
        check("scalar_storage_order default", true);
        check("STDC FENV_ACCESS ON", false);
        check("STDC FP_CONTRACT OFF", true);
        check("pack(3)", false);
        check("pack(pop, here)", false);
        check("omp parallel for", true);
        check("vendor thing", true);
    }

    #[test]
    fn names_of_symbols() {
        let directives = read(&["redefine_extname ali real", "weak f", "weak g = h"]);
        assert_eq!(directives.renames, [("ali".to_owned(), "real".to_owned())]);
        assert_eq!(directives.weak, [("f".to_owned(), None), ("g".to_owned(), Some("h".to_owned()))]);
    }
}
