//! The process that makes the runs.

use super::draw::Drawn;
use super::journal::{Notes, Scalar};
use crate::inputs::{self, AtEnd, Source, Supply, Taken};
use crate::json::{Object, Value};
use crate::protocol::{self, End};
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A run that takes more inputs than this is none.
const MAX_SCALARS: usize = 1 << 20;

/// How many inputs are tried for each that is to satisfy the assumptions.
const TRIES: u64 = 100;

/// Runs a body with many inputs, until one fails or there are enough.
pub(crate) fn run(plan: &Value, body: impl Fn()) {
    let number = |name: &str| plan.field(name).as_number().unwrap_or_default();
    let cases: Vec<Vec<u128>> = plan.field("cases").items().iter().filter_map(Value::as_scalars).collect();
    let path = |name: &str| plan.field(name).as_text().unwrap_or_default().to_owned();
    let (result, journal) = (path("result"), path("journal"));
    let tests = number("tests") as u64;
    let end = Instant::now() + Duration::from_secs_f64(number("seconds").clamp(0.0, 1e6));
    let notes = match Notes::create(Path::new(&journal)) {
        Ok(notes) => Rc::new(RefCell::new(notes)),
        // Who asked sees that there is no journal.
        Err(_) => return,
    };
    let panicked = Arc::new(Mutex::new(None));
    let seen = panicked.clone();
    std::panic::set_hook(Box::new(move |panic| {
        if let Ok(mut seen) = seen.lock() {
            *seen = Some(inputs::panicked(panic.location(), panic.payload()));
        }
    }));
    let (mut index, mut tested) = (number("from") as u64, number("tested") as u64);
    let last = cases.len() as u64 + tests.saturating_mul(TRIES);
    let (mut failure, mut late) = (None, false);
    while failure.is_none() && index < last && (tested < tests || (index as usize) < cases.len()) {
        if Instant::now() >= end {
            late = true;
            break;
        }
        let values = match cases.get(index as usize) {
            Some(case) => Values::Listed(case.clone().into_iter()),
            None => Values::Drawn(Drawn::new(index - cases.len() as u64)),
        };
        // Without notes, a crash would have no inputs.
        if notes.borrow_mut().begin(index, tested).is_err() {
            return;
        }
        index += 1;
        inputs::begin(Source::new(Noted { values, notes: notes.clone(), count: 0 }, AtEnd::Run));
        let ended = catch_unwind(AssertUnwindSafe(&body));
        inputs::finish();
        match ended {
            Ok(()) => tested += 1,
            Err(payload) if payload.is::<End>() => {}
            Err(_) => failure = panicked.lock().ok().and_then(|mut seen| seen.take()),
        }
    }
    let mut outcome = Object::new().number("tested", tested).number("next", index).bool("late", late);
    if let Some(End::Panicked { message, file, line, .. }) = failure {
        outcome = outcome.text("message", &message).text("file", &file).number("line", line);
    }
    // Who asked sees that it is missing.
    let _ = protocol::write(Path::new(&result), &outcome.to_string());
}

enum Values {
    /// These, then zero.
    Listed(std::vec::IntoIter<u128>),
    Drawn(Drawn),
}

/// Values that are noted before they are used.
struct Noted {
    values: Values,
    notes: Rc<RefCell<Notes>>,
    count: usize,
}

impl Supply for Noted {
    fn next(&mut self, width: u32, signed: bool) -> Option<u128> {
        self.count += 1;
        if self.count > MAX_SCALARS {
            return None;
        }
        let bits = match &mut self.values {
            Values::Listed(list) => list.next().unwrap_or(0),
            Values::Drawn(drawn) => drawn.next(width, signed),
        };
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        self.notes.borrow_mut().scalar(Scalar { bits, width, signed }).ok()?;
        Some(bits)
    }

    fn taken(&mut self, taken: &Taken) {
        // A name less in a message.
        let _ = self.notes.borrow_mut().taken(taken);
    }
}
