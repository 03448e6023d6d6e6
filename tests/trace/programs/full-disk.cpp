// What a program does while its files find no room: throws and lands (l), threads and a fork (t), handlers that throw inside, jump and fork with
// all signals blocked (h), more threads at once than a page has entries for (m). `th` is entered as often as the last line says.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static int th(int i)
{
    if (i & 1)
        throw i;
    return i;
}

static int rounds(int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        try {
            sum += th(i);
        } catch (int) {
            sum--;
        }
    return sum;
}

static int in_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(rounds(10) & 127);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static sigjmp_buf before;
static volatile int handled;

static void handler(int number)
{
    handled += rounds(4);
    if (number == SIGUSR2)
        handled += in_child();
    if (handled % 3 == 0)
        siglongjmp(before, 1);
}

static int handlers(void)
{
    struct sigaction action = {};
    action.sa_handler = handler;
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, nullptr);
    sigaction(SIGUSR2, &action, nullptr);
    for (volatile int i = 0; i < 20; i = i + 1)
        if (sigsetjmp(before, 1) == 0)
            raise(i == 7 ? SIGUSR2 : SIGUSR1);
    return handled;
}

static int threads(unsigned count)
{
    std::vector<std::thread> all;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, count);
    for (unsigned i = 0; i < count; i++)
        all.emplace_back([&] {
            rounds(10);
            pthread_barrier_wait(&barrier);
        });
    for (auto &thread : all)
        thread.join();
    return in_child();
}

int main(int, char **arguments)
{
    int sum = rounds(10), more = 0, entered = 10;
    switch (arguments[1][0]) {
    case 't': more = threads(3), entered += 30 + 10; break;
    case 'm': more = threads(70), entered += 700 + 10; break;
    case 'h': more = handlers(), entered += 80 + 10; break;
    default: break;
    }
    std::printf("%d %d\n%d\n", sum, more, entered);
    return 5;
}
