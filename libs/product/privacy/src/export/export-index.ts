import type { ArchivedFile } from './archive';
import type { Gaps } from './gaps';

/** A file of an archive, for its index. */
export interface IndexedFile {
  readonly file: ArchivedFile;
  readonly content: string;
  /** How many of what it holds: `events`, `streams`, `rows`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The facts of an archive that is made, apart from its index. */
export interface ExportFacts {
  readonly userId: string;
  readonly madeAt: string;
  readonly files: readonly IndexedFile[];
  readonly artifacts: { readonly total: number; readonly erased: number };
  readonly gaps: Gaps;
}

/** Categories of what is kept and not in an archive, each with why. */
const notIncluded = [
  'Keys and secrets: those of the wallet, of webhooks of automations, and those that seal what is stored. Whoever has them could move money, or read more than this.',
  'Rows and counters that are only derived from the events here, such as lists, search and quotas, and copies of them.',
  "The company's records of what its own staff did and read, which name other persons. The events here say `operator` where staff acted, and no name.",
  'Checkpoints and hashes of the log of all events, which say nothing of anybody.',
  'Logs of requests, which hold ids, times and addresses of the network for a short time.',
  'Data that other services keep themselves, such as the login, the network of the wallet, and the provider of the model.',
];

/** Returns the readable index of an archive, in Markdown. */
export function indexOf({ userId, madeAt, files, artifacts, gaps }: ExportFacts): string {
  return `# Your data

This archive holds what is kept about one person: the account \`${userId}\`. It was made at ${madeAt} (UTC). What was stored while it was made may be in it or not.

## Files

| file | content | number | size in bytes |
| --- | --- | --- | --- |
${files.map(({ file, content, counts }) => `| \`${file.name}\` | ${content} | ${inWords(counts)} | ${file.bytes} |`).join('\n')}
| \`artifacts/\` | The files that were uploaded, each as it was; \`artifacts.jsonl\` says which is which. | ${artifacts.total - artifacts.erased} files | |
| \`manifest.json\` | The list of all files with their sizes and SHA-256 hashes. It is the last file: an archive without it is not complete. | | |

Files that end with \`.jsonl\` are text: each line is one JSON object. In files of events, \`stream\` names the thing that the event belongs to, \`seq\` is its place there,
\`type\` says what happened, \`by\` who caused it (\`user\`, \`operator\` or \`service\`), and \`event\` holds its data, with the time as \`at\`.

\`{"erased": true}\` is in place of words that were erased: their key was destroyed, and nobody can read them any more.
${artifacts.erased === 0 ? '' : `\n${artifacts.erased} uploaded files were erased.\n`}
## What is missing

${gaps.total === 0 ? 'Nothing that is kept was found missing or damaged.' : gapsOf(gaps)}

## What is not included, and why

${notIncluded.map((text) => `- ${text}`).join('\n')}
`;
}

function inWords(counts: IndexedFile['counts']): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

/**
 * Returns the last file of an archive: an archive that has it is complete. @param archived every file before it, in order
 */
export function manifestOf(facts: ExportFacts, archived: readonly ArchivedFile[]): string {
  const { userId, madeAt, files, artifacts, gaps } = facts;
  const countsOf = new Map(files.map(({ file, counts }) => [file.name, counts]));
  const manifest = {
    format: 'parley-export/1',
    complete: true,
    userId,
    madeAt,
    artifacts,
    missing: { total: gaps.total, named: gaps.named },
    files: archived.map((file) => ({ ...file, ...countsOf.get(file.name) })),
  };
  return `${JSON.stringify(manifest, null, 1)}\n`;
}

function gapsOf({ named, total }: Gaps): string {
  const lines = named.map(({ what, why }) => `- \`${what}\`: ${why}`);
  return [
    'These are damaged; what is left of them is in this archive.',
    '',
    ...lines,
    ...(total > named.length ? [`- and ${total - named.length} more`] : []),
  ].join('\n');
}
