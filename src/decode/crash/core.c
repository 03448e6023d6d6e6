#include "decode/crash/core.h"
#include "base/buffer.h"
#include "decode/crash/cause.h"
#include "decode/crash/core_notes.h"
#include "decode/crash/walk.h"
#include "decode/elf/file.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void core_add_problem(struct core *c, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < c->problems.count; i++)
        if (!strcmp(c->problems.items[i], text))
            return;
    ARRAY_PUSH(&c->problems, memory_string(text));
}

bool core_read(const struct core *c, uint64_t address, void *to, size_t length)
{
    const struct core_segment *s = core_segment_of(c, address);
    return s && address - s->address < s->size && s->size - (address - s->address) >= length &&
           pread(c->fd, to, length, (off_t)(s->offset + (address - s->address))) == (ssize_t)length;
}

const struct core_segment *core_segment_of(const struct core *c, uint64_t address)
{
    for (size_t i = 0; i < c->segments.count; i++) {
        const struct core_segment *s = &c->segments.items[i];
        if (address >= s->address && address - s->address < s->extent)
            return s;
    }
    return NULL;
}

/* Reads what a module's file has at the address; only of files that are those that ran. */
static bool read_file(const struct core *c, uint64_t address, void *to, size_t length)
{
    for (size_t i = 0; i < c->modules.count; i++) {
        const struct core_module *m = &c->modules.items[i];
        for (size_t k = 0; m->checked && k < m->pieces.count; k++) {
            const struct core_segment *p = &m->pieces.items[k];
            if (address < p->address || address - p->address >= p->size ||
                p->size - (address - p->address) < length)
                continue;
            int fd = open(m->path, O_RDONLY | O_CLOEXEC);
            bool ok = fd >= 0 &&
                      pread(fd, to, length, (off_t)(p->offset + (address - p->address))) == (ssize_t)length;
            if (fd >= 0)
                close(fd);
            return ok;
        }
    }
    return false;
}

bool core_read_or_file(const struct core *c, uint64_t address, void *to, size_t length)
{
    const struct core_segment *s = core_segment_of(c, address);
    return core_read(c, address, to, length) || (s && !s->writable && read_file(c, address, to, length));
}

char *core_read_text(const struct core *c, uint64_t address, size_t most)
{
    struct buffer text = {0};
    char one;
    while (text.length < most && core_read_or_file(c, address + text.length, &one, 1) && one)
        buffer_add(&text, &one, 1);
    char *result = text.length ? memory_substring((const char *)text.data, text.length) : NULL;
    buffer_release(&text);
    return result;
}

/* ---- Modules ---- */

/* The build id of a module, from its first page in the core; NULL: it is not there, or has none. */
static char *build_id_in_memory(const struct core *c, uint64_t start)
{
    Elf64_Ehdr head;
    if (!core_read(c, start, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    for (uint32_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr p;
        uint8_t notes[1024];
        if (!core_read(c, start + head.e_phoff + i * sizeof p, &p, sizeof p))
            return NULL;
        if (p.p_type != PT_NOTE || p.p_filesz > sizeof notes ||
            !core_read(c, start + p.p_offset, notes, p.p_filesz))
            continue;
        for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= p.p_filesz;) {
            Elf64_Nhdr note;
            memcpy(&note, notes + at, sizeof note);
            size_t name = at + sizeof note, content = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
            if (content > p.p_filesz || note.n_descsz > p.p_filesz - content)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4)) {
                char *text = ALLOC(char, 2 * (size_t)note.n_descsz + 1);
                for (uint32_t k = 0; k < note.n_descsz; k++)
                    snprintf(text + 2 * k, 3, "%02x", notes[content + k]);
                text[2 * (size_t)note.n_descsz] = 0;
                return text;
            }
            at = content + (((size_t)note.n_descsz + 3) & ~(size_t)3);
        }
    }
    return NULL;
}

/* The address in the file that the first byte of the file is meant for. */
static bool first_address(const struct elf_file *file, uint64_t *address)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(file->elf, &count) < 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(file->elf, (int)i, &header) && header.p_type == PT_LOAD) {
            *address = header.p_vaddr - header.p_offset;
            return true;
        }
    return false;
}

/* Adds the module whose first page is mapped at `start`. ran_as: its path in the process. Fails only for
 * the program itself. */
static bool add_module(struct core *c, const struct core_notes *n, Dwfl *dwfl, const char *path,
                       const char *ran_as, uint64_t start, bool program, struct error *error)
{
    struct elf_file file;
    struct error why;
    uint64_t address = 0;
    if (!elf_file_open(&file, path, &why)) {
        if (program)
            return error_set(error, "'%s': %s", path, why.text);
        core_add_problem(c, "'%s': %s: frames there are not known", path, why.text);
        return true;
    }
    char *ran = build_id_in_memory(c, start), *found = elf_file_build_id(&file);
    bool ok = first_address(&file, &address), same = ran && found && !strcmp(ran, found);
    if (ran && !same) {
        ok = false;
        if (program)
            error_set(error, "'%s' is another build (%s) than the program that died (%s)", path,
                      found ? found : "no build id", ran);
        else
            core_add_problem(c, "'%s' is another build than the one that ran: frames there are not known",
                             path);
    } else if (!ran && program) {
        core_add_problem(c,
                         "the core does not hold the build id of '%s': whether it is the program that "
                         "died is not checked",
                         path);
    }
    elf_file_close(&file);
    free(ran);
    free(found);
    if (!ok)
        return !program;
    if (dwfl_report_elf(dwfl, path, path, -1, start - address, false)) {
        struct core_module module = {.path = memory_string(path), .bias = start - address, .checked = same};
        for (size_t i = 0; i < n->mappings.count; i++)
            if (!strcmp(n->mappings.items[i].path, ran_as))
                ARRAY_PUSH(&module.pieces, ((struct core_segment){.address = n->mappings.items[i].start,
                                                                  .size = n->mappings.items[i].end -
                                                                          n->mappings.items[i].start,
                                                                  .offset = n->mappings.items[i].offset}));
        ARRAY_PUSH(&c->modules, module);
    } else {
        core_add_problem(c, "'%s': %s", path, dwfl_errmsg(-1));
    }
    return true;
}

/* The program is the file that its own headers are mapped from. */
static const struct core_mapping *find_program(const struct core_notes *n)
{
    for (size_t i = 0; i < n->mappings.count; i++)
        if (n->headers >= n->mappings.items[i].start && n->headers < n->mappings.items[i].end)
            return &n->mappings.items[i];
    return NULL;
}

/* Is code mapped from the file? Data files are no modules. */
static bool has_code(const struct core *c, const struct core_notes *n, const char *path)
{
    for (size_t i = 0; i < n->mappings.count; i++) {
        const struct core_segment *s = core_segment_of(c, n->mappings.items[i].start);
        if (!strcmp(n->mappings.items[i].path, path) && s && s->executable)
            return true;
    }
    return false;
}

static char *file_of(const char *path, const char *sysroot)
{
    struct buffer text = {0};
    buffer_addf(&text, "%s%s", sysroot ? sysroot : "", path);
    char *file = memory_string(buffer_text(&text));
    buffer_release(&text);
    return file;
}

static bool add_modules(struct core *c, const struct core_notes *n, Dwfl *dwfl, const char *program,
                        const char *sysroot, struct error *error)
{
    const struct core_mapping *own = find_program(n);
    if (!own)
        return error_set(error, "'%s' does not say where the program was loaded (no NT_FILE or NT_AUXV)",
                         c->path);
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < n->mappings.count; i++) {
            const struct core_mapping *m = &n->mappings.items[i];
            bool is_own = !strcmp(m->path, own->path);
            uint8_t magic[SELFMAG];
            if (m->offset || is_own == others || (is_own && m->start > own->start) ||
                (!is_own && !has_code(c, n, m->path)) ||
                (!is_own && core_read(c, m->start, magic, SELFMAG) && memcmp(magic, ELFMAG, SELFMAG)) ||
                (!is_own && (i + 1 == n->mappings.count || strcmp(m->path, m[1].path))))
                continue; /* a library is mapped in several pieces; data files are no modules */
            char *path = file_of(is_own ? program : m->path, is_own ? NULL : sysroot);
            bool ok = add_module(c, n, dwfl, path, m->path, m->start, is_own, error);
            free(path);
            if (!ok)
                return false;
            if (is_own)
                break;
        }
    return c->modules.count || error_set(error, "'%s' cannot be used", program);
}

/* ---- Debug information that stands apart ---- */

/* The file whose name is the module's build id; -1: there is none. */
static int open_by_build_id(Dwfl_Module *module, char **found)
{
    const unsigned char *id;
    GElf_Addr place;
    char path[256];
    int length = dwfl_module_build_id(module, &id, &place);
    if (length < 2 || length > 64)
        return -1;
    int at = snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%02x/", id[0]);
    for (int i = 1; i < length; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", id[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".debug");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        *found = memory_string(path);
    return fd;
}

/* Is there a file of the name that the module has for it? */
static bool is_linked_file(const char *module, const char *link)
{
    static const char *const folders[] = {"%.*s%s", "%.*s.debug/%s", "/usr/lib/debug%.*s%s"};
    const char *slash = strrchr(module, '/');
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        int length =
            snprintf(path, sizeof path, folders[i], slash ? (int)(slash + 1 - module) : 0, module, link);
        if (length < (int)sizeof path && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* libdwfl's own search asks debuginfod in the end, and loads forty libraries for that: it is only called
 * where it finds something before. */
static int find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                           const char *path, const char *link, GElf_Word crc, char **found)
{
    int fd = open_by_build_id(module, found);
    if (fd < 0 && path && link && is_linked_file(path, link))
        fd = dwfl_standard_find_debuginfo(module, user, name, base, path, link, crc, found);
    return fd;
}

static bool read_all(struct core *c, Elf *elf, const char *program, const char *sysroot, struct error *error)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_debug_file};
    struct core_notes notes;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!core_notes_read(&notes, c, elf, error)) {
        dwfl_end(dwfl);
        return error_prefix(error, "'%s'", c->path);
    }
    dwfl_report_begin(dwfl);
    bool ok = add_modules(c, &notes, dwfl, program, sysroot, error);
    dwfl_report_end(dwfl, NULL, NULL);
    if (ok && !core_walk(c, dwfl, elf))
        ok = error_set(error, "'%s': %s", c->path, dwfl_errmsg(-1));
    if (ok)
        core_find_cause(c, dwfl);
    dwfl_end(dwfl);
    core_notes_release(&notes);
    return ok;
}

bool core_open(struct core *c, const char *path, const char *program, const char *sysroot,
               struct error *error)
{
    *c = (struct core){.path = memory_string(path), .fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (c->fd < 0) {
        error_set(error, "cannot read '%s': %s", path, strerror(errno));
        core_release(c);
        return false;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(c->fd, ELF_C_READ_MMAP, NULL);
    bool ok =
        elf ? read_all(c, elf, program, sysroot, error) : error_set(error, "'%s' is no core file", path);
    elf_end(elf);
    if (!ok)
        core_release(c);
    return ok;
}

static void release_frame(struct core_frame *frame)
{
    for (size_t i = 0; i < frame->inlined.count; i++)
        free(frame->inlined.items[i]);
    ARRAY_RELEASE(&frame->inlined);
    free(frame->symbol);
}

void core_release(struct core *c)
{
    for (size_t i = 0; i < c->threads.count; i++) {
        struct core_thread *t = &c->threads.items[i];
        for (size_t k = 0; k < t->frames.count; k++)
            release_frame(&t->frames.items[k]);
        ARRAY_RELEASE(&t->frames);
        free(t->problem);
    }
    for (size_t i = 0; i < c->modules.count; i++) {
        ARRAY_RELEASE(&c->modules.items[i].pieces);
        free(c->modules.items[i].path);
    }
    for (size_t i = 0; i < c->problems.count; i++)
        free(c->problems.items[i]);
    ARRAY_RELEASE(&c->threads);
    ARRAY_RELEASE(&c->modules);
    ARRAY_RELEASE(&c->segments);
    ARRAY_RELEASE(&c->problems);
    free(c->path);
    free(c->message);
    free(c->exception);
    free(c->what);
    if (c->fd >= 0)
        close(c->fd);
    *c = (struct core){.fd = -1};
}
