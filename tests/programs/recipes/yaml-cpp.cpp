// Reads a document as often as it is told, adds up what can be read as a number (an exception where it cannot) and writes it. Errors of the
// document itself are not caught.
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <cstdlib>

static double sum(const YAML::Node &node, int &not_numbers) {
    double total = 0;
    if (node.IsSequence())
        for (const auto &element : node) total += sum(element, not_numbers);
    else if (node.IsMap())
        for (const auto &pair : node) total += sum(pair.second, not_numbers);
    else
        try {
            total = node.as<double>();
        } catch (const YAML::BadConversion &) {
            not_numbers++;
        }
    return total;
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    for (int round = 0; round < atoi(argv[1]); round++) {
        YAML::Node document = YAML::LoadFile(argv[2]);
        int not_numbers = 0;
        const double total = sum(document, not_numbers);
        printf("%.3f %d\n", total, not_numbers);
        document["items"][3]["name"] = "changed";
        YAML::Emitter out;
        out << document;
        puts(out.c_str());
        if (fflush(stdout) || ferror(stdout)) exit(3);
    }
    return 0;
}
