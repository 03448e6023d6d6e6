#include "decode/elf/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool elf_file_open(struct elf_file *o, const char *path, struct error *error)
{
    *o = (struct elf_file){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
    struct stat st;
    if (o->fd < 0 || fstat(o->fd, &st) < 0)
        error_set(error, "cannot open: %s", strerror(errno));
    else if (!S_ISREG(st.st_mode))
        error_set(error, "not a regular file");
    else if (elf_version(EV_CURRENT) == EV_NONE || !(o->elf = elf_begin(o->fd, ELF_C_READ, NULL)))
        error_set(error, "cannot read: %s", elf_errmsg(-1));
    else if (elf_kind(o->elf) != ELF_K_ELF)
        error_set(error, "not an ELF file");
    else
        return true;
    if (o->elf)
        elf_end(o->elf);
    if (o->fd >= 0)
        close(o->fd);
    return false;
}

void elf_file_close(struct elf_file *o)
{
    elf_end(o->elf);
    close(o->fd);
}

/* The hexadecimal build id among some notes, or NULL. */
static char *build_id_in(Elf_Data *data)
{
    GElf_Nhdr note;
    size_t name, description;
    for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &description)) > 0;) {
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp((char *)data->d_buf + name, "GNU", 4) || note.n_descsz == 0 || note.n_descsz > 64)
            continue;
        char *text = ALLOC(char, note.n_descsz * 2 + 1);
        for (size_t i = 0; i < note.n_descsz; i++)
            sprintf(text + 2 * i, "%02x", ((uint8_t *)data->d_buf)[description + i]);
        return text;
    }
    return NULL;
}

/* Looks in the segments, which every loadable file has; in the sections if a separate debug file
 * has no segments left. */
char *elf_file_build_id(const struct elf_file *o)
{
    Elf *elf = o->elf;
    size_t count;
    char *id = NULL;
    if (elf_getphdrnum(elf, &count) == 0)
        for (size_t i = 0; !id && i < count; i++) {
            GElf_Phdr header;
            if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_NOTE && header.p_filesz)
                id = build_id_in(elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
                                                      header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
        }
    for (Elf_Scn *section = NULL; !id && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
            id = build_id_in(elf_getdata(section, NULL));
    }
    return id;
}

bool elf_file_is_build(const struct elf_file *o, const char *build_id)
{
    char *id = elf_file_build_id(o);
    bool same = id ? !strcmp(id, build_id) : text_starts_with(build_id, "map:");
    free(id);
    return same;
}

bool elf_file_loaded_section(const struct elf_file *o, const char *name, uint64_t *address, uint64_t *size)
{
    size_t names;
    if (elf_getshdrstrndx(o->elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(o->elf, section));) {
        GElf_Shdr header;
        const char *is = gelf_getshdr(section, &header) ? elf_strptr(o->elf, names, header.sh_name) : NULL;
        if (is && !strcmp(is, name) && header.sh_type == SHT_PROGBITS && header.sh_flags & SHF_ALLOC) {
            *address = header.sh_addr;
            *size = header.sh_size;
            return header.sh_size;
        }
    }
    return false;
}
