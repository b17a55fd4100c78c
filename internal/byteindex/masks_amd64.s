//go:build !purego && !noasm

#include "textflag.h"

// func maskVector(masks *uint64, src *byte, n int, c byte)
//
//	DI  next mask   SI  next block   CX  blocks left
//	Y0  c in every byte
//	AX  a bit for each byte of the block that is c
TEXT ·maskVector(SB), NOSPLIT, $0-25
	MOVQ masks+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	VPBROADCASTB c+24(FP), Y0

turn:
	VPCMPEQB (SI), Y0, Y1
	VPCMPEQB 32(SI), Y0, Y2
	VPMOVMSKB Y1, AX
	VPMOVMSKB Y2, BX
	SHLQ $32, BX
	ORQ  BX, AX
	MOVQ AX, (DI)
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  turn
	VZEROUPPER
	RET
