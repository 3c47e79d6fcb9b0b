#include "textflag.h"
#include "stub.h"

// Stub i calls the function value at table[i]. It takes 16 bytes, and leaves all registers that hold arguments.
#define S1(i) MOVQ ·table+8*(i)(SB), DX; MOVQ (DX), R12; JMP R12; PCALIGN $16

// func firstStub() uintptr
TEXT ·firstStub(SB), NOSPLIT, $0-8
	MOVQ $stubTable<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// stubTable is all stubs.
TEXT stubTable<>(SB), NOSPLIT|NOFRAME, $0-0
	S32768(0)
