// Parses a document as often as it is told, adds up what can be read as a number (an exception where it cannot) and writes it. Errors of the
// document itself are not caught.
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

using nlohmann::json;

static double sum(const json &value, int &not_numbers) {
    double total = 0;
    if (value.is_structured()) {
        for (const json &element : value) total += sum(element, not_numbers);
        return total;
    }
    try {
        return value.get<double>();
    } catch (const json::type_error &) {
        not_numbers++;
        return 0;
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    std::ifstream in(argv[2]);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (int round = 0; round < atoi(argv[1]); round++) {
        json document = json::parse(text);
        int not_numbers = 0;
        printf("%.6g", sum(document, not_numbers));
        printf(" %d\n", not_numbers);
        for (json &item : document.at("items")) {
            item["price"] = int(item.at("price").get<double>());
            item.erase("small");
        }
        puts(document.dump(round % 3).c_str());
        if (fflush(stdout) || ferror(stdout)) exit(3);
    }
    return 0;
}
