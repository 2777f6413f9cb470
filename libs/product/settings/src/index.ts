export type { WitnessAddress } from './audit-variables';
export { Configuration, configurationWarnings, readConfiguration } from './configuration';
export type { ModelConnection } from './models/model-fallbacks';
export type { ModelPrice } from './models/model-variables';
export type { ConsentTemplate } from './tools/consent-template';
export type { McpClientCredentials, McpServerSettings, McpToolSettings, McpTransport } from './tools/mcp-variables';
