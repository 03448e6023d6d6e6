// Functions that one unit calls of another: some of them traced, some not, some defined twice.
#ifdef __cplusplus
extern "C" {
#endif
struct large {
    long part[5];
};
// In named_traced.c.
int leaf(int n);
int recursive(int n);
struct large make_large(int a, double b, long double c, int d, int e, int f, int g, long h);
int replaced_by_plain(int n); // weak there, and in the plain unit, too
int silent(int n);
int jumps_on(int n, int (*f)(int));
int old_style();
// In named_plain.cpp.
int plain(int n);
int plain_calls(int n, int (*f)(int));
void plain_throws(int n);
void plain_jumps(int n);
int plain_forks(void);
struct large plain_large(int a, double b, long double c, int d, int e, int f, int g, long h);
extern long jump_buffer[64];
#ifdef __cplusplus
}
#endif
