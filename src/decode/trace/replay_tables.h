/*
 * The tables that replay follows. Private to replay*.c.
 *
 *   state   a point in a function: after so many calls of a block
 *   step    leads from one state to the next, and gives out a run of blocks. Steps are built when
 *           they are first needed.
 *   leaf    a function that calls only leaves, and code that is not traced and never calls back.
 *           Control cannot land in it. Tables see through calls of leaves: a state in a leaf knows
 *           the state after the call (`outer`), so nothing is pushed and popped. Replay is in such
 *           states only between two steps of the tables.
 */
#ifndef COTREE_DECODE_TRACE_REPLAY_TABLES_H
#define COTREE_DECODE_TRACE_REPLAY_TABLES_H

#include "base/memory.h"
#include "decode/trace/replay_places.h"
#include "plan/witness_paths.h"

/* A successor of a block: edges with the same ends are one. */
struct replay_successor {
    uint32_t to, edge, value;
};

/* A function, as it is walked. */
struct replay_body {
    const struct replay_function *source;
    uint32_t *successor_start; /* per block */
    struct replay_successor *successors;
    uint32_t *callee;           /* per call: index of the function, GRAPH_NONE: none */
    uint32_t *place_start;      /* per block: its first index in places[] */
    uint32_t *places;           /* per block and number of calls done: 1 + its state, 0: not made yet */
    struct replay_paths *paths; /* with source->marks, else NULL */
    uint32_t entry_edge;
    uint8_t width;  /* bytes of a witness */
    bool ambiguous; /* another function of the module has the same id */
    bool writes;    /* it, or a function it calls, may write */
    bool leaf;
};

/* The numbers of paths of the graph as it is walked. */
struct replay_paths {
    struct graph graph;
    struct adjacency a;
    uint32_t *marks;
    struct witness_paths numbers;
};

enum step_kind {
    STEP_UNBUILT,    /* of a state: its steps are not built yet */
    STEP_EVENT,      /* an event decides */
    STEP_CALL,       /* a known call; `next` is the state after it */
    STEP_OUTSIDE,    /* a call whose callee is not known; `next` is the state after it */
    STEP_JUMP,       /* such a call instead of a return */
    STEP_RETURN,     /* the activation ends */
    STEP_DEAD,       /* no successor */
    STEP_IMPOSSIBLE, /* this event cannot come here, or this call has no callee */
};
struct replay_step {
    uint64_t times;  /* how often it was taken */
    uint32_t run;    /* 1 + its number, 0: nothing is given out */
    uint32_t next;   /* state */
    uint32_t callee; /* STEP_CALL: the state at the callee's start */
    uint8_t kind;    /* enum step_kind */
    uint8_t events;  /* bytes that it uses up */
};
_Static_assert(sizeof(struct replay_step) == 24, "what is read for each event");

/* The state after `call` calls of a block. */
struct replay_state {
    uint8_t kind; /* enum step_kind: what comes next */
    uint8_t width;
    bool behind_unknown; /* call number `call` is one after whose return `calls` rises */
    bool at_last_call;   /* no call follows */
    uint32_t first;      /* its step; STEP_EVENT: the first of `size` steps, by value less `least` */
    uint32_t least, size;
    uint32_t function, block, call;
    uint32_t outer; /* in a leaf: 1 + the state after the call; 0: the stack has it */
};

/* The function that was entered last, of those whose ids share an index. */
struct replay_entry {
    uint64_t id;                  /* 0: none */
    uint32_t number;              /* of its module, in the data file */
    const struct replay_run *run; /* one REPLAY_ENTER_CALLED */
    uint32_t state;               /* at its start */
};
enum { REPLAY_ENTRIES = 4096, STEP_TO_BUILD = 1 };

struct replay_program {
    size_t count;
    struct replay_body *bodies;
    struct replay_places places;
    uint32_t *modules; /* by number in the data file (replay_name_modules) */
    size_t module_count;
    bool has_modules;
    struct replay_entry entries[REPLAY_ENTRIES];
    struct replay_states ARRAY_OF(struct replay_state) states;
    /* The first one is impossible; the second, STEP_TO_BUILD, is that of all states that are not
     * built yet. */
    struct replay_steps ARRAY_OF(struct replay_step) steps;
    struct replay_runs ARRAY_OF(struct replay_run *) runs;
    struct replay_times ARRAY_OF(uint64_t) times; /* by run: how often it was given out other than by steps */
    struct hash_map inner;                        /* states in leaves: by place and outer, 1 + state */
    struct hash_map single; /* runs of one item, by kind, function and edge or block: 1 + id */
    struct replay_items ARRAY_OF(struct replay_item) scratch;
};

/* The module with that number in the data file; false: it is not known. */
bool replay_module(const struct replay_program *p, uint32_t number, uint32_t *module);
uint32_t replay_block_calls(const struct replay_body *b, uint32_t block);
/* Call `number` of the block, from 1. */
const struct replay_call *replay_call_at(const struct replay_body *b, uint32_t block, uint32_t number);
/* The state after `call` calls of a block that exists, without an outer state. */
uint32_t replay_state_at(struct replay_program *p, uint32_t function, uint32_t block, uint32_t call);
/* Finds what comes next as far as no event is needed, and sets the state's kind. */
void replay_build_state(struct replay_program *p, uint32_t state);
/* The step of a STEP_EVENT state that this value decides; 0: none. */
uint32_t replay_build_step(struct replay_program *p, uint32_t state, uint32_t value);
/* Of functions whose witnesses are bits: the witness whose code comes next in a byte that has
 * `left` bits left; 0: there is none. */
uint32_t replay_code(const struct replay_body *b, uint32_t block, uint32_t byte, uint32_t left);
/* The successor of the block that this value decides for, or NULL. */
const struct replay_successor *replay_decide(struct replay_program *p, uint32_t function, uint32_t block,
                                             uint32_t value);
/* The entry of the function that a record enters, or NULL: it cannot be entered. */
const struct replay_entry *replay_find_entry(struct replay_program *p, const struct trace_record *record);
/* A run of one item, which uses up event_count bytes. */
const struct replay_run *replay_single_run(struct replay_program *p, struct replay_item item,
                                           uint32_t event_count, bool branch);

#endif
