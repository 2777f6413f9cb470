export {
  erase,
  erasureOf,
  fileOfAll,
  newPerson,
  reason,
  remainsOf,
  trusted,
  untilErasure,
  type Person,
} from './erasures';
