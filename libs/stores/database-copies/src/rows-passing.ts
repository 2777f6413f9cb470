const newLine = 10;

/**
 * Lets rows in the text format of COPY pass, and tells how many did, chunk by chunk: a row is a line there, and a line break within a
 * value is spelled otherwise.
 */
export function rowsPassing(onRows: (rows: number) => void) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      let rows = 0;
      for (let at = chunk.indexOf(newLine); at !== -1; at = chunk.indexOf(newLine, at + 1)) rows += 1;
      onRows(rows);
      yield chunk;
    }
  };
}
