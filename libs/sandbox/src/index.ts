export { Issuer } from './issuer';
export { CreateSandboxState1700000000510 } from './sandbox-state.row';
export { SandboxModule } from './sandbox.module';
