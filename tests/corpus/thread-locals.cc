// thread_local objects with constructors and destructors, std::thread, many threads one after another.
#include <mutex>
#include <stdio.h>
#include <thread>
#include <vector>

static std::mutex lock;
static int destroyed, built;
struct local {
    int uses = 0;
    local() { std::lock_guard<std::mutex> hold(lock); built++; }
    ~local()
    {
        std::lock_guard<std::mutex> hold(lock);
        destroyed += uses > 10 ? 2 : 1;
    }
};
static thread_local local mine;
static thread_local long table[600];

static void body(int n)
{
    for (int i = 0; i < n; i++) {
        mine.uses++;
        table[(i * 37) % 600] += i;
    }
    if (n % 2)
        return;
    mine.uses += 3;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back(body, i * 3);
    for (auto &t : threads)
        t.join();
    for (int i = 0; i < 30; i++)
        std::thread([i] { if (i % 3) body(i); }).join();
    printf("%d %d\n", built, destroyed);
    return 0;
}
