import fc from 'fast-check';

/*
 * What random tests start from: always the same, so that a change is refused for what it does and never for its luck. SEED plays
 * what another seed does; the full rounds of `npm run figures` draw a new one each time, and a failure prints it.
 */
const { SEED, FIGURES } = process.env;
if (SEED !== undefined || FIGURES !== 'full') fc.configureGlobal({ seed: Number(SEED ?? 1) });
