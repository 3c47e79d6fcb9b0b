#include "textflag.h"
#include "stub.h"

// Stub i calls the function value at table[i]. It takes 16 bytes, and leaves all registers that hold arguments.
#define S1(i) MOVD ·table+8*(i)(SB), R26; MOVD (R26), R20; JMP (R20)

// func firstStub() uintptr
TEXT ·firstStub(SB), NOSPLIT, $0-8
	MOVD $stubTable<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// stubTable is all stubs.
TEXT stubTable<>(SB), NOSPLIT|NOFRAME, $0-0
	S32768(0)
