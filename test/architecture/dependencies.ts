import * as ts from 'typescript';
import { nodesOf, placeOf, type Source } from './sources';

/** A class and its constructor's dependencies. */
export interface Constructed {
  readonly name: string;
  /** `path:line` of the class. */
  readonly place: string;
  readonly isController: boolean;
  /** The types of the constructor's parameters, as written. */
  readonly dependencies: readonly string[];
}

/** The classes of a file, each with its dependencies. */
export function classesOf(source: Source): Constructed[] {
  return [...nodesOf(source.tree)].filter(ts.isClassDeclaration).map((node) => {
    const constructor = node.members.find(ts.isConstructorDeclaration);
    return {
      name: node.name?.text ?? '',
      place: placeOf(source, node),
      isController: (ts.getDecorators(node) ?? []).some(({ expression }) => expression.getText() === 'Controller()'),
      dependencies: (constructor?.parameters ?? []).map(({ type }) => type?.getText() ?? ''),
    };
  });
}

/** Classes with more dependencies than allowed, as `path:line Name (n)`. */
export function overloaded(classes: readonly Constructed[], dependenciesMax: number): string[] {
  return classes
    .filter(({ dependencies }) => dependencies.length > dependenciesMax)
    .map(({ name, place, dependencies }) => `${place} ${name} (${dependencies.length})`);
}

/** The dependencies of controllers other than the buses and those allowed by name, as `path:line Name: Type`. */
export function besidesBuses(
  classes: readonly Constructed[],
  allowed: Readonly<Record<string, readonly string[]>>,
): string[] {
  return classes
    .filter(({ isController }) => isController)
    .flatMap(({ name, place, dependencies }) =>
      dependencies
        .filter((type) => !['CommandBus', 'QueryBus', ...(allowed[name] ?? [])].includes(type))
        .map((type) => `${place} ${name}: ${type}`),
    );
}
