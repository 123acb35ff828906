/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the library safe to use from many threads at once? 32 threads make the first call of the
 * process together; one key is shared by threads that seal, open and stream; calls come before
 * main, after fork, and from a signal handler that interrupts other calls a thousand times a
 * second. Run under a thread sanitizer too.
 */
#include "harness.h"
#include "oracle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 32 };

static const uint8_t raw[32] = {1, 2, 3}, nonce[24] = {4, 5, 6}, ad[13] = {7};
static uint8_t text[2000];
static uint8_t right_text[COUNT(all_algs)][2000], right_tag[COUNT(all_algs)][16];

/* One message each way with every construction. Returns how many answers are wrong; prints
 * nothing. */
static int all_wrong(const plait_key *keys)
{
    int wrong = 0;
    for (size_t a = 0; a < COUNT(all_algs); a++) {
        uint8_t out[2000], tag[16];
        plait_key own;
        const plait_key *k = keys != NULL ? &keys[a] : &own;
        const size_t n = alg_nonce_len(all_algs[a]);
        if (keys == NULL)
            wrong += plait_key_init(&own, all_algs[a], raw, alg_key_len(all_algs[a])) != PLAIT_OK;
        wrong += plait_seal(k, out, tag, nonce, n, ad, sizeof ad, text, sizeof text) != PLAIT_OK;
        wrong += memcmp(out, right_text[a], sizeof text) != 0 || memcmp(tag, right_tag[a], 16) != 0;
        wrong += plait_open(k, out, nonce, n, ad, sizeof ad, out, sizeof text, tag) != PLAIT_OK;
        wrong += memcmp(out, text, sizeof text) != 0;
        plait_stream s;
        wrong += plait_stream_init(&s, k, nonce, n) != PLAIT_OK;
        wrong += plait_stream_ad(&s, k, ad, sizeof ad) != PLAIT_OK;
        wrong += plait_stream_seal(&s, k, out, text, 700) != PLAIT_OK;
        wrong += plait_stream_seal(&s, k, out + 700, text + 700, sizeof text - 700) != PLAIT_OK;
        wrong += plait_stream_seal_final(&s, k, tag) != PLAIT_OK;
        wrong += memcmp(out, right_text[a], sizeof text) != 0 || memcmp(tag, right_tag[a], 16) != 0;
        if (keys == NULL) plait_key_wipe(&own);
    }
    return wrong;
}

static void right_answers(void)
{
    count_bytes(text, sizeof text, 9);
    for (size_t a = 0; a < COUNT(all_algs); a++)
        oracle_seal(alg_is_gcm(all_algs[a]), right_text[a], right_tag[a], raw,
                    alg_key_len(all_algs[a]), nonce, alg_nonce_len(all_algs[a]), ad, sizeof ad,
                    text, sizeof text);
}

/* Before main: constructors run in an order that nobody promises. */
static int wrong_before_main = -1;
__attribute__((constructor)) static void before_main(void)
{
    right_answers();
    if (getenv("PLAIT_TEST_FIRST_CALL") == NULL) wrong_before_main = all_wrong(NULL);
}

static pthread_barrier_t gate;

static void *first_call(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&gate);
    return (void *)(intptr_t)all_wrong(NULL);
}

static int first_calls(void)
{
    pthread_t thread[THREADS];
    int wrong = 0;
    pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, first_call, NULL) != 0) return -1;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        wrong += (int)(intptr_t)result;
    }
    return wrong;
}

static plait_key shared[COUNT(all_algs)];

static void *use_shared(void *unused)
{
    int wrong = 0;
    (void)unused;
    pthread_barrier_wait(&gate);
    for (int i = 0; i < (test_level == 0 || test_emulated() ? 3 : 50); i++)
        wrong += all_wrong(shared);
    return (void *)(intptr_t)wrong;
}

/* Threads that change the limits while others make keys: any answer, but a right one. */
static volatile int stop;
static void *change_limits(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        plait_cpu_limit("ref");
        plait_cpu_limit("ssse3,-aes");
        plait_cpu_limit("");
    }
    return NULL;
}

static volatile sig_atomic_t handled, wrong_in_handler;
static void on_timer(int sig)
{
    const int saved = errno;
    (void)sig;
    wrong_in_handler += all_wrong(handled % 2 ? shared : NULL);
    handled++;
    errno = saved;
}

/* Each kernel in a loop, while the handler, on the same stack, dirties much of it and calls the
 * library with its vectors: nothing that a kernel relies on lies below the stack pointer or outside
 * of what is saved. */
static volatile uint8_t seen;
static void on_timer_with_stack(int sig)
{
    uint8_t deep[60000];
    memset(deep, 0xa5, sizeof deep);
    seen = deep[handled % sizeof deep];
    on_timer(sig);
}

static void each_row_interrupted(const struct itimerval *every, const struct itimerval *never)
{
    struct sigaction action = {.sa_handler = on_timer_with_stack, .sa_flags = SA_RESTART};
    static uint8_t in[9000], want[9000], out[9000];
    sigaction(SIGALRM, &action, NULL);
    count_bytes(in, sizeof in, 3);
    for (int gcm = 0; gcm < 2; gcm++) {
        kernel_choice *choices;
        const plait_alg alg = gcm ? PLAIT_AES_128_GCM : PLAIT_CHACHA20_POLY1305;
        const int level = test_level;
        if (level < 2) test_level = 0; /* each part once */
        const size_t count = kernel_choices(gcm, &choices);
        test_level = level;
        for (size_t c = 0; c < count; c++) {
            plait_key k;
            uint8_t right[16], tag[16];
            int wrong = 0;
            test_case("%s: interrupted a thousand times a second", choices[c].name);
            CHECK_OK(plait_key_init_with(&k, alg, raw, alg_key_len(alg), choices[c].name));
            oracle_seal(gcm, want, right, raw, alg_key_len(alg), nonce, 12, ad, sizeof ad, in,
                        sizeof in);
            const sig_atomic_t from = handled;
            const int times = level == 0 || test_emulated() ? 4 : level == 1 ? 30 : 300;
            wrong_in_handler = 0;
            setitimer(ITIMER_REAL, every, NULL);
            for (int rounds = 0; handled - from < times && rounds < 100000; rounds++) {
                wrong +=
                    plait_seal(&k, out, tag, nonce, 12, ad, sizeof ad, in, sizeof in) != PLAIT_OK;
                wrong += memcmp(out, want, sizeof in) != 0 || memcmp(tag, right, 16) != 0;
                wrong +=
                    plait_open(&k, out, nonce, 12, ad, sizeof ad, out, sizeof in, tag) != PLAIT_OK;
                wrong += memcmp(out, in, sizeof in) != 0;
            }
            setitimer(ITIMER_REAL, never, NULL);
            CHECK_INT(wrong, 0);
            CHECK_INT(wrong_in_handler, 0);
            CHECK(handled - from >= times || test_emulated());
        }
        free(choices);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "first") == 0) return first_calls() != 0;
    test_start("threads: is the library safe to use from many threads at once?");

    test_case("before main, from a constructor");
    CHECK_INT(wrong_before_main, 0);

    test_case("32 threads make the first call of the process together");
    if (test_emulated())
        test_skip("a program can not start itself under the emulator");
    else
        for (int i = 0; i < (test_level == 0 ? 5 : 50); i++) {
            const pid_t child = fork();
            if (child == 0) {
                setenv("PLAIT_TEST_FIRST_CALL", "1", 1);
                execl(argv[0], argv[0], "first", (char *)NULL);
                _exit(99);
            }
            int status = -1;
            waitpid(child, &status, 0);
            CHECK_INT(status, 0);
        }

    test_case("one key for 32 threads");
    for (size_t a = 0; a < COUNT(all_algs); a++)
        CHECK_OK(plait_key_init(&shared[a], all_algs[a], raw, alg_key_len(all_algs[a])));
    static plait_key before[COUNT(all_algs)];
    memcpy(before, shared, sizeof shared);
    pthread_t thread[THREADS], changer;
    pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&thread[i], NULL, use_shared, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        CHECK_INT((intptr_t)result, 0);
    }
    CHECK_MEM(shared, before, sizeof shared);

    test_case("limits that change while keys are made");
    CHECK_INT(pthread_create(&changer, NULL, change_limits, NULL), 0);
    for (int i = 0; i < (test_level == 0 ? 50 : 500); i++) CHECK_INT(all_wrong(NULL), 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(changer, NULL);
    plait_cpu_limit("");

    test_case("after fork");
    const pid_t child = fork();
    if (child == 0) _exit(all_wrong(NULL) || all_wrong(shared) ? 1 : 0);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);

    test_case("interrupted a thousand times a second by a handler that calls the library");
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, test_emulated() ? 50000 : 1000}, {0, 1000}},
                     never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    int wrong = 0;
    setitimer(ITIMER_REAL, &every, NULL);
    for (int rounds = 0; handled < (test_level == 0 ? 50 : 1000) && rounds < 1000000; rounds++)
        wrong += all_wrong(shared);
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK_INT(wrong, 0);
    CHECK_INT(wrong_in_handler, 0);
    CHECK(handled >= 50);
    each_row_interrupted(&every, &never);
    return test_finish();
}
