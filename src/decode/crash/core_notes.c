#include "decode/crash/core_notes.h"
#include "base/buffer.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/user.h>

void core_notes_release(struct core_notes *n)
{
    for (size_t i = 0; i < n->mappings.count; i++)
        free(n->mappings.items[i].path);
    ARRAY_RELEASE(&n->mappings);
}

/* NT_FILE: number of mappings, size of a page; start, end and page offset of each; then the names. */
static void read_files(struct core_notes *n, const uint8_t *bytes, size_t length)
{
    enum { LEAST_MAPPING = 25 };
    struct cursor c = cursor_over(bytes, length);
    uint64_t count = cursor_u64(&c), page = cursor_u64(&c);
    if (c.failed || count > cursor_left(&c) / LEAST_MAPPING)
        return;
    struct cursor names = c;
    cursor_bytes(&names, (size_t)count * 24);
    for (uint64_t i = 0; i < count; i++) {
        struct core_mapping m = {.start = cursor_u64(&c), .end = cursor_u64(&c)};
        m.offset = cursor_u64(&c) * page;
        const char *name = (const char *)names.at;
        size_t room = cursor_left(&names), size = strnlen(name, room);
        if (size == room)
            return;
        cursor_bytes(&names, size + 1);
        m.path = memory_substring(name, size);
        ARRAY_PUSH(&n->mappings, m);
    }
}

static void read_auxiliary(struct core_notes *n, const uint8_t *bytes, size_t length)
{
    struct cursor c = cursor_over(bytes, length);
    while (cursor_left(&c) >= 16) {
        uint64_t type = cursor_u64(&c), value = cursor_u64(&c);
        if (type == AT_PHDR)
            n->headers = value;
    }
}

/* The thread that died comes first. */
static void read_status(struct core *c, const uint8_t *bytes, size_t length)
{
    struct elf_prstatus status;
    if (length < sizeof status)
        return;
    memcpy(&status, bytes, sizeof status);
    if (!c->threads.count)
        c->signal = status.pr_cursig;
    struct user_regs_struct r;
    _Static_assert(sizeof r <= sizeof status.pr_reg, "the kernel's registers");
    memcpy(&r, &status.pr_reg, sizeof r);
    ARRAY_PUSH(&c->threads, ((struct core_thread){.id = (uint32_t)status.pr_pid,
                                                  .registers = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi,
                                                                r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12,
                                                                r.r13, r.r14, r.r15, r.rip}}));
}

static void read_signal(struct core *c, const uint8_t *bytes, size_t length)
{
    siginfo_t info;
    if (length < sizeof info || c->has_details)
        return;
    memcpy(&info, bytes, sizeof info);
    c->has_details = info.si_signo == c->signal && c->signal;
    c->code = info.si_code;
    c->address = (uint64_t)(uintptr_t)info.si_addr;
    c->sender = (uint32_t)info.si_pid;
}

static void read_note(struct core_notes *n, struct core *c, uint32_t type, const uint8_t *bytes,
                      size_t length)
{
    switch (type) {
    case NT_PRSTATUS:
        read_status(c, bytes, length);
        break;
    case NT_SIGINFO:
        read_signal(c, bytes, length);
        break;
    case NT_AUXV:
        read_auxiliary(n, bytes, length);
        break;
    case NT_FILE:
        read_files(n, bytes, length);
        break;
    }
}

static void read_notes(struct core_notes *n, struct core *c, Elf *elf, const GElf_Phdr *header)
{
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header->p_offset, header->p_filesz, ELF_T_NHDR);
    GElf_Nhdr note;
    size_t name, content;
    for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0;) {
        bool core = note.n_namesz >= 4 && !memcmp((const char *)data->d_buf + name, "CORE", 4);
        if (core)
            read_note(n, c, note.n_type, (const uint8_t *)data->d_buf + content, note.n_descsz);
    }
    if (!data)
        core_add_problem(c, "the notes of the core are cut short");
}

bool core_notes_read(struct core_notes *n, struct core *c, Elf *elf, struct error *error)
{
    GElf_Ehdr head;
    size_t count, cut = 0, size = 0;
    const char *raw = elf_rawfile(elf, &size);
    *n = (struct core_notes){0};
    if (!raw || !gelf_getehdr(elf, &head) || head.e_type != ET_CORE || head.e_machine != EM_X86_64 ||
        elf_getphdrnum(elf, &count) < 0)
        return error_set(error, "no core file of an x86-64 program");
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header))
            continue;
        if (header.p_type == PT_NOTE)
            read_notes(n, c, elf, &header);
        if (header.p_type != PT_LOAD)
            continue;
        uint64_t there = header.p_offset < size ? size - header.p_offset : 0;
        cut += there < header.p_filesz;
        ARRAY_PUSH(&c->segments,
                   ((struct core_segment){.address = header.p_vaddr,
                                          .size = there < header.p_filesz ? there : header.p_filesz,
                                          .offset = header.p_offset,
                                          .extent = header.p_memsz > header.p_filesz ? header.p_memsz
                                                                                     : header.p_filesz,
                                          .writable = header.p_flags & PF_W,
                                          .executable = header.p_flags & PF_X}));
    }
    if (cut)
        core_add_problem(c, "the core is cut short: %zu of its pieces of memory are not whole", cut);
    return true;
}
