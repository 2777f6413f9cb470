/** Where the server says what happened to it. The default is silence. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

export const silent: Log = () => undefined;
