// Preloaded into every baseline: told to end, it does so by itself, so that Node can write the CPU profile that it was asked for.
process.once('SIGTERM', () => process.exit());
