// Parses a document as often as it is told, and prints for each XPath expression how many nodes it finds and the sum of their texts' lengths.
#include <pugixml.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    unsigned long found = 0;
    for (int round = 0; round < atoi(argv[1]); round++) {
        pugi::xml_document document;
        const pugi::xml_parse_result result = document.load_file(argv[2], pugi::parse_full);
        if (!result) {
            fprintf(stderr, "%s at %td\n", result.description(), result.offset);
            exit(1);
        }
        for (int i = 3; i < argc; i++) {
            try {
                unsigned long length = 0;
                for (const pugi::xpath_node &node : document.select_nodes(argv[i])) {
                    length += strlen(node.node().text().get());
                    found++;
                }
                printf("%s: %lu %lu\n", argv[i], found, length);
            } catch (const pugi::xpath_exception &error) {
                printf("%s: %s\n", argv[i], error.what());
            }
        }
        std::ostringstream text;
        document.save(text, " ");
        printf("%zu\n", text.str().size());
        if (fflush(stdout)) exit(3);
    }
    if (!found) throw "nothing found";
    return 0;
}
