//! Generated programs with all that can happen to threads: creation, joins, locks, atomic operations, inputs, assumptions,
//! and every way to end a run.

use super::Random;

/// A program; what it can violate is `unreach-call` and `assert`.
pub fn generate(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d | 1);
    let nested = random.below(4) == 0;
    let mut text = "int x, y; _Atomic int a; pthread_mutex_t m, n;\n".to_owned();
    if nested {
        text += &function(&mut random, "f2", 1, "");
    }
    for name in ["f0", "f1"] {
        let create = match (nested && name == "f0", random.below(2)) {
            (true, 0) => "pthread_t u; pthread_create(&u, 0, f2, 0); pthread_join(u, 0); ",
            (true, _) => "pthread_t u; pthread_create(&u, 0, f2, 0); ",
            (false, _) => "",
        };
        text += &function(&mut random, name, 3, create);
    }
    text += "int main(void) { int l = 0; pthread_t t0, t1; pthread_create(&t0, 0, f0, 0); ";
    if random.below(4) == 0 {
        text += &random.event();
    }
    text += "pthread_create(&t1, 0, f1, 0); ";
    for _ in 0..random.below(3) {
        text += &random.event();
    }
    for t in 0..2 {
        if random.below(2) == 0 {
            text += &format!("pthread_join(t{t}, 0); ");
        }
    }
    if random.below(2) == 0 {
        text += &format!("if ({}) reach_error(); ", random.test());
    }
    text +=
        ["return 0; }\n", "exit(0); }\n", "pthread_exit(0); }\n", "return 0; }\n"][random.below(4) as usize];
    text
}

fn function(random: &mut Random, name: &str, statements: u64, create: &str) -> String {
    let mut body = String::new();
    for _ in 0..1 + random.below(statements) {
        body += &random.event();
    }
    if random.below(2) == 0 {
        body += &format!("if ({}) reach_error(); ", random.test());
    }
    format!("void *{name}(void *p) {{ int l = {}; {create}{body}return 0; }}\n", random.below(3))
}

impl Random {
    fn shared(&mut self) -> &'static str {
        ["x", "y", "a"][self.below(3) as usize]
    }

    fn test(&mut self) -> String {
        let op = ["==", "!=", "<", ">"][self.below(4) as usize];
        match self.below(4) {
            0 => format!("{} {op} {}", self.shared(), self.shared()),
            1 => format!("l {op} {}", self.below(3)),
            _ => format!("{} {op} {}", self.shared(), self.below(3)),
        }
    }

    fn change(&mut self) -> String {
        match self.below(9) {
            0 => format!("{} = {}; ", self.shared(), self.shared()),
            1 => format!("{} = {} + 1; ", self.shared(), self.shared()),
            2 => format!("l = {}; ", self.shared()),
            3 => format!("{} = l; ", self.shared()),
            4 => "a++; ".into(),
            5 => "__sync_fetch_and_add(&x, 1); ".into(),
            6 => "if (__sync_bool_compare_and_swap(&x, 0, 2)) l = 2; ".into(),
            _ => format!("{} = {}; ", self.shared(), self.below(3)),
        }
    }

    /// A way to end the run, or to stop the thread.
    fn end(&mut self) -> String {
        match self.below(8) {
            0 => "exit(0); ".into(),
            1 => "abort(); ".into(),
            2 => "__assert_fail(\"\", \"\", 1, \"\"); ".into(),
            3 => "int *q = 0; *q = 1; ".into(),
            4 => "pthread_exit(0); ".into(),
            5 => "pthread_mutex_lock(&m); ".into(),
            6 => "while (1) { } ".into(),
            _ => "__VERIFIER_assume(0); ".into(),
        }
    }

    fn event(&mut self) -> String {
        match self.below(14) {
            0 => {
                let (lock, one, two) = (["m", "n"][self.below(2) as usize], self.change(), self.change());
                format!("pthread_mutex_lock(&{lock}); {one}{two}pthread_mutex_unlock(&{lock}); ")
            }
            1 => {
                let one = self.change();
                format!("if (pthread_mutex_trylock(&m) == 0) {{ {one}pthread_mutex_unlock(&m); }} ")
            }
            2 => {
                let (one, two) = (self.change(), self.change());
                format!("__VERIFIER_atomic_begin(); {one}{two}__VERIFIER_atomic_end(); ")
            }
            3 => format!("__VERIFIER_assume({}); ", self.test()),
            4 => "l = __VERIFIER_nondet_int(); __VERIFIER_assume(l >= 0); __VERIFIER_assume(l <= 2); ".into(),
            5 => format!("if ({}) {{ {}{}}} ", self.test(), self.change(), self.end()),
            6 => format!("{}{}", self.change(), self.end()),
            7 => format!("if ({}) {{ {}}} ", self.test(), self.end()),
            8 if self.below(3) == 0 => format!("while ({} < 1) {{ {} = 1; }} ", self.shared(), self.shared()),
            9 => format!("if ({}) {} ", self.test(), self.change()),
            _ => self.change(),
        }
    }
}
