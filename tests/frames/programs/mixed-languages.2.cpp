/* The C++ part of mixed-languages.c. */
extern "C" {
int inner_c(int n);
int middle_catches(int n);
void middle_throws(int n);
}
static volatile int kept;
void middle_throws(int n)
{
    kept = n; /* count: 3 */
    if (n > 0)
        throw n; /* count: 2 */
    kept++;      /* count: 1 */
}
int middle_catches(int n)
{
    try {
        int r = inner_c(n); /* count: 4 */
        kept = r;           /* count: 1 */
        return r;
    } catch (int) {
        kept = -1; /* count: 2 */
        return 0;
    }
}
