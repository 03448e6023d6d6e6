// Solves systems of that size in several ways, as often as it is told. A size that cannot be is an exception that nobody catches.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace Eigen;

static unsigned seed = 1;
static double random_number() {
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) / 16777216.0 - 0.5;
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    const int n = atoi(argv[2]);
    std::vector<double> numbers;
    numbers.resize(size_t(n));
    for (int round = 0; round < atoi(argv[1]); round++) {
        MatrixXd a(n, n);
        VectorXd b(n);
        for (int i = 0; i < n; i++) {
            b[i] = random_number();
            for (int j = 0; j < n; j++) a(i, j) = random_number() + (i == j) * n / 8.0;
        }
        const VectorXd by_lu = a.partialPivLu().solve(b), by_full = a.fullPivLu().solve(b), by_qr = a.householderQr().solve(b);
        const MatrixXd symmetric = a + a.transpose();
        const SelfAdjointEigenSolver<MatrixXd> values(symmetric);
        const JacobiSVD<MatrixXd> singular(a.topLeftCorner(n / 3, n / 3));
        printf("%.6f %.1e %.1e %.5f %.5f\n", by_lu.norm(), (by_lu - by_full).norm() < 1e-9 ? 0.0 : 1.0, (by_lu - by_qr).norm() < 1e-9 ? 0.0 : 1.0,
               values.eigenvalues()[n / 2], singular.singularValues().sum());

        std::vector<Triplet<double>> entries;
        const int side = n / 3;
        for (int i = 0; i < side * side; i++) {
            entries.emplace_back(i, i, 4.0);
            if (i % side) entries.emplace_back(i, i - 1, -1.0), entries.emplace_back(i - 1, i, -1.0);
            if (i >= side) entries.emplace_back(i, i - side, -1.0), entries.emplace_back(i - side, i, -1.0);
        }
        SparseMatrix<double> sparse(side * side, side * side);
        sparse.setFromTriplets(entries.begin(), entries.end());
        SparseLU<SparseMatrix<double>> lu(sparse);
        ConjugateGradient<SparseMatrix<double>, Lower | Upper> gradient(sparse);
        const VectorXd ones = VectorXd::Ones(side * side);
        printf("%.6f %.6f\n", lu.solve(ones).sum(), gradient.solve(ones).sum());

        ArrayXXf heat = ArrayXXf::Zero(n, n);
        heat.row(0) = 1;
        for (int step = 0; step < 100; step++) {
            const ArrayXXf old = heat;
            heat.block(1, 1, n - 2, n - 2) = 0.25f * (old.block(0, 1, n - 2, n - 2) + old.block(2, 1, n - 2, n - 2) +
                                                     old.block(1, 0, n - 2, n - 2) + old.block(1, 2, n - 2, n - 2));
        }
        Matrix4f turn = Matrix4f::Identity();
        const Matrix4f step = Matrix4f(Affine3f(AngleAxisf(0.01f, Vector3f::UnitZ())).matrix());
        for (int i = 0; i < 3000; i++) turn = turn * step;
        printf("%.4f %.4f\n", heat.sum(), turn.norm());
    }
    return fflush(stdout) ? 3 : 0;
}
