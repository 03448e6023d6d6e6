/* A goto out of two scopes with destructors. */
int count;
struct L { ~L() { count++; } };
int main() {
  {
    L a;
    {
      L b;
      if (count == 0) goto l1;
    }
  l1: goto l2;
  }
l2:
  return 0;
}
