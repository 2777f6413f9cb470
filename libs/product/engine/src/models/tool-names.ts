/** What both wire formats take as a tool's name. */
const unfit = /[^A-Za-z0-9_-]/g;
const nameLengthMax = 64;

/** The names of tools as a provider takes them, and back. */
export class ToolNames {
  private readonly outwardNames = new Map<string, string>();
  private readonly names = new Map<string, string>();

  /** The provider's name of a tool: its own where that fits, else one like it that no other tool of the request has. */
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

  /** The tool that a model means; an unknown name is kept, within a bound, and belongs to no tool. */
  inward(outward: string): string {
    return this.names.get(outward) ?? outward.slice(0, nameLengthMax);
  }
}
