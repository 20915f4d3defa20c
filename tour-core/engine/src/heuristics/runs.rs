//! Runs of the interpreter: with drawn inputs, with drawn schedules, and those that confirm a violation.

use tour_interp::interp::Options;

tour_ir::tuning! {
    /// Limits of runs with drawn inputs, in steps of the interpreter.
    pub struct HuntLimits in "hunt" {
        /// Steps of the first runs together, half of them for the only run of a program without inputs.
        first_total_steps: u64 = 1_000_000, measured "not yet";
        /// Steps of one of the first runs.
        first_run_steps: u64 = 100_000, measured "not yet";
        /// How many first runs there are.
        first_runs: u64 = 200, measured "not yet";
        /// How deep calls of a run may be.
        max_depth: u32 = 1_000, measured "not yet";
        /// How many bytes of memory a run may have.
        max_memory: u64 = 64 << 20, measured "not yet";
        /// How many runs that led somewhere new are kept.
        max_kept_runs: usize = 512, measured "not yet";
        /// How many inputs a run that is kept may have.
        max_kept_inputs: usize = 10_000, measured "not yet";
        /// Steps of the hunt before the first round of the portfolio.
        first_hunt_steps: u64 = 300_000, measured "not yet";
        /// How many runs in a row may find nothing new in it.
        max_fruitless_runs: u64 = 200, measured "not yet";
        /// Steps of the hunt after the first round, the second, and each later one. Schedules of threads get as many.
        round_steps: [u64; 3] = [3_000_000, 15_000_000, 60_000_000], measured "not yet (some tenth of the time of a \
            round: the interpreter makes about 23 million steps a second)";
        /// Steps of a few long runs after the second round, the third and the fourth.
        long_run_total_steps: [u64; 3] = [10_000_000, 100_000_000, 1_000_000_000], measured "not yet";
        /// How many long runs there are.
        long_runs: u64 = 8, measured "not yet";
        /// Which part of these steps one of them may take.
        long_runs_share: u64 = 4, measured "not yet";
        /// Which part of the steps of a hunt a usual run may take.
        short_run_share: u64 = 300, measured "not yet";
        /// The least that a usual run may take.
        min_run_steps: u64 = 1_000, measured "not yet";
        /// The most that a usual run may take.
        max_run_steps: u64 = 100_000, measured "not yet";
        /// Every how many runs there is a longer one with nothing but new inputs.
        long_run_every: u64 = 16, measured "not yet";
        /// Which part of the steps of a hunt that one may take.
        long_run_share: u64 = 10, measured "not yet";
        /// What a run costs at least, in steps.
        min_run_cost: u64 = 20, measured "not yet";
        /// How many numbers of the program inputs are drawn from.
        max_numbers: usize = 512, measured "not yet";
        /// How many bytes of an initialiser are among them.
        max_initial_bytes: usize = 64, measured "string_false and invert_string_false of loops: found with 8 and with 64";
    }
}

impl HuntLimits {
    /// Steps of the hunt after a round.
    pub fn steps_after(&self, round: u64) -> u64 {
        self.round_steps[round.min(2) as usize]
    }

    /// Steps of the long runs after a round, if there are any.
    pub fn long_steps_after(&self, round: u64) -> Option<u64> {
        self.long_run_total_steps.get(usize::try_from(round.checked_sub(1)?).ok()?).copied()
    }

    /// What a run may take.
    pub fn run_options(&self, max_steps: u64) -> Options {
        let HuntLimits { max_depth, max_memory, .. } = *self;
        Options { max_steps, max_depth, max_memory, ..Options::default() }
    }
}

tour_ir::tuning! {
    /// Limits of runs with drawn schedules, in steps of the interpreter.
    pub struct ScheduleLimits in "schedules" {
        /// Steps before anything else is done.
        first_steps: u64 = 500_000, measured "not yet";
        /// Steps of the longest run.
        max_run_steps: u64 = 1_000_000, measured "not yet (between runs the hunt can be stopped)";
        /// Which part of the steps of a hunt a usual run may take.
        short_run_share: u64 = 100, measured "not yet";
        /// The least that a usual run may take.
        min_run_steps: u64 = 1_000, measured "not yet";
        /// The most that a usual run may take.
        max_short_run_steps: u64 = 100_000, measured "not yet";
        /// Every how many runs there is a longer one, of one part in as many of the steps.
        long_run_every: u64 = 8, measured "not yet";
        /// What a run costs at least, in steps.
        min_run_cost: u64 = 100, measured "not yet";
        /// How many bytes of memory a run may have.
        max_memory: u64 = 64 << 20, measured "not yet";
    }
}

tour_ir::tuning! {
    /// Limits of runs that confirm violations.
    pub struct ConfirmationLimits in "confirmation" {
        /// Steps of the interpreter in which a violation has to be confirmed.
        max_steps: u64 = 100_000_000, measured "not yet (4.3 s an attempt, at 23 million steps a second)";
        /// How many contents of unwritten memory are tried after zeros.
        unwritten_contents: u64 = 4, measured "not yet";
        /// Runs in which the inputs of a violation are made smaller.
        shrink_runs: u64 = 2_000, measured "on 11 violations of every seventh false task of `core`, 500, 2000 and 8000 do the same: 1028 of 2230 inputs not zero before, 864 of 2196 after";
        /// Steps of all of these runs together.
        shrink_steps: u64 = 3_000_000, measured "750000 and 3000000 do the same there; 0.15 s, at 23 million steps a second";
        /// How many runs of the whole program are tried to follow one of its slice.
        completions: u64 = 200, measured "not yet";
        /// Steps of all of them together.
        completion_steps: u64 = 10_000_000, measured "not yet (0.4 s, at 23 million steps a second)";
    }
}

tour_ir::tuning! {
    /// Limits of the search for parts of the program that no run gets to.
    pub struct VacuityLimits in "vacuity" {
        /// How many random runs show that parts are reached.
        runs: u64 = 100, measured "not yet";
        /// Steps of each of these runs.
        max_run_steps: u64 = 20_000, measured "not yet";
        /// How many assumptions the engine is asked about.
        max_asked: usize = 3, measured "not yet";
        /// Steps of the solver for each of them.
        max_steps: u64 = 100_000, measured "not yet";
    }
}
