/*
 * The map as module-level assembly: a global variable in a section would be loaded, assembly can
 * say that the section is not. It survives -S, LTO, ar, ld -r and GNU strip. .pushsection keeps the
 * user's own assembly where it was.
 *
 * Beside the map goes one word that refers to a symbol only the runtime has (format/counters.h):
 * linking an instrumented object without the runtime fails with that name, which says what to do.
 * The word is loaded (4 bytes a unit, no relocation at run time) and retained: linkers ignore
 * references from sections that they drop.
 */
#include "instrument/place/map_section.h"
#include "format/counters.h"
#include "format/map/map.h"

#include <stdio.h>

enum { BYTES_A_LINE = 512 };

static void add_ascii(struct buffer *text, const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += BYTES_A_LINE) {
        size_t end = length - at < BYTES_A_LINE ? length : at + BYTES_A_LINE;
        buffer_add_text(text, ".ascii \"");
        for (size_t i = at; i < end; i++) {
            uint8_t c = bytes[i];
            if (c >= ' ' && c < 127 && c != '"' && c != '\\') {
                buffer_add(text, &c, 1);
            } else {
                char octal[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + ((c >> 3) & 7)),
                                 (char)('0' + (c & 7))};
                buffer_add(text, octal, sizeof octal);
            }
        }
        buffer_add_text(text, "\"\n");
    }
}

void map_section_add(LLVMModuleRef module, const struct buffer *payload, bool needs_runtime)
{
    struct buffer unit = {0}, text = {0};
    map_write_unit(&unit, payload);
    buffer_add_text(&text, ".pushsection " MAP_SECTION ",\"\",@progbits\n");
    add_ascii(&text, unit.data, unit.length);
    buffer_add_text(&text, ".popsection\n");
    if (needs_runtime)
        buffer_add_text(&text, ".pushsection .cotree.needs,\"aR\",@progbits\n"
                               ".hidden " COUNTERS_LINK_SYMBOL "\n"
                               ".long " COUNTERS_LINK_SYMBOL " - .\n"
                               ".popsection\n");
    LLVMAppendModuleInlineAsm(module, (const char *)text.data, text.length);
    buffer_release(&unit);
    buffer_release(&text);
}
