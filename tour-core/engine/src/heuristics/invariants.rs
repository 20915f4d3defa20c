//! Loop invariants.

use serde::{Deserialize, Serialize};
use tour_logic::tuning::InstanceLimits;

/// Limits of the search for loop invariants.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InvariantLimits {
    /// When invariants are looked for, and for how long.
    pub effort: EffortLimits,
    /// Candidates about scalars and pointers.
    pub templates: TemplateLimits,
    /// Candidates about arrays.
    pub arrays: ArrayLimits,
    /// Candidates about linked objects.
    pub lists: ListLimits,
    /// States that contradict candidates.
    pub samples: SampleLimits,
    /// Questions about candidates.
    pub questions: QuestionLimits,
    /// Instances of claims about all elements.
    pub instances: InstanceLimits,
}

tour_ir::tuning! {
    /// When invariants are looked for, and for how long.
    pub struct EffortLimits in "invariants.effort" {
        /// Steps of the solver for one question at first: lazy abstraction and k-induction wait for the answers, and
        /// often come to an end without them.
        max_quick_steps: u32 = 100_000, measured "not yet";
        /// Steps of the solver for one question if more effort is made.
        max_thorough_steps: u32 = 2_000_000, measured "not yet";
        /// With fewer refinements a search that takes long is not taken for one that diverges.
        min_refinements: u64 = 10, measured "that there is one: to start anew can cost ten times what going on does \
            (1ce89bb); the value: not yet";
        /// With fewer steps of the solver a search has not taken long, though it had to wait.
        min_steps: u64 = 1_000_000, measured "one program of ssh-simplified was started anew too soon without \
            (8eb5fc5); the value: not yet";
        /// With more nodes between blocks, lazy abstraction looks for no invariants.
        max_nodes: usize = 60, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Candidates about scalars and pointers.
    pub struct TemplateLimits in "invariants.templates" {
        /// How many variables of a node candidates are made of.
        max_variables: usize = 24, measured "not yet";
        /// How many of them are compared in pairs.
        max_related: usize = 12, measured "not yet";
        /// How many numbers linear equations are looked for between.
        max_equated: usize = 12, measured "not yet";
        /// How many constants a variable is compared with.
        max_constants: usize = 12, measured "not yet";
        /// How many variables sums are made of; candidates grow with the cube.
        max_summands: usize = 6, measured "not yet";
        /// How many constants a sum is compared with.
        max_sum_constants: usize = 8, measured "not yet";
        /// How many pointers candidates about memory are made of.
        max_pointers: usize = 8, measured "not yet";
        /// How many numbers each pointer is related to.
        max_pointer_numbers: usize = 10, measured "not yet";
        /// How many models the search for linear equations takes in all.
        max_equation_samples: usize = 400, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Candidates about arrays.
    pub struct ArrayLimits in "invariants.arrays" {
        /// How many arrays get candidates.
        max_arrays: usize = 12, measured "not yet";
        /// How many of them are compared with numbers.
        max_compared_arrays: usize = 4, measured "not yet";
        /// How many variables bound a part of an array.
        max_bounds: usize = 6, measured "not yet";
        /// How many constants bound a part, and how many stored constants elements are compared with.
        max_constants: usize = 4, measured "not yet";
        /// How many variables, and constants, elements are ordered with: each adds three candidates for each part.
        max_comparisons: usize = 2, measured "not yet";
        /// How many low bounds make a part that a loop counting down leaves behind.
        max_low_bounds: usize = 2, measured "not yet";
        /// How many high bounds do, for each low one.
        max_high_bounds: usize = 3, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Candidates about linked objects.
    pub struct ListLimits in "invariants.lists" {
        /// How many pointers guards about all objects of a region speak of.
        max_pointers: usize = 7, measured "not yet";
        /// How many constants of a slot they speak of.
        max_constants: usize = 4, measured "not yet";
        /// How many variables that are compared with constants they speak of.
        max_flags: usize = 3, measured "not yet";
        /// How many guards there are for the objects of a region.
        max_guards: usize = 1500, measured "not yet";
        /// How often weaker candidates are asked for.
        stages: usize = 7, measured "not yet";
        /// In which of these stages those that failed are asked for once more.
        retry_stage: usize = 5, measured "not yet";
        /// How many candidates of a node are asked for at once.
        max_candidates: usize = 80, measured "not yet";
        /// How many guards of a level that no sample tells apart are tried with a claim.
        max_alike_guards: usize = 3, measured "not yet";
        /// After how many failures a candidate is given up.
        max_failures: u8 = 2, measured "not yet";
    }
}

tour_ir::tuning! {
    /// States that contradict candidates: of runs of the program, of walks through its blocks, and random ones.
    pub struct SampleLimits in "invariants.samples" {
        /// How many runs of the program there are.
        runs: u64 = 64, measured "not yet";
        /// Steps of each run.
        max_run_steps: u64 = 3_000, measured "not yet";
        /// How deep calls of a run may be.
        max_run_depth: u32 = 200, measured "not yet";
        /// How many first states of a place one run gives; then those at powers of two.
        max_run_states: usize = 6, measured "not yet";
        /// How many states of a place all runs give.
        max_states: usize = 120, measured "not yet";
        /// Below which number every other run keeps its inputs, so that loops end.
        max_input: u64 = 12, measured "not yet";
        /// How many random walks through the blocks there are.
        walks: u64 = 10, measured "not yet";
        /// How many blocks a walk has.
        max_walk_blocks: usize = 40, measured "not yet";
        /// After how many rounds a walk leaves a loop.
        max_walk_rounds: usize = 5, measured "not yet";
        /// How many states of a node walks give.
        max_walk_states: usize = 40, measured "not yet";
        /// How many objects of memory that nobody wrote are told apart in a walk.
        max_walk_objects: u64 = 16, measured "not yet";
        /// How many drawn inputs are kept where all of them lead nowhere.
        kept_draws: usize = 3, measured "not yet";
        /// Up to which object a state is looked at.
        max_sampled_objects: u64 = 14, measured "not yet";
        /// How many states are drawn at random, to tell which candidate implies another.
        random_states: usize = 512, measured "not yet";
        /// How many objects such a state has.
        random_objects: u64 = 8, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Questions about candidates.
    pub struct QuestionLimits in "invariants.questions" {
        /// Bits of an object's number in the small world in which candidates about lists are asked for.
        small_world_bits: u32 = 8, measured "not yet";
        /// Into how many cases a block with choices between arrays is taken apart.
        max_cases: usize = 16, measured "not yet";
        /// How many questions of a block may be too hard before its candidates are given up.
        max_hard_questions: usize = 32, measured "not yet";
        /// Steps of the solver for the question whether a bound follows from others.
        max_redundancy_steps: u32 = 2_000, measured "that it is asked: of 860 invariants of a program 60 say as much \
            (1ce89bb); the value: not yet";
    }
}
