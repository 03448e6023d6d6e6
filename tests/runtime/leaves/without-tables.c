/* Compiled without frame information. */
int call_through(void (*function)(void))
{
    volatile char kept[40];
    kept[0] = 1;
    function();
    return kept[0];
}
