/* SPDX-License-Identifier: Apache-2.0
 *
 * One block of ChaCha20 in general registers, as pieces of asm to be mixed into the rounds of a
 * vector pass: there it is nearly free, since vector code leaves the scalar ports and most decode
 * slots empty. For x86-64.
 *
 * 16 words, a counter and a pointer are more than the registers there are (one has to be left to
 * the compiler for a frame pointer). Of the words of row a three are in registers, of row c two;
 * the others are in memory, `slots`:
 *
 *      eax   a0 or a3      esi edi r8d r9d       b0 b1 b2 b3
 *      ebx   a1            r10d r11d r12d r13d   d0 d1 d2 d3
 *      ecx   a2
 *      edx   c0 or c2      r14d  c1 or c3
 *
 * Quarter rounds go in pairs, those with c0 and c1 or those with c2 and c3. The order of the pairs
 * alternates, so that row c changes places only twice in a double round. Words in memory have some
 * five cycles to get there and back before they are needed: what follows the last use of a is half
 * of a quarter round.
 *
 * The slots, 16 words and the counter of double rounds, start SC_SLOTS bytes behind what the
 * operand %[work] points at.
 */
#define SC_A03 "%%eax"
#define SC_A1  "%%ebx"
#define SC_A2  "%%ecx"
#define SC_C02 "%%edx"
#define SC_C13 "%%r14d"
#define SC_B0  "%%esi"
#define SC_B1  "%%edi"
#define SC_B2  "%%r8d"
#define SC_B3  "%%r9d"
#define SC_D0  "%%r10d"
#define SC_D1  "%%r11d"
#define SC_D2  "%%r12d"
#define SC_D3  "%%r13d"
#define SCALAR_CLOBBERS                                                                            \
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14"

#define SC_SLOT(i)    "4*" #i "+" SC_SLOTS "(%[work])"
#define SC_LOAD(r, i) "movl " SC_SLOT(i) ", " r "\n\t"
#define SC_SAVE(r, i) "movl " r ", " SC_SLOT(i) "\n\t"

#define SCALAR_START                                                                               \
    SC_LOAD(SC_A03, 0)                                                                             \
    SC_LOAD(SC_A1, 1) SC_LOAD(SC_A2, 2) SC_LOAD(SC_B0, 4) SC_LOAD(SC_B1, 5) SC_LOAD(SC_B2, 6)      \
        SC_LOAD(SC_B3, 7) SC_LOAD(SC_C02, 8) SC_LOAD(SC_C13, 9) SC_LOAD(SC_D0, 12)                 \
            SC_LOAD(SC_D1, 13) SC_LOAD(SC_D2, 14) SC_LOAD(SC_D3, 15)
/* Rows a and b; a3 is in its slot. */
#define SCALAR_END                                                                                 \
    SC_SAVE(SC_A03, 0)                                                                             \
    SC_SAVE(SC_A1, 1) SC_SAVE(SC_A2, 2) SC_SAVE(SC_B0, 4) SC_SAVE(SC_B1, 5) SC_SAVE(SC_B2, 6)      \
        SC_SAVE(SC_B3, 7)
/* Ends a double round; the last one falls through. */
#define SCALAR_LOOP(label) "decl " SC_SLOT(16) "\n\tjnz " label "\n\t"

/* x += y; z = (z xor x) <<< n, for two quarter rounds. */
#define SC_STEP(n, x0, y0, z0, x1, y1, z1)                                                         \
    "addl " y0 ", " x0 "\n\taddl " y1 ", " x1 "\n\t"                                               \
    "xorl " x0 ", " z0 "\n\txorl " x1 ", " z1 "\n\t"                                               \
    "roll $" #n ", " z0 "\n\troll $" #n ", " z1 "\n\t"

/* The 16 pieces of a double round. */
#define SCALAR_1 SC_STEP(16, SC_A03, SC_B0, SC_D0, SC_A1, SC_B1, SC_D1)
#define SCALAR_2 SC_STEP(12, SC_C02, SC_D0, SC_B0, SC_C13, SC_D1, SC_B1)
#define SCALAR_3                                                                                   \
    SC_STEP(8, SC_A03, SC_B0, SC_D0, SC_A1, SC_B1, SC_D1) SC_SAVE(SC_A03, 0) SC_LOAD(SC_A03, 3)
#define SCALAR_4                                                                                   \
    SC_STEP(7, SC_C02, SC_D0, SC_B0, SC_C13, SC_D1, SC_B1)                                         \
    SC_SAVE(SC_C02, 8) SC_SAVE(SC_C13, 9) SC_LOAD(SC_C02, 10) SC_LOAD(SC_C13, 11)
#define SCALAR_5 SC_STEP(16, SC_A2, SC_B2, SC_D2, SC_A03, SC_B3, SC_D3)
#define SCALAR_6 SC_STEP(12, SC_C02, SC_D2, SC_B2, SC_C13, SC_D3, SC_B3)
#define SCALAR_7                                                                                   \
    SC_STEP(8, SC_A2, SC_B2, SC_D2, SC_A03, SC_B3, SC_D3) SC_SAVE(SC_A03, 3) SC_LOAD(SC_A03, 0)
#define SCALAR_8 SC_STEP(7, SC_C02, SC_D2, SC_B2, SC_C13, SC_D3, SC_B3)
/* diagonals */
#define SCALAR_9  SC_STEP(16, SC_A03, SC_B1, SC_D3, SC_A1, SC_B2, SC_D0)
#define SCALAR_10 SC_STEP(12, SC_C02, SC_D3, SC_B1, SC_C13, SC_D0, SC_B2)
#define SCALAR_11                                                                                  \
    SC_STEP(8, SC_A03, SC_B1, SC_D3, SC_A1, SC_B2, SC_D0) SC_SAVE(SC_A03, 0) SC_LOAD(SC_A03, 3)
#define SCALAR_12                                                                                  \
    SC_STEP(7, SC_C02, SC_D3, SC_B1, SC_C13, SC_D0, SC_B2)                                         \
    SC_SAVE(SC_C02, 10) SC_SAVE(SC_C13, 11) SC_LOAD(SC_C02, 8) SC_LOAD(SC_C13, 9)
#define SCALAR_13 SC_STEP(16, SC_A2, SC_B3, SC_D1, SC_A03, SC_B0, SC_D2)
#define SCALAR_14 SC_STEP(12, SC_C02, SC_D1, SC_B3, SC_C13, SC_D2, SC_B0)
#define SCALAR_15                                                                                  \
    SC_STEP(8, SC_A2, SC_B3, SC_D1, SC_A03, SC_B0, SC_D2) SC_SAVE(SC_A03, 3) SC_LOAD(SC_A03, 0)
#define SCALAR_16 SC_STEP(7, SC_C02, SC_D1, SC_B3, SC_C13, SC_D2, SC_B0)
