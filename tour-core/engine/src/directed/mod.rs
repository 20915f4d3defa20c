//! TOUR: the search goes where an error is near `[TOUR]`.
//!
//! Before the search the program is annotated: [`Distances`] has exit-dist and abs-dist of all locations by a
//! [`Metric`]. During the search [`Directed`] adds the call context to that, and the waitlist takes the nearest state
//! first. Distances only order the search. They take no part in coverage or in the keys of caches.
//!
//! | file | what |
//! |---|---|
//! | `metric` | st, bb, lh, lf: what edges weigh |
//! | `exit_dist`, `abs_dist` | the annotation; `queue`, `callers`, `dist` are what they are made of |
//! | `distances` | the annotated program |
//! | `contexts` | distances under call stacks |
//! | `reuse` | distances in sub-graphs that are re-used under other calls |
//! | `focus` | weights of error locations |
//! | `learned` | a semantic distance: what refinement has shown |
//! | `select` | which metric suits a program: learning from runs |

mod abs_dist;
mod callers;
mod contexts;
mod dist;
mod distances;
mod exit_dist;
mod focus;
mod learned;
mod metric;
mod queue;
mod reuse;
pub mod select;
#[cfg(test)]
mod tests;

pub use abs_dist::abs_dist;
pub use callers::{Callee, Callers};
pub use contexts::Directed;
pub use dist::Dist;
pub use distances::Distances;
pub use exit_dist::{ExitDist, exit_dist};
pub use focus::Focus;
pub use learned::Learned;
pub use metric::Metric;
pub(crate) use queue::Queue;
pub use reuse::CallContexts;
pub use select::MetricChoice;
