/* property: undefined-behaviour */
// That nobody uses its value does not make a conversion defined.
int main(void)
{
    double large = 2147483648.;
    (int)large, 1;
    return 0;
}
