// Preloaded into the processes of a test: they end with the jest worker that started them, however that ends.
process.on('disconnect', () => process.exit(1));
