// Builds two kinds of trees over random points in three dimensions and asks them for neighbours, as often as it is told. More neighbours than
// points are an error by which the library ends the program.
#include <ANN/ANN.h>

#include <cstdio>
#include <cstdlib>

static double random_coordinate() {
    static unsigned seed = 1;
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) / 16777216.0;
}

static void fill(ANNpointArray points, int many) {
    for (int i = 0; i < many; i++)
        for (int j = 0; j < 3; j++) points[i][j] = j == 2 && i % 2 ? points[i][0] : random_coordinate();
}

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    const int many = 2500, queries = 900, wanted = argc > 2 ? atoi(argv[2]) : 6;
    ANNpointArray points = annAllocPts(many, 3), asked = annAllocPts(queries, 3);
    ANNidx *found = new ANNidx[wanted];
    ANNdist *distances = new ANNdist[wanted];
    for (int round = 0; round < atoi(argv[1]); round++) {
        fill(points, many);
        fill(asked, queries);
        ANNkd_tree kd(points, many, 3, 1, ANN_KD_SUGGEST);
        ANNbd_tree bd(points, many, 3, 4, ANN_KD_SL_MIDPT, ANN_BD_CENTROID);
        double sum = 0;
        long indices = 0;
        for (int i = 0; i < queries; i++) {
            ANNkd_tree &tree = i % 2 ? kd : bd;
            if (i % 3) tree.annkSearch(asked[i], wanted, found, distances, 0.01);
            else tree.annkPriSearch(asked[i], wanted, found, distances, 0);
            for (int j = 0; j < wanted; j++) {
                sum += distances[j];
                indices += found[j];
            }
            indices += tree.annkFRSearch(asked[i], 0.01, 0);
        }
        printf("%.9f %ld\n", sum, indices);
    }
    return fflush(stdout) ? 3 : 0;
}
