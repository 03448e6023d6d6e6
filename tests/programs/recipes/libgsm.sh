# toast: GSM 06.10, a codec of speech. Its own sources are the sound (as u-law, and as 16-bit samples).
programs=toast
configure() { :; }
compile() {
    $CC $CFLAGS -w -DSASR -DNeedFunctionPrototypes=1 -DWAV49 -DHAS_FCNTL_H -DHAS_UTIME_H -DHAS_UNISTD_H \
        -DHAS_STDLIB_H -DHAS_STRING_H -DHAS_ERRNO_DECL \
        -DHAS_FSTAT -DHAS_CHMOD -DHAS_UTIME -DHAS_UTIMBUF -I"$SRC"/inc -o toast "$SRC"/src/*.c
}
inputs() { cat "$SRC"/src/*.c "$SRC"/inc/*.h | head -c 60000 >sound; }
workload() {
    $RUN ./toast -u -c sound >sound.gsm
    $RUN ./toast -u -d -c sound.gsm >sound.out
    $RUN ./toast -l -F -c sound >fast.gsm
    $RUN ./toast -a -d -c fast.gsm >fast.out
}
failures() {
    head -c 500 sound.gsm >short.gsm
    ends missing ./toast -c nowhere
    ends not-gsm ./toast -d -c sound
    ends short ./toast -d -u -c short.gsm
    fails option ./toast -Z
    ends_full full ./toast -u -c sound
    killed_reading reading TERM "$(head -c 3000 sound)" ./toast -u
    for i in 1 2 3; do killed_busy busy.$i TERM ./toast -u </dev/zero; done
}
