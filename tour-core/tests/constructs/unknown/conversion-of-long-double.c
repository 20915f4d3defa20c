/* property: undefined-behaviour */
// 318.75 is no `unsigned char`; numbers of this type are not modelled exactly.
int main(void)
{
    unsigned char x = 255;
    x *= 1.25L;
    return 0;
}
