// Each line of a file is a formula of x and y, evaluated in bulk and one by one. Some are wrong: the parser throws.
#include <muParser.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

static double third(double x) {
    if (x > 55) throw mu::ParserError("too large for a third");
    return x / 3;
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    std::ifstream in(argv[2]);
    if (!in) {
        perror(argv[2]);
        exit(1);
    }
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (int round = 0; round < atoi(argv[1]); round++)
        for (const std::string &line : lines) {
            double x = round, y = 2, sum = 0;
            mu::Parser parser;
            parser.DefineVar("x", &x);
            parser.DefineVar("y", &y);
            parser.DefineFun("third", third);
            try {
                parser.SetExpr(line);
                for (int i = 0; i < 200; i++) {
                    sum += parser.Eval();
                    x += 0.25;
                    y = i % 9;
                }
                printf("%s: %.9g\n", line.c_str(), sum);
            } catch (const mu::ParserError &error) {
                printf("%s: %s\n", line.c_str(), error.GetMsg().c_str());
                if (argc > 3) throw;
            }
        }
    return fflush(stdout) ? 3 : 0;
}
