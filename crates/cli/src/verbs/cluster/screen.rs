//! The live screen: which node follows which, heartbeats, orders and their outcome.

use super::SETTLED_HEARTBEATS;
use super::console::{Console, KEYS};
use super::order::{self, Target};
use console::{measure_text_width, strip_ansi_codes, truncate_str};
use ringleader_fleet::{Agreement, Condition, Fleet};
use ringleader_node::{Leadership, Role};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::time::{Duration, Instant};

/// The time between two drawings, which is also the width of a column of the heartbeat strip.
const REDRAW: Duration = Duration::from_millis(100);
/// The number of columns of that strip.
const STRIP: usize = 60;
/// The number of columns over which the rate is taken.
const RECENT: usize = 20;
/// The number of messages that are kept, more than any screen has lines for.
const NEWS: usize = 200;
/// The heading of the table.
const TABLE: &str = "   node  state        trouble    follows    epoch  unchanged  heartbeats sent";

const PLAIN: &str = "";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const REVERSE: &str = "\x1b[7m";

pub(crate) struct Screen {
    heartbeat: Duration,
    drawn: Option<Instant>,
    shape: (usize, usize),
    colour: bool,
    news: VecDeque<String>,
    /// By node: datagrams sent at the last drawing, and in each column of the strip.
    sent: Vec<u64>,
    strips: Vec<VecDeque<u64>>,
    agreement: Option<Agreement>,
    /// Since when the nodes agree, or do not.
    since: Instant,
    /// The last order, and whether its outcome is known.
    order: Option<(String, Instant, bool)>,
}

impl Screen {
    pub(crate) fn new(size: usize, heartbeat: Duration) -> Screen {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        Screen {
            heartbeat,
            drawn: None,
            shape: (0, 0),
            colour: choice != anstream::ColorChoice::Never,
            news: VecDeque::new(),
            sent: vec![0; size],
            strips: vec![VecDeque::new(); size],
            agreement: None,
            since: Instant::now(),
            order: Some(("the start".into(), Instant::now(), false)),
        }
    }

    pub(crate) fn tell(&mut self, line: String) {
        self.news.push_back(line);
        let surplus = self.news.len().saturating_sub(NEWS);
        self.news.drain(..surplus);
    }

    pub(crate) fn refresh(&mut self) {
        self.drawn = None;
    }

    /// Notes an order that disturbs the cluster.
    pub(crate) fn disturbed(&mut self, order: &str) {
        self.order = Some((order.to_string(), Instant::now(), false));
    }

    /// Notes the agreement. Once it has lasted, returns it with the time it took and the order before it.
    pub(crate) fn observe(&mut self, agreement: Option<Agreement>) -> Option<(Agreement, Duration, String)> {
        if agreement != self.agreement {
            (self.agreement, self.since) = (agreement, Instant::now());
        }
        let (reached, (order, at, known)) = (agreement?, self.order.as_mut()?);
        let lasted = at.max(&mut self.since).elapsed() >= self.heartbeat * SETTLED_HEARTBEATS;
        if *known || !lasted {
            return None;
        }
        *known = true;
        let took = self.since.saturating_duration_since(*at);
        (!took.is_zero()).then(|| (reached, took, order.clone()))
    }

    /// The whole screen, if a drawing is due.
    pub(crate) fn draw(&mut self, title: &str, fleet: &Fleet, console: &Console) -> Option<String> {
        let passed = self.drawn.map(|at| at.elapsed());
        if passed.is_some_and(|time| time < REDRAW) {
            return None;
        }
        self.drawn = Some(Instant::now());
        // A drawing out of turn, for a key, belongs to the current column.
        for (id, strip) in self.strips.iter_mut().enumerate() {
            let sent = fleet.relay.sent(id);
            let fresh = sent - std::mem::replace(&mut self.sent[id], sent);
            match strip.back_mut().filter(|_| passed.is_none()) {
                Some(last) => *last += fresh,
                None => strip.push_back(fresh),
            }
            let surplus = strip.len().saturating_sub(STRIP);
            strip.drain(..surplus);
        }
        let (height, width) = crate::terminal::size().unwrap_or((24, 80));
        let lines = self.lines(title, fleet, console, width, height);
        // After a change of size the whole screen is drawn anew.
        let clear = if std::mem::replace(&mut self.shape, (width, height)) == (width, height) { "" } else { "\x1b[2J" };
        let body: Vec<String> = lines.iter().take(height).map(|line| self.fitted(line, width) + "\x1b[K").collect();
        Some(format!("{clear}\x1b[H{}\x1b[J", body.join("\r\n")))
    }

    /// A line, cut off at the width of the screen.
    fn fitted(&self, line: &str, width: usize) -> String {
        let cut = truncate_str(line, width, "");
        if self.colour { cut.into() } else { strip_ansi_codes(&cut).into() }
    }

    fn lines(&self, title: &str, fleet: &Fleet, console: &Console, width: usize, height: usize) -> Vec<String> {
        let views = fleet.views();
        let footer = self.footer(fleet, console, width);
        let bottom = [self.verdict(fleet, &views), self.outcome(), String::new()];
        let mut top = vec![paint(BOLD, title), String::new(), paint(DIM, TABLE)];
        let room = height.saturating_sub(top.len() + bottom.len() + footer.len() + 1);
        let rows = fleet.size().min(room.saturating_sub(3).max(1));
        // As many nodes as fit, the selected one among them.
        let selected = console.node(fleet).unwrap_or(0);
        let first = (selected + 1).saturating_sub(rows).min(fleet.size() - rows);
        top.extend((first..first + rows).map(|id| self.row(id, views[id], fleet, console, width)));
        let left = fleet.size() - rows;
        top.push(if left > 0 { paint(DIM, format!("   .. and {left} more")) } else { String::new() });
        top.extend(bottom);
        let room = height.saturating_sub(top.len() + footer.len());
        if console.help {
            top.push(paint(BOLD, "Orders, typed after a colon; the keys give the same orders"));
            top.extend(order::HELP.lines().take(room.saturating_sub(1)).map(String::from));
        } else {
            let news: Vec<String> = self.news.iter().flat_map(|text| wrap(text, width)).collect();
            top.extend(news.iter().skip(news.len().saturating_sub(room)).map(|text| paint(DIM, text)));
        }
        top.resize(top.len().max(height.saturating_sub(footer.len())), String::new());
        top.extend(footer);
        top
    }

    fn row(&self, id: usize, view: Option<Leadership>, fleet: &Fleet, console: &Console, width: usize) -> String {
        let selected = console.selected == Target::All || console.node(fleet) == Some(id);
        let Condition { down, paused, isolated, loss } = fleet.condition(id);
        let trouble = match () {
            () if down => String::new(),
            () if paused => "paused".into(),
            () if isolated => "isolated".into(),
            () if loss > 0 => format!("loses {loss}%"),
            () => String::new(),
        };
        let node = match selected {
            true => paint(BOLD, " ▶ ") + &paint(REVERSE, format!("{id:>4}")),
            false => format!("   {id:>4}"),
        };
        let Some(view) = view else { return node + &paint(RED, "  ✖ down") };
        let Leadership { epoch, state, stable_for, .. } = view;
        let (style, mark) = match state {
            // A paused node shows the state in which it was stopped.
            _ if paused => (DIM, '‖'),
            Role::Leader => (GREEN, '●'),
            Role::Follower => (PLAIN, '○'),
            Role::Unsettled | Role::Unconfirmed => (YELLOW, '◌'),
        };
        let follows = match view.named() {
            _ if fleet.token(id) => "◆ token".to_string(),
            Some(leader) if leader == id => "itself".to_string(),
            Some(leader) => format!("→ {leader}"),
            None => String::new(),
        };
        let line = node
            + &paint(style, format!("  {mark} {state:<11}"))
            + &paint(RED, format!("{trouble:<11}"))
            + &paint(style, format!("{follows:<9}"))
            + &format!("{:>7}  {:>9}", compact(epoch), seconds(stable_for));
        let (bars, rate) = self.strip(id, width.saturating_sub(measure_text_width(&line)));
        line + &paint(style, bars) + &paint(DIM, rate)
    }

    /// A column for each tenth of a second, its height the number of datagrams to each peer, and their rate.
    fn strip(&self, id: usize, width: usize) -> (String, String) {
        const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let (strip, others) = (&self.strips[id], self.sent.len() as u64 - 1);
        let columns = width.saturating_sub("    0.0 a beat".len()).min(STRIP);
        let bar = |&count: &u64| BARS[(count * 8).div_ceil(others).min(8) as usize];
        let bars: String = strip.iter().skip(strip.len().saturating_sub(columns)).map(bar).collect();
        let recent = strip.len().clamp(1, RECENT);
        let time = REDRAW.as_secs_f64() * recent as f64;
        let rate = strip.iter().rev().take(recent).sum::<u64>() as f64 / time * self.heartbeat.as_secs_f64();
        (format!("  {bars:<columns$}"), format!("  {rate:.1} a beat"))
    }

    /// Whether the nodes agree, and which node follows which.
    fn verdict(&self, fleet: &Fleet, views: &[Option<Leadership>]) -> String {
        let time = seconds(self.since.elapsed());
        let agreed = match self.agreement {
            Some(reached) => paint(GREEN, format!(" ● agreed for {time}: {reached}")),
            None => paint(YELLOW, format!(" ◌ no agreement for {time}")),
        };
        format!("{agreed}   {}", groups(views, |id| fleet.is_healthy(id)))
    }

    /// The outcome of the last order.
    fn outcome(&self) -> String {
        let Some((order, at, _)) = &self.order else { return String::new() };
        let ago = seconds(at.elapsed());
        let so_far = match self.agreement {
            Some(_) if self.since > *at => format!("agreed {} after it", seconds(self.since - *at)),
            Some(_) => "the agreement held".to_string(),
            None => "not agreed yet".to_string(),
        };
        format!("   last: {order}, {ago} ago; {so_far}")
    }

    fn footer(&self, fleet: &Fleet, console: &Console, width: usize) -> Vec<String> {
        let key = |key: &str, name: &str| format!("{} {}", paint(BOLD, key), paint(DIM, name));
        if let Some(typed) = &console.typed {
            let hint =
                " for example: kill leader, loss 2 30, corrupt all high, repeat 3 corrupt all; settle; Esc to leave";
            return vec![paint(DIM, hint), paint(BOLD, format!(" : {typed}")) + &paint(REVERSE, " ")];
        }
        let selected = match (console.selected, console.node(fleet)) {
            (Target::Leader, Some(id)) => format!("the leader, {id}"),
            (target, _) => target.to_string(),
        };
        let (one, leader, all) = (key("0-9 ↑ ↓", "one node"), key("l", "the leader"), key("a", "all"));
        let mut lines = vec![format!(" select {one}  {leader}  {all}   selected: {}", paint(BOLD, selected))];
        let mut line = String::new();
        for (letter, name) in KEYS {
            // A key and its name stay together.
            if measure_text_width(&line) + letter.len() + name.len() + 3 > width {
                lines.push(std::mem::take(&mut line));
            }
            line += &format!(" {} ", key(letter, name));
        }
        lines.push(line);
        lines
    }
}

fn paint(style: &str, text: impl Display) -> String {
    if style.is_empty() { text.to_string() } else { format!("{style}{text}\x1b[0m") }
}

/// Each named leader with its followers.
fn groups(views: &[Option<Leadership>], is_healthy: impl Fn(usize) -> bool) -> String {
    let mut groups: BTreeMap<usize, String> = BTreeMap::new();
    for (id, leader) in views.iter().enumerate().filter_map(|(id, view)| Some((id, view.as_ref()?.named()?))) {
        let followers = groups.entry(leader).or_default();
        if id != leader {
            *followers += &format!(" {id}");
        }
    }
    let group = |(leader, followers): (usize, String)| match followers.is_empty() {
        true => format!("{leader} alone"),
        false if is_healthy(leader) => format!("{leader} ←{followers}"),
        false => format!("{leader} (gone) ←{followers}"),
    };
    groups.into_iter().map(group).collect::<Vec<_>>().join("  ·  ")
}

/// A message as lines of the screen.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(width.max(1)).map(|part| part.iter().collect()).collect()
}

fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.2} s", time.as_secs_f64()),
        10..1000 => format!("{:.1} s", time.as_secs_f64()),
        _ => format!("{} min", time.as_secs() / 60),
    }
}

/// A number that fits its column, also after a corruption.
fn compact(number: u64) -> String {
    if number < 1_000_000 { number.to_string() } else { format!("{:.0e}", number as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_where_the_screen_does() {
        let screen = |colour| Screen { colour, ..Screen::new(3, Duration::ZERO) };
        let line = paint(BOLD, "→→→") + &paint(RED, "abc") + "d";
        assert_eq!(screen(false).fitted(&line, 5), "→→→ab");
        assert_eq!(screen(true).fitted(&paint(BOLD, "abcdefg"), 5), "\x1b[1mabcde\x1b[0m");
    }

    #[test]
    fn groups_list_the_followers_of_each_leader() {
        let names = |leader| {
            let (state, stable_for) = (Role::Follower, Duration::ZERO);
            Some(Leadership { leader, epoch: 0, state, stable_for, confirmation: None })
        };
        assert_eq!(
            groups(&[names(0), names(0), None, names(3), names(2)], |id| id != 2),
            "0 ← 1  ·  2 (gone) ← 4  ·  3 alone"
        );
    }

    #[test]
    fn any_number_fits_its_column() {
        assert_eq!([0, 999_999, 1_000_000, u64::MAX].map(compact), ["0", "999999", "1e6", "2e19"]);
    }
}
