//! Small programs about memory: blocks that are made and freed, lists, pointers to variables that come and go, comparisons of
//! addresses, copies of arrays; with work around them that has nothing to do with the claim. For tests that ask two analyses
//! the same question.
//!
//! Pointers are followed only where they point to something; each run ends. An input from 0 to 3 comes in; at the end one
//! value of a variable, or that two pointers are equal, is taken to be an error.

use crate::Rng;

const DECLARATIONS: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
extern void *malloc(__SIZE_TYPE__);
extern void free(void *);
extern void *memset(void *, int, __SIZE_TYPE__);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
extern int printf(const char *, ...);
struct node { int value; struct node *next; };
int x, y = 1, noise;
int a[4], b[4] = {1, 2, 3, 4};
int *p, *q;
struct node *head;
void push(int value) {
  struct node *node = malloc(sizeof *node);
  if (!node) return;
  node->value = value; node->next = head; head = node;
}
int pop(void) {
  struct node *first = head;
  if (!first) return -1;
  int value = first->value;
  head = first->next;
  free(first);
  return value;
}
int total(void) {
  int sum = 0;
  for (struct node *node = head; node; node = node->next) sum += node->value;
  return sum;
}
void work(int n) {
  int local[4] = {0};
  for (int i = 0; i < n; i++) { local[i & 3] += noise; noise = noise * 3 + local[i & 3]; }
  printf(\"%d\\n\", noise);
}
";

/// The program of a seed.
pub fn heap(seed: u64) -> String {
    let mut maker = Maker { rng: Rng::new(seed ^ 0x4ea9), followed: [true, true] };
    let mut text = DECLARATIONS.to_owned();
    text += "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n < 0 || n > 3) return 0;\n";
    text += "  p = &x; q = &y;\n";
    for _ in 0..4 + maker.rng.below(8) {
        text += &format!("  {}\n", maker.statement());
    }
    let claim = maker.claim();
    text + &format!("  if ({claim}) __VERIFIER_error();\n  return 0;\n}}\n")
}

struct Maker {
    rng: Rng,
    /// Whether `p` and `q` point to something that is there, in all runs.
    followed: [bool; 2],
}

impl Maker {
    fn statement(&mut self) -> String {
        let pointer = self.rng.below(2);
        let (name, other) = (["p", "q"][pointer], ["q", "p"][pointer]);
        match self.rng.below(16) {
            0 => {
                self.followed[pointer] = true;
                let value = self.value();
                format!("{name} = malloc(sizeof *{name}); if (!{name}) return 0; *{name} = {value};")
            }
            1 => {
                self.followed[pointer] = self.followed[1 - pointer];
                format!("{name} = {other};")
            }
            2 => {
                self.followed[pointer] = true;
                format!("{name} = {};", self.rng.pick(&["&x", "&y", "&a[1]", "a + 3", "&b[n]"]))
            }
            3 => {
                self.followed[pointer] = false;
                format!("{{ int gone = {}; {name} = &gone; noise += *{name}; }}", self.value())
            }
            4 => format!("push({});", self.value()),
            5 => "x = pop();".into(),
            6 => format!("{} = total();", self.target()),
            7 => "work(n);".into(),
            8 => "noise = noise * 5 + x; printf(\"%d\", noise);".into(),
            9 => match self.rng.below(3) {
                0 => "memset(a, 0, sizeof a);".into(),
                1 => "memcpy(a, b, sizeof a);".into(),
                _ => "memcpy(b + 2, a, 2 * sizeof *b);".into(),
            },
            10 => format!("{} = {name} == {};", self.target(), self.rng.pick(&[other, "&x", "&a[1]", "b"])),
            11 => {
                let (index, value) = (self.index(), self.value());
                format!("{}[{index}] = {value};", self.rng.pick(&["a", "b"]))
            }
            12 => {
                let (target, value) = (self.target(), self.value());
                format!("if (n == {}) {target} = {value};", self.rng.below(4))
            }
            13 => {
                let (target, value) = (self.target(), self.value());
                format!("for (int i = 0; i < n; i++) {target} = {value};")
            }
            _ => {
                let (target, value) = (self.target(), self.value());
                format!("{target} = {value};")
            }
        }
    }

    fn target(&mut self) -> &'static str {
        let mut all = vec!["x", "y"];
        all.extend(["*p", "*q"].iter().zip(self.followed).filter(|(_, followed)| *followed).map(|(p, _)| p));
        all[self.rng.below(all.len())]
    }

    fn index(&mut self) -> &'static str {
        ["0", "1", "2", "3", "n", "(x & 3)"][self.rng.below(6)]
    }

    fn value(&mut self) -> String {
        match self.rng.below(6) {
            0 => (self.rng.below(7) as i64 - 2).to_string(),
            1 => "n".into(),
            2 => format!("a[{}]", self.index()),
            3 => format!("{} + b[{}]", self.target(), self.index()),
            4 => format!("{} - {}", self.target(), self.rng.below(3)),
            _ => self.target().into(),
        }
    }

    fn claim(&mut self) -> String {
        match self.rng.below(5) {
            0 => "p == q".into(),
            1 => format!("total() == {}", self.rng.below(8)),
            2 => format!("a[{}] == {}", self.rng.below(4), self.rng.below(6) as i64 - 1),
            _ => format!("{} == {}", self.target(), self.rng.below(8) as i64 - 2),
        }
    }
}
