#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
// What the Glibc module does not export. Empty elsewhere, so that the module can be imported without conditions.
#if defined(__linux__)
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/un.h>
// Declared by the system only for _GNU_SOURCE, with which types would differ from those of the Glibc module.
int accept4(int, struct sockaddr *, socklen_t *, int);
#endif
#endif
