/* A search on a device: the set of states, the expansion of states, and a second pass over the set.
 *
 * This file is in the common part of C and CUDA C++. It is compiled at run time for the device, and by the tests for the host. */

/* A missing entry of the tables of cells. */
#define UNKNOWN 0xffffffffu

/* A packed state: the cell of process i in the bits from i * bits on. No cell has the largest number. */
typedef struct {
    u64 low, high;
} State;

/* Places of the sums. The host has the same list. */
enum { STATES, TRANSITIONS, DEADLOCKS, EDGES, INVARIANT, STORED, LOST, ABSENT, SUMS, FOUND = SUMS, ASIDE, MISSING };

/* The argument of every kernel. The host has the same structure. */
typedef struct {
    u64 *table;
    u64 slots;
    const u64 *items;
    u64 count;
    u64 *found;
    u64 *aside;
    u64 *missing;
    u64 most_missing;
    u64 *sums;
    const u32 *arcs_of;
    const u32 *arcs;
    const u32 *sends;
    const u32 *arrivals;
    const u32 *routes;
    u64 seed;
    u32 size, bits, ports, messages, rotation, unused;
} Job;

/* The next number of a shared counter. The active threads of a warp take theirs together. */
INNER u64 take(u64 *counter) {
#ifdef __CUDACC__
    u32 active = __activemask(), lane = threadIdx.x & 31, leader = __ffs(active) - 1;
    u64 first = 0;
    if (lane == leader) first = atomicAdd(counter, (u64)__popc(active));
    first = __shfl_sync(active, first, leader);
    return first + __popc(active & ((1u << lane) - 1));
#else
    return (*counter)++;
#endif
}

/* Writes a word unless the place has one, and returns the word that was there. */
INNER u64 claim(u64 *place, u64 word) {
#ifdef __CUDACC__
    return atomicCAS(place, 0ull, word);
#else
    u64 before = *place;
    if (before == 0) *place = word;
    return before;
#endif
}

INNER u64 load(const u64 *place) { return *(const volatile u64 *)place; }
INNER void store(u64 *place, u64 word) { *(volatile u64 *)place = word; }

INNER int same(State a, State b) { return a.low == b.low && a.high == b.high; }
INNER int less(State a, State b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

INNER u32 field(const Job *job, State state, u32 process) {
    u32 shift = process * job->bits;
    u64 word = shift >= 64 ? state.high >> (shift - 64) : state.low >> shift;
    if (shift < 64 && shift + job->bits > 64) word |= state.high << (64 - shift);
    return (u32)word & ((1u << job->bits) - 1);
}

/* Replaces a field whose present value is `before`. */
INNER State replace(const Job *job, State state, u32 process, u32 before, u32 after) {
    u32 shift = process * job->bits;
    u64 change = before ^ after;
    if (shift >= 64) {
        state.high ^= change << (shift - 64);
    } else {
        state.low ^= change << shift;
        if (shift + job->bits > 64) state.high ^= change >> (64 - shift);
    }
    return state;
}

/* The state rotated by one place. */
INNER State turn(const Job *job, State state) {
    u32 bits = job->bits, lowest = field(job, state, 0);
    State turned;
    turned.low = state.low >> bits | state.high << (64 - bits);
    turned.high = state.high >> bits;
    return replace(job, turned, job->size - 1, 0, lowest);
}

/* The least rotation. */
INNER State least(const Job *job, State state) {
    State best = state;
    for (u32 i = 1; i < job->size; i++) {
        state = turn(job, state);
        if (less(state, best)) best = state;
    }
    return best;
}

/* The number of distinct rotations. */
INNER u64 rotations(const Job *job, State state) {
    u64 count = 1;
    for (State turned = turn(job, state); !same(turned, state); turned = turn(job, turned)) count++;
    return count;
}

INNER u64 mixed(u64 word) {
    word = (word ^ word >> 32) * 0xd6e8feb86659fd93ull;
    word = (word ^ word >> 32) * 0xd6e8feb86659fd93ull;
    return word ^ word >> 32;
}

/* The first slot where a state may be. */
INNER u64 home(const Job *job, State state) {
    return high_product(mixed(mixed(state.low ^ job->seed) + state.high), job->slots);
}

INNER u64 after(const Job *job, u64 slot) { return slot + 1 == job->slots ? 0 : slot + 1; }

/* Adds a state to the set, and returns whether it is new. An empty slot is zero; a stored state has its bits inverted, and
 * neither word of it is zero. The second word is written after the first, so a reader may have to wait for it. */
INNER int insert(const Job *job, State state) {
    for (u64 slot = home(job, state);; slot = after(job, slot)) {
        u64 *place = job->table + 2 * slot, low = load(place), high;
        if (low == 0) {
            low = claim(place, ~state.low);
            if (low == 0) {
                store(place + 1, ~state.high);
                return 1;
            }
        }
        if (low == ~state.low) {
            do high = load(place + 1);
            while (high == 0);
            if (high == ~state.high) return 0;
        }
    }
}

/* The slot of a state, or the number of slots if it is not stored. */
INNER u64 find(const Job *job, State state) {
    u64 slot = home(job, state);
    for (u64 tries = 0; tries < job->slots; tries++, slot = after(job, slot)) {
        const u64 *place = job->table + 2 * slot;
        if (place[0] == 0) break;
        if (place[0] == ~state.low && place[1] == ~state.high) return slot;
    }
    return job->slots;
}

INNER State item(const u64 *items, u64 i) {
    State state;
    state.low = items[2 * i];
    state.high = items[2 * i + 1];
    return state;
}

INNER void append(u64 *list, u64 *length, State state) {
    u64 place = take(length);
    list[2 * place] = state.low;
    list[2 * place + 1] = state.high;
}

/* Tells the host of a missing entry: the arcs of a cell (port UNKNOWN), or the cell after a message has arrived at a port. */
INNER void tell(const Job *job, u32 cell, u32 port, u32 message) {
    u64 place = take(job->sums + MISSING);
    if (place < job->most_missing) {
        job->missing[2 * place] = (u64)port << 32 | cell;
        job->missing[2 * place + 1] = message;
    }
}

/* Takes every step of a state. The targets are added to the set, or, with `again`, must be in it. Returns whether the tables
 * have every entry; if not, nothing is counted. */
INNER int expand_state(const Job *job, State state, int again, u64 *sums) {
    u64 edges = 0, absent = 0;
    int idle = 0, complete = 1;
    u32 process = 0, cell = 0, arc = 0, end = 0;
    for (;;) {
        /* All threads of a warp look for their next arcs, and then follow them together. */
        while (arc == end && process < job->size) {
            cell = field(job, state, process++);
            arc = job->arcs_of[2 * cell];
            end = job->arcs_of[2 * cell + 1];
            if (arc == UNKNOWN) {
                tell(job, cell, UNKNOWN, 0);
                complete = 0;
            }
        }
        if (arc == end) break;
        u32 actor = process - 1, send = job->arcs[3 * arc + 1], sent = job->arcs[3 * arc + 2];
        State target = replace(job, state, actor, cell, job->arcs[3 * arc]);
        arc++;
        for (; send < sent; send++) {
            u32 port = job->sends[2 * send], message = job->sends[2 * send + 1];
            const u32 *route = job->routes + 2 * (actor * job->ports + port);
            u32 here = field(job, target, route[0]);
            u32 next = job->arrivals[((u64)here * job->ports + route[1]) * job->messages + message];
            if (next == UNKNOWN) {
                tell(job, here, route[1], message);
                break;
            }
            target = replace(job, target, route[0], here, next);
        }
        if (send < sent) {
            complete = 0;
            continue;
        }
        /* Steps of different processes never lead to the same state, unless they change nothing. */
        if (same(target, state)) {
            if (idle) continue;
            idle = 1;
        }
        edges++;
        if (job->rotation) target = least(job, target);
        if (again) {
            if (find(job, target) == job->slots) absent++;
        } else if (insert(job, target)) {
            append(job->found, job->sums + FOUND, target);
        }
    }
    if (complete) {
        u64 members = job->rotation ? rotations(job, state) : 1;
        sums[STATES] += members;
        sums[TRANSITIONS] += members * edges;
        if (edges == 0) sums[DEADLOCKS] += members;
        sums[EDGES] += edges;
        if (job->rotation && members == 1) sums[INVARIANT]++;
        sums[ABSENT] += absent;
    }
    return complete;
}

/* Adds stored states of another table to the set. */
KERNEL admit(Job job) {
    for (u64 i = FIRST; i < job.count; i += STRIDE) {
        State stored = item(job.items, i);
        if (stored.low != 0) {
            State state;
            state.low = ~stored.low;
            state.high = ~stored.high;
            if (insert(&job, state) && job.found) append(job.found, job.sums + FOUND, state);
        }
    }
}

/* Expands the states of a list. Those that need a missing entry are put aside. */
KERNEL expand(Job job) {
    u64 sums[SUMS] = {0};
    for (u64 i = FIRST; i < job.count; i += STRIDE) {
        State state = item(job.items, i);
        if (!expand_state(&job, state, 0, sums)) append(job.aside, job.sums + ASIDE, state);
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Looks at some slots: each stored state must be the one of its class, be found at its own slot, and have its successors in the
 * set. Everything is counted anew. The items are those slots of the table. */
KERNEL verify(Job job) {
    u64 sums[SUMS] = {0};
    for (u64 i = FIRST; i < job.count; i += STRIDE) {
        State stored = item(job.items, i);
        if (stored.low != 0) {
            State state;
            state.low = ~stored.low;
            state.high = ~stored.high;
            sums[STORED]++;
            if (job.rotation && !same(least(&job, state), state)) sums[LOST]++;
            else if (job.table + 2 * find(&job, state) != job.items + 2 * i) sums[LOST]++;
            if (!expand_state(&job, state, 1, sums)) sums[ABSENT]++;
        }
    }
    ADD_UP(job.sums, sums, SUMS);
}
