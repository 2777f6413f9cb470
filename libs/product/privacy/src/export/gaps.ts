const namedMax = 1_000;

/** Things that an archive lacks, each with why: the first ones by name, and how many there are. */
export class Gaps {
  readonly named: { readonly what: string; readonly why: string }[] = [];
  total = 0;

  add(what: string, why: string): void {
    this.total += 1;
    if (this.named.length < namedMax) this.named.push({ what, why });
  }
}
