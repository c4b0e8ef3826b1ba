//! A very small browser: what a page of the lab, or somebody else's, would send.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A request of somebody who knows, or guesses, the address.
pub(crate) struct Browser {
    pub(crate) port: u16,
    pub(crate) path: String,
    pub(crate) host: String,
}

/// What came back: the status and the body.
pub(crate) type Answer = (u16, String);

impl Browser {
    /// One that opened the address that the lab printed.
    pub(crate) fn at(address: &str) -> Browser {
        let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let port = host.rsplit_once(':').unwrap().1.parse().unwrap();
        Browser { port, path: format!("/{path}"), host: host.into() }
    }

    /// Sends a request with these headers, besides `Host`.
    pub(crate) fn send(&self, method: &str, file: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
        let mut request =
            format!("{method} {}{file} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.path, self.host);
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        // A request that is refused may not be taken to its end.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").unwrap_or_default().1.to_string())
    }

    /// What the page asks, and what the engines say.
    pub(crate) fn ask(&self, verb: &str, body: &Value) -> Result<Value, String> {
        let (status, answer) =
            self.send("POST", &format!("api/{verb}"), &[("Content-Type", "application/json")], &body.to_string());
        let value: Value = serde_json::from_str(&answer).unwrap_or_else(|_| json!({"refused": answer}));
        match value["refused"].as_str() {
            None if status == 200 => Ok(value),
            refused => Err(refused.unwrap_or_default().to_string()),
        }
    }

    /// Waits for work to be over.
    pub(crate) fn wait(&self, begun: &Value) -> Value {
        for _ in 0..3000 {
            let told = self.ask("job", begun).unwrap();
            if told.get("progress").is_none() {
                return told;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("the work does not end")
    }
}
