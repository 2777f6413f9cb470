export { Configuration, ConfigurationError, readConfiguration, variables, type Environment } from './configuration';
export { createPino, PinoNestLogger } from './logging';
export { Metrics } from './metrics';
export { SystemClock } from './system-clock';
