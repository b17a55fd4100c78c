// Macros of the kernel: the registers it works in, and one decision of the range
// decoder each, as symbols.go explains them.

#define RNG   R8
#define CODE  R9
#define IN    R10
#define OUT   R11
#define CODER R12
#define STATE R13 // a distance while one is decoded

#define SYM   AX  // index in a tree; between symbols the last byte if STATE < 7
#define NEXT  BX
#define PROB  CX
#define TREE  DX
#define BOUND SI
#define PROB0 DI
#define PROB1 R14
#define TMP   R15
#define BACK  BP // see kernel_amd64.s; the assembler saves BP, since there is a frame

// Probabilities are read ahead of the decision that says whether they are needed.
// That may run over the end of a tree of near distances, not over that of the coder.

// NORMALIZE normalizes the range before a decision.
#define NORMALIZE \
	CMPL RNG, $0x1000000; \
	JCC  5(PC); \
	SHLL $8, RNG; \
	SHLQ $8, CODE; \
	MOVB (IN), CODE; \
	INCQ IN

// SPLIT computes BOUND for PROB.
#define SPLIT \
	MOVL  RNG, BOUND; \
	SHRL  $11, BOUND; \
	IMULL PROB, BOUND

// CHOOSE is a decision without a branch: the carry flag says 0. It takes the new
// PROB to be stored.
#define CHOOSE \
	SUBL    BOUND, RNG; \
	MOVQ    CODE, TMP; \
	SUBQ    BOUND, CODE; \
	CMOVLCS BOUND, RNG; \
	CMOVQCS TMP, CODE; \
	LEAL    -2017(PROB), BOUND; \
	CMOVLCC PROB, BOUND

// STEP goes from node s of TREE, whose probability is in PROB, to node n, whose
// probability it loads.
#define STEP(s, n) \
	NORMALIZE; \
	SPLIT; \
	MOVWLZX (TREE)(s*4), PROB0; \
	MOVWLZX 2(TREE)(s*4), PROB1; \
	LEAL    1(s)(s*1), n; \
	CHOOSE; \
	CMOVLCS PROB0, PROB1; \
	SBBL    $0, n; \
	SARL    $5, BOUND; \
	SUBL    BOUND, PROB; \
	MOVW    PROB, (TREE)(s*2); \
	MOVL    PROB1, PROB

// LEAF is STEP to a leaf.
#define LEAF(s, n) \
	NORMALIZE; \
	SPLIT; \
	LEAL    1(s)(s*1), n; \
	CHOOSE; \
	SBBL    $0, n; \
	SARL    $5, BOUND; \
	SUBL    BOUND, PROB; \
	MOVW    PROB, (TREE)(s*2)

// ROOT begins at the root of TREE.
#define ROOT \
	MOVWLZX 2(TREE), PROB; \
	MOVL    $1, SYM

// AGREE is a decision of a literal after a match, in the tree at TREE+0x200 that is
// for those that agree so far with the byte in PROB1, whose next bit it moves to
// 0x100. It goes from node s to node n, as that bit says, and jumps to parted if the
// decision says otherwise: the branch predictor lets the loads of later decisions
// go ahead, and is wrong once at most.
#define AGREE(s, n, parted) \
	NORMALIZE; \
	ADDL    PROB1, PROB1; \
	MOVL    PROB1, PROB0; \
	ANDL    $0x100, PROB0; \
	LEAL    (PROB0)(s*1), n; \
	MOVWLZX 0x200(TREE)(n*2), PROB; \
	SPLIT; \
	CHOOSE; \
	SBBL    TMP, TMP; \
	SARL    $5, BOUND; \
	SUBL    BOUND, PROB; \
	MOVW    PROB, 0x200(TREE)(n*2); \
	SHRL    $8, PROB0; \
	LEAL    (PROB0)(s*2), n; \
	INCL    TMP; \
	CMPL    TMP, PROB0; \
	JNE     parted

// PART goes to the other node than n, and on there without the byte.
#define PART(n, to) \
	XORL    $1, n; \
	MOVWLZX (TREE)(n*2), PROB; \
	JMP     to

// DECIDE compares for a decision by a branch: carry clear says 1. ZERO or ONE
// must follow, on the branch.
#define DECIDE(p) \
	NORMALIZE; \
	MOVWLZX p, PROB; \
	SPLIT; \
	CMPQ    CODE, BOUND

#define ZERO(p) \
	MOVL BOUND, RNG; \
	MOVL $2048, TMP; \
	SUBL PROB, TMP; \
	SHRL $5, TMP; \
	ADDL TMP, PROB; \
	MOVW PROB, p

#define ONE(p) \
	SUBL BOUND, RNG; \
	SUBQ BOUND, CODE; \
	MOVL PROB, TMP; \
	SHRL $5, TMP; \
	SUBL TMP, PROB; \
	MOVW PROB, p
