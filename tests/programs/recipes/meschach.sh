# meschach: matrices in C: LU, QR, singular values, eigenvalues, Fourier transforms, sparse systems; errors are thrown by longjmp.
programs=matrices
configure() { :; }
compile() {
    (cd "$SRC" && ls *.c) |
        grep -vE 'tort|^(tutorial|tutadv|memtort|mfuntort|maxint|dmacheps|fmacheps|extras|conjgrad|lanczos|arnoldi)' | sed "s|^|$SRC/|" |
        xargs $CC $CFLAGS -std=gnu89 -w -I"$SRC" -o matrices "$RECIPES"/meschach.c -lm
}
inputs() { :; }
workload() { $RUN ./matrices 2 36 >out; }
failures() {
    fails operands ./matrices
    ends singular ./matrices 1 40 singular
    fails_full full ./matrices 1 10
    for i in 1 2 3; do killed_busy busy.$i TERM ./matrices 1000000 40; done
}
