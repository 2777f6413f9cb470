/** Receives the server's log; silent by default. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

export const silent: Log = () => undefined;
