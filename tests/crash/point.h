/* A place at which the judge of crash histories looks: see point.c. */
#ifdef __cplusplus
extern "C"
#endif
void point(void);
#ifdef __cplusplus
extern "C"
#endif
void *arena(unsigned long size); /* memory at the same address in all builds */
