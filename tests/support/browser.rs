//! Headless Chromium, driven over its DevTools pipe: messages of JSON that end with a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// The time after which an answer counts as missing.
const LIMIT: Duration = Duration::from_secs(120);

/// A running browser with one page, which can't reach a network.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: Option<String>,
    /// Exceptions, and errors that the page logged.
    pub errors: Vec<String>,
    /// The addresses of everything that was loaded.
    pub requests: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser; `None` if it is not installed.
    pub fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = |name: &&&str| {
            let mut command = Command::new(name);
            let run = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            run.is_ok_and(|status| status.success())
        };
        let name = *names.iter().find(found)?;
        let profile = tempfile::tempdir().unwrap();
        // The pipe is on the descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", "sh", name])
            .args(["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"])
            .args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, mut from) =
            (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while from.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                let text = message.strip_suffix(b"\0").unwrap_or(&message);
                if sender.send(serde_json::from_slice(text).unwrap()).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            child,
            to,
            from: receiver,
            next: 0,
            session: None,
            errors: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", target);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Opens a file and waits until it has loaded.
    pub fn open(&mut self, file: &Path, fragment: &str) {
        // Only another address loads the page again.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        let url = format!("file://{}{fragment}", file.canonicalize().unwrap().display());
        let answer = self.call("Page.navigate", json!({"url": url}));
        assert!(answer.get("errorText").is_none(), "{url}: {answer}");
        self.run("document.readyState === 'complete' || new Promise((done) => addEventListener('load', done))");
    }

    /// Evaluates an expression, waits for it if it is a promise, and returns its value.
    #[track_caller]
    pub fn run(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true, looking again after each frame.
    #[track_caller]
    pub fn wait(&mut self, condition: &str) {
        let limit = LIMIT.as_millis() / 4;
        let held = self.run(&format!(
            "new Promise((done) => {{ const start = performance.now(); const look = () => ({condition}) ? done(true) \
             : performance.now() - start > {limit} ? done(false) : setTimeout(look, 16); look(); }})"
        ));
        assert_eq!(held, true, "never true: {condition}");
    }

    /// Presses a key, given by its value in DOM events.
    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let text = if key == "Enter" { "\r" } else { text };
        let event = json!({"type": "keyDown", "key": key, "text": text});
        self.call("Input.dispatchKeyEvent", event);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Sets the size of the page in CSS pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the colours that the system prefers.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Sends a command and returns its result.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.from.recv_timeout(LIMIT).unwrap_or_else(|e| panic!("{method}: {e}"));
            if answer["id"] == self.next {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.errors.push(params["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.errors.push(params["entry"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                self.requests.push(params["request"]["url"].as_str().unwrap().to_owned());
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
