// What a client (client.c) asks of a clang that stands ready (server.c), over a socket: this head,
// with the file descriptors beside it, then the words and the environment, each ended by a zero.
// The answer is the status of waitpid().
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

// What comes as file descriptors: the standard streams and the directory.
enum { PASSED_DIRECTORY = 3, PASSED };

struct message_head {
    unsigned words, variables;
    unsigned bytes; // of all of them
    mode_t mask;
    struct rlimit limits[RLIM_NLIMITS];
};

// In the directory of a server: its socket, by this name, and clients, by the names of clang.
#define SOCKET_NAME "socket"
