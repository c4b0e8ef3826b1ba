//! The protocols that come as text only: what plain enumeration says of them at small sizes.

use ringleader_check::{Monitor, Question, Report};
use ringleader_erased::{MessageInstance, Number, Parameters, PopulationInstance, RingInstance};
use ringleader_explore::{Options as Exploring, Space};
use ringleader_language::{Instance, Protocol, Source};
use ringleader_model::{
    Channels, Event, Graph, NoCoin, Odometer, Process, Ring, Scheduler, Stabilizing, Terminating, Told, View,
};

fn read(name: &str) -> Protocol {
    let path = format!("{}/protocols/{name}.ring", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    Source::parse(&path, &text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn population(name: &str, parameters: &Parameters) -> PopulationInstance {
    match read(name).instance(parameters) {
        Ok(Instance::Population(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

fn ring(name: &str, parameters: &Parameters) -> RingInstance {
    match read(name).instance(parameters) {
        Ok(Instance::Ring(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

fn check_population(name: &str, parameters: &Parameters, graph: Graph, scheduler: Scheduler) -> Report {
    ringleader_check::population(&population(name, parameters), &graph, &Question::new(scheduler), &Monitor::new(2))
        .unwrap()
}

/// What plain enumeration says of a ring or a line under the unfair central daemon.
struct Plain {
    /// How many configurations are correct.
    correct: usize,
    /// Whether no step leaves the safe set, and everything in it is correct.
    closed: bool,
    /// Whether every run outside it ends in it.
    reached: bool,
}

fn unfair(ring: &RingInstance, size: usize) -> Plain {
    let radix = ring.states();
    let digits = |c: usize| (0..size).map(|p| c as u64 / radix.pow(p as u32) % radix).collect::<Vec<u64>>();
    let count = radix.pow(size as u32) as usize;
    let (mut correct, mut possible, mut good) = (0, vec![false; count], vec![false; count]);
    for c in 0..count {
        let states: Vec<_> = digits(c).into_iter().map(Number).collect();
        let mut restored = states.clone();
        ring.restore(&mut restored);
        if restored == states {
            possible[c] = true;
            correct += usize::from(ring.correct(&states));
            good[c] = ring.safe(&states);
            assert!(!good[c] || ring.correct(&states));
        }
    }
    // Backwards from the safe configurations: one is good once all its successors are, if it has any.
    let (mut left, mut before) = (vec![0u32; count], vec![vec![]; count]);
    let mut closed = true;
    for c in (0..count).filter(|c| possible[*c]) {
        for d in moves(ring, &digits(c), c) {
            assert!(possible[d]);
            closed &= !good[c] || good[d];
            left[c] += 1;
            before[d].push(c as u32);
        }
    }
    let mut found: Vec<usize> = (0..count).filter(|c| good[*c]).collect();
    while let Some(d) = found.pop() {
        for c in std::mem::take(&mut before[d]).into_iter().map(|c| c as usize) {
            left[c] -= 1;
            if left[c] == 0 && !good[c] {
                good[c] = true;
                found.push(c);
            }
        }
    }
    Plain { correct, closed, reached: (0..count).all(|c| good[c] || !possible[c]) }
}

/// The configurations that one step of one process leads to, itself excepted, once for each outcome.
fn moves(ring: &RingInstance, states: &[u64], c: usize) -> Vec<usize> {
    let mut found = vec![];
    for p in 0..states.len() {
        let weight = ring.states().pow(p as u32);
        Odometer::each(|coin| {
            let new = ring.try_act(View::of(states, p, ring.chain()), coin).unwrap();
            if new != states[p] {
                found.push((c as u64 + new * weight - states[p] * weight) as usize);
            }
        });
    }
    found
}

fn holds(name: &str, parameters: &Parameters) -> bool {
    let plain = unfair(&ring(name, parameters), parameters.size);
    plain.closed && plain.reached
}

#[test]
fn dijkstras_k_states_need_at_least_n_less_one() {
    for n in 2..7 {
        for k in 2.max(n - 1)..=n + 1 {
            let parameters = Parameters::new(n).with("k", k.to_string());
            assert!(holds("dijkstra-k-state", &parameters), "n = {n}, k = {k}");
            let report = ringleader_check::ring(
                &ring("dijkstra-k-state", &parameters),
                n,
                &Question::new(Scheduler::Unfair),
                &Monitor::new(2),
            );
            assert!(report.unwrap().holds);
        }
    }
    for n in [4, 5, 6] {
        let parameters = Parameters::new(n).with("k", (n - 2).to_string());
        assert!(read("dijkstra-k-state").supports(&parameters).is_err());
        assert!(!holds("dijkstra-k-state", &parameters), "n = {n}");
    }
}

#[test]
fn dijkstras_four_states() {
    for n in 2..8 {
        assert!(holds("dijkstra-four-state", &Parameters::new(n)), "n = {n}");
    }
}

#[test]
fn dijkstras_three_states() {
    for n in 2..9 {
        assert!(holds("dijkstra-three-state", &Parameters::new(n)), "n = {n}");
    }
    assert_eq!(unfair(&ring("dijkstra-three-state", &Parameters::new(3)), 3).correct, 21);
}

#[test]
fn huang_at_prime_sizes_only() {
    for (n, right) in [(2, true), (3, true), (4, false), (5, true), (6, false), (7, true)] {
        assert_eq!(holds("huang", &Parameters::new(n)), right, "n = {n}");
    }
}

/// The expected number of steps to one token from every configuration, by iteration from below.
fn herman_steps(n: usize) -> (RingInstance, Vec<f64>) {
    let herman = ring("herman", &Parameters::new(n));
    let bit = |c: usize, p: usize| (c >> p & 1) as u64;
    let outcomes: Vec<Vec<usize>> = (0..1 << n)
        .map(|c| {
            let view = |p: usize| View::of(&(0..n).map(|p| bit(c, p)).collect::<Vec<_>>(), p, herman.chain());
            let mut found = vec![];
            Odometer::each(|coin| {
                found.push((0..n).fold(0, |d, p| d | (herman.try_act(view(p), coin).unwrap() as usize) << p));
            });
            found
        })
        .collect();
    let safe = |c: usize| herman.safe(&(0..n).map(|p| Number(bit(c, p))).collect::<Vec<_>>());
    let mut steps = vec![0.0; 1 << n];
    for _ in 0..1500 {
        for c in (0..1 << n).filter(|c| !safe(*c)) {
            steps[c] = 1.0 + outcomes[c].iter().map(|d| steps[*d]).sum::<f64>() / outcomes[c].len() as f64;
        }
    }
    (herman, steps)
}

#[test]
fn herman_takes_what_is_proved_of_it() {
    for (n, worst) in [(3, 4.0 / 3.0), (5, 3.2), (7, 48.0 / 7.0), (9, 12.0)] {
        let (_, steps) = herman_steps(n);
        let most = steps.iter().fold(0.0f64, |a, b| a.max(*b));
        assert!((most - worst).abs() < 1e-9 && most <= 4.0 * (n * n) as f64 / 27.0 + 1e-9, "n = {n}: {most}");
        for (c, steps) in steps.iter().enumerate() {
            let token = |p: usize| c >> p & 1 == c >> ((p + n - 1) % n) & 1;
            let tokens: Vec<usize> = (0..n).filter(|p| token(*p)).collect();
            if let [x, y, z] = tokens[..] {
                let expected = 4.0 * ((y - x) * (z - y) * (n + x - z)) as f64 / n as f64;
                assert!((steps - expected).abs() < 1e-9, "n = {n}, {tokens:?}");
            }
        }
    }
}

#[test]
fn israeli_jalfon_from_every_configuration_with_a_token() {
    for n in 3..8 {
        let graph = Graph::undirected_ring(n).unwrap();
        let report = check_population("israeli-jalfon", &Parameters::new(n), graph, Scheduler::Random);
        assert!(report.holds && report.configurations == (1 << n) - 1, "n = {n}: {report:?}");
    }
}

#[test]
fn cai_izumi_wada_under_the_unfair_scheduler() {
    for n in 2..7 {
        let graph = Graph::complete(n).unwrap();
        let report = check_population("cai-izumi-wada", &Parameters::new(n), graph, Scheduler::Unfair);
        assert!(report.holds, "n = {n}");
    }
}

#[test]
fn loosely_stabilizing_is_not_self_stabilizing() {
    let parameters = Parameters::new(3).with("timer", "4");
    let graph = Graph::complete(3).unwrap();
    assert!(!check_population("loosely-stabilizing", &parameters, graph, Scheduler::Random).holds);
}

/// Three agents: every possible configuration can reach a safe one, and no step leaves those.
#[test]
fn optimal_silent_ranking_of_three_by_plain_enumeration() {
    let given = [("resets", "1"), ("errors", "1"), ("delay", "1")];
    let parameters = given.iter().fold(Parameters::new(3), |p, (name, value)| p.with(*name, *value));
    let protocol = population("optimal-silent-ranking", &parameters);
    let possible = |state: u64| {
        let mut alone = vec![Number(state); 3];
        protocol.restore(&mut alone);
        alone[0] == Number(state)
    };
    let states: Vec<u64> = (0..protocol.states()).filter(|state| possible(*state)).collect();
    assert_eq!(states.len(), 3 * 3 + 2 + 2 * 2 * 2);
    let place = |state: u64| states.binary_search(&state).expect("rules keep to possible states");
    let n = states.len();
    let digits = |c: usize| [c % n, c / n % n, c / n / n];
    let met: Vec<(usize, usize)> = (0..n * n)
        .map(|pair| {
            let (u, v) = (states[pair % n], states[pair / n]);
            let (u, v) = protocol.try_interact(u, v, Told::both(true), &mut NoCoin).unwrap();
            (place(u), place(v))
        })
        .collect();
    let next = |c: usize| {
        let d = digits(c);
        let pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
        pairs.map(|(i, j)| {
            let (mut e, (u, v)) = (d, met[d[i] + n * d[j]]);
            (e[i], e[j]) = (u, v);
            e[0] + n * (e[1] + n * e[2])
        })
    };
    let safe = |c: usize| protocol.safe(&digits(c).map(|at| Number(states[at])));
    let mut good: Vec<bool> = (0..n * n * n).map(safe).collect();
    assert!((0..good.len()).filter(|c| good[*c]).all(|c| next(c).iter().all(|d| *d == c)), "silent");
    while let Some(c) = (0..good.len()).find(|c| !good[*c] && next(*c).iter().any(|d| good[*d])) {
        good[c] = true;
        (c..good.len()).for_each(|c| good[c] |= next(c).iter().any(|d| good[*d]));
    }
    assert!(good.iter().all(|good| *good));
}

fn messages(name: &str, parameters: &Parameters) -> MessageInstance {
    match read(name).instance(parameters) {
        Ok(Instance::Message(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

/// All orders of 1 to n.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let insert = |order: Vec<usize>| (0..n).map(move |at| [&order[..at], &[n], &order[at..]].concat());
    orders(n - 1).into_iter().flat_map(insert).collect()
}

fn written(order: &[usize]) -> String {
    order.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Runs to the end, whoever is first goes first; how many messages were sent, and who leads.
fn run(protocol: &MessageInstance, n: usize) -> (usize, Vec<usize>) {
    let network = protocol.network();
    let mut states: Vec<_> = (0..n).map(|me| protocol.start(me)).collect();
    let mut channels = vec![vec![]; 2 * n];
    let mut sent = 0;
    loop {
        let waiting =
            |p: usize, port: usize| channels.get(network.channel(p, port)).and_then(|c: &Vec<_>| c.first().cloned());
        let events = (0..n).flat_map(|p| {
            let received = (0..2).filter_map(move |port| {
                Some((p, Some(port), Event::Message { from: port, message: waiting(p, port)? }))
            });
            std::iter::once((p, None, Event::Step)).chain(received)
        });
        let Some((p, port, event)) = events.into_iter().find(|(p, _, event)| protocol.ready(&states[*p], event)) else {
            break;
        };
        if let Some(port) = port {
            channels[network.channel(p, port)].remove(0);
        }
        let mut out = vec![];
        protocol.on(p, &mut states[p], event, &mut out, &mut NoCoin);
        sent += out.len();
        for (to, message) in out {
            let (receiver, port) = network.arrival(p, to);
            channels[network.channel(receiver, port)].push(message);
        }
    }
    (sent, (0..n).filter(|p| protocol.marks(*p, &states[*p]).leader()).collect())
}

/// Every order of identities, every schedule: the largest is the only leader whenever it ends.
fn largest_leads(name: &str, n: usize, channels: Channels) {
    for order in orders(n) {
        let protocol = messages(name, &Parameters::new(n).with("identities", written(&order)));
        let space = Space::explore(&protocol, &Exploring { channels, ..Exploring::default() }, &mut |_| true).unwrap();
        let graph = space.graph();
        for end in (0..graph.len()).filter(|state| graph.choices(*state).len() == 0) {
            let states = &space.view(end).snapshot().states;
            let leads = |p: &usize| states[*p].contains("mode=leader");
            let leaders: Vec<_> = (0..n).filter(leads).map(|p| order[p]).collect();
            assert_eq!(leaders, [n], "{order:?}");
        }
    }
}

#[test]
fn hirschberg_and_sinclair_elect_the_largest() {
    largest_leads("hirschberg-sinclair", 2, Channels::Bag);
    largest_leads("hirschberg-sinclair", 3, Channels::Bag);
    for n in 2..8 {
        for order in orders(n).into_iter().step_by(7) {
            let protocol = messages("hirschberg-sinclair", &Parameters::new(n).with("identities", written(&order)));
            let (sent, leaders) = run(&protocol, n);
            assert_eq!(leaders.iter().map(|p| order[*p]).collect::<Vec<_>>(), [n]);
            assert!(sent as f64 <= 8.0 * n as f64 * (1.0 + (n as f64).log2()), "{order:?}: {sent}");
        }
    }
}

#[test]
fn le_lann_sends_every_identity_around() {
    largest_leads("le-lann", 3, Channels::Fifo);
    largest_leads("le-lann", 4, Channels::Fifo);
    for n in 2..7 {
        for order in orders(n).into_iter().step_by(5) {
            let (sent, leaders) = run(&messages("le-lann", &Parameters::new(n).with("identities", written(&order))), n);
            assert_eq!((sent, leaders.iter().map(|p| order[*p]).collect::<Vec<_>>()), (n * n, vec![n]));
        }
    }
}
