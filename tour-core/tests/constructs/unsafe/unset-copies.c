/* property: uninitialised-read */
struct pair {
  int left, right;
};
static struct pair kept;
int main(void) {
  struct pair p;
  p.left = 1;
  kept = p;
  return kept.right;
}
