# kissfft: Fourier transforms of several lengths, real, complex and of two dimensions, by a main program of our own.
programs=transform
configure() { :; }
compile() {
    $CC $CFLAGS -I"$SRC" -o transform "$RECIPES"/kissfft.c "$SRC"/kiss_fft.c "$SRC"/kiss_fftr.c \
        "$SRC"/kiss_fftnd.c -lm
}
inputs() { :; }
workload() { $RUN ./transform 15 >out; }
failures() {
    fails operands ./transform
    fails length ./transform 1 7
    fails_full full ./transform 1
    for i in 1 2 3; do killed_busy busy.$i TERM ./transform 10000000; done
}
