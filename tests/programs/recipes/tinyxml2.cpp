// Parses a document as often as it is told, adds up prices by a visitor, removes every third item, and prints what is left.
#include <tinyxml2.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tinyxml2;

struct Prices : XMLVisitor {
    double sum = 0;
    int tags = 0;
    bool VisitEnter(const XMLElement &element, const XMLAttribute *first) override {
        if (!strcmp(element.Name(), "price")) sum += element.DoubleText();
        if (!strcmp(element.Name(), "tag")) tags += first->IntValue();
        return true;
    }
};

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    for (int round = 0; round < atoi(argv[1]); round++) {
        XMLDocument document;
        if (document.LoadFile(argv[2]) != XML_SUCCESS) {
            fprintf(stderr, "%s, line %d\n", document.ErrorName(), document.ErrorLineNum());
            exit(1);
        }
        Prices prices;
        document.Accept(&prices);
        printf("%.2f %d\n", prices.sum, prices.tags);
        XMLElement *shop = document.FirstChildElement("shop");
        int n = 0;
        for (XMLElement *item = shop->FirstChildElement("item"), *next; item; item = next) {
            next = item->NextSiblingElement("item");
            if (n++ % 3 == 0) shop->DeleteChild(item);
            else item->SetAttribute("seen", n);
        }
        XMLPrinter printer(stdout, round % 2);
        document.Print(&printer);
        if (fflush(stdout)) exit(3);
    }
    return 0;
}
