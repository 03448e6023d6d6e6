/* How the process that sleeps beside a traced program is started (trace/follower.c, sleeper.c). */
#ifndef COTREE_RUNTIME_TRACE_SLEEPER_H
#define COTREE_RUNTIME_TRACE_SLEEPER_H

enum sleeper_word {
    SLEEPER_NAME,
    SLEEPER_DATA,      /* path of the data file */
    SLEEPER_COTREE,    /* path of what it becomes */
    SLEEPER_AUXILIARY, /* /proc/PID/auxv of the program */
    SLEEPER_RANDOM,    /* AT_RANDOM in there, as a number */
    SLEEPER_WORDS,
};

enum sleeper_descriptor {
    SLEEPER_PROGRAM = 3, /* a pidfd, or none */
    SLEEPER_EVENTS = 4,  /* the events file */
};

/* Bytes of events from which on the follower packs them; below that the program makes its file
 * small itself. */
#define TRACE_WORTH_PACKING (UINT64_C(4) << 20)

#endif
