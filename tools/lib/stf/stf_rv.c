// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_rv.h"

/* Bits hi to lo of the opcode, moved to position at. */
#define BITS(_op, _hi, _lo, _at)                                               \
	(((_op) >> (_lo) & ((1u << ((_hi) - (_lo) + 1)) - 1)) << (_at))

static int32_t extend(uint32_t v, unsigned int sign)
{
	uint32_t bit = 1u << sign;

	return (int32_t)((v ^ bit) - bit);
}

static int32_t branch_offset(uint32_t op)
{
	return extend(BITS(op, 31, 31, 12) | BITS(op, 7, 7, 11) |
		      BITS(op, 30, 25, 5) | BITS(op, 11, 8, 1), 12);
}

static int32_t jal_offset(uint32_t op)
{
	return extend(BITS(op, 31, 31, 20) | BITS(op, 19, 12, 12) |
		      BITS(op, 20, 20, 11) | BITS(op, 30, 21, 1), 20);
}

static int32_t c_branch_offset(uint32_t op)
{
	return extend(BITS(op, 12, 12, 8) | BITS(op, 11, 10, 3) |
		      BITS(op, 6, 5, 6) | BITS(op, 4, 3, 1) |
		      BITS(op, 2, 2, 5), 8);
}

static int32_t c_jump_offset(uint32_t op)
{
	return extend(BITS(op, 12, 12, 11) | BITS(op, 11, 11, 4) |
		      BITS(op, 10, 9, 8) | BITS(op, 8, 8, 10) |
		      BITS(op, 7, 7, 6) | BITS(op, 6, 6, 7) |
		      BITS(op, 5, 3, 1) | BITS(op, 2, 2, 5), 11);
}

static struct stf_rv flow(enum stf_rv_flow flow)
{
	return (struct stf_rv){ .flow = flow };
}

static struct stf_rv direct(enum stf_branch_kind kind, int32_t offset)
{
	return (struct stf_rv){
		.flow = kind == STF_BRANCH_CONDITIONAL ? STF_RV_BRANCH :
							 STF_RV_JUMP,
		.kind = kind, .direct = true, .offset = offset
	};
}

/* The registers that hold return addresses, ra and t0. */
static bool is_link(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

static enum stf_branch_kind jal_kind(unsigned int rd)
{
	if (is_link(rd))
		return STF_BRANCH_DIRECT_CALL;
	return rd ? STF_BRANCH_OTHER_DIRECT : STF_BRANCH_DIRECT_JUMP;
}

static enum stf_branch_kind jalr_kind(unsigned int rd, unsigned int rs)
{
	if (is_link(rd) && is_link(rs) && rd != rs)
		return STF_BRANCH_CO_SWAP;
	if (is_link(rd))
		return STF_BRANCH_INDIRECT_CALL;
	if (is_link(rs))
		return STF_BRANCH_RETURN;
	return rd ? STF_BRANCH_OTHER_INDIRECT : STF_BRANCH_INDIRECT_JUMP;
}

static struct stf_rv jump(enum stf_branch_kind kind)
{
	return (struct stf_rv){ .flow = STF_RV_JUMP, .kind = kind };
}

static struct stf_rv memory(enum stf_rv_memory memory)
{
	return (struct stf_rv){ .memory = memory };
}

static struct stf_rv unknown(void)
{
	return (struct stf_rv){ .flow = STF_RV_ANY, .memory = STF_RV_MAYBE };
}

/* LOAD-FP and STORE-FP: widths 1 to 4 are scalar, the others vectors. */
static struct stf_rv fp_memory(uint32_t op, enum stf_rv_memory scalar)
{
	unsigned int width = BITS(op, 14, 12, 0);

	if (width >= 1 && width <= 4)
		return memory(scalar);
	return (struct stf_rv){ .memory = STF_RV_MAYBE, .vector = true };
}

static struct stf_rv amo(uint32_t op)
{
	switch (op >> 27) {
	case 2: /* lr */
		return memory(STF_RV_LOAD);
	case 3: /* sc, which may fail */
		return memory(STF_RV_MAYBE);
	}
	return memory(STF_RV_AMO);
}

static struct stf_rv branch(uint32_t op)
{
	struct stf_rv rv = direct(STF_BRANCH_CONDITIONAL, branch_offset(op));

	if (BITS(op, 14, 12, 0) >> 1 == 1) /* reserved */
		rv.kind = STF_BRANCH_NONE;
	return rv;
}

static struct stf_rv jalr(uint32_t op)
{
	return jump(BITS(op, 14, 12, 0) ? STF_BRANCH_NONE : /* reserved */
		    jalr_kind(BITS(op, 11, 7, 0), BITS(op, 19, 15, 0)));
}

/* hlv, hlvx and hsv, sret, mret, mnret and dret; the others are not known. */
static struct stf_rv system_op(uint32_t op)
{
	struct stf_rv rv = unknown();

	if (BITS(op, 14, 12, 0) == 4 && op >> 28 == 6)
		return memory(BITS(op, 25, 25, 0) ? STF_RV_STORE : STF_RV_LOAD);
	if (op == 0x10200073 || op == 0x30200073 || op == 0x70200073 ||
	    op == 0x7b200073)
		rv.kind = STF_BRANCH_TRAP_RETURN;
	return rv;
}

/* cm.jt, cm.jalt, cm.popret and cm.popretz, if it is one of them. */
static struct stf_rv zcm(uint32_t op)
{
	struct stf_rv rv = unknown();
	unsigned int funct5 = BITS(op, 12, 8, 0);

	rv.only_zcm = true;
	if (!BITS(op, 12, 10, 0))
		rv.kind = BITS(op, 9, 2, 0) < 32 ? STF_BRANCH_DIRECT_JUMP :
						   STF_BRANCH_DIRECT_CALL;
	else if ((funct5 == 0x1c || funct5 == 0x1e) && BITS(op, 7, 4, 0) >= 4)
		rv.kind = STF_BRANCH_RETURN;
	return rv;
}

static struct stf_rv look32(uint32_t op)
{
	switch (op & 0x7f) {
	case 0x03: /* LOAD */
		return memory(STF_RV_LOAD);
	case 0x23: /* STORE */
		return memory(STF_RV_STORE);
	case 0x07:
		return fp_memory(op, STF_RV_LOAD);
	case 0x27:
		return fp_memory(op, STF_RV_STORE);
	case 0x2f:
		return amo(op);
	case 0x57: /* OP-V */
	case 0x77: /* OP-VE */
		return (struct stf_rv){ .vector = true };
	case 0x63:
		return branch(op);
	case 0x67:
		return jalr(op);
	case 0x6f:
		return direct(jal_kind(BITS(op, 11, 7, 0)), jal_offset(op));
	case 0x73:
		return system_op(op);
	case 0x13: /* OP-IMM */
	case 0x17: /* AUIPC */
	case 0x1b: /* OP-IMM-32 */
	case 0x33: /* OP */
	case 0x37: /* LUI */
	case 0x3b: /* OP-32 */
	case 0x43: /* FMADD */
	case 0x47: /* FMSUB */
	case 0x4b: /* FNMSUB */
	case 0x4f: /* FNMADD */
	case 0x53: /* OP-FP */
		return flow(STF_RV_STAYS);
	}
	/* MISC-MEM, custom. */
	return unknown();
}

/* c.lbu, c.lhu and c.lh, c.sb, c.sh, in the bits below funct3. */
static struct stf_rv zcb(uint32_t op)
{
	switch (BITS(op, 12, 10, 0)) {
	case 0:
	case 1:
		return memory(STF_RV_LOAD);
	case 2:
		return memory(STF_RV_STORE);
	case 3:
		return BITS(op, 6, 6, 0) ? unknown() : memory(STF_RV_STORE);
	}
	return unknown();
}

static struct stf_rv look16(uint32_t op, bool rv32)
{
	switch (op & 3) {
	case 0:
		switch (op >> 13) {
		case 0: /* c.addi4spn */
			return op ? flow(STF_RV_STAYS) : unknown();
		case 4:
			return zcb(op);
		}
		return memory(op >> 15 ? STF_RV_STORE : STF_RV_LOAD);
	case 1:
		switch (op >> 13) {
		case 1: /* c.jal, or c.addiw */
			return rv32 ? direct(STF_BRANCH_DIRECT_CALL,
					     c_jump_offset(op)) :
				      flow(STF_RV_STAYS);
		case 3: /* c.mop.1 and c.mop.5, which are c.sspush and c.sspopchk */
			if (op == 0x6081 || op == 0x6281)
				return memory(STF_RV_MAYBE);
			break;
		case 5:
			return direct(STF_BRANCH_DIRECT_JUMP, c_jump_offset(op));
		case 6:
		case 7:
			return direct(STF_BRANCH_CONDITIONAL, c_branch_offset(op));
		}
		return flow(STF_RV_STAYS);
	}
	switch (op >> 13) {
	case 0:
		return flow(STF_RV_STAYS);
	case 4:
		if (BITS(op, 6, 2, 0))
			return flow(STF_RV_STAYS); /* c.mv, c.add */
		return BITS(op, 11, 7, 0) ? jump(jalr_kind(BITS(op, 12, 12, 0),
							   BITS(op, 11, 7, 0))) :
					    unknown();
	case 5: /* c.fsdsp, or Zcmp's and Zcmt's many */
		return zcm(op);
	}
	return memory(op >> 15 ? STF_RV_STORE : STF_RV_LOAD);
}

struct stf_rv stf_rv_look(uint32_t opcode, unsigned int size, bool rv32)
{
	return size == 4 ? look32(opcode) : look16(opcode, rv32);
}
