//! What each analysis has reached, and where its time went. Analyses run side by side: each has its own lane.

use super::Universe;
use std::time::Duration;
use tour_engine::context::Event;
use tour_ir::cfa::LocId;
use tour_ir::cfa::Visit;

/// One analysis.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub name: &'static str,
    /// How many states are reached by an edge, now: refinement removes states.
    reached: Vec<u32>,
    /// Where it is, since when.
    at: Option<LocId>,
    since: Duration,
    /// Time by location.
    pub spent: Vec<Duration>,
    /// When it began, if it runs.
    began: Option<Duration>,
    /// How long it ran.
    pub ran: Duration,
    pub runs: u32,
    pub refinements: u64,
    pub expanded: u64,
    /// States that are left.
    pub live: u64,
    pub depth: usize,
}

impl Lane {
    fn new(name: &'static str, universe: &Universe) -> Lane {
        Lane {
            name,
            reached: vec![0; universe.from.len()],
            at: None,
            since: Duration::ZERO,
            spent: vec![Duration::ZERO; universe.locations.len()],
            began: None,
            ran: Duration::ZERO,
            runs: 0,
            refinements: 0,
            expanded: 0,
            live: 0,
            depth: 0,
        }
    }

    /// An edge with a state behind it.
    pub(super) fn reaches(&self, edge: usize) -> bool {
        self.reached.get(edge).is_some_and(|n| *n > 0)
    }

    fn observe(&mut self, universe: &Universe, event: &Event, now: Duration) {
        match event {
            Event::Begins => {
                self.reached.fill(0);
                self.live = 0;
                self.runs += 1;
                self.began = Some(now);
            }
            Event::Ends { .. } => {
                self.ran += now.saturating_sub(self.began.take().unwrap_or(now));
                self.move_to(None, now);
            }
            Event::Visited { visits } => {
                self.move_to(visits.first().map(|visit| universe.from[visit.edge]), now);
            }
            Event::Reached { trail, .. } => {
                self.live += 1;
                self.reach(trail);
            }
            Event::Expanded { ended, .. } => {
                self.expanded += 1;
                self.reach(ended);
            }
            Event::Removed { trail, ended, .. } => {
                self.live = self.live.saturating_sub(1);
                for visit in trail.iter().chain(*ended) {
                    let count = &mut self.reached[visit.edge.index()];
                    *count = count.saturating_sub(1);
                }
            }
            Event::Refinement { .. } => self.refinements += 1,
            Event::Depth { blocks } => self.depth = self.depth.max(*blocks),
            _ => {}
        }
    }

    fn reach(&mut self, trail: &[Visit]) {
        for visit in trail {
            self.reached[visit.edge.index()] += 1;
        }
    }

    /// The time since the last move was spent where it was.
    fn move_to(&mut self, at: Option<LocId>, now: Duration) {
        if let Some(loc) = std::mem::replace(&mut self.at, at) {
            self.spent[loc.index()] += now.saturating_sub(self.since);
        }
        self.since = now;
    }

    /// What it has spent so far, with the time since its last event.
    pub(super) fn up_to(&self, now: Duration) -> Lane {
        let mut lane = self.clone();
        lane.move_to(None, now);
        lane.ran += lane.began.map_or(Duration::ZERO, |began| now.saturating_sub(began));
        lane
    }
}

/// All analyses, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes(pub Vec<Lane>);

impl Lanes {
    pub(super) fn observe(&mut self, who: &'static str, universe: &Universe, event: &Event, now: Duration) {
        let index = self.0.iter().position(|lane| lane.name == who).unwrap_or_else(|| {
            self.0.push(Lane::new(who, universe));
            self.0.len() - 1
        });
        self.0[index].observe(universe, event, now);
    }

    /// Some analysis has a state behind the edge.
    pub(super) fn reaches(&self, edge: usize) -> bool {
        self.0.iter().any(|lane| lane.reaches(edge))
    }
}
