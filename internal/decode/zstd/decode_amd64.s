//go:build !purego && !noasm

#include "go_asm.h"
#include "textflag.h"

// Registers that keep their meaning:
//
//	SI  bits of the section      R8   how many are left
//	DI  tables                   R9, R10, R11  repeated offsets
//	R12 the sequence to write    R13  after the last
//	AX, BX, CX  states of literals, matches and offsets, then their entries
//
// The next bits are the highest of those left. The eight bytes up to the one with
// the highest hold 57 at least, and all of them are in the section: it has lead
// bytes before the next bits when a turn begins, which moves back by sequenceBytes
// at most. A shift by 64 is one by 0, and of bits that were shifted so none are kept.

#define WORD R14
#define BITS R15 // of WORD, not yet read

// LOAD loads the next bits, 57 to 64 of them.
#define LOAD \
	MOVQ R8, WORD            \
	SHRQ $3, WORD            \
	MOVQ -7(SI)(WORD*1), WORD \
	MOVL R8, BITS            \
	ANDL $7, BITS            \
	ADDL $56, BITS

// TAKE loads and takes the DX next bits, to R15.
#define TAKE \
	LOAD                     \
	SUBL  DX, BITS           \
	SHRXQ BITS, WORD, R15    \
	BZHIQ DX, R15, R15       \
	SUBQ  DX, R8

// VALUE adds the value of an entry to its extra bits, in R15, and stores it.
#define VALUE(e, to) \
	RORXQ $32, e, DX \
	ADDL  DX, R15    \
	MOVL  R15, to

// STATE makes the next state of an entry with the lowest bits of WORD.
#define STATE(e) \
	BZHIQ e, WORD, DX \
	SHRXQ e, WORD, WORD \
	SHRL  $16, e      \
	ADDL  DX, e

// func decodeBMI2(k *kernel)
TEXT ·decodeBMI2(SB), NOSPLIT, $16-8
	MOVQ k+0(FP), DX
	MOVQ kernel_in(DX), SI
	MOVQ kernel_left(DX), R8
	MOVQ kernel_low(DX), AX
	MOVQ AX, low-8(SP)
	MOVQ kernel_tables(DX), DI
	MOVQ kernel_literal(DX), AX
	MOVQ kernel_match(DX), BX
	MOVQ kernel_offset(DX), CX
	MOVQ (kernel_repeated+0)(DX), R9
	MOVQ (kernel_repeated+8)(DX), R10
	MOVQ (kernel_repeated+16)(DX), R11
	LEAQ kernel_batch(DX), R12
	MOVQ kernel_n(DX), R13
	SHLQ $4, R13
	ADDQ R12, R13
	PCALIGN $64

turn:
	LOAD
	MOVQ    tables_literals(DI)(AX*8), AX
	MOVQ    tables_matches(DI)(BX*8), BX
	MOVQ    tables_offsets(DI)(CX*8), CX
	LEAL    (AX)(BX*1), DX
	ADDL    CX, DX
	MOVBLZX DH, BP // extra bits
	MOVBLZX DL, DX // bits of states
	SUBQ    BP, R8
	SUBQ    DX, R8
	SUBL    BP, BITS
	SHRXQ   BITS, WORD, BP
	SUBL    DX, BITS
	JMI     far
	SHRXQ   BITS, WORD, WORD

	MOVBLZX AH, DX
	BZHIQ   DX, BP, R15
	SHRXQ   DX, BP, BP
	VALUE(AX, sequence_literals(R12))
	MOVBLZX BH, DX
	BZHIQ   DX, BP, R15
	SHRXQ   DX, BP, BP
	VALUE(BX, sequence_match(R12))
	MOVBLZX CH, DX
	BZHIQ   DX, BP, R15
	MOVQ    CX, DX
	SHRQ    $32, DX
	ADDQ    DX, R15

states:
	STATE(CX)
	STATE(BX)
	STATE(AX)

	// R15 counts the offset: 0 to 3 are repeated ones, the last being one less
	// than the first.
	LEAQ    -const_newOffset(R15), BP
	CMPL    sequence_literals(R12), $1
	ADCQ    $-1, R15
	LEAQ    -1(R9), DX
	CMPQ    R15, $3
	CMOVQEQ DX, BP
	CMPQ    R15, $2
	CMOVQEQ R11, BP
	CMOVQCC R10, R11
	CMPQ    R15, $1
	CMOVQEQ R10, BP
	CMOVQCC R9, R10
	TESTQ   R15, R15
	CMOVQEQ R9, BP
	MOVQ    BP, R9
	MOVQ    BP, sequence_offset(R12)

	ADDQ $sequence__size, R12
	CMPQ R12, R13
	JCC  done
	CMPQ R8, low-8(SP)
	JGE  turn

done:
	MOVQ k+0(FP), DX
	MOVQ R8, kernel_left(DX)
	MOVQ AX, kernel_literal(DX)
	MOVQ BX, kernel_match(DX)
	MOVQ CX, kernel_offset(DX)
	MOVQ R9, (kernel_repeated+0)(DX)
	MOVQ R10, (kernel_repeated+8)(DX)
	MOVQ R11, (kernel_repeated+16)(DX)
	LEAQ kernel_batch(DX), AX
	SUBQ AX, R12
	SHRQ $4, R12
	MOVQ R12, kernel_n(DX)
	RET

far: // a sequence of more bits than a word has for sure
	LEAL    (AX)(BX*1), DX
	ADDL    CX, DX
	MOVBLZX DH, BP
	MOVBLZX DL, DX
	ADDQ    BP, R8
	ADDQ    DX, R8
	MOVBLZX CH, DX
	TAKE
	MOVQ    CX, BP
	SHRQ    $32, BP
	ADDQ    R15, BP
	MOVBLZX BH, DX
	TAKE
	VALUE(BX, sequence_match(R12))
	MOVBLZX AH, DX
	TAKE
	VALUE(AX, sequence_literals(R12))
	LOAD
	LEAL    (AX)(BX*1), DX
	ADDL    CX, DX
	MOVBLZX DL, DX
	SUBQ    DX, R8
	SUBL    DX, BITS
	SHRXQ   BITS, WORD, WORD
	MOVQ    BP, R15
	JMP     states
