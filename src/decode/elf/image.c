#include "decode/elf/image.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, uint8_t *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(fd, bytes + done, length - done);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool read_file(struct elf_image *o, int fd, struct error *error)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return error_set(error, "cannot open: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return error_set(error, "is not a regular file");
    o->mode = st.st_mode & 07777;
    o->length = (size_t)st.st_size;
    o->bytes = ALLOC(uint8_t, o->length + 1);
    return read_all(fd, o->bytes, o->length) || error_set(error, "cannot be read as a whole");
}

/* libelf gets a copy: it may change the bytes that it is given. */
bool elf_image_read(struct elf_image *o, const char *path, struct error *error)
{
    *o = (struct elf_image){0};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    bool ok = read_file(o, fd, error);
    if (ok && (elf_version(EV_CURRENT) == EV_NONE || !(o->elf = elf_begin(fd, ELF_C_READ, NULL))))
        ok = error_set(error, "cannot read: %s", elf_errmsg(-1));
    if (ok && elf_cntl(o->elf, ELF_C_FDREAD) < 0) /* the descriptor is not needed any more */
        ok = error_set(error, "cannot read: %s", elf_errmsg(-1));
    if (ok && elf_kind(o->elf) != ELF_K_ELF)
        ok = error_set(error, "is not an ELF file");
    if (fd >= 0)
        close(fd);
    if (!ok) {
        elf_image_release(o);
        error_prefix(error, "'%s'", path);
    }
    return ok;
}

void elf_image_release(struct elf_image *o)
{
    if (o->elf)
        elf_end(o->elf);
    free(o->bytes);
    *o = (struct elf_image){0};
}

static uint8_t *part(const struct elf_image *o, uint64_t offset, uint64_t length)
{
    return offset <= o->length && length <= o->length - offset ? o->bytes + offset : NULL;
}

uint8_t *elf_image_section(const struct elf_image *o, const char *name, size_t *length)
{
    size_t names;
    if (elf_getshdrstrndx(o->elf, &names))
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(o->elf, section));) {
        GElf_Shdr header;
        const char *is = gelf_getshdr(section, &header) ? elf_strptr(o->elf, names, header.sh_name) : NULL;
        if (!is || strcmp(is, name) || header.sh_type == SHT_NOBITS || header.sh_flags & SHF_COMPRESSED)
            continue;
        *length = (size_t)header.sh_size;
        return part(o, header.sh_offset, header.sh_size);
    }
    return NULL;
}

uint8_t *elf_image_code(const struct elf_image *o, uint64_t address, size_t length)
{
    size_t count;
    if (elf_getphdrnum(o->elf, &count))
        return NULL;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(o->elf, (int)i, &header) || header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
            address < header.p_vaddr || address - header.p_vaddr > header.p_filesz ||
            length > header.p_filesz - (address - header.p_vaddr))
            continue;
        uint64_t into = address - header.p_vaddr;
        return into <= UINT64_MAX - header.p_offset ? part(o, header.p_offset + into, length) : NULL;
    }
    return NULL;
}
