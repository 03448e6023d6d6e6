/*
 * libdwfl is told the registers and the memory instead of the core itself: where control went to an
 * address without code (a null pointer that was called), the walk begins at the return address that the
 * call left on the stack.
 */
#include "decode/crash/walk.h"

#include "base/hash.h"

#include <dwarf.h>
#include <string.h>

enum { FRAMES_MOST = 1000000 };

struct walker {
    struct core *c;
    Dwfl *dwfl;
    struct core_thread *thread; /* the one that is walked */
    size_t next;                /* the thread that libdwfl hears of next */
    bool nowhere;               /* the thread stands where there is no code */
    struct hash_map named;      /* address of its frames -> the first that stands there */
};

/* ---- What libdwfl asks ---- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **argument)
{
    struct walker *w = context;
    (void)dwfl;
    if (w->next >= w->c->threads.count)
        return 0;
    *argument = w;
    w->thread = &w->c->threads.items[w->next++];
    return w->thread->id ? (pid_t)w->thread->id : 1;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    const struct walker *w = context;
    (void)dwfl;
    return core_read_or_file(w->c, address, word, sizeof *word);
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
    const struct walker *w = argument;
    Dwarf_Word registers[CORE_REGISTERS];
    for (size_t i = 0; i < CORE_REGISTERS; i++)
        registers[i] = w->thread->registers[i];
    if (w->nowhere) {
        read_word(w->dwfl, registers[CORE_RSP], &registers[CORE_RIP], argument);
        registers[CORE_RSP] += sizeof(uint64_t);
    }
    return dwfl_thread_state_registers(thread, 0, CORE_REGISTERS, registers);
}

/* ---- Frames ---- */

static struct core_register read_register(Dwfl_Frame *frame, unsigned number)
{
    Dwarf_Word value = 0;
    bool known = dwfl_frame_reg(frame, number, &value) == 0;
    return (struct core_register){known, value};
}

/* Debuggers count these functions as frames. */
static void find_inlined(Dwfl_Module *module, uint64_t address, struct core_frame *frame)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias), *scopes = NULL;
    int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine) {
            const char *name = dwarf_diename(&scopes[i]);
            ARRAY_PUSH(&frame->inlined, memory_string(name ? name : "??"));
        }
    free(scopes);
}

static void find_symbol(const struct walker *w, uint64_t address, struct core_frame *frame)
{
    GElf_Off offset;
    GElf_Sym symbol;
    Dwfl_Module *module = dwfl_addrmodule(w->dwfl, address);
    frame->module = CORE_NONE;
    if (!module)
        return;
    const char *path = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < w->c->modules.count; i++)
        if (!strcmp(w->c->modules.items[i].path, path))
            frame->module = (uint32_t)i;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    frame->symbol = name ? memory_string(name) : NULL;
    find_inlined(module, address, frame);
}

/* libdwfl looks at all symbols of a module each time, and a stack that overflowed has a hundred thousand
 * frames at two addresses. */
static void name_frame(struct walker *w, struct core_frame *frame)
{
    bool added;
    uint64_t address = frame->pc - frame->at_call;
    uint64_t *first = hash_map_put(&w->named, address, &added);
    if (added) {
        *first = w->thread->frames.count;
        find_symbol(w, address, frame);
        return;
    }
    const struct core_frame *same = &w->thread->frames.items[*first];
    frame->module = same->module;
    frame->symbol = same->symbol ? memory_string(same->symbol) : NULL;
    for (size_t i = 0; i < same->inlined.count; i++)
        ARRAY_PUSH(&frame->inlined, memory_string(same->inlined.items[i]));
}

static int take_frame(Dwfl_Frame *from, void *context)
{
    struct walker *w = context;
    struct core_frames *frames = &w->thread->frames;
    Dwarf_Addr pc;
    bool interrupted;
    if (!dwfl_frame_pc(from, &pc, &interrupted) || frames->count == FRAMES_MOST)
        return DWARF_CB_ABORT;
    struct core_frame frame = {.pc = pc,
                               .at_call = !interrupted || (w->nowhere && frames->count == 1),
                               .rsp = read_register(from, CORE_RSP),
                               .rbp = read_register(from, CORE_RBP),
                               .rbx = read_register(from, CORE_RBX)};
    name_frame(w, &frame);
    if (frames->count)
        frames->items[frames->count - 1].cfa = frame.rsp;
    ARRAY_PUSH(frames, frame);
    return DWARF_CB_OK;
}

/* Control went where there is no code, by a call: on top of the stack is where it came from. */
static bool stands_nowhere(const struct walker *w)
{
    uint64_t back = 0;
    return !dwfl_addrmodule(w->dwfl, w->thread->registers[CORE_RIP]) &&
           core_read(w->c, w->thread->registers[CORE_RSP], &back, sizeof back) &&
           dwfl_addrmodule(w->dwfl, back);
}

static int take_thread(Dwfl_Thread *from, void *context)
{
    struct walker *w = context;
    w->nowhere = stands_nowhere(w);
    if (w->nowhere)
        ARRAY_PUSH(&w->thread->frames,
                   ((struct core_frame){
                       .pc = w->thread->registers[CORE_RIP], .nowhere = true, .module = CORE_NONE}));
    if (dwfl_thread_getframes(from, take_frame, w) < 0) {
        const char *why = dwfl_errmsg(-1);
        w->thread->problem = memory_string(why ? why : "the stack makes no sense");
    }
    hash_map_release(&w->named);
    return DWARF_CB_OK;
}

bool core_walk(struct core *c, Dwfl *dwfl, Elf *elf)
{
    static const Dwfl_Thread_Callbacks callbacks = {
        .next_thread = next_thread, .memory_read = read_word, .set_initial_registers = set_registers};
    struct walker w = {.c = c, .dwfl = dwfl};
    if (!c->threads.count)
        return true;
    if (!dwfl_attach_state(dwfl, elf, 1, &callbacks, &w))
        return false;
    dwfl_getthreads(dwfl, take_thread, &w);
    return true;
}
