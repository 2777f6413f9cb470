/** How a model can fail a run, in words of ours; the provider's own words stay in the log (docs/decisions/runs.md, "Tools"). */
export const modelTroubles = {
  refused_credentials: "The model's provider refused our credentials.",
  refused_rate: "The model's provider refused the request for its rate.",
  refused_request: "The model's provider refused the request.",
  not_reached: "The model's provider could not be reached.",
  own_error: "The model's provider had an error of its own.",
  not_asked: "The model's provider has not been answering, so the model was not asked.",
  late: 'The model did not answer in time.',
  queued: 'The model did not answer in time.',
  context_full: 'The conversation is too long for the model.',
  broken_off: 'The model stopped in the middle of its answer.',
  empty: 'The model answered nothing.',
  cut_off: "The model's output limit cut its answer before it could be used.",
  unreadable: 'The model answered what could not be read.',
  too_long: 'The model answered more than a step can hold.',
  declined: 'The model refused to answer.',
  withheld: "The model's provider withheld the answer.",
  not_offered: 'The deployment no longer offers the model of this run.',
  out_of_budget: 'The spend headroom ran out.',
  switched_off: 'The model is switched off.',
} as const;

export type ModelTrouble = keyof typeof modelTroubles;

/** Failures of the provider rather than of the request: another model may answer instead. */
export const fallbackTroubles: readonly ModelTrouble[] = [
  'refused_credentials',
  'refused_rate',
  'not_reached',
  'own_error',
  'not_asked',
  'late',
  'queued',
  'broken_off',
  'unreadable',
];
