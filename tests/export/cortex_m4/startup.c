/* What a Cortex-M4 needs before main() on QEMU's mps2-an386, whose memory at 0 can be written to:
   a vector table, the floating-point unit switched on, and the debugger's files (semihosting). */
#include <stdint.h>
#include <stdlib.h>

extern void initialise_monitor_handles(void);
extern int main(void);
extern uint32_t stack_top;

void reset(void);
void reset(void) {
  *(volatile uint32_t*)0xE000ED88u |= 0xFu << 20; /* CPACR */
  initialise_monitor_handles();
  exit(main());
}

static void stop(void) { abort(); }

__attribute__((section(".vectors"), used)) static const struct {
  const uint32_t* stack;
  void (*handlers[15])(void);
} vectors = {&stack_top, {reset, stop, stop, stop, stop, stop}};

void _init(void);
void _init(void) {}
void _fini(void);
void _fini(void) {}
