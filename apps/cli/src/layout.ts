import { terminalColumns, visible } from './output';

/** As wide as most terminals are at least, and as wide as a page that is read in a pager or a log. */
const usualWidth = 80;
const narrowest = 40;
/** A last column is wrapped only where its lines can hold a few words. */
const wrappedMin = 24;
/** A longer value gets a line of its own. */
const cellMax = 40;
const gap = '  ';
const indent = '    ';
const bar = '  | ';

/** How many characters a line may have: as many as the terminal shows. */
export function lineWidth(): number {
  return Math.max(terminalColumns() ?? usualWidth, narrowest);
}

/**
 * Rows in columns, below their headings, in lines that fit the terminal: what finds no place beside the others is below its row, by its
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

/** A member of something, its name before it: on one line where it fits, wrapped or below where it does not. */
export function member(name: string, value: string, nameWidth: number, width = lineWidth()): string[] {
  if (value === '-' && nameWidth === 0) return [];
  const head = `${name.padEnd(nameWidth)}${gap}`;
  const room = width - head.length - indent.length;
  const lines = value.split('\n');
  const [first = ''] = lines;
  if (lines.length === 1 && first.length <= room) return [`${head}${visible(first)}`.trimEnd()];
  const texts = lines.flatMap((text) => wrapped(text, width - 2 * indent.length - bar.length));
  // The bar keeps a line of a foreign text from passing for one of ours.
  return [name, ...texts.map((text) => `${bar}${visible(text)}`.trimEnd())];
}

/** The columns that stand side by side, from the left: a cell that is long, or has several lines, has its place below. */
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

/** A text in lines of so many characters, between its words; what it is indented by, as members of JSON are, each of its lines is. */
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

/** Several lines have no place in a column. */
function widthOf(cell = ''): number {
  return cell.includes('\n') ? Infinity : visible(cell).length;
}
