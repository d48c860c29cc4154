// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs whose traces are held against what they executed (trace.sh):
 *
 *   trace_work sort|kinds|signals|storm|nest|anew|faults|threads|forks|jit|kernel
 *	ROUNDS [WINDOW]
 *
 * forks has three processes logged, under the code of the letter WINDOW and the two
 * after it. jit leaves its code in /tmp/jit-PID.dump. With WINDOW the others have
 * themselves recorded, by a perf that listens to control and acknowledges in ack, two
 * FIFOs in this folder, and all of the hart logged meanwhile, under the code of that
 * letter.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

static volatile uint64_t sink;
static unsigned int window;	/* the log's; 0: none */

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* --- sort: library code, recursion, calls by pointer --- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint64_t seed = 88172645463325252ull;

static void sort_lines(unsigned int rounds)
{
	enum { NR = 200 };
	static char text[NR][32];
	static char *lines[NR];
	uint64_t state = seed;

	for (unsigned int round = 0; round < rounds; round++) {
		for (int i = 0; i < NR; i++) {
			snprintf(text[i], sizeof(text[i]), "%x %d",
				 (unsigned int)next_random(&state) % 4096, i);
			lines[i] = text[i];
		}
		qsort(lines, NR, sizeof(*lines), compare);
		for (int i = 0; i < NR; i++)
			sink += strtoul(lines[i], NULL, 16);
	}
}

static void sort(unsigned int rounds)
{
	sort_lines(rounds);
}

/* --- kinds: each kind of transfer that there is --- */

void zoo(unsigned long rounds);

static void kinds(unsigned int rounds)
{
	for (unsigned int round = 0; round < rounds; round++) {
		zoo(50);
		sort_lines(1);
	}
}

/* --- signals: raised, by a timer, and by an access that faults --- */

static volatile sig_atomic_t caught;
static char *guarded;

static void on_signal(int number, siginfo_t *info, void *context)
{
	uint64_t state = number;

	(void)context;
	for (int i = 0; i < 50; i++)
		sink += next_random(&state) % 3 ? number : caught;
	caught++;
	if (number == SIGSEGV && (char *)info->si_addr == guarded)
		mprotect(guarded, 1, PROT_READ | PROT_WRITE);
}

static void signals(unsigned int rounds)
{
	static const int numbers[] = { SIGUSR1, SIGALRM, SIGSEGV };
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	timer_t timer;
	const struct itimerspec once = { { 0, 0 }, { 0, 500000000 } };

	for (int i = 0; i < 3; i++)
		if (sigaction(numbers[i], &action, NULL))
			fail("sigaction");
	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded == MAP_FAILED || timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
	    timer_settime(timer, 0, &once, NULL))
		fail("timer");
	for (unsigned int round = 0; round < rounds; round++) {
		sort_lines(25);
		raise(SIGUSR1);
		sort_lines(25);
		*(volatile char *)guarded = round;
		mprotect(guarded, 1, PROT_NONE);
	}
	if (caught < (int)(2 * rounds))
		exit(1);
}

/* --- storm: signals at any instruction, whose handlers return or jump away --- */

static sigjmp_buf back;
static volatile sig_atomic_t armed, jumps;

static void on_storm(int number, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	caught++;
	sink += caught % 7 ? number : caught;
	if (number == SIGTRAP)
		user->uc_mcontext.__gregs[0] += 2; /* behind the c.ebreak */
	else if (number == SIGSEGV && caught % 2)
		mprotect(guarded, 1, PROT_READ | PROT_WRITE);
	else if (number == SIGSEGV || (armed && caught % 3 == 0)) {
		jumps++;
		siglongjmp(back, 1);
	}
	(void)info;
}

/* Short loops: most instructions are the target of a branch. */
static void spin(unsigned int rounds)
{
	uint64_t state = 88172645463325252ull;

	for (unsigned int i = 0; i < rounds; i++) {
		if (next_random(&state) & 1)
			sink += i;
		for (int j = state & 7; j; j--)
			asm volatile("");
	}
}

static void storm(unsigned int rounds)
{
	static const int numbers[] = { SIGUSR1, SIGALRM, SIGSEGV, SIGTRAP };
	struct sigaction action = { .sa_sigaction = on_storm,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct itimerspec often = { { 0, 50000 }, { 0, 50000 } };
	volatile unsigned int round;
	timer_t timer;

	/* One that begins again in the midst of itself cannot be told from one. */
	sigfillset(&action.sa_mask);
	for (int i = 0; i < 4; i++)
		if (sigaction(numbers[i], &action, NULL))
			fail("sigaction");
	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded == MAP_FAILED || timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
	    timer_settime(timer, 0, &often, NULL))
		fail("timer");
	for (round = 0; round < rounds; round++) {
		armed = 0;
		raise(SIGUSR1);
		asm volatile("c.ebreak" : : : "memory");
		if (!sigsetjmp(back, 1)) {
			armed = 1;
			spin(1000);
			*(volatile char *)guarded = round;
		}
		armed = 0;
		mprotect(guarded, 1, PROT_NONE);
	}
	printf("%d signals, %d jumps\n", caught, jumps);
}

/* --- nest: signals within handlers, which return or jump away out of all of them --- */

static volatile sig_atomic_t inside, nested;

static void enter_handler(void)
{
	caught++;
	nested += inside++ > 0;
}

static void leave_handler(void)
{
	inside--;
	if (armed && caught % 5 == 0) {
		jumps++;
		siglongjmp(back, 1);
	}
}

/* Each has loops, in which others begin, and a system call. */
static void on_first(int number)
{
	uint64_t state = number + caught;

	enter_handler();
	for (int i = 0; i < 100; i++)
		sink += next_random(&state) & 1 ? i : number;
	leave_handler();
}

static void on_second(int number)
{
	enter_handler();
	for (int i = 0; i < 20; i++) {
		for (int j = i % 4; j; j--)
			asm volatile("");
		sink += number;
	}
	if (caught % 4 == 0)
		raise(SIGUSR2);
	leave_handler();
}

static void on_third(int number)
{
	volatile char copy[200];

	enter_handler();
	for (unsigned int i = 0; i < sizeof(copy); i++)
		copy[i] = number;
	if (caught % 3 == 0)
		raise(SIGUSR1);
	sink += copy[7];
	leave_handler();
}

static void start_timer(int number, unsigned int ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = number };
	const struct itimerspec often = { { 0, ns }, { 0, ns } };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &often, NULL))
		fail("timer");
}

static void be_interrupted(unsigned int rounds)
{
	volatile unsigned int round;

	for (round = 0; round < rounds; round++) {
		if (!sigsetjmp(back, 1)) {
			armed = 1;
			spin(1000);
		}
		armed = inside = 0;
	}
	printf("%d signals, %d jumps, %d nested\n", caught, jumps, nested);
}

/*
 * A handler blocks its own signal, as is usual, and no other. Each signal has a handler of
 * its own, because user code's records alone do not tell that one began anew (see anew).
 */
static void nest(unsigned int rounds)
{
	static void (*const handlers[])(int) = { on_first, on_second, on_third };
	static const int numbers[] = { SIGALRM, SIGUSR1, SIGUSR2 };
	for (int i = 0; i < 3; i++) {
		struct sigaction action = { .sa_handler = handlers[i],
					    .sa_flags = SA_RESTART };

		if (sigaction(numbers[i], &action, NULL))
			fail("sigaction");
		start_timer(numbers[i], 1000000 + 300000 * i);
	}
	be_interrupted(rounds);
}

/* --- anew: one function for all signals, which they start within itself --- */

static void on_any(int number)
{
	/* Before the first branch to another place, and behind it. */
	enter_handler();
	for (int i = 0; i < 60; i++)
		asm volatile("" : : "r"(i) : "memory");
	for (int i = caught % 8; i; i--)
		sink += number;
	if (caught % 9 == 0)
		raise(SIGUSR2);
	leave_handler();
}

static void anew(unsigned int rounds)
{
	static const int numbers[] = { SIGALRM, SIGUSR1, SIGUSR2 };
	struct sigaction action = { .sa_handler = on_any,
				    .sa_flags = SA_RESTART | SA_NODEFER };

	for (int i = 0; i < 3; i++) {
		if (sigaction(numbers[i], &action, NULL))
			fail("sigaction");
		start_timer(numbers[i], 1000000 + 300000 * i);
	}
	be_interrupted(rounds);
}

/* --- faults: of loads, stores and fetches, in loops and elsewhere --- */

enum { PAGE = 4096 };

static uint8_t *pages(unsigned int nr, int fd)
{
	uint8_t *at = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE,
			   fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	madvise(at, nr * PAGE, MADV_NOHUGEPAGE);
	return at;
}

static unsigned int down(volatile uint8_t *stack, unsigned int depth)
{
	volatile uint8_t here[3000];

	here[0] = stack[0] + depth;
	return depth ? down(here, depth - 1) + here[0] : here[0];
}

/* Each page has a return alone. */
asm(".text; .balign 4096; pages_of_code: .rept 64; ret; .balign 4096; .endr");
extern uint8_t pages_of_code[];

static void fetch(void)
{
	madvise(pages_of_code, 64 * PAGE, MADV_DONTNEED);
	for (int i = 0; i < 64; i++)
		((void (*)(void))(pages_of_code + i * PAGE))();
}

static void faults(unsigned int rounds)
{
	for (unsigned int round = 0; round < rounds; round++) {
		uint64_t state = 88172645463325252ull + round;
		volatile uint8_t *at = pages(100, -1);
		uint64_t **list, **next;
		int fd;

		/* One in each turn of the loop, in one of many, out of order. */
		for (int i = 0; i < 100; i++)
			at[i * PAGE] = i;
		at = pages(100, -1);
		for (int i = 0; i < 100 * PAGE; i += 64)
			at[i] = i;
		at = pages(100, -1);
		for (int i = 0; i < 300; i++)
			at[next_random(&state) % (100 * PAGE)]++;
		/* Read first, then written; by the library, too. */
		at = pages(100, -1);
		for (int i = 0; i < 100 * PAGE; i += 512)
			sink += at[i];
		memset((void *)at, 1, 100 * PAGE);
		/* Where the next page is stands in the page before. */
		fd = memfd_create("list", 0);
		if (fd < 0 || ftruncate(fd, 50 * PAGE))
			fail("memfd");
		list = (uint64_t **)pages(50, fd);
		for (int i = 0; i < 50; i++)
			list[(i * 7 % 50) * (PAGE / 8)] =
				(uint64_t *)list + ((i + 1) * 7 % 50) * (PAGE / 8);
		madvise(list, 50 * PAGE, MADV_DONTNEED);
		next = list;
		for (int i = 0; i < 50; i++)
			next = (uint64_t **)__atomic_fetch_add((uint64_t *)next, 0,
							       __ATOMIC_RELAXED);
		sink += down((volatile uint8_t *)&state, 60);
		/* By the kernel, on behalf of a system call. */
		at = pages(10, -1);
		lseek(fd, 0, SEEK_SET);
		if (read(fd, (void *)at, 10 * PAGE) != 10 * PAGE)
			fail("read");
		fetch();
	}
}

/* --- threads --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shared[64];

static void *thread(void *data)
{
	uint64_t state = (uintptr_t)data;

	for (unsigned int i = 0; i < 40000; i++) {
		uint64_t random = next_random(&state);

		pthread_mutex_lock(&lock);
		shared[random % 64] += random & 1 ? i : ~i;
		pthread_mutex_unlock(&lock);
		if (random % 1024 == 0)
			sched_yield();
	}
	return NULL;
}

static void threads(unsigned int rounds)
{
	pthread_t ids[3];

	for (unsigned int round = 0; round < rounds; round++) {
		for (uintptr_t i = 0; i < 3; i++)
			if (pthread_create(&ids[i], NULL, thread,
					   (void *)(7919 + i + 3 * round)))
				fail("pthread_create");
		for (int i = 0; i < 3; i++)
			pthread_join(ids[i], NULL);
	}
}

/* --- forks: processes that run in turns --- */

/*
 * fork(2), and the new process is logged from there on. No branch lies between: no
 * record tells of what was not logged.
 */
static pid_t fork_logged(unsigned int window)
{
	register long a0 asm("a0") = SIGCHLD, a1 asm("a1") = 0, a2 asm("a2") = 0;
	register long a3 asm("a3") = 0, a4 asm("a4") = 0, a7 asm("a7") = SYS_clone;
	pid_t pid;

	_Static_assert(MARK_OPEN_TASK == 1 && MARK_INSN == 0x5c702013,
		       "the mark is made by hand below");
	asm volatile("ecall\n\t"
		     "mv %0, a0\n\t"
		     "seqz a0, a0\n\t"
		     "mv a1, %1\n\t"
		     "slti x0, x0, 0x5c7"
		     : "=&r" (pid), "+r" (window), "+r" (a0), "+r" (a1)
		     : "r" (a2), "r" (a3), "r" (a4), "r" (a7) : "memory");
	return pid;
}

static void forks(unsigned int rounds)
{
	for (unsigned int i = 0; i < 3; i++) {
		pid_t pid = fork_logged(window + i);

		if (pid < 0) {
			errno = -pid;
			fail("fork");
		}
		if (pid)
			continue;
		/* Each sorts something else. */
		seed += i;
		sort_lines(rounds * (i + 1));
		mark(MARK_CLOSE, window + i, 0);
		_exit(0);
	}
	for (int i = 0; i < 3; i++)
		if (wait(NULL) < 0)
			fail("wait");
}

/* --- jit: code made, told of in a jitdump, executed, made anew --- */

struct jit_load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static FILE *open_dump(void)
{
	const struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, 40, 243, 0, getpid(), now(), 0 };
	char path[64];
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0666);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	/* By this mapping perf learns of the file. */
	if (!file || fwrite(&header, sizeof(header), 1, file) != 1 ||
	    fflush(file) || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
				 fd, 0) == MAP_FAILED)
		fail(path);
	return file;
}

static void tell(FILE *dump, const void *code, size_t size, unsigned int index)
{
	char name[16];
	struct jit_load load = {
		.time = now(),
		.pid = getpid(), .tid = getpid(),
		.vma = (uintptr_t)code, .addr = (uintptr_t)code,
		.code_size = size, .index = index,
	};
	size_t length = snprintf(name, sizeof(name), "made%u", index) + 1;

	load.size = sizeof(load) + length + size;
	if (fwrite(&load, sizeof(load), 1, dump) != 1 ||
	    fwrite(name, length, 1, dump) != 1 ||
	    fwrite(code, size, 1, dump) != 1 || fflush(dump))
		fail("jitdump");
}

/*
 * for (sum = 0; n; n--) if (n & 1) sum += STEP; else sum ^= n;
 * with STEP, and where it lies, different each time.
 */
static size_t make_code(uint32_t *at, unsigned int step)
{
	const uint32_t code[] = {
		0x00000593,			/*    li   a1, 0 */
		0x02050063,			/*    beqz a0, 3f */
		0x00157613,			/* 1: andi a2, a0, 1 */
		0x00060663,			/*    beqz a2, 2f */
		0x00058593 | step << 20,	/*    addi a1, a1, STEP */
		0x0080006f,			/*    j    4f */
		0x00a5c5b3,			/* 2: xor  a1, a1, a0 */
		0xfff50513,			/* 4: addi a0, a0, -1 */
		0xfe0514e3,			/*    bnez a0, 1b */
		0x00058513,			/* 3: mv   a0, a1 */
		0x00008067,			/*    ret */
	};

	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
	return sizeof(code);
}

static void jit(unsigned int rounds)
{
	enum { SIZE = 1 << 16 };
	uint8_t *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *dump = open_dump();

	if (code == MAP_FAILED)
		fail("mmap");
	for (unsigned int round = 0; round < rounds; round++) {
		uint32_t *at = (uint32_t *)(code + round % 64 * 256);
		size_t size = make_code(at, round % 2000);

		tell(dump, at, size, round);
		for (int i = 0; i < 20; i++)
			sink += ((uint64_t (*)(uint64_t))at)(100 + i);
		sort_lines(1);
	}
	fclose(dump);
}

/* --- kernel: system calls of many kinds, faults --- */

static void kernel(unsigned int rounds)
{
	char text[512] = "";
	int pipes[2];

	if (pipe(pipes))
		fail("pipe");
	for (unsigned int round = 0; round < rounds; round++) {
		struct iovec parts[] = { { text, 100 }, { text + 100, 200 } };
		struct stat st;
		char *page;
		int fd;

		for (int i = 0; i < 10; i++)
			sink += getppid();
		if (writev(pipes[1], parts, 2) != 300 ||
		    read(pipes[0], text, sizeof(text)) != 300)
			fail("pipe");
		sink += stat("/usr/bin", &st);
		fd = open("/proc/self/maps", O_RDONLY);
		while (read(fd, text, sizeof(text)) > 0)
			sink += text[0];
		close(fd);
		page = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			fail("mmap");
		for (int i = 0; i < 4; i++)
			page[4096 * i] = i;
		munmap(page, 4 * 4096);
	}
}

static void tell_perf(const char *what)
{
	static int control, ack;
	char answer[8];

	if (!control) {
		control = open("control", O_WRONLY);
		ack = open("ack", O_RDONLY);
	}
	if (control < 0 || ack < 0 || write(control, what, strlen(what)) < 0 ||
	    read(ack, answer, sizeof(answer)) <= 0)
		fail("perf");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(unsigned int rounds);
	} works[] = {
		{ "sort", sort }, { "kinds", kinds }, { "signals", signals },
		{ "storm", storm }, { "nest", nest }, { "anew", anew },
		{ "faults", faults },
		{ "threads", threads }, { "forks", forks }, { "jit", jit },
		{ "kernel", kernel },
	};

	bool recorded;

	for (unsigned int i = 0; argc >= 3 && i < sizeof(works) / sizeof(*works); i++) {
		if (strcmp(argv[1], works[i].name))
			continue;
		window = argc > 3 ? argv[3][0] : 0;
		recorded = window && works[i].run != forks;
		if (recorded) {
			mark(MARK_OPEN_HART, window, 0);
			tell_perf("enable\n");
		}
		works[i].run(strtoul(argv[2], NULL, 0));
		if (recorded) {
			tell_perf("disable\n");
			mark(MARK_CLOSE, window, 0);
		}
		return 0;
	}
	fprintf(stderr, "usage: trace_work WORK ROUNDS [WINDOW]\n");
	return 2;
}
