//! Fault localisation.

tour_ir::tuning! {
    /// Limits of the search for the lines that are to blame for a violation. Its result was measured with all of them as
    /// they are: 90 faults, 100 % located, 88.9 % in the first three lines, 0.48 s each (docs/src/faults.md).
    pub struct FaultLimits in "fault" {
        /// Longer failing runs, in steps, are not explained.
        max_run: usize = 3_000, measured "not yet";
        /// How many steps are encoded for a technique.
        max_encoded: usize = 150_000, measured "not yet";
        /// Steps of the interpreter for a successful run, a tenth of them for a drawn one.
        max_run_steps: u64 = 100_000, measured "not yet";
        /// Which part of the budget of a technique a single question may take.
        question_share: u64 = 8, measured "not yet";
        /// How many points of the statement of the check are followed.
        max_statement_points: usize = 1_000, measured "not yet";
        /// How many rounds of a loop more than the failing run others may make.
        more_rounds: u32 = 1, measured "not yet";
        /// With more points around it a run is not explained.
        max_points: usize = 6_000, measured "not yet";
        /// How many equally close successful runs are reported.
        max_equally_close: usize = 4, measured "not yet";
        /// How many predicates are compared at a point.
        max_predicates_of_point: usize = 8, measured "not yet";
        /// How many predicates are compared in all: they make questions hard.
        max_predicates: usize = 16, measured "not yet";
        /// How many failing runs are looked at.
        max_failures: usize = 6, measured "not yet";
        /// How many inputs are drawn, for more failing runs and against mutants.
        drawn_runs: u64 = 60, measured "not yet";
        /// How many nodes of an expression are mutated.
        max_mutated_nodes: usize = 24, measured "not yet";
        /// How many variables, and constants, take the place of one.
        max_replacements: usize = 8, measured "not yet";
        /// How many mutants are executed.
        max_mutants: usize = 1_500, measured "not yet";
        /// How many edges of mutants are made ready to run: in a large program, fewer mutants are looked at.
        max_mutant_edges: usize = 3_000_000, measured "not yet";
        /// Steps of all executions of mutants.
        max_mutant_steps: u64 = 5_000_000, measured "not yet";
        /// How many mutants of a statement are encoded.
        max_encoded_of_statement: usize = 3, measured "not yet";
        /// How many mutants are encoded.
        max_encoded_mutants: usize = 12, measured "not yet";
        /// What it costs to encode an edge of a mutant, in steps of the solver.
        mutant_edge_cost: u64 = 100, measured "not yet";
        /// How much technique `adm` counts in the ranking.
        weight_adm: f64 = 1.0, measured "not yet";
        /// How much technique `cfdm` counts in the ranking.
        weight_cfdm: f64 = 0.6, measured "not yet";
        /// How much technique `pg` counts in the ranking.
        weight_pg: f64 = 0.6, measured "not yet";
        /// How much technique `mcs` counts in the ranking.
        weight_mcs: f64 = 1.5, measured "not yet";
        /// How much technique `invariants` counts in the ranking.
        weight_invariants: f64 = 0.8, measured "not yet";
        /// How much technique `repair` counts in the ranking.
        weight_repair: f64 = 3.0, measured "not yet";
        /// How much technique `claim` counts in the ranking.
        weight_claim: f64 = 1.5, measured "not yet";
    }
}

impl FaultLimits {
    /// How much a technique counts in the ranking.
    pub fn weight(&self, technique: &str) -> f64 {
        match technique {
            "adm" => self.weight_adm,
            "cfdm" => self.weight_cfdm,
            "pg" => self.weight_pg,
            "mcs" => self.weight_mcs,
            "invariants" => self.weight_invariants,
            "repair" => self.weight_repair,
            "claim" => self.weight_claim,
            _ => 1.0,
        }
    }
}
