//! The live screen: which node follows which, heartbeats, orders and their outcome.

use super::SETTLED_HEARTBEATS;
use super::console::{Console, KEYS};
use super::order::{self, Target};
use ringleader_fleet::{Agreement, Condition, Fleet};
use ringleader_node::{Leadership, Role};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// The time between two drawings, which is also the width of a column of the heartbeat strip.
const REDRAW: Duration = Duration::from_millis(100);
/// The number of columns of that strip.
const STRIP: usize = 60;
/// The number of columns over which the rate is taken.
const RECENT: usize = 20;
/// The number of messages that are kept, more than any screen has lines for.
const NEWS: usize = 200;
/// The heading left of the strip.
const TABLE: &str = "   node  state        trouble    follows    epoch  unchanged";

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
            let sent = fleet.sent(id);
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
        let body: Vec<String> = lines.into_iter().take(height).map(|line| line.text + "\x1b[K").collect();
        Some(format!("{clear}\x1b[H{}\x1b[J", body.join("\r\n")))
    }

    fn lines(&self, title: &str, fleet: &Fleet, console: &Console, width: usize, height: usize) -> Vec<Line> {
        let (line, views) = (|| Line::new(width, self.colour), fleet.views());
        let footer = self.footer(fleet, console, width);
        let mut top = vec![line().add(BOLD, title), line()];
        top.push(line().add(DIM, TABLE).add(DIM, "  heartbeats sent"));
        let bottom = [self.verdict(fleet, &views, width), self.outcome(width), line()];
        let room = height.saturating_sub(top.len() + bottom.len() + footer.len() + 1);
        let rows = fleet.size().min(room.saturating_sub(3).max(1));
        // As many nodes as fit, the selected one among them.
        let selected = console.node(fleet).unwrap_or(0);
        let first = (selected + 1).saturating_sub(rows).min(fleet.size() - rows);
        top.extend((first..first + rows).map(|id| self.row(id, views[id], fleet, console, width)));
        let left = fleet.size() - rows;
        top.push(if left > 0 { line().add(DIM, &format!("   .. and {left} more")) } else { line() });
        top.extend(bottom);
        let room = height.saturating_sub(top.len() + footer.len());
        if console.help {
            let help = order::HELP.lines().map(|text| line().add(PLAIN, text));
            top.extend(
                [line().add(BOLD, "Orders, typed after a colon; the keys give the same orders")]
                    .into_iter()
                    .chain(help)
                    .take(room),
            );
        } else {
            let news: Vec<String> =
                self.news.iter().rev().take(room).rev().flat_map(|text| wrap(text, width)).collect();
            let skipped = news.len().saturating_sub(room);
            top.extend(news.iter().skip(skipped).map(|text| line().add(DIM, text)));
        }
        while top.len() + footer.len() < height {
            top.push(line());
        }
        top.extend(footer);
        top
    }

    fn row(&self, id: usize, view: Option<Leadership>, fleet: &Fleet, console: &Console, width: usize) -> Line {
        let selected = console.selected == Target::All || console.node(fleet) == Some(id);
        let Condition { down, paused, isolated, loss } = fleet.condition(id);
        let trouble = match () {
            () if down => String::new(),
            () if paused => "paused".into(),
            () if isolated => "isolated".into(),
            () if loss > 0 => format!("loses {loss}%"),
            () => String::new(),
        };
        let line = Line::new(width, self.colour)
            .add(if selected { BOLD } else { PLAIN }, if selected { " ▶ " } else { "   " });
        let line = line.add(if selected { REVERSE } else { PLAIN }, &format!("{id:>4}"));
        let Some(view) = view else { return line.add(RED, "  ✖ down") };
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
        let line = line
            .add(style, &format!("  {mark} {state:<11}"))
            .add(RED, &format!("{trouble:<11}"))
            .add(style, &format!("{follows:<9}"))
            .add(PLAIN, &format!("{:>7}  {:>9}", compact(epoch), seconds(stable_for)));
        self.strip(id, line, style)
    }

    /// A column for each tenth of a second, its height the number of datagrams to each peer.
    fn strip(&self, id: usize, line: Line, style: &'static str) -> Line {
        const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let (strip, others) = (&self.strips[id], self.sent.len() as u64 - 1);
        let rate = "  0.0 a beat".len();
        let columns = line.left().saturating_sub(2 + rate).min(STRIP);
        let skipped = strip.len().saturating_sub(columns);
        let bar = |&count: &u64| BARS[(count * 8).div_ceil(others).min(8) as usize];
        let bars: String = strip.iter().skip(skipped).map(bar).collect();
        let recent = strip.len().clamp(1, RECENT);
        let time = REDRAW.as_secs_f64() * recent as f64;
        let rate = strip.iter().rev().take(recent).sum::<u64>() as f64 / time * self.heartbeat.as_secs_f64();
        line.add(style, &format!("  {bars:<columns$}")).add(DIM, &format!("  {rate:.1} a beat"))
    }

    /// Whether the nodes agree, and which node follows which.
    fn verdict(&self, fleet: &Fleet, views: &[Option<Leadership>], width: usize) -> Line {
        let (line, time) = (Line::new(width, self.colour), seconds(self.since.elapsed()));
        let line = match self.agreement {
            Some(reached) => line.add(GREEN, &format!(" ● agreed for {time}: {reached}")),
            None => line.add(YELLOW, &format!(" ◌ no agreement for {time}")),
        };
        line.add(PLAIN, &format!("   {}", groups(views, |id| fleet.is_healthy(id))))
    }

    /// The outcome of the last order.
    fn outcome(&self, width: usize) -> Line {
        let line = Line::new(width, self.colour);
        let Some((order, at, _)) = &self.order else { return line };
        let ago = seconds(at.elapsed());
        let so_far = match self.agreement {
            Some(_) if self.since > *at => format!("agreed {} after it", seconds(self.since - *at)),
            Some(_) => "the agreement held".to_string(),
            None => "not agreed yet".to_string(),
        };
        line.add(PLAIN, &format!("   last: {order}, {ago} ago; {so_far}"))
    }

    fn footer(&self, fleet: &Fleet, console: &Console, width: usize) -> Vec<Line> {
        let line = || Line::new(width, self.colour);
        if let Some(typed) = &console.typed {
            let hint = line().add(
                DIM,
                " for example: kill leader, loss 2 30, corrupt all high, repeat 3 corrupt all; settle; Esc to leave",
            );
            return vec![hint, line().add(BOLD, &format!(" : {typed}")).add(REVERSE, " ")];
        }
        let selected = match (console.selected, console.node(fleet)) {
            (Target::Leader, Some(id)) => format!("the leader, {id}"),
            (target, _) => target.to_string(),
        };
        let select = line()
            .add(DIM, " select ")
            .add(BOLD, "0-9 ↑ ↓")
            .add(DIM, "  the leader ")
            .add(BOLD, "l")
            .add(DIM, "  all ");
        let mut lines = vec![select.add(BOLD, "a").add(DIM, "   selected: ").add(BOLD, &selected), line()];
        for (key, name) in KEYS {
            // A key and its name stay together.
            if lines.last().is_some_and(|last| last.left() < key.len() + name.len() + 3) {
                lines.push(line());
            }
            let last = lines.pop().unwrap_or_else(line);
            lines.push(last.add(BOLD, &format!(" {key}")).add(DIM, &format!(" {name} ")));
        }
        lines
    }
}

/// A line that is cut off at the width of the screen.
struct Line {
    text: String,
    used: usize,
    width: usize,
    colour: bool,
}

impl Line {
    fn new(width: usize, colour: bool) -> Line {
        Line { text: String::new(), used: 0, width, colour }
    }

    fn left(&self) -> usize {
        self.width - self.used
    }

    fn add(mut self, style: &str, text: &str) -> Line {
        let fitting: String = text.chars().take(self.left()).collect();
        self.used += fitting.chars().count();
        match self.colour && !style.is_empty() {
            true => self.text.push_str(&format!("{style}{fitting}\x1b[0m")),
            false => self.text.push_str(&fitting),
        }
        self
    }
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
        let line = Line::new(5, false).add(BOLD, "→→→").add(RED, "abc").add(PLAIN, "d");
        assert_eq!((line.text.as_str(), line.left()), ("→→→ab", 0));
        assert_eq!(Line::new(5, true).add(BOLD, "abcdefg").text, "\x1b[1mabcde\x1b[0m");
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
