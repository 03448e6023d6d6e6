static volatile int sink;
int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++)
        switch (argc) {
        case 7:
            sink++;
            break;
        default:
            sink--;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            sink++;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 0; j++) {
            sink++;
        }
    while (argc++ < 4)
        while (argc == 9) {
            sink++;
        }
    do
        switch (argc) {
        case 9:
            sink++;
        }
    while (argc++ < 10);
}
static void sum(int a, int b) { sink += a + b; }
__attribute__((constructor)) static void more(void)
{
    int way = sink + 3;
    for (int i = 0; i < way; i++)
        for (int j = 0; j < 0; j++)
            ;
    for (int i = 0; i < way; i++)
        for (int j = 0; j < 0; j++)
            sum(i,
                j
            );
    if (way)
        for (int j = 0; j < 0; j++)
            sink++;
    else
        sink--;
    do {
        if (way)
            break;
        sink++;
    } while (0);
end:
    if (way-- > 1)
        goto end;
    if (sink)
        while (sink) {
            if (sink)
                break;
            sink++;
        }
    else
        switch (sink)
        default:
        other:
            if (way++ < 1)
                goto other;
}
