/* A place at which the judge of crash histories looks: see point.c. */
#ifdef __cplusplus
extern "C"
#endif
void point(void);
