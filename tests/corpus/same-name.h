/* Inline functions that every unit has its own copy of. */
static inline int clamp(int n, int low, int high)
{
    if (n < low)
        return low;
    return n > high ? high : n;
}
int from_second(int n);
