export { inBrief, mergedInBrief } from './briefs';
export { custom, isText, readLater, refine } from './checks';
export { event, internal, storedMembersOf, type EventOf } from './event';
export { clear, orErased, personal } from './marks';
export { exactly } from './exactly';
export { modelSchema } from './model-schema';
export { byName, dtoOf, memberNames, nameOf, ofDto, withName, type DtoClass } from './names';
export { isOptional, list, mapOf, nullable, object, shape, withoutOthers } from './objects';
export { countedPageOfShape, pageMembers, pageOfShape, type Page } from './pages';
export { converts, read } from './reading';
export {
  boolean,
  canBeNull,
  constant,
  givenInstant,
  instant,
  integer,
  json,
  number,
  oneOf,
  optional,
  text,
  uuid,
  type Schema,
  type Shaped,
} from './schema';
export { choice, recursive, variants } from './unions';
