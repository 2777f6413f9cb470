import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guidesFolder = join(__dirname, '..', '..', 'docs', 'guides');

/** The variables that a guide asks operators to set, in blocks that are not pasted into a running service. */
export function variablesOf(guide: string): Readonly<Record<string, string>> {
  const markdown = readFileSync(join(guidesFolder, `${guide}.md`), 'utf8');
  const blocks = [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, language, block = '']) =>
    language === '' ? block : [],
  );
  const set = [...blocks.join('\n').matchAll(/^([A-Z_]+)=(?:'([^']*)'|(\S+))/gm)];
  return Object.fromEntries(set.map(([, name = '', quoted, word]) => [name, quoted ?? word ?? '']));
}

/** The variables that give the sandbox the agents of the guide "models-and-agents". */
export function agentsOfGuide(): { readonly AGENTS: string } {
  return { AGENTS: variablesOf('models-and-agents')['AGENTS'] ?? '' };
}
