import { Member, PageQuery } from '@app/http';
import { optional, text } from '@app/schema';

const pointLengthMax = 64;
const point = (description: string, example: string) =>
  optional(text({ min: 1, max: pointLengthMax, description, examples: [example] }));

export class ShowEventsDto extends PageQuery {
  @Member(point('A `seq`, or an instant: the state of the stream as of then is answered as well', '1'))
  readonly at?: string;

  @Member(point('A second one: what is different as of then is answered as well', '2026-11-21T09:15:00.000Z'))
  readonly and?: string;
}
