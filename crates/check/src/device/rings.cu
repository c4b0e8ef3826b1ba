/* A check of a directed ring on a device: the really safe set, the distance to it, and the expected steps.
 *
 * A configuration is a word of SIZE letters. Rotations of a word are one class, whose least word has a slot of its own: the words
 * that begin with their least letter a have the slots from offset[a] on, by their other letters less a in base states - a. A slot
 * whose word is not the least of its rotations is a hole.
 *
 * Constants: SIZE agents, BITS bits of a letter in a packed word, VALUE bits of a value. */

#if VALUE == 32
typedef u32 Value;
#else
typedef u64 Value;
#endif

#define HOLE ((Value) ~(Value)0)
#define LETTER ((1ull << BITS) - 1)
#define WORD (~0ull >> (64 - SIZE * BITS))

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

/* Places of the sums, and then of the greatest values. The host has the same list. */
enum { CLASSES, CONFIGURATIONS, STEPS, CHANGED, LOW, MIDDLE, HIGH, TOO_LARGE, BELOW, SUMS, RESIDUAL = SUMS, WORST, FOUND };

/* The argument of every kernel. The host has the same structure. */
typedef struct {
    Value *values;
    u32 *safe;
    u64 first, count;
    u64 *sums;
    const u64 *offset;
    const u32 *start;   /* of each pair of letters: its first outcome */
    const u32 *changes; /* of each outcome: both letters, and its weight */
    const u64 *moves;   /* of each pair of letters: its steps that change something */
    const u32 *sizes;   /* of each letter: the states that it stands for */
    const u32 *keys;    /* of each letter: the part that the goal reads */
    const u64 *goal;    /* of each word of keys: a bit */
    const u32 *leads;
    u64 one;   /* a step, in units, times the weight of all outcomes */
    u64 most;  /* the largest value */
    u64 level; /* a value to look for */
    u32 states, key_count, total, told, fixed, single;
} Job;

INNER u32 letter(u64 word, u32 place) { return (u32)(word >> (SIZE - 1 - place) * BITS & LETTER); }

INNER u64 least(u64 word) {
    u64 best = word;
    UNROLL
    for (u32 i = 1; i < SIZE; i++) {
        word = (word << BITS | word >> (SIZE - 1) * BITS) & WORD;
        if (word < best) best = word;
    }
    return best;
}

/* The number of distinct rotations. */
INNER u64 rotations(u64 word) {
    u64 turned = word, same = 0;
    for (u32 i = 0; i < SIZE; i++) {
        turned = (turned << BITS | turned >> (SIZE - 1) * BITS) & WORD;
        same += turned == word;
    }
    return SIZE / same;
}

/* The number of configurations of a class. */
INNER u64 members(const Job *job, u64 word) {
    u64 product = rotations(word);
    for (u32 i = 0; i < SIZE; i++) product *= job->sizes[letter(word, i)];
    return product;
}

INNER u64 slot_of(const Job *job, u64 word) {
    u32 first = letter(word, 0), base = job->states - first;
    u64 place = 0;
    UNROLL
    for (u32 i = 1; i < SIZE; i++) place = place * base + (letter(word, i) - first);
    return job->offset[first] + place;
}

INNER u64 word_at(const Job *job, u64 slot) {
    u32 first = 0, end = job->states;
    while (end - first > 1) {
        u32 middle = (first + end) / 2;
        if (job->offset[middle] <= slot) first = middle;
        else end = middle;
    }
    u64 rest = slot - job->offset[first], word = (u64)first << (SIZE - 1) * BITS;
    u32 base = job->states - first;
    UNROLL
    for (u32 i = 0; i + 1 < SIZE; i++) {
        u64 next = rest >> 32 ? rest / base : (u32)rest / base;
        word |= (u64)(first + (u32)(rest - next * base)) << i * BITS;
        rest = next;
    }
    return word;
}

INNER int is_safe(const Job *job, u64 slot) { return job->safe[slot >> 5] >> (slot & 31) & 1; }

INNER int meets_goal(const Job *job, u64 word) {
    u64 at = 0;
    for (u32 i = 0; i < SIZE; i++) at = at * job->key_count + job->keys[letter(word, i)];
    return job->goal[at >> 6] >> (at & 63) & 1;
}

/* The first pair of letters with the answer of the detector. */
INNER u32 answer(const Job *job, u64 word) {
    u32 leads = 0;
    if (!job->told) return 0;
    for (u32 i = 0; i < SIZE; i++) leads |= job->leads[letter(word, i)];
    return leads ? job->states * job->states : 0;
}

INNER u32 pair(const Job *job, u64 word, u32 site) {
    return letter(word, site) * job->states + letter(word, site + 1 == SIZE ? 0 : site + 1);
}

/* Every outcome `at` of a step of every `site`. */
#define EACH_OUTCOME(job, word, told)                                                                                    \
    UNROLL for (u32 site = 0; site < SIZE; site++)                                                                       \
        for (u32 cell_ = (told) + pair(job, word, site), at = (job)->single ? cell_ : (job)->start[cell_],               \
                 end_ = (job)->single ? cell_ + 1 : (job)->start[cell_ + 1];                                             \
             at < end_; at++)

INNER u64 after(const Job *job, u64 word, u32 site, u32 at) {
    u32 left = (SIZE - 1 - site) * BITS, right = site + 1 == SIZE ? (SIZE - 1) * BITS : left - BITS;
    u64 both = job->changes[2 * at];
    return (word & ~(LETTER << left | LETTER << right)) | (both & 0xffff) << left | both >> 16 << right;
}

/* The number of steps that change something, from all configurations of a class. */
INNER u64 steps(const Job *job, u64 word, u64 all) {
    u64 sum = 0;
    u32 told = answer(job, word);
    for (u32 site = 0; site < SIZE; site++) {
        u32 at = told + pair(job, word, site), next = site + 1 == SIZE ? 0 : site + 1;
        sum += all / job->sizes[letter(word, site)] / job->sizes[letter(word, next)] * job->moves[at];
    }
    return sum;
}

INNER void raise_to(u64 *place, u64 value) {
#ifdef __CUDACC__
    if (value > *(volatile u64 *)place) atomicMax(place, value);
#else
    if (value > *place) *place = value;
#endif
}

INNER void include(u32 *word, u32 bits) {
#ifdef __CUDACC__
    atomicOr(word, bits);
#else
    *word |= bits;
#endif
}

INNER void exclude(u32 *word, u32 bits) {
#ifdef __CUDACC__
    atomicAnd(word, ~bits);
#else
    *word &= ~bits;
#endif
}

/* From the last slot to the first: in this order, fewer sweeps suffice. */
#define EACH_SLOT(job)                                                                                                   \
    for (u64 slot = (job).first + (job).count - 1 - FIRST; slot - (job).first < (job).count; slot -= STRIDE)

/* Counts the classes, and puts those that meet the goal into the set. */
KERNEL survey(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        u64 word = word_at(&job, slot);
        if (least(word) != word) continue;
        u64 all = members(&job, word);
        sums[CLASSES]++;
        sums[CONFIGURATIONS] += all;
        sums[STEPS] += steps(&job, word, all);
        if (meets_goal(&job, word)) include(&job.safe[slot >> 5], 1u << (slot & 31));
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Whether a step leads out of the set, or to another leader. */
INNER int leaves(const Job *job, u64 word) {
    u32 told = answer(job, word);
    EACH_OUTCOME(job, word, told) {
        u64 next = after(job, word, site, at);
        u32 other = site + 1 == SIZE ? 0 : site + 1;
        if (job->fixed && (job->leads[letter(next, site)] != job->leads[letter(word, site)] ||
                           job->leads[letter(next, other)] != job->leads[letter(word, other)]))
            return 1;
        if (!is_safe(job, slot_of(job, least(next)))) return 1;
    }
    return 0;
}

/* Removes the classes that a step leaves from the set. */
KERNEL shrink(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        if (!is_safe(&job, slot) || !leaves(&job, word_at(&job, slot))) continue;
        exclude(&job.safe[slot >> 5], 1u << (slot & 31));
        sums[CHANGED]++;
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Counts the set. Its classes have the value 1, the others 0. */
KERNEL begin(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        u64 word = word_at(&job, slot);
        int safe = is_safe(&job, slot);
        job.values[slot] = least(word) != word ? HOLE : (Value)safe;
        if (!safe) continue;
        u64 all = members(&job, word);
        sums[CLASSES]++;
        sums[CONFIGURATIONS] += all;
        sums[STEPS] += steps(&job, word, all);
    }
    ADD_UP(job.sums, sums, SUMS);
}

INNER int leads_to_level(const Job *job, u64 word) {
    u32 told = answer(job, word);
    EACH_OUTCOME(job, word, told) {
        if (job->values[slot_of(job, least(after(job, word, site, at)))] == (Value)job->level) return 1;
    }
    return 0;
}

/* Gives the next value to the classes from which a step leads to one with this value. */
KERNEL approach(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        if (job.values[slot] != 0 || !leads_to_level(&job, word_at(&job, slot))) continue;
        job.values[slot] = (Value)job.level + 1;
        sums[CHANGED]++;
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Makes all values 0. */
KERNEL clear(Job job) {
    EACH_SLOT(job) {
        if (job.values[slot] != HOLE) job.values[slot] = 0;
    }
}

/* The equation (total - stay) x = one + sum of a class, whose value is x: returns the right side. */
INNER u64 equation(const Job *job, u64 word, u32 *moving) {
    u64 sum = job->one;
    u32 told = answer(job, word), stay = 0;
    EACH_OUTCOME(job, word, told) {
        u64 next = least(after(job, word, site, at));
        u32 weight = job->changes[2 * at + 1];
        if (next == word) stay += weight;
        else sum += weight * (u64)job->values[slot_of(job, next)];
    }
    *moving = job->total - stay;
    return sum;
}

/* Raises the values outside of the set to the solutions of their own equations, rounded down. Values are read while others are
 * raised: they only rise, so every value stays below the solution. */
KERNEL raise(Job job) {
    u64 sums[SUMS] = {0}, greatest = 0;
    EACH_SLOT(job) {
        u64 x = job.values[slot];
        if ((Value)x == HOLE || is_safe(&job, slot)) continue;
        u32 moving;
        u64 right = equation(&job, word_at(&job, slot), &moving), left = moving * x;
        if (right - left > greatest) greatest = right - left;
        if (right - left < moving) continue;
        x = moving == 0 ? job.most + 1 : right / moving;
        if (x > job.most) {
            sums[TOO_LARGE]++;
        } else {
            job.values[slot] = (Value)x;
            sums[CHANGED]++;
        }
    }
    ADD_UP(job.sums, sums, SUMS);
    raise_to(&job.sums[RESIDUAL], greatest);
}

/* The residuals of all equations, without rounding; the sum of the values of all configurations, in parts of 32 bits; and the
 * largest value. */
KERNEL measure(Job job) {
    u64 sums[SUMS] = {0}, greatest = 0, worst = 0;
    EACH_SLOT(job) {
        u64 x = job.values[slot];
        if ((Value)x == HOLE || is_safe(&job, slot)) continue;
        u64 word = word_at(&job, slot), all = members(&job, word), product = all * x;
        u32 moving;
        u64 right = equation(&job, word, &moving), left = moving * x;
        if (right < left) sums[BELOW]++;
        else if (right - left > greatest) greatest = right - left;
        sums[LOW] += product & 0xffffffffu;
        sums[MIDDLE] += product >> 32;
        sums[HIGH] += high_product(all, x);
        if (x > worst) worst = x;
    }
    ADD_UP(job.sums, sums, SUMS);
    raise_to(&job.sums[RESIDUAL], greatest);
    raise_to(&job.sums[WORST], worst);
}

/* The first slot with a value, as the greatest complement. */
KERNEL find(Job job) {
    EACH_SLOT(job) {
        if (job.values[slot] == (Value)job.level) raise_to(&job.sums[FOUND], ~slot);
    }
}
