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

// EIGHT stores the eight places of Y1 at off from DX and makes them the next eight.
#define EIGHT(off) \
	VMOVDQU Y1, off(DX) \
	VPADDD  Y2, Y1, Y1

// func scanVector(places *uint32, room int, src *byte, n int, c byte, at uint32) (blocks, found int)
//
//	DI  places           SI  next block        CX  blocks left
//	R8  places written   R9  the most of them with which a block may begin
//	R10 at + 1 + the index of the block's first byte
//	Y0  c in every byte  AX  a bit for each byte of the block that is c
//
// The place of a block's first c is written whether there is one or not, and
// counted if there is: a branch on it would be guessed wrong once a record.
TEXT ·scanVector(SB), NOSPLIT, $0-56
	MOVQ places+0(FP), DI
	MOVQ room+8(FP), R9
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), CX
	VPBROADCASTB c+32(FP), Y0
	MOVL at+36(FP), R10
	INCL R10
	XORQ R8, R8
	SUBQ $64, R9
	JLT  done

turn:
	VPCMPEQB (SI), Y0, Y1
	VPCMPEQB 32(SI), Y0, Y2
	VPMOVMSKB Y1, AX
	VPMOVMSKB Y2, BX
	SHLQ $32, BX
	ORQ  BX, AX
	TZCNTQ AX, DX
	ADDL R10, DX
	MOVL DX, (DI)(R8*4)
	CMPQ AX, $1
	SBBQ $-1, R8
	BLSRQ AX, AX
	JNZ  more

next:
	ADDQ $64, SI
	ADDL $64, R10
	DECQ CX
	JZ   done
	CMPQ R8, R9
	JLE  turn

done:
	MOVQ n+24(FP), AX
	SUBQ CX, AX
	MOVQ AX, blocks+40(FP)
	MOVQ R8, found+48(FP)
	VZEROUPPER
	RET

more:
	CMPQ AX, $-2
	JEQ  every

each:
	TZCNTQ AX, DX
	ADDL R10, DX
	MOVL DX, (DI)(R8*4)
	INCQ R8
	BLSRQ AX, AX
	JNZ  each
	JMP  next

	// Each byte of the block is c, and the first place is written.
every:
	LEAQ -4(DI)(R8*4), DX
	VMOVD R10, X1
	VPBROADCASTD X1, Y1
	VPADDD numbers<>(SB), Y1, Y1
	MOVL $8, AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	EIGHT(0)
	EIGHT(32)
	EIGHT(64)
	EIGHT(96)
	EIGHT(128)
	EIGHT(160)
	EIGHT(192)
	EIGHT(224)
	ADDQ $63, R8
	JMP  next
