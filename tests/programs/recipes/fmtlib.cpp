// Each line of a file is a format for a whole number, a fraction and a text, used as often as it is told. Some are wrong: fmt throws.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    std::ifstream in(argv[2]);
    if (!in) {
        perror(argv[2]);
        exit(1);
    }
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    int wrong = 0;
    for (int round = 0; round < atoi(argv[1]); round++) {
        fmt::memory_buffer out;
        for (const std::string &line : lines) {
            if (round % 20 && &line != &lines[size_t(round) % 5]) continue;
            try {
                fmt::format_to(fmt::appender(out), fmt::runtime(line), round * 7919, 1e-3 * round * round, "text");
            } catch (const fmt::format_error &error) {
                fmt::format_to(fmt::appender(out), "{} ({})", error.what(), ++wrong);
                if (argc > 3) throw;
            }
            out.push_back('\n');
        }
        const std::vector<int> several = {round, -round, round % 17};
        fmt::format_to(fmt::appender(out), "{} {:.17g} {:>{}} {}\n", several, round / 7.0, round % 3 ? "yes" : "no", round % 9, round * 1.5f);
        if (fwrite(out.data(), 1, out.size(), stdout) != out.size()) exit(3);
    }
    return fflush(stdout) ? 3 : 0;
}
