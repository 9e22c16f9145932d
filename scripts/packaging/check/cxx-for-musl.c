/* What the C++ library of Debian expects of glibc and musl does not provide. */
#include <stdint.h>

char __libc_single_threaded = 0;

/* No unwind table was found: the unwinder then searches with dl_iterate_phdr, which musl has. */
int _dl_find_object(void *address, void *result) {
  (void)address;
  (void)result;
  return -1;
}

/* Random numbers of std::random_device, which the Bun runtime does not use. */
uint32_t arc4random(void) { return 4; }

extern int pthread_key_create(unsigned *key, void (*destructor)(void *));
int __pthread_key_create(unsigned *key, void (*destructor)(void *)) {
  return pthread_key_create(key, destructor);
}

extern unsigned long getauxval(unsigned long type);
unsigned long __getauxval(unsigned long type) { return getauxval(type); }
