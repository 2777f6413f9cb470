/** Filters of lists and searches; `current`: all that are not archived. */
export const stateFilters = ['current', 'enabled', 'paused', 'archived', 'all'] as const;
export type StateFilter = (typeof stateFilters)[number];

/** The states that a filter lets through. */
export function statesOf(filter: StateFilter): readonly string[] {
  if (filter === 'all') return ['enabled', 'paused', 'archived'];
  return filter === 'current' ? ['enabled', 'paused'] : [filter];
}
