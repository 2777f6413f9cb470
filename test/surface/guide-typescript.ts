import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guidesFolder = join(__dirname, '..', '..', 'docs', 'guides');

/** The blocks of TypeScript beside the commands of a guide, as the one module that they are. */
export function moduleOf(guide: string): string {
  const blocks = typescriptBlocks(guide);
  const [credentials = ''] = typescriptBlocks('first-run');
  return [...(guide === 'first-run' ? [] : [credentials]), ...blocks].join('\n');
}

export function typescriptBlocks(guide: string): string[] {
  const markdown = readFileSync(join(guidesFolder, `${guide}.md`), 'utf8');
  return [...markdown.matchAll(/^```typescript\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** What the comments behind `console.log` say that it prints, in their order; `…` stands for anything. */
export function promised(code: string): string[] {
  return code.split('\n').flatMap((line) => /console\.log\(.*; \/\/ (.+)$/.exec(line)?.[1] ?? []);
}

/** Which of these no line of an output ends with, each looked for behind the one before. */
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
