/**
 * How deep Markdown may nest. What parses and renders it calls itself for each level and takes long for many of them, so that a few
 * thousand characters would end the page; a text that people read stays far below these.
 */
const containersMax = 32;
const indentMax = 200;
const delimiterRunMax = 200;
const delimitersMax = 600;

/** Levels of the tree that is rendered, those of a table or a list included. */
const levelsMax = 120;

/** Marks of quotes and lists that a line begins with. */
const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/;
const container = />|[-+*]|\d+[.)]/g;

/**
 * Whether a text is to be shown as it was written, since its Markdown nests deeper than any text does. Takes a time that grows with its
 * length alone.
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
 * A plugin of remark: a tree that is deeper than `levelsMax` becomes one paragraph with the text as it was written.
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
