//! Lists of tasks from sv-benchmarks (2015): a path below folder `c` on each line, its expected verdict in its name.

use std::path::{Path, PathBuf};
use tour_core::program::DataModel;

/// A task.
#[derive(Clone, Debug)]
pub struct Task {
    /// The path below the root.
    pub path: String,
}

impl Task {
    /// The tasks of lists, in their order.
    #[allow(dead_code)]
    pub fn read(sets: &[PathBuf]) -> Vec<Task> {
        let mut tasks = Vec::new();
        for set in sets {
            let list = std::fs::read_to_string(set).unwrap_or_else(|e| panic!("{}: {e}", set.display()));
            let lines = list.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
            tasks.extend(lines.map(|l| Task { path: l.split('\t').next().unwrap_or(l).to_owned() }));
        }
        tasks
    }

    /// Its file.
    pub fn file(&self, root: &Path) -> PathBuf {
        root.join(&self.path)
    }

    /// The name of the program, without what the file's name says about properties.
    #[allow(dead_code)]
    pub fn name(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        file.split("-unreach").next().unwrap_or(file)
    }

    /// It has a bug; `None` if its name does not say.
    #[allow(dead_code)]
    pub fn is_buggy(&self) -> Option<bool> {
        let has = |text: &str| {
            self.path.contains(&format!("{text}-unreach")) || self.path.contains(&format!("{text}_unreach"))
        };
        if has("false") { Some(true) } else { has("true").then_some(false) }
    }

    /// Sizes of types: the drivers are 64-bit programs.
    #[allow(dead_code)]
    pub fn data_model(&self) -> DataModel {
        let wide =
            ["ldv-linux-", "ldv-validator", "ldv-commit", "ldv-consumption", "ldv-challenges", "busybox"];
        if wide.iter().any(|folder| self.path.starts_with(folder)) {
            DataModel::Lp64
        } else {
            DataModel::Ilp32
        }
    }
}
