// A second of a sound with a beat, changed in several ways, as often as it is told. A number of channels that cannot be is an exception.
#include <BPMDetect.h>
#include <SoundTouch.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace soundtouch;

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    const int channels = argc > 2 ? atoi(argv[2]) : 1, rate = 22050;
    std::vector<SAMPLETYPE> in(rate), out(4096);
    for (int i = 0; i < rate; i++)
        in[i] = SAMPLETYPE(0.4 * sin(i * 0.05) + (i % 5512 < 800 ? 0.4 * sin(i * 0.31) : 0.1 * sin(i * 0.011)));
    for (int round = 0; round < atoi(argv[1]); round++) {
        SoundTouch touch;
        touch.setChannels(channels);
        touch.setSampleRate(rate);
        touch.setTempo(0.8 + 0.2 * (round % 4));
        touch.setPitchSemiTones(round % 5 - 2);
        touch.setRate(1.1);
        double sum = 0;
        unsigned many = 0, n;
        touch.putSamples(in.data(), rate);
        touch.flush();
        while ((n = touch.receiveSamples(out.data(), 4096)) != 0)
            for (many += n; n > 0; n--) sum += fabs(out[n - 1]);
        BPMDetect beat(1, rate);
        beat.inputSamples(in.data(), rate);
        printf("%u %.3f %.1f\n", many, sum, beat.getBpm());
    }
    return fflush(stdout) ? 3 : 0;
}
