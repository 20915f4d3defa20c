//! Abstract domains, and their refinement.

tour_ir::tuning! {
    /// Limits of the abstract domains.
    pub struct AbstractionLimits in "abstraction" {
        /// How many assignments of predicates one abstraction enumerates before a coarser one is taken.
        max_assignments: usize = 64, measured "that there is a limit: an abstraction of one program ran for minutes \
            without (113daf3); s3_srvr.blast.01 by predicates alone: 83, 88 and 68 million steps with 16, 64 and 256";
        /// The factor by which that limit grows when refinement finds no new predicate.
        assignments_growth: usize = 16, measured "not yet";
        /// How many combinations of values are enumerated at the end of a block.
        max_values: usize = 12, measured "not yet";
        /// How many values of a variable are followed at one location.
        max_values_of_variable: usize = 64, measured "not yet";
        /// The same beside predicates, which take over what is given up.
        max_values_of_variable_in_product: usize = 24, measured "not yet";
        /// How many combinations of values are told apart after a block where all variables are tracked.
        max_values_of_everything: usize = 4, measured "not yet";
        /// The factor by which that number grows when a path turns out to be infeasible.
        values_growth: usize = 8, measured "not yet";
        /// From which number on it does not grow any more.
        max_values_grown: usize = 1024, measured "not yet";
        /// How many enumerations are remembered before all are forgotten.
        max_cached_enumerations: usize = 10_000, measured "not yet";
        /// How many solvers that hold the formula of a block are kept.
        max_kept_solvers: usize = 1_000, measured "s3_srvr.blast.01 by predicates alone: 34 s in questions with 24 and \
            100, 3.8 s with 1000 (10,848 questions, 314 MiB)";
    }
}

tour_ir::tuning! {
    /// Limits of the way from infeasible paths to predicates.
    pub struct RefinementLimits in "refinement" {
        /// Steps of the solver for the interpolation of one path.
        max_interpolation_steps: u32 = 5_000_000, measured "not yet";
        /// How many variables of an unsatisfiable core are tried to be left out.
        max_dropped_variables: usize = 24, measured "not yet";
    }
}
