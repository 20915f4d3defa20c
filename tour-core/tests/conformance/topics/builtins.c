#include <stdint.h>
//= __builtin_popcount(IN(u32, 0xf0f0u))
//= __builtin_popcount(0)
//= __builtin_popcountl(IN(u64, ~0ul))
//= __builtin_popcountll(IN(ull, 1ull << 63))
//= __builtin_clz(IN(u32, 1))
//= __builtin_clz(IN(u32, 0x80000000u))
//= __builtin_clzl(IN(u64, 1))
//= __builtin_clzll(IN(ull, 256))
//= __builtin_ctz(IN(u32, 8))
//= __builtin_ctzl(IN(u64, 1ul << 63))
//= __builtin_ctzll(IN(ull, 3))
//= __builtin_ffs(IN(i32, 0))
//= __builtin_ffs(IN(i32, 8))
//= __builtin_ffsl(IN(i64, 1l << 40))
//= __builtin_ffsll(IN(ll, -1))
//= __builtin_parity(IN(u32, 7))
//= __builtin_parityl(IN(u64, 3))
//= __builtin_clrsb(IN(i32, -1))
//= __builtin_clrsb(IN(i32, 1))
//= __builtin_bswap16(IN(u16, 0x1234))
//= __builtin_bswap32(IN(u32, 0x12345678))
//= __builtin_bswap64(IN(u64, 0x0102030405060708ul))
//= __builtin_abs(IN(i32, -5))
//= __builtin_labs(IN(i64, -5))
//= __builtin_fabs(IN(f64, -2.5))
//= __builtin_fabs(IN(f64, -0.))
//= __builtin_expect(IN(i64, 5), 1)
//= __builtin_isnan(IN(f64, 1.))
//= __builtin_isinf_sign(IN(f64, -__builtin_inf()))
//= __builtin_isinf(IN(f64, -__builtin_inf()))
//= __builtin_isinf(IN(f64, __builtin_inf()))
//= __builtin_isfinite(IN(f32, 1.f)) != 0
//= __builtin_signbit(IN(f64, -0.)) != 0
//= __builtin_copysign(IN(f64, 3.), IN(f64, -0.))
//= __builtin_huge_val() > 1e308
//= __builtin_isless(IN(f64, 1.), IN(f64, 2.))
//= __builtin_isgreaterequal(IN(f64, __builtin_nan("")), 2.)
//= __builtin_isunordered(IN(f64, __builtin_nan("")), 2.)
//= int r; => __builtin_add_overflow(IN(i32, 2147483647), IN(i32, 1), &r)
//= int r; __builtin_add_overflow(IN(i32, 2147483647), IN(i32, 1), &r); => r
//= int r; => __builtin_sub_overflow(IN(i32, 5), IN(i32, 7), &r)
//= unsigned r; => __builtin_sub_overflow(IN(u32, 5), IN(u32, 7), &r)
//= unsigned r; __builtin_sub_overflow(IN(u32, 5), IN(u32, 7), &r); => r
//= int r; => __builtin_mul_overflow(IN(i32, 65536), IN(i32, 65536), &r)
//= int r; __builtin_mul_overflow(IN(i32, 65536), IN(i32, 65537), &r); => r
//= long r; => __builtin_mul_overflow(IN(i64, 4294967296), IN(i64, 4294967296), &r)
//= unsigned char r; => __builtin_add_overflow(IN(i32, 200), IN(i32, 100), &r)
//= unsigned char r; __builtin_add_overflow(IN(i32, 200), IN(i32, 100), &r); => r
//= signed char r; => __builtin_add_overflow(IN(u8, 100), IN(u8, 27), &r)
//= signed char r; => __builtin_add_overflow(IN(u8, 100), IN(u8, 28), &r)
//= unsigned r; => __builtin_add_overflow(IN(i32, -1), IN(i32, 0), &r)
//= int r; => __builtin_add_overflow(IN(u32, 4294967295u), IN(i32, -1), &r)
//= int r; => __builtin_sub_overflow(IN(u32, 0), IN(u32, 1), &r)
//= long r; => __builtin_sub_overflow(IN(u32, 0), IN(u32, 1), &r)
//= int r; => __builtin_sadd_overflow(IN(i32, -2147483647), IN(i32, -2), &r)
//= unsigned long r; => __builtin_umull_overflow(IN(u64, 1ul << 32), IN(u64, 1ul << 31), &r)
//= __builtin_offsetof(struct { char c; long l; }, l)
//= __builtin_object_size((char[7]){ 0 }, 0) == 7
//= char a[9]; => __builtin_object_size(a + 2, 0)
//= char a[9]; => __builtin_object_size(a + 2, 1)
//= __builtin_constant_p(3 + 4)
//= __builtin_strlen("abc")
//= __builtin_memcmp("abc", "abd", 3) < 0
//= char a[4]; __builtin_memset(a, 3, 4); => a[3]
//= char a[4]; __builtin_memcpy(a, "xyz", 4); => a[1]
//= __builtin_strcmp("a", "a")
//= __builtin_choose_expr(0, "s", 5)
//= __builtin_fmax(IN(f64, 1.), IN(f64, __builtin_nan("")))
//= __builtin_trunc(IN(f64, -2.7))
//= __builtin_floor(IN(f64, -2.2))
//= __builtin_ceil(IN(f64, -2.7))
//= __builtin_sqrt(IN(f64, 2.25))
//= __builtin_LINE() > 0
//= __builtin_FUNCTION()[0]
//= __sync_fetch_and_add(&(int){ 5 }, 3)
//= int x = 5; __sync_fetch_and_add(&x, 3); => x
//= int x = 5; => __sync_add_and_fetch(&x, 3)
//= int x = 5; => __sync_bool_compare_and_swap(&x, 5, 9) * 10 + x * 0
//= int x = 5; __sync_val_compare_and_swap(&x, 5, 9); => x
//= int x = 5; __sync_val_compare_and_swap(&x, 4, 9); => x
//= int x = 12; => __sync_fetch_and_and(&x, 10)
//= int x = 12; => __sync_or_and_fetch(&x, 3)
//= int x = 12; => __sync_lock_test_and_set(&x, 1)
//= int x = 12; => __atomic_load_n(&x, __ATOMIC_SEQ_CST)
//= int x = 12; __atomic_store_n(&x, 4, __ATOMIC_SEQ_CST); => x
//= int x = 12; => __atomic_exchange_n(&x, 4, __ATOMIC_SEQ_CST)
//= int x = 12; => __atomic_fetch_sub(&x, 4, __ATOMIC_SEQ_CST)
//= int x = 12; => __atomic_sub_fetch(&x, 4, __ATOMIC_SEQ_CST)
//= int x = 12, e = 11; => __atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
//= int x = 12, e = 11; __atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); => e
//= unsigned char x = 255; => __atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST)
//= _Atomic int x = 3; x += 4; => x
//= _Atomic unsigned char x = 250; x += 10; => x
//= _Atomic int x = 3; => x++ + 0
//= __builtin_clz(IN(u32, 0))
//= __builtin_ctzl(IN(u64, 0))
//= (__extension__ 5)
//= __alignof__(long)
//= __alignof__(char)
//= __real__ 3.5
//= __imag__ 3.5
//= INT8_MIN + UINT16_MAX
//= sizeof(int_fast16_t)
//= sizeof(uint_least8_t)
//= INTPTR_MAX > 0
//= (int)INT32_C(5) + (int)sizeof(UINT64_C(1))
//= INT64_MIN < 0
//= SIZE_MAX == (uintptr_t)-1
//= __CHAR_BIT__
//= __INT_MAX__
//= __SIZEOF_LONG__
//= __STDC_VERSION__ >= 201112L
//= sizeof(__INTPTR_TYPE__)
//= __DBL_MAX__
//= __FLT_EPSILON__
//= __DBL_DENORM_MIN__
//= __LDBL_MANT_DIG__
//= __FLT_MIN__
