// Transforms and transforms back, as often as it is told. A real transform of odd length is refused.
#include <kiss_fft.h>
#include <kiss_fftnd.h>
#include <kiss_fftr.h>

#include <stdio.h>
#include <stdlib.h>

static kiss_fft_cpx in[4096], out[4096];
static float real[4096];

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    const int lengths[] = {1024, 1000, 1021, 2187, 3125, 4096}, sides[] = {48, 60};
    for (int round = 0; round < atoi(argv[1]); round++) {
        const int n = argc > 2 ? atoi(argv[2]) : lengths[round % 6];
        double sum = 0;
        for (int i = 0; i < 4096; i++) {
            real[i] = (float)(i * (round + 1) % 97) / 97;
            in[i].r = real[i];
            in[i].i = (float)(i % 5);
        }
        kiss_fft_cfg forth = kiss_fft_alloc(n, 0, NULL, NULL), back = kiss_fft_alloc(n, 1, NULL, NULL);
        kiss_fft(forth, in, out);
        for (int i = 0; i < n; i++) sum += out[i].r * out[i].r + out[i].i * out[i].i;
        kiss_fft(back, out, in);
        sum += in[n / 2].r;
        kiss_fftr_cfg of_real = kiss_fftr_alloc(n - (argc > 2 ? 0 : n % 2), 0, NULL, NULL);
        if (!of_real) exit(1);
        kiss_fftr(of_real, real, out);
        for (int i = 0; i < n / 2; i++) sum += out[i].r;
        kiss_fftnd_cfg flat = kiss_fftnd_alloc(sides, 2, 0, NULL, NULL);
        kiss_fftnd(flat, in, out);
        printf("%d %.2f %.3f\n", n, sum, out[777].i);
        free(forth);
        free(back);
        free(of_real);
        free(flat);
    }
    return fflush(stdout) ? 3 : 0;
}
