// SAFE --cflags=-fshort-wchar: wide literals have 16 bits
#include <assert.h>
#include <stddef.h>
int main(void){ wchar_t w[]=L"ab"; assert(sizeof w==6 && sizeof(L'a')==2 && w[1]=='b'); return 0; }
