import fc from 'fast-check';

/*
 * Sets the seed of random tests: always the same, so that a change fails for what it does and never by chance. SEED selects another one;
 * the full rounds of `npm run figures` draw a new one each time, and a failure prints it.
 */
const { SEED, FIGURES } = process.env;
if (SEED !== undefined || FIGURES !== 'full') fc.configureGlobal({ seed: Number(SEED ?? 1) });
