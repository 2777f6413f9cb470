import { RebuildCourse } from './rebuild-course';

describe('the course of a rebuild', () => {
  it('is too slow until twice of what was appended is passed', () => {
    const course = new RebuildCourse(0, 1_000);
    expect(course.isTooSlow).toBe(false);
    course.appended(1_100, 0);
    expect(course.isTooSlow).toBe(true);
    course.passed(199, 199);
    expect(course.isTooSlow).toBe(true);
    course.passed(200, 1);
    expect(course.isTooSlow).toBe(false);
  });

  it('saves nothing up: what was passed before is no reason to be slow now', () => {
    const course = new RebuildCourse(0, 1_000_000);
    course.passed(900_000, 900_000);
    course.appended(1_000_001, 0);
    expect(course.isTooSlow).toBe(true);
  });

  it('knows no approach before it has measured one, and a negative one where the head is faster', () => {
    const course = new RebuildCourse(0, 1_000);
    course.appended(1_000, 0);
    expect(course.approachPerSecond).toBeNull();
    course.passed(100, 100);
    course.appended(1_500, 2_000);
    expect(course.approachPerSecond).toBe(-200);
    course.passed(1_300, 1_200);
    course.appended(1_500, 4_000);
    expect(course.approachPerSecond).toBe(200);
    expect(course.target).toBe(1_500);
  });

  it('ends under any appends that it can pass twice as fast, where it pauses whenever it may', () => {
    for (const appendedEachTurn of [1, 50, 400]) {
      let [head, position, turns] = [10_000, 0, 0];
      const course = new RebuildCourse(position, head);
      while (position < head) {
        head += appendedEachTurn;
        course.appended(head, (turns += 1));
        if (turns > 1 && !course.isTooSlow) continue;
        position = Math.min(head, position + 1_000);
        course.passed(position, 1_000);
      }
      expect(turns).toBeLessThanOrEqual(2 + (2 * 10_000) / appendedEachTurn);
    }
  });
});
