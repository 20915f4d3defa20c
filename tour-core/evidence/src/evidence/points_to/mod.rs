//! The points-to solution, checked: a certificate speaks of regions, and this says that the program keeps to them.
//!
//! [`Regions`] are the result of a fixpoint. To check one takes no fixpoint: every operation is looked at once, and what
//! it demands must hold already. So nothing here is shared with the code that computes them but the result itself.
//!
//! | file | what |
//! |---|---|
//! | `flows` | values that go from one place to another point into one region; pointers move by its stride |
//! | `slots` | accesses that may touch the same bits share a slot |
//! | `objects` | where variables and blocks live, how they die, whether a number is used again |
//! | `written` | what may never have been written, and where it is copied to |

mod flows;
mod objects;
mod slots;
mod written;

use tour_ir::program::Program;
use tour_model::regions::Regions;

pub(super) use slots::touch;

/// Do the regions describe the program? An error says why not.
pub(super) fn check(program: &Program, regions: &Regions) -> Result<(), String> {
    slots::check(regions, u64::from(program.model.pointer_bits()))?;
    let seen = flows::check(program, regions)?;
    objects::check(program, regions, &seen)?;
    written::check(program, regions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_c::front::Input;
    use tour_ir::program::DataModel;
    use tour_model::regions::{Heap, Layout, RegionId};

    fn solved(text: &str) -> (Program, Regions) {
        let text = format!(
            "void *malloc(unsigned long); void free(void *); void *memcpy(void *, const void *, unsigned long); {text}"
        );
        let program =
            tour_c::load(&[Input::text("a.i", text.as_str())], &tour_c::LoadOptions::new(DataModel::Lp64))
                .unwrap_or_else(|error| panic!("{error}"));
        let regions = Regions::of(&program);
        (program, regions)
    }

    const PROGRAMS: [&str; 7] = [
        "int main(void) { int a[4], *p = a; p[1] = 2; int *h = malloc(4); *h = 1; free(h); { int x = 1; p = &x; } return *p; }",
        "struct s { int v; struct s *next; }; struct s *push(struct s *l) { struct s *n = malloc(sizeof *n); n->next = l; return n; }
         int main(void) { struct s *l = 0; for (int i = 0; i < 3; i++) { int x = i, *p = &x; l = push(l); l->v = *p; } return l->v; }",
        "int f(int *p) { return *p; } int g(int *p) { return p[1]; }
         int main(void) { int (*t[2])(int *) = { f, g }; int a[2] = { 1, 2 }; return t[1](a) + t[0](a + 1); }",
        "union u { int i; unsigned char b[4]; }; struct p { char *t; union u u; };
         int main(void) { struct p a, b; a.t = \"abc\"; a.u.i = 3; b = a; memcpy(&a, &b, sizeof a); return b.u.b[1] + b.t[1]; }",
        "int r(int n, int *p) { int x = n; return n ? r(n - 1, &x) : *p; }
         int main(void) { int y = 2; unsigned long n = (unsigned long)&y; n += 0; return r(3, (int *)n); }",
        "struct l { struct l *prev, *next; }; union m { struct { int a; struct l l; } d; char bytes[24]; };
         union m m = { { 0, { 0, 0 } } }; struct l one; int main(void) { m.d.l.next = &one; return m.bytes[20]; }",
        "int *__VERIFIER_nondet_pointer(void); int main(void) { int *p = __VERIFIER_nondet_pointer(); return p ? *p : 0; }",
    ];

    #[test]
    fn solutions_hold() {
        for text in PROGRAMS {
            let (program, regions) = solved(text);
            assert_eq!(check(&program, &regions), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_may_be_unset_is_known() {
        let mut asked = 0;
        for text in PROGRAMS {
            let (mut program, _) = solved(text);
            tour_model::instrument::select(&mut program, &[tour_ir::program::Rule::UninitialisedRead]);
            let mut regions = Regions::of(&program);
            assert_eq!(check(&program, &regions), Ok(()), "{text}");
            regions.take_all_for_set();
            if program.asks_what_is_written {
                asked += 1;
                assert!(check(&program, &regions).is_err(), "{text}");
            }
        }
        assert!(asked > 3);
    }

    /// Whether some change of a solution is seen, of each program that it changes at all.
    fn broken(what: &str, change: impl Fn(&mut Regions) -> bool) {
        let mut changed = 0;
        for text in PROGRAMS {
            let (program, mut regions) = solved(text);
            if change(&mut regions) {
                changed += 1;
                assert!(check(&program, &regions).is_err(), "{what} is not seen in {text}");
            }
        }
        assert!(changed > 0, "{what} changes nothing");
    }

    /// Changes regions; whether any was.
    fn each(regions: &mut Regions, change: impl Fn(&mut tour_model::regions::Region) -> bool) -> bool {
        regions.regions.iter_mut().map(change).fold(false, |a, b| a | b)
    }

    #[test]
    fn what_is_wrong_is_seen() {
        broken("a stride", |r| each(r, |of| std::mem::replace(&mut of.stride, 0) != 0));
        broken("a life", |r| each(r, |of| std::mem::replace(&mut of.mortal, false)));
        broken("a new object", |r| each(r, |of| std::mem::replace(&mut of.grows, false)));
        broken("an immortal", |r| {
            each(r, |of| std::mem::replace(&mut of.immortal, of.known.len() as u64) != of.known.len() as u64)
        });
        broken("an input", |r| each(r, |of| std::mem::replace(&mut of.inputs, false)));
        broken("a constant", |r| each(r, |of| std::mem::replace(&mut of.constants, 0) != 0));
        broken("the heap", |r| {
            each(r, |of| {
                of.heap == Heap::All && {
                    of.heap = Heap::None;
                    true
                }
            })
        });
        broken("a size", |r| {
            each(r, |of| {
                of.size.is_some_and(|size| size > 1) && {
                    of.size = Some(1);
                    true
                }
            })
        });
        broken("what is pointed to", |r| {
            let count = r.regions.len();
            each(r, |of| {
                let mut any = false;
                for content in of.slots.iter_mut().filter_map(|slot| slot.content.as_mut()) {
                    *content = RegionId::new((content.index() + 1) % count);
                    any = true;
                }
                any
            })
        });
        broken("a layout", |r| {
            each(r, |of| {
                let mut any = false;
                for slot in of.slots.iter_mut().filter(|slot| slot.layout == Layout::Bytes) {
                    slot.layout = Layout::Typed(tour_model::regions::Scalar::Bits, 32);
                    any = true;
                }
                any
            })
        });
    }
}
