/*
 * The C library keeps what it says before it aborts (assert, corrupted memory) in memory for debuggers:
 * __abort_msg. What compares output (expect/compare.c) keeps cotree_output_message. An exception that
 * nobody caught is found by the pointers to it that the frames between abort and __cxa_throw hold: its
 * header has a class that says who made it (C++ ABI for Itanium, 2.2.1).
 */
#include "decode/crash/cause.h"
#include "base/buffer.h"
#include "decode/lines/demangle.h"

#include <signal.h>
#include <string.h>

enum { NULL_PAGES = 65536, TEXT_MOST = 4096, STACK_GAP = 1 << 20 };

/* ---- Signals ---- */

/* Does the address lie below the stack, near the stack pointer? */
static bool is_below_stack(const struct core *c, const struct core_thread *t)
{
    uint64_t rsp = t->registers[CORE_RSP], low = c->address < rsp ? c->address : rsp,
             high = c->address < rsp ? rsp : c->address;
    if (high - low > STACK_GAP)
        return false;
    for (size_t i = 0; i < t->frames.count && i < 16; i++) {
        const struct core_segment *s = core_segment_of(c, t->frames.items[i].cfa.value);
        if (t->frames.items[i].cfa.known && s && s->size)
            return c->address < s->address && s->address - c->address <= STACK_GAP;
    }
    return false;
}

static enum core_meaning meaning_of(const struct core *c, const struct core_thread *t)
{
    static const uint8_t trap[2] = {0x0f, 0x0b}; /* ud2 */
    uint8_t code[sizeof trap];
    bool faults = c->signal == SIGSEGV || c->signal == SIGBUS;
    if (!c->has_details || !c->signal)
        return CORE_NO_MEANING;
    if (c->code <= 0)
        return c->sender && c->code == SI_USER ? CORE_SENT : CORE_NO_MEANING;
    if (faults && c->code == SI_KERNEL)
        return CORE_NO_ADDRESS;
    if (c->signal == SIGILL && core_read_or_file(c, t->registers[CORE_RIP], code, sizeof code) &&
        !memcmp(code, trap, sizeof trap))
        return CORE_TRAP;
    if (!faults)
        return CORE_NO_MEANING;
    if (t->frames.count && t->frames.items[0].nowhere)
        return c->address < NULL_PAGES ? CORE_NULL_FUNCTION : CORE_NO_CODE;
    if (c->address < NULL_PAGES)
        return CORE_NULL_POINTER;
    if (is_below_stack(c, t))
        return CORE_STACK_OVERFLOW;
    return c->address == t->registers[CORE_RIP] ? CORE_NO_CODE : CORE_NO_MEANING;
}

/* ---- Messages ---- */

/* The address of a variable that some module defines; 0: there is none. */
static uint64_t variable_at(Dwfl *dwfl, const struct core *c, const char *name)
{
    for (size_t m = 0; m < c->modules.count; m++) {
        const struct core_module *module = &c->modules.items[m];
        Dwfl_Module *at =
            module->pieces.count ? dwfl_addrmodule(dwfl, module->pieces.items[0].address) : NULL;
        int count = at ? dwfl_module_getsymtab(at) : 0;
        for (int i = 1; i < count; i++) {
            GElf_Sym symbol;
            GElf_Addr address;
            GElf_Word section;
            const char *text = dwfl_module_getsym_info(at, i, &symbol, &address, &section, NULL, NULL);
            if (text && section != SHN_UNDEF && !strcmp(text, name))
                return address;
        }
    }
    return 0;
}

static char *abort_message(Dwfl *dwfl, const struct core *c)
{
    uint64_t variable = variable_at(dwfl, c, "__abort_msg"), message = 0;
    uint32_t size = 0; /* stands before the text */
    if (!variable || !core_read(c, variable, &message, sizeof message) || !message ||
        !core_read(c, message, &size, sizeof size))
        return NULL;
    char *text = core_read_text(c, message + sizeof size, TEXT_MOST);
    size_t length = text ? strlen(text) : 0;
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = 0;
    return text;
}

/* What is said of a wrong byte of the output. */
static char *output_message(Dwfl *dwfl, const struct core *c)
{
    uint64_t variable = variable_at(dwfl, c, "cotree_output_message");
    char *text = variable ? core_read_text(c, variable, TEXT_MOST) : NULL;
    if (text && !*text) {
        free(text);
        text = NULL;
    }
    return text;
}

/* ---- Exceptions ---- */

/* From the part of an exception's header that unwinders know to the type before it and to the object
 * behind it. */
enum { TYPE_BEFORE = 80, OBJECT_BEHIND = 32 };

static char *type_name(const struct core *c, uint64_t type)
{
    uint64_t name = 0;
    char *text =
        core_read_or_file(c, type + 8, &name, sizeof name) ? core_read_text(c, name, TEXT_MOST) : NULL;
    if (text && *text == '*') /* compared by address */
        memmove(text, text + 1, strlen(text));
    return text;
}

/* Is the type std::runtime_error or std::logic_error, or does it have one as its first base? */
static bool has_text(const struct core *c, uint64_t type)
{
    enum { BASES_MOST = 16 };
    bool has = false;
    for (unsigned i = 0; i < BASES_MOST && !has; i++) {
        char *name = type_name(c, type);
        if (!name)
            return false;
        has = !strcmp(name, "St13runtime_error") || !strcmp(name, "St11logic_error");
        free(name);
        if (!core_read_or_file(c, type + 16, &type, sizeof type))
            return has;
    }
    return has;
}

static char *written(const char *type)
{
    static const char prefix[] = "typeinfo name for ";
    struct buffer symbol = {0};
    buffer_addf(&symbol, "_ZTS%s", type);
    char *name = demangle(buffer_text(&symbol)), *result;
    result = memory_string(!strncmp(name, prefix, sizeof prefix - 1) ? name + sizeof prefix - 1 : type);
    free(name);
    buffer_release(&symbol);
    return result;
}

static bool take_exception(struct core *c, uint64_t header)
{
    static const char class[7] = "++CCUNG"; /* the number "GNUCC++", and one byte that differs */
    uint64_t type = 0, text = 0;
    char maker[8];
    if (!core_read(c, header, maker, sizeof maker) || memcmp(maker + 1, class, sizeof class) ||
        !core_read(c, header - TYPE_BEFORE, &type, sizeof type))
        return false;
    char *name = type_name(c, type);
    if (!name)
        return false;
    c->exception = written(name);
    free(name);
    if (has_text(c, type) && core_read(c, header + OBJECT_BEHIND + 8, &text, sizeof text))
        c->what = core_read_text(c, text, TEXT_MOST);
    return true;
}

/* Looks at all words on the stack up to the frame that threw. */
static void find_exception(struct core *c, const struct core_thread *t)
{
    enum { WORDS_MOST = 4096 };
    size_t thrower = 0;
    while (thrower < t->frames.count && thrower < 32 &&
           !(t->frames.items[thrower].symbol && (!strcmp(t->frames.items[thrower].symbol, "__cxa_throw") ||
                                                 !strcmp(t->frames.items[thrower].symbol, "__cxa_rethrow"))))
        thrower++;
    if (thrower >= t->frames.count || thrower >= 32 || !t->frames.items[thrower].cfa.known)
        return;
    uint64_t at = t->registers[CORE_RSP], end = t->frames.items[thrower].cfa.value;
    for (unsigned i = 0; i < CORE_REGISTERS; i++)
        if (take_exception(c, t->registers[i]))
            return;
    for (unsigned i = 0; i < WORDS_MOST && at < end; i++, at += 8) {
        uint64_t word;
        if (core_read(c, at, &word, sizeof word) &&
            (take_exception(c, word) || take_exception(c, word - OBJECT_BEHIND)))
            return;
    }
}

void core_find_cause(struct core *c, Dwfl *dwfl)
{
    if (!c->threads.count)
        return;
    c->meaning = meaning_of(c, &c->threads.items[0]);
    if (c->signal == SIGABRT) {
        c->message = output_message(dwfl, c);
        if (!c->message)
            c->message = abort_message(dwfl, c);
        find_exception(c, &c->threads.items[0]);
    }
}
