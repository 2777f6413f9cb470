// Preloaded into every baseline: exits by itself on SIGTERM, so that Node can write the requested CPU profile.
process.once('SIGTERM', () => process.exit());
