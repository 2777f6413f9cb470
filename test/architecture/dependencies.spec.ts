import { besidesBuses, classesOf, overloaded } from './dependencies';
import { filesUnder, isSpec, parseSource, readSource } from './sources';

const dependenciesMax = 7;

/**
 * The dependencies that a controller may have in addition to the buses: those that write a reply's head, or work as long as the reply
 * lasts.
 */
const replyWriters = {
  // The head of a download depends on the requested range.
  ArtifactsController: ['ArtifactContent'],
  // A stream takes over the reply.
  JournalController: ['StreamEvents'],
  FeedController: ['StreamFeed'],
  // Senders are identified by their signatures over the raw request, and counted, before there is an event.
  WebhooksController: ['WebhookKeys', 'RateWindows'],
  // The document describes the configuration, and is no use case.
  AsyncApiController: ['Configuration', 'EventsDocument'],
};

const classes = filesUnder('apps', 'libs')
  .filter((path) => path.endsWith('.ts') && !isSpec(path) && !path.startsWith('libs/testing/'))
  .flatMap((path) => classesOf(readSource(path)));
const ofSlices = classes.filter(({ place }) => place.startsWith('libs/product/'));

describe('dependencies', () => {
  it("a slice's controller takes the buses only, and by name what writes a reply", () => {
    expect(ofSlices.filter(({ isController }) => isController).length).toBeGreaterThan(5);
    expect(besidesBuses(ofSlices, replyWriters)).toEqual([]);
  });

  it(`a class takes at most ${dependenciesMax}`, () => expect(overloaded(classes, dependenciesMax)).toEqual([]));
});

describe('the test of dependencies itself', () => {
  const planted = classesOf(
    parseSource(
      'planted.ts',
      [
        '@Controller()',
        'export class A {',
        '  constructor(private readonly queries: QueryBus, b: B, private readonly c: C) {}',
        '}',
        'class D { constructor(private readonly e: E) {} }',
      ].join('\n'),
    ),
  );

  it('finds a controller that takes a service', () => {
    expect(besidesBuses(planted, {})).toEqual(['planted.ts:1 A: B', 'planted.ts:1 A: C']);
    expect(besidesBuses(planted, { A: ['B', 'C'] })).toEqual([]);
  });

  it('finds a class that takes too much', () => {
    expect(overloaded(planted, 2)).toEqual(['planted.ts:1 A (3)']);
    expect(overloaded(planted, 3)).toEqual([]);
  });
});
