//! Whom the lab does not answer: everybody but the page that was opened with its token.

use crate::browser::Browser;
use ringleader_catalog::Catalog;
use ringleader_lab_server::{Lab, Serving};
use serde_json::json;

fn open() -> (Serving, Browser) {
    let serving = Lab::new(Catalog::builtin()).serve(0).unwrap();
    let browser = Browser::at(serving.address());
    (serving, browser)
}

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn the_page_and_its_modules_are_served_and_load_nothing_from_elsewhere() {
    let (_serving, browser) = open();
    let (status, page) = browser.send("GET", "", &[("Sec-Fetch-Site", "none")], "");
    assert!(status == 200 && page.contains("lab.js"));
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
    let (status, module) = browser.send("GET", "lab.js", &[("Sec-Fetch-Site", "same-origin")], "");
    assert!(status == 200 && module.contains("import"));
    assert_eq!(browser.send("GET", "missing.js", &[], "").0, 404);
    assert_eq!(browser.send("GET", "../Cargo.toml", &[], "").0, 404);
}

#[test]
fn a_wrong_token_another_host_and_another_origin_get_nothing() {
    let (_serving, browser) = open();
    let cards = |browser: &Browser, headers: &[(&str, &str)]| browser.send("POST", "api/cards", headers, "{}");
    let own = format!("http://{}", browser.host);
    assert_eq!(cards(&browser, &[JSON, ("Origin", &own)]).0, 200);

    let guessed = Browser { path: "/0123456789abcdef0123456789abcdef/".into(), host: browser.host.clone(), ..browser };
    let no_token = Browser { path: "/".into(), host: browser.host.clone(), ..browser };
    let rebound = Browser { host: format!("rebound.example:{}", browser.port), path: browser.path.clone(), ..browser };
    for stranger in [&guessed, &no_token, &rebound] {
        let (status, answer) = cards(stranger, &[JSON]);
        assert_eq!(status, 404, "{answer}");
        assert!(!answer.contains("cards"), "{answer}");
        assert_eq!(stranger.send("GET", "", &[], "").0, 404);
    }
    for foreign in [("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")] {
        let (status, answer) = cards(&browser, &[JSON, foreign]);
        assert_eq!((status, answer.contains("cards")), (404, false), "{foreign:?}");
    }
}

#[test]
fn requests_that_no_page_sends_are_refused() {
    let (_serving, browser) = open();
    // A form of another page could send this without being asked.
    assert_eq!(browser.send("POST", "api/cards", &[("Content-Type", "text/plain")], "{}").0, 415);
    assert_eq!(browser.send("GET", "api/cards", &[], "").0, 405);
    assert_eq!(browser.send("POST", "", &[JSON], "{}").0, 405);
    assert_eq!(browser.send("POST", "api/lint", &[JSON], &"x".repeat(2 << 20)).0, 413);
    assert!(browser.ask("fly", &json!({})).unwrap_err().contains("no verb"));
    assert!(browser.ask("frames", &json!({"story": 7})).unwrap_err().contains("cannot be read"));
    assert!(browser.ask("open", &json!({"setup": {"algorithm": "yokota-rin"}})).unwrap_err().contains("did you mean"));
    let huge = json!({"setup": {"algorithm": "yokota-ring", "size": 1_000_000}});
    assert!(browser.ask("open", &huge).unwrap_err().contains("at most"));
}

#[test]
fn a_flood_of_strangers_stops_nothing() {
    let (_serving, browser) = open();
    let stranger = Browser { path: "/x/".into(), host: browser.host.clone(), ..browser };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..100).for_each(|_| assert_eq!(stranger.send("GET", "", &[], "").0, 404)));
        }
        (0..20).for_each(|_| assert!(browser.ask("cards", &json!({})).is_ok()));
    });
    // Connections that say nothing keep nobody out either.
    let _silent: Vec<_> = (0..50).map(|_| std::net::TcpStream::connect(("127.0.0.1", browser.port)).unwrap()).collect();
    assert!(browser.ask("cards", &json!({})).is_ok());
}
