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
