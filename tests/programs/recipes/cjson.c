// Parses a document as often as it is told, adds up its numbers, changes it and writes it.
#include <cJSON.h>

#include <stdio.h>
#include <stdlib.h>

static double sum(const cJSON *value) {
    double total = cJSON_IsNumber(value) ? value->valuedouble : 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, value) total += sum(child);
    return total;
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    FILE *in = fopen(argv[2], "r");
    if (!in) {
        perror(argv[2]);
        exit(1);
    }
    char *text = calloc(1, 4 << 20);
    if (fread(text, 1, (4 << 20) - 1, in) == 0) exit(1);
    for (int round = 0; round < atoi(argv[1]); round++) {
        cJSON *document = cJSON_Parse(text), *item;
        if (!document) {
            fprintf(stderr, "error at %td\n", cJSON_GetErrorPtr() - text);
            exit(1);
        }
        printf("%.6g\n", sum(document));
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(document, "items")) {
            cJSON_SetNumberValue(cJSON_GetObjectItem(item, "price"), (int)cJSON_GetObjectItem(item, "price")->valuedouble);
            cJSON_DeleteItemFromObject(item, "small");
        }
        char *written = round % 2 ? cJSON_Print(document) : cJSON_PrintUnformatted(document);
        puts(written);
        free(written);
        cJSON_Delete(document);
        if (fflush(stdout) || ferror(stdout)) exit(3);
    }
    return 0;
}
