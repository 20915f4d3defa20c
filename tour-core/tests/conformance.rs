//! Constructs of C as single claims: what gcc and clang compute (at -O0 and at -O2) against our verdicts, both ways.
//!
//! A claim is an expression, perhaps after some statements. Its values are what the compilers' programs print. For a
//! value that our compiler (`cc`) gives, `expression == value` may not be UNSAFE and `expression != value` may not be SAFE;
//! where C leaves the value open, none that any compiler gives may be excluded. A claim at which a sanitizer stops has undefined
//! behaviour: it may not be free of it in our eyes, and one at which it does not stop may not violate our rules.
//!
//! | file | what |
//! |---|---|
//! | `conformance/topics/*.c` | claims written by hand: `//= statements => expression` |
//! | `conformance/generate.rs` | claims from tables of types, operators and values |
//! | `conformance/native.rs` | what compilers say |
//! | `conformance/verify.rs` | what we say |
//!
//! `cargo test --test conformance` looks at a part of the claims; all of them with `-- --ignored --nocapture`.
//! `TOUR_CONFORMANCE_TOPIC` selects topics by a part of their name. Wrong claims are written to the target directory.

#[path = "conformance/generate.rs"]
mod generate;
#[path = "../../tests/missing.rs"]
mod missing;
#[path = "conformance/native.rs"]
mod native;
#[path = "conformance/topic.rs"]
mod topic;
#[path = "conformance/verify.rs"]
mod verify;

use native::{Compiler, Meaning};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use topic::Topic;
use verify::{Answer, Question};

/// One claim of this number is in the quick part.
const QUICK_SHARE: usize = 20;

/// How long the solver may think about one group of claims.
const QUICK_LIMIT: Duration = Duration::from_secs(3);
const LONG_LIMIT: Duration = Duration::from_secs(4);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

fn topics() -> Vec<Topic> {
    let entries = std::fs::read_dir(folder().join("topics")).expect("the folder of topics");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let written = files.iter().map(|file| Topic::read(file));
    let wanted = std::env::var("TOUR_CONFORMANCE_TOPIC").unwrap_or_default();
    let all = written.chain(generate::topics());
    all.filter(|topic| topic.name.contains(&wanted)).collect()
}

/// What became of the questions about claims.
#[derive(Default)]
struct Tally {
    claims: usize,
    undefined: usize,
    several: usize,
    counts: BTreeMap<(Question, &'static str), usize>,
    wrong: Vec<String>,
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, topic: &Topic, claim: usize, question: Question, answer: &Answer, text: &str) {
        let (word, reason) = match answer {
            Answer::Right => ("right", None),
            Answer::Undecided(why) => ("undecided", Some(why)),
            Answer::Wrong(_) => ("wrong", None),
        };
        *self.counts.entry((question, word)).or_default() += 1;
        if let Some(why) = reason {
            *self.reasons.entry(format!("{}: {why}", topic.name)).or_default() += 1;
        }
        if let Answer::Wrong(what) = answer {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
                "conformance-{}-{claim}-{}.c",
                topic.name,
                question.id()
            ));
            // Without the file the report is less handy, and still there.
            let _ = std::fs::write(&path, text);
            let wrong = format!("{}: {} ({}): {what}", topic.name, topic.claims[claim], path.display());
            println!("wrong: {wrong}");
            self.wrong.push(wrong);
        }
    }

    fn absorb(&mut self, other: Tally) {
        self.claims += other.claims;
        self.undefined += other.undefined;
        self.several += other.several;
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.wrong.extend(other.wrong);
    }

    fn report(&self) {
        println!(
            "{} claims; undefined for a sanitizer: {}; several values: {}",
            self.claims, self.undefined, self.several
        );
        for ((question, word), count) in &self.counts {
            println!("{:24} {word:10} {count}", question.id());
        }
        for (reason, count) in &self.reasons {
            println!("    {count:4}  {reason}");
        }
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}

/// Asks about the claims of topics, several topics at a time.
fn run(topics: &[Topic], compilers: &[Compiler], limit: Duration, questions: &[Question]) -> Tally {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        while let Some(topic) = topics.get(next.fetch_add(1, Ordering::Relaxed)) {
            ask(topic, compilers, limit, questions, &mut tally);
        }
        tally
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut all = Tally::default();
        for thread in threads {
            all.absorb(thread.join().expect("a worker panicked"));
        }
        all
    })
}

fn ask(topic: &Topic, compilers: &[Compiler], limit: Duration, questions: &[Question], tally: &mut Tally) {
    if topic.claims.is_empty() {
        return;
    }
    let start = Instant::now();
    let meanings = native::meanings(topic, compilers).unwrap_or_else(|error| panic!("{error}"));
    let native_time = start.elapsed();
    tally.claims += meanings.len();
    for meaning in &meanings {
        match meaning {
            Meaning::Undefined => tally.undefined += 1,
            Meaning::Values { all, .. } if all.len() > 1 => tally.several += 1,
            Meaning::Values { .. } => {}
        }
    }
    for question in questions {
        for (claim, answer, text) in verify::ask(topic, &meanings, *question, limit) {
            tally.add(topic, claim, *question, &answer, &text);
        }
    }
    println!(
        "{}: {} claims, {native_time:.1?} natively, {:.1?}",
        topic.name,
        meanings.len(),
        start.elapsed()
    );
}

/// A part of the claims, with one compiler.
#[test]
fn some_claims() {
    let mut topics = topics();
    for (i, topic) in topics.iter_mut().enumerate() {
        let mut number = i;
        topic.claims.retain(|_| {
            number += 1;
            number.is_multiple_of(QUICK_SHARE)
        });
    }
    // A sanitized program prints values, too: one compiler's start for each topic.
    run(&topics, &[Compiler::sanitized()], QUICK_LIMIT, &[Question::Holds, Question::Fails]).report();
}

/// All claims, with all compilers that are there.
#[test]
#[ignore = "takes many minutes"]
fn all_claims() {
    let mut compilers = vec![Compiler::sanitized()];
    compilers.extend(Compiler::all());
    run(&topics(), &compilers, LONG_LIMIT, &Question::ALL).report();
}
