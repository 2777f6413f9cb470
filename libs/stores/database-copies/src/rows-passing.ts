const newLine = 10;

/** Passes on COPY's text, and reports the rows in each chunk: a row is a line, with line breaks escaped. */
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
