export { CreateTimers1700000000500 } from './timers.row';
export { Timers, timersChannel, type SqlRunner, type Timer, type TimerHandler } from './timers';
export { TimersModule } from './timers.module';
