// SAFE: limits of double, written as long double
#include <assert.h>
#include <float.h>
int main(void){ assert(DBL_MIN==2.2250738585072014e-308 && DBL_EPSILON==2.220446049250313e-16 && DBL_MAX==1.7976931348623157e308 && FLT_MAX==3.40282347e38f); return 0; }
