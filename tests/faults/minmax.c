extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void); void __VERIFIER_assert(int cond) { if (!cond) { __VERIFIER_error(); } } int main (){
  int input1 = __VERIFIER_nondet_int(), input2 = __VERIFIER_nondet_int(), input3 = __VERIFIER_nondet_int();
  int least = input1;
  int most = input1;
  if (most < input2)
    most = input2;
  if (most < input3)
    most = input3;
  if (least > input2)
    least = input2;
    //? a: most = input2;
  if (least > input3)
    least = input3;
    //? a: most = least - 1;
  __VERIFIER_assert (least <= most);
  //? k: __VERIFIER_assert (least < most);
}
/* The smallest and the largest of three numbers: the seed's Listing 1.1, which has the first of these faults. Tests name
   lines as the seed does, so that all declarations stand in the first line. */
