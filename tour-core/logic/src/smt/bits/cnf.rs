//! From circuits to clauses: the SAT solver, which is told of a gate when it is first needed.
//!
//! A gate is equivalent to what its clauses say (Tseitin's encoding, in both directions: the solver finds gates again in
//! its clauses and simplifies them).

use super::gates::{Gate, Gates, Lit};
use cadical::{Callbacks, Solver};
use std::cell::Cell;
use std::rc::Rc;
use tour_ir::limits::Interrupt;

/// Counts steps, and stops the solver when they are used up or the run is to stop.
struct Watch {
    interrupt: Interrupt,
    pace: Rc<Pace>,
}

/// What a question takes. CaDiCaL calls back after every few decisions and conflicts, always the same for the same
/// questions.
#[derive(Default)]
struct Pace {
    calls: Cell<u64>,
    limit: Cell<u64>,
}

impl Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        let calls = self.pace.calls.get() + 1;
        self.pace.calls.set(calls);
        calls > self.pace.limit.get() || self.interrupt.reason().is_some()
    }
}

/// What the solver said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Sat,
    Unsat,
    /// It was stopped; it can go on.
    Stopped,
}

/// A SAT solver that knows a part of a circuit.
pub struct Cnf {
    solver: Solver<Watch>,
    pace: Rc<Pace>,
    /// The solver's variables by gate; zero for those that it does not know.
    variables: Vec<i32>,
    count: i32,
    clauses: u64,
}

impl Cnf {
    pub fn new(interrupt: Interrupt) -> Cnf {
        let pace = Rc::new(Pace::default());
        let mut solver = Solver::new();
        solver.set_callbacks(Some(Watch { interrupt, pace: pace.clone() }));
        Cnf { solver, pace, variables: Vec::new(), count: 0, clauses: 0 }
    }

    /// How many clauses were sent so far.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    fn clause<const N: usize>(&mut self, lits: [i32; N]) {
        self.solver.add_clause(lits);
        self.clauses += 1;
    }

    /// A variable that stands for no gate.
    pub fn switch(&mut self) -> i32 {
        self.count += 1;
        self.count
    }

    /// What the solver calls a literal that it knows.
    fn name(&self, lit: Lit) -> i32 {
        let variable = self.variables[lit.node()];
        debug_assert!(variable != 0, "{lit:?} was not sent");
        if lit.is_negated() { -variable } else { variable }
    }

    /// Tells the solver of a literal and all that it depends on; what it is called there.
    pub fn send(&mut self, gates: &Gates, lit: Lit) -> i32 {
        self.variables.resize(gates.len(), 0);
        let mut stack = vec![lit.node()];
        while let Some(&node) = stack.last() {
            if self.variables[node] != 0 {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let mut need = |lit: &Lit| {
                if self.variables[lit.node()] == 0 {
                    stack.push(lit.node());
                }
            };
            match gates.gate(node) {
                Gate::Constant | Gate::Input => {}
                Gate::And(a, b) | Gate::Xor(a, b) => [a, b].iter().for_each(&mut need),
                Gate::Xor3(a, b, c) | Gate::Ite(a, b, c) | Gate::Majority(a, b, c) => {
                    [a, b, c].iter().for_each(&mut need);
                }
                Gate::Wide(index) => gates.wide(index).iter().for_each(&mut need),
            }
            if stack.len() == before {
                stack.pop();
                self.variables[node] = self.switch();
                self.define(gates, node);
            }
        }
        self.name(lit)
    }

    /// Says what a gate is, in clauses.
    fn define(&mut self, gates: &Gates, node: usize) {
        let o = self.variables[node];
        match gates.gate(node) {
            Gate::Constant => self.clause([-o]),
            Gate::Input => {}
            Gate::And(a, b) => {
                let [a, b] = [a, b].map(|lit| self.name(lit));
                self.clause([-o, a]);
                self.clause([-o, b]);
                self.clause([o, -a, -b]);
            }
            Gate::Wide(index) => {
                let lits: Vec<i32> = gates.wide(index).iter().map(|lit| self.name(*lit)).collect();
                for lit in &lits {
                    self.clause([-o, *lit]);
                }
                self.solver.add_clause(lits.iter().map(|lit| -lit).chain([o]));
                self.clauses += 1;
            }
            Gate::Xor(a, b) => {
                let [a, b] = [a, b].map(|lit| self.name(lit));
                for clause in [[-o, a, b], [-o, -a, -b], [o, -a, b], [o, a, -b]] {
                    self.clause(clause);
                }
            }
            Gate::Xor3(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|lit| self.name(lit));
                for (x, y, z) in [(a, b, c), (a, -b, -c), (-a, b, -c), (-a, -b, c)] {
                    self.clause([-o, x, y, z]);
                    self.clause([o, -x, -y, -z]);
                }
            }
            Gate::Ite(c, t, e) => {
                let [c, t, e] = [c, t, e].map(|lit| self.name(lit));
                for clause in [[-c, -t, o], [-c, t, -o], [c, -e, o], [c, e, -o]] {
                    self.clause(clause);
                }
                // These follow, but the solver sees what follows from them sooner.
                self.clause([-t, -e, o]);
                self.clause([t, e, -o]);
            }
            Gate::Majority(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|lit| self.name(lit));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.clause([x, y, -o]);
                    self.clause([-x, -y, o]);
                }
            }
        }
    }

    /// One of these holds from now on. All must be known.
    pub fn add(&mut self, lits: impl IntoIterator<Item = i32>) {
        self.solver.add_clause(lits);
        self.clauses += 1;
    }

    /// Is everything satisfiable under assumptions? `limit` bounds the calls of the watch; returns how many there were.
    pub fn solve(&mut self, assumptions: &[i32], limit: Option<u64>) -> (Outcome, u64) {
        self.pace.calls.set(0);
        self.pace.limit.set(limit.unwrap_or(u64::MAX));
        let outcome = match self.solver.solve_with(assumptions.iter().copied()) {
            Some(true) => Outcome::Sat,
            Some(false) => Outcome::Unsat,
            None => Outcome::Stopped,
        };
        (outcome, self.pace.calls.get())
    }

    /// After [`Outcome::Sat`]: the value of a literal; `None` if the solver does not know it.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let variable = self.variables.get(lit.node()).copied().filter(|variable| *variable != 0)?;
        let value = self.solver.value(variable).unwrap_or(false);
        Some(value != lit.is_negated())
    }

    /// After [`Outcome::Unsat`]: the assumption was needed.
    pub fn is_needed(&self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }
}
