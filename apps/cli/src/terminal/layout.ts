import { terminalColumns, visible } from './output';

/** The minimum width of most terminals, and a good width for pagers and logs. */
const usualWidth = 80;
const narrowest = 40;
/** A last column is wrapped only when its lines have space for a few words. */
const wrappedMin = 24;
/** A longer value gets a line of its own. */
const cellMax = 40;
const gap = '  ';
const indent = '    ';
const bar = '  | ';

/** The number of characters in a line: as many as the terminal shows. */
export function lineWidth(): number {
  return Math.max(terminalColumns() ?? usualWidth, narrowest);
}

/**
 * Formats rows in columns, below their headings, in lines that fit the terminal. A column without space is shown below its row, with its
 * name; texts in a last column are wrapped. A single word that is longer than a line, such as a key, is not broken.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width = lineWidth(),
): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => widthOf(row[column]))),
  );
  const placed = placedColumns(widths, width);
  const below = headings.map((_, column) => column).filter((column) => !placed.includes(column));
  const line = (cells: readonly string[]): string[] =>
    lineOf(
      placed.map((column) => [cells[column] ?? '', widths[column] ?? 0]),
      width,
    );
  return [
    ...line(headings),
    ...rows.flatMap((row) => [
      ...line(row),
      ...below.flatMap((column) =>
        member(headings[column] ?? '', row[column] ?? '', 0, width).map((text) => indent + text),
      ),
    ]),
  ];
}

/** Formats a member with its name before it: on one line if it fits, otherwise wrapped or below. */
export function member(name: string, value: string, nameWidth: number, width = lineWidth()): string[] {
  if (value === '-' && nameWidth === 0) return [];
  const head = `${name.padEnd(nameWidth)}${gap}`;
  const room = width - head.length - indent.length;
  const lines = value.split('\n');
  const [first = ''] = lines;
  if (lines.length === 1 && first.length <= room) return [`${head}${visible(first)}`.trimEnd()];
  const texts = lines.flatMap((text) => wrapped(text, width - 2 * indent.length - bar.length));
  // The bar prevents a line of a foreign text from passing for one of ours.
  return [name, ...texts.map((text) => `${bar}${visible(text)}`.trimEnd())];
}

/** The columns that are shown next to each other, from the left; a cell that is long, or has several lines, is shown below. */
function placedColumns(widths: readonly number[], width: number): number[] {
  const placed: number[] = [];
  let used = -gap.length;
  const last = widths.length - 1;
  for (const [column, wide] of widths.entries()) {
    const isLast = column === last && placed.length === last && wide !== Infinity;
    const needed = isLast && wide > width - used - gap.length ? wrappedMin : wide;
    if (used + gap.length + needed > width || (wide > cellMax && !isLast)) continue;
    placed.push(column);
    used += gap.length + needed;
  }
  return placed.length === 0 ? [0] : placed;
}

function lineOf(cells: readonly (readonly [string, number])[], width: number): string[] {
  const before = cells.slice(0, -1);
  const [last = ''] = cells.at(-1) ?? [];
  const head = before.map(([cell, wide]) => visible(cell).padEnd(wide) + gap).join('');
  const [first = '', ...others] = wrapped(last, Math.max(wrappedMin, width - head.length));
  return [`${head}${visible(first)}`, ...others.map((text) => `${' '.repeat(head.length)}${visible(text)}`)].map(
    (text) => text.trimEnd(),
  );
}

/** Breaks a text between words into lines of at most so many characters; each line keeps the text's indentation, as of members of JSON. */
function wrapped(text: string, width: number): string[] {
  const [before = ''] = /^ */.exec(text) ?? [];
  if (before !== '' && before.length < text.length)
    return wrapped(text.slice(before.length), Math.max(wrappedMin, width - before.length)).map((line) => before + line);
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A cell of several lines does not fit into a column. */
function widthOf(cell = ''): number {
  return cell.includes('\n') ? Infinity : visible(cell).length;
}
