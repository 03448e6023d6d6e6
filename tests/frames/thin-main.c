/* The program is in a shared library, under the name program_main. */
int program_main(void);
int main(void)
{
    int status = program_main();
    return status;
}
