static volatile int ran;
static void choose(int way)
{
    switch (way) {
    case 5:
        way = 7;
        ran++;
        __attribute__((fallthrough));
    case 1:
    again:
        ran = 4;
        if (way++ < 3)
            goto again;
        break;
    case 6:
        ran++;
        break;
    case 4:
    once_more:
        ran = 5;
        if (way++ < 6)
            goto once_more;
        return;
    unused:
        ran++;
    case 12:
    twelve:
        ran = 12;
        if (way++ < 14)
            goto twelve;
    }
    if (way < 0)
        ran++;
    else
    nothing:;
    if (way == 90)
        goto nothing;
    switch (way) {
    case 91:
        if (way == 9)
            ran++;
    case 92:
    case 15:
    first:
    case 93:
    second:
        ran++;
        if (way++ < 17)
            goto first;
        if (way == 94)
            goto second;
    }
    if (way == 95)
        ran++;
end:
    if (way++ < 20)
        goto end;
}
int main(void)
{
    choose(1);
    choose(4);
    choose(12);
}
