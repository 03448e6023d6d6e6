static volatile int ran;
struct other {
    int n;
    other(int n) : n(n) {}
    other(const other &o) : n(o.n) { ran++; }
};
static int catches(int way)
{
    try
    {
        if (way == 1)
            throw 1;
        if (way == 2)
            throw 2L;
        if (way > 2)
            throw other(way);
        ran++;
    }
    catch (int)
    {
        ran++;
    }
    catch (long)
    {
        return 3;
    }
    catch (other o)
    {
        ran += o.n;
    }
    catch (double)
    {
        ran++;
    }
    catch (...)
    {
        ran++;
    }
    return 4;
}
static int expression(int n)
{
    return ({
        int twice = n * 2;
        int more = twice + 1;
        more > 3 ? more : twice;
    });
}
int main()
{
    for (int i = 0; i < 6; i++)
        catches(i % 5);
    expression(1);
}
