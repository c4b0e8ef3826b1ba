//! Starts of runs by a condition, written in the language of the texts.

use crate::claims::{MARKS, first, packed, values};
use crate::{Catalog, ClaimError, Instance};
use ringleader_erased::{Number, Parameters};
use ringleader_language::{State, Terms};
use ringleader_simulate::Among;

impl Catalog {
    /// The starts that meet a condition, for runs; `what` is its name in messages. [`Catalog::starting`] is the same for checks.
    ///
    /// ```
    /// use ringleader_catalog::Catalog;
    /// use ringleader_erased::{Instance, Parameters};
    /// use ringleader_simulate::{Generator, Start};
    /// let (catalog, hundred) = (Catalog::builtin(), Parameters::new(100));
    /// let text = "all i : leader[i] and bullet[i] = 0";
    /// let start = Start::Among(catalog.start("fischer-jiang-ring", &hundred, "--start", text).unwrap());
    /// let Instance::Population(algorithm) = catalog.instance("fischer-jiang-ring", &hundred).unwrap() else { panic!() };
    /// let states = start.states(&algorithm, 100, &mut Generator::new(1)).unwrap();
    /// assert!(states.iter().all(|state| algorithm.marks_of(state.0).leader()));
    /// ```
    pub fn start(&self, name: &str, parameters: &Parameters, what: &str, text: &str) -> Result<Among, ClaimError> {
        let mut condition = None;
        let read = |terms: &Terms| {
            let read = terms.condition(what, text)?;
            condition = Some(read.clone());
            Ok(vec![vec![read]])
        };
        let holds = self.bitmaps(name, parameters, read)?.remove(0).holds;
        let among = Among::new(text, move |states| {
            let digits: Vec<u32> = states.iter().map(|state| state.0 as u32).collect();
            holds(&digits) != 0
        });
        let Some(condition) = condition else { return Ok(among) };
        let states: Vec<State> = match self.instance(name, parameters)? {
            Instance::Population(instance) => {
                let (_, marks) = self.terms(name, parameters, &first(&instance), &instance)?;
                packed(&instance, &marks, &condition)
            }
            Instance::Ring(instance) => {
                // The marks of a process depend on its neighbours, too.
                let count = first(&instance).len();
                if (0..MARKS.len()).any(|mark| condition.speaks_alone_of(count + mark)) {
                    return Ok(among);
                }
                (0..instance.states()).map(|state| condition.pack(&values(&instance, state))).collect()
            }
            _ => return Ok(among),
        };
        Ok(among.allowing(move |agent, state: Number| condition.allows(agent, states[state.0 as usize])))
    }
}
