/** Returns the longest beginning of the text, in whole characters, whose JSON without quotes takes at most that many bytes. */
export function textWithin(text: string, bytesMax: number): string {
  let low = 0;
  let high = Math.min(text.length, Math.max(0, bytesMax));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(text.slice(0, middle)) <= bytesMax) low = middle;
    else high = middle - 1;
  }
  const isHalf = /[\uD800-\uDBFF]$/.test(text.slice(0, low));
  return text.slice(0, isHalf ? low - 1 : low);
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
