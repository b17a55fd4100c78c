//go:build !purego && !noasm

#include "textflag.h"

// numbers are 0 to 7.
DATA numbers<>+0(SB)/4, $0
DATA numbers<>+4(SB)/4, $1
DATA numbers<>+8(SB)/4, $2
DATA numbers<>+12(SB)/4, $3
DATA numbers<>+16(SB)/4, $4
DATA numbers<>+20(SB)/4, $5
DATA numbers<>+24(SB)/4, $6
DATA numbers<>+28(SB)/4, $7
GLOBL numbers<>(SB), RODATA|NOPTR, $32

// SPREAD puts the constant c in every lane of y, by way of AX.
#define SPREAD(c, x, y) \
	MOVL $c, AX          \
	VMOVD AX, x          \
	VPBROADCASTD x, y

// func pairAVX2(t *litTable)
//
// Eight entries a turn, from the last to the first: what a turn looks up lies
// before the entries that earlier turns have written, and is read before its own.
//
//	DI table       CX index of the turn's first entry
//	Y0 entries     Y1 their own bits   Y2 the entry after each
//	Y3 which of them become pairs      Y4 the pairs
//	Y8 0x0f  Y9 12  Y10 0xa000  Y11 0xff000000  Y12 0xff0f00  Y13 0 to 7
TEXT ·pairAVX2(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DI
	SPREAD(0x0f, X8, Y8)
	SPREAD(12, X9, Y9)
	SPREAD(0xa000, X10, Y10)
	SPREAD(0xff000000, X11, Y11)
	SPREAD(0x00ff0f00, X12, Y12)
	VMOVDQU numbers<>(SB), Y13
	MOVL $2040, CX

turn:
	VMOVDQU (DI)(CX*4), Y0
	VPAND   Y8, Y0, Y1
	VMOVD   CX, X5
	VPBROADCASTD X5, Y5
	VPADDD  Y13, Y5, Y5
	VPSRLVD Y1, Y5, Y5
	VPCMPEQD Y6, Y6, Y6
	VPGATHERDD Y6, (DI)(Y5*4), Y2

	VPAND   Y0, Y2, Y3     // both are literals
	VPSLLD  $16, Y3, Y3
	VPSRAD  $31, Y3, Y3
	VPAND   Y8, Y2, Y5
	VPADDD  Y5, Y1, Y1     // bits of both
	VPCMPGTD Y1, Y9, Y5
	VPAND   Y5, Y3, Y3

	VPSLLD  $8, Y2, Y4
	VPAND   Y11, Y4, Y4
	VPAND   Y12, Y0, Y5
	VPOR    Y5, Y4, Y4
	VPOR    Y10, Y4, Y4
	VPOR    Y1, Y4, Y4
	VPBLENDVB Y3, Y4, Y0, Y0
	VMOVDQU Y0, (DI)(CX*4)
	SUBL    $8, CX
	JGE     turn
	VZEROUPPER
	RET
