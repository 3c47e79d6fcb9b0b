#include "textflag.h"

// Stub i calls the function value at table[i]. It takes 16 bytes, and leaves all registers that hold arguments.
#define S1(i) MOVD ·table+8*(i)(SB), R26; MOVD (R26), R20; JMP (R20)
#define S8(i) S1(i+0); S1(i+1); S1(i+2); S1(i+3); \
	S1(i+4); S1(i+5); S1(i+6); S1(i+7)
#define S64(i) S8(i+0); S8(i+8); S8(i+16); S8(i+24); \
	S8(i+32); S8(i+40); S8(i+48); S8(i+56)
#define S512(i) S64(i+0); S64(i+64); S64(i+128); S64(i+192); \
	S64(i+256); S64(i+320); S64(i+384); S64(i+448)
#define S4096(i) S512(i+0); S512(i+512); S512(i+1024); S512(i+1536); \
	S512(i+2048); S512(i+2560); S512(i+3072); S512(i+3584)
#define S32768(i) S4096(i+0); S4096(i+4096); S4096(i+8192); S4096(i+12288); \
	S4096(i+16384); S4096(i+20480); S4096(i+24576); S4096(i+28672)

// func firstStub() uintptr
TEXT ·firstStub(SB), NOSPLIT, $0-8
	MOVD $stubTable<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// stubTable is all stubs.
TEXT stubTable<>(SB), NOSPLIT|NOFRAME, $0-0
	S32768(0)
