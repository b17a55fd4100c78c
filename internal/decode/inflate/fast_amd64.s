//go:build !purego && !noasm

#include "textflag.h"

// Offsets in kernel.
#define kBits     0
#define kN        8
#define kIn       16
#define kPos      24
#define kInEnd    32
#define kOut      40
#define kW        48
#define kOutEnd   56
#define kFloor    64
#define kLit      72
#define kDist     80
#define kPatterns 88
#define kE        96

// Registers that keep their meaning:
//
//	R8  bits, the next one lowest       R9  n: how many, in the low byte
//	SI  next byte of input              DI  next byte of output
//	R10 literals and lengths            R11 distances
//	R12 last SI of a turn               R13 last DI of a turn
//	R15 first byte that a copy may take
//	AX  the entry looked at
//
// Bits of entries (table.go): 0x8000 literal, 0x4000 special, 0x3000 its kind.

// REFILL makes 56 to 63 bits, with t as a temporary.
#define REFILL(t) \
	SHLXQ R9, (SI), t \
	ORQ   t, R8       \
	MOVL  R9, t       \
	SHRL  $3, t       \
	ANDL  $7, t       \
	XORL  $7, t       \
	ADDQ  t, SI       \
	ORQ   $56, R9

// NEXT looks at the next entry, with t as a temporary.
#define NEXT(t) \
	MOVL R8, t           \
	ANDL $2047, t        \
	MOVL (R10)(t*4), AX

// LITERAL takes the entry of one or two literals and looks at the next. BX keeps
// the bits with the entry's own.
#define LITERAL \
	MOVQ  R8, BX          \
	SHRXQ AX, R8, R8      \
	SUBQ  AX, R9          \
	TESTL $0x8000, AX     \
	JZ    other           \
	MOVL  R8, DX          \
	ANDL  $2047, DX       \
	MOVL  AX, CX          \
	SHRL  $16, CX         \
	MOVW  CX, (DI)        \
	SHRL  $12, AX         \
	ANDL  $3, AX          \
	ADDQ  AX, DI          \
	MOVL  (R10)(DX*4), AX

// func fastAVX2(k *kernel) stop
TEXT ·fastAVX2(SB), NOSPLIT, $0-16
	MOVQ k+0(FP), AX
	MOVQ kBits(AX), R8
	MOVQ kN(AX), R9
	MOVQ kIn(AX), SI
	MOVQ kInEnd(AX), R12
	ADDQ SI, R12
	ADDQ kPos(AX), SI
	MOVQ kOut(AX), DI
	MOVQ kOutEnd(AX), R13
	ADDQ DI, R13
	MOVQ kFloor(AX), R15
	ADDQ DI, R15
	ADDQ kW(AX), DI
	MOVQ kLit(AX), R10
	MOVQ kDist(AX), R11
	REFILL(CX)
	NEXT(DX)
	JMP turn

	PCALIGN $32
turn:
	CMPQ SI, R12
	JA   room
	CMPQ DI, R13
	JA   room
	LITERAL
	LITERAL
	LITERAL
	REFILL(CX)
	JMP turn

	// An entry that is no literal; R8 and R9 are after its bits, BX is not.
other:
	TESTL $0x4000, AX
	JNZ   special

length:
	// CX = length = base + extra bits, which are those of the entry's bits
	// above its code.
	BZHIQ AX, BX, CX
	MOVL  AX, DX
	SHRL  $8, DX
	SHRXQ DX, CX, CX
	SHRL  $16, AX
	ADDL  AX, CX
	CMPB  R9, $28
	JAE   enough
	REFILL(DX)

enough:
	MOVL  R8, DX
	ANDL  $511, DX
	MOVL  (R11)(DX*4), AX
	TESTL $0x4000, AX
	JNZ   specialDistance

distance:
	// DX = distance, likewise; R14 = from where to copy.
	BZHIQ AX, R8, DX
	MOVL  AX, BX
	SHRL  $8, BX
	SHRXQ BX, DX, DX
	SHRXQ AX, R8, R8
	SUBQ  AX, R9
	MOVL  AX, BX
	SHRL  $16, BX
	ADDQ  BX, DX
	MOVQ  DI, R14
	SUBQ  DX, R14
	CMPQ  R14, R15
	JB    tooFar
	REFILL(BX)
	NEXT(BX)
	LEAQ  (DI)(CX*1), BX  // the copy's end
	CMPQ  DX, $32
	JB    near
	VMOVDQU (R14), Y0
	VMOVDQU Y0, (DI)
	CMPQ  CX, $32
	JA    long
	MOVQ  BX, DI
	JMP   turn

long:
	ADDQ $32, DI
	ADDQ $32, R14
	VMOVDQU (R14), Y0
	VMOVDQU Y0, (DI)
	LEAQ 32(DI), DX
	CMPQ DX, BX
	JB   long
	MOVQ BX, DI
	JMP  turn

near:
	CMPQ DX, $16
	JB   repeat

near16:
	VMOVDQU (R14), X0
	VMOVDQU X0, (DI)
	ADDQ $16, R14
	ADDQ $16, DI
	CMPQ DI, BX
	JB   near16
	MOVQ BX, DI
	JMP  turn

	// X0 = the last DX bytes over and over, R14 = how many are whole repetitions.
repeat:
	MOVQ    k+0(FP), CX
	MOVQ    kPatterns(CX), CX
	VMOVDQU (R14), X0
	MOVBLZX (CX)(DX*1), R14
	SHLQ    $4, DX
	VPSHUFB (CX)(DX*1), X0, X0

repeated:
	VMOVDQU X0, (DI)
	ADDQ R14, DI
	CMPQ DI, BX
	JB   repeated
	MOVQ BX, DI
	JMP  turn

special:
	TESTL $0x3000, AX
	JNZ   stopped

	// A subtable, whose entry counts the bits that led here too.
	MOVL  AX, CX
	SHRL  $8, CX
	ANDL  $15, CX
	BZHIQ CX, R8, CX
	SHRL  $16, AX
	ADDL  CX, AX
	ANDL  $4095, AX
	MOVL  (R10)(AX*4), AX
	SHRXQ AX, BX, R8
	ADDQ  $11, R9
	SUBQ  AX, R9
	TESTL $0x8000, AX
	JZ    long2
	MOVL  AX, CX
	SHRL  $16, CX
	MOVB  CX, (DI)
	INCQ  DI
	REFILL(CX)
	NEXT(DX)
	JMP   turn

long2:
	TESTL $0x4000, AX
	JZ    length

stopped:
	MOVQ  $1, BX  // stopBlockEnd
	TESTL $0x1000, AX
	JNZ   out
	MOVQ  $2, BX  // stopLiteral
	JMP   out

specialDistance:
	TESTL $0x3000, AX
	JNZ   noDistance
	MOVQ  R8, BX
	SHRQ  $9, BX
	MOVL  AX, DX
	SHRL  $8, DX
	ANDL  $15, DX
	BZHIQ DX, BX, BX
	SHRL  $16, AX
	ADDL  BX, AX
	ANDL  $1023, AX
	MOVL  (R11)(AX*4), AX
	TESTL $0x4000, AX
	JZ    distance

noDistance:
	SHRXQ AX, R8, R8
	SUBQ  AX, R9
	MOVQ  $3, BX  // stopDistance
	JMP   out

tooFar:
	MOVQ $4, BX  // stopTooFar
	JMP  out

room:
	XORQ BX, BX

out:
	MOVQ k+0(FP), CX
	MOVQ R8, kBits(CX)
	MOVQ R9, kN(CX)
	SUBQ kIn(CX), SI
	MOVQ SI, kPos(CX)
	SUBQ kOut(CX), DI
	MOVQ DI, kW(CX)
	MOVL AX, AX
	MOVQ AX, kE(CX)
	MOVQ BX, ret+8(FP)
	VZEROUPPER
	RET
