/** Told how many there are of what is copied, and then, each time, how many are done. */
export type OnProgress = (what: 'rows' | 'artifacts', total: number) => (done: number) => void;
