// SPDX-License-Identifier: GPL-2.0-only
/* What tracepoints and software events tell, by the formats in the recording. */
#include "tracing-build.h"
#include "base/error.h"
#include "side/side.h"
#include "tracepoint/tracepoint.h"
#include "test.h"

/* libtraceevent loses a few bytes of some formats that are damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static struct pdb rec;
static struct trb_raw raw;
static struct pd *pd;
static struct side *side;
static struct pd_event ev;
static struct side_event got;

enum {
	TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	       PERF_SAMPLE_TIME,
};

static void begin(unsigned int id)
{
	rec = (struct pdb){ 0 };
	raw = (struct trb_raw){ .size = 8 };
	trb_event(&rec, id, TYPE);
	trb_put(pdb_feature(&rec, 1));
}

static void add(void)
{
	trb_sample(&rec, 0, &raw,
		   (struct pdb_sample){ .ip = 0x1234, .time = 5, .pid = 7 });
}

static void open_recording(void)
{
	pdb_finish(&rec);
	CHECK_EQ(pd_open_memory(&pd, rec.file.p, rec.file.n), 0);
	CHECK_EQ(side_new(&side, pd), 0);
}

static void end(void)
{
	side_free(side);
	pd_close(pd);
	pdb_free(&rec);
}

static bool read_one(void)
{
	CHECK_EQ(pd_next(pd, &ev), 1);
	return side_read(side, &ev, &got);
}

static void check_piece(unsigned int i, uint64_t addr, uint64_t size)
{
	uint64_t a, s;

	side_dma_piece(&got.dma, i, &a, &s);
	CHECK_EQ(a, addr);
	CHECK_EQ(s, size);
}

static void check_device(const char *name)
{
	CHECK_EQ(got.dma.device_size, strlen(name));
	CHECK(!memcmp(got.dma.device, name, strlen(name)));
}

TEST(a_system_call_has_its_number)
{
	begin(TRB_SYS_ENTER);
	trb_number(&raw, 8, 8, 64);
	trb_number(&raw, 56, 8, 0);
	add();
	open_recording();
	CHECK(side_has(side, SIDE_SYSCALL));
	CHECK(!side_has(side, SIDE_DMA));
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_SYSCALL);
	CHECK_EQ(got.syscall, 64);
	end();
}

/* An ioctl() with the numbers of linux/perf_event.h, on RISC-V. */
TEST(the_recorder_s_own_calls_are_told_from_others)
{
	static const struct { uint64_t number, request; bool switches; } calls[] = {
		{ 29, 0x2400, true }, { 29, 0x2401, true }, { 29, 0x2403, false },
		{ 29, 0x5401, false }, { 64, 0x2400, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		begin(TRB_SYS_ENTER);
		trb_number(&raw, 8, 8, calls[i].number);
		trb_number(&raw, 24, 8, calls[i].request);
		trb_number(&raw, 56, 8, 0);
		add();
		open_recording();
		CHECK(read_one());
		CHECK_EQ(got.switches, calls[i].switches);
		end();
	}
}

TEST(a_fault_has_its_instruction_and_address)
{
	begin(TRB_FAULT);
	trb_number(&raw, 8, 8, 0xdead000);
	trb_number(&raw, 16, 8, 0x10442);
	trb_number(&raw, 24, 8, 13);
	add();
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_FAULT);
	CHECK_EQ(got.fault.pc, 0x10442);
	CHECK_EQ(got.fault.addr, 0xdead000);
	end();
}

/* regs: by number, and first the PC; NULL: none were recorded. */
static void read_signal(uint64_t handler, const uint64_t *regs)
{
	begin(TRB_SIGNAL);
	if (regs) {
		rec.events[0].attr.sample_type |= PERF_SAMPLE_REGS_USER;
		rec.events[0].attr.sample_regs_user = 5;
	}
	trb_number(&raw, 24, 8, handler);
	trb_number(&raw, 32, 8, 0);
	trb_sample(&rec, 0, &raw,
		   (struct pdb_sample){ .ip = 0x1234, .time = 5, .pid = 7, .regs = regs });
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_SIGNAL);
	end();
}

TEST(a_signal_has_its_handler_and_what_it_interrupted)
{
	static const uint64_t regs[] = { 0x10442, 0x10400, 0x7ff0 };

	read_signal(0x2a40, regs);
	CHECK_EQ(got.signal.handler, 0x2a40);
	CHECK_EQ(got.signal.pc, 0x10442);
	read_signal(0x2a40, NULL);
	CHECK_EQ(got.signal.handler, 0x2a40);
	CHECK_EQ(got.signal.pc, 0);
}

/* SIG_DFL and SIG_IGN. */
TEST(a_signal_without_a_handler_has_none)
{
	for (int i = 0; i < 2; i++) {
		read_signal(i, NULL);
		CHECK_EQ(got.signal.handler, 0);
	}
}

TEST(a_page_fault_counted_with_addresses_is_one_too)
{
	rec = (struct pdb){ 0 };
	pdb_event(&rec, TYPE | PERF_SAMPLE_ADDR, 0);
	rec.events[0].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[0].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = 0x10442, .addr = 0xbeef000, .time = 5, .pid = 7 });
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_FAULT);
	CHECK_EQ(got.fault.pc, 0x10442);
	CHECK_EQ(got.fault.addr, 0xbeef000);
	end();
}

/* Its place and size in four bytes, which have to be there, and what they tell of. */
TEST(an_array_lies_within_the_records_data)
{
	static const uint8_t raw[12] = { [4] = 8, [6] = 4, [8] = 0xab };
	const struct tp_field field = { .offset = 4, .size = 1, .is_array = true };
	const uint8_t *array;
	uint32_t size;

	CHECK(tp_array(&field, raw, 12, &array, &size));
	CHECK(array == raw + 8);
	CHECK_EQ(size, 4);
	CHECK(!tp_array(&field, raw, 11, &array, &size));
	/* One of nothing may end with them. */
	CHECK(tp_array(&(struct tp_field){ .offset = 8, .size = 1, .is_array = true },
		       (const uint8_t[12]){ 0 }, 12, &array, &size));
	CHECK_EQ(size, 0);
	CHECK(!tp_array(&(struct tp_field){ .offset = 8, .size = 1, .is_array = true },
			(const uint8_t[12]){ 0 }, 11, &array, &size));
	CHECK(!tp_array(&(struct tp_field){ .offset = 13, .size = 1, .is_array = true },
			(const uint8_t[12]){ 0 }, 12, &array, &size));
}

TEST(the_place_of_an_array_may_count_from_behind_its_field)
{
	static const uint8_t raw[12] = { [4] = 1, [6] = 3 };
	const struct tp_field field = { .offset = 4, .size = 1, .is_array = true,
					.is_relative = true };
	const uint8_t *array;
	uint32_t size;

	CHECK(tp_array(&field, raw, 12, &array, &size));
	CHECK(array == raw + 9);
	CHECK_EQ(size, 3);
	CHECK(!tp_array(&field, raw, 11, &array, &size));
}

TEST(a_number_lies_within_the_records_data)
{
	static const uint8_t raw[12] = { [8] = 0x78, 0x56, 0x34, 0x12 };
	struct tp_field field = { .offset = 8, .size = 4 };
	uint64_t value;

	CHECK(tp_number(&field, raw, 12, &value));
	CHECK_EQ(value, 0x12345678);
	CHECK(!tp_number(&field, raw, 11, &value));
	CHECK(!tp_number(&field, raw, 7, &value));
	field.is_array = true;
	CHECK(!tp_number(&field, raw, 12, &value));
	field = (struct tp_field){ .offset = 8 };
	CHECK(!tp_number(&field, raw, 12, &value));
}

/* As what the recorder samples by, whatever address it has. */
TEST(what_counts_no_faults_is_none)
{
	static const uint32_t types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		rec = (struct pdb){ 0 };
		/* Cycles; or page faults without their addresses. */
		pdb_event(&rec, i ? TYPE : TYPE | PERF_SAMPLE_ADDR, 0);
		rec.events[0].attr.type = types[i];
		rec.events[0].attr.config = i ? PERF_COUNT_SW_PAGE_FAULTS :
						PERF_COUNT_HW_CPU_CYCLES;
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = 0x10442, .addr = 0xbeef000, .time = 5, .pid = 7 });
		open_recording();
		CHECK(!side_has(side, SIDE_FAULT));
		CHECK(!read_one());
		end();
	}
}

/* Minor faults are page faults as well. */
TEST(a_fault_is_told_once)
{
	static const unsigned int configs[] = { PERF_COUNT_SW_PAGE_FAULTS_MIN,
						PERF_COUNT_SW_PAGE_FAULTS };
	unsigned int i;

	rec = (struct pdb){ 0 };
	for (i = 0; i < 2; i++) {
		pdb_event(&rec, TYPE | PERF_SAMPLE_ADDR, 0);
		rec.events[i].attr.type = PERF_TYPE_SOFTWARE;
		rec.events[i].attr.config = configs[i];
	}
	for (i = 0; i < 2; i++)
		pdb_sample(&rec, i, &(struct pdb_sample){
			.ip = 0x10442, .addr = 0xbeef000, .time = 5 + i,
			.pid = 7 });
	open_recording();
	CHECK(!read_one());
	CHECK_EQ(got.kind, SIDE_NONE);
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_FAULT);
	end();
}

/* Its tracepoint tells more. */
TEST(a_fault_of_the_tracepoint_is_told_once)
{
	begin(TRB_FAULT);
	trb_number(&raw, 8, 8, 0xdead000);
	trb_number(&raw, 16, 8, 0x10442);
	trb_number(&raw, 24, 8, 13);
	add();
	pdb_event(&rec, TYPE | PERF_SAMPLE_ADDR, 0);
	rec.events[1].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[1].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	pdb_sample(&rec, 1, &(struct pdb_sample){
		.ip = 0x10442, .addr = 0xdead000, .time = 6, .pid = 7 });
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_FAULT);
	CHECK(!read_one());
	end();
}

/* All registers, some, and none. */
TEST(a_fault_has_the_users_registers)
{
	static const uint64_t masks[] = { UINT32_MAX, 1 << 10, 0 };
	uint64_t regs[32];
	unsigned int i, k;

	for (i = 0; i < 32; i++)
		regs[i] = 0x100 + i;
	for (k = 0; k < 3; k++) {
		rec = (struct pdb){ 0 };
		pdb_event(&rec, TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_USER, 0);
		rec.events[0].attr.type = PERF_TYPE_SOFTWARE;
		rec.events[0].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
		rec.events[0].attr.sample_regs_user = masks[k];
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.ip = 0x10442, .addr = 0xbeef000, .time = 5, .pid = 7,
			.regs = regs });
		open_recording();
		CHECK(read_one());
		CHECK_EQ(got.fault.regs.known, masks[k] & ~UINT64_C(1));
		CHECK_EQ(got.fault.regs.x[0], 0);
		for (i = 1; i < 32; i++)
			CHECK_EQ(got.fault.regs.x[i],
				 masks[k] >> i & 1 ? 0x100 + i : 0);
		end();
	}
}

TEST(an_interrupt_is_told_by_its_handler)
{
	static const struct {
		const char *name;
		unsigned int cause;
	} cases[] = { { "IPI", 1 }, { "riscv-timer", 5 }, { "nvme0q1", 9 },
		      { "riscv-pmu", 13 }, { "IPIs", 9 } };
	unsigned int i;

	begin(TRB_IRQ);
	for (i = 0; i < 5; i++) {
		raw = (struct trb_raw){ .size = 16 };
		trb_array(&raw, 12, cases[i].name, strlen(cases[i].name) + 1);
		add();
	}
	open_recording();
	for (i = 0; i < 5; i++) {
		CHECK(read_one());
		CHECK_EQ(got.kind, SIDE_INTERRUPT);
		CHECK_EQ(got.cause, cases[i].cause);
	}
	end();
}

static void check_map_of_one(unsigned int id)
{
	begin(id);
	trb_dma_one(&raw, "0000:00:01.0", 0x93eb4000, 0x20000,
		    SIDE_DMA_TO_DEVICE);
	add();
	open_recording();
	CHECK(side_has(side, SIDE_DMA));
	CHECK(read_one());
	CHECK_EQ(got.kind, SIDE_DMA);
	CHECK_EQ(got.dma.op, SIDE_DMA_MAP);
	CHECK_EQ(got.dma.dir, SIDE_DMA_TO_DEVICE);
	CHECK_EQ(got.dma.nr, 1);
	CHECK_EQ(got.dma.left_out, 0);
	CHECK(got.dma.physical);
	check_device("0000:00:01.0");
	check_piece(0, 0x93eb4000, 0x20000);
	end();
}

TEST(dma_of_a_page_as_6_12_has_it)
{
	check_map_of_one(TRB_MAP_PAGE);
}

TEST(dma_of_a_page_as_7_2_has_it)
{
	check_map_of_one(TRB_MAP_PHYS);
}

/* nr_phys: 1 where an IOMMU made two pieces of it. */
static void map_two(unsigned int nr_phys, unsigned int full)
{
	const uint64_t phys[] = { pdb_bytes(0x93eb4000, 8),
				  pdb_bytes(0x93eb8000, 8) };
	const uint64_t bus[] = { pdb_bytes(0x4000, 8), pdb_bytes(0x9000, 8) };
	const uint32_t sizes[] = { pdb_bytes(0x1000, 4), pdb_bytes(0x200, 4) };

	raw = (struct trb_raw){ .size = 40 };
	trb_number(&raw, 16, 4, full);
	trb_number(&raw, 36, 4, SIDE_DMA_FROM_DEVICE);
	trb_array(&raw, 8, "10008000.virtio", 16);
	trb_array(&raw, 24, phys, 8 * nr_phys);
	trb_array(&raw, 28, bus, 16);
	trb_array(&raw, 32, sizes, 8);
	add();
}

TEST(dma_of_a_list_has_its_pieces)
{
	begin(TRB_MAP_SG);
	map_two(2, 2);
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.dma.op, SIDE_DMA_MAP);
	CHECK_EQ(got.dma.dir, SIDE_DMA_FROM_DEVICE);
	CHECK_EQ(got.dma.nr, 2);
	CHECK_EQ(got.dma.left_out, 0);
	CHECK(got.dma.physical);
	check_device("10008000.virtio");
	check_piece(0, 0x93eb4000, 0x1000);
	check_piece(1, 0x93eb8000, 0x200);
	end();
}

TEST(pieces_made_by_an_iommu_have_addresses_of_the_bus)
{
	begin(TRB_MAP_SG);
	map_two(1, 2);
	open_recording();
	CHECK(read_one());
	CHECK(!got.dma.physical);
	check_piece(0, 0x4000, 0x1000);
	check_piece(1, 0x9000, 0x200);
	end();
}

TEST(pieces_that_the_kernel_left_out_are_counted)
{
	begin(TRB_MAP_SG);
	map_two(2, 130);
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.dma.nr, 2);
	CHECK_EQ(got.dma.left_out, 128);
	end();
}

TEST(a_sync_is_told_from_a_map)
{
	begin(TRB_SYNC_FOR_CPU);
	raw.size = 40;
	trb_number(&raw, 16, 8, 0x5000);
	trb_number(&raw, 24, 8, 64);
	trb_number(&raw, 32, 4, SIDE_DMA_FROM_DEVICE);
	trb_array(&raw, 8, "eth0", 5);
	add();
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.dma.op, SIDE_DMA_SYNC_CPU);
	CHECK(!got.dma.physical);
	check_piece(0, 0x5000, 64);
	end();
}

TEST(a_sync_of_a_list_has_its_pieces)
{
	const uint64_t bus[] = { 0x4000, 0x9000, 0xa000 };
	const uint32_t sizes[] = { 0x1000, 0x200, 8 };

	begin(TRB_SYNC_SG_FOR_DEVICE);
	raw.size = 24;
	trb_number(&raw, 20, 4, SIDE_DMA_TO_DEVICE);
	trb_array(&raw, 8, "eth0", 5);
	trb_array(&raw, 12, bus, sizeof(bus));
	trb_array(&raw, 16, sizes, sizeof(sizes));
	add();
	open_recording();
	CHECK(read_one());
	CHECK_EQ(got.dma.op, SIDE_DMA_SYNC_DEVICE);
	CHECK_EQ(got.dma.nr, 3);
	check_piece(2, 0xa000, 8);
	end();
}

TEST(a_recording_of_the_other_byte_order_says_the_same)
{
	pdb_big_endian = true;
	begin(TRB_MAP_SG);
	pdb_feature_text(&rec, 3, "host"); /* all have one; tells the word's size */
	map_two(2, 2);
	open_recording();
	pdb_big_endian = false;
	CHECK(read_one());
	CHECK_EQ(got.dma.nr, 2);
	CHECK_EQ(got.dma.dir, SIDE_DMA_FROM_DEVICE);
	check_piece(0, 0x93eb4000, 0x1000);
	check_piece(1, 0x93eb8000, 0x200);
	end();
}

TEST(a_pipe_brings_the_formats_as_well)
{
	struct pdb_buf data = { 0 }, pipe = { 0 };
	const unsigned int tracing_data = 66;
	size_t i;

	rec = (struct pdb){ 0 };
	raw = (struct trb_raw){ .size = 8 };
	trb_event(&rec, TRB_SYS_ENTER, TYPE);
	trb_put(&data);
	pdb_begin(&rec, tracing_data, 0);
	pdb_u32(&rec.data, data.n);
	pdb_end(&rec);
	pdb_put(&rec.data, data.p, data.n);
	for (i = data.n; i % 8; i++)
		pdb_put(&rec.data, "", 1);
	trb_number(&raw, 8, 8, 93);
	trb_number(&raw, 56, 8, 0);
	add();
	pdb_finish_pipe(&rec);
	CHECK_EQ(pd_open_memory(&pd, rec.file.p, rec.file.n), 0);
	CHECK_EQ(side_new(&side, pd), 0);
	CHECK(read_one());
	CHECK_EQ(got.syscall, 93);
	free(data.p);
	free(pipe.p);
	end();
}

TEST(damaged_formats_are_refused)
{
	struct pdb_buf whole = { 0 };
	struct tp *tp;
	size_t n, step;

	trb_put(&whole);
	CHECK_EQ(tp_new(&tp, whole.p, whole.n), 0);
	tp_free(tp);
	/* The two counts at the end are not looked at. */
	for (n = 1; n < whole.n - 8; n += step) {
		uint8_t *cut = malloc(n);

		memcpy(cut, whole.p, n);
		CHECK_EQ(tp_new(&tp, cut, n), ERROR_INPUT);
		CHECK(!tp);
		free(cut);
		step = n < 128 ? 1 : 53;
	}
	whole.p[4] ^= 1;
	CHECK_EQ(tp_new(&tp, whole.p, whole.n), ERROR_INPUT);
	free(whole.p);
}

TEST(formats_of_random_bytes_do_no_harm)
{
	struct pdb_buf whole = { 0 };
	unsigned int i, j;
	struct tp *tp;

	trb_put(&whole);
	for (i = 0; i < 200; i++) {
		uint8_t *p = malloc(whole.n);

		memcpy(p, whole.p, whole.n);
		for (j = 0; j < 4; j++)
			p[test_random() % whole.n] = test_random();
		if (!tp_new(&tp, p, whole.n))
			tp_free(tp);
		free(p);
	}
	free(whole.p);
}

TEST(raw_data_that_is_too_short_tells_nothing)
{
	unsigned int size;

	for (size = 4; size < 40; size += 8) {
		begin(TRB_MAP_SG);
		map_two(2, 2);
		rec.data.n = 0;
		pdb_sample(&rec, 0, &(struct pdb_sample){
			.time = 5, .raw = raw.bytes, .raw_size = size });
		open_recording();
		CHECK(!read_one());
		CHECK_EQ(got.kind, SIDE_NONE);
		end();
	}
}

TEST(an_array_beyond_the_raw_data_tells_nothing)
{
	begin(TRB_MAP_SG);
	map_two(2, 2);
	trb_number(&raw, 32, 4, 8 << 16 | 2000);
	rec.data.n = 0;
	add();
	open_recording();
	CHECK(!read_one());
	end();
}

/* Which system calls, faults and signals there are if perf was called with these words. */
static void check_extents(int line, const char *words, enum side_extent calls,
			  enum side_extent faults, enum side_extent signals)
{
	struct pdb_buf *command;
	const char *stop;
	unsigned int i;

	begin(TRB_SYS_ENTER);
	trb_event(&rec, TRB_SIGNAL, TYPE);
	i = pdb_event(&rec, TYPE | PERF_SAMPLE_ADDR, 0);
	rec.events[i].attr.type = PERF_TYPE_SOFTWARE;
	rec.events[i].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	rec.events[i].attr.sample_period = 1;
	command = pdb_feature(&rec, 11);
	pdb_u32(command, 0);
	for (i = 0; *words; words = stop + (*stop == '|'), i++) {
		char word[64];

		stop = strchrnul(words, '|');
		snprintf(word, sizeof(word), "%.*s", (int)(stop - words), words);
		pdb_u32(command, (strlen(word) + 8) & ~7u);
		pdb_text(command, word);
	}
	command->p[0] = i;
	add();
	open_recording();
	if (side_extent(side, SIDE_SYSCALL) != calls || side_extent(side, SIDE_FAULT) != faults ||
	    side_extent(side, SIDE_SIGNAL) != signals)
		test_fail(__FILE__, line, "%d, %d, %d", side_extent(side, SIDE_SYSCALL),
			  side_extent(side, SIDE_FAULT), side_extent(side, SIDE_SIGNAL));
	end();
}

#define CHECK_EXTENTS(_words, _calls, _faults, _signals)                       \
	check_extents(__LINE__, "/usr/bin/perf|" _words, SIDE_##_calls##_EVENTS, \
		      SIDE_##_faults##_EVENTS, SIDE_##_signals##_EVENTS)

TEST(an_option_of_the_program_is_no_filter)
{
	CHECK_EXTENTS("record|-b|./sysc", ALL, ALL, ALL);
	CHECK_EXTENTS("record|-b|./sysc|--filter=blob:none", ALL, ALL, ALL);
	CHECK_EXTENTS("record|-b|--|./sysc|--filter=blob:none", ALL, ALL, ALL);
	CHECK_EXTENTS("record|-abc1000|--all-user|-e|a:b|-z|-I|--aio|./sysc|--filter|x", ALL, ALL,
		      ALL);
	CHECK_EXTENTS("record|-Fmax|--no-inherit|--call-graph|fp|--delay=5|-D|-1|./sysc|--filter|x",
		      ALL, ALL, ALL);
}

TEST(a_filter_is_that_of_the_events_before_it)
{
	CHECK_EXTENTS("record|-e|raw_syscalls:sys_enter|--filter|id == 57|./sysc", SOME, ALL, ALL);
	CHECK_EXTENTS("record|-e|raw_syscalls:sys_enter|-e|signal:signal_deliver|--filter=sig==9|x",
		      ALL, ALL, SOME);
	CHECK_EXTENTS("record|-be|raw_syscalls:sys_enter,signal:signal_deliver|--filt|id<4|x", SOME,
		      ALL, SOME);
	CHECK_EXTENTS("record|-eraw_syscalls:*|--filter|id<4|x", SOME, SOME, SOME);
	CHECK_EXTENTS("record|--event=faults|--filter|addr>0|x", ALL, SOME, ALL);
	CHECK_EXTENTS("record|-e|a:b|--pfm-events|c|--filter|x|y", SOME, SOME, SOME);
}

TEST(a_command_that_is_not_understood_may_have_a_filter)
{
	CHECK_EXTENTS("record|--new|5|--filter|x|./sysc", SOME, SOME, SOME);
	CHECK_EXTENTS("record|--new|--filter|x|./sysc", SOME, SOME, SOME);
	CHECK_EXTENTS("kvm|--host|record|--filter|x|./sysc", SOME, SOME, SOME);
	CHECK_EXTENTS("kvm|--host|record|--|./sysc|--filter|x", ALL, ALL, ALL);
	CHECK_EXTENTS("record|--filter|x", SOME, SOME, SOME);
	CHECK_EXTENTS("", ALL, ALL, ALL);
}
