/* T in a line: compiled with -DTRUTH it adds one to the counter of the line in the file that TRUTH_FILE names. Otherwise it is nothing. */
#ifdef TRUTH
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long *truth_lines;

__attribute__((constructor)) static void truth_start(void)
{
    int file = open(getenv("TRUTH_FILE"), O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, 8 * 1024))
        abort();
    truth_lines = (unsigned long *)mmap(NULL, 8 * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
}
#ifdef TRUTH_ASSEMBLY /* counts are made before it, and nothing is moved over it */
#define T __asm__ volatile("lock incq %0" : "+m"(truth_lines[__LINE__]) : : "memory", "cc")
#else
#define T __atomic_fetch_add(&truth_lines[__LINE__], 1, __ATOMIC_RELAXED)
#endif
#else
#define T __asm__ volatile("")
#endif
