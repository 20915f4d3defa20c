//! The orders in which events can be evaluated.

use super::events::Event;

/// All orders of events in which operands come before their operators, one for each way to order the pairs that depend
/// on it. The last operand comes first in the first one: that is what compilers often do.
pub(super) fn orders(events: &[Event<'_>], hoisted: &[usize], choices: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut found: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
    let mut order = Vec::new();
    extend(events, hoisted, choices, &mut order, &mut found);
    found.into_iter().map(|(_, order)| order).collect()
}

fn extend(
    events: &[Event<'_>],
    hoisted: &[usize],
    choices: &[(usize, usize)],
    order: &mut Vec<usize>,
    found: &mut Vec<(Vec<bool>, Vec<usize>)>,
) {
    if order.len() == hoisted.len() {
        let position = |event: usize| order.iter().position(|e| *e == event);
        let ways: Vec<bool> = choices.iter().map(|&(a, b)| position(a) < position(b)).collect();
        if !found.iter().any(|(known, _)| *known == ways) {
            found.push((ways, order.clone()));
        }
        return;
    }
    for &event in hoisted.iter().rev() {
        let waits = |other: &usize| !order.contains(other) && is_inside(events, *other, event);
        if !order.contains(&event) && !hoisted.iter().any(waits) {
            order.push(event);
            extend(events, hoisted, choices, order, found);
            order.pop();
        }
    }
}

/// The first event is inside of the second.
fn is_inside(events: &[Event<'_>], inner: usize, outer: usize) -> bool {
    let mut at = events[inner].parent;
    while let Some(event) = at {
        if event == outer {
            return true;
        }
        at = events[event].parent;
    }
    false
}
