//! Bounded model checking, k-induction, block-abstraction memoization, interleavings, and explicit-state search.

tour_ir::tuning! {
    /// Limits of bounded model checking.
    pub struct BmcLimits in "bmc" {
        /// How many rounds of a loop are unwound first.
        first_rounds: usize = 4, measured "not yet";
        /// The factor by which that number grows.
        rounds_growth: usize = 4, measured "not yet";
        /// How many ways to errors one question is about.
        max_errors_together: usize = 16, measured "not yet";
        /// What a block costs besides its terms and the length of the path to it, in steps of the solver.
        block_cost: u64 = 50, measured "that paths cost something: three programs ran into their time without \
            (a4ada92); the value: not yet";
        /// How many rounds of a loop that no run can leave count as one.
        forced_rounds: usize = 32, measured "not yet";
        /// In how many first rounds of a loop it is asked whether a run gets there.
        always_asked_rounds: usize = 4, measured "not yet";
        /// After how many steps of the solver the portfolio's bounded model checking leaves longer runs to others.
        max_steps_on_long_runs: u64 = 1_000_000, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Limits of k-induction.
    pub struct InductionLimits in "induction" {
        /// From which k on more effort is made for invariants.
        max_quick_k: usize = 3, measured "not yet";
        /// With more nodes between blocks, k-induction is bounded model checking.
        max_nodes: usize = 400, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Limits of block-abstraction memoization.
    pub struct BamLimits in "bam" {
        /// How many values of a variable are followed at one location.
        max_values_of_variable: usize = 256, measured "not yet";
        /// Steps of the solver for the interpolation of one call.
        max_summary_steps: u32 = 2_000_000, measured "not yet";
        /// How many calls of a path are interpolated, the last ones.
        max_summarised_calls: usize = 12, measured "not yet";
        /// How many states of a path are looked at; the rest of a longer one is cut off.
        max_path: usize = 3000, measured "not yet";
        /// From how many states of a path on recursive functions are followed by values.
        min_path_for_values: usize = 60, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Limits of the search through interleavings of threads.
    pub struct ExplorationLimits in "exploration" {
        /// What the successors of a state of threads cost, in steps of the solver.
        state_cost: u64 = 20, measured "not yet";
        /// How many values of a variable are told apart after a block of a thread.
        max_values: usize = 4, measured "not yet";
        /// Through how many locations it is followed where a value may get to.
        max_data_flow_walk: usize = 10_000, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Limits of explicit-state search.
    pub struct ExplicitLimits in "explicit" {
        /// What the successors of a state cost, in steps of the solver.
        state_cost: u64 = 5, measured "150,000 to 500,000 edges a second (edges_per_second), where a second is about a \
            million steps of the solver";
        /// In how many refinements a variable is added where a path needs it; then, it is tracked wherever it is live.
        local_refinements: u32 = 1, measured "Problem01_label00 of eca-rers2012: 1686 refinements in 12 s without an end \
            where it is never tracked so, 12 refinements and 0.2 s with 2 (edges_per_second)";
        /// What it costs to track a truth value, a variable that is only compared for equality, one that is computed or lies
        /// in memory, and one that counts: the cheapest sum excludes a path.
        cost_weights: [u64; 4] = [1, 2, 8, 64], measured "s3_srvr_1, s3_srvr_8, s3_clnt_1 and token_ring.03: the same \
            refinements and edges with [1, 1, 1, 1] and [1, 4, 32, 512]";
        /// How many sliced prefixes of a path are compared.
        max_sliced_prefixes: usize = 32, measured "paths of 20,000 edges (Problem03_label00 of eca-rers2012): 160,000 edges \
            a second with refinement, as without (edges_per_second)";
    }
}
