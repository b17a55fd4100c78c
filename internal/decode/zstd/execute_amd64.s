//go:build !purego && !noasm

#include "go_asm.h"
#include "textflag.h"

// Registers that keep their meaning:
//
//	R8  the sequence          R9  after the last
//	SI  the next literal      R10 after the last
//	DI  the next byte of out  R11 where the block ends at the latest
//	R12 out                   R13 window
//	R14 how many old bytes there are in out
//	AX, CX, DX  literals, match and offset of the sequence
//	BX, R15, BP  SI after the literals, DI after them, DI after the match
//
// Copies take 32 bytes at a time and none begins at or after the end of what is
// copied, but the first two of a match: so reads and writes go 64 bytes beyond it
// at most, which is the slack after literals, buffer and old bytes.

// func executeAVX2(k *kernel)
TEXT ·executeAVX2(SB), NOSPLIT, $16-8
	MOVQ k+0(FP), DX
	LEAQ kernel_batch(DX), AX
	MOVQ kernel_done(DX), R8
	SHLQ $4, R8
	ADDQ AX, R8
	MOVQ kernel_n(DX), R9
	SHLQ $4, R9
	ADDQ AX, R9
	MOVQ kernel_lit(DX), SI
	MOVQ kernel_size(DX), R10
	ADDQ SI, R10
	ADDQ kernel_at(DX), SI
	MOVQ kernel_out(DX), R12
	MOVQ kernel_w(DX), DI
	ADDQ R12, DI
	MOVQ kernel_blockEnd(DX), R11
	ADDQ R12, R11
	MOVQ kernel_window(DX), R13
	MOVQ kernel_oldEnd(DX), R14
	CMPQ R8, R9
	JCC  done
	PCALIGN $64

turn:
	MOVL sequence_literals(R8), AX
	MOVL sequence_match(R8), CX
	MOVQ sequence_offset(R8), DX
	LEAQ (SI)(AX*1), BX
	LEAQ (DI)(AX*1), R15
	LEAQ (R15)(CX*1), BP
	CMPQ BX, R10
	JHI  done
	CMPQ BP, R11
	JHI  done
	CMPQ DX, R13
	JHI  done

	VMOVDQU (SI), Y0
	VMOVDQU Y0, (DI)
	CMPQ    AX, $32
	JHI     literals

match:
	MOVQ R15, AX
	SUBQ DX, AX // where the match is
	CMPQ AX, R12
	JCS  before
	CMPQ DX, $32
	JCS  near

copy:
	VMOVDQU (AX), Y0
	VMOVDQU Y0, (R15)
	VMOVDQU 32(AX), Y1
	VMOVDQU Y1, 32(R15)
	CMPQ    CX, $64
	JHI     more

next:
	MOVQ BX, SI
	MOVQ BP, DI
	ADDQ $sequence__size, R8
	CMPQ R8, R9
	JCS  turn

done:
	VZEROUPPER
	MOVQ k+0(FP), DX
	SUBQ R12, DI
	MOVQ DI, kernel_w(DX)
	SUBQ kernel_lit(DX), SI
	MOVQ SI, kernel_at(DX)
	LEAQ kernel_batch(DX), AX
	SUBQ AX, R8
	SHRQ $4, R8
	MOVQ R8, kernel_done(DX)
	RET

literals: // more than 32; the last 32 of them first
	VMOVDQU -32(SI)(AX*1), Y0
	VMOVDQU Y0, -32(DI)(AX*1)
	SUBQ    $32, AX
	CMPQ    AX, $32
	JHI     literals
	JMP     match

more: // of a match than 64
	VMOVDQU 64(AX), Y0
	VMOVDQU Y0, 64(R15)
	ADDQ    $32, AX
	ADDQ    $32, R15
	SUBQ    $32, CX
	CMPQ    CX, $64
	JHI     more
	JMP     next

before: // the first byte of out
	ADDQ R14, AX
	CMPQ AX, R12
	JCS  done // in a dictionary, or nowhere
	LEAQ (AX)(CX*1), DX
	SUBQ R12, DX
	CMPQ DX, R14
	JHI  done // over the end of old bytes
	JMP  copy

near:
	CMPQ DX, $16
	JCS  pattern

sixteen:
	VMOVDQU (AX), X0
	VMOVDQU X0, (R15)
	ADDQ    $16, AX
	ADDQ    $16, R15
	SUBQ    $16, CX
	JHI     sixteen
	JMP     next

pattern: // of less than 16 bytes, again and again
	TESTQ   DX, DX
	JZ      done
	VMOVDQU (AX), X0
	MOVQ    k+0(FP), AX
	MOVQ    kernel_patterns(AX), AX
	MOVBLZX (AX)(DX*1), SI // SI is set after the match
	SHLQ    $4, DX
	VPSHUFB (AX)(DX*1), X0, X0

again:
	VMOVDQU X0, (R15)
	ADDQ    SI, R15
	SUBQ    SI, CX
	JHI     again
	JMP     next
