#include "decode/trace/modules.h"
#include "decode/trace/bodies.h"

#include <stdio.h>

static struct decode_module *find(const struct trace_modules *m, const struct data_module *module)
{
    char id[DATA_BUILD_ID_TEXT];
    data_module_build_id(module, id);
    for (size_t i = 0; i < m->modules.count; i++) {
        struct decode_module *known = m->modules.items[i];
        if (*id ? !strcmp(id, known->build_id) : !strcmp(module->path, known->path))
            return known;
    }
    return NULL;
}

static struct decode_module *module_of(void *context, uint32_t number)
{
    const struct trace_modules *m = context;
    if (number >= m->data->modules.count || m->data->modules.items[number].state != 2)
        return NULL;
    return find(m, &m->data->modules.items[number]);
}

static enum replay_made made_of(void *context, const struct replay_frame *frame, const void *code)
{
    struct trace_modules *m = context;
    const char *map = (const char *)m->program.maps[frame->function];
    const struct decode_function *f =
        (const struct decode_function *)(const void *)(map - offsetof(struct decode_function, map));
    if (frame->call > f->map.blocks[frame->block].call_count)
        return REPLAY_MADE_UNKNOWN;
    struct call_place place = call_places_find(&m->calls, f, frame->block, frame->call, code);
    return trace_made(&place);
}

static bool add_module(struct trace_modules *m, const char *path, struct error *error)
{
    struct decode_module *module = ZALLOC(struct decode_module, 1);
    if (decode_module_load(module, path, m->debug_paths, error)) {
        ARRAY_PUSH(&m->modules, module);
        return true;
    }
    free(module);
    return false;
}

static void add_libraries(struct trace_modules *m, const struct data_file *data)
{
    for (size_t i = 0; i < data->modules.count; i++) {
        const struct data_module *module = &data->modules.items[i];
        char id[DATA_BUILD_ID_TEXT];
        struct error ignored;
        data_module_build_id(module, id);
        if (module->state != 2 || !*module->path || find(m, module) || !add_module(m, module->path, &ignored))
            continue;
        struct decode_module *added = m->modules.items[m->modules.count - 1];
        if (*id && strcmp(id, added->build_id)) { /* another build is there now */
            decode_module_release(added);
            free(added);
            m->modules.count--;
        }
    }
}

static bool is_of_build(const struct trace_modules *m, const struct data_file *data, struct error *error)
{
    for (size_t i = 0; i < data->modules.count; i++)
        if (data->modules.items[i].state == 2 && find(m, &data->modules.items[i]) == m->modules.items[0])
            return true;
    const char *path = m->modules.items[0]->path, *slash = strrchr(path, '/');
    if (!m->modules.items[0]->known && data_file_is_of_libraries(data, slash ? slash + 1 : path))
        return true;
    char id[DATA_BUILD_ID_TEXT];
    data_module_build_id(&data->modules.items[0], id);
    if (!*id)
        return true; /* if it does not fit, replay will show it */
    return error_set(error, "is a trace of another build: build %s of '%s', but '%s' is build %s", id,
                     data->header.program, m->modules.items[0]->path,
                     *m->modules.items[0]->build_id ? m->modules.items[0]->build_id : "(none)");
}

bool trace_modules_load(struct trace_modules *m, const char *program, const struct data_file *data,
                        const char *const *debug_paths, struct error *error)
{
    *m = (struct trace_modules){.debug_paths = debug_paths, .data = data};
    bool good =
        add_module(m, program ? program : data->modules.items[0].path, error) && is_of_build(m, data, error);
    if (!good) {
        trace_modules_release(m);
        return false;
    }
    add_libraries(m, data);
    for (size_t i = 0; i < m->modules.count; i++)
        trace_bodies_link(m->modules.items[i], debug_paths);
    struct decode_module **modules = ALLOC(struct decode_module *, data->modules.count + 1);
    for (uint32_t i = 0; i < data->modules.count; i++)
        modules[i] = module_of(m, i);
    if (data->modules.count && !modules[0]) /* without build ids paths may differ */
        modules[0] = m->modules.items[0];
    trace_program_make(&m->program, modules, data->modules.count);
    free(modules);
    m->resolver = (struct trace_resolver){.context = m,
                                          .module = module_of,
                                          .made = made_of,
                                          .program = &m->program,
                                          .debug_paths = debug_paths};
    m->calls = (struct call_places){
        .modules = m->modules.items, .count = m->modules.count, .debug_paths = debug_paths};
    if (!m->program.count)
        good = error_set(error,
                         m->modules.items[0]->known
                             ? "no function of '%s' is traced: build with -fcotree=trace"
                             : "'%s' holds no map: it was not built with 'cotree cc', or was stripped",
                         m->modules.items[0]->path);
    else
        m->replay = trace_program_replay(&m->program, error);
    good = good && m->replay;
    if (!good)
        trace_modules_release(m);
    return good;
}

void trace_modules_release(struct trace_modules *m)
{
    if (m->replay)
        replay_program_free(m->replay);
    trace_program_release(&m->program);
    call_places_release(&m->calls);
    for (size_t i = 0; i < m->modules.count; i++) {
        decode_module_release(m->modules.items[i]);
        free(m->modules.items[i]);
    }
    ARRAY_RELEASE(&m->modules);
    *m = (struct trace_modules){0};
}
