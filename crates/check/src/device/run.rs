//! The passes of a check over all slots of a device.
//!
//! Values are multiples of a power of 1/2. A sweep replaces each by the solution of its equation, rounded towards the value. This operator
//! is monotone, so values that begin at 0 only rise and stay below the expectation h, and their limit does not depend on the order of the
//! replacements. Where sweeps take long, leaps replace many of them. One more pass has the residual r = 1 + P w - w of the values w
//! without rounding: 0 <= r <= e < 1 outside the safe set proves w <= h <= w / (1 - e), by optional stopping.

mod leap;
mod proof;
mod within;

use super::kernels::{Job, Kernel, Sums, program};
use super::ring::Ring;
use crate::expectation::{Effort, width_for};
use crate::memory;
use crate::report::{Bounds, Classes, Report, Symmetry, Time, Times, Value};
use crate::{Monitor, Question, Stop};
use ringleader_device::{Board, Device, Fault};
use ringleader_model::Scheduler;
use std::time::{Duration, Instant};

/// The slots of one kernel, so that a check can be stopped.
const STRETCH: u64 = if cfg!(test) { 1 << 9 } else { 1 << 28 };
/// The terms of equations after which a greater width is accepted: see [`Effort`]. A GPU has some 10^11 in a second.
const TERMS: u64 = 1 << 41;
/// More than all roundings of the few operations that make a number of a value.
const SLACK: f64 = 8.0 * f64::EPSILON;

/// The bits of a value, and the number of units of a step as a power of 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    bits: u32,
    scale: u32,
}

/// If values become too large, they begin anew with the next format.
const FORMATS: [Format; 6] = [
    Format { bits: 32, scale: 25 },
    Format { bits: 32, scale: 20 },
    Format { bits: 32, scale: 15 },
    Format { bits: 64, scale: 48 },
    Format { bits: 64, scale: 40 },
    Format { bits: 64, scale: 32 },
];

impl Format {
    /// The length of a unit in steps.
    fn unit(self) -> f64 {
        0.5_f64.powi(self.scale as i32)
    }

    /// The bytes on the device: a value and a bit for each slot, the tables, and the goal. If there are sets of a proof, each slot
    /// has a second bit, and one of them is there besides the goal.
    fn bytes(self, ring: &Ring) -> u64 {
        let (slots, sets) = (ring.slots.count(), if ring.proof.is_empty() { 1 } else { 2 });
        let tables =
            4 * ring.start.len() + 8 * (ring.changes.len() + ring.moves.len() + sets as usize * ring.goal.len());
        let tables = tables as u64;
        (sets * (slots / 8 + 8)).saturating_add(slots.saturating_mul(u64::from(self.bits) / 8)).saturating_add(tables)
    }

    /// The formats that fit into memory: first those whose unit is small enough, and of them those with few bits.
    fn within(memory: u64, ring: &Ring, width: f64) -> Vec<Format> {
        let fits = |format: &&Format| format.bytes(ring) <= memory;
        let (mut narrow, mut wide): (Vec<Format>, Vec<Format>) =
            FORMATS.iter().filter(fits).partition(|format| format.unit() <= width);
        wide.sort_by_key(|format| std::cmp::Reverse(format.scale));
        narrow.append(&mut wide);
        narrow
    }
}

/// The use of a device by a check.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceUse {
    /// The number of slots, about one for each rotation class.
    pub slots: u64,
    /// The bits of a value.
    pub value_bits: u32,
    /// A value is a multiple of 2^-scale steps.
    pub scale: u32,
    /// The number of passes over all slots.
    pub passes: u64,
    /// The number of passes that raised the expected steps.
    pub sweeps: u64,
    /// The relative width of the expected steps, if there are any.
    pub width: Option<f64>,
    /// The least number of steps from the farthest configuration to the really safe set.
    pub farthest: u64,
    /// The most bytes of the device in use.
    pub peak_bytes: u64,
    /// The duration, without the compilation of the rules.
    pub time: Duration,
}

/// The result of a check on a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OnDevice {
    /// The result.
    pub report: Report,
    /// The work for it.
    pub used: DeviceUse,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Device(fault.to_string())
    }
}

/// Checks a ring on a device.
pub(crate) fn check<D: Device>(
    device: &D,
    ring: &Ring,
    question: &Question,
    monitor: &Monitor,
) -> Result<OnDevice, Stop> {
    let begun = Instant::now();
    let slots = ring.slots.count();
    let width = width_for(question, slots);
    let formats = Format::within(question.memory, ring, width);
    let Some(&format) = formats.first() else {
        let least = FORMATS.iter().map(|format| format.bytes(ring)).min().unwrap_or(u64::MAX);
        memory::admit(least, question.memory, Some(ring.configurations))?;
        unreachable!("a format of the least bytes does not fit");
    };
    let horizon = within::format(ring, question)?;
    monitor.find(format!("{} configurations", ring.configurations));
    let mut run = Run::new(device, ring, format, monitor)?;
    let (mut report, outside) = run.sets()?;
    let mut own = run.proof(&mut report)?;
    report.almost_surely = question.scheduler == Scheduler::Random;
    let (farthest, apart) = run.distances(outside)?;
    let converges = apart == 0;
    report.holds = converges && report.unshown.is_none();
    let mut width_reached = None;
    if converges {
        monitor.find("every run reaches the really safe set".into());
        report.own_is_reached = match &mut own {
            Some(own) if report.own_is_closed => Some(run.reaches(own)?),
            Some(_) => None,
            None => Some(true),
        };
        if question.scheduler == Scheduler::Random {
            monitor.decide(&report);
            let (time, reached) = run.times(&formats, width, question)?;
            width_reached = Some(reached);
            report.expected_steps = Some(Times { to_own_safe: None, to_really_safe: Some(time) });
        }
    } else {
        let start = run.first(0)?.map(|slot| ring.states_at(slot)).unwrap_or_default();
        monitor.find(format!("fails: {apart} classes of configurations cannot reach the really safe set"));
        let apart = format!(
            "{apart} classes of configurations cannot reach the really safe set, the first with the states {start:?}; a GPU \
             computes no counterexample and no probability"
        );
        report.unshown = Some(report.unshown.take().map_or(apart.clone(), |sets| format!("{apart}; {sets}")));
    }
    let format = run.format;
    if let Some((horizon, format)) = horizon {
        monitor.decide(&report);
        report.reach = Some(run.within(horizon, format, &report, question)?);
    }
    if let (Some(Times { to_really_safe: Some(time), to_own_safe }), Some(true)) =
        (&mut report.expected_steps, report.own_is_reached)
    {
        let same = report.own_is_really_safe && report.own_safe == report.really_safe;
        *to_own_safe = Some(match &mut own {
            Some(own) if !same => {
                run.exchange(own);
                run.pass("the own safe set, again", Kernel::Begin, Job::default())?;
                let (time, reached) = run.times(&formats, width, question)?;
                width_reached = Some(width_reached.map_or(reached, |width: f64| width.max(reached)));
                time
            }
            _ => time.clone(),
        });
    }
    let Run { passes, sweeps, peak_bytes, .. } = run;
    let used = DeviceUse {
        slots,
        value_bits: format.bits,
        scale: format.scale,
        passes,
        sweeps,
        width: width_reached,
        farthest,
        peak_bytes,
        time: begun.elapsed(),
    };
    Ok(OnDevice { report, used })
}

/// The tables of a ring on a device.
struct Tables<B: Board> {
    offset: B::Words,
    moves: B::Words,
    goal: B::Words,
    start: B::Numbers,
    changes: B::Numbers,
    weights: B::Numbers,
    sizes: B::Numbers,
    keys: B::Numbers,
    leads: B::Numbers,
}

impl<B: Board> Tables<B> {
    fn new(board: &B, ring: &Ring) -> Result<Tables<B>, Fault> {
        let words = |from: &[u64]| {
            let mut words = board.zeros(from.len())?;
            board.write(from, &mut words)?;
            Ok::<_, Fault>(words)
        };
        Ok(Tables {
            offset: words(&ring.slots.offset)?,
            moves: words(&ring.moves)?,
            goal: words(&ring.goal)?,
            start: board.place(&ring.start)?,
            changes: board.place(&ring.changes)?,
            weights: board.place(&ring.weights)?,
            sizes: board.place(&ring.sizes)?,
            keys: board.place(&ring.keys)?,
            leads: board.place(&ring.leads)?,
        })
    }
}

struct Run<'a, D: Device> {
    device: &'a D,
    ring: &'a Ring,
    monitor: &'a Monitor,
    board: D::Board,
    tables: Tables<D::Board>,
    format: Format,
    values: <D::Board as Board>::Words,
    safe: <D::Board as Board>::Words,
    sums: <D::Board as Board>::Words,
    passes: u64,
    sweeps: u64,
    peak_bytes: u64,
}

impl<'a, D: Device> Run<'a, D> {
    fn new(device: &'a D, ring: &'a Ring, format: Format, monitor: &'a Monitor) -> Result<Self, Stop> {
        let board = device.load(&program(ring, format.bits))?;
        let slots = ring.slots.count();
        Ok(Run {
            tables: Tables::new(&board, ring)?,
            values: board.zeros(words_of(slots, format))?,
            safe: board.zeros(slots.div_ceil(64) as usize)?,
            sums: board.zeros(Sums::WORDS)?,
            passes: 0,
            sweeps: 0,
            peak_bytes: format.bytes(ring),
            device,
            ring,
            monitor,
            board,
            format,
        })
    }

    /// Finds the really safe set and starts the report. Returns the number of classes outside the set, too.
    fn sets(&mut self) -> Result<(Report, u64), Stop> {
        let all = self.pass("the sets of each configuration", Kernel::Survey, Job::default())?;
        if all.configurations != self.ring.configurations {
            return Err(Stop::Device("the configurations of all classes are not complete".into()));
        }
        while self.pass("the really safe set", Kernel::Shrink, Job::default())?.changed > 0 {}
        let safe = self.pass("the really safe set, counted", Kernel::Begin, Job::default())?;
        self.monitor.find(format!("{} really safe configurations", safe.configurations));
        let ring = self.ring;
        let report = Report {
            agents: ring.slots.size,
            states: ring.states,
            state_classes: ring.merged.as_ref().map(|merged| merged.partition.classes() as u64),
            configurations: all.configurations,
            classes: Some(Classes { count: all.classes, symmetry: Symmetry::Rotation }),
            transitions: all.steps,
            tosses: ring.tosses,
            really_safe: safe.configurations,
            own_safe: safe.configurations,
            own_is_really_safe: true,
            own_is_closed: true,
            own_is_silent: safe.steps == 0,
            ..Report::default()
        };
        Ok((report, all.classes - safe.classes))
    }

    /// The least number of steps from the farthest of these classes outside the really safe set to it, and the number of classes
    /// that cannot reach it.
    fn distances(&mut self, mut apart: u64) -> Result<(u64, u64), Stop> {
        let mut level = 1;
        while apart > 0 {
            let name = format!("configurations {level} steps from the really safe set");
            let new = self.pass(&name, Kernel::Approach, Job { level, ..Job::default() })?.changed;
            if new == 0 {
                break;
            }
            apart -= new;
            level += 1;
        }
        Ok((level - 1, apart))
    }

    /// The expected steps to the really safe set, and their relative width.
    fn times(&mut self, formats: &[Format], width: f64, question: &Question) -> Result<(Time, f64), Stop> {
        for &format in formats {
            self.change(format, 0)?;
            if let Some(measured) = self.solve(width, question.memory)? {
                return self.told(&measured, question);
            }
        }
        Err(Stop::Device("some expected steps are too large for the values of a GPU".into()))
    }

    /// Gives a value to all classes outside the really safe set, in another format.
    fn change(&mut self, format: Format, value: u64) -> Result<(), Stop> {
        if format.bits != self.format.bits {
            self.values = self.board.zeros(1)?;
            self.board = self.device.load(&program(self.ring, format.bits))?;
            self.values = self.board.zeros(words_of(self.ring.slots.count(), format))?;
            self.peak_bytes = self.peak_bytes.max(format.bytes(self.ring));
            self.pass("the really safe set, again", Kernel::Begin, Job::default())?;
        }
        self.format = format;
        self.pass("values at the beginning", Kernel::Fill, Job { level: value, ..Job::default() })?;
        Ok(())
    }

    /// A step in units, times the weight of all outcomes.
    fn one(&self) -> u64 {
        u64::from(self.ring.total) << self.format.scale
    }

    /// Moves the values until they are near enough, and below the solution; `None` if a value becomes too large.
    fn solve(&mut self, width: f64, memory: u64) -> Result<Option<Sums>, Stop> {
        let total = u64::from(self.ring.total);
        // Every term of an equation is less than 2^63.
        let most = ((1 << 63) / total).saturating_sub((1 << self.format.scale) + 1);
        let most = if self.format.bits == 32 { most.min((1 << 32) - 2) } else { most };
        if most >> self.format.scale == 0 {
            return Ok(None);
        }
        let (effort, terms) = (Effort { width, terms: TERMS }, self.ring.slots.count() * self.ring.slots.size as u64);
        let job = Job { one: self.one(), most, ..Job::default() };
        let (begun, mut look, mut window, mut leapt) = (self.sweeps, width, self.window(memory)?, false);
        loop {
            let seen = self.sweep(job)?;
            if seen.too_large > 0 {
                return Ok(None);
            }
            let accepted = effort.after(terms.saturating_mul(self.sweeps - begun));
            let (reached, wanted) = (self.width(&seen), look.max(accepted));
            // Settled values have the residuals of both signs.
            if reached > if leapt { wanted / 2.0 } else { wanted } && seen.changed > 0 {
                if let Some(window) = &mut window {
                    leapt |= self.leap(window, &seen, wanted / reached, job)?;
                }
                continue;
            }
            let settles = std::mem::take(&mut leapt);
            if settles {
                self.settle(job)?;
                window = None;
            }
            let measured = self.pass("expected steps, proving the bounds", Kernel::Measure, job)?;
            if measured.below > 0 {
                return Err(Stop::Device("some values are above the solutions of their equations".into()));
            }
            let reached = self.width(&measured);
            if (reached <= accepted && reached < 1.0) || (seen.changed == 0 && !settles) {
                return Ok(Some(measured));
            }
            if !settles {
                look /= 2.0;
            }
        }
    }

    /// Moves every value to the solution of its own equation.
    fn sweep(&mut self, job: Job) -> Result<Sums, Stop> {
        self.sweeps += 1;
        self.pass(&format!("expected steps, sweep {}", self.sweeps), Kernel::Relax, job)
    }

    /// The largest residual in steps.
    fn width(&self, seen: &Sums) -> f64 {
        seen.residual.max(seen.below) as f64 / self.one() as f64
    }

    /// The measured values as times, and their relative width.
    fn told(&mut self, measured: &Sums, question: &Question) -> Result<(Time, f64), Stop> {
        let (one, unit) = (self.one(), self.format.unit());
        let above = if measured.residual < one {
            one as f64 / (one - measured.residual) as f64 * (1.0 + SLACK)
        } else {
            f64::INFINITY
        };
        let between = |units: f64| {
            let steps = units * unit;
            Value::Between(Bounds { low: steps * (1.0 - SLACK), high: if steps == 0.0 { 0.0 } else { steps * above } })
        };
        let worst_start = self.first(measured.worst)?.map(|slot| self.ring.states_at(slot)).unwrap_or_default();
        let mut from = vec![];
        for start in &question.starts {
            from.push(between(self.value(self.ring.slot(&start.states))? as f64));
        }
        let mean = between(measured.values as f64 / self.ring.configurations as f64);
        let time = Time { worst: between(measured.worst as f64), worst_start, worst_turns: None, mean, from };
        Ok((time, self.width(measured)))
    }

    /// The value of a slot.
    fn value(&self, slot: u64) -> Result<u64, Fault> {
        let (at, half) = if self.format.bits == 32 { (slot / 2, Some(slot % 2)) } else { (slot, None) };
        let word = self.board.read(&self.values, at as usize, 1)?[0];
        Ok(half.map_or(word, |half| word >> (32 * half) & 0xffff_ffff))
    }

    /// The first slot with a value.
    fn first(&mut self, value: u64) -> Result<Option<u64>, Stop> {
        let found = self.pass("the worst start", Kernel::Find, Job { level: value, ..Job::default() })?.found;
        Ok((found != 0).then_some(!found))
    }

    /// Runs a kernel over all slots.
    fn pass(&mut self, name: &str, kernel: Kernel, job: Job) -> Result<Sums, Stop> {
        let (board, tables, ring) = (&self.board, &self.tables, self.ring);
        let slots = ring.slots.count();
        self.monitor.enter(name, Some(slots));
        let job = Job {
            values: board.address(&self.values, 0),
            safe: board.address(&self.safe, 0),
            sums: board.address(&self.sums, 0),
            offset: board.address(&tables.offset, 0),
            start: board.address_of(&tables.start),
            changes: board.address_of(&tables.changes),
            weights: board.address_of(&tables.weights),
            moves: board.address(&tables.moves, 0),
            sizes: board.address_of(&tables.sizes),
            keys: board.address_of(&tables.keys),
            goal: board.address(&tables.goal, 0),
            leads: board.address_of(&tables.leads),
            states: ring.slots.states,
            key_count: ring.key_count,
            total: ring.total,
            told: ring.told.into(),
            fixed: ring.fixed.into(),
            pairs: ring.moves.len() as u32,
            ..job
        };
        let (mut found, mut pending) = (Sums::default(), 0);
        self.board.write(&[0; Sums::WORDS], &mut self.sums)?;
        // From the last slot to the first, as in the kernels.
        for letter in (0..ring.slots.states).rev() {
            let [origin, end] = [0, 1].map(|next| ring.slots.offset[letter as usize + next]);
            let (base, mut left) = (ring.slots.states - letter, end - origin);
            let reciprocal = (u64::MAX / u64::from(base)).wrapping_add(1);
            while left > 0 {
                let count = left.min(STRETCH);
                left -= count;
                let job = Job { first: origin + left, count, origin, reciprocal, letter, base, ..job };
                self.board.run(kernel as usize, count, &job)?;
                pending += count;
                if pending >= STRETCH || origin + left == 0 {
                    let sums = self.board.read(&self.sums, 0, Sums::WORDS)?;
                    found.add(sums.try_into().map_err(|_| Stop::Device("the sums are not complete".into()))?);
                    self.monitor.check()?;
                    self.monitor.advance(pending);
                    self.board.write(&[0; Sums::WORDS], &mut self.sums)?;
                    pending = 0;
                }
            }
        }
        self.passes += 1;
        Ok(found)
    }
}

fn words_of(slots: u64, format: Format) -> usize {
    (slots * u64::from(format.bits)).div_ceil(64) as usize
}
