//! Figures 4.3 and 4.4, and what the learner finds.

use super::*;
use tour_ir::cfa::Features;

fn record(program: &str, metric: Metric, time: f64, solved: bool) -> Record {
    let features = Features { funcs: time, ..Features::default() };
    Record { program: program.into(), analysis: "predicate".into(), metric, solved, time, features }
}

/// The rows of Figure 4.3, `None` for a time-out.
fn figure_4_3() -> Vec<Record> {
    let rows = [
        ("first", [Some(20.0), Some(32.0), Some(100.0), Some(24.0)]),
        ("second", [Some(20.0), Some(19.0), Some(15.0), Some(17.0)]),
        ("last", [None, Some(18.0), Some(20.0), Some(21.0)]),
    ];
    let run = |(program, times): (&str, [Option<f64>; 4])| {
        let times = Metric::ALL.into_iter().zip(times);
        times.map(|(m, t)| record(program, m, t.unwrap_or(900.0), t.is_some())).collect::<Vec<_>>()
    };
    rows.into_iter().flat_map(run).collect()
}

/// Figure 4.3, all columns: BEST and max-min; the second row is left out by the threshold of 10 s.
#[test]
fn the_filter_of_figure_4_3() {
    let trials = trials(&figure_4_3(), "predicate");
    let show = |t: &Trial| {
        let best = t.best().map_or("-", Metric::name);
        format!("{}: {best} {} {}", t.program, t.difference(), if t.counts(10.0) { "in" } else { "out" })
    };
    let shown: Vec<String> = trials.iter().map(show).collect();
    assert_eq!(shown, ["first: st 80 in", "last: bb inf in", "second: lh 5 out"]);
}

#[test]
fn programs_that_were_not_run_with_all_metrics_or_never_solved_do_not_count() {
    let mut records = figure_4_3();
    records.pop();
    assert_eq!(trials(&records, "predicate").len(), 2);
    assert_eq!(trials(&records, "bam").len(), 0);
    let failed: Vec<Record> = Metric::ALL.iter().map(|m| record("x", *m, 900.0, false)).collect();
    let failed = &trials(&failed, "predicate")[0];
    assert_eq!((failed.best(), failed.counts(10.0)), (None, false));
}

/// A tree with the shape of Figure 4.4. The picture's numbers are not in the text; it states the features on the path,
/// the program FUNCS = 840, VARSINC = 11, AVLOFN = 39, MXCC = 30, the turns left, right, right, right, left, and the
/// answer bb. The thresholds here are made to fit.
#[test]
fn the_selection_of_figure_4_4() {
    let text = r#"{ "version": 1, "trees": { "bam": {
        "feature": "FUNCS", "below": 1000, "instead": { "select": "lf", "programs": [1, 2, 1, 4] },
        "left": { "feature": "VARSINC", "below": 5, "instead": { "select": "lf", "programs": [1, 2, 1, 3] },
          "left": { "select": "lh", "programs": [0, 0, 1, 0] },
          "right": { "feature": "AVLOFN", "below": 20, "instead": { "select": "lf", "programs": [1, 2, 0, 3] },
            "left": { "select": "lf", "programs": [0, 0, 0, 3] },
            "right": { "feature": "FUNCS", "below": 500, "instead": { "select": "bb", "programs": [1, 2, 0, 0] },
              "left": { "select": "st", "programs": [1, 0, 0, 0] },
              "right": { "feature": "MXCC", "below": 50, "instead": { "select": "bb", "programs": [0, 2, 0, 0] },
                "left": { "select": "bb", "programs": [0, 2, 0, 0] },
                "right": { "select": "lf", "programs": [0, 0, 0, 1] } } } } },
        "right": { "select": "lf", "programs": [0, 0, 0, 1] } } } }"#;
    let model = Model::parse(text).unwrap();
    let features = Features { funcs: 840.0, varsinc: 11.0, avlofn: 39.0, mxcc: 30.0, ..Features::default() };
    assert_eq!(model.select("bam", &features), Metric::Bb);
    assert_eq!(model.select("bam", &Features { mxcc: 50.0, ..features }), Metric::Lf);
    assert_eq!(model.select("bam", &Features { funcs: 100.0, ..features }), Metric::St);
    assert_eq!(model.select("bam", &Features { varsinc: 4.0, ..features }), Metric::Lh);
    assert_eq!(model.select("predicate", &features), Metric::Bb);
    assert_eq!(Model::parse(&model.text()).unwrap(), model);
}

#[test]
fn bad_models_are_refused() {
    let check = |text: &str, expect: &str| {
        let error = Model::parse(text).unwrap_err();
        assert!(error.contains(expect), "{error}");
    };
    check(r#"{ "version": 2, "trees": {} }"#, "version 2");
    let split = r#"{ "version": 1, "trees": { "bam": { "feature": "SIZE", "below": 1 } } }"#;
    check(split, "did not match");
    assert_eq!(Feature::try_from("SIZE".to_owned()).unwrap_err(), "there is no feature `SIZE`");
    assert_eq!(Record::parse("\n{}\n").unwrap_err().0, 2);
}

/// `n` programs: `lf` is best for those with at least 30 functions, `bb` for the others; noise in the loops.
fn samples(n: usize) -> Vec<Sample> {
    let sample = |i: usize| {
        let features = Features { funcs: i as f64, loops: (i * 7 % 13) as f64, ..Features::default() };
        Sample { features, best: if i >= 30 { Metric::Lf } else { Metric::Bb } }
    };
    (0..n).map(sample).collect()
}

#[test]
fn the_learner_finds_the_rule() {
    let (tree, pruning) = learn(&samples(60), &Parameters::default());
    assert_eq!(
        tree.show(),
        "FUNCS < 29.5: bb (st 0, bb 30, lh 0, lf 0)\nFUNCS >= 29.5: lf (st 0, bb 0, lh 0, lf 30)\n"
    );
    assert_eq!((pruning.grown, pruning.root_error), (2, 0.5));
    assert!(pruning.error < 0.05, "{pruning:?}");
}

/// A split that only fits noise is grown, and pruned.
#[test]
fn noise_is_pruned() {
    let mut noisy = samples(90);
    for (i, sample) in noisy.iter_mut().enumerate() {
        if i * 11 % 17 == 0 {
            sample.best = Metric::St;
        }
    }
    let parameters = Parameters { min_split: 4, min_bucket: 1, complexity: 0.0, ..Parameters::default() };
    let grown = grow(noisy.clone(), &parameters);
    assert!(grown.leaves() > 4, "{}", grown.show());
    let (tree, pruning) = learn(&noisy, &parameters);
    assert_eq!((tree.leaves(), pruning.grown), (2, grown.leaves()));
    assert!(tree.errors() > grown.errors());
    assert_eq!(learn(&noisy, &parameters).0, tree);
}

#[test]
fn small_nodes_are_not_split() {
    let few: Vec<Sample> = samples(60).into_iter().step_by(4).collect();
    assert_eq!(grow(few.clone(), &Parameters::default()).leaves(), 1);
    assert_eq!(grow(few, &Parameters { min_split: 10, min_bucket: 3, ..Parameters::default() }).leaves(), 2);
    assert_eq!(grow(Vec::new(), &Parameters::default()).leaves(), 1);
}

/// A history is trained on analysis by analysis.
#[test]
fn training_reads_a_history() {
    let lines: Vec<String> = figure_4_3().iter().map(Record::line).collect();
    let records = Record::parse(&lines.join("\n")).unwrap();
    assert_eq!(records, figure_4_3());
    let (model, lessons) = train(&records, 10.0, &Parameters::default());
    assert_eq!(model.trees.len(), 1);
    assert_eq!((lessons[0].trials, lessons[0].used), (3, 2));
    assert_eq!(lessons[0].tree.show(), "st (st 1, bb 1, lh 0, lf 0)\n");
    assert_eq!(train(&records, 1000.0, &Parameters::default()).1[0].used, 1);
}

/// The shipped model is what the history beside it teaches: runs of our own.
#[test]
fn the_model_in_the_binary_is_learned() {
    let records = Record::parse(include_str!("history.jsonl")).unwrap();
    let (learned, lessons) = train(&records, 0.1, &Parameters::default());
    assert_eq!(Model::parse(include_str!("model.json")).unwrap(), learned);
    assert!(lessons.iter().all(|lesson| lesson.used == lesson.trials), "{lessons:?}");
    assert_eq!(Model::shipped().trees.keys().collect::<Vec<_>>(), ["bam", "lazy"]);
}
