//! Functions of the C library that have no body here.
//!
//! What such a function does is known, so that nothing is assumed of it: it is in the [table], or a call is not modelled.
//! That a function without a body returns any value and has no other effect is said of the program's own alone.
//!
//! | file | what |
//! |---|---|
//! | `names` | which names are the library's, and how it declares them |
//! | `table` | what is known of functions without a body: `lib/table.txt` |
//! | `body` | a row of the table as a body |
//! | `builder` | steps of a body |
//! | `bind` | calls of functions that have a body in `lib/` |
//! | `start` | what `main` is called with |

mod bind;
mod body;
mod builder;
mod names;
mod start;
mod table;

pub(super) use bind::bind;
pub(super) use body::build;
pub(super) use start::start;
pub(super) use table::Row;

use table::{Given, Param};

use tour_ir::program::{FnId, Function, Program, Unsupported};
use tour_ir::source::is_library;

/// What is known of a function without a body.
pub(super) enum Class {
    /// The program's own: nothing.
    Own,
    /// The library's, and the table says what it does.
    Tabled(&'static Row),
    /// The library's, and not modelled.
    Unsupported(Unsupported),
}

/// The system's libraries define the symbol, a function or a variable.
pub(super) fn has(symbol: &str) -> bool {
    const VARIABLES: [&str; 14] = [
        "daylight",
        "environ",
        "optarg",
        "opterr",
        "optind",
        "optopt",
        "program_invocation_name",
        "program_invocation_short_name",
        "signgam",
        "stderr",
        "stdin",
        "stdout",
        "timezone",
        "tzname",
    ];
    names::is_known(symbol) || VARIABLES.contains(&symbol)
}

/// What is known of a function without a body.
pub(super) fn class(program: &Program, f: FnId) -> Class {
    let Function { name, span, .. } = &program.functions[f];
    let sig = program.functions[f].sig(&program.types);
    let by_name = names::is_library(program, name, sig);
    let by_place = program.sources.place(*span).system || is_library(&program.sources.unit(span.unit).path);
    if !by_name && !by_place {
        return Class::Own;
    }
    match table::row(name).filter(|row| row.fits(&program.types, sig)) {
        Some(row) => Class::Tabled(row),
        None => Class::Unsupported(not_modelled(name)),
    }
}

/// The function has a name, and a type, that compilers take for the library's.
pub(super) fn is_reserved(program: &Program, f: FnId) -> bool {
    let Function { name, .. } = &program.functions[f];
    let sig = program.functions[f].sig(&program.types);
    names::is_reserved(name) && names::is_library(program, name, sig)
}

/// Whether a function is the program's own, and not the library's.
pub fn is_own(program: &Program, f: FnId) -> bool {
    matches!(class(program, f), Class::Own)
}

/// The function ends the run, whatever it is given.
pub(super) fn ends(program: &Program, f: FnId) -> bool {
    match class(program, f) {
        Class::Own => program.functions[f].noreturn,
        Class::Tabled(row) => row.ends(),
        Class::Unsupported(_) => false,
    }
}

/// What a function of the table may do besides giving a result: access memory through its arguments or of its own, set
/// `errno`, end the run.
pub(super) fn touches(name: &str) -> Option<(bool, bool, bool)> {
    let row = table::row(name)?;
    let memory = row
        .params
        .iter()
        .any(|param| !matches!(param, Param::Value | Param::NotNegative | Param::Within(..)))
        || row.results.iter().any(|given| matches!(given, Given::Static(..)));
    Some((memory, row.errno, row.results.contains(&Given::Ends)))
}

fn not_modelled(name: &str) -> Unsupported {
    let (kind, why) = match name {
        "fork" | "vfork" | "clone" | "_Fork" => ("threads", "starts a process"),
        "thrd_create" => ("threads", "starts a thread"),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp" => {
            ("longjmp", "jumps between functions")
        }
        "atexit" | "on_exit" | "at_quick_exit" | "qsort_r" | "bsearch" | "signal" | "sigaction"
        | "pthread_atfork" | "call_once" => ("callback", "calls functions that it is given"),
        _ => ("library", "is a function of the system's library"),
    };
    Unsupported { kind, message: format!("`{name}` {why}, which is not modelled") }
}

#[cfg(test)]
mod tests {
    use crate::LoadOptions;
    use crate::front::Input;
    use crate::load;
    use tour_interp::interp::{Inputs, Options, Outcome, Request, Unobserved, Why, run};
    use tour_ir::program::DataModel;

    /// Values for inputs and the parameters of `main`, in order; what was never written is zero.
    struct Given(std::collections::VecDeque<u128>);

    impl Inputs for Given {
        fn next(&mut self, request: &Request) -> Option<u128> {
            match request.why {
                Why::Havoc(_) | Why::Parameter(_) => self.0.pop_front(),
                Why::Declared(_) | Why::Unwritten => Some(0),
            }
        }
    }

    /// How a program ends with these inputs.
    #[track_caller]
    fn check(text: &str, inputs: &[u128], want: &str) {
        let program = load(&[Input::text("a.c", text)], &LoadOptions::new(DataModel::Lp64))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut inputs = Given(inputs.iter().copied().collect());
        let ended = match run(&program, &mut inputs, &Options::default(), &mut Unobserved).outcome {
            Outcome::Exited(n) => format!("exit {n}"),
            Outcome::Ended => "end".to_owned(),
            Outcome::Unsupported { what, .. } => what,
            other => format!("{other:?}"),
        };
        assert_eq!(ended, want, "{text}");
    }

    #[test]
    fn functions_of_the_library_that_are_not_modelled_say_so() {
        let unknown =
            |name: &str| format!("`{name}` is a function of the system's library, which is not modelled");
        let text = "#define _GNU_SOURCE\n#include <string.h>\nint main(void) { char b[] = \"ab\"; strfry(b); return 1; }";
        check(text, &[], &unknown("strfry"));
        // However it is declared, and however it is called.
        check("char *strfry(char *); int main(void) { strfry(0); return 1; }", &[], &unknown("strfry"));
        check("char *strfry(char *); int main(void) { (*strfry)(0); return 1; }", &[], &unknown("strfry"));
        let text = "char *strfry(char *); char *(*f)(char *) = strfry; int main(void) { f(0); return 1; }";
        check(text, &[], &unknown("strfry"));
        let calls = "`atexit` calls functions that it is given, which is not modelled";
        check("int atexit(void (*)(void)); int main(void) { (*atexit)(0); return 1; }", &[], calls);
        // Another function of this name is the program's own: any value, and nothing else.
        check("int strfry(int); int main(void) { return strfry(0); }", &[7], "exit 7");
    }

    #[test]
    fn functions_that_end_the_run_do_so_through_pointers() {
        check("void exit(int); int main(void) { exit(3); return 1; }", &[], "end");
        check("void exit(int); int main(void) { (*exit)(3); return 1; }", &[], "end");
        let ops = "void abort(void); struct { void (*fail)(void); } ops = { abort };";
        check(&format!("{ops} int main(void) {{ ops.fail(); return 1; }}"), &[], "end");
        let own = "_Noreturn void die(void); void (*f)(void) = die; int main(void) { f(); return 1; }";
        check(own, &[], "end");
        check("void abort(int x) { } int main(void) { abort(1); return 1; }", &[], "exit 1");
    }

    #[test]
    fn a_row_of_the_table_is_what_a_call_does() {
        let access = "int access(const char *, int);";
        check(&format!("{access} int main(void) {{ return access(\"a\", 0); }}"), &[1], "exit -1");
        check(&format!("{access} int main(void) {{ return access(\"a\", 0); }}"), &[0], "exit 0");
        check(
            &format!(
                "{access} int (*f)(const char *, int) = access; int main(void) {{ return f(\"a\", 0); }}"
            ),
            &[1],
            "exit -1",
        );
        let text = "#include <errno.h>\n#include <unistd.h>\nint main(void) { errno = 0; return close(1) == 0 && errno == 0; }";
        check(text, &[0, 0], "exit 1");
        // What is determined by something that is not modelled: no run goes on.
        let text = "#include <stdlib.h>\nint main(void) { return getenv(\"A\") != 0; }";
        check(text, &[1], "what inline assembly, `sin` and the like give is not computed");
    }

    #[test]
    fn names_of_the_library_are_apart_from_the_programs() {
        // Neither do library functions call the program's …
        let text = "#include <string.h>\nint is_among(int c, const char *s) { return 0; }\n\
                    int main(void) { return strspn(\"aab\", \"a\") + is_among(0, 0); }";
        check(text, &[], "exit 2");
        let text = "#include <stdlib.h>\nenum { RANGE = 9 }; int decimal[3], digit;\n\
                    int main(void) { return strtol(\"12\", 0, 10) + decimal[0]; }";
        // `strtol` writes through a pointer: an input chooses which operand comes first.
        check(text, &[0], "exit 12");
        let text = "unsigned long strlen(const char *s) { return 1; } char *dirname(char *);\n\
                    int main(void) { char b[] = \"ab/cd\"; return dirname(b)[1] == 'b' ? strlen(b) : 9; }";
        check(text, &[], "exit 1");
        // … nor does a function of one file stand for the library's in another.
        let text = "static int abs(int x) { return 7; } int main(void) { return abs(-2); }";
        check(text, &[], "exit 7");
        // But the C library calls a `malloc` that the program defines.
        let text = "#include <string.h>\nchar pool[9]; void *malloc(unsigned long n) { return pool; }\n\
                    int main(void) { char *p = strdup(\"abc\"); return p == pool; }";
        check(text, &[], "exit 1");
        // A result of which only a part is declared.
        check(
            "unsigned strlen(const char *); int main(void) { return strlen(\"abc\") == 3; }",
            &[],
            "exit 1",
        );
    }

    #[test]
    fn functions_without_a_declaration_are_the_librarys() {
        let text =
            "int main() { char *p = malloc(3); strcpy(p, \"ab\"); return strlen(p) + memcmp(p, \"ab\", 3); }";
        check(text, &[], "exit 2");
        check("int main() { return sqrt(9.0) + floor(2.5) + fmax(1, 2); }", &[], "exit 7");
        // Unless the program defines them.
        check("int main() { return strlen(3); } int strlen(n) int n; { return n; }", &[], "exit 3");
    }

    #[test]
    fn definitions_under_names_of_the_library() {
        // Compilers may compute what they know.
        let text = "int abs(int x) { return 7; } int main(void) { return abs(-3); }";
        check(text, &[0], "exit 7");
        check(text, &[1], "exit 3");
        let text =
            "unsigned long strlen(const char *s) { return 9; } int main(void) { return strlen(\"ab\"); }";
        check(text, &[0], "exit 9");
        check(text, &[1], "exit 2");
        // Not where the type is another one, or the function is for this file alone.
        check("long abs(long x) { return 7; } int main(void) { return abs(-3); }", &[], "exit 7");
        check("static int abs(int x) { return 7; } int main(void) { return abs(-3); }", &[], "exit 7");
        let text = "#include <stdio.h>\nint puts(const char *s) { return 7; } int main(void) { printf(\"a\\n\"); return 1; }";
        check(text, &[], "`printf`, for which compilers may call the program's own `puts`,");
        let says = |text: &str| {
            let program =
                load(&[Input::text("a.c", text)], &LoadOptions::new(DataModel::Lp64)).expect("a program");
            program.assumptions.iter().any(|assumed| assumed.text.contains("name of the C library"))
        };
        assert!(says("int toupper(int c) { return c; } int main(void) { return toupper(1); }"));
        assert!(!says("char *toupper(int c) { return 0; } int main(void) { return toupper(1) != 0; }"));
        assert!(!says("static int toupper(int c) { return c; } int main(void) { return toupper(1); }"));
        assert!(!says("int upper(int c) { return c; } int main(void) { return upper(1); }"));
        assert!(!says("#include <ctype.h>\nint main(void) { return toupper(1); }"));
    }

    #[test]
    fn main_is_called_as_c_says() {
        let main = |body: &str| format!("#include <string.h>\nint main(int argc, char **argv) {{ {body} }}");
        // The inputs: the number of arguments, the pointer, which is replaced, and sizes of texts.
        check(&main("return argc;"), &[2, 0], "exit 2");
        check(&main("return argc;"), &[0, 0], "exit 0");
        check(&main("return argv[argc] == 0;"), &[1, 0, 5], "exit 1");
        check(&main("return argv[0][4];"), &[1, 0, 5], "exit 0");
        check(
            &main("return argv[1] == 0;"),
            &[9, 0, 1, 1, 1],
            "what inline assembly, `sin` and the like give is not computed",
        );
    }
}
