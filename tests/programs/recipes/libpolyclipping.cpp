// Random polygons, cut in the four ways and grown, as often as it is told. A coordinate out of range is an exception that nobody catches.
#include <clipper.hpp>

#include <cstdio>
#include <cstdlib>

using namespace ClipperLib;

static unsigned seed = 1;
static Path polygon(int corners, cInt most) {
    Path path;
    for (int i = 0; i < corners; i++) {
        seed = seed * 1103515245 + 12345;
        const cInt x = seed >> 16;
        seed = seed * 1103515245 + 12345;
        path.push_back(IntPoint(x % most, cInt(seed >> 16) % most));
    }
    return path;
}

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    for (int round = 0; round < atoi(argv[1]); round++)
        for (int kind = 0; kind < 4; kind++) {
            Clipper clipper;
            Paths solution, grown;
            for (int i = 0; i < 6; i++) clipper.AddPath(polygon(14, 5000), ptSubject, true);
            for (int i = 0; i < 4; i++) clipper.AddPath(polygon(9, 4000), ptClip, true);
            if (argc > 2) clipper.AddPath({IntPoint(0, 0), IntPoint(atoll(argv[2]), 5), IntPoint(7, 9)}, ptClip, true);
            clipper.Execute(ClipType(kind), solution, pftEvenOdd, pftNonZero);
            ClipperOffset offset;
            offset.AddPaths(solution, kind % 2 ? jtRound : jtMiter, etClosedPolygon);
            offset.Execute(grown, 12.5);
            double area = 0, grown_area = 0;
            for (const Path &path : solution) area += Area(path);
            for (const Path &path : grown) grown_area += Area(path);
            printf("%zu %.1f %zu %.1f\n", solution.size(), area, grown.size(), grown_area);
        }
    return fflush(stdout) ? 3 : 0;
}
