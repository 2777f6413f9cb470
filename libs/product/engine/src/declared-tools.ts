import type { Type } from '@nestjs/common';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolDeclaration } from './tool-declaration';

const folder = join(__dirname, 'tools');

/** The class of each file `tools/<name>.tool.ts`. Nothing else lists the product's tools. @throws Error for a file of something else */
export const toolClasses: readonly Type<ToolDeclaration>[] = readdirSync(folder)
  .filter((file) => /\.tool\.[jt]s$/.test(file))
  .map(classIn);

function classIn(file: string): Type<ToolDeclaration> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would name the file
  const exported: unknown[] = Object.values(require(`./tools/${file}`) as object); // reason: a module is an object
  const [found, ...others] = exported;
  if (typeof found !== 'function' || others.length > 0) throw new Error(`${file} must export its tool's class alone`);
  // Reason for the assertion: `require` knows no types; the class itself declares what it implements.
  return found as Type<ToolDeclaration>;
}
