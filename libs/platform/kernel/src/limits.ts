/** Limits of the contract that several parts of the product enforce (specification, "Limits"; docs/decisions/conventions.md). */
export const limits = {
  titleLengthMax: 200,
  cursorLengthMax: 256,
  listLimitMax: 100,
  listLimitDefault: 50,
  /** Maximum bytes of the JSON of a list's page, unless its first item alone is longer. */
  pageBytesMax: 1024 * 1024,
  eventsLimitMax: 1000,
  eventsLimitDefault: 500,
  streamCursorMax: Number.MAX_SAFE_INTEGER,
  inputTextLengthMax: 32_768,
  artifactIdsMax: 10,
  /** Runs of one conversation that wait to start. */
  queuedInputsMax: 10,
  instructionsLengthMax: 8192,
  /** Including `@` and the version. */
  agentNameLengthMax: 128,
  profileToolsMax: 64,
  maxStepsMax: 50,
  maxStepsDefault: 16,
  outputSchemaBytesMax: 16 * 1024,
  jsonDepthMax: 32,
  requestIdPattern: /^[A-Za-z0-9._-]{8,64}$/,
} as const;
