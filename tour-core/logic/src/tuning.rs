//! Tuning values of the solvers.

tour_ir::tuning! {
    /// How questions are asked, and what answers cost. Who checks evidence takes the defaults.
    pub struct SolverLimits in "solver" {
        /// Steps of a question before integers, or elements of arrays, are asked.
        steps_before_integers: u32 = 50_000, measured "not yet";
        /// Steps that integers may take, and from which on elements of arrays are asked.
        max_integer_steps: u32 = 300_000, measured "not yet";
        /// After how many failures in a row integers are not left out for still more questions: 2 to the power of this.
        max_integer_failures: u32 = 5, measured "not yet";
        /// How many reads of one array are compared with each other, for integers.
        max_integer_reads: usize = 24, measured "not yet";
        /// How many models may contradict equal indices before a question goes to Z3's arrays.
        max_element_rounds: usize = 100, measured "that elements are asked: one question took 38 s, of which 0.4 s are \
            left (0b6aa21); the value: not yet";
        /// How many elements of arrays are looked up; more go to Z3's arrays.
        max_elements: usize = 1 << 14, measured "not yet";
        /// How often parts of formulas are looked at, on average, for what they define.
        definition_visits: usize = 8, measured "not yet";
        /// From which size on a term gets a name before the SAT solver hears of it.
        min_named_size: u32 = 24, measured "not yet";
        /// How many pairs of reads are compared; more go to Z3.
        max_compared_reads: usize = 1 << 16, measured "not yet";
        /// How many gates and clauses the SAT solver makes for a step.
        made_per_step: u64 = 1, measured "so that a second of CaDiCaL has about as many steps as one of Z3, one million \
            and more (2bcdf45)";
        /// How many clauses that are there cost a step in each question.
        kept_per_step: u64 = 4, measured "together with made_per_step (2bcdf45)";
        /// Steps for each time that the SAT solver calls back.
        steps_per_call: u64 = 160, measured "together with made_per_step (2bcdf45)";
        /// For how many clauses a call costs one step more: the more there are, the more follows from a decision.
        clauses_per_call: u64 = 250, measured "together with made_per_step (2bcdf45)";
        /// How many steps are a millisecond of interpolation, for which Z3 counts none.
        steps_per_millisecond: u32 = 1_000, measured "not yet (the answer depends on the machine where it is reached)";
    }
}

tour_ir::tuning! {
    /// Instances of claims about all elements. Who checks evidence has bounds of its own: where these are larger, proofs
    /// may be lost.
    pub struct InstanceLimits in "invariants.instances" {
        /// At how many indices a claim about all elements is instantiated.
        max_instances: usize = 24, measured "not yet";
        /// How many instances a question gets.
        max_instances_of_question: usize = 600, measured "not yet";
        /// How many lemmas about equal indices a question gets.
        max_lemmas: usize = 64, measured "not yet";
    }
}
