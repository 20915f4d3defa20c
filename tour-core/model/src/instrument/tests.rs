use super::*;
use expect_test::{Expect, expect};
use tour_c::LoadOptions;
use tour_c::front::Input;
use tour_ir::program::DataModel;

/// The checks of the body of `int f(int i, int *p, struct s *q)`, one a line.
fn check(rules: &[Rule], body: &str, want: Expect) {
    let text = format!(
        "void free(void *); void *malloc(unsigned long);\n\
         void *memcpy(void *, const void *, unsigned long);\n\
         struct s {{ int a; int bits : 3; char text[4]; struct s *next; }};\n\
         int buf[10];\n\
         int f(int i, int *p, struct s *q) {{ {body} }}"
    );
    let options = LoadOptions::new(DataModel::Lp64).entry("f");
    let mut program = tour_c::load(&[Input::text("a.c", text)], &options).expect("a program");
    select(&mut program, rules);
    let mut lines = String::new();
    for check in &program.checks {
        let conditions: Vec<String> =
            program.cfa.predecessors(check.loc).map(|(_, edge)| program.show_op(&edge.op)).collect();
        lines += &format!("{}: {} {}\n", check.rule.id(), check.message, conditions.join(" "));
    }
    want.assert_eq(&lines);
}

#[test]
fn the_users_words_say_what_is_wrong() {
    let rules: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| !rule.is_optional()).collect();
    check(
        &rules,
        "return buf[i] / *p;",
        expect![[r#"
        out-of-bounds: `buf[i]` is read outside of `buf` [(long)i < 0] [(long)i >= 10]
        null-deref: `*p` is read through a null pointer [p == NULL]
        use-after-free: `*p` is read after its object was freed or went out of scope [size(p) != 0u]
        out-of-bounds: `*p` is read outside its object [size(p) < 4u] [(unsigned long)offset(p) > size(p) - 4u]
        division-by-zero: `buf[i] / *p` divides by zero [*p == 0]
        signed-overflow: `buf[i] / *p` overflows `int` [buf[(long)i] == -2147483648]
    "#]],
    );
    check(
        &rules,
        "q->next->text[i] = 1; return 0;",
        expect![[r#"
        null-deref: `q->next` is read through a null pointer [q == NULL]
        use-after-free: `q->next` is read after its object was freed or went out of scope [size(q) != 0u]
        out-of-bounds: `q->next` is read outside its object [size(q) < 8u] [(unsigned long)offset(q) + 16u > size(q) - 8u]
        out-of-bounds: `q->next->text[i]` is written outside of `q->next->text` [(long)i < 0] [(long)i >= 4]
        null-deref: `q->next->text[i]` is written through a null pointer [q->next == NULL]
        use-after-free: `q->next->text[i]` is written after its object was freed or went out of scope [size(q->next) != 0u]
        out-of-bounds: `q->next->text[i]` is written outside its object [size(&q->next->text[(long)i]) < 1u] [(unsigned long)offset(&q->next->text[(long)i]) > size(&q->next->text[(long)i]) - 1u]
    "#]],
    );
    check(
        &rules,
        "free(p + i); return 0;",
        expect![[r#"
        pointer-overflow: `p + i` points outside its object [(long)i > ((long)size(p) - offset(p)) / 4] [(long)i < 0 - offset(p) / 4]
        double-free: `p + i` was freed before [alive((void *)(p + (long)i)) == 0]
        invalid-free: `p + i` is freed and is no block that was allocated [heap((void *)(p + (long)i)) == 0] [offset((void *)(p + (long)i)) != 0]
    "#]],
    );
    check(
        &rules,
        "memcpy(p, buf, i); return 0;",
        expect![[r#"
            null-deref: what `p` points to is written through a null pointer [p == NULL]
            use-after-free: what `p` points to is written after its object was freed or went out of scope [size(p) != 0u]
            out-of-bounds: what `p` points to is written outside its object [size((void *)p) < (unsigned long)i] [(unsigned long)offset((void *)p) > size((void *)p) - (unsigned long)i]
            out-of-bounds: what `buf` points to is read outside its object [size((const void *)buf) < (unsigned long)i] [(unsigned long)offset((const void *)buf) > size((const void *)buf) - (unsigned long)i]
            overlapping-copy: what `buf` points to is copied to `p`, and the two overlap [(unsigned long)offset((void *)p) - (unsigned long)offset((const void *)buf) < (unsigned long)i] [(unsigned long)offset((const void *)buf) - (unsigned long)offset((void *)p) < (unsigned long)i]
        "#]],
    );
}

#[test]
fn what_is_obviously_fine_has_no_check() {
    let none = |body: &str| check(&Rule::ALL, body, expect![""]);
    none("return buf[3] + 0;");
    none("return i / 4 % 3 >> 2;");
    none("char c = 5; return (c + 1) * 2;");
    none("struct s t = {1}; t.text[2] = 1; t.bits = 2; return t.bits + 1;");
    none("int *r = &buf[9]; return r != 0;");
    none("unsigned char k = i; return buf[k % 10];");
}

#[test]
fn a_part_that_is_used_twice_is_checked_once() {
    let rules = [Rule::NullDeref];
    check(
        &rules,
        "return *p * *p;",
        expect![[r#"
        null-deref: `*p` is read through a null pointer [p == NULL]
    "#]],
    );
}

#[test]
fn the_result_of_a_call_is_stored_after_the_call() {
    let rules = [Rule::NullDeref, Rule::OutOfBounds];
    check(
        &rules,
        "q->next = malloc(4); return 0;",
        expect![[r#"
        null-deref: `q->next` is written through a null pointer [$2 == NULL]
        out-of-bounds: `q->next` is written outside its object [size($2) < 8u] [(unsigned long)offset($2) + 16u > size($2) - 8u]
    "#]],
    );
}

#[test]
fn rules_that_the_program_states_add_nothing() {
    check(&Rule::STATED, "return *p / i;", expect![""]);
}

/// What a function without a body does with memory that it is given is not known: no leak is claimed behind it.
#[test]
fn memory_that_is_entrusted_to_someone() {
    let check = |declared: &str, call: &str, want: usize| {
        let text = format!(
            "void *malloc(unsigned long); {declared} int main(void) {{ char *p = malloc(4); {call} return 0; }}"
        );
        let options = LoadOptions::new(DataModel::Lp64);
        let mut program = tour_c::load(&[Input::text("a.c", text)], &options).expect("a program");
        select(&mut program, &[Rule::MemoryLeak]);
        let entrusted = |op: &tour_ir::program::Op| matches!(op, tour_ir::program::Op::Unsupported(what) if what.message.contains("may free or keep"));
        let found = program.cfa.edges.iter().filter(|edge| entrusted(&edge.op)).count();
        assert_eq!(found, want, "{call}");
    };
    check("void release(void *);", "release(p);", 1);
    check("void release(const void *);", "release(p);", 1);
    check("int keep(char *);", "keep(p);", 1);
    check("int look(const char *);", "look(p);", 0);
    check("int number(int);", "number(3);", 0);
}

#[test]
fn the_book_has_the_table_of_undefined_behaviour() {
    let intro = include_str!("undefined.md");
    expect_test::expect_file!["../../../../docs/src/undefined.md"]
        .assert_eq(&format!("{intro}{}", undefined::table()));
}

/// What a proof of undefined behaviour does not speak of.
#[test]
fn what_is_not_checked_is_named_where_it_is() {
    let named = |text: &str| -> Vec<String> {
        let options = LoadOptions::new(DataModel::Lp64);
        let mut program = tour_c::load(&[Input::text("a.c", text)], &options).expect("a program");
        let rules = Rule::named("undefined-behaviour").expect("a group");
        select(&mut program, &rules);
        let clause =
            |text: &str| text.split_once("(C11 ").map(|(_, rest)| rest.trim_end_matches(')').to_owned());
        program.assumptions.iter().filter_map(|assumption| clause(&assumption.text)).collect()
    };
    let check = |text: &str, want: &[&str]| assert_eq!(named(text), want, "{text}");
    check("int main(void) { int a[2] = {1, 2}; return a[0] / a[1]; }", &[]);
    check(
        "int f(int *restrict p) { return *p; } int main(void) { int x = 1; return f(&x); }",
        &["6.7.3.1"; 2],
    );
    check("int main(void) { volatile int x = 1; return *(int *)&x; }", &["6.7.3"]);
    check(
        "int f(int p[static 2]) { return p[0]; } int main(void) { int x[2] = {0}; return f(x); }",
        &["6.7.6.3"],
    );
    check("_Noreturn void f(int n) { if (n) for (;;); } int main(void) { f(1); }", &[]);
    check(
        "struct s { const int a; }; int main(void) { struct s s = {1}; *(int *)&s.a = 2; return 0; }",
        &["6.7.3"],
    );
}
