/*
 * What -fPIC code that counts knows of its thread (format/counters.h). A chapter of its own because
 * of its thread-local word: libraries in which nothing counts, since they are traced, are linked
 * without it, and so need no static thread-local storage in a traced program (Makefile).
 */
#include "runtime/process/process.h"

__thread long cotree_delta __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Called from the top of functions: their arguments stay where they are (format/counters.h). */
__attribute__((preserve_most)) long cotree_attach(void);
__attribute__((preserve_most)) long cotree_attach(void)
{
    return cotree_attach_here(&cotree_delta);
}
