export { CuttingProxy } from './cutting-proxy';
export { SilentSocket } from './silent-socket';
