// SAFE --cflags=-ffast-math: without floating numbers, the flag does nothing
int main(void){ int x=1; if(x!=1) __builtin_trap(); return 0; }
