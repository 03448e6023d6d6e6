// Packs a file by the method that it is told and unpacks it. What goes wrong is an exception that nobody catches.
#include <libzpaq.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

void libzpaq::error(const char *message) { throw std::runtime_error(message); }

struct In : libzpaq::Reader {
    const std::string &text;
    size_t at = 0;
    explicit In(const std::string &text) : text(text) {}
    int get() override { return at < text.size() ? (unsigned char)text[at++] : -1; }
};
struct Out : libzpaq::Writer {
    std::string text;
    void put(int c) override { text += char(c); }
};

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    std::ifstream file(argv[2], std::ios::binary);
    if (!file) {
        perror(argv[2]);
        exit(1);
    }
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Out packed, back;
    In in(text);
    libzpaq::compress(&in, &packed, argv[1]);
    if (argc > 3)
        for (size_t i = packed.text.size() / 2; i < packed.text.size(); i += 7) packed.text[i] ^= 90;
    In again(packed.text);
    libzpaq::decompress(&again, &back);
    if (back.text != text) abort();
    unsigned long hash = 5381;
    for (unsigned char c : packed.text) hash = hash * 33 + c;
    printf("%zu %lx\n", packed.text.size(), hash);
    return fflush(stdout) ? 3 : 0;
}
