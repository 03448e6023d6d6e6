int libf(int i) {
  int s = 0;
  for (int k = 0; k < i; k++)
    s += k & 1 ? k : 1;
  return s;
}
