/*
 * What the map says about a function besides its graph.
 *
 * Lines are the locations of a block's instructions in order, equal neighbours once, without line 0
 * and without code that no line of the source asked for; the first block begins with the line of
 * the function. Lifetime markers and what belongs to them have locations of their own (the closing
 * brace); they are left out, since -O0 does not have them. Locations that are another statement's
 * are left out, too (strays.c). Lines of a file that is included inside the function carry that
 * file's name.
 *
 * Calls are numbered per block, each with the name of its callee, as far as it is known here.
 *
 * Hazards are calls after which counts may be unbalanced (format/map/map.h), found by name: what
 * happens in an indirect call or in a library only the runtime can see.
 */
#include "instrument/graph/describe.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/graph/branches.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/graph/strays.h"
#include "instrument/graph/written.h"
#include "instrument/llvm/shim.h"
#include "runtime/watched_functions.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static char *mapped_file(LLVMMetadataRef file, const struct instrument_options *options)
{
    unsigned name_length = 0, directory_length = 0;
    const char *name = LLVMDIFileGetFilename(file, &name_length);
    const char *directory = LLVMDIFileGetDirectory(file, &directory_length);
    while (name_length > 2 && name[0] == '.' && name[1] == '/') {
        name += 2;
        name_length -= 2;
    }
    struct buffer path = {0};
    if (name_length && name[0] != '/' && directory_length) {
        buffer_add(&path, directory, directory_length);
        if (directory[directory_length - 1] != '/')
            buffer_add_text(&path, "/");
    }
    buffer_add(&path, name, name_length);
    char *result = prefix_maps_apply(&options->prefix_maps, buffer_text(&path));
    buffer_release(&path);
    return result;
}

char *describe_file(LLVMValueRef function, const struct instrument_options *options)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    return file ? mapped_file(file, options) : memory_string("");
}

/* The files of one function; DIFile nodes are few, so a list is searched from its end. */
struct files {
    struct map_function *map;
    const struct instrument_options *options;
    struct ARRAY_OF(LLVMMetadataRef) nodes; /* seen so far */
    struct ARRAY_OF(uint32_t) numbers;      /* node -> index into map->files */
};

static uint32_t file_number(struct files *files, LLVMMetadataRef node)
{
    for (size_t i = files->nodes.count; i-- > 0;)
        if (files->nodes.items[i] == node)
            return files->numbers.items[i];
    struct map_function *map = files->map;
    char *name = mapped_file(node, files->options);
    uint32_t number = 0;
    while (number < map->file_count && strcmp(map->files[number], name))
        number++;
    if (number == map->file_count) {
        RESIZE(map->files, (size_t)map->file_count + 1);
        map->files[map->file_count++] = name;
    } else {
        free(name);
    }
    ARRAY_PUSH(&files->nodes, node);
    ARRAY_PUSH(&files->numbers, number);
    return number;
}

struct line_list ARRAY_OF(struct map_line);
struct call_list ARRAY_OF(struct map_call);

const char *describe_linkage_name(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    return length && name[0] == 1 ? name + 1 : name;
}

/* What is known of one function so far; blocks are described one after the other. */
struct description {
    struct files files;
    struct line_list lines;  /* of the block */
    struct call_list calls;  /* of the block */
    struct hash_map callees; /* tag -> index + 1 into map->callees */
    struct hash_map strays;  /* strays.h */
    struct hash_map *lines_begun;
};

/* The number of the callee in the map; an alias counts as what it stands for. */
static uint32_t callee_number(struct description *d, LLVMValueRef callee)
{
    struct map_function *map = d->files.map;
    if (LLVMIsAGlobalAlias(callee))
        callee = LLVMAliasGetAliasee(callee);
    if (!LLVMIsAFunction(callee))
        return MAP_CALLEE_UNKNOWN;
    uint32_t tag = map_name_tag(describe_linkage_name(callee));
    uint64_t *number = hash_map_put(&d->callees, tag, NULL);
    if (!*number) {
        RESIZE(map->callees, (size_t)map->callee_count + 1);
        map->callees[map->callee_count++] = tag;
        *number = map->callee_count;
    }
    return (uint32_t)*number - 1;
}

static void add_line(struct line_list *lines, struct map_line line)
{
    if (lines->count && lines->items[lines->count - 1].line == line.line &&
        lines->items[lines->count - 1].file == line.file)
        return;
    ARRAY_PUSH(lines, line);
}

/* The line of the source that asked for the instruction, or 0. */
static unsigned line_of(LLVMValueRef instruction)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    return location && !shim_location_is_implicit(location) ? LLVMDILocationGetLine(location) : 0;
}

static void add_location(struct line_list *lines, struct files *files, LLVMValueRef instruction)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    unsigned line = line_of(instruction);
    if (!line)
        return;
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
    if (file)
        add_line(lines, (struct map_line){.file = file_number(files, file), .line = line});
}

enum { MAP_HAZARD_NONE = 0 };
static const struct {
    const char *name;
    uint32_t hazard;
} watched_functions[] = {
#define ROW(name, where, effect, hazard) {#name, MAP_HAZARD_##hazard},
    WATCHED_FUNCTIONS(ROW)
#undef ROW
};

static uint32_t hazards_of_call(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    uint32_t hazards = call_returns_twice(call) ? MAP_HAZARD_SETJMP : 0;
    if (!LLVMIsAFunction(callee))
        return hazards;
    const char *name = describe_linkage_name(callee);
    for (size_t i = 0; i < sizeof watched_functions / sizeof *watched_functions; i++)
        if (!strcmp(name, watched_functions[i].name))
            hazards |= watched_functions[i].hazard;
    return hazards;
}

/* The variable of clang's own that the block's return reads its value from, or NULL. */
static LLVMValueRef returned_variable(const struct function_graph *f, uint32_t number)
{
    uint32_t last = f->head[number];
    while (last != IR_NONE && f->next[last] != IR_NONE)
        last = f->next[last];
    LLVMValueRef end = last == IR_NONE ? NULL : LLVMGetBasicBlockTerminator(f->ir.items[last].block);
    if (!end || !LLVMIsAReturnInst(end) || LLVMGetNumOperands(end) != 1 ||
        !LLVMIsALoadInst(LLVMGetOperand(end, 0)))
        return NULL;
    LLVMValueRef variable = LLVMGetOperand(LLVMGetOperand(end, 0), 0);
    size_t length;
    const char *name = LLVMGetValueName2(variable, &length); /* that of a statement expression is "tmp" */
    return LLVMIsAAllocaInst(variable) && (!length || !strcmp(name, "retval")) ? variable : NULL;
}

/* Is it the branch to the IR block that continues the block, through blocks that -O0 does not have?
 * A branch that leads there directly is one of the source (goto out of a scope that has a
 * destructor). */
static bool goes_on(const struct function_graph *f, uint32_t ir, LLVMValueRef instruction)
{
    return f->next[ir] != IR_NONE && instruction == LLVMGetBasicBlockTerminator(f->ir.items[ir].block) &&
           !(LLVMGetNumSuccessors(instruction) == 1 &&
             LLVMGetSuccessor(instruction, 0) == f->ir.items[f->next[ir]].block);
}

static void note_lines(struct description *d, const void *where, size_t begun)
{
    *hash_map_put(d->lines_begun, (uint64_t)(uintptr_t)where, NULL) = begun;
}

static void describe_block(struct map_block *block, const struct function_graph *f, uint32_t number,
                           struct description *d)
{
    struct files *files = &d->files;
    struct line_list *lines = &d->lines;
    /* The first block begins on the line of the definition. In a function that clang made (a
     * default constructor) the code of that block is on no line: gcov does the same, and the line
     * counts only what the user wrote. */
    bool defines = number == GRAPH_ROOT && files->map->line && files->map->file_count;
    size_t unwritten = defines && shim_subprogram_is_artificial(LLVMGetSubprogram(f->function)) ? 1 : 0;
    lines->count = d->calls.count = 0;
    block->only_returns = f->only_returns[number];
    if (defines)
        add_line(lines, (struct map_line){.file = 0, .line = files->map->line});
    note_lines(d, function_graph_head(f, number), lines->count - unwritten);
    /* Where a lifetime ends between a return statement and the return, clang gives the return the
     * line of the closing brace; without lifetimes (-O0) it has the line of the statement. */
    LLVMValueRef variable = returned_variable(f, number);
    bool returning = false;
    unsigned marked = 0; /* the line of the last marker */
    for (uint32_t at = f->head[number]; at != IR_NONE; at = f->next[at]) {
        LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[at].block);
        for (; i; i = LLVMGetNextInstruction(i)) {
            LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
            if (opcode == LLVMLandingPad)
                block->hazards |= MAP_HAZARD_LANDING_PAD;
            if (ir_is_lifetime_marker(i))
                marked = line_of(i);
            if (ir_is_lifetime_marker(i) || ir_is_slot_store(&f->ir, i))
                continue;
            if (opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr) {
                block->hazards |= hazards_of_call(i);
                if (opcode == LLVMCall && LLVMIsADbgInfoIntrinsic(i))
                    continue;
            }
            if (goes_on(f, at, i))
                continue; /* the block goes on: -O0 has no branch here */
            if (variable && opcode == LLVMStore && LLVMGetOperand(i, 1) == variable)
                returning = LLVMInstructionGetDebugLoc(i) != NULL;
            else if (returning && line_of(i) == marked &&
                     (opcode == LLVMRet || (opcode == LLVMLoad && LLVMGetOperand(i, 0) == variable)))
                continue;
            size_t before = lines->count;
            const uint64_t *stray = hash_map_get(&d->strays, (uint64_t)(uintptr_t)i);
            if (!stray || *stray)
                add_location(lines, files, stray ? (LLVMValueRef)(uintptr_t)*stray : i);
            if (lines->count > before)
                note_lines(d, i, lines->count - unwritten);
            if (call_is_numbered(i))
                ARRAY_PUSH(&d->calls, ((struct map_call){.callee = callee_number(d, LLVMGetCalledValue(i)),
                                                         .invoke = opcode == LLVMInvoke}));
        }
    }
    block->line_count = (uint32_t)(lines->count - unwritten);
    block->lines = ALLOC(struct map_line, lines->count);
    if (block->line_count)
        memcpy(block->lines, lines->items + unwritten, block->line_count * sizeof *block->lines);
    block->call_count = (uint32_t)d->calls.count;
    block->calls = ALLOC(struct map_call, d->calls.count);
    if (block->call_count)
        memcpy(block->calls, d->calls.items, d->calls.count * sizeof *block->calls);
}

/* Is the function used for anything but calling it: in a table, as an argument, by an alias, as a
 * constructor? Then code outside this unit may call it without knowing its name. */
static bool is_address_taken(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsABlockAddress(user))
            continue;
        bool calls = LLVMIsACallInst(user) || LLVMIsAInvokeInst(user) || LLVMIsACallBrInst(user);
        if (!calls || LLVMGetCalledValue(user) != function)
            return true;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetOperand(user, i) == function)
                return true;
    }
    return false;
}

static uint32_t flags_of(LLVMValueRef function, const char *name)
{
    switch (LLVMGetLinkage(function)) {
    case LLVMInternalLinkage:
    case LLVMPrivateLinkage:
        return MAP_FUNCTION_LOCAL;
    case LLVMLinkOnceAnyLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMWeakAnyLinkage:
    case LLVMWeakODRLinkage:
        return MAP_FUNCTION_COMDAT;
    case LLVMAvailableExternallyLinkage:
        /* Has the flags of its definition: one of C99, or an explicit instantiation. */
        return MAP_FUNCTION_OPTIONAL | (text_starts_with(name, "_Z") ? MAP_FUNCTION_COMDAT : 0);
    default:
        return strcmp(name, "main") ? 0 : MAP_FUNCTION_MAIN;
    }
}

void describe_function(struct map_function *map, const struct function_graph *f,
                       const struct instrument_options *options, struct hash_map *lines_begun)
{
    *map = (struct map_function){.name = memory_string(describe_linkage_name(f->function)),
                                 .graph_hash = graph_hash(&f->graph)};
    map->flags = flags_of(f->function, map->name);
    if (is_address_taken(f->function))
        map->flags |= MAP_FUNCTION_ADDRESS_TAKEN;
    map->graph = f->graph;
    map->graph.edge_capacity = f->graph.edge_count;
    map->graph.edges = ALLOC(struct edge, f->graph.edge_count);
    memcpy(map->graph.edges, f->graph.edges, f->graph.edge_count * sizeof *map->graph.edges);

    struct description d = {.files = {.map = map, .options = options}, .lines_begun = lines_begun};
    LLVMMetadataRef subprogram = LLVMGetSubprogram(f->function);
    if (subprogram) {
        map->line = LLVMDISubprogramGetLine(subprogram);
        LLVMMetadataRef file = LLVMDIScopeGetFile(subprogram);
        if (file)
            file_number(&d.files, file);
    }
    strays_find(&d.strays, f);
    uint32_t blocks = f->graph.vertex_count - 1;
    map->blocks = ZALLOC(struct map_block, blocks);
    for (uint32_t b = 0; b < blocks; b++)
        describe_block(&map->blocks[b], f, b, &d);
    written_find(map, f);
    branches_find(map, f);
    ARRAY_RELEASE(&d.lines);
    ARRAY_RELEASE(&d.calls);
    hash_map_release(&d.callees);
    hash_map_release(&d.strays);
    ARRAY_RELEASE(&d.files.nodes);
    ARRAY_RELEASE(&d.files.numbers);
}

/* May the call run counted code outside the unit? Helpers such as __cpu_indicator_init hold
 * none. */
static bool may_count_outside(LLVMValueRef call)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(callee))
        return false;
    if (!LLVMIsAFunction(callee))
        return true;
    const char *name = LLVMGetValueName2(callee, &length);
    return LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && !text_starts_with(name, "__") &&
           strcmp(name, "getauxval") != 0;
}

void describe_early_calls(struct map_function *map, const struct function_graph *f)
{
    for (uint32_t b = 0; b + 1 < f->graph.vertex_count; b++)
        for (uint32_t at = f->head[b]; at != IR_NONE; at = f->next[at]) {
            LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[at].block);
            for (; i; i = LLVMGetNextInstruction(i))
                if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && may_count_outside(i))
                    map->blocks[b].hazards |= MAP_HAZARD_EARLY;
        }
}
