import { join } from 'node:path';

/** The path of `stdio-server.cjs`, a program that an MCP client starts itself; its first argument says how it behaves. */
export const stdioProgram = join(__dirname, 'stdio-server.cjs');
