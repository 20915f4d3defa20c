#include <math.h>
#include <float.h>
#include <fenv.h>
static int e; static double whole; static float wholef;
//= fabs(IN(f64, -1.5))
//= fabsf(IN(f32, -0.f))
//= floor(IN(f64, -1.5))
//= floor(IN(f64, -0.))
//= floor(IN(f64, 1e300))
//= floorf(IN(f32, 2.75f))
//= ceil(IN(f64, 1.2))
//= ceil(IN(f64, -0.5))
//= trunc(IN(f64, -1.9))
//= round(IN(f64, 2.5))
//= round(IN(f64, -2.5))
//= round(IN(f64, 0.49999999999999994))
//= rint(IN(f64, 2.5))
//= rint(IN(f64, 3.5))
//= nearbyint(IN(f64, -0.5))
//= lround(IN(f64, 2.5))
//= llround(IN(f64, -2.5))
//= lrint(IN(f64, 2.5))
//= fmod(IN(f64, 5.5), IN(f64, 2.))
//= fmod(IN(f64, -5.5), IN(f64, 2.))
//= fmod(IN(f64, 1.), IN(f64, __builtin_inf()))
//= fmod(IN(f64, -4.), IN(f64, 2.))
//= remainder(IN(f64, 5.), IN(f64, 3.))
//= fmax(IN(f64, 1.), IN(f64, 2.))
//= fmax(IN(f64, 1.), IN(f64, __builtin_nan("")))
//= fmin(IN(f64, 1.), IN(f64, 2.))
//= fmin(IN(f64, __builtin_nan("")), IN(f64, 2.))
//= fdim(IN(f64, 3.), IN(f64, 5.))
//= fdim(IN(f64, 5.), IN(f64, 3.))
//= copysign(IN(f64, 1.), IN(f64, -0.))
//= sqrt(IN(f64, 2.))
//= sqrt(IN(f64, -0.))
//= isnan(sqrt(IN(f64, -1.)))
//= sqrtf(IN(f32, 2.f))
//= frexp(IN(f64, 8.), &e)
//= frexp(IN(f64, 8.), &e); => e
//= frexp(0., &e); => e
//= ldexp(IN(f64, .75), 4)
//= ldexp(1., -1074)
//= ldexp(1., 1024)
//= scalbn(IN(f64, 3.), -1)
//= modf(IN(f64, -3.25), &whole)
//= modf(IN(f64, -3.25), &whole); => whole
//= modff(IN(f32, 2.5f), &wholef)
//= logb(IN(f64, 10.))
//= ilogb(IN(f64, 10.))
//= nextafter(1., 2.)
//= nextafter(0., -1.)
//= fma(IN(f64, 2.), IN(f64, 3.), IN(f64, 1.))
//= pow(IN(f64, 2.), IN(f64, 10.))
//= pow(IN(f64, 5.), 0)
//= exp(0.)
//= log(1.)
//= sin(0.)
//= cos(0.)
//= hypot(3., 4.)
//= cbrt(27.)
//= isnan(IN(f64, __builtin_nan(""))) != 0
//= isinf(IN(f64, -__builtin_inf())) != 0
//= isfinite(IN(f64, DBL_MAX)) != 0
//= isnormal(IN(f64, DBL_MIN / 2)) != 0
//= signbit(IN(f64, -0.)) != 0
//= signbit(IN(f32, 1.f)) != 0
//= fpclassify(IN(f64, 0.)) == FP_ZERO
//= fpclassify(IN(f64, 5e-324)) == FP_SUBNORMAL
//= fpclassify(IN(f32, 1e-40f)) == FP_SUBNORMAL
//= fpclassify(IN(f64, 1.)) == FP_NORMAL
//= isless(IN(f64, 1.), IN(f64, __builtin_nan("")))
//= isgreater(IN(f64, 2.), IN(f64, 1.))
//= islessgreater(IN(f64, 2.), IN(f64, 1.))
//= isunordered(1., NAN)
//= NAN == NAN
//= NAN != NAN
//= INFINITY > DBL_MAX
//= -INFINITY < 0
//= INFINITY - INFINITY != 0
//= HUGE_VAL == INFINITY
//= 0.0 == -0.0
//= 1 / IN(f64, -0.) < 0
//= 0.1 + 0.2 == 0.3
//= 0.1f + 0.2f == 0.3f
//= IN(f32, 0.1f) == 0.1
//= (float)0.1 == 0.1f
//= IN(f64, 0.1) + IN(f64, 0.2)
//= IN(f32, 0.1f) + IN(f32, 0.2f)
//= IN(f32, 16777216.f) + 1
//= IN(f32, 16777216.f) + 1.f == 16777216.f
//= IN(f64, 9007199254740992.) + 1
//= (int)IN(f64, 2.99)
//= (int)IN(f64, -2.99)
//= (unsigned char)IN(f64, 255.5)
//= (unsigned)IN(f64, 4294967295.)
//= (long)IN(f64, 9.2e18)
//= (unsigned long)IN(f64, 1.8e19)
//= (int)IN(f64, 2147483648.)
//= (unsigned)IN(f64, -1.)
//= (float)IN(i32, 16777217)
//= (float)IN(i64, 9223372036854775807)
//= (double)IN(i64, 9223372036854775807)
//= (double)IN(u64, 18446744073709551615ul)
//= (float)IN(u32, 4294967295u)
//= (float)IN(f64, 1e300)
//= (float)IN(f64, 1e-300)
//= (float)IN(f64, 0.1)
//= (double)IN(f32, 0.1f)
//= IN(f64, 1e308) * 10
//= IN(f64, 5e-324) / 2
//= IN(f64, -5e-324) / 2
//= IN(f64, 1.) / IN(f64, 3.)
//= IN(f32, 1.f) / IN(f32, 3.f)
//= IN(f64, 1.) / 0 > 1
//= float f = IN(f64, 0.1); => f < 0.1
//= float f = 1.1f; f *= 1.1; => f
//= int i = 5; i *= 1.5; => i
//= int i = 5; i += 0.75; => i
//= char c = 100; c += 27.9; => c
//= float f = 3; => f++ + 0.f
//= float f = 3; f++; => f
//= double d = 7; => d / 2
//= double d = 7; => (int)d / 2
//= 7 / 2 * 2.0
//= 7 / 2.0 * 2
//= 1e16 + 1 - 1e16
//= IN(f64, 3.) > IN(i32, 2)
//= IN(f64, -1.) < IN(u32, 0u)
//= IN(f32, 3e9f) == IN(u32, 3000000000u)
//= IN(f64, .5) && 1
//= !IN(f64, .5)
//= !IN(f64, -0.)
//= IN(f64, __builtin_nan("")) ? 1 : 2
//= FLT_DIG + DBL_DIG
//= FLT_EVAL_METHOD
//= DBL_MAX
//= FLT_MIN
//= DBL_EPSILON
//= fegetround() == FE_TONEAREST
//= sizeof(1.f + 1)
//= (_Bool)0.1
//= double d = 1.0; unsigned char *p = (unsigned char *)&d; => p[7]
//= float f = -1.0f; => *(unsigned char *)((char *)&f + 3)
