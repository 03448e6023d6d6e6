/* Solves systems of that size in several ways, as often as it is told. A matrix that cannot be solved is caught, or ends the program. */
#include <matrix.h>
#include <matrix2.h>
#include <sparse.h>
#include <sparse2.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned seed = 1;
static double random_number(void) {
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) / 16777216.0 - 0.5;
}

int main(int argc, char **argv) {
    int round, i, j, n;
    static int caught;
    if (argc < 3) return 64;
    n = atoi(argv[2]);
    for (round = 0; round < atoi(argv[1]); round++) {
        MAT *a = m_get(n, n), *lu, *qr, *symmetric, *q = m_get(n, n);
        VEC *b = v_get(n), *x, *y, *diagonal = v_get(n), *values, *singular, *re = v_get(256), *im = v_get(256);
        PERM *pivot = px_get(n);
        SPMAT *sparse = sp_get(n * n, n * n, 5);
        VEC *ones = v_ones(v_get(n * n)), *solved;
        double sum = 0;
        for (i = 0; i < n; i++) {
            b->ve[i] = random_number();
            for (j = 0; j < n; j++) a->me[i][j] = random_number() + (i == j) * n / 8.0;
        }
        lu = m_copy(a, MNULL);
        LUfactor(lu, pivot);
        x = LUsolve(lu, pivot, b, VNULL);
        qr = m_copy(a, MNULL);
        QRfactor(qr, diagonal);
        y = QRsolve(qr, diagonal, b, VNULL);
        symmetric = m_add(a, m_transp(a, MNULL), MNULL);
        values = symmeig(symmetric, q, VNULL);
        singular = svd(a, MNULL, MNULL, VNULL);
        for (i = 0; i < n; i++) sum += singular->ve[i] + fabs(values->ve[i]);
        printf("%.6f %d %.5f\n", v_norm2(x), v_norm2(v_sub(x, y, VNULL)) < 1e-9, sum);
        for (i = 0; i < 256; i++) re->ve[i] = random_number();
        fft(re, im);
        printf("%.6f\n", in_prod(re, re));
        for (i = 0; i < n * n; i++) {
            sp_set_val(sparse, i, i, 4.0);
            if (i % n) sp_set_val(sparse, i, i - 1, -1.0), sp_set_val(sparse, i - 1, i, -1.0);
            if (i >= n) sp_set_val(sparse, i, i - n, -1.0), sp_set_val(sparse, i - n, i, -1.0);
        }
        spCHfactor(sparse);
        solved = spCHsolve(sparse, ones, VNULL);
        printf("%.6f\n", v_sum(solved));
        m_zero(lu);
        px_ident(pivot);
        if (argc > 3) LUsolve(lu, pivot, b, x);
        catchall(LUsolve(lu, pivot, b, x), caught++);
        M_FREE(a); M_FREE(lu); M_FREE(qr); M_FREE(symmetric); M_FREE(q);
        V_FREE(b); V_FREE(x); V_FREE(y); V_FREE(diagonal); V_FREE(values); V_FREE(singular); V_FREE(re); V_FREE(im); V_FREE(ones); V_FREE(solved);
        PX_FREE(pivot);
        SP_FREE(sparse);
    }
    printf("%d caught\n", caught);
    return fflush(stdout) ? 3 : 0;
}
