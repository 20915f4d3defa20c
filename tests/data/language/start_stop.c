// UNKNOWN: symbols of the linker are not modelled
#include <assert.h>
__attribute__((section("tab"),used)) static int a=1; __attribute__((section("tab"),used)) static int b=2;
extern int __start_tab[], __stop_tab[];
int main(void){ assert(__stop_tab-__start_tab==2); return 0; }
