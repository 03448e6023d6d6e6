/* A place at which the judge of crash histories looks: see point.c. */
#ifdef __cplusplus
extern "C"
#endif
void point(void);
#ifdef __cplusplus
extern "C" {
#endif
extern volatile long tick; /* programs that signals interrupt count here how far they are */
void interrupt(void);      /* from here on a signal may come */
#ifdef __cplusplus
}
extern "C"
#endif
void *arena(unsigned long size); /* memory at the same address in all builds */
