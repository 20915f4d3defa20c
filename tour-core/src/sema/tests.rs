//! Small functions and their automata.

use super::testing::{items, parse};
use super::{Entity, ParamDecl, Sema, Shared};
use crate::cfa::LocKind;
use crate::program::{DataModel, FnId, Function, Linkage, Program, Storage, Type};
use crate::source::{SourceMap, Unit};
use expect_test::{Expect, expect};
use lang_c::ast::{ExternalDeclaration, FunctionDefinition};
use std::fmt::Write;

/// The automaton of a function: one line for each edge, locations numbered within the function.
fn cfa_text(program: &Program, function: FnId) -> String {
    let mut out = String::new();
    let Some(body) = program.functions[function].body else { return "no body\n".into() };
    let name = |loc: crate::cfa::LocId| match program.cfa.locs[loc].kind {
        LocKind::Plain => format!("{}", loc.index() - body.entry.index()),
        LocKind::Entry => "entry".into(),
        LocKind::Exit => "exit".into(),
        LocKind::Error(check) => format!("error[{}]", program.checks[check].message),
        LocKind::End => "end".into(),
    };
    for edge in program.cfa.edges.iter().filter(|e| program.cfa.locs[e.from].function == function) {
        let line = format!("{} -> {}: {}", name(edge.from), name(edge.to), program.show_op(&edge.op));
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    out
}

fn lower(text: &str) -> (Program, Shared) {
    let mut program = Program::new(DataModel::Ilp32);
    let mut sources = SourceMap::default();
    let unit = sources.add(Unit::plain("test.c", text));
    program.sources = sources;
    let parsed = parse(unit, text);
    let mut shared = Shared::default();
    let mut sema = Sema::new(&mut program, &mut shared, &parsed);
    for item in items(&parsed) {
        match &item.node {
            ExternalDeclaration::Declaration(declaration) => {
                let specs = sema.decl_specs(&declaration.node.specifiers, false).unwrap();
                for item in &declaration.node.declarators {
                    let declared = sema.declarator(&specs, &item.node.declarator).unwrap();
                    if specs.is_typedef() {
                        sema.declare_typedef(&declared);
                    } else if let Type::Function(_) = sema.program.types[declared.ty.ty] {
                        sema.external_function(declared.name(), declared.ty.ty, declared.span);
                    } else {
                        let storage = Storage::Global { defined: true };
                        let var = sema.add_local(declared.name().into(), declared.ty, storage, declared.span);
                        sema.scopes.declare(declared.name(), Entity::Var(var));
                    }
                }
            }
            ExternalDeclaration::FunctionDefinition(definition) => define(&mut sema, &definition.node),
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
    super::settle_calls(&mut program);
    (program, shared)
}

fn define(sema: &mut Sema<'_>, definition: &FunctionDefinition) {
    let specs = sema.decl_specs(&definition.specifiers, false).unwrap();
    let declared = sema.declarator(&specs, &definition.declarator).unwrap();
    let f = sema.external_function(declared.name(), declared.ty.ty, declared.span);
    sema.shared.defined.insert(declared.name().to_owned());
    let params: Vec<ParamDecl<'_>> = declared.params.clone().unwrap_or_default();
    sema.lower_body(f, &definition.statement, |sema| {
        for param in &params {
            let name = param.name.unwrap_or_default();
            let var = sema.add_local(name.into(), param.ty, Storage::Param(f), param.span);
            sema.program.functions[f].params.push(var);
            sema.declare_var(name, var);
        }
        Ok(())
    });
    let Function { linkage, .. } = &sema.program.functions[f];
    assert_eq!(*linkage, Linkage::External);
}

/// The automaton of the last function of a text.
fn check(text: &str, want: Expect) {
    let (program, shared) = lower(text);
    assert!(shared.diagnostics.is_empty(), "{:#?}", shared.diagnostics);
    let last =
        program.functions.iter_enumerated().filter(|(_, f)| f.body.is_some()).map(|(id, _)| id).next_back();
    want.assert_eq(&cfa_text(&program, last.expect("a function")));
}

#[test]
fn loops_and_arithmetic() {
    check(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }",
        expect![[r#"
            entry -> 2: int s
            2 -> 3: s = 0
            3 -> 4: int i
            4 -> 5: i = 0
            5 -> 6: [i < n]
            5 -> 8: [!(i < n)]
            6 -> 7: s = s + i
            7 -> 5: i = i + 1
            8 -> exit: return s
        "#]],
    );
    check(
        "int f(char c, unsigned u, long long l) { return c + u < l; }",
        expect![[r#"
        entry -> exit: return (long long)((unsigned int)(int)c + u) < l
    "#]],
    );
    check(
        "void f(int a, int b) { if (a && (b || !a)) a = 1; else b = 2; while (1) { if (a++ > 3) break; } }",
        expect![[r#"
        entry -> 4: [a]
        entry -> 3: [!(a)]
        4 -> 2: [b]
        4 -> 5: [!(b)]
        5 -> 3: [a]
        5 -> 2: [!(a)]
        2 -> 6: a = 1
        3 -> 6: b = 2
        6 -> 8: $1 = a
        8 -> 9: a = $1 + 1
        9 -> 7: [$1 > 3]
        9 -> 6: [!($1 > 3)]
        7 -> exit: return
    "#]],
    );
    check(
        "int g(int); int f(int *p, int i) { int a[3]; a[i++] = *p++ + g(i); return a[0] ? g(1) : p[2]; }",
        expect![[r#"
        entry -> 2: int[3] a
        2 -> 3: $1 = i
        3 -> 4: i = $1 + 1
        4 -> 5: $2 = p
        5 -> 6: p = $2 + 1
        6 -> 8: $4 = *$2
        8 -> 7: $3 = g(i)
        7 -> 9: a[$1] = $4 + $3
        9 -> 10: [a[0]]
        9 -> 11: [!(a[0])]
        10 -> 13: $5 = g(1)
        13 -> 12: $6 = $5
        11 -> 12: $6 = *(p + 2)
        12 -> exit: return $6
    "#]],
    );
    check(
        "int f(int x) { switch (x + 1) { case 1: x = 2; case 3 ... 5: x++; break; default: return 7; } return x; }",
        expect![[r#"
        entry -> 2: $1 = x + 1
        4 -> 5: x = 2
        5 -> 3: x = x + 1
        6 -> exit: return 7
        2 -> 4: [$1 == 1]
        2 -> 7: [!($1 == 1)]
        7 -> 8: [$1 >= 3]
        7 -> 6: [!($1 >= 3)]
        8 -> 5: [$1 <= 5]
        8 -> 6: [!($1 <= 5)]
        3 -> exit: return x
    "#]],
    );
    check(
        "void __VERIFIER_error(void); int __VERIFIER_nondet_int(void); void f(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0); if (x == 5) ERROR: __VERIFIER_error(); assert(x < 3 && x); abort(); }",
        expect![[r#"
        entry -> 2: int x
        2 -> 3: x = <input>
        3 -> 4: [x > 0]
        4 -> error[label `ERROR`]: [x == 5]
        4 -> 5: [!(x == 5)]
        5 -> 7: [x < 3]
        5 -> error[assertion `x < 3 && x`]: [!(x < 3)]
        7 -> end: [x]
        7 -> error[assertion `x < 3 && x`]: [!(x)]
    "#]],
    );
    check(
        "struct s { int a : 3; unsigned b : 5; struct { int c; }; } ; struct s g(void); int f(struct s *p, struct s q) { q = *p; p->b -= 7; p->a = q.b + g().c; return sizeof(q.c) + __builtin_offsetof(struct s, c) + (p->b - 10 < 0); }",
        expect![[r#"
        entry -> 2: q = *p
        2 -> 3: p->b = (unsigned int)((int)p->b - 7)
        3 -> 6: $3 = p
        6 -> 5: $2 = (int)q.b
        5 -> 4: $1 = g()
        4 -> 7: $3->a = $2 + $1.<anonymous>.c
        7 -> exit: return (int)(8u + (unsigned int)((int)p->b - 10 < 0))
    "#]],
    );
}
