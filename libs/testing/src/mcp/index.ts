export { LoopbackMcp } from './loopback-mcp';
export { stdioProgram } from './stdio-program';
export { saying } from './tool-server';
