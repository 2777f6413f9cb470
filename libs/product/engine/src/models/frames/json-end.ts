/** Follows a JSON text that arrives in pieces to the end of its object or list, reading each character once. */
export class JsonEnd {
  private depth = 0;
  private inString = false;
  private escaped = false;
  private begun = false;

  /** Whether an object or a list began and has ended. */
  get reached(): boolean {
    return this.begun && this.depth === 0;
  }

  add(piece: string): void {
    for (const character of piece) this.take(character);
  }

  private take(character: string): void {
    if (this.escaped) this.escaped = false;
    else if (this.inString && character === '\\') this.escaped = true;
    else if (character === '"') this.inString = !this.inString;
    else if (!this.inString && '{['.includes(character)) {
      this.depth += 1;
      this.begun = true;
    } else if (!this.inString && '}]'.includes(character)) this.depth = Math.max(0, this.depth - 1);
  }
}

/** Whether two texts are the same JSON except for the space between its parts; numbers compare as they are written. */
export function isSameJson(one: string, other: string): boolean {
  return one === other || withoutSpace(one) === withoutSpace(other);
}

function withoutSpace(json: string): string {
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/gs, '$1');
}
