//! Tuning values of formulas, blocks and what is done to a program before it is analysed.

tour_ir::tuning! {
    /// Formulas of memory. Who checks evidence has bounds of its own: where these are larger, proofs may be lost.
    pub struct MemoryLimits in "memory" {
        /// Regions with more initial values begin with unknown ones.
        max_initial_values: usize = 2000, measured "not yet";
        /// Objects with more scalars are not copied one by one.
        max_copied_scalars: usize = 300, measured "not yet";
        /// How many bytes `realloc` keeps of a block of unknown size.
        max_kept_by_realloc: u64 = 64, measured "not yet";
        /// Up to how many elements are set or copied one by one; more are as one.
        max_single_writes: usize = 64, measured "not yet";
        /// Behind which byte of an object candidates for invariants speak of nothing.
        max_field_offset: u64 = 64, measured "not yet";
        /// How many elements of a slot they speak of.
        max_fields: usize = 6, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Blocks.
    pub struct BlockLimits in "blocks" {
        /// With more nodes, there is no large-block encoding by summarisation.
        max_summarised_nodes: usize = 200_000, measured "not yet";
    }
}

tour_ir::tuning! {
    /// What is done to a program before it is analysed: copies of functions, threads.
    pub struct PreparationLimits in "preparation" {
        /// Larger functions, in edges with what they call, get no copy for each call.
        max_copied_edges: usize = 80, measured "not yet";
        /// How many edges all copies may have at least; otherwise as many as the program.
        min_copy_budget: usize = 4_000, measured "not yet";
        /// How many threads one place that creates them in a loop may create.
        max_threads_of_place: u32 = 8, measured "not yet";
        /// The same if a run needs more, and not more than these.
        max_threads_if_needed: u32 = 32, measured "not yet";
        /// How many threads a program may have in all.
        max_threads: usize = 96, measured "not yet";
        /// How many edges a program may have with the copies for threads.
        max_edges: usize = 400_000, measured "not yet";
        /// Steps of the run that tells whether the threads of a place are enough.
        probe_steps: u64 = 20_000, measured "not yet";
    }
}
