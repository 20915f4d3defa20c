//! Small programs of functions that call each other, themselves too, with pointers to variables of other frames: for
//! tests that ask two analyses the same question.
//!
//! A function does its work while its parameter `n` is above 0, and passes on less: each run ends. An input from 0 to 3
//! comes in; at the end one value of a variable is taken to be an error.

use crate::Rng;

/// The program of a seed.
pub fn calls(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xca11);
    let functions: Vec<bool> = (0..1 + rng.below(3)).map(|_| rng.chance(60)).collect();
    let mut maker = Maker { rng, functions };
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_error(void);\nint g = 1, h;\n",
    );
    for f in 0..maker.functions.len() {
        text += &format!("{};\n", maker.head(f));
    }
    for f in 0..maker.functions.len() {
        text += &maker.function(f);
    }
    text += "int main(void) {\n  int a = 2, b = 0, n = __VERIFIER_nondet_int();\n";
    text += "  if (n < 0 || n > 3) return 0;\n";
    for _ in 0..1 + maker.rng.below(3) {
        text += &format!("  {}\n", maker.call("n", false));
    }
    let var = *maker.rng.pick(&["a", "b", "g", "h"]);
    let value = maker.rng.below(16) as i64 - 6;
    text + &format!("  if ({var} == {value}) __VERIFIER_error();\n  return 0;\n}}\n")
}

struct Maker {
    rng: Rng,
    /// For each function, whether it takes a pointer.
    functions: Vec<bool>,
}

impl Maker {
    fn head(&self, f: usize) -> String {
        let first = if self.functions[f] { "int *p" } else { "int m" };
        format!("int f{f}({first}, int n)")
    }

    fn function(&mut self, f: usize) -> String {
        let pointer = self.functions[f];
        let mut text = format!("{} {{\n  int a = {}, b = n;\n", self.head(f), self.rng.below(4));
        text += &format!("  if (n <= 0) return {};\n", self.value(pointer));
        for _ in 0..1 + self.rng.below(3) {
            text += &format!("  {}\n", self.statement(pointer));
        }
        text + &format!("  return {};\n}}\n", self.value(pointer))
    }

    fn statement(&mut self, pointer: bool) -> String {
        match self.rng.below(8) {
            0 | 1 => format!("{} = {};", self.target(pointer), self.value(pointer)),
            2 => {
                format!("if ({} > {}) {}", self.atom(pointer), self.rng.below(4), self.call("n - 1", pointer))
            }
            3 => format!(
                "for (int i = 0; i < {}; i++) {} = {};",
                1 + self.rng.below(3),
                self.target(pointer),
                self.value(pointer)
            ),
            4 => format!("while ({0} > 0) {0} = {0} - 1;", self.rng.pick(&["a", "b"])),
            _ => self.call("n - 1", pointer),
        }
    }

    fn call(&mut self, n: &str, pointer: bool) -> String {
        let f = self.rng.below(self.functions.len());
        let first = match (self.functions[f], pointer) {
            (true, true) => self.rng.pick(&["&a", "&b", "&g", "p"]).to_string(),
            (true, false) => self.rng.pick(&["&a", "&b", "&g"]).to_string(),
            (false, _) => self.atom(pointer),
        };
        let call = format!("f{f}({first}, {n});");
        if self.rng.chance(60) { format!("{} = {call}", self.target(pointer)) } else { call }
    }

    fn target(&mut self, pointer: bool) -> &'static str {
        let all: &[&'static str] = if pointer { &["a", "b", "g", "h", "*p"] } else { &["a", "b", "g", "h"] };
        all[self.rng.below(all.len())]
    }

    fn atom(&mut self, pointer: bool) -> String {
        match self.rng.below(6) {
            0 => (self.rng.below(7) as i64 - 2).to_string(),
            1 => "n".into(),
            _ => self.target(pointer).into(),
        }
    }

    fn value(&mut self, pointer: bool) -> String {
        match self.rng.below(4) {
            0 => self.atom(pointer),
            1 => format!("{} - {}", self.atom(pointer), self.rng.below(3)),
            2 => format!("{} > {} ? {} : 1", self.atom(pointer), self.rng.below(3), self.atom(pointer)),
            _ => format!("{} + {}", self.atom(pointer), self.atom(pointer)),
        }
    }
}
