//! Two threads at the same memory: no tuple that has an invariant may be a data race, nor an access that takes several
//! steps beside another one to the same bytes.

use super::access::{Access, Reader, Step};
use tour_ir::program::{Program, ThreadId};

/// A step that a thread may take next.
pub(super) struct Candidate {
    thread: ThreadId,
    step: Step,
    accesses: Vec<Access>,
    /// It lies in an atomic section.
    in_section: bool,
    /// A machine does not do it at once.
    torn: bool,
}

impl Candidate {
    /// A step that is taken in a number of atomic sections.
    pub fn new(reader: &Reader, thread: ThreadId, step: Step, sections: u8) -> Candidate {
        // Sections that are there only because an access takes several steps exclude nobody.
        let torn = reader.program.threads.torn.get(&step.edge());
        let in_section = u32::from(sections) > torn.copied().unwrap_or(0);
        Candidate { thread, step, accesses: reader.accesses(step), in_section, torn: torn.is_some() }
    }

    /// Some access of one may be to the same bytes as one of the other, one of the two writes, and nothing orders them.
    fn interferes(&self, reader: &Reader, other: &Candidate) -> bool {
        self.thread != other.thread
            && self.accesses.iter().any(|a| {
                other.accesses.iter().any(|b| {
                    let ordered = (self.in_section || a.atomic) && (other.in_section || b.atomic);
                    (a.write || b.write) && !ordered && reader.may_meet(a.target, b.target)
                })
            })
    }
}

fn pairs(all: &[Candidate]) -> impl Iterator<Item = (&Candidate, &Candidate)> {
    all.iter().enumerate().flat_map(|(i, one)| all[i + 1..].iter().map(move |two| (one, two)))
}

/// An access that takes several steps meets another one.
pub(super) fn is_torn(reader: &Reader, all: &[Candidate]) -> bool {
    pairs(all).any(|(one, two)| (one.torn || two.torn) && one.interferes(reader, two))
}

/// Two steps race.
pub(super) fn is_race(reader: &Reader, all: &[Candidate]) -> bool {
    pairs(all).any(|(one, two)| is_asked(reader.program, one, two) && one.interferes(reader, two))
}

/// Somebody asks whether these steps race: by the check of one of them, or, where both are the library's, by any.
fn is_asked(program: &Program, one: &Candidate, two: &Candidate) -> bool {
    let races = &program.threads.races;
    let own = || [one, two].into_iter().filter_map(|c| races.get(&c.step.edge()));
    match own().next() {
        Some(_) => own().any(|check| program.is_open(*check)),
        None => races.values().any(|check| program.is_open(*check)),
    }
}
