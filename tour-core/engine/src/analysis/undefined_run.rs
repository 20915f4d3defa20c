//! Programs that have no defined run: nothing is shown by proving a claim of one.
//!
//! Where a rule is not checked, a run ends at undefined behaviour, and a claim holds of what comes before. If that is so for
//! the only run of a program, which asks for no input, then every claim holds, and says nothing.

use super::concrete::Closed;
use tour_evidence::verdict::UnknownReason;
use tour_interp::interp::{Image, Options, Outcome, Unobserved};
use tour_ir::prepared::Prepared;

/// Steps that are followed. A run gets to a mistake of this kind at once, or goes on for long.
/// A rule of the verdict, not of the search: beyond it, SAFE stays.
const MAX_STEPS: u64 = 10_000;

/// The undefined behaviour that the only run of a program ends with.
pub(super) fn undefined_run(program: &Prepared) -> Option<UnknownReason> {
    let options = Options { max_steps: MAX_STEPS, ..Options::default() };
    let run = Image::of(program).run(&mut Closed, &options, &mut Unobserved);
    let Outcome::Undefined { kind, edge } = run.outcome else { return None };
    Some(UnknownReason::Unsupported {
        kind: "undefined-behaviour".into(),
        message: format!(
            "every run ends here: {} (`--property undefined-behaviour` checks it)",
            kind.describe()
        ),
        span: program.cfa.edges[edge?].span,
    })
}

#[cfg(test)]
mod tests {
    use crate::analysis::verify;
    use crate::context::Context;
    use tour_c::LoadOptions;
    use tour_c::front::Input;
    use tour_ir::prepared::Prepared;
    use tour_ir::program::DataModel;

    #[track_caller]
    fn check(body: &str, want: &str) {
        let text = format!("int input(void); void use(int); int main(void) {{ int *p = 0; {body} }}");
        let program = tour_c::load(&[Input::text("a.i", text)], &LoadOptions::new(DataModel::Lp64));
        let program = Prepared::new(program.unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(verify(&program, &Context::default()).to_string(), want, "{body}");
    }

    #[test]
    fn a_program_without_a_defined_run_has_no_proof() {
        let undefined = "UNKNOWN (unsupported: undefined-behaviour)";
        check("use(*p);", undefined);
        check("return *p;", undefined);
        check("return 0;", "SAFE");
        // There are other runs.
        check("if (input()) use(*p); return 0;", "SAFE");
    }
}
