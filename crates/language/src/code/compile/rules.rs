//! Compiles rules to operations.

use crate::code::TooLarge;
use crate::code::compile::{Compiled, Compiler, Shadow};
use crate::code::{Code, Label, Limit, Op, Register};
use crate::domains::layout::Field;
use crate::meaning::typed::{Action, Ex, Group, Op as Do, Rule, Target};
use crate::syntax::ast::{Mode, Way};

impl Compiler<'_> {
    /// The same compiler, for the expressions of rules.
    pub(crate) fn inside_rules(mut self) -> Self {
        // The first bound variable, a chosen port, is a constant by now. This keeps the slots of quantifiers aligned.
        self.bound.push(self.code.given);
        self
    }

    /// Groups of rules, one after the other.
    pub(crate) fn groups(mut self, groups: &[Group]) -> Compiled<Code> {
        self = self.inside_rules();
        for ex in groups.iter().flat_map(Group::expressions) {
            self.reserve_tosses(ex)?;
        }
        for group in groups {
            match group.mode {
                Mode::First | Mode::ExactlyOne => self.first(group)?,
                Mode::InOrder => self.sequence(group, None)?,
                Mode::AtOnce => self.at_once(group)?,
                Mode::Any => self.any(group)?,
            }
        }
        self.finish()
    }

    fn first(&mut self, group: &Group) -> Compiled<()> {
        if group.mode == Mode::ExactlyOne && self.verify {
            self.scratch(|c| c.count_guards(group))?;
        }
        let end = self.label()?;
        self.sequence(group, Some(end))?;
        self.here(end);
        Ok(())
    }

    /// The rules one after the other. A rule that applies continues at a label, if one is given.
    fn sequence(&mut self, group: &Group, applied: Option<Label>) -> Compiled<()> {
        for rule in &group.rules {
            let next = self.label()?;
            self.guard(rule, next)?;
            self.body(rule)?;
            applied.into_iter().for_each(|end| self.emit(Op::Jump(end)));
            self.here(next);
        }
        Ok(())
    }

    /// Rules read the values before the step. New values go to separate registers, which are copied back at the end.
    fn at_once(&mut self, group: &Group) -> Compiled<()> {
        let mut written: Vec<(u8, usize)> = vec![];
        for action in group.rules.iter().flat_map(|rule| &rule.actions) {
            if let Action::Assign(pairs) = action {
                written.extend(pairs.iter().map(|(target, _)| (target.role, self.slot(target))));
            }
        }
        written.sort_unstable();
        written.dedup();
        self.scratch(|c| {
            for (role, slot) in written {
                let (register, from) = (c.register()?, c.variable(role, slot, false));
                c.emit(Op::Copy(register, from));
                let written = if c.verify { Some(c.register()?) } else { None };
                written.into_iter().for_each(|written| c.emit(Op::SetC(written, 0)));
                c.shadow.push(Shadow { role, slot, register, written });
            }
            c.sequence(group, None)?;
            for shadow in std::mem::take(&mut c.shadow) {
                let to = c.variable(shadow.role, shadow.slot, true);
                c.emit(Op::Copy(to, shadow.register));
            }
            Ok(())
        })
    }

    /// One of the rules whose guards hold; the scheduler chooses it.
    fn any(&mut self, group: &Group) -> Compiled<()> {
        self.scratch(|c| {
            let (count, end, begin) = (c.register()?, c.label()?, c.label()?);
            let flags = c.reserve(group.rules.len())?;
            c.emit(Op::SetC(count, 0));
            for (at, rule) in group.rules.iter().enumerate() {
                let (flag, next) = (flags + at as u8, c.label()?);
                c.emit(Op::SetC(flag, 0));
                c.guard(rule, next)?;
                c.emit(Op::SetC(flag, 1));
                c.emit(Op::AddC(count, count, 1));
                c.here(next);
            }
            c.emit(Op::EqC(count, 0, end));
            let taken = c.register()?;
            c.emit(Op::SetC(taken, 0));
            c.emit(Op::EqC(count, 1, begin));
            c.emit(Op::Choose(taken, count));
            c.here(begin);
            for (at, rule) in group.rules.iter().enumerate() {
                let (next, other) = (c.label()?, c.label()?);
                c.emit(Op::EqC(flags + at as u8, 0, next));
                c.emit(Op::NeC(taken, 0, other));
                c.body(rule)?;
                c.emit(Op::Jump(end));
                c.here(other);
                c.emit(Op::AddC(taken, taken, -1));
                c.here(next);
            }
            c.here(end);
            Ok(())
        })
    }

    fn count_guards(&mut self, group: &Group) -> Compiled<()> {
        let count = self.register()?;
        self.emit(Op::SetC(count, 0));
        for rule in &group.rules {
            let next = self.label()?;
            // A rule without a guard applies if no other guard holds.
            if rule.guard.is_none() {
                self.emit(Op::GtC(count, 0, next));
            }
            self.guard(rule, next)?;
            self.emit(Op::AddC(count, count, 1));
            self.here(next);
        }
        self.emit(Op::Exactly(count));
        Ok(())
    }

    fn guard(&mut self, rule: &Rule, otherwise: u16) -> Compiled<()> {
        let Some(guard) = &rule.guard else { return Ok(()) };
        let guard = self.constants.fold(guard);
        self.scratch(|c| c.branch(&guard, false, otherwise))
    }

    fn body(&mut self, rule: &Rule) -> Compiled<()> {
        let at = u8::try_from(self.code.rules.len()).map_err(|_| TooLarge)?;
        self.code.rules.push((rule.number, rule.span.clone()));
        self.emit(Op::Fired(at));
        for action in &rule.actions {
            self.scratch(|c| c.perhaps(|c| c.action(action)))?;
            // The action may have changed a variable that a quantifier reads.
            self.forget();
        }
        Ok(())
    }

    fn slot(&self, target: &Target) -> usize {
        target.slot + target.port.as_ref().map_or(0, |port| self.constants.value(port).clamp(0, 1) as usize)
    }

    fn action(&mut self, action: &Action) -> Compiled<()> {
        match action {
            Action::Round => self.emit(Op::Round),
            Action::Reset => {
                for slot in 0..self.layout.fields.len() {
                    let to = self.variable(0, slot, true);
                    let low = self.layout.fields[slot].low;
                    self.into(&crate::domains::fold::constant(low), to)?;
                }
            }
            Action::Assign(pairs) => self.assign(pairs)?,
            Action::Send { to, message, values } => {
                let first = self.reserve(values.len())?;
                for (at, value) in values.iter().enumerate() {
                    let (to, value) = (first + at as u8, self.constants.fold(value));
                    self.scratch(|c| c.into(&value, to))?;
                    let field = self.messages[*message].fields[at];
                    self.check(to, &value, field, format!("the message's {}", field.name))?;
                }
                let port = self.constants.port.unwrap_or(0) as u8;
                let ports: &[u8] = match to {
                    Way::Left => &[0],
                    Way::Right => &[1],
                    Way::Both => &[0, 1],
                    Way::Onward => &[1 - port],
                    Way::Back => &[port],
                };
                for &port in ports {
                    self.emit(Op::Send { port, message: *message as u8, first });
                }
            }
        }
        Ok(())
    }

    fn assign(&mut self, pairs: &[(Target, Ex)]) -> Compiled<()> {
        let mut values = vec![];
        for (target, value) in pairs {
            let slot = self.slot(target);
            let (field, value) = (self.layout.fields[slot], self.constants.fold(value));
            let shadow = self.shadow.iter().find(|s| (s.role, s.slot) == (target.role, slot)).copied();
            let to = match shadow {
                Some(shadow) => shadow.register,
                None => self.variable(target.role, slot, true),
            };
            if let Some(written) = shadow.and_then(|shadow| shadow.written) {
                let what = field.name.to_string();
                let once = self.limit(Limit { low: 0, high: 0, span: value.span.clone(), what, field: None })?;
                self.emit(Op::Check(written, once));
                self.emit(Op::SetC(written, 1));
            }
            let inside = matches!(value.op, Do::Const(c) if (field.low..=field.high).contains(&c));
            if inside && pairs.len() == 1 {
                return self.into(&value, to);
            }
            let from = self.register()?;
            self.scratch(|c| c.into(&value, from))?;
            self.check(from, &value, field, field.name.to_string())?;
            values.push((to, from));
        }
        values.into_iter().for_each(|(to, from)| self.emit(Op::Copy(to, from)));
        Ok(())
    }

    /// Fails unless a value lies in the domain of a variable.
    fn check(&mut self, value: Register, ex: &Ex, field: Field, what: String) -> Compiled<()> {
        let truth = ex.ty == crate::meaning::typed::Type::Truth && (field.low, field.high) == (0, 1);
        let inside = matches!(ex.op, Do::Const(c) if (field.low..=field.high).contains(&c));
        if truth || inside {
            return Ok(());
        }
        let limit = Limit { low: field.low, high: field.high, span: ex.span.clone(), what, field: Some(field) };
        let limit = self.limit(limit)?;
        self.emit(Op::Check(value, limit));
        Ok(())
    }
}
