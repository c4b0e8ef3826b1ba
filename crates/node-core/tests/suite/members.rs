//! Changes of the list of members among whole cores: hosts join, leave, are replaced, and lose their files.

use crate::common::{Dice, beats, keys, tempo};
use crate::world::{World, failover, guard, length, storm};
use ringleader_node_core::lease::{Lists, Members, Record, Stage};
use ringleader_node_core::{Guard, Instruction, Trouble, Withdrawal};
use std::time::Duration;

fn with_files() -> Guard {
    Guard { record: Some(Record::default()), ..guard() }
}

fn list<const N: usize>(ids: [usize; N]) -> Members {
    ids.into_iter().collect()
}

/// A cluster of these members that has a leader.
fn cluster<const N: usize>(size: usize, members: [usize; N], seed: u64) -> World {
    let mut world = World::of_members(size, list(members), seed, with_files());
    world.until_confirmed(failover());
    world.run(beats(5));
    world
}

/// An operator edits the list on a host, and reloads.
fn reload(world: &mut World, me: usize, members: Members) {
    world.hosts[me].configured = members;
    let flags = (0..world.hosts.len()).map(|id| members.contains(id)).collect();
    world.order(me, Instruction::Reload { members: flags, keys: keys() });
}

/// A host with a fresh file and this list in its settings starts.
fn start_fresh(world: &mut World, me: usize, members: Members) {
    (world.hosts[me].file, world.hosts[me].configured) = (Record::default(), members);
    world.start(me);
}

fn stage(world: &World, me: usize) -> Stage {
    world.hosts[me].core.as_ref().and_then(|core| core.status().lists).map_or(Stage::None, |(_, stage)| stage)
}

fn notices(world: &World, me: usize) -> Vec<Trouble> {
    let core = world.hosts[me].core.as_ref().unwrap();
    core.notices().recent(world.clock(me).elapsed).map(|notice| notice.trouble).collect()
}

/// Waits until all of these have adopted the list with this number.
fn adopted(world: &mut World, hosts: Members, number: u64, members: Members) {
    let begun = world.now;
    let expected = Lists { number, ..Lists::first(members) };
    while hosts.iter().any(|me| world.hosts[me].file.lists != expected) {
        world.run(tempo().heartbeat);
        let seen: Vec<Stage> = hosts.iter().map(|me| stage(world, me)).collect();
        assert!(
            world.now - begun < beats(40),
            "{:?} {seen:?}",
            hosts.iter().map(|me| world.hosts[me].file.lists).collect::<Vec<_>>()
        );
    }
}

/// The fault of the issue: from three members to five, one host after the other, and then a cut between the old and the new ones.
#[test]
fn three_members_become_five_and_a_cut_gives_no_second_leader() {
    for seed in 0..20 {
        let (mut world, five) = (cluster(5, [0, 1, 2], seed), list([0, 1, 2, 3, 4]));
        let mut dice = Dice(seed);
        (3..5).for_each(|me| start_fresh(&mut world, me, five));
        for me in 0..3 {
            reload(&mut world, me, five);
            world.run(beats(1) * dice.below(30) as u32 / 10);
        }
        if seed % 2 == 0 {
            adopted(&mut world, five, 2, five);
            assert_eq!(world.confirmed(), [0], "no leader is lost by a change");
            (0..5).for_each(|me| assert_eq!(stage(&world, me), Stage::None));
        }
        // {0, 1} is a majority of the old list, {2, 3, 4} of the new one.
        world.cut(|host| host < 2);
        world.run(beats(30));
        world.cut(|_| true);
        adopted(&mut world, five, 2, five);
        world.until_confirmed(failover() + beats(60));
    }
}

#[test]
fn a_leader_that_is_removed_hands_over() {
    for seed in 0..10 {
        let (mut world, after) = (cluster(4, [0, 1, 2], seed), list([1, 2, 3]));
        assert_eq!(world.confirmed(), [0]);
        start_fresh(&mut world, 3, after);
        reload(&mut world, 1, after);
        adopted(&mut world, after, 2, after);
        world.run(beats(20));
        assert_eq!(world.confirmed(), [1], "seed {seed}");
        let removed = world.hosts[0].core.as_ref().unwrap().status();
        assert_eq!((removed.withdrawn, stage(&world, 0)), (Some(Withdrawal::Removed), Stage::Removed));
        let tokens = world.tokens.clone();
        world.hosts[1].core = None;
        world.run(beats(5));
        world.until_confirmed(failover() + beats(10));
        assert!(world.tokens.len() > tokens.len() && world.tokens.is_sorted());
    }
}

/// Its followers hear its last messages, and its lease when its hooks have ended, although it is no member any more.
#[test]
fn the_successor_of_a_removed_leader_is_confirmed_at_once() {
    for (seed, hooks) in (0..20).flat_map(|seed| [(seed, Duration::ZERO), (seed, beats(1))]) {
        let mut world = World::begin(4, list([0, 1, 2, 3]), seed, with_files(), hooks);
        world.until_confirmed(failover());
        world.run(beats(5) + beats(1) * seed as u32 / 20);
        assert_eq!(world.confirmed(), [0], "seed {seed}");
        (1..4).for_each(|me| reload(&mut world, me, list([1, 2, 3])));
        while world.confirmed() == [0] {
            world.run(tempo().iteration() / 4);
        }
        let ended = world.hosts[0].hooks_end.max(world.now);
        world.until_confirmed(beats(10));
        let took = world.now.saturating_sub(ended);
        assert!(took <= 6 * tempo().iteration(), "seed {seed}: {took:?} without a leader after hooks of {hooks:?}");
        world.run(beats(30));
        assert_eq!(world.confirmed(), [1], "seed {seed}");
    }
}

/// It was stopped meanwhile, and acts by its own knowledge until it has read what the others sent.
#[test]
fn a_removed_leader_that_stood_still_unseats_nobody() {
    for (seed, size) in (0..20).flat_map(|seed| [(seed, 3), (seed, 4)]) {
        let members: Members = (0..size).collect();
        let mut world = World::of_members(size, members, seed, with_files());
        world.until_confirmed(failover());
        world.run(beats(5) + beats(1) * seed as u32 / 20);
        let stands = beats(8) + beats(2) * seed as u32;
        world.stall(0, stands);
        world.run(beats(1));
        (1..size).for_each(|me| reload(&mut world, me, members.without(0)));
        world.run(stands - beats(3) / 2);
        assert_eq!((world.confirmed(), world.hosts[1].file.lists.number), (vec![1], 2), "seed {seed}");
        for _ in 0..1000 {
            world.run(tempo().iteration());
            assert_eq!(world.confirmed(), [1], "seed {seed}, {size}");
        }
        assert_eq!(stage(&world, 0), Stage::Removed);
    }
}

/// A host with the key and the file of another cluster, whose list has a greater number: a host that hears it stores that list, and names the sender.
#[test]
fn a_foreign_list_names_the_host_that_sent_it() {
    let (mut world, foreign) = (cluster(5, [0, 1, 2], 1), list([2, 3, 4]));
    world.hosts[4].file.lists = Lists { number: 9, ..Lists::first(foreign) };
    world.hosts[4].configured = list([0, 1, 2, 3, 4]);
    // Only host 1 hears it.
    [0, 2].into_iter().for_each(|me| world.loss[4][me] = 100);
    world.start(4);
    world.run(beats(10));
    let told = |me: usize, peer: usize| {
        let core = world.hosts[me].core.as_ref().unwrap();
        let recent: Vec<_> = core.notices().recent(world.clock(me).elapsed).copied().collect();
        let replaced = Trouble::Replaced { number: 9, theirs: foreign, ours: list([0, 1, 2]) };
        recent.iter().any(|notice| (notice.peer, notice.trouble) == (peer, replaced))
    };
    assert!(told(1, 4), "{:?}", notices(&world, 1));
    assert!(!told(0, 4) && !told(2, 4), "{:?}", notices(&world, 0));
    assert!(notices(&world, 1).contains(&Trouble::Change { stage: Stage::Removed, from: Some(4) }));
}

#[test]
fn a_change_that_was_proposed_replaces_no_list() {
    let (mut world, four) = (cluster(4, [0, 1, 2], 1), list([0, 1, 2, 3]));
    start_fresh(&mut world, 3, four);
    (0..3).for_each(|me| reload(&mut world, me, four));
    adopted(&mut world, four, 2, four);
    for me in 0..4 {
        let told = notices(&world, me);
        assert!(!told.iter().any(|trouble| trouble.name() == "replaced list"), "{me}: {told:?}");
    }
}

#[test]
fn a_member_that_lost_its_file_takes_part_when_it_has_heard_a_majority() {
    let mut world = cluster(3, [0, 1, 2], 1);
    let three = list([0, 1, 2]);
    world.hosts[1].core = None;
    world.cut(|host| host == 1);
    start_fresh(&mut world, 1, three);
    world.run(beats(20));
    assert_eq!(stage(&world, 1), Stage::Joining { heard: Members::default(), missing: Members::default() });
    assert_eq!(world.hosts[1].core.as_ref().unwrap().status().withdrawn, Some(Withdrawal::Joining));
    // One other member is no majority.
    world.loss = vec![vec![0; 3]; 3];
    (0..2).for_each(|other| {
        (world.loss[1][2 * other], world.loss[2 * other][1]) = (100 * other as u64, 100 * other as u64)
    });
    world.run(beats(20));
    assert_eq!(stage(&world, 1), Stage::Joining { heard: list([0]), missing: list([2]) });
    world.cut(|_| true);
    world.run(beats(5));
    assert_eq!((stage(&world, 1), world.hosts[1].file.lists), (Stage::None, Lists::first(three)));
    assert!(world.hosts[1].file.token > 0, "it knows the token, too");
}

#[test]
fn new_members_do_not_confirm_each_other() {
    let seven = list([0, 1, 2, 3, 4, 5, 6]);
    let mut world = cluster(7, [0, 1, 2], 3);
    world.cut(|host| host < 3);
    (3..7).for_each(|me| start_fresh(&mut world, me, seven));
    world.run(beats(60));
    assert_eq!(world.confirmed(), [0]);
}

#[test]
fn a_second_change_is_refused_until_the_first_is_complete() {
    let (four, other) = (list([0, 1, 2, 3]), list([0, 1]));
    let mut world = cluster(4, [0, 1, 2], 1);
    // Without the new member the proposal is stored, and adopted: three of four are a majority.
    reload(&mut world, 0, four);
    world.run(beats(1));
    assert!(matches!(stage(&world, 0), Stage::Proposed { .. } | Stage::Stored { .. }), "{:?}", stage(&world, 0));
    let refused = Stage::Refused { list: other, other: four };
    reload(&mut world, 1, other);
    world.run(beats(1));
    assert_eq!(stage(&world, 1).list(), Some(four), "a refusal hides no change");
    adopted(&mut world, list([0, 1, 2]), 2, four);
    assert_eq!(stage(&world, 1), refused, "it is not made up for");
    reload(&mut world, 1, four);
    world.run(beats(1));
    assert_eq!(stage(&world, 1), Stage::None);
}

/// The same list, reloaded again, is proposed after the other change. A refusal ends, too, if another member makes the list come true.
#[test]
fn a_refused_list_is_proposed_by_the_next_reload() {
    for again in [1, 2] {
        let (four, other) = (list([0, 1, 2, 3]), list([0, 1, 2, 4]));
        let mut world = cluster(5, [0, 1, 2], 1);
        (3..5).for_each(|me| start_fresh(&mut world, me, list([0, 1, 2, me])));
        reload(&mut world, 0, four);
        world.run(beats(1));
        reload(&mut world, 1, other);
        adopted(&mut world, list([0, 1, 2]), 2, four);
        assert_eq!(stage(&world, 1), Stage::Refused { list: other, other: four });
        reload(&mut world, again, other);
        adopted(&mut world, list([0, 1, 2]), 3, other);
        assert_eq!(stage(&world, 1), Stage::None);
    }
}

/// A start changes nothing, and a reload of the same settings after it does not either: they may be out of date.
#[test]
fn a_reload_without_an_edit_removes_no_member() {
    let (three, four) = (list([0, 1, 2]), list([0, 1, 2, 3]));
    let mut world = cluster(4, [0, 1, 2], 1);
    start_fresh(&mut world, 3, four);
    reload(&mut world, 0, four);
    adopted(&mut world, four, 2, four);
    for restarts in [false, true] {
        if restarts {
            world.start(2);
        }
        reload(&mut world, 2, three);
        world.run(beats(30));
        assert_eq!((world.hosts[2].file.lists.number, stage(&world, 2)), (2, Stage::None), "restarts: {restarts}");
    }
}

/// All hosts were started with an edited list: a notice names the host that nobody has proposed. An undone and repeated edit proposes it.
#[test]
fn a_list_with_which_all_hosts_were_started_is_named() {
    let (three, four) = (list([0, 1, 2]), list([0, 1, 2, 3]));
    let mut world = cluster(4, [0, 1, 2], 1);
    let asks = |world: &World| notices(world, 0).contains(&Trouble::Unproposed);
    world.hosts[0].configured = four;
    world.start(0);
    reload(&mut world, 0, four);
    world.run(beats(20));
    assert!(asks(&world) && stage(&world, 0) == Stage::None, "{:?}", notices(&world, 0));
    reload(&mut world, 0, three);
    reload(&mut world, 0, four);
    start_fresh(&mut world, 3, four);
    adopted(&mut world, three, 2, four);
    world.run(beats(20));
    assert!(!asks(&world), "{:?}", notices(&world, 0));
}

/// The documented replacement removes the old line before the list has changed: no notice asks for it back.
#[test]
fn a_replacement_asks_for_no_line_of_the_old_host() {
    let (mut world, after) = (cluster(5, [0, 1, 2], 1), list([0, 3, 4]));
    (0..3).for_each(|me| reload(&mut world, me, after));
    let asks = |world: &World| notices(world, 0).contains(&Trouble::Unlisted);
    world.run(beats(5));
    assert!(stage(&world, 0) != Stage::None && !asks(&world), "{:?}", stage(&world, 0));
    (3..5).for_each(|me| start_fresh(&mut world, me, list([0, 1, 2, 3, 4])));
    let limit = world.now + beats(60);
    while world.hosts[0].file.lists.number == 1 {
        world.run(tempo().iteration());
        assert!(!asks(&world) && world.now < limit, "{:?}", stage(&world, 0));
    }
}

/// The host that is to be replaced is reloaded first, with settings that lack it.
#[test]
fn a_host_without_a_line_of_its_own_proposes_nothing() {
    let (mut world, after) = (cluster(4, [0, 1, 2], 1), list([1, 2, 3]));
    start_fresh(&mut world, 3, list([0, 1, 2, 3]));
    reload(&mut world, 0, after);
    world.run(beats(20));
    assert_eq!((stage(&world, 0), world.confirmed()), (Stage::None, vec![0]));
    assert!(notices(&world, 0).contains(&Trouble::Lineless), "{:?}", notices(&world, 0));
    reload(&mut world, 1, after);
    adopted(&mut world, after, 2, after);
    world.run(beats(20));
    assert_eq!((stage(&world, 0), stage(&world, 1)), (Stage::Removed, Stage::None));
    assert!(!notices(&world, 0).contains(&Trouble::Lineless));
}

/// New hosts without lines for the old members cannot join, so the proposal waits, and the leader leads on.
#[test]
fn a_majority_of_hosts_is_replaced_once_the_new_ones_have_joined() {
    for seed in 0..10 {
        let (mut world, after) = (cluster(5, [0, 1, 2], seed), list([2, 3, 4]));
        (3..5).for_each(|me| start_fresh(&mut world, me, after));
        (0..3).for_each(|me| reload(&mut world, me, after));
        world.run(beats(60));
        assert_eq!(stage(&world, 3), Stage::Joining { heard: list([2]), missing: list([0, 1]) });
        assert_eq!(stage(&world, 2), Stage::Asking { list: after, missing: list([3, 4]) });
        assert_eq!(world.confirmed(), [0]);
        (3..5).for_each(|me| reload(&mut world, me, list([0, 1, 2, 3, 4])));
        // The leader is confirmed until it has adopted a list without it.
        let limit = world.now + beats(40);
        while world.hosts[0].file.lists.number == 1 {
            world.run(tempo().iteration());
            assert_eq!(world.confirmed(), [0], "{:?}", world.hosts[0].file.lists);
            assert!(world.now < limit, "{:?} {:?}", stage(&world, 2), stage(&world, 3));
        }
        adopted(&mut world, after, 2, after);
        world.until_confirmed(failover() + beats(20));
    }
}

/// The leader stores a proposal whose new members it does not reach, and is drained: its lease lasts while its hooks run.
#[test]
fn nobody_is_confirmed_while_hooks_run_on_a_lease_of_the_list_before() {
    for seed in 0..40 {
        let (all, after) = (list([0, 1, 2, 3, 4]), list([2, 3, 4]));
        let mut world = World::begin(5, list([0, 1, 2]), seed, with_files(), length());
        world.until_confirmed(failover());
        (3..5).for_each(|me| start_fresh(&mut world, me, all));
        world.run(beats(5));
        for new in 3..5 {
            (world.loss[0][new], world.loss[new][0]) = (100, 100);
        }
        (1..3).for_each(|me| reload(&mut world, me, after));
        let limit = world.now + beats(40);
        while world.hosts[0].file.lists.proposal.is_none() {
            world.run(tempo().iteration());
            assert!(world.now < limit, "{:?} {:?}", stage(&world, 2), stage(&world, 3));
        }
        if seed % 2 == 0 {
            world.order(0, Instruction::Withdraw(Some(Withdrawal::Drained)));
        }
        world.run(beats(10));
        adopted(&mut world, list([1, 2, 3, 4]), 2, after);
    }
}

/// Two hosts were given files by another first start, with more members: neither side grants to the other, and both say so.
#[test]
fn files_of_two_first_starts_give_no_two_leaders() {
    for is_cut in [false, true] {
        let (three, five) = (list([0, 1, 2]), list([0, 1, 2, 3, 4]));
        let mut world = cluster(5, [0, 1, 2], 1);
        for me in 0..5 {
            (world.hosts[me].file.lists, world.hosts[me].configured) =
                (Lists::first(if me < 3 { three } else { five }), five);
            world.start(me);
        }
        world.cut(|host| !is_cut || host < 2);
        world.run(beats(60));
        assert_eq!(world.confirmed(), [0]);
        assert!(notices(&world, 2).contains(&Trouble::Lists { number: 1 }), "{:?}", notices(&world, 2));
        // Nor does a proposal of theirs replace the list.
        reload(&mut world, 3, list([2, 3, 4]));
        world.run(beats(30));
        assert_eq!((world.confirmed(), world.hosts[2].file.lists), (vec![0], Lists::first(three)));
    }
}

/// A list of which no majority answers, since it is mistyped, is not proposed: it would block the cluster.
#[test]
fn a_list_without_a_majority_that_answers_is_not_proposed() {
    let mut world = cluster(9, [0, 1, 2], 1);
    let wrong = list([0, 6, 7, 8]);
    reload(&mut world, 0, wrong);
    world.run(beats(20));
    assert_eq!(world.confirmed(), [0]);
    assert!(matches!(stage(&world, 0), Stage::Asking { list, missing } if list == wrong && missing.contains(6)));
    reload(&mut world, 0, list([0, 1, 2]));
    world.run(beats(1));
    assert_eq!(stage(&world, 0), Stage::None);
}

/// A list that is fixed cannot be changed by a datagram either.
#[test]
fn without_files_a_reload_changes_nothing() {
    let mut world = World::of_members(5, list([0, 1, 2]), 1, guard());
    world.until_confirmed(failover());
    reload(&mut world, 0, list([0, 1, 2, 3, 4]));
    world.run(beats(20));
    assert_eq!(stage(&world, 0), Stage::None);
    assert_eq!(world.confirmed(), [0]);
}

/// Two dozen faults of every kind while operators reload, and a leader afterwards.
#[test]
fn at_most_one_is_confirmed_while_the_list_changes() {
    for seed in 0..30 {
        let five = list([0, 1, 2, 3, 4]);
        let mut world = World::begin(5, list([0, 1, 2]), seed, with_files(), length() * (seed % 4) as u32 / 2);
        (3..5).for_each(|me| start_fresh(&mut world, me, five));
        (0..=seed as usize % 3).for_each(|me| reload(&mut world, me, five));
        storm(&mut world, seed, false);
        world.cut(|_| true);
        for me in 0..5 {
            world.hosts[me].paused = false;
            world.hosts[me].configured = five;
            if world.hosts[me].core.is_none() {
                world.start(me);
            }
            world.order(me, Instruction::Withdraw(None));
            reload(&mut world, me, five);
        }
        adopted(&mut world, five, 2, five);
        world.until_confirmed(failover() + beats(60));
        assert!(world.now > Duration::ZERO);
    }
}

/// Two halves are reloaded with different lists: where neither is adopted, members of both sides name both proposals.
#[test]
fn rival_proposals_are_named() {
    let (one, other, mut stuck) = (list([0, 1, 2]), list([1, 2, 3]), 0);
    // Few seeds get stuck.
    for seed in 0..40 {
        let mut world = cluster(4, [0, 1, 2, 3], seed);
        for (me, members) in [(0, one), (2, other), (1, one), (3, other)] {
            reload(&mut world, me, members);
        }
        world.run(beats(60));
        if world.hosts.iter().any(|host| host.file.lists.number != Lists::first(one).number) {
            continue;
        }
        stuck += 1;
        for me in 0..4 {
            let Some(ours) = world.hosts[me].file.lists.proposal else { continue };
            let theirs = if ours == one { other } else { one };
            let told = notices(&world, me);
            assert!(told.contains(&Trouble::Rivals { theirs, ours }), "seed {seed}, {me}: {told:?}");
        }
    }
    assert!(stuck > 0);
}
