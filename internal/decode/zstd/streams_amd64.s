//go:build !purego && !noasm

#include "go_asm.h"
#include "textflag.h"

// Registers that keep their meaning:
//
//	R8 to R11   words of the streams    R12 to R15  where they are in the input
//	DI  the first stream's literals     SI  the fourth's    DX  a quarter
//	BX  table                           CX  its shift
//	AX  an entry, BP a place in the table or a temporary

// LITERAL decodes a literal of the word w. Its byte is in AH, so to must do with
// the first eight registers.
#define LITERAL(w, to) \
	SHRXQ   CX, w, BP      \
	MOVWLZX (BX)(BP*2), AX \
	SHLXQ   AX, w, w       \
	MOVB    AH, to

// LITERALS decodes one of each stream.
#define LITERALS(i) \
	LITERAL(R8, i(DI))         \
	LITERAL(R9, i(DI)(DX*1))   \
	LITERAL(R10, i(DI)(DX*2))  \
	LITERAL(R11, i(SI))

// REFILL makes the word w at p whole again.
#define REFILL(w, p) \
	TZCNTQ w, AX  \
	MOVL   AX, BP \
	SHRL   $3, BP \
	SUBQ   BP, p  \
	ANDL   $7, AX \
	MOVQ   (p), w \
	ORQ    $1, w  \
	SHLXQ  AX, w, w

// func decodeStreamsBMI2(s *streams)
TEXT ·decodeStreamsBMI2(SB), NOSPLIT, $16-8
	MOVQ s+0(FP), AX
	MOVQ (streams_w+0)(AX), R8
	MOVQ (streams_w+8)(AX), R9
	MOVQ (streams_w+16)(AX), R10
	MOVQ (streams_w+24)(AX), R11
	MOVQ streams_in(AX), BX
	MOVQ (streams_p+0)(AX), R12
	MOVQ (streams_p+8)(AX), R13
	MOVQ (streams_p+16)(AX), R14
	MOVQ (streams_p+24)(AX), R15
	ADDQ BX, R12
	ADDQ BX, R13
	ADDQ BX, R14
	ADDQ BX, R15
	MOVQ streams_out(AX), DI
	ADDQ streams_i(AX), DI
	MOVQ streams_quarter(AX), DX
	LEAQ (DI)(DX*2), SI
	ADDQ DX, SI
	MOVQ streams_turns(AX), BX
	MOVQ BX, turns-8(SP)
	MOVQ streams_table(AX), BX
	MOVQ huffTable_shift(BX), CX
	PCALIGN $64

turn:
	LITERALS(0)
	LITERALS(1)
	LITERALS(2)
	LITERALS(3)
	LITERALS(4)
	REFILL(R8, R12)
	REFILL(R9, R13)
	REFILL(R10, R14)
	REFILL(R11, R15)
	ADDQ $const_turn, DI
	ADDQ $const_turn, SI
	DECQ turns-8(SP)
	JNE  turn

	MOVQ s+0(FP), AX
	MOVQ R8, (streams_w+0)(AX)
	MOVQ R9, (streams_w+8)(AX)
	MOVQ R10, (streams_w+16)(AX)
	MOVQ R11, (streams_w+24)(AX)
	MOVQ streams_in(AX), BX
	SUBQ BX, R12
	SUBQ BX, R13
	SUBQ BX, R14
	SUBQ BX, R15
	MOVQ R12, (streams_p+0)(AX)
	MOVQ R13, (streams_p+8)(AX)
	MOVQ R14, (streams_p+16)(AX)
	MOVQ R15, (streams_p+24)(AX)
	SUBQ streams_out(AX), DI
	MOVQ DI, streams_i(AX)
	RET
