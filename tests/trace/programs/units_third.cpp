// A strong definition of what the first unit has a weak one of.
int replaced(int n)
{
    return n % 4 ? n : 2 * n;
}
