//! The card of a protocol in text.

use crate::keep::{Kept, keep, keep_words, kept};
use crate::meaning::typed::{Domain, Model, Op, Unit};
use crate::syntax::ast::{self, File};
use crate::syntax::parse::items::TEXTS;
use ringleader_erased::{Card, Identities, Kind, Parameter, ParameterKind};
use ringleader_model::Channels;
use std::sync::Mutex;

fn states(unit: &Unit) -> String {
    let count = |domain: &Domain| match domain {
        Domain::Bit => "2".to_string(),
        Domain::Words(words) => unit.enums[*words].len().to_string(),
        Domain::Range(low, high) => match (&low.op, &high.op) {
            (Op::Const(low), Op::Const(high)) => (high - low + 1).to_string(),
            _ => "?".to_string(),
        },
        Domain::Neighbour { .. } => "?".to_string(),
    };
    let counts: Vec<_> = unit.variables.iter().map(|v| count(&v.domain)).collect();
    let known = counts.iter().map(|c| c.parse::<u64>().ok()).collect::<Option<Vec<_>>>();
    known
        .and_then(|all| all.into_iter().try_fold(1u64, u64::checked_mul))
        .map_or_else(|| "depends on the parameters".into(), |n| n.to_string())
}

/// The parameters that a file declares.
pub(crate) fn parameters(file: &File, text: &str) -> &'static [Parameter] {
    static LISTS: Kept<[Parameter]> = Mutex::new(None);
    let parameter = |p: &ast::Parameter| Parameter {
        name: keep(&p.name.it),
        meaning: keep(&p.meaning),
        default: keep(match &text[p.default.span.clone()] {
            "n" => "the size",
            written => written,
        }),
        kind: match p.domain.as_ref().map(|domain| &domain.it) {
            Some(ast::Domain::Words(words)) => {
                ParameterKind::Choice(keep_words(&words.iter().map(|word| word.it.clone()).collect::<Vec<_>>()))
            }
            _ => ParameterKind::Number,
        },
    };
    let messages = file.model.as_ref().is_none_or(|(model, _)| model.it != "graph");
    let identities = file.identities.as_ref().filter(|_| messages).map(|_| Identities::PARAMETER);
    kept(&LISTS, file.parameters.iter().map(parameter).chain(identities).collect())
}

pub(crate) fn card(unit: &Unit, file: &File, source: &str) -> Card {
    let text = |word: &str| file.texts.iter().find(|(known, _)| known.it == word).map(|(_, text)| keep(text));
    let kind = match unit.model {
        Model::Population { .. } => Kind::Population,
        Model::Ring { .. } => Kind::Ring,
        Model::Graph { .. } => Kind::Graph,
        Model::Message { .. } => Kind::Message,
    };
    let sizes: Vec<_> = unit.requires.iter().chain(&unit.supports).map(|c| c.written.as_str()).collect();
    Card {
        name: keep(&unit.name),
        source: keep(source),
        summary: text("summary").unwrap_or(""),
        citation: text("citation").unwrap_or("none given"),
        kind,
        topology: unit.topology,
        sizes: if sizes.is_empty() { "any n" } else { keep(&sizes.join(" and ")) },
        knowledge: text("knowledge").unwrap_or("nothing"),
        scheduler: unit.scheduler,
        assumes: text("assumes").unwrap_or(""),
        oracle: (unit.model == Model::Population { hears: true }).then_some("the leader detector Ω?"),
        channels: match unit.model {
            Model::Message { channels: Channels::Bag, .. } => Some("reliable; bags or FIFO"),
            Model::Message { channels: Channels::Fifo, .. } => Some("reliable; FIFO"),
            _ => None,
        },
        states: text("states").unwrap_or_else(|| keep(&states(unit))),
        claim: text("claim").unwrap_or(""),
        default_size: unit.size.unwrap_or(8),
        parameters: parameters(file, source),
        rules: keep(&rules(source)),
        flaw: text("flaw"),
        law: unit.law,
        shade: file.shade.as_ref().map(|shade| keep(&shade.it)),
        ..Card::BLANK
    }
}

/// The rules as written: the text from the first line that is not a description of the protocol.
fn rules(source: &str) -> String {
    let others = ["protocol", "law", "\"", "#", "size", "scheduler"];
    let is_about = |line: &&str| {
        let line = line.trim_start();
        line.is_empty() || TEXTS.split(' ').chain(others).any(|word| line.starts_with(word))
    };
    source.lines().skip_while(is_about).collect::<Vec<_>>().join("\n").trim_end().to_string()
}
