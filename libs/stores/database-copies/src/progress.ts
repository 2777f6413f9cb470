/** Called with the number of things to copy; the result is called with the number done so far, each time it grows. */
export type OnProgress = (what: 'rows' | 'artifacts', total: number) => (done: number) => void;
