/*
 * The machine that the runtime runs on: everything that is written in assembly, knows registers by
 * name, reads instructions or depends on how the kernel saves registers. A port adds a folder
 * beside x86_64 with the same five headers, and a branch here.
 *
 *   instructions.h   single instructions: system calls, copying, the thread pointer
 *   registers.h      the registers of a frame, as walks of stacks keep them
 *   signal_frame.h   what the kernel puts on the stack of a signal handler
 *   code.h           what the bytes of instructions say: calls, stubs, stores
 *   entries.h        functions that cannot be written in C: they jump on, or return twice
 */
#ifndef COTREE_RUNTIME_ARCH_ARCH_H
#define COTREE_RUNTIME_ARCH_ARCH_H

#if defined(__x86_64__) && defined(__linux__)
#include "runtime/arch/x86_64/code.h"
#include "runtime/arch/x86_64/entries.h"
#include "runtime/arch/x86_64/instructions.h"
#include "runtime/arch/x86_64/registers.h"
#include "runtime/arch/x86_64/signal_frame.h"
#else
#error "cotree's runtime is for x86-64 Linux"
#endif

#endif
