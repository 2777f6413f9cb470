import { join } from 'node:path';

/** Path of `stdio-server.cjs`, a program that an MCP client starts itself; its first argument selects its behaviour. */
export const stdioProgram = join(__dirname, 'stdio-server.cjs');
