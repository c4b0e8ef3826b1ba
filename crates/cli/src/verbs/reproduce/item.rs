//! The claims of the papers as data, and their evaluation.

use super::finding::{Exhibit, Finding, Row};
use super::formula::Scope;
use super::runner::Runner;
use ringleader_report::plot::{BLUE, GREEN, GREY, ORANGE, Plot, Scale, Series, Stroke};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The papers, in the order of the page.
pub(super) static PAPERS: LazyLock<Vec<Paper>> = LazyLock::new(|| {
    [
        include_str!("fischer-jiang.toml"),
        include_str!("fich-johnen.toml"),
        include_str!("yokota.toml"),
        include_str!("franklin.toml"),
        include_str!("robust.toml"),
    ]
    .map(read)
    .into()
});

/// Other tools that print numbers about the same protocols.
pub(super) static OTHERS: LazyLock<Vec<Paper>> = LazyLock::new(|| vec![read(include_str!("others.toml"))]);

fn read(text: &str) -> Paper {
    toml::from_str(text).unwrap_or_else(|wrong| panic!("the data of a paper: {wrong}"))
}

/// Files that commands read.
const FILES: [(&str, &str); 3] = [
    ("figure-3.trace", include_str!("figure-3.trace")),
    ("beauquier-gradinariu-johnen.ring", include_str!("texts/beauquier-gradinariu-johnen.ring")),
    ("five-state-token-ring.ring", include_str!("texts/five-state-token-ring.ring")),
];

/// One of the papers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Paper {
    pub(super) key: String,
    pub(super) citation: String,
    /// The source of the printed numbers, as the head of a column.
    #[serde(default = "the_paper")]
    pub(super) source: String,
    pub(super) items: Vec<Item>,
}

fn the_paper() -> String {
    "the paper".into()
}

/// One claim. In every text, `{formula}` stands for the formula's value.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Item {
    /// Its name on the command line.
    pub(super) name: String,
    /// Where in the paper.
    pub(super) place: String,
    pub(super) claim: String,
    /// The algorithms that the claim is about, by their names in the catalog.
    pub(super) algorithms: Vec<String>,
    /// Names for formulas and lists.
    #[serde(rename = "let")]
    formulas: BTreeMap<String, Value>,
    steps: Vec<Step>,
    /// Notes for the reader; an empty one is left out.
    remarks: Vec<String>,
    /// Files that are removed in the end.
    scratch: Vec<String>,
}

/// A loop over values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Loop {
    /// The name of the value, or the names of its members.
    each: String,
    /// A list, or a formula for one.
    r#in: Value,
    /// Which values are taken.
    only: Option<String>,
}

/// A part of an item: loops, a command in them, and a row, a figure, a page or more steps from its result.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Step {
    r#for: Vec<Loop>,
    when: Option<String>,
    /// A command, run with --json; the result is called `it`, or as `as` says.
    run: Option<String>,
    /// Runs the command in these loops, and the result is the list of all results.
    with: Vec<Loop>,
    r#as: Option<String>,
    /// Takes the result of a command that ran before instead of running it again.
    once: bool,
    /// Appends every result to the list of this name, which later steps may use.
    collect: Option<String>,
    what: Option<String>,
    claimed: String,
    seen: String,
    /// Whether the computed figure agrees with the paper's; otherwise it must be the same text.
    agrees: Option<String>,
    /// The computed figure differs from the paper's; it must be this text, and `because` explains it.
    expected: Option<String>,
    because: String,
    /// Why no run can decide the claim.
    undecidable: Option<String>,
    figure: Option<Figure>,
    page: Option<Page>,
    steps: Vec<Step>,
}

/// A picture: a plot of curves, or the file NAME.svg that a command wrote.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Figure {
    name: String,
    caption: String,
    title: String,
    x: String,
    y: String,
    /// The axes that are logarithmic.
    logarithmic: String,
    curves: Vec<Curve>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Curve {
    name: String,
    x: Value,
    y: String,
    stroke: String,
    colour: String,
}

/// A run, drawn in text and as a page that plays it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    run: String,
    file: String,
    caption: String,
    /// The caption of the drawing, if it is another one.
    drawing: Option<String>,
    /// Lines that begin with this text are left out of the drawing.
    without: Option<String>,
}

impl Item {
    /// Runs the commands and compares their results with the paper.
    pub(super) fn run(&self, runner: &mut Runner) -> Result<Finding, String> {
        for (name, text) in FILES.iter().filter(|(name, _)| self.scratch.iter().any(|file| file == name)) {
            runner.put(name, text)?;
        }
        let values =
            Map::from_iter([("seed".to_string(), json!(runner.seed)), ("full".to_string(), json!(runner.full))]);
        let mut evaluation =
            Evaluation { runner, finding: Finding::default(), collected: Map::new(), known: Map::new() };
        let scope = Scope { values, formulas: &self.formulas };
        for step in &self.steps {
            evaluation.step(step, &scope)?;
        }
        let mut finding = evaluation.finding;
        for remark in &self.remarks {
            finding.remarks.extend(Some(scope.text(remark)?).filter(|text| !text.is_empty()));
        }
        for name in &self.scratch {
            runner.take(name)?;
        }
        Ok(finding)
    }
}

/// One scope per round of the loops, the last loop being the innermost.
fn rounds<'a>(loops: &[Loop], scope: &Scope<'a>) -> Result<Vec<Scope<'a>>, String> {
    let Some((outer, inner)) = loops.split_first() else { return Ok(vec![scope.clone()]) };
    let mut all = vec![];
    let names: Vec<_> = outer.each.split(' ').collect();
    for value in scope.formula_or_list(&outer.r#in)?.as_array().into_iter().flatten() {
        let members =
            if names.len() == 1 { std::slice::from_ref(value) } else { value.as_array().map_or(&[][..], |m| m) };
        let mut scope = scope.clone();
        scope.values.extend(names.iter().map(ToString::to_string).zip(members.iter().cloned()));
        if outer.only.as_ref().map_or(Ok(true), |only| scope.holds(only))? {
            all.extend(rounds(inner, &scope)?);
        }
    }
    Ok(all)
}

struct Evaluation<'r> {
    runner: &'r mut Runner,
    finding: Finding,
    collected: Map<String, Value>,
    /// Results by command, of the steps that run a command once.
    known: Map<String, Value>,
}

impl Evaluation<'_> {
    fn step(&mut self, step: &Step, scope: &Scope<'_>) -> Result<(), String> {
        let mut scope = scope.clone();
        scope.values.extend(self.collected.clone());
        for mut scope in rounds(&step.r#for, &scope)? {
            if !step.when.as_ref().map_or(Ok(true), |when| scope.holds(when))? {
                continue;
            }
            if let Some(command) = &step.run {
                let mut results = vec![];
                for scope in rounds(&step.with, &scope)? {
                    results.push(self.result(&scope.text(command)?, step.once)?);
                }
                let result = if step.with.is_empty() { results.remove(0) } else { json!(results) };
                if let Some(name) = &step.collect {
                    let list = self.collected.entry(scope.text(name)?).or_insert(json!([]));
                    list.as_array_mut().into_iter().for_each(|list| list.push(result.clone()));
                }
                scope.values.insert(step.r#as.clone().unwrap_or("it".to_string()), result);
            }
            if let Some(what) = &step.what {
                self.finding.rows.push(step.row(what, &scope)?);
            }
            if let Some(figure) = &step.figure {
                self.figure(figure, &scope)?;
            }
            if let Some(page) = &step.page {
                self.page(page, &scope)?;
            }
            for inner in &step.steps {
                self.step(inner, &scope)?;
            }
        }
        Ok(())
    }

    fn result(&mut self, command: &str, once: bool) -> Result<Value, String> {
        if let Some(known) = self.known.get(command).filter(|_| once) {
            return Ok(known.clone());
        }
        let result = self.runner.json(command)?;
        self.known.insert(command.to_string(), result.clone());
        Ok(result)
    }

    fn figure(&mut self, figure: &Figure, scope: &Scope<'_>) -> Result<(), String> {
        let name = scope.text(&figure.name)?;
        let text =
            if figure.curves.is_empty() { self.runner.take(&format!("{name}.svg"))? } else { figure.draw(scope)? };
        let (caption, file) = (scope.text(&figure.caption)?, format!("figures/{name}.svg"));
        self.finding.figures.push(Exhibit { caption, file, text });
        Ok(())
    }

    fn page(&mut self, page: &Page, scope: &Scope<'_>) -> Result<(), String> {
        let file = format!("runs/{}", page.file);
        let text = self.runner.text(&format!("{} --html {file}", scope.text(&page.run)?))?;
        let left_out = |line: &str| page.without.as_ref().is_some_and(|start| line.starts_with(start));
        let text = text.split_inclusive('\n').filter(|line| !left_out(line)).collect();
        let caption = page.drawing.as_ref().unwrap_or(&page.caption).clone();
        self.finding.drawings.push(Exhibit { caption, file: String::new(), text });
        self.finding.pages.push(Exhibit { caption: page.caption.clone(), file, text: String::new() });
        Ok(())
    }
}

impl Step {
    fn row(&self, what: &str, scope: &Scope<'_>) -> Result<Row, String> {
        let [what, claimed, seen] = [what, &self.claimed, &self.seen].map(|text| scope.text(text));
        let (what, claimed, seen) = (what?, claimed?, seen?);
        let agrees = match (&self.agrees, &self.undecidable) {
            _ if claimed.is_empty() => None,
            (_, Some(_)) => None,
            (Some(formula), _) => Some(scope.holds(formula)?),
            (None, None) => Some(claimed == seen),
        };
        let explanation = self.expected.as_ref().filter(|expected| **expected == seen).map(|_| self.because.clone());
        Ok(Row { what, claimed, seen, agrees, explanation, undecidable: self.undecidable.clone() })
    }
}

impl Figure {
    fn draw(&self, scope: &Scope<'_>) -> Result<String, String> {
        let scale = |axis| if self.logarithmic.contains(axis) { Scale::Logarithmic } else { Scale::Linear };
        let series = self.curves.iter().map(|curve| curve.series(scope)).collect::<Result<Vec<_>, _>>()?;
        let (title, x, y) = (scope.text(&self.title)?, (&*self.x, scale("x")), (&*self.y, scale("y")));
        Ok(Plot { title: &title, x, y, series: &series, ..Plot::default() }.draw().svg())
    }
}

impl Curve {
    /// The points; the formula of the second coordinates may use the first ones as `x`.
    fn series(&self, scope: &Scope<'_>) -> Result<Series, String> {
        let mut scope = scope.clone();
        let x = scope.formula_or_list(&self.x)?;
        scope.values.insert("x".to_string(), x.clone());
        let y = scope.value(&self.y)?;
        let numbers = |of: &Value| of.as_array().into_iter().flatten().map(Value::as_f64).collect::<Vec<_>>();
        let points = numbers(&x).into_iter().zip(numbers(&y)).filter_map(|(x, y)| Some((x?, y?))).collect();
        let stroke = pick(&self.stroke, [("line", Stroke::Full), ("dashes", Stroke::Dashed), ("dots", Stroke::Dots)])?;
        let colour = pick(&self.colour, [("blue", BLUE), ("green", GREEN), ("grey", GREY), ("orange", ORANGE)])?;
        Ok(Series { name: scope.text(&self.name)?, points, stroke, colour })
    }
}

fn pick<T, const N: usize>(name: &str, from: [(&str, T); N]) -> Result<T, String> {
    from.into_iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
        .ok_or(format!("{name:?} is no stroke or colour"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_can_be_evaluated() {
        for full in [false, true] {
            for item in PAPERS.iter().chain(&*OTHERS).flat_map(|paper| &paper.items) {
                let mut runner = Runner::without_commands(full);
                let finding = item.run(&mut runner).unwrap_or_else(|wrong| panic!("{}: {wrong}", item.name));
                assert!(!runner.commands().is_empty(), "{}", item.name);
                let agrees = finding.rows.iter().find(|row| row.agrees == Some(true) || row.explanation.is_some());
                assert!(
                    agrees.is_none(),
                    "{}: a row agrees without a result: {}",
                    item.name,
                    agrees.map_or("", |r| &r.what)
                );
                assert!(finding.rows.iter().any(Row::differs), "{}", item.name);
            }
        }
    }
}
