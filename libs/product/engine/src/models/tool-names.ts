/** Characters that neither wire format accepts in a tool's name. */
const unfit = /[^A-Za-z0-9_-]/g;
const nameLengthMax = 64;

/** Converts the names of tools to those that a provider accepts, and back. */
export class ToolNames {
  private readonly outwardNames = new Map<string, string>();
  private readonly names = new Map<string, string>();

  /** Returns the provider's name of a tool: its own if that is accepted, otherwise a similar one that no other tool of the request has. */
  outward(name: string): string {
    const known = this.outwardNames.get(name);
    if (known !== undefined) return known;
    const plain = name.replace(unfit, '_').slice(0, nameLengthMax) || '_';
    let outward = plain;
    for (let count = 2; this.names.has(outward); count += 1) {
      outward = `${plain.slice(0, nameLengthMax - 5)}_${count}`;
    }
    this.outwardNames.set(name, outward);
    this.names.set(outward, name);
    return outward;
  }

  /** Returns the tool that a model means; an unknown name is kept, within a bound, and belongs to no tool. */
  inward(outward: string): string {
    return this.names.get(outward) ?? outward.slice(0, nameLengthMax);
  }
}
