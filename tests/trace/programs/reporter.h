/* The other tracer (reporter.c): every block of a traced program tells it that control is there. */
#ifndef REPORTER_H
#define REPORTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Installs a handler through code that is not traced, which notes the signal while it runs. */
void report_signal(int signal, void (*handler)(int));
/* A handler is about to be left by a jump. */
void report_no_signal(void);
/* Calls f(argument) through code that is not traced. */
int call_back(int (*f)(int), int argument);

#ifdef __cplusplus
}
#endif

#endif
