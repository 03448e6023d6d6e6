// Packs and unpacks a file as often as it is told, in pieces of growing size, and prints sizes and a hash of what was packed.
#include <snappy.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    std::ifstream in(argv[2], std::ios::binary);
    if (!in) {
        perror(argv[2]);
        exit(1);
    }
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    unsigned long hash = 5381, packed_size = 0;
    for (int round = 0; round < atoi(argv[1]); round++) {
        const size_t piece = 1000u << round % 8;
        for (size_t at = 0; at < text.size(); at += piece) {
            std::string packed, back;
            const std::string part = text.substr(at, piece);
            snappy::Compress(part.data(), part.size(), &packed);
            if (argc > 3) packed[packed.size() / 2] ^= 90;
            if (!snappy::Uncompress(packed.data(), packed.size(), &back) || back != part) {
                fprintf(stderr, "damaged at %zu\n", at);
                exit(2);
            }
            packed_size += packed.size();
            for (unsigned char c : packed) hash = hash * 33 + c;
        }
    }
    printf("%lu %lx\n", packed_size, hash);
    return fflush(stdout) ? 3 : 0;
}
