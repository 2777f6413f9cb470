/**
 * Limits for the nesting of Markdown. Its parser and renderer recurse for each level and are slow with many, so a few thousand
 * characters could crash the page; a text for people stays far below these limits.
 */
const containersMax = 32;
const indentMax = 200;
const delimiterRunMax = 200;
const delimitersMax = 600;

/** Maximum levels of the rendered tree, including those of a table or a list. */
const levelsMax = 120;

/** The marks of quotes and lists at the beginning of a line. */
const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/;
const container = />|[-+*]|\d+[.)]/g;

/**
 * Whether a text must be shown as plain text, because its Markdown nests deeper than any real text. Takes time linear in its length.
 * @param {string} text
 */
export function nestsTooDeep(text) {
  let delimiters = 0;
  for (const line of text.split('\n')) {
    const [prefix = ''] = containers.exec(line) ?? [];
    if ((prefix.match(container)?.length ?? 0) > containersMax) return true;
    if (columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '') > indentMax) return true;
    // Emphasis and links nest within a paragraph.
    if (line.trim() === '') delimiters = 0;
    for (const [run] of line.matchAll(/[*_~[\]]+/g)) {
      if (run.length > delimiterRunMax) return true;
      delimiters += run.length;
    }
    if (delimiters > delimitersMax) return true;
  }
  return false;
}

/** @param {string} blank */
function columnsOf(blank) {
  return blank.length + 3 * (blank.split('\t').length - 1);
}

/**
 * A remark plugin that replaces a tree deeper than `levelsMax` by one paragraph with the plain text.
 * @returns {(tree: import('mdast').Root, file: { toString(): string }) => void}
 */
export function boundLevels() {
  return (tree, file) => {
    if (levelsOf(tree) <= levelsMax) return;
    tree.children = [{ type: 'paragraph', children: [{ type: 'text', value: file.toString() }] }];
  };
}

/** @param {import('mdast').Root} tree */
function levelsOf(tree) {
  let levels = 0;
  /** @type {readonly import('mdast').Nodes[]} */
  let level = [tree];
  while (level.length > 0 && levels <= levelsMax) {
    levels += 1;
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
  return levels;
}
