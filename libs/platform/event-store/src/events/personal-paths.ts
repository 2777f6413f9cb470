import { personalPaths, type Marks } from '@app/kernel';

const pathsByMarks = new WeakMap<object, readonly string[]>();

/** The paths of the personal members of events of a type. @param members of the kind, by event type */
export function personalPathsOf(members: object, type: string): readonly string[] {
  // Reason for the assertion: a kind has marks for each of its types.
  const marks = Reflect.get(members, type) as Marks | undefined;
  if (marks === undefined) return [];
  const known = pathsByMarks.get(marks);
  if (known !== undefined) return known;
  const paths = personalPaths(marks);
  pathsByMarks.set(marks, paths);
  return paths;
}
