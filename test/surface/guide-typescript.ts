import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guidesFolder = join(__dirname, '..', '..', 'docs', 'guides');

/** A guide's TypeScript blocks, joined into the module that they form. */
export function moduleOf(guide: string): string {
  const blocks = typescriptBlocks(guide);
  const [credentials = ''] = typescriptBlocks('first-run');
  return [...(guide === 'first-run' ? [] : [credentials]), ...blocks].join('\n');
}

export function typescriptBlocks(guide: string): string[] {
  const markdown = readFileSync(join(guidesFolder, `${guide}.md`), 'utf8');
  return [...markdown.matchAll(/^```typescript\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** The outputs promised in the comments after `console.log`, in their order; `…` is a wildcard. */
export function promised(code: string): string[] {
  return code.split('\n').flatMap((line) => /console\.log\(.*; \/\/ (.+)$/.exec(line)?.[1] ?? []);
}

/** The wanted texts with which no line of the output ends, each searched after the line of the previous one. */
export function unprinted(wanted: readonly string[], output: string): string[] {
  const lines = output.split('\n');
  return wanted.filter((text) => {
    const at = lines.findIndex((line) => patternOf(text).test(line));
    if (at >= 0) lines.splice(0, at + 1);
    return at < 0;
  });
}

function patternOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`${parts.join('.*')}$`);
}
