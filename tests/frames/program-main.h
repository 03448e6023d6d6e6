/* Included before a program that goes into a shared library (-Dmain=program_main): C++ would give the name to
 * its function otherwise. */
#ifdef __cplusplus
extern "C" int program_main(void);
#endif
