// SAFE: sizes of objects that every compiler knows
#include <assert.h>
char arr[20]; struct t{int n; char q[3];} h; 
int main(void){ char l[8]; assert(__builtin_object_size(arr+3,0)==17&&__builtin_object_size(&arr[4],1)==16&&__builtin_object_size(h.q,1)==3&&__builtin_object_size(&h.n,0)==8&&__builtin_object_size("hello",0)==6&&__builtin_object_size(l,2)==8); return 0; }
