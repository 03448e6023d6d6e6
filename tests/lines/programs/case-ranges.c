static volatile int ran;
static int choose(long way)
{
    switch (way) {
    case 0 ... 99:
        ran++;
        return 2;
    case 1000:
        return 3;
    case 2000 ... 5000:
    again:
        if (ran++ < 3)
            goto again;
    case 9000 ... 19000:
        ran--;
        break;
    default:
        ran = 7;
    case -500 ... -1: {
        ran++;
    }
    }
    switch (way) {
    case 30000 ... 40000:
        ran++;
    }
    return 4;
}
int main(void)
{
    for (int i = 0; i < 20; i++)
        choose(i < 2 ? i : 1000 * i);
    choose(-3);
    choose(12345);
}
