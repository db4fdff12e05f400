#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H
// Counts the allocations of the calling thread, in the one program that links this.
unsigned long allocations_of_this_thread(void);
int allocations_are_counted(void);
#endif
