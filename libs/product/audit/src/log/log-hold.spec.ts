import { isSamePlace, type DatabasePlace } from './log-hold';

const placeOf = (inode: string, bornMs: string): DatabasePlace => ({
  cluster: '7000000000000000001',
  database: '16384',
  file: { inode, bornMs },
});

describe('the place of a database, by the file that its folder began with', () => {
  it.each([
    ['the same', placeOf('100', '1772359200000'), true],
    ['that was numbered anew at a mount', placeOf('200', '1772359200000'), true],
    ['that was given another birth', placeOf('100', '1772359200001'), true],
    ['of a copy', placeOf('200', '1772359200001'), false],
    ['of a copy whose birth the file system does not know', placeOf('200', '0'), false],
  ])('is another one for a copy: a file %s', (_, other, isSame) => {
    expect(isSamePlace(placeOf('100', '1772359200000'), other)).toBe(isSame);
  });

  it.each(['0', ''])('follows from the inode alone where no birth is known (%j)', (unknown) => {
    expect(isSamePlace(placeOf('100', unknown), placeOf('200', unknown))).toBe(false);
    expect(isSamePlace(placeOf('100', unknown), placeOf('100', unknown))).toBe(true);
  });
});
