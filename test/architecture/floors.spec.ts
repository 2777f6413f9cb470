/** Inside a room, imports run one way, and no level is a pile. */
import { piles, sourceFolders, upwardArrows } from './floors';

/** Rooms that are still to be put in order. */
const unfinished = [
  'libs/product/approvals/src',
  'libs/product/conversations/src',
  'libs/product/operators/src',
  'libs/product/runs/src',
];
const rooms = sourceFolders().filter((folder) => !unfinished.includes(folder));

it.each(rooms)('%s has no import that runs upward', (folder) => {
  expect(upwardArrows(folder)).toEqual([]);
});

it.each(rooms)('%s has no level of too many files', (folder) => {
  expect(piles(folder)).toEqual([]);
});
