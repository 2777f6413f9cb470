export { event, internal, privateMembersOf, type EventOf } from './event';
export { exactly } from './exactly';
export { integerFormat, publishedInstant, publishedPattern } from './published-forms';
export {
  boolean,
  byName,
  constant,
  countedPageOfShape,
  dtoOf,
  givenInstant,
  instant,
  integer,
  json,
  list,
  mapOf,
  nameOf,
  nullable,
  object,
  ofDto,
  oneOf,
  optional,
  pageMembers,
  pageOfShape,
  shape,
  text,
  uuid,
  withName,
  withoutOthers,
  type DtoClass,
  type Page,
  type Schema,
  type Shaped,
} from './schema';
export { choice, variants } from './unions';
