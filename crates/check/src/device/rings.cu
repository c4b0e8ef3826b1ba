/* A check of a directed ring on a device: the really safe set, the distance to it, the expected steps, and probabilities.
 *
 * A configuration is a word of SIZE letters. Rotations of a word are one class, whose least word has a slot of its own: the words
 * that begin with their least letter a have the slots from offset[a] on, by their other letters less a in base states - a. A slot
 * whose word is not the least of its rotations is a hole.
 *
 * A kernel visits slots of one first letter. Constants: SIZE agents, BITS bits of a letter in a packed word, VALUE bits of a value,
 * NARROW: whether the place of a word among those with the same first letter has 32 bits, SINGLE: whether every step has one
 * outcome. */

#if VALUE == 32
typedef u32 Value;
#else
typedef u64 Value;
#endif

#if NARROW
typedef u32 Place;
#else
typedef u64 Place;
#endif

#if SIZE * BITS <= 32
typedef u32 Word;
#else
typedef u64 Word;
#endif

#define HOLE ((Value) ~(Value)0)
#define LETTER (((Word)1 << BITS) - 1)
#define WORD ((Word) ~(Word)0 >> (8 * sizeof(Word) - SIZE * BITS))

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

/* Places of the sums, and then of the greatest values. The host has the same list. */
enum { CLASSES, CONFIGURATIONS, STEPS, CHANGED, LOW, MIDDLE, HIGH, TOO_LARGE, SUMS, RESIDUAL = SUMS, BELOW, WORST, FOUND };

/* The argument of every kernel. The host has the same structure. */
typedef struct {
    Value *values, *next;
    u32 *safe;
    u64 first, count;
    u64 *sums;
    const u64 *offset;
    const u32 *start;   /* of each pair of letters: its first outcome; all pairs are there twice, see `cell` */
    const u32 *changes; /* of each outcome: both letters in 16 bits each */
    const u32 *weights; /* of each outcome; all are alike if every step has one */
    const u64 *moves;   /* of each pair of letters: its steps that change something */
    const u32 *sizes;   /* of each letter: the states that it stands for */
    const u32 *keys;    /* of each letter: the part that the goal reads */
    const u64 *goal;    /* of each word of keys: a bit */
    const u32 *leads;
    u64 one;   /* a step, in units, times the weight of all outcomes */
    u64 most;  /* the largest value */
    u64 level; /* a value to look for, or to begin with; a factor */
    u64 origin, reciprocal; /* the first slot of the first letter; 2^64 / base, rounded up */
    u32 letter, base;       /* the first letter; the number of letters from it on */
    u32 states, key_count, total, told, fixed, pairs;
} Job;

INNER u32 letter(Word word, u32 place) { return (u32)(word >> (SIZE - 1 - place) * BITS & LETTER); }

INNER Word turned(Word word) { return (word << BITS | word >> (SIZE - 1) * BITS) & WORD; }

/* The least rotation. It begins with the least letter; if that is there more than once, all rotations are compared. */
INNER Word least(Word word) {
    u32 low = letter(word, 0), at = 0, again = 0;
    UNROLL
    for (u32 i = 1; i < SIZE; i++) {
        u32 next = letter(word, i);
        again = next < low ? 0 : again | (next == low);
        at = next < low ? i : at;
        low = next < low ? next : low;
    }
    Word best = at == 0 ? word : (word << at * BITS | word >> (SIZE - at) * BITS) & WORD;
    if (again) {
        UNROLL
        for (u32 i = 1; i < SIZE; i++) {
            word = turned(word);
            if (word < best) best = word;
        }
    }
    return best;
}

/* The number of distinct rotations. */
INNER u64 rotations(Word word) {
    Word other = word;
    u64 same = 0;
    for (u32 i = 0; i < SIZE; i++) {
        other = turned(other);
        same += other == word;
    }
    return SIZE / same;
}

/* The number of configurations of a class. */
INNER u64 members(const Job *job, Word word) {
    u64 product = rotations(word);
    for (u32 i = 0; i < SIZE; i++) product *= job->sizes[letter(word, i)];
    return product;
}

INNER u64 slot_of(const Job *job, Word word) {
    u32 first = letter(word, 0), base = job->states - first;
    Place place = 0;
    UNROLL
    for (u32 i = 1; i < SIZE; i++) place = place * base + (letter(word, i) - first);
    return job->offset[first] + place;
}

INNER Word word_at(const Job *job, u64 slot) {
    Place rest = (Place)(slot - job->origin);
    Word word = (Word)job->letter << (SIZE - 1) * BITS;
    UNROLL
    for (u32 i = 0; i + 1 < SIZE; i++) {
#if NARROW
        Place next = (Place)high_product(rest, job->reciprocal);
#else
        Place next = rest / job->base;
#endif
        word |= (Word)(job->letter + (u32)(rest - next * job->base)) << i * BITS;
        rest = next;
    }
    return word;
}

INNER int is_safe(const Job *job, u64 slot) { return job->safe[slot >> 5] >> (slot & 31) & 1; }

INNER int meets_goal(const Job *job, Word word) {
    u64 at = 0;
    for (u32 i = 0; i < SIZE; i++) at = at * job->key_count + job->keys[letter(word, i)];
    return job->goal[at >> 6] >> (at & 63) & 1;
}

/* The first pair of letters with the answer of the detector. */
INNER u32 answer(const Job *job, Word word) {
    u32 leads = 0;
    if (!job->told) return 0;
    for (u32 i = 0; i < SIZE; i++) leads |= job->leads[letter(word, i)];
    return leads ? job->states * job->states : 0;
}

INNER u32 pair(const Job *job, Word word, u32 site) {
    return letter(word, site) * job->states + letter(word, site + 1 == SIZE ? 0 : site + 1);
}

/* The place of a pair of letters in the table of outcomes. Neighbouring slots differ in their last letters, so the pairs of the last
 * letter and the first are there again, by the first: neighbouring slots then read neighbouring entries. */
INNER u32 cell(const Job *job, Word word, u32 site) {
    return site + 1 == SIZE ? job->pairs + letter(word, 0) * job->states + letter(word, site) : pair(job, word, site);
}

/* Every outcome `at` of a step of every `site`. Where there is one, all loads of a word can be under way at once. */
#if SINGLE
#define EACH_OUTCOME(job, word, told)                                                                                    \
    UNROLL for (u32 site = 0, at; site < SIZE && (at = (told) + cell(job, word, site), 1); site++)
#else
#define EACH_OUTCOME(job, word, told)                                                                                    \
    UNROLL for (u32 site = 0; site < SIZE; site++)                                                                       \
        for (u32 cell_ = (told) + cell(job, word, site), at = (job)->start[cell_], end_ = (job)->start[cell_ + 1];       \
             at < end_; at++)
#endif

INNER Word after(Word word, u32 site, u32 change) {
    u32 left = (SIZE - 1 - site) * BITS, right = site + 1 == SIZE ? (SIZE - 1) * BITS : left - BITS;
    return (word & ~(LETTER << left | LETTER << right)) | (Word)(change & 0xffff) << left | (Word)(change >> 16) << right;
}

/* Whether the first letter of a least word is there only once. */
INNER int is_alone(Word word) {
    int alone = 1;
    UNROLL
    for (u32 i = 1; i < SIZE; i++) alone &= letter(word, i) != letter(word, 0);
    return alone;
}

INNER Place power(Place base, u32 exponent) {
    Place product = 1;
    UNROLL
    for (u32 i = 0; i < exponent; i++) product *= base;
    return product;
}

/* The slot after a step from a least word with this slot. If its first letter remains the only least one, two digits change. */
INNER u64 slot_after(const Job *job, u64 slot, Word word, int alone, u32 site, u32 change) {
    u32 left = change & 0xffff, right = change >> 16;
    if (site > 0 && site + 1 < SIZE && alone && left > job->letter && right > job->letter) {
        Place place = (Place)(slot - job->origin);
        place += ((Place)left - letter(word, site)) * power(job->base, SIZE - 1 - site);
        place += ((Place)right - letter(word, site + 1)) * power(job->base, SIZE - 2 - site);
        return job->origin + place;
    }
    return slot_of(job, least(after(word, site, change)));
}

/* The number of steps that change something, from all configurations of a class. */
INNER u64 steps(const Job *job, Word word, u64 all) {
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
        Word word = word_at(&job, slot);
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
INNER int leaves(const Job *job, u64 slot, Word word) {
    u32 told = answer(job, word);
    int alone = is_alone(word);
    EACH_OUTCOME(job, word, told) {
        u32 change = job->changes[at], left = change & 0xffff, right = change >> 16;
        u32 other = site + 1 == SIZE ? 0 : site + 1;
        if (job->fixed && (job->leads[left] != job->leads[letter(word, site)] ||
                           job->leads[right] != job->leads[letter(word, other)]))
            return 1;
        if (!is_safe(job, slot_after(job, slot, word, alone, site, change))) return 1;
    }
    return 0;
}

/* Removes the classes that a step leaves from the set. */
KERNEL shrink(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        if (!is_safe(&job, slot) || !leaves(&job, slot, word_at(&job, slot))) continue;
        exclude(&job.safe[slot >> 5], 1u << (slot & 31));
        sums[CHANGED]++;
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Counts the classes that meet the goal and are not in the set. */
KERNEL stray(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        Word word = word_at(&job, slot);
        sums[CHANGED] += least(word) == word && meets_goal(&job, word) && !is_safe(&job, slot);
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Counts the set, and the classes in it that a step leaves. A leader may change. */
KERNEL leak(Job job) {
    u64 sums[SUMS] = {0};
    job.fixed = 0;
    EACH_SLOT(job) {
        if (!is_safe(&job, slot)) continue;
        Word word = word_at(&job, slot);
        u64 all = members(&job, word);
        sums[CONFIGURATIONS] += all;
        sums[STEPS] += steps(&job, word, all);
        sums[CLASSES]++;
        sums[CHANGED] += leaves(&job, slot, word);
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Counts the set. Its classes have the value 1, the others 0. */
KERNEL begin(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        Word word = word_at(&job, slot);
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

INNER int leads_to_level(const Job *job, u64 slot, Word word) {
    u32 told = answer(job, word);
    int alone = is_alone(word);
    EACH_OUTCOME(job, word, told) {
        if (job->values[slot_after(job, slot, word, alone, site, job->changes[at])] == (Value)job->level) return 1;
    }
    return 0;
}

/* Gives the next value to the classes from which a step leads to one with this value. */
KERNEL approach(Job job) {
    u64 sums[SUMS] = {0};
    EACH_SLOT(job) {
        if (job.values[slot] != 0 || !leads_to_level(&job, slot, word_at(&job, slot))) continue;
        job.values[slot] = (Value)job.level + 1;
        sums[CHANGED]++;
    }
    ADD_UP(job.sums, sums, SUMS);
}

/* Gives a value to all classes outside of the set, and 0 to those in it. */
KERNEL fill(Job job) {
    EACH_SLOT(job) {
        if (job.values[slot] != HOLE) job.values[slot] = is_safe(&job, slot) ? 0 : (Value)job.level;
    }
}

/* The residual of the equation of a class with value x, times the weight of all outcomes; `moving` is the weight of those that leave
 * the class. */
INNER u64 residual(const Job *job, u64 slot, Word word, u64 x, u32 *moving) {
    u64 sum = job->one;
    u32 told = answer(job, word), stay = 0;
    int alone = is_alone(word);
#if SINGLE
    /* All loads are under way at once. */
    u64 next[SIZE];
    u32 weight = job->total / SIZE;
    EACH_OUTCOME(job, word, told) { next[site] = slot_after(job, slot, word, alone, site, job->changes[at]); }
    UNROLL
    for (u32 site = 0; site < SIZE; site++) {
        if (next[site] == slot) stay += weight;
        sum += weight * (u64)job->values[next[site]];
    }
#else
    EACH_OUTCOME(job, word, told) {
        u64 next = slot_after(job, slot, word, alone, site, job->changes[at]);
        u32 weight = job->weights[at];
        if (next == slot) stay += weight;
        sum += weight * (u64)job->values[next];
    }
#endif
    *moving = job->total - stay;
    return sum - job->total * x;
}

/* Moves the values outside of the set to the solutions of their own equations, rounded towards the value. Values are read while others
 * are replaced. Values that begin at 0 only rise until the first leap: they stay below the solution of all equations. The sizes of the
 * residuals are added up, too. */
KERNEL relax(Job job) {
    u64 sums[SUMS] = {0}, greatest = 0, below = 0;
    EACH_SLOT(job) {
        u64 x = job.values[slot];
        if ((Value)x == HOLE || is_safe(&job, slot)) continue;
        u32 moving;
        u64 rest = residual(&job, slot, word_at(&job, slot), x, &moving), size = rest >> 63 ? -rest : rest;
        sums[LOW] += size & 0xffffffffu;
        sums[MIDDLE] += size >> 32;
        if (rest >> 63) {
            if (size > below) below = size;
            if (size < moving) continue;
            x -= size / moving;
        } else {
            if (rest > greatest) greatest = rest;
            if (rest < moving) continue;
            /* A quotient of 32 bits is computed faster. */
            x += moving == 0 ? job.most + 1 : rest >> 32 ? rest / moving : (u32)rest / moving;
        }
        if (x > job.most) {
            sums[TOO_LARGE]++;
        } else {
            job.values[slot] = (Value)x;
            sums[CHANGED]++;
        }
    }
    ADD_UP(job.sums, sums, SUMS);
    raise_to(&job.sums[RESIDUAL], greatest);
    raise_to(&job.sums[BELOW], below);
}

/* Moves each value on by level / 2^16 times its change since `next`. */
KERNEL leap(Job job) {
    EACH_SLOT(job) {
        u64 x = job.values[slot], old = job.next[slot], change = x > old ? x - old : old - x;
        if ((Value)x == HOLE || change == 0) continue;
        u64 more = high_product(change, job.level) << 48 | change * job.level >> 16;
        if (x > old) x = more < job.most - x ? x + more : job.most;
        else x = more < x ? x - more : 0;
        job.values[slot] = (Value)x;
    }
}

/* Lowers each value by level / 2^64 of itself and at most one unit more. */
KERNEL settle(Job job) {
    EACH_SLOT(job) {
        u64 x = job.values[slot], less = high_product(x, job.level) + 1;
        if ((Value)x != HOLE) job.values[slot] = (Value)(x > less ? x - less : 0);
    }
}

/* Adds the value of all configurations of a class, in parts of 32 bits. */
#define ADD_VALUE(job, sums, word, x)                                                                                    \
    do {                                                                                                                 \
        u64 all_ = members(job, word), product_ = all_ * (x);                                                            \
        (sums)[LOW] += product_ & 0xffffffffu;                                                                           \
        (sums)[MIDDLE] += product_ >> 32;                                                                                \
        (sums)[HIGH] += high_product(all_, x);                                                                           \
    } while (0)

/* The greatest residuals of both signs, without rounding; the sum of the values of all configurations; and the largest value. */
KERNEL measure(Job job) {
    u64 sums[SUMS] = {0}, greatest = 0, below = 0, worst = 0;
    EACH_SLOT(job) {
        u64 x = job.values[slot];
        if ((Value)x == HOLE || is_safe(&job, slot)) continue;
        Word word = word_at(&job, slot);
        u32 moving;
        u64 rest = residual(&job, slot, word, x, &moving);
        if (rest >> 63) below = below < -rest ? -rest : below;
        else if (rest > greatest) greatest = rest;
        ADD_VALUE(&job, sums, word, x);
        if (x > worst) worst = x;
    }
    ADD_UP(job.sums, sums, SUMS);
    raise_to(&job.sums[RESIDUAL], greatest);
    raise_to(&job.sums[BELOW], below);
    raise_to(&job.sums[WORST], worst);
}

/* One step of the probability that the set is not reached: the mean after a step, rounded up, where `one` is the weight of all
 * outcomes less 1. The new values have a place of their own; they are measured, too. */
KERNEL outlast(Job job) {
    u64 sums[SUMS] = {0}, worst = 0;
    EACH_SLOT(job) {
        u64 x = job.values[slot];
        if ((Value)x == HOLE || is_safe(&job, slot)) {
            job.next[slot] = (Value)x;
            continue;
        }
        Word word = word_at(&job, slot);
        u32 moving;
        u64 mean = (residual(&job, slot, word, x, &moving) + job.total * x) / job.total;
        job.next[slot] = (Value)mean;
        sums[CHANGED] += mean != x;
        ADD_VALUE(&job, sums, word, mean);
        if (mean > worst) worst = mean;
    }
    ADD_UP(job.sums, sums, SUMS);
    raise_to(&job.sums[WORST], worst);
}

/* The first slot with a value, as the greatest complement. */
KERNEL find(Job job) {
    EACH_SLOT(job) {
        if (job.values[slot] == (Value)job.level) raise_to(&job.sums[FOUND], ~slot);
    }
}
