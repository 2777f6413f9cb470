const newLine = 10;

/**
 * Passes on rows in the text format of COPY and reports how many passed with each chunk. There a row is a line, because a line break within
 * a value is escaped.
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
