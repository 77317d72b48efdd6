/* Cuts the power of a mounted file system: at the first byte on stdin, all that is not on the disk yet is lost. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SHUTDOWN _IOR('X', 125, uint32_t)
#define NO_LOG_FLUSH 2u

int main(int argc, char **argv) {
  char byte;
  uint32_t how = NO_LOG_FLUSH;
  int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (fd < 0) return 1;
  if (write(1, "ready\n", 6) != 6 || read(0, &byte, 1) != 1) return 1;
  return ioctl(fd, SHUTDOWN, &how) ? 1 : 0;
}
