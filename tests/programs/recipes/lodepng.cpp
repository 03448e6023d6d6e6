// A picture with smooth and noisy parts, encoded and decoded as often as it is told.
#include <lodepng.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    const unsigned width = 150, height = 110;
    unsigned seed = 1;
    for (int round = 0; round < atoi(argv[1]); round++) {
        std::vector<unsigned char> pixels(width * height * 4), file, back;
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++) {
                unsigned char *pixel = &pixels[4 * (y * width + x)];
                seed = seed * 1103515245 + 12345;
                pixel[0] = (unsigned char)(x + round);
                pixel[1] = (unsigned char)(x * y / 64);
                pixel[2] = (unsigned char)(x > 100 ? seed >> 24 : y);
                pixel[3] = 255;
            }
        lodepng::State state;
        state.encoder.zlibsettings.windowsize = 2048u << round % 3;
        unsigned error = lodepng::encode(file, pixels, width, height, state), w, h;
        if (argc > 2) file[file.size() / 2] ^= 90;
        if (!error) error = lodepng::decode(back, w, h, file);
        if (error) {
            fprintf(stderr, "%s\n", lodepng_error_text(error));
            exit(1);
        }
        if (back != pixels) abort();
        unsigned long hash = 5381;
        for (unsigned char byte : file) hash = hash * 33 + byte;
        printf("%zu %lx\n", file.size(), hash);
    }
    return fflush(stdout) ? 3 : 0;
}
