//! What the analyses may spend.

tour_ir::tuning! {
    /// What the analyses of the portfolio may spend, in steps of the solver, round by round.
    pub struct PortfolioBudgets in "portfolio" {
        /// The factor by which budgets grow from round to round.
        budget_growth: u64 = 8, measured "not yet (f8b20c1 made it 8 from 4, without a table)";
        /// Explicit values of threads: steps in the first round.
        explicit_steps: u64 = 1_500_000, measured "not yet";
        /// Values and predicates of threads: steps in the first round.
        threads_product_steps: u64 = 1_000_000, measured "not yet";
        /// Values of threads that are tracked where they matter: steps in the first round.
        threads_value_steps: u64 = 1_000_000, measured "not yet";
        /// Lazy abstraction: steps in the first round.
        product_steps: u64 = 200_000, measured "not yet";
        /// Explicit-state search: steps in the first round.
        explicit_state_steps: u64 = 300_000, measured "60,000 states: ssh-simplified and the smaller programs of \
            eca-rers2012 need less (edges_per_second)";
        /// Bounded model checking: steps, in its only round.
        bmc_steps: u64 = 1_000_000, measured "not yet";
        /// k-induction: steps in the first round.
        induction_steps: u64 = 500_000, measured "not yet";
        /// Block-abstraction memoization: steps in the first round.
        bam_steps: u64 = 1_000_000, measured "not yet";
        /// What the successors of a state cost, in steps, besides the questions asked about them.
        state_cost: u64 = 500, measured "not yet (that they cost something: without, a search whose questions are all \
            plain went on for ever, 1b97d0d)";
        /// How many times the budget a single question may take.
        question_share: u64 = 4, measured "not yet";
    }
}
