//go:build !purego && !noasm

#include "go_asm.h"
#include "textflag.h"
#include "decision_amd64.h"

// How this file is organised. It is the loop of symbols.go with everything in
// registers and every decision inside a tree made by conditional moves; the
// comments there hold here. Macros first: lengths, contexts, the copy. Then the
// loop: literals, matches, lengths, distances, literals after matches, repeated
// matches. What is rare (an end marker, a distance or a length out of bounds, a copy
// that overlaps closely or runs over the ring's end) is left to the caller.
//
// The bytes of a match are copied late: after the next match, or where a literal
// needs them. They may have to come from memory, and the next match is decoded
// meanwhile. One match is due at a time:
//
//	target       where it goes; it ends at OUT. At the beginning of a run target is OUT.
//	BACK         from a byte of it to that it is copied from
//	STATE >= 7   between symbols: a match is due, since one came last
//	STATE >= 10  once a match is decoded: one is due, since two came last
//
// Memory. At the beginning of a symbol IN <= last and OUT < limit <= buf+size.
//
//   - A symbol takes at most maxSymbol bytes of the input that there is from last on.
//   - Every match ends at or before end, so that OUT <= buf+size+maxMatch. What is copied
//     from begins in the ring and ends before the ring's end, as does the byte after it.
//   - A copy reads and writes less than copySlack bytes past its end. They are in
//     buf, which is ringTail longer than the ring, and are no history.
//   - Indexes of the model are made of decoded bits alone, in trees of fixed sizes,
//     and of masked positions.

// LENGTH decodes a length with the model at TREE into NEXT.
#define LENGTH(mid, three, high, end) \
	DECIDE((TREE)); \
	JCC     mid; \
	ZERO((TREE)); \
	MOVL    position-8(SP), TMP; \
	SHLL    $4, TMP; \
	LEAQ    lengthModel_low(TREE)(TMP*1), TREE; \
	MOVQ    $-6, base-16(SP); \
three: \
	ROOT; \
	STEP(SYM, NEXT); \
	STEP(NEXT, SYM); \
	LEAF(SYM, NEXT); \
	ADDL    base-16(SP), NEXT; \
	JMP     end; \
mid: \
	ONE((TREE)); \
	DECIDE(2(TREE)); \
	JCC     high; \
	ZERO(2(TREE)); \
	MOVL    position-8(SP), TMP; \
	SHLL    $4, TMP; \
	LEAQ    lengthModel_mid(TREE)(TMP*1), TREE; \
	MOVQ    $2, base-16(SP); \
	JMP     three; \
high: \
	ONE(2(TREE)); \
	ADDQ    $lengthModel_high, TREE; \
	ROOT; \
	STEP(SYM, NEXT); \
	STEP(NEXT, SYM); \
	STEP(SYM, NEXT); \
	STEP(NEXT, SYM); \
	STEP(SYM, NEXT); \
	STEP(NEXT, SYM); \
	STEP(SYM, NEXT); \
	LEAF(NEXT, SYM); \
	LEAL    -238(SYM), NEXT; \
end:

// CONTEXT takes the position in TREE and the last byte in SYM to the trees of a
// literal.
#define CONTEXT \
	SHLL $8, TREE; \
	ADDL SYM, TREE; \
	ANDL contexts-80(SP), TREE; \
	IMULL entry-88(SP), TREE; \
	ADDQ (coder_model+model_literal)(CODER), TREE

// COPY copies the match that is due. No distance is shorter than 16, and a load
// follows the store before it, so that it may overlap.
#define COPY(from, to, len, loop, end) \
	MOVQ target-104(SP), to; \
	LEAQ (to)(BACK*1), from; \
loop: \
	MOVOU (from), X0; \
	MOVOU X0, (to); \
	MOVOU 16(from), X0; \
	MOVOU X0, 16(to); \
	MOVQ  OUT, len; \
	SUBQ  to, len; \
	CMPQ  len, $32; \
	JLS   end; \
	MOVOU 32(from), X0; \
	MOVOU X0, 32(to); \
	MOVOU 48(from), X0; \
	MOVOU X0, 48(to); \
	MOVOU 64(from), X0; \
	MOVOU X0, 64(to); \
	MOVOU 80(from), X0; \
	MOVOU X0, 80(to); \
	MOVOU 96(from), X0; \
	MOVOU X0, 96(to); \
	MOVOU 112(from), X0; \
	MOVOU X0, 112(to); \
	ADDQ  $128, from; \
	ADDQ  $128, to; \
	CMPQ  to, OUT; \
	JCS   loop; \
end:

// AFTER sets STATE to a after a literal, to b after a match.
#define AFTER(a, b) \
	MOVL    $b, TMP; \
	CMPL    STATE, $7; \
	MOVL    $a, STATE; \
	CMOVLCC TMP, STATE

#define FLAGS (coder_model+model_flags)
#define DIST  (coder_model+model_dist)

#define MATCH   (FLAGS+flagModel_match)(CODER)(NEXT*2)
#define REP     (FLAGS+flagModel_rep)(CODER)(STATE*2)
#define REP0    (FLAGS+flagModel_rep0)(CODER)(STATE*2)
#define REP1    (FLAGS+flagModel_rep1)(CODER)(STATE*2)
#define REP2    (FLAGS+flagModel_rep2)(CODER)(STATE*2)
#define REPLONG (FLAGS+flagModel_repLong)(CODER)(NEXT*2)

// reversed has the bits of a number below its leading 1 in reverse.
DATA reversed<>+0x0(SB)/8, $0x301020001000000
DATA reversed<>+0x8(SB)/8, $0x703050106020400
DATA reversed<>+0x10(SB)/8, $0xe060a020c040800
DATA reversed<>+0x18(SB)/8, $0xf070b030d050901
DATA reversed<>+0x20(SB)/8, $0x1c0c140418081000
DATA reversed<>+0x28(SB)/8, $0x1e0e16061a0a1202
DATA reversed<>+0x30(SB)/8, $0x1d0d150519091101
DATA reversed<>+0x38(SB)/8, $0x1f0f17071b0b1303
GLOBL reversed<>(SB), RODATA|NOPTR, $64

// func kernel(c *coder, src *byte, last, limit, end, prev int) (used, out, n int)
TEXT ·kernel(SB), NOSPLIT, $104-72
	MOVQ c+0(FP), CODER
	MOVQ src+8(FP), IN
	MOVQ last+16(FP), AX
	ADDQ IN, AX
	MOVQ AX, last-24(SP)
	MOVQ (coder_window+window_buf)(CODER), BX
	MOVQ BX, buf-32(SP)
	MOVQ limit+24(FP), AX
	ADDQ BX, AX
	MOVQ AX, limit-40(SP)
	MOVQ end+32(FP), AX
	ADDQ BX, AX
	MOVQ AX, end-48(SP)
	MOVQ (coder_window+window_pos)(CODER), OUT
	ADDQ BX, OUT
	MOVLQZX (coder_window+window_turn)(CODER), AX
	SUBQ AX, BX
	MOVQ BX, turn-56(SP)
	MOVQ OUT, AX
	SUBQ (coder_window+window_full)(CODER), AX
	MOVQ AX, oldest-64(SP)

	MOVBLZX (coder_model+model_Props+Props_PB)(CODER), CX
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	MOVQ AX, positions-72(SP)

	// The context of a literal times 0x100 is (position<<8 + previous byte)
	// masked and shifted by LC; an entry of the model has 6 times as many bytes.
	MOVBLZX (coder_model+model_Props+Props_LP)(CODER), CX
	MOVL $0x100, AX
	SHLL CX, AX
	MOVBLZX (coder_model+model_Props+Props_LC)(CODER), CX
	MOVL $0x100, BX
	SHRL CX, BX
	SUBL BX, AX
	MOVQ AX, contexts-80(SP)
	MOVL $6, AX
	SHLL CX, AX
	MOVQ AX, entry-88(SP)

	MOVQ coder_rng(CODER), RNG
	MOVQ coder_code(CODER), CODE
	MOVQ coder_state(CODER), STATE
	MOVQ prev+40(FP), SYM
	XORL BACK, BACK
	MOVQ OUT, target-104(SP)
	JMP  next

literal:
	ZERO(MATCH)
	CMPL STATE, $7
	JCC  matched
	CONTEXT
	XORL TMP, TMP
	SUBL $3, STATE
	CMOVLCS TMP, STATE
	ROOT
	STEP(SYM, NEXT)
bit1:
	STEP(NEXT, SYM)
bit2:
	STEP(SYM, NEXT)
bit3:
	STEP(NEXT, SYM)
bit4:
	STEP(SYM, NEXT)
bit5:
	STEP(NEXT, SYM)
bit6:
	STEP(SYM, NEXT)
bit7:
	LEAF(NEXT, SYM)

put:
	MOVB SYM, (OUT)
	INCQ OUT
	MOVBLZX SYM, SYM

next:
	CMPQ OUT, limit-40(SP)
	JCC  done
	CMPQ IN, last-24(SP)
	JHI  done
	MOVQ OUT, TREE
	SUBQ turn-56(SP), TREE
	MOVL TREE, TMP
	ANDL positions-72(SP), TMP
	MOVL TMP, position-8(SP)
	MOVL STATE, NEXT
	SHLL $4, NEXT
	ADDL TMP, NEXT
	DECIDE(MATCH)
	JCS  literal
	ONE(MATCH)
	DECIDE(REP)
	JCC  repeated
	ZERO(REP)
	MOVL (coder_reps+8)(CODER), TMP
	MOVL TMP, (coder_reps+12)(CODER)
	MOVL (coder_reps+4)(CODER), TMP
	MOVL TMP, (coder_reps+8)(CODER)
	MOVL coder_reps(CODER), TMP
	MOVL TMP, (coder_reps+4)(CODER)
	AFTER(7, 10)
	LEAQ (coder_model+model_lenMatch)(CODER), TREE
	LENGTH(midNew, threeNew, highNew, distance)

	MOVQ STATE, coder_state(CODER)
	MOVL NEXT, length-96(SP)
	SUBL $2, NEXT
	MOVL $3, TMP
	CMPL NEXT, TMP
	CMOVLHI TMP, NEXT
	SHLL $7, NEXT
	LEAQ (DIST+distanceModel_slot)(CODER)(NEXT*1), TREE
	ROOT
	STEP(SYM, NEXT)
	STEP(NEXT, SYM)
	STEP(SYM, NEXT)
	STEP(NEXT, SYM)
	STEP(SYM, NEXT)
	LEAF(NEXT, SYM)
	SUBL $64, SYM
	MOVL SYM, STATE
	CMPL SYM, $4
	JCS  placed
	MOVL SYM, CX
	SHRL $1, CX
	DECL CX
	ANDL $1, STATE
	ORL  $2, STATE
	CMPL SYM, $14
	JCC  direct

	// The low bits, lowest first, from a tree of their own.
	SHLL CX, STATE
	MOVL $1, TMP
	SHLL CX, TMP
	MOVL TMP, base-16(SP)
	MOVL STATE, NEXT
	SUBL SYM, NEXT
	LEAQ (DIST+distanceModel_near)(CODER)(NEXT*2), TREE
	ROOT
near:
	STEP(SYM, NEXT)
	MOVL NEXT, SYM
	CMPL SYM, base-16(SP)
	JCS  near
	JMP  reverse

direct:
	SUBL $4, CX
bit:
	NORMALIZE
	SHRL    $1, RNG
	LEAL    1(STATE)(STATE*1), STATE
	MOVQ    CODE, TMP
	SUBQ    RNG, CODE
	CMOVQCS TMP, CODE
	SBBL    $0, STATE
	DECL    CX
	JNE     bit
	SHLL $4, STATE
	// The bytes to copy are known but for 16: have them come. An address that
	// is nobody's does no harm.
	MOVQ OUT, TMP
	SUBQ STATE, TMP
	PREFETCHT0 -16(TMP)
	LEAQ (DIST+distanceModel_align)(CODER), TREE
	ROOT
	STEP(SYM, NEXT)
	STEP(NEXT, SYM)
	STEP(SYM, NEXT)
	LEAF(NEXT, SYM)

reverse:
	LEAQ    reversed<>(SB), TMP
	MOVBLZX (TMP)(SYM*1), TMP
	ADDL    TMP, STATE

placed:
	MOVL STATE, coder_reps(CODER)
	MOVL STATE, DI
	MOVQ coder_state(CODER), STATE
	MOVL length-96(SP), BX

copy:
	// DI is the distance less one, BX the length.
	MOVQ OUT, DX
	SUBQ oldest-64(SP), DX
	CMPQ DI, DX
	JCC  rare
	CMPQ DI, (coder_window+window_dict)(CODER)
	JCC  rare
	CMPQ DI, $15
	JCS  rare
	LEAQ (OUT)(BX*1), DX
	CMPQ DX, end-48(SP)
	JHI  rare
	MOVQ OUT, SI
	SUBQ buf-32(SP), SI
	NOTQ DI
	ADDQ DI, SI
	JPL  ahead
	ADDQ (coder_window+window_size)(CODER), SI
ahead:
	LEAQ (SI)(BX*1), AX
	CMPQ AX, (coder_window+window_size)(CODER)
	JCC  rare
	ADDQ buf-32(SP), SI
	// Have the ends of what is to be copied come, and copy what is due.
	PREFETCHT0 (SI)
	PREFETCHT0 -1(SI)(BX*1)
	CMPL STATE, $10
	JCS  due
	COPY(CX, DI, AX, before, due)
	MOVQ SI, BACK
	SUBQ OUT, BACK
	MOVQ OUT, target-104(SP)
	MOVQ DX, OUT
	JMP  next

matched:
	// The last byte, and the one that the match would have gone on with. Where the
	// match repeats itself they are there only once it is copied.
	MOVQ OUT, BX
	SUBQ target-104(SP), BX
	JEQ  first
	MOVBLZX -1(OUT)(BACK*1), SYM
	MOVBLZX (OUT)(BACK*1), PROB1
	COPY(SI, DI, CX, now, copied)
	MOVQ BACK, CX
	NEGQ CX
	CMPQ CX, BX
	JLS  repeating
agree:
	CONTEXT
	LEAL -6(STATE), TMP
	CMPL STATE, $10
	LEAL -3(STATE), STATE
	CMOVLCC TMP, STATE
	MOVL $1, SYM
	AGREE(SYM, NEXT, parted1)
	AGREE(NEXT, SYM, parted2)
	AGREE(SYM, NEXT, parted3)
	AGREE(NEXT, SYM, parted4)
	AGREE(SYM, NEXT, parted5)
	AGREE(NEXT, SYM, parted6)
	AGREE(SYM, NEXT, parted7)
	AGREE(NEXT, SYM, parted8)
	JMP  put

parted1: PART(NEXT, bit1)
parted2: PART(SYM, bit2)
parted3: PART(NEXT, bit3)
parted4: PART(SYM, bit4)
parted5: PART(NEXT, bit5)
parted6: PART(SYM, bit6)
parted7: PART(NEXT, bit7)
parted8:
	XORL $1, SYM
	JMP  put

repeating:
	MOVBLZX -1(OUT), SYM
	MOVBLZX (OUT)(BACK*1), PROB1
	JMP  agree

first:
	// The match was copied by an earlier run.
	MOVQ prev+40(FP), SYM
	MOVLQZX coder_reps(CODER), DI
	MOVQ OUT, SI
	SUBQ buf-32(SP), SI
	NOTQ DI
	ADDQ DI, SI
	JPL  within
	ADDQ (coder_window+window_size)(CODER), SI
within:
	ADDQ buf-32(SP), SI
	MOVBLZX (SI), PROB1
	JMP  agree

repeated:
	ONE(REP)
	DECIDE(REP0)
	JCC  older
	ZERO(REP0)
	DECIDE(REPLONG)
	JCC  long
	ZERO(REPLONG)
	AFTER(9, 11)
	MOVL $1, BX
	MOVL coder_reps(CODER), DI
	JMP  copy
long:
	ONE(REPLONG)
	JMP  repeat
older:
	ONE(REP0)
	DECIDE(REP1)
	JCC  third
	ZERO(REP1)
	MOVL (coder_reps+4)(CODER), DI
	JMP  second
third:
	ONE(REP1)
	DECIDE(REP2)
	JCC  fourth
	ZERO(REP2)
	MOVL (coder_reps+8)(CODER), DI
	JMP  move2
fourth:
	ONE(REP2)
	MOVL (coder_reps+12)(CODER), DI
	MOVL (coder_reps+8)(CODER), TMP
	MOVL TMP, (coder_reps+12)(CODER)
move2:
	MOVL (coder_reps+4)(CODER), TMP
	MOVL TMP, (coder_reps+8)(CODER)
second:
	MOVL coder_reps(CODER), TMP
	MOVL TMP, (coder_reps+4)(CODER)
	MOVL DI, coder_reps(CODER)
repeat:
	AFTER(8, 11)
	LEAQ (coder_model+model_lenRep)(CODER), TREE
	LENGTH(midRep, threeRep, highRep, lengthened)
	MOVL coder_reps(CODER), DI
	JMP  copy

rare:
	MOVQ BX, n+64(FP)
	CMPL STATE, $10
	JCS  leave
	JMP  finish
done:
	MOVQ $0, n+64(FP)
	CMPL STATE, $7
	JCS  leave
finish:
	COPY(SI, DI, CX, finishing, leave)
	MOVQ RNG, coder_rng(CODER)
	MOVQ CODE, coder_code(CODER)
	MOVQ STATE, coder_state(CODER)
	SUBQ src+8(FP), IN
	MOVQ IN, used+48(FP)
	SUBQ (coder_window+window_buf)(CODER), OUT
	MOVQ OUT, out+56(FP)
	RET
