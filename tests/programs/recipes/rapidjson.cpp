// Parses a document as often as it is told: once by events that only count, once as a tree, which is changed and written.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

using namespace rapidjson;

struct Counter : BaseReaderHandler<UTF8<>, Counter> {
    unsigned strings = 0, others = 0, deep = 0, deepest = 0;
    bool Default() { return ++others; }
    bool String(const char *, SizeType, bool) { return ++strings; }
    bool StartArray() {
        if (++deep > deepest) deepest = deep;
        return true;
    }
    bool EndArray(SizeType) {
        deep--;
        return true;
    }
};

static double sum(const Value &value) {
    double total = 0;
    if (value.IsNumber()) total = value.GetDouble();
    if (value.IsArray())
        for (const Value &element : value.GetArray()) total += sum(element);
    if (value.IsObject())
        for (const auto &member : value.GetObject()) total += sum(member.value);
    return total;
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    std::ifstream in(argv[2]);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (int round = 0; round < atoi(argv[1]); round++) {
        Counter counter;
        Reader reader;
        StringStream stream(text.c_str());
        reader.Parse(stream, counter);
        Document document;
        if (document.Parse(text.c_str()).HasParseError()) {
            fprintf(stderr, "%s at %zu\n", GetParseError_En(document.GetParseError()), document.GetErrorOffset());
            exit(1);
        }
        for (Value &item : document["items"].GetArray()) item["price"].SetInt(int(item["price"].GetDouble()));
        StringBuffer buffer;
        PrettyWriter<StringBuffer> writer(buffer);
        document.Accept(writer);
        printf("%u %u %u %.6g\n", counter.strings, counter.others, counter.deepest, sum(document));
        puts(buffer.GetString());
        if (fflush(stdout) || ferror(stdout)) exit(3);
    }
    return 0;
}
