// std::thread and std::async count exactly.
#include <future>
#include <thread>
#include <vector>
#include "handmade.h"

COUNTERS(cpp_counters, 0x2003, 2)

static void work()
{
    for (int i = 0; i < 1000; i++)
        COUNT(cpp_counters, 0);
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
    std::async(std::launch::async, work).get();
    COUNT(cpp_counters, 1);
    return 0;
}
