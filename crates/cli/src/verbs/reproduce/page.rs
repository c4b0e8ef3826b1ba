//! The page: one file, with its pictures, the commands and the algorithms' sources in it.

use super::finding::{Attempt, Finding, Row, Verdict};
use super::origin::Origin;
use crate::catalog;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page. What does not agree comes first.
pub(super) fn page(attempts: &[Attempt], origin: &Origin) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>The five papers, executed</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    opening(&mut out, attempts, origin);
    differences(&mut out, attempts);
    contents(&mut out, attempts);
    let mut paper = "";
    for attempt in attempts {
        let this = attempt.paper;
        if this.key != paper {
            let _ =
                writeln!(out, "<h2>{}</h2>\n<p class=\"citation\">{}</p>", escaped(&this.key), escaped(&this.citation));
            paper = &this.key;
        }
        section(&mut out, attempt);
    }
    sources(&mut out, attempts);
    let _ = writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>");
    out
}

fn opening(out: &mut String, attempts: &[Attempt], origin: &Origin) {
    let count = |verdict| attempts.iter().filter(|o| o.verdict() == verdict).count();
    let commit = origin.commit.as_ref().map_or(String::new(), |c| format!(", commit <code>{}</code>", escaped(c)));
    let _ = writeln!(
        out,
        "<header>\n<button id=\"theme\" type=\"button\">light or dark</button>\n<h1>The five papers, executed</h1>\n\
         <p>What five papers on leader election claim in numbers, run by ringleader {version}{commit} on {date} and set \
         beside what they printed. Every result below was obtained by the commands shown with it: <code>ringleader \
         reproduce --{extent} --seed {seed}</code>, {seconds:.0} seconds on {machine}.</p>\n\
         <p class=\"tally\"><b>{}</b> reproduced · <b>{}</b> with an explained difference · <b>{}</b> cannot be decided by \
         experiment · <b>{}</b> not reproduced</p>\n</header>",
        count(Verdict::Reproduced),
        count(Verdict::Different),
        count(Verdict::Undecidable),
        count(Verdict::NotReproduced),
        version = env!("CARGO_PKG_VERSION"),
        date = origin.date,
        extent = origin.extent,
        seed = origin.seed,
        seconds = origin.seconds,
        machine = escaped(&origin.machine),
    );
}

/// Every number and statement that is not as printed, with its explanation.
fn differences(out: &mut String, attempts: &[Attempt]) {
    out.push_str("<h2>What is not as printed</h2>\n");
    let mut none = true;
    out.push_str("<ul class=\"differences\">\n");
    for attempt in attempts {
        let name = &attempt.item.name;
        let mut line = |text: String| {
            none = false;
            let _ = writeln!(out, "<li><a href=\"#{name}\">{name}</a>: {text}</li>");
        };
        match &attempt.finding {
            Err(reason) => line(format!("could not be run: {}", escaped(reason))),
            Ok(finding) => {
                for row in finding.rows.iter().filter(|row| row.agrees == Some(false)) {
                    let why = row.explanation.as_ref().map_or("<b>not explained</b>".to_string(), |why| escaped(why));
                    let [what, claimed, seen] = [&row.what, &row.claimed, &row.seen].map(|t| escaped(t));
                    let source = &attempt.paper.source;
                    line(format!("{what}: {source} says {claimed}, seen was {seen}. {why}"));
                }
            }
        }
    }
    out.push_str("</ul>\n");
    if none {
        out.push_str("<p>Nothing: everything that was run is as printed.</p>\n");
    }
}

fn contents(out: &mut String, attempts: &[Attempt]) {
    out.push_str("<h2>All items</h2>\n<div class=\"wide\"><table id=\"items\">\n<tr><th>item</th><th>paper</th><th>verdict</th><th>seconds</th></tr>\n");
    for attempt in attempts {
        let item = attempt.item;
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{0}\">{0}</a></td><td>{1}, {2}</td><td>{3}</td><td class=\"number\">{4:.1}</td></tr>",
            item.name,
            escaped(&attempt.paper.key),
            escaped(&item.place),
            badge(attempt.verdict()),
            attempt.seconds
        );
    }
    out.push_str("</table></div>\n");
}

fn badge(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Reproduced => "good",
        Verdict::Different => "differs",
        Verdict::Undecidable => "open",
        Verdict::NotReproduced => "bad",
    };
    format!("<span class=\"badge {class}\">{}</span>", verdict)
}

fn section(out: &mut String, attempt: &Attempt) {
    let item = attempt.item;
    let _ = writeln!(
        out,
        "<section id=\"{0}\">\n<h3>{0} {1}</h3>\n<p class=\"claim\"><b>{2}</b> {3}</p>",
        item.name,
        badge(attempt.verdict()),
        escaped(&item.place),
        escaped(&item.claim)
    );
    match &attempt.finding {
        Err(reason) => {
            let _ = writeln!(out, "<p>It could not be run: {}</p>", escaped(reason));
        }
        Ok(finding) => result(out, finding, &attempt.paper.source),
    }
    let _ = writeln!(out, "<details><summary>what was run, {:.1} seconds</summary>\n<pre>", attempt.seconds);
    for ran in &attempt.commands {
        let _ = writeln!(out, "{}", escaped(&ran.command));
    }
    out.push_str("</pre></details>\n<p class=\"sources\">");
    for name in &item.algorithms {
        let _ = write!(out, "source of <a href=\"#source-{name}\">{name}</a> ");
    }
    out.push_str("</p>\n</section>\n");
}

fn result(out: &mut String, finding: &Finding, source: &str) {
    let _ = writeln!(out, "<div class=\"wide\"><table>\n<tr><th></th><th>{source}</th><th>seen</th><th></th></tr>");
    for row in &finding.rows {
        let (mark, class) = mark(row);
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
            escaped(&row.what),
            escaped(&row.claimed),
            escaped(&row.seen),
            escaped(mark)
        );
    }
    out.push_str("</table></div>\n");
    for remark in &finding.remarks {
        let _ = writeln!(out, "<p>{}</p>", escaped(remark));
    }
    for figure in &finding.figures {
        let _ =
            writeln!(out, "<figure>\n{}<figcaption>{}</figcaption>\n</figure>", figure.text, escaped(&figure.caption));
    }
    for drawing in &finding.drawings {
        let [text, caption] = [&drawing.text, &drawing.caption].map(|t| escaped(t));
        let _ = writeln!(out, "<figure><pre>{text}</pre><figcaption>{caption}</figcaption></figure>");
    }
    for page in &finding.pages {
        let _ = writeln!(out, "<p><a href=\"{}\">Play it, step by step</a>: {}</p>", page.file, escaped(&page.caption));
    }
}

fn mark(row: &Row) -> (&str, &'static str) {
    match (&row.explanation, &row.undecidable, row.agrees) {
        (Some(why), ..) => (why, "differs"),
        (_, Some(why), _) => (why, "open"),
        (.., Some(true)) => ("agrees", "good"),
        (.., Some(false)) => ("DIFFERS", "bad"),
        (.., None) => ("", ""),
    }
}

/// The source of every algorithm that an item speaks of.
fn sources(out: &mut String, attempts: &[Attempt]) {
    let mut names: Vec<_> = attempts.iter().flat_map(|attempt| &attempt.item.algorithms).collect();
    names.sort();
    names.dedup();
    out.push_str("<h2>The algorithms</h2>\n<p>As every engine runs them; <code>ringleader show NAME --source</code> prints them.</p>\n");
    for name in names {
        if let Ok(card) = catalog().card(name) {
            let _ = writeln!(
                out,
                "<details id=\"source-{name}\"><summary>{name}: {}</summary>\n<pre>{}</pre></details>",
                escaped(card.summary),
                escaped(card.source)
            );
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An item for the terminal.
pub(super) fn plain(attempt: &Attempt) -> String {
    let item = attempt.item;
    let mut out = format!("\n{}: {}, {}\n  {}\n", item.name, attempt.paper.key, item.place, item.claim);
    let Ok(finding) = &attempt.finding else { return out };
    let width = |of: fn(&Row) -> &String| finding.rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0);
    let (what, claimed) = (width(|r| &r.what).min(60), width(|r| &r.claimed).max(9));
    let _ = writeln!(out, "  {:what$}  {:claimed$}  seen", "", attempt.paper.source);
    for row in &finding.rows {
        let note = match mark(row) {
            ("" | "agrees", _) => String::new(),
            (note, _) => format!(" ({note})"),
        };
        let _ = writeln!(out, "  {:what$}  {:claimed$}  {}{note}", row.what, row.claimed, row.seen);
    }
    for remark in &finding.remarks {
        let _ = writeln!(out, "  {remark}");
    }
    out
}
