export { timersMigrations } from './timers.row';
export { Timers, timersChannel, type Timer } from './timers';
export { TimersModule } from './timers.module';
