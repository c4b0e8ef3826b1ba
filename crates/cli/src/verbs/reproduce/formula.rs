//! Formulas in the data of the papers: numbers, texts, paths into JSON results, and lists of these.
//!
//! An operator works on every member of a list. A missing value is `null`: it prints as a dash and no comparison with it holds.

use ringleader_report::number::grouped;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The names that a formula may use.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    pub(super) values: Map<String, Value>,
    /// Names that stand for other formulas, or for literal lists.
    pub(super) formulas: &'a BTreeMap<String, Value>,
}

impl Scope<'_> {
    /// A text with the value of every `{formula}` in it; `{formula:2}` prints two decimals, `{formula:,}` groups thousands.
    pub(super) fn text(&self, template: &str) -> Result<String, String> {
        let (mut out, mut rest) = (String::new(), template);
        while let Some((before, after)) = rest.split_once('{') {
            let (formula, tail) = after.split_once('}').ok_or_else(|| format!("{template:?} lacks a closing brace"))?;
            let places = |form: &str| form.parse::<usize>().ok();
            let (formula, form) = match formula.rsplit_once(':') {
                Some((formula, form)) if form == "," || places(form).is_some() => (formula, form),
                _ => (formula, ""),
            };
            let value = self.value(formula)?;
            out.push_str(before);
            out.push_str(&match (value.as_f64(), places(form)) {
                (Some(number), _) if form == "," => grouped(number as u64),
                (Some(number), Some(places)) => format!("{number:.places$}"),
                _ => shown(&value),
            });
            rest = tail;
        }
        Ok(out + rest)
    }

    /// The value of a formula.
    pub(super) fn value(&self, formula: &str) -> Result<Value, String> {
        let mut reader = Reader { rest: formula, scope: self };
        let value = reader.ranked(0).map_err(|wrong| format!("{wrong} in the formula {formula:?}"))?;
        if reader.rest.trim().is_empty() {
            Ok(value)
        } else {
            Err(format!("{:?} follows the formula {formula:?}", reader.rest))
        }
    }

    /// Whether a formula holds.
    pub(super) fn holds(&self, formula: &str) -> Result<bool, String> {
        self.value(formula).map(|value| truth(&value))
    }

    /// The value of a formula, or a list as it stands in the data.
    pub(super) fn formula_or_list(&self, given: &Value) -> Result<Value, String> {
        given.as_str().map_or_else(|| Ok(given.clone()), |formula| self.value(formula))
    }

    fn named(&self, path: &str) -> Result<Value, String> {
        let mut keys = path.split('.');
        let name = keys.next().unwrap_or_default();
        let value = match (self.values.get(name), self.formulas.get(name)) {
            (Some(value), _) => value.clone(),
            (None, Some(formula)) => self.formula_or_list(formula)?,
            (None, None) => return Err(format!("no value is called {name:?}")),
        };
        Ok(at(&value, &keys.collect::<Vec<_>>()))
    }
}

/// The value at a path: `*` is every member of a list, `last` the last one.
fn at(value: &Value, path: &[&str]) -> Value {
    let Some((key, rest)) = path.split_first() else { return value.clone() };
    let member = match (value, *key) {
        (Value::Array(list), "*") => return list.iter().map(|member| at(member, rest)).collect(),
        (Value::Array(list), "last") => list.last(),
        (Value::Array(list), index) => index.parse::<usize>().ok().and_then(|index| list.get(index)),
        (_, key) => value.get(key),
    };
    member.map_or(Value::Null, |member| at(member, rest))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_string(),
        Value::String(text) => text.clone(),
        _ => value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string()),
    }
}

fn truth(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_f64().is_some_and(|number| number != 0.0))
}

/// The members of a list, and of the lists in it.
fn flat(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |list| list.iter().flat_map(flat).collect())
}

fn numbers(value: &Value) -> Vec<f64> {
    flat(value).into_iter().filter_map(Value::as_f64).collect()
}

/// Reads a formula and computes its value at the same time.
struct Reader<'s> {
    rest: &'s str,
    scope: &'s Scope<'s>,
}

/// From the operators that bind least to those that bind most.
const OPERATORS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["*", "/"], &["^"]];

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn ranked(&mut self, rank: usize) -> Result<Value, String> {
        let Some(operators) = OPERATORS.get(rank) else { return self.operand() };
        let mut left = self.ranked(rank + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            left = combined(&left, operator, &self.ranked(rank + 1)?);
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Value, String> {
        if self.takes("(") {
            return Ok(self.list()?.remove(0));
        } else if self.takes("-") {
            return Ok(combined(&json!(0), "-", &self.operand()?));
        } else if self.takes("'") {
            let (text, rest) = self.rest.split_once('\'').ok_or("a quotation mark is missing")?;
            self.rest = rest;
            return Ok(json!(text));
        }
        self.rest = self.rest.trim_start();
        let mut before = ' ';
        let belongs = |c: char| {
            let belongs = c.is_ascii_alphanumeric() || c == '_' || c == '.' || (c == '*' && before == '.');
            before = c;
            !belongs
        };
        let (word, rest) = self.rest.split_at(self.rest.find(belongs).unwrap_or(self.rest.len()));
        self.rest = rest;
        if let Ok(number) = word.parse::<f64>() {
            Ok(json!(number))
        } else if let Ok(truth) = word.parse::<bool>() {
            Ok(json!(truth))
        } else if self.takes("(") {
            let arguments = self.list()?;
            called(word, &arguments).ok_or_else(|| format!("no function {word:?} of {} values", arguments.len()))
        } else {
            self.scope.named(word)
        }
    }

    /// Values up to a closing parenthesis.
    fn list(&mut self) -> Result<Vec<Value>, String> {
        let mut values = vec![self.ranked(0)?];
        while self.takes(",") {
            values.push(self.ranked(0)?);
        }
        if self.takes(")") { Ok(values) } else { Err("a closing parenthesis is missing".to_string()) }
    }
}

fn combined(left: &Value, operator: &str, right: &Value) -> Value {
    match (left, right) {
        (Value::Array(a), Value::Array(b)) => a.iter().zip(b).map(|(a, b)| combined(a, operator, b)).collect(),
        (Value::Array(a), b) => a.iter().map(|a| combined(a, operator, b)).collect(),
        (a, Value::Array(b)) => b.iter().map(|b| combined(a, operator, b)).collect(),
        (a, b) => match (operator, a.as_f64(), b.as_f64()) {
            ("||", ..) => json!(truth(a) || truth(b)),
            ("&&", ..) => json!(truth(a) && truth(b)),
            ("==", Some(a), Some(b)) => json!(a == b),
            ("!=", Some(a), Some(b)) => json!(a != b),
            ("<=", Some(a), Some(b)) => json!(a <= b),
            (">=", Some(a), Some(b)) => json!(a >= b),
            ("<", Some(a), Some(b)) => json!(a < b),
            (">", Some(a), Some(b)) => json!(a > b),
            ("+", Some(a), Some(b)) => json!(a + b),
            ("-", Some(a), Some(b)) => json!(a - b),
            ("*", Some(a), Some(b)) => json!(a * b),
            ("/", Some(a), Some(b)) => json!(a / b),
            ("^", Some(a), Some(b)) => json!(a.powf(b)),
            ("==", ..) => json!(!a.is_null() && a == b),
            ("!=", ..) => json!(!a.is_null() && !b.is_null() && a != b),
            ("<=" | ">=" | "<" | ">", ..) => json!(false),
            _ => Value::Null,
        },
    }
}

fn called(name: &str, arguments: &[Value]) -> Option<Value> {
    let each = |of: &Value, f: fn(f64) -> f64| match of {
        Value::Array(_) => flat(of).iter().map(|member| member.as_f64().map(f)).collect::<Value>(),
        _ => json!(of.as_f64().map(f)),
    };
    Some(match (name, arguments) {
        ("abs", [of]) => each(of, f64::abs),
        ("ceil", [of]) => each(of, f64::ceil),
        ("exp", [of]) => each(of, f64::exp),
        ("ln", [of]) => each(of, f64::ln),
        ("log2", [of]) => each(of, f64::log2),
        ("fraction", [of]) => each(of, f64::fract),
        ("min", of) => json!(numbers(&json!(of)).into_iter().reduce(f64::min)),
        ("max", of) => json!(numbers(&json!(of)).into_iter().reduce(f64::max)),
        ("sum", [of]) => json!(numbers(of).into_iter().fold(0.0, |sum, number| sum + number)),
        ("all", [of]) => json!(!flat(of).is_empty() && flat(of).into_iter().all(truth)),
        ("count", [of]) => json!(flat(of).into_iter().filter(|value| truth(value)).count()),
        ("length", [of]) => json!(of.as_array().map(Vec::len)),
        ("if", [condition, yes, no]) => (if truth(condition) { yes } else { no }).clone(),
        ("range", [from, to]) => (from.as_f64()? as u64..to.as_f64()? as u64).collect(),
        ("join", [list, between]) => {
            json!(flat(list).into_iter().map(shown).collect::<Vec<_>>().join(between.as_str()?))
        }
        // The place of the greatest member.
        ("place", [list]) => {
            let greatest = numbers(list).into_iter().reduce(f64::max);
            json!(numbers(list).into_iter().position(|member| Some(member) == greatest))
        }
        ("places", [list, Value::String(text)]) => places(list, text),
        ("lengths", [Value::Array(lists)]) => lists.iter().map(|list| list.as_array().map(Vec::len)).collect(),
        ("lengths", [_]) => Value::Null,
        // The results of every size, of commands with one size or with several.
        ("by_size", [Value::Array(results)]) => {
            results.iter().flat_map(|result| result.get("sizes").map_or_else(|| vec![result], flat)).cloned().collect()
        }
        // Of the least-squares line.
        ("slope", [x, y]) => {
            let (x, y) = (numbers(x), numbers(y));
            let mean = |of: &[f64]| of.iter().map(|value| value / of.len() as f64).sum::<f64>();
            let (middle, height) = (mean(&x), mean(&y));
            let both = x.iter().zip(&y).map(|(x, y)| (x - middle) * (y - height)).sum::<f64>();
            json!(both / x.iter().map(|x| (x - middle).powi(2)).sum::<f64>())
        }
        _ => return None,
    })
}

/// The places of the texts that contain another text, in a list or in every list of a list.
fn places(list: &Value, text: &str) -> Value {
    let members = list.as_array().map_or(&[][..], |list| list);
    if members.iter().any(Value::is_array) {
        return members.iter().map(|list| places(list, text)).collect();
    }
    (0..members.len()).filter(|&i| members[i].as_str().is_some_and(|member| member.contains(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(formulas: &BTreeMap<String, Value>) -> Scope<'_> {
        let it = json!({
            "verdict": "holds", "states": 1_393_967_976u64, "closed": true,
            "sizes": [{"size": 2, "mean": 8.0}, {"size": 4, "mean": 64.0}, {"size": 8}],
            "cycle": [["leader=1", "leader=1"], ["leader=0", "leader=1"]],
        });
        Scope { values: Map::from_iter([("it".to_string(), it)]), formulas }
    }

    #[test]
    fn texts_show_values() {
        let formulas = BTreeMap::from([("cubes".to_string(), json!("it.sizes.*.mean / it.sizes.*.size ^ 3"))]);
        let text = |template: &str| scope(&formulas).text(template).expect("a text");
        assert_eq!(text("{it.verdict}: {it.states:,} states"), "holds: 1,393,967,976 states");
        assert_eq!(text("{it.sizes.1.mean:2}, {it.sizes.last.size}, {it.missing:2}"), "64.00, 8, –");
        assert_eq!(text("{max(cubes)} {cubes.0} {cubes.last}"), "1 1 –");
        assert_eq!(text("{if(it.closed, 'closed', 'open')}"), "closed");
        assert_eq!(text("{1 + 2 * 3 ^ 2 - -1} {(1 + 2) * 3}"), "20 9");
        assert_eq!(text("{join(it.sizes.*.size, ' and ')}"), "2 and 4 and 8");
        assert_eq!(text("{min(lengths(places(it.cycle, 'leader=1')))} of {length(it.cycle)}"), "1 of 2");
        assert_eq!(text("u{join(places(it.cycle.1, 'leader=1'), ' and u')}"), "u1");
        assert_eq!(text("{slope(range(0, 3), it.sizes.*.size)} {place(it.sizes.*.mean)}"), "3 1");
        assert_eq!(text("{sum(by_size(it.sizes))} {length(by_size(it.sizes))}"), "0 3");
    }

    #[test]
    fn a_missing_value_agrees_with_nothing() {
        let formulas = BTreeMap::new();
        let holds = |formula: &str| scope(&formulas).holds(formula).expect("a formula");
        assert!(holds("it.verdict == 'holds' && it.sizes.0.mean == 8"));
        for formula in ["it.no == 0", "it.no != 0", "it.no <= 1", "it.no == it.no", "all(it.sizes.*.no == 0)", "it.no"]
        {
            assert!(!holds(formula), "{formula}");
        }
        assert!(!holds("all(it.sizes.*.mean > 0)"), "one size has no mean");
        assert!(holds("all(it.sizes.*.size > 1)") && !holds("all(it.sizes.*.size > 2)"));
    }

    #[test]
    fn a_mistake_in_a_formula_is_an_error() {
        let formulas = BTreeMap::new();
        for formula in ["its.verdict", "1 +", "(1", "sine(1)", "'open", "1 2", "abs(1, 2)"] {
            assert!(scope(&formulas).value(formula).is_err(), "{formula}");
        }
    }
}
