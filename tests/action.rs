//! `action.yml`: its steps that are scripts, run one after the other as GitHub's runner would.

use crate::support::repository;
use crate::thin::Package;
use std::process::Command;

/// A step with a script.
#[derive(Debug, Default)]
struct Step {
    name: String,
    directory: String,
    variables: Vec<(String, String)>,
    script: String,
}

/// As much of YAML as the file has: steps, with `key: value`, a mapping `env` and a block `run`.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block = "";
    for line in text.lines().skip_while(|line| *line != "  steps:").skip(1) {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        if let Some(name) = line.strip_prefix("    - name: ") {
            steps.push(Step { name: name.into(), ..Step::default() });
            block = "";
            continue;
        }
        let Some(step) = steps.last_mut() else { continue };
        if indent == 6 {
            block = match content {
                "env:" => "env",
                "run: |" => "run",
                _ => "",
            };
            if let Some(directory) = content.strip_prefix("working-directory: ") {
                step.directory = directory.into();
            }
        } else if block == "env" {
            let (name, value) = content.split_once(": ").expect("a variable");
            step.variables.push((name.into(), value.into()));
        } else if block == "run" {
            step.script += line.get(8..).unwrap_or_default();
            step.script += "\n";
        }
    }
    steps
}

/// The value of `${{ inputs.name }}`, from a run or by default, and of what else stands there.
fn evaluate(text: &str, action: &str, given: &[(&str, &str)]) -> String {
    let Some(expression) = text.strip_prefix("${{ ").and_then(|t| t.strip_suffix(" }}")) else {
        return text.to_owned();
    };
    match expression.strip_prefix("inputs.") {
        Some(input) => given.iter().find(|(name, _)| *name == input).map_or_else(
            || {
                let (_, rest) = action.split_once(&format!("\n  {input}:\n")).expect("an input");
                let (_, rest) = rest.split_once("default: ").expect("a default");
                rest.lines().next().unwrap_or_default().trim_matches('"').to_owned()
            },
            |(_, value)| (*value).to_owned(),
        ),
        None if expression == "github.action_path" => repository("").to_string_lossy().into_owned(),
        None => panic!("what is `{expression}`?"),
    }
}

#[test]
fn the_steps_verify_and_leave_reports() {
    let action = std::fs::read_to_string(repository("action.yml")).expect("the action");
    let steps = steps(&action);
    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["Install", "Cache", "Verify", "Upload the findings", "Upload the report"]);
    let demo = Package::demo();
    let tools = demo.0.join("bin");
    std::fs::create_dir_all(&tools).expect("a folder");
    let _ = std::fs::remove_file(tools.join("cargo-tour"));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cargo-tour"), tools.join("cargo-tour")).expect("a link");
    let folder = demo.0.to_string_lossy().into_owned();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a path"));
    let run = |given: &[(&str, &str)]| {
        let mut codes = Vec::new();
        for step in steps.iter().filter(|step| !step.script.is_empty()) {
            let mut command: Command = demo.command("bash".as_ref(), "");
            // As the runner starts `shell: bash`.
            command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step.script]);
            command.env("PATH", &path);
            for (name, value) in &step.variables {
                command.env(name, evaluate(value, &action, given));
            }
            if !step.directory.is_empty() {
                command.current_dir(evaluate(&step.directory, &action, given));
            }
            let output = command.output().expect("bash");
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            codes.push((step.name.clone(), output.status.code(), text));
        }
        codes
    };
    let all = [("directory", folder.as_str()), ("arguments", "--include-ignored 'proofs::'")];
    let codes = run(&all);
    assert!(codes[0].1 == Some(0) && codes[0].2.contains("cargo tour "), "{codes:#?}");
    assert_eq!(codes[1].1, Some(1), "two are violated: {codes:#?}");
    for (file, part) in [("junit.xml", "<testsuite"), ("tour.sarif", "\"ruleId\""), ("report.html", "<html")]
    {
        let text = std::fs::read_to_string(demo.0.join("tour-results").join(file)).expect(file);
        assert!(text.contains(part), "{file}");
    }
    let codes = run(&[("directory", folder.as_str()), ("output", "elsewhere")]);
    assert_eq!(codes[1].1, Some(0), "{codes:#?}");
    assert!(demo.0.join("elsewhere/junit.xml").is_file());
    // The scripts take no text of the caller's as code.
    for step in &steps {
        assert!(!step.script.contains("${{"), "{}", step.name);
    }
}
