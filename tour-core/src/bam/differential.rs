//! Block-abstraction memoization says nothing else than lazy abstraction, on random programs with calls and recursion.

use super::DomainKind;
use crate::LoadOptions;
use crate::analysis::{Context, Kind, Options, verify_with};
use crate::front::Input;
use crate::program::DataModel;

/// xorshift64: the same programs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Functions that call each other to a small depth, change globals (also through a pointer), and a check at the end.
fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let r = &mut random;
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_error(void);\nint g, h;\n\
         int f0(int n, int m); int f1(int n, int m); void f2(int *p, int n);\n",
    );
    for name in ["f0", "f1"] {
        text += &format!("int {name}(int n, int m) {{\n  int a = m, b = n;\n  if (n <= 0) return ");
        text += r.of(&["m", "m + 1", "g", "0"]);
        text += ";\n";
        for _ in 0..2 + r.below(3) {
            text += match r.below(7) {
                0 => "  a = f0(n - 1, m);\n",
                1 => "  b = f1(n - 1, m + 1);\n",
                2 => "  g = g + 1;\n",
                3 => "  if (a > b) h = a; else h = b;\n",
                4 => "  f2(&a, n);\n",
                5 => "  m = m + 2;\n",
                _ => "  n = n - 1;\n",
            };
        }
        text += &format!("  return {};\n}}\n", r.of(&["a", "b", "m", "a + b", "n"]));
    }
    text += "void f2(int *p, int n) { if (n > 1) f2(p, n - 1); *p = *p + 1; }\nint main(void) {\n";
    text += &format!("  int x = {};\n", r.of(&["1", "2", "__VERIFIER_nondet_int() & 1", "0"]));
    text += &format!("  int y = f{}(x, {});\n", r.below(2), r.below(3));
    let check = r.of(&["y == 2", "g > 1", "h == 1", "y < 0", "x > 1", "g == x + 7"]);
    text + &format!("  if ({check}) __VERIFIER_error();\n  return 0;\n}}\n")
}

/// What an analysis says within some steps of the solver.
fn verdict(text: &str, options: &Options) -> String {
    let program = crate::load(&[Input::text("random.i", text)], &LoadOptions::new(DataModel::Ilp32)).unwrap();
    let context = Context { budget: Some(3_000_000), ..Context::default() };
    let verdict = verify_with(&program, &context, options).to_string();
    assert!(!verdict.contains("certificate"), "{verdict}\n{text}");
    verdict.split(' ').next().unwrap().to_owned()
}

#[test]
fn random_programs_get_the_same_verdict() {
    let mut decided = 0;
    for seed in 1..=12 {
        let text = program(seed);
        let expect = verdict(&text, &Options { analysis: Kind::Auto, ..Options::default() });
        for domain in [DomainKind::Predicate, DomainKind::Value, DomainKind::Product] {
            let got = verdict(&text, &Options { analysis: Kind::Bam, domain, ..Options::default() });
            if got != "UNKNOWN" && expect != "UNKNOWN" {
                assert_eq!(got, expect, "program {seed} in {domain:?}\n{text}");
                decided += 1;
            }
        }
    }
    assert!(decided >= 12, "{decided} comparisons");
}
