//! A real browser, driven through the DevTools protocol: headless Chromium on a pipe, nothing else is needed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A page in a browser.
pub struct Browser {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    calls: u64,
    /// Exceptions that scripts did not catch.
    pub exceptions: Vec<String>,
    _profile: tempfile::TempDir,
}

/// A browser that hangs is ended after this time.
const AT_MOST: Duration = Duration::from_secs(300);

/// The first browser that is there.
fn find() -> Option<String> {
    let named = std::env::var("CHROMIUM").ok();
    let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(str::to_owned);
    named.into_iter().chain(known).find(|name| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    })
}

impl Browser {
    /// Opens a file. `None` if there is no browser; CI must have one if `TOUR_BROWSER` is set.
    pub fn open(file: &Path) -> Option<Browser> {
        let Some(name) = find() else {
            assert!(
                std::env::var_os("TOUR_BROWSER").is_none(),
                "TOUR_BROWSER is set, but there is no Chromium"
            );
            eprintln!("skipped: no Chromium was found (install the package `chromium`, or set CHROMIUM)");
            return None;
        };
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The protocol is spoken on descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null", "sh", &name])
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--remote-debugging-pipe", "--window-size=1400,950", "--allow-file-access-from-files"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let child = Arc::new(Mutex::new(child));
        let watched = Arc::downgrade(&child);
        std::thread::spawn(move || {
            std::thread::sleep(AT_MOST);
            if let Some(child) = watched.upgrade() {
                let _ = child.lock().map(|mut child| child.kill());
            }
        });
        let mut browser = Browser {
            child,
            input,
            output: BufReader::new(output),
            session: None,
            calls: 0,
            exceptions: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", json!({}));
        browser.call("Runtime.enable", json!({}));
        let url: String = file.to_str().expect("a path").bytes().map(escape).collect();
        browser.call("Page.navigate", json!({ "url": format!("file://{url}") }));
        browser.wait("document.readyState === 'complete' && location.protocol === 'file:'");
        Some(browser)
    }

    /// Calls a method of the protocol; events that come meanwhile are looked at for exceptions.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(message.to_string().as_bytes()).expect("the browser runs");
        self.input.write_all(b"\0").expect("the browser runs");
        self.input.flush().expect("the browser runs");
        loop {
            let mut bytes = Vec::new();
            self.output.read_until(0, &mut bytes).expect("the browser runs");
            assert!(bytes.pop().is_some(), "the browser has ended during {method}");
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["method"] == "Runtime.exceptionThrown" {
                self.exceptions.push(answer["params"]["exceptionDetails"].to_string());
            }
            if answer["id"] == self.calls {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", asked);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// The text of an expression in the page.
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a condition holds.
    pub fn wait(&mut self, condition: &str) {
        for _ in 0..600 {
            if self.eval(condition) == json!(true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("never: {condition}");
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key }));
        }
    }

    /// A picture of the page.
    pub fn screenshot(&mut self, file: &Path) {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let data = shot["data"].as_str().unwrap_or_default();
        std::fs::write(file, decode(data)).expect("the folder can be written to");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.lock().map(|mut child| {
            let _ = child.kill();
            let _ = child.wait();
        });
    }
}

/// A byte of a path in a URL.
fn escape(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

/// Base64.
fn decode(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut count, mut out) = (0u32, 0, Vec::new());
    for v in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(v);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
