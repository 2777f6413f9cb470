import { Query } from '@nestjs/cqrs';
import type { Operator } from '@app/http';
import type { Result } from '@app/kernel';

/** A query of an operator, which may be refused. */
export abstract class OperatorQuery<Asked, Answer> extends Query<Result<Answer>> {
  /** @param asked the id of what is read, or the query of a list */
  constructor(
    readonly operator: Operator,
    readonly asked: Asked,
  ) {
    super();
  }
}

/** Returns a row of a list as it is. */
export const wholeRow = <Row>(row: Row): Row => row;

/** Returns a row of a list without its sort key. */
export function withoutPosition<Row extends { readonly position: number }>({
  position: _,
  ...item
}: Row): Omit<Row, 'position'> {
  return item;
}
