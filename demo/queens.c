/* Eight queens, eight threads. No two queens may attack each other: how much work is it to find every way?
 * Nothing in this program counts; cotree does, in all threads at once, and exactly. There are 92 solutions:
 * look for the 92. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8 };

struct board {
    int column[SIZE]; /* of the queen in each row */
    char *solution;   /* the last one found */
};

static int attacked(const struct board *b, int row, int column)
{
    for (int above = 0; above < row; above++) {
        int distance = row - above;
        if (b->column[above] == column)
            return 1;
        if (b->column[above] == column - distance || b->column[above] == column + distance)
            return 1;
    }
    return 0;
}

static void keep(struct board *b)
{
    for (int row = 0; row < SIZE; row++)
        b->solution[row] = (char)('a' + b->column[row]);
}

static void place(struct board *b, int row)
{
    if (row == SIZE) {
        keep(b);
        return;
    }
    for (int column = 0; column < SIZE; column++) {
        if (attacked(b, row, column))
            continue;
        b->column[row] = column;
        place(b, row + 1);
    }
}

/* One thread for each column the first queen can stand in. */
static void *search(void *solution)
{
    struct board board = {.solution = solution};
    board.column[0] = board.solution[0] - 'a';
    place(&board, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[SIZE];
    char solutions[SIZE][SIZE + 1] = {0};
    for (int i = 0; i < SIZE; i++) {
        solutions[i][0] = (char)('a' + i);
        if (pthread_create(&threads[i], NULL, search, solutions[i]) != 0)
            return 1;
    }
    for (int i = 0; i < SIZE; i++)
        pthread_join(threads[i], NULL);
    printf("one solution for each first column:");
    for (int i = 0; i < SIZE; i++)
        printf(" %s", solutions[i]);
    printf("\n");
    return 0;
}
