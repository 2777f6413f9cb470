export { Configuration, ConfigurationError, readConfiguration } from './configuration';
export { createPino, PinoNestLogger } from './logging';
export type { McpServerSettings, McpTransport } from './mcp-variables';
export { Metrics } from './metrics';
export type { ModelPrice } from './model-prices';
export { ModelFaults, NoFaults, type ModelFault } from './model-faults';
export { Probe, type ProbePoint } from './probe';
export { SystemClock } from './system-clock';
