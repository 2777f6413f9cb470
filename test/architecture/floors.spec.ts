/** Inside a room, imports run one way, and no level is a pile. */
import { piles, sourceFolders, upwardArrows } from './floors';

const rooms = sourceFolders();

it.each(rooms)('%s has no import that runs upward', (folder) => {
  expect(upwardArrows(folder)).toEqual([]);
});

it.each(rooms)('%s has no level of too many files', (folder) => {
  expect(piles(folder)).toEqual([]);
});
