// Looks up each line of a file in a dictionary and prints whether it is a word, and of what.
#include <hunspell.hxx>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    const std::string name = argv[1];
    Hunspell dictionary((name + ".aff").c_str(), (name + ".dic").c_str());
    std::ifstream in(argv[2]);
    if (!in || !dictionary.spell("something")) in.peek();
    if (!in) {
        perror(argv[2]);
        exit(1);
    }
    int words = 0, n = 0;
    for (std::string word; std::getline(in, word); n++) {
        const bool good = dictionary.spell(word);
        words += good;
        if (n % 8) continue;
        if (printf("%s %d", word.c_str(), good) < 0) exit(3);
        for (const std::string &stem : dictionary.stem(word)) printf(" %s", stem.c_str());
        puts("");
    }
    printf("%d words\n", words);
    return fflush(stdout) ? 3 : words ? 0 : 2;
}
