//go:build !purego && !noasm

#include "textflag.h"

// FOLD moves x forward over what k stands for and adds what is in m.
#define FOLD(k, x, m, t) \
	MOVOU     x, t; \
	PCLMULQDQ $0x00, k, x; \
	PCLMULQDQ $0x11, k, t; \
	PXOR      t, x; \
	PXOR      m, x

// func foldCRC64(rest *[16]byte, src *byte, n int, crc uint64, far, near *[2]uint64)
TEXT ·foldCRC64(SB), NOSPLIT, $0-48
	MOVQ  rest+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  n+16(FP), CX
	MOVQ  crc+24(FP), X4
	MOVQ  far+32(FP), AX
	MOVOU (AX), X8
	MOVQ  near+40(FP), AX
	MOVOU (AX), X9
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	PXOR  X4, X0
	JMP   next

block:
	MOVOU (SI), X4
	FOLD(X8, X0, X4, X5)
	MOVOU 16(SI), X6
	FOLD(X8, X1, X6, X7)
	MOVOU 32(SI), X4
	FOLD(X8, X2, X4, X5)
	MOVOU 48(SI), X6
	FOLD(X8, X3, X6, X7)

next:
	ADDQ $64, SI
	DECQ CX
	JNE  block
	FOLD(X9, X0, X1, X5)
	FOLD(X9, X0, X2, X5)
	FOLD(X9, X0, X3, X5)
	MOVOU X0, (DI)
	RET
